"""Ten rules that repeat a forest, on ten data sets: rule lists against small trees and the lists of others.

Forests have 200 trees of scikit-learn's defaults, data sets are those of ``benchmarks.ten_datasets``. Everything
that is compared is fitted to what the forest predicts for the training rows, and may have ten rules with the default:

- rule list: this project's, with and without pseudo rows (without is what it was before these);
- CART: scikit-learn's tree of ten leaves; its conditions are those of its paths, of which those on one side of a
  feature count once;
- FIGS (imodels): at most nine splits; greedy rule list (imodels), two classes: at most nine rules;
- te2rules, two classes: of its rules for the second class those nine that together repeat most labels of the training
  rows, added one by one; of its stages the first alone, since more take hours with 200 trees;
- constant: the label that the forest gives most training rows, or the mean.

A predictor that takes more than 120 seconds of processor time is left out (-). Those that take no missing cells get
the medians of the training rows. Fidelity is the share of new rows with the label that the forest predicts (R2 to its
values for regression), error the share with another label than the true one (mean squared error). "No worse" is a mean
difference of at least -0.5 points.

``python -m benchmarks.ten_rules --seeds 0 1 2 3 4 > benchmarks/results/ten_rules.md``; what is made is kept in
``--keep``, a file of JSON lines.
"""

import argparse
import json
import re
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from imodels import FIGSClassifier, FIGSRegressor, GreedyRuleListClassifier
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from te2rules.explainer import ModelExplainer

from tests.support.models import onnx_of
from tree_explainers.approximation_trees.generators import Smoother
from tree_explainers.approximation_trees.node_boxes import NodeBox
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.prediction_scores import Targets
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.questions.conditions import TrainingValues
from tree_explainers.questions.statements import Statements, statements_of
from tree_explainers.rows import Rows
from tree_explainers.rule_sets.list_search import conditions_of_paths
from tree_explainers.rule_sets.pseudo_rows import draw_pseudo_rows
from tree_explainers.rule_sets.row_parts import RowParts
from tree_explainers.rule_sets.rule_lists import print_rules
from tree_explainers.rule_sets.rule_search import RuleSettings, find_rules
from workers.jobs.rule_set_search import NEAR

from .ten_datasets import REGRESSIONS, TARGETS, Division, divided

N_TREES, N_RULES = 200, 10
OURS, BEFORE, CART, CONSTANT = "rule list", "rule list without pseudo rows", "CART", "constant"
PREDICTORS = (OURS, BEFORE, CART, "FIGS", "greedy rule list", "te2rules", CONSTANT)
_NO_WORSE = -0.005
_MOST_SECONDS = 120  # of processor time for one predictor; what takes longer is left out
Matrix = NDArray[np.float32]


class Case:
    """A forest, and what it predicts for the rows of a division."""

    def __init__(self, name: str, seed: int) -> None:
        self.name, self.seed, self.division = name, seed, divided(name, seed)
        self.is_regression = name in REGRESSIONS
        kind = RandomForestRegressor if self.is_regression else RandomForestClassifier
        drawn = self.division.train
        self.forest = kind(N_TREES, random_state=seed).fit(drawn.features, drawn.target)
        self.labels, self.new_labels = (self.forest.predict(part.features) for part in self._parts(self.division))
        medians = np.nan_to_num(np.nanmedian(drawn.features, axis=0))
        self.filled = [np.where(np.isnan(part.features), medians, part.features) for part in self._parts(self.division)]

    @staticmethod
    def _parts(division: Division) -> tuple[Any, Any]:
        return division.train, division.test

    def rows(self, matrix: Matrix) -> Rows:
        """Return a matrix as rows."""
        return Rows(self.division.train.names, tuple(np.asarray(column, np.float64) for column in matrix.T))

    def targets(self, labels: NDArray[Any]) -> Targets:
        """Return labels as what rules predict."""
        if self.is_regression:
            return Targets.of_values(labels.astype(np.float64))
        return Targets.of_classes(labels.astype(np.int64), int(self.division.train.target.max()) + 1)

    def scores(self, predicted: NDArray[Any]) -> dict[str, float]:
        """Return fidelity and error on the new rows."""
        truth, labels = self.division.test.target, self.new_labels
        if self.is_regression:
            fidelity = 1 - float(np.mean((predicted - labels) ** 2) / labels.var())
            return {"fidelity": fidelity, "error": float(np.mean((predicted - truth) ** 2))}
        return {"fidelity": float(np.mean(predicted == labels)), "error": float(np.mean(predicted != truth))}


def evaluated(case: Case) -> Iterator[dict[str, Any]]:
    """Yield what each predictor scores; one that does not apply is left out."""
    makers: dict[str, Callable[[Case], tuple[NDArray[Any], int, int]]] = {
        OURS: partial(_rule_list, with_pseudo_rows=True),
        BEFORE: partial(_rule_list, with_pseudo_rows=False),
        CART: _cart,
        "FIGS": _figs,
        CONSTANT: _constant,
    }
    if not case.is_regression and len(np.unique(case.labels)) == 2:  # classes
        makers |= {"greedy rule list": _greedy_rule_list, "te2rules": _te2rules}
    for predictor, make in makers.items():
        begun = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, _MOST_SECONDS)
        try:
            predicted, n_rules, n_conditions = make(case)
        except (ValueError, NotImplementedError, IndexError, TimeoutError) as refused:
            print(f"{case.name} {case.seed} {predictor}: {refused}", file=sys.stderr)
            continue
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        seconds = time.process_time() - begun
        sizes = {"rules": int(n_rules), "conditions": int(n_conditions), "seconds": round(seconds, 2)}
        yield {"data": case.name, "seed": case.seed, "predictor": predictor} | case.scores(predicted) | sizes
    truth = case.division.test.target
    error = np.mean((case.new_labels - truth) ** 2) if case.is_regression else np.mean(case.new_labels != truth)
    yield {"data": case.name, "seed": case.seed, "predictor": "forest", "fidelity": 1.0, "error": float(error)}


def _rule_list(case: Case, *, with_pseudo_rows: bool) -> tuple[NDArray[Any], int, int]:
    train, statements = case.rows(case.division.train.features), _statements(case)
    binned, rng = BinnedRows.of(statements, train), np.random.default_rng(case.seed)
    pseudo = None
    if with_pseudo_rows:
        near = partial(Smoother.of(train, {}, NEAR).draw, train, NodeBox({}))
        pseudo = draw_pseudo_rows(train, near, partial(_forest_labels, case), statements, rng)
    rules = find_rules(RowParts.here(binned, case.targets(case.labels)), RuleSettings(), rng, pseudo=pseudo).rules
    printed = print_rules(rules, TrainingValues(train, binned))
    predicted = rules.predictions[printed.deciding(case.rows(case.division.test.features))]
    return predicted, rules.n_rules + 1, sum(map(len, printed.rules))


def _statements(case: Case) -> Statements:
    onnx = onnx_of(case.forest, case.division.train.features)
    read = read_model(onnx, DeclaredModel(feature_names=case.division.train.names), ModelLimits())
    return statements_of(read.ensemble, read.description)


def _forest_labels(case: Case, rows: Rows) -> Targets:
    return case.targets(case.forest.predict(np.stack(rows.columns, axis=1).astype(np.float32)))


def _cart(case: Case) -> tuple[NDArray[Any], int, int]:
    kind = DecisionTreeRegressor if case.is_regression else DecisionTreeClassifier
    tree = kind(max_leaf_nodes=N_RULES, random_state=0).fit(case.division.train.features, case.labels)
    return tree.predict(case.division.test.features), tree.get_n_leaves(), conditions_of_paths(tree.tree_)


def _figs(case: Case) -> tuple[NDArray[Any], int, int]:
    kind = FIGSRegressor if case.is_regression else FIGSClassifier
    figs = kind(max_rules=N_RULES - 1, random_state=0).fit(case.filled[0], case.labels)
    n_splits = int(figs.complexity_)
    return figs.predict(case.filled[1]), n_splits, n_splits


def _greedy_rule_list(case: Case) -> tuple[NDArray[Any], int, int]:
    rules = GreedyRuleListClassifier(max_depth=N_RULES - 1).fit(case.filled[0], case.labels)
    scores = rules.predict_proba(case.filled[1])
    return scores.argmax(axis=1), len(rules.rules_), max(0, len(rules.rules_) - 1)


def _te2rules(case: Case) -> tuple[NDArray[Any], int, int]:
    names = [f"f{index}" for index in range(case.filled[0].shape[1])]
    explainer = ModelExplainer(case.forest, names)
    found = explainer.explain(case.filled[0].tolist(), case.labels.tolist(), num_stages=1)
    covered = [np.array([_covers(rule, part) for rule in found]) for part in case.filled]
    chosen: list[int] = []
    is_second = np.zeros(len(case.labels), np.bool_)
    while len(chosen) < N_RULES - 1 and len(chosen) < len(found):
        right = ((covered[0] | is_second) == (case.labels == 1)).mean(axis=1)
        best = int(right.argmax())
        if right[best] <= (is_second == (case.labels == 1)).mean():
            break
        chosen.append(best)
        is_second |= covered[0][best]
    predicted = np.zeros(len(case.filled[1]), np.int64)
    for index in chosen:
        predicted |= covered[1][index]
    return predicted, len(chosen) + 1, sum(found[index].count("&") + 1 for index in chosen)


def _covers(rule: str, matrix: NDArray[Any]) -> NDArray[np.bool_]:
    holds = np.ones(len(matrix), np.bool_)
    for feature, operator, bound in re.findall(r"f(\d+) (<=|>) (-?[\d.e+-]+)", rule):
        holds &= (matrix[:, int(feature)] > float(bound)) == (operator == ">")
    return holds


def _constant(case: Case) -> tuple[NDArray[Any], int, int]:
    best = case.labels.mean() if case.is_regression else np.bincount(case.labels).argmax()
    return np.full(len(case.new_labels), best), 1, 0


def table(lines: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the tables: fidelity, error, conditions, and how often the rule list is no worse."""
    n_seeds = len({line["seed"] for line in lines})
    yield f"# Ten rules\n\n{__doc__}\nMeans over {n_seeds} draws (seeds {min(line['seed'] for line in lines)} on).\n"
    for measure, digits in (("fidelity", 4), ("error", 4), ("conditions", 1), ("seconds", 1)):
        yield f"## {measure.capitalize()}\n"
        columns = [*PREDICTORS, "forest"] if measure == "error" else list(PREDICTORS)
        yield "| data | " + " | ".join(columns) + " |"
        yield "|---|" + "---:|" * len(columns)
        for data in (*TARGETS, *REGRESSIONS):
            cells = [_mean(lines, data, predictor, measure) for predictor in columns]
            shown = ["-" if np.isnan(cell) else f"{cell:.{digits}f}" for cell in cells]
            if any(cell != "-" for cell in shown):
                yield f"| {data} | " + " | ".join(shown) + " |"
        yield ""
    yield "## The rule list against each, ten data sets\n"
    yield "| against | fidelity no worse | mean gain | error no worse | mean gain | conditions no more |"
    yield "|---|---:|---:|---:|---:|---:|"
    for other in PREDICTORS[1:]:
        yield _against(lines, other)


def _against(lines: list[dict[str, Any]], other: str) -> str:
    gains = {
        measure: np.array([_mean(lines, data, OURS, measure) - _mean(lines, data, other, measure) for data in TARGETS])
        for measure in ("fidelity", "error", "conditions")
    }
    gains = {measure: gain[~np.isnan(gain)] for measure, gain in gains.items()}
    n = len(gains["fidelity"])
    if not n:
        return f"| {other} | - | - | - | - | - |"
    fidelity, error, conditions = gains["fidelity"], -gains["error"], gains["conditions"]
    return (
        f"| {other} | {(fidelity >= _NO_WORSE).sum()} of {n} | {100 * fidelity.mean():+.2f} "
        f"| {(error >= _NO_WORSE).sum()} of {n} | {100 * error.mean():+.2f} | {(conditions <= 0).sum()} of {n} |"
    )


def _mean(lines: list[dict[str, Any]], data: str, predictor: str, measure: str) -> float:
    own = [
        line[measure] for line in lines if (line["data"], line["predictor"]) == (data, predictor) and measure in line
    ]
    return float(np.mean(own)) if own else float("nan")


def _stop(*_: object) -> None:
    raise TimeoutError


def main() -> None:
    """Make what is not kept, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--data", nargs="+", default=[*TARGETS, *REGRESSIONS])
    parser.add_argument("--keep", type=Path, default=Path("/tmp/ten_rules.jsonl"))  # noqa: S108  # may be named
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGVTALRM, _stop)
    kept = [json.loads(line) for line in chosen.keep.read_text().splitlines()] if chosen.keep.exists() else []
    done = {(line["data"], line["seed"]) for line in kept if line["predictor"] == "forest"}
    with chosen.keep.open("a") as file:
        for seed in chosen.seeds:
            for data in chosen.data:
                if (data, seed) not in done:
                    made = list(evaluated(Case(data, seed)))
                    kept += made
                    file.writelines(json.dumps(line) + "\n" for line in made)
                    file.flush()
    wanted = [line for line in kept if line["seed"] in chosen.seeds and line["data"] in chosen.data]
    print("\n".join(table(wanted)))


if __name__ == "__main__":
    main()
