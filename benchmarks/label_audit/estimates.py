"""Label audits with planted wrong labels: which order finds them, and whether their estimated number is to be believed.

Ten data sets, at most 3,000 rows by seed, with the labels that they have. A share of the rows gets another label:
``any``, of any class, one of the others; ``one class``, of the largest class alone, always the same other. The labels
that were wrong before are not known, and count as right.

- ``ranking``: the audit as ``method: "auto"`` makes it, against cleanlab's label quality (its default score, of
  probabilities by five more fits of the same learner), for forests, LightGBM and XGBoost: area under the ROC curve and
  average precision; a tenth of the rows is wrong.
- ``number``: the estimated number over the planted one, whether the interval of 90 % holds it, and among as many rows
  as are wrong, ranked by the audit of a forest, the share of wrong labels that was expected, and the one that there is.
  The estimate is the service's, and the same for all learners.

``python -m benchmarks.label_audit.estimates --json FILE [--part ranking] [--seeds 0,1] > FILE`` goes on where its JSON
lines end.
"""

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from cleanlab.rank import get_label_quality_scores
from lightgbm import LGBMClassifier
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from xgboost import XGBClassifier

from benchmarks.machine import describe_machine
from benchmarks.ten_datasets import TARGETS, draw
from tests.support.models import onnx_of, rows_of_matrix
from tree_explainers.label_audits import LabelAudit, audit_by_all_rows, audit_by_neighbors
from tree_explainers.leaf_space.coarser_leaves import coarser_leaves
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.out_of_bag_votes import out_of_bag_votes
from tree_explainers.wrong_labels import estimate_wrong_labels, probabilities_by_rank

_LEARNERS: dict[str, Callable[[], Any]] = {
    "forest": lambda: RandomForestClassifier(200, random_state=0),
    "LightGBM": lambda: LGBMClassifier(n_estimators=200, random_state=0, n_jobs=1, verbose=-1),
    "XGBoost": lambda: XGBClassifier(random_state=0, n_jobs=1),
}
_ANY, _ONE_CLASS = "any", "one class"
_PLANTED = ((_ANY, 0.05), (_ANY, 0.1), (_ANY, 0.2), (_ONE_CLASS, 0.05), (_ONE_CLASS, 0.1))
_RANKED = ((_ANY, 0.1), (_ONE_CLASS, 0.1))
_FOLDS, _N_NEIGHBORS, _FACTOR = 5, 50, 1.5

Line = dict[str, Any]


def main() -> None:
    """Measure what has not been measured, and print the tables."""
    warnings.filterwarnings("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--part", choices=["ranking", "number", "none"], action="append")
    parser.add_argument("--seeds", default="0,1")
    options = parser.parse_args()
    known = [json.loads(line) for line in options.json.read_text().splitlines()] if options.json.exists() else []
    for case in _cases(options.part or ["number", "ranking"], [int(seed) for seed in options.seeds.split(",")]):
        if any(case.items() <= line.items() for line in known):
            continue
        line = case | (_ranking(case) if case["part"] == "ranking" else _number(case))
        known.append(line)
        with options.json.open("a") as file:
            file.write(json.dumps(line) + "\n")
        print(*case.values(), file=sys.stderr, flush=True)
    print("\n".join(_report(known)))


def with_wrong_labels(target: NDArray[np.int64], kind: str, share: float, seed: int) -> NDArray[np.int64]:
    """Return the labels, some of them replaced by another class."""
    rng, n_classes, given = np.random.default_rng(seed), int(target.max()) + 1, target.copy()
    n_wrong = int(len(target) * share)
    if kind == _ANY:
        rows = rng.choice(len(target), n_wrong, replace=False)
        given[rows] = (target[rows] + rng.integers(1, n_classes, n_wrong)) % n_classes
    else:
        among = np.flatnonzero(target == np.bincount(target).argmax())
        rows = rng.choice(among, min(n_wrong, len(among) // 2), replace=False)
        given[rows] = (target[rows] + 1) % n_classes
    return given


def _cases(parts: Sequence[str], seeds: Sequence[int]) -> Iterator[Line]:
    for seed in seeds:
        for name in TARGETS:
            if "number" in parts:
                for kind, share in _PLANTED:
                    yield {"part": "number", "dataset": name, "seed": seed, "kind": kind, "share": share}
                yield {"part": "number", "dataset": name, "seed": seed, "kind": _ANY, "share": 0.0}
            if "ranking" in parts:
                for kind, share in _RANKED:
                    for learner in _LEARNERS:
                        case = {"part": "ranking", "dataset": name, "seed": seed, "kind": kind, "share": share}
                        yield case | {"learner": learner}


def _drawn(case: Line) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.bool_]]:
    """Return features, labels, and which of these are wrong."""
    drawn = draw(case["dataset"], case["seed"])
    target = drawn.target.astype(np.int64)
    given = with_wrong_labels(target, case["kind"], case["share"], case["seed"])
    return drawn.features, given, given != target


def _ranking(case: Line) -> Line:
    features, given, is_wrong = _drawn(case)
    audit = _audit(case["learner"], features, given)
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=case["seed"])
    learner = _LEARNERS[case["learner"]]()
    held_out = cross_val_predict(learner, features, given, cv=folds, method="predict_proba")
    quality = get_label_quality_scores(given, held_out)
    suspicions = {"ours": -_places(audit), "cleanlab": -np.asarray(quality)}
    return {
        order: [float(roc_auc_score(is_wrong, values)), float(average_precision_score(is_wrong, values))]
        for order, values in suspicions.items()
    }


def _audit(learner: str, features: NDArray[np.float32], given: NDArray[np.int64]) -> LabelAudit:
    """Return the audit as the service makes it."""
    estimator = _LEARNERS[learner]().fit(features, given)
    read = read_model(
        onnx_of(estimator, features), DeclaredModel(feature_names=rows_of_matrix(features).names), ModelLimits()
    )
    outcome = ModelSession(read.leaf_graph, read.description).run_in_chunks(rows_of_matrix(features))
    table = LeafTable.from_leaves(outcome.leaves, read.ensemble.n_leaves)
    leaves = coarser_leaves(read.ensemble, table, 1)
    kind: ProximityKind = "random_forest" if learner == "forest" else "boosting"
    weights = leaves.weights(kind, table, read.ensemble.leaf_values)
    scores = np.asarray(outcome.scores[np.arange(len(given)), given], np.float64)
    if learner == "forest":
        return audit_by_all_rows(table, weights, given, scores=scores)
    return audit_by_neighbors(table, weights, given, _N_NEIGHBORS, scores=scores)


def _places(audit: LabelAudit) -> NDArray[np.int64]:
    places = np.empty(len(audit.ranking), np.int64)
    places[audit.ranking] = np.arange(len(places))
    return places


def _number(case: Line) -> Line:
    features, given, is_wrong = _drawn(case)
    found = estimate_wrong_labels(out_of_bag_votes(features, given, case["seed"]), given, case["seed"])
    n_rows, n_wrong = len(given), int(is_wrong.sum())
    by_rank = _places(_audit("forest", features, given))
    expected = probabilities_by_rank(by_rank, found.probabilities, n_rows, found.share * n_rows)
    first = by_rank < n_wrong
    return {
        "n_rows": n_rows,
        "planted": n_wrong,
        "number": found.share * n_rows,
        "low": int(found.low * n_rows),
        "high": int(np.ceil(found.high * n_rows)),
        "expected": float(expected[:n_wrong].mean()) if n_wrong else None,
        "found": float(is_wrong[first].mean()) if n_wrong else None,
    }


def _report(lines: Sequence[Line]) -> Iterator[str]:
    yield "# Label audits: what they find, and how many labels they say are wrong\n"
    yield f"{(__doc__ or '').split('``python')[0].strip()}\n"
    yield "Made by `python -m benchmarks.label_audit.estimates --json benchmarks/results/label_audit_estimates.jsonl "
    yield f"> benchmarks/results/label_audit_estimates.md` on {describe_machine()}, cleanlab {version('cleanlab')}.\n"
    yield from _ranking_tables([line for line in lines if line["part"] == "ranking"])
    yield from _number_tables([line for line in lines if line["part"] == "number"])


def _ranking_tables(lines: Sequence[Line]) -> Iterator[str]:
    for kind, _ in _RANKED:
        yield f"\n## Ranking, a tenth of the labels wrong ({kind})\n"
        yield "AUROC / average precision, the audit's and then cleanlab's; means of the seeds:\n"
        yield "| data | " + " | ".join(f"{name}: audit | cleanlab" for name in _LEARNERS) + " |"
        yield "|---|" + "---|---|" * len(_LEARNERS)
        means = [[_mean(lines, kind, learner, name) for learner in _LEARNERS] for name in TARGETS]
        for name, of_name in zip(TARGETS, means, strict=True):
            yield f"| {name} | " + " | ".join(_cells(pair) for pair in of_name) + " |"
        yield "| **mean** | " + " | ".join(_cells(pair) for pair in np.nanmean(means, axis=0)) + " |"


def _mean(lines: Sequence[Line], kind: str, learner: str, name: str) -> NDArray[np.float64]:
    found = [
        [line["ours"], line["cleanlab"]]
        for line in lines
        if (line["kind"], line["learner"], line["dataset"]) == (kind, learner, name)
    ]
    return np.mean(found, axis=0) if found else np.full((2, 2), np.nan)


def _cells(pair: NDArray[np.float64]) -> str:
    return " | ".join(f"{auroc:.3f} / {precision:.3f}" for auroc, precision in pair)


def _number_tables(lines: Sequence[Line]) -> Iterator[str]:
    yield "\n## Number of wrong labels\n"
    seeds = [(name, sorted({line["seed"] for line in lines if line["dataset"] == name})) for name in TARGETS]
    yield "Estimated over planted number (geometric mean of the seeds); planted 0: the estimate, of all rows. Seeds: "
    yield "; ".join(f"{name} {', '.join(map(str, of_name))}" for name, of_name in seeds) + ".\n"
    columns = [*_PLANTED, (_ANY, 0.0)]
    yield "| data | " + " | ".join(f"{share:.0%}, {kind}" for kind, share in columns) + " |"
    yield "|---|" + "---|" * len(columns)
    for name in TARGETS:
        cells = [_ratio([line for line in _of(lines, *column) if line["dataset"] == name]) for column in columns]
        yield f"| {name} | " + " | ".join(cells) + " |"
    yield ""
    for kind, share in _PLANTED:
        yield _summary(_of(lines, kind, share), f"{share:.0%}, {kind}")
    clean = _of(lines, _ANY, 0.0)
    yield f"- nothing planted: the interval holds none in {sum(line['low'] == 0 for line in clean)} of {len(clean)}."


def _of(lines: Sequence[Line], kind: str, share: float) -> list[Line]:
    return [line for line in lines if (line["kind"], line["share"]) == (kind, share)]


def _ratio(lines: Sequence[Line]) -> str:
    if not lines:
        return ""
    if lines[0]["share"] == 0:
        return f"{np.mean([line['number'] / line['n_rows'] for line in lines]):.1%}"
    return f"{_factor(lines):.2f}"


def _factor(lines: Sequence[Line]) -> float:
    return float(np.exp(np.mean([np.log(max(line["number"], 1) / line["planted"]) for line in lines])))


def _summary(lines: Sequence[Line], title: str) -> str:
    by_name = [_factor([line for line in lines if line["dataset"] == name]) for name in TARGETS]
    n_near = sum(1 / _FACTOR < factor < _FACTOR for factor in by_name)
    n_draws = sum(1 / _FACTOR < _factor([line]) < _FACTOR for line in lines)
    held = [line["low"] <= line["planted"] <= line["high"] for line in lines]
    expected, found = ([line[name] for line in lines] for name in ("expected", "found"))
    return (
        f"- {title}: within a factor of {_FACTOR} on {n_near} of {len(by_name)} sets "
        f"({n_draws} of {len(lines)} draws); the interval holds the number in "
        f"{sum(held)} of {len(held)}; among as many rows as are wrong, {np.mean(expected):.0%} expected, "
        f"{np.mean(found):.0%} wrong (mean difference without sign "
        f"{np.mean(np.abs(np.subtract(expected, found))):.0%})."
    )


if __name__ == "__main__":
    main()
