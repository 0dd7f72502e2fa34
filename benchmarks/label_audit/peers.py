"""Label audits against their peers on the ten data sets: which order finds wrong labels.

Peers: cleanlab's label quality (its default score, self-confidence, of probabilities by five more fits), the loss on
out-of-bag rows, and the loss on the training rows. Of our own, by the leaves that ``auto`` takes: the vote of all rows
times the model's score of the label (the default), the vote alone, 50 neighbours, and 10 as in the paper; and the vote
alone by the trees' own leaves. At most 3,000 rows by seed; a random tenth gets one of the other labels; 200 trees with
scikit-learn's defaults, XGBoost with its own. Measured: area under the ROC curve, and the share of wrong labels among
the first tenth of the rows.

``python -m benchmarks.label_audit.peers --json FILE [--seeds 0,1] [--models forest] [--datasets titanic] > FILE`` goes
on where its JSON lines end.
"""

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from cleanlab.rank import get_label_quality_scores
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from benchmarks.coarser_leaves import MAKERS, MOST_UNOPPOSED, Fitted, fit_model
from benchmarks.machine import describe_machine
from benchmarks.ten_datasets import TARGETS, draw
from tree_explainers.label_audits import audit_by_all_rows, audit_by_neighbors, share_unopposed
from tree_explainers.leaf_space.coarser_leaves import coarser_leaves, steps_of_min_leaf_rows
from tree_explainers.leaf_space.leaves import LeafTable
from tree_explainers.leaf_space.votes import votes_of_all_rows

OURS, VOTE, CLEANLAB = "vote and score", "vote of all rows", "cleanlab"
OWN_LEAVES, OUT_OF_BAG, TRAINING = f"{VOTE}, own leaves", "out-of-bag loss", "training loss"
ORDERS = (OURS, VOTE, OWN_LEAVES, "50 neighbours", "10 neighbours", CLEANLAB, OUT_OF_BAG, TRAINING)
_FOLDS = 5
_NO_WORSE = 0.005

Line = dict[str, Any]  # dataset, seed, model, order; auroc, precision


def main() -> None:
    """Measure what has not been measured, and print the tables."""
    warnings.filterwarnings("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--seeds", default="0,1,2,3,4")
    parser.add_argument("--models", default=",".join(MAKERS))
    parser.add_argument("--datasets", default=",".join(TARGETS))
    options = parser.parse_args()
    known = _read(options.json)
    for seed in map(int, options.seeds.split(",")):
        for name in options.datasets.split(","):
            for model in options.models.split(","):
                case = {"dataset": name, "seed": seed, "model": model}
                measured = {line["order"] for line in known if case.items() <= line.items()}
                lacking = [order for order in ORDERS if order not in measured and order in _orders_of(model)]
                if not lacking:
                    continue
                lines = [case | line for line in _measure(name, seed, model, lacking)]
                known += lines
                with options.json.open("a") as file:
                    file.writelines(json.dumps(line) + "\n" for line in lines)
                print(f"{name}, seed {seed}, {model}", file=sys.stderr, flush=True)
    print("\n".join(_report(known)))


def with_wrong_labels(target: NDArray[np.int64], seed: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the labels, a random tenth of them replaced by another class, and which."""
    rng = np.random.default_rng(seed)
    is_wrong = np.zeros(len(target), np.bool_)
    is_wrong[rng.choice(len(target), len(target) // 10, replace=False)] = True
    n_classes = int(target.max()) + 1
    return np.where(is_wrong, (target + rng.integers(1, n_classes, len(target))) % n_classes, target), is_wrong


def _read(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def _orders_of(model: str) -> Sequence[str]:
    return [order for order in ORDERS if order != OUT_OF_BAG or model == "forest"]


def _measure(name: str, seed: int, model: str, orders: Sequence[str]) -> Iterator[Line]:
    drawn = draw(name, seed)
    given, is_wrong = with_wrong_labels(drawn.target, seed)
    fitted = fit_model(model, (drawn.features, drawn.features[:1]), given)
    suspicions = _suspicions(fitted, drawn.features, given, seed)
    for order in orders:
        suspicion = suspicions[order]()
        first = np.argsort(-suspicion, kind="stable")[: is_wrong.sum()]
        yield {
            "order": order,
            "auroc": float(roc_auc_score(is_wrong, suspicion)),
            "precision": float(is_wrong[first].mean()),
        }


def _suspicions(
    fitted: Fitted, features: NDArray[np.float32], given: NDArray[np.int64], seed: int
) -> Mapping[str, Callable[[], NDArray[np.float64]]]:
    """Return by order what finds how suspect each row is."""
    table, weights = _space(fitted, given)
    rows = np.arange(len(given))
    scores = np.asarray(fitted.estimator.predict_proba(features)[rows, given], np.float64)

    def by_own_leaves() -> NDArray[np.float64]:
        uncut = LeafTable.from_leaves(fitted.leaves[0], fitted.ensemble.n_leaves)
        leaves = coarser_leaves(fitted.ensemble, uncut, 1)
        own = leaves.weights(fitted.kind, uncut, fitted.ensemble.leaf_values)
        return _places(audit_by_all_rows(uncut, own, given).ranking)

    def by_cleanlab() -> NDArray[np.float64]:
        folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=seed)
        held_out = cross_val_predict(fitted.estimator, features, given, cv=folds, method="predict_proba")
        return np.asarray(1 - get_label_quality_scores(given, held_out))

    def out_of_bag() -> NDArray[np.float64]:
        return np.asarray(1 - np.nan_to_num(fitted.estimator.oob_decision_function_, nan=0.5)[rows, given])

    return {
        OURS: lambda: _places(audit_by_all_rows(table, weights, given, scores=scores).ranking),
        VOTE: lambda: _places(audit_by_all_rows(table, weights, given).ranking),
        OWN_LEAVES: by_own_leaves,
        "50 neighbours": lambda: _places(audit_by_neighbors(table, weights, given, 50).ranking),
        "10 neighbours": lambda: _places(audit_by_neighbors(table, weights, given, 10).ranking),
        CLEANLAB: by_cleanlab,
        OUT_OF_BAG: out_of_bag,
        TRAINING: lambda: 1 - scores,
    }


def _space(fitted: Fitted, given: NDArray[np.int64]) -> tuple[LeafTable, NDArray[np.int64]]:
    """Return the leaves that an audit takes with ``min_leaf_rows: "auto"``, as the service does."""
    uncut = LeafTable.from_leaves(fitted.leaves[0], fitted.ensemble.n_leaves)
    tried: list[tuple[float, LeafTable, NDArray[np.int64]]] = []
    for step in steps_of_min_leaf_rows(uncut.n_rows):
        leaves = coarser_leaves(fitted.ensemble, uncut, step)
        if step > 1 and leaves.n_leaves.max() == 1:
            break
        table, weights = leaves.table(uncut), leaves.weights(fitted.kind, uncut, fitted.ensemble.leaf_values)
        tried.append((share_unopposed(votes_of_all_rows(table, weights, given)), table, weights))
        if tried[-1][0] <= MOST_UNOPPOSED:
            return tried[-1][1:]
    return min(tried, key=lambda each: each[0])[1:]


def _places(ranking: NDArray[np.int64]) -> NDArray[np.float64]:
    suspicion = np.empty(len(ranking))
    suspicion[ranking] = -np.arange(len(ranking))
    return suspicion


def _report(lines: Sequence[Line]) -> Iterator[str]:
    yield "# Label audits against their peers\n"
    yield f"{(__doc__ or '').split('``python')[0].strip()}\n"
    yield "Made by `python -m benchmarks.label_audit.peers --json benchmarks/results/label_audit_peers.jsonl "
    yield f"> benchmarks/results/label_audit_peers.md` on {describe_machine()}, cleanlab {version('cleanlab')}.\n"
    for model in MAKERS:
        found = [line for line in lines if line["model"] == model]
        if found:
            yield from _tables_of(model, found)


def _tables_of(model: str, lines: Sequence[Line]) -> Iterator[str]:
    orders = [order for order in ORDERS if _of(lines, order)]
    names = [name for name in TARGETS if any(line["dataset"] == name for line in lines)]
    seeds = sorted({line["seed"] for line in lines})
    yield f"\n## {model}: {len(names)} data sets, seeds {', '.join(map(str, seeds))}\n"
    yield "AUROC / precision in the first tenth:\n"
    yield "| data | " + " | ".join(orders) + " |\n|---|" + "---|" * len(orders)
    for name in names:
        yield f"| {name} | " + " | ".join(_cell(_of(lines, order, name)) for order in orders) + " |"
    means = {order: np.mean([_mean(_of(lines, order, name)) for name in names], axis=0) for order in orders}
    yield (
        "| **mean** | " + " | ".join(f"**{auroc:.3f} / {precision:.3f}**" for auroc, precision in means.values()) + " |"
    )
    yield ""
    for order in orders[1:]:
        gains = [_mean(_of(lines, OURS, name))[0] - _mean(_of(lines, order, name))[0] for name in names]
        ahead, level = sum(gain > 0 for gain in gains), sum(gain >= -_NO_WORSE for gain in gains)
        yield f"- {OURS}: larger AUROC than {order} on {ahead} of {len(names)} (no worse: {level})."


def _of(lines: Sequence[Line], order: str, name: str | None = None) -> list[Line]:
    return [line for line in lines if line["order"] == order and name in {None, line["dataset"]}]


def _mean(lines: Sequence[Line]) -> tuple[float, float]:
    return float(np.mean([line["auroc"] for line in lines])), float(np.mean([line["precision"] for line in lines]))


def _cell(lines: Sequence[Line]) -> str:
    return "{:.3f} / {:.3f}".format(*_mean(lines))


if __name__ == "__main__":
    main()
