"""Coarser leaves: how far prototypes reach, how near they are, how well they predict, and what an audit finds.

Ten data sets, at most 3,000 rows each by seed, 70 % of them to choose from, 30 % to measure on; missing cells stay, and
categories are indicators. Random forests and extremely randomised trees of 200 trees with scikit-learn's defaults, and
XGBoost with its own; two regressions as well. SM-A chooses 10 prototypes of the target's classes. For each
``min_leaf_rows``, and ``auto``, of the rows to measure on:

- ``trees``: share of trees that are left with more than one leaf.
- ``reached``: rows with at least the minimum proximity (1 %, from 2 trees) to a prototype.
- ``nearest``: median proximity to the nearest prototype.
- ``score``: balanced accuracy of the nearest prototype's label, R2 of its value (the mean for rows without any).
- ``fidelity``: the same against the model's own predictions.

``audit``: models fitted again to the rows to choose from, with 10 % of the labels flipped; area under the ROC curve of
the ranking by 10 neighbours, and its precision in the first 10 %. ``auto`` is the audit's own.

Means over seeds; then over the data sets, with the mean difference to ``min_leaf_rows`` 1 in points.

``python -m benchmarks.coarser_leaves [SEEDS_OF_FORESTS SEEDS_OF_OTHERS]``
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import roc_auc_score
from xgboost import XGBClassifier, XGBRegressor

from tests.support.models import onnx_of, rows_of_matrix
from tree_explainers.ensemble import Operator, TreeEnsemble
from tree_explainers.label_audits import audit_by_neighbors, share_unopposed
from tree_explainers.leaf_space.coarser_leaves import CoarserLeaves, coarser_leaves, steps_of_min_leaf_rows
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind
from tree_explainers.leaf_space.proximity import columns
from tree_explainers.leaf_space.votes import votes_of_all_rows
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.prototype_sets.classifier import UNASSIGNED
from tree_explainers.prototype_sets.row_coverage import near_rows
from tree_explainers.prototype_sets.selection import select_prototypes
from tree_explainers.prototype_sets.validation import score_labels, score_numbers

from .machine import describe_machine
from .ten_datasets import REGRESSIONS, TARGETS, divided, draw

N_PROTOTYPES, N_NEIGHBORS = 10, 10
STEPS = (1, 2, 3, 5, 10, 20)
SUFFICIENT, MOST_UNOPPOSED = 0.95, 0.1
MEASURES = ("trees", "reached", "nearest", "score", "fidelity")
AUDIT_MEASURES = ("unopposed", "auroc", "precision")


@dataclass(frozen=True, slots=True)
class Fitted:
    """An ensemble, with the leaves and predictions of the rows to choose from and of those to measure on."""

    estimator: Any  # scikit-learn's, or XGBoost's
    ensemble: TreeEnsemble
    kind: ProximityKind
    leaves: tuple[NDArray[np.int32], NDArray[np.int32]]
    predicted: tuple[NDArray[Any], NDArray[Any]]


Measured = dict[str, float]
Line = tuple[str, str, str, Measured]  # data set, model, min_leaf_rows, measures


def main() -> None:
    """Print the tables."""
    warnings.filterwarnings("ignore")
    n_forests, n_others = (int(argument) for argument in (sys.argv[1:] or ["3", "1"]))
    start = time.perf_counter()
    print(describe_machine())
    print(f"{n_forests} seeds of forests, {n_others} of the others and of audits\n")
    lines: list[Line] = []
    audits: list[Line] = []
    for name in [*TARGETS, *REGRESSIONS]:
        for model, n_seeds in (("forest", n_forests), ("extra trees", n_others), ("boosting", n_others)):
            for seed in range(n_seeds):
                lines += [(name, model, *each) for each in _prototypes(name, model, seed)]
                if name in TARGETS and seed < n_others:
                    audits += [(name, model, *each) for each in _audits(name, model, seed)]
        print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    _print_table("Prototypes", lines, MEASURES, [*TARGETS, *REGRESSIONS])
    _print_summary("Prototypes, classification", [line for line in lines if line[0] in TARGETS], MEASURES)
    _print_summary("Prototypes, regression", [line for line in lines if line[0] in REGRESSIONS], MEASURES)
    _print_summary("Audit", audits, AUDIT_MEASURES)


# Data and models.


def fit_model(model: str, features: tuple[NDArray[np.float32], NDArray[np.float32]], target: NDArray[Any]) -> Fitted:
    """Fit to the first part of the features."""
    is_regression = target.dtype.kind == "f"
    estimator = MAKERS[model][is_regression]().fit(features[0], target)
    predicted = (estimator.predict(features[0]), estimator.predict(features[1]))
    if model != "boosting":
        ensemble = _ensemble_of([each.tree_ for each in estimator.estimators_])
        nodes = [estimator.apply(part) + ensemble.offsets[:-1] for part in features]
        places = [np.searchsorted(ensemble.leaf_nodes, part) - ensemble.leaf_offsets[:-1] for part in nodes]
        return Fitted(
            estimator, ensemble, "random_forest", (places[0].astype(np.int32), places[1].astype(np.int32)), predicted
        )
    names = rows_of_matrix(features[0]).names
    read = read_model(onnx_of(estimator, features[0]), DeclaredModel(feature_names=names), ModelLimits())
    session = ModelSession(read.leaf_graph, read.description)
    first, second = (session.run_in_chunks(rows_of_matrix(part)).leaves for part in features)
    return Fitted(estimator, read.ensemble, "boosting", (first, second), predicted)


MAKERS: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "forest": (
        lambda: RandomForestClassifier(200, oob_score=True, random_state=0, n_jobs=2),
        lambda: RandomForestRegressor(200, random_state=0, n_jobs=2),
    ),
    "extra trees": (
        lambda: ExtraTreesClassifier(200, random_state=0, n_jobs=2),
        lambda: ExtraTreesRegressor(200, random_state=0, n_jobs=2),
    ),
    "boosting": (lambda: XGBClassifier(random_state=0, n_jobs=2), lambda: XGBRegressor(random_state=0, n_jobs=2)),
}


def _ensemble_of(trees: list[Any]) -> TreeEnsemble:
    """Return scikit-learn's trees as nodes of one ensemble."""
    sizes = [tree.node_count for tree in trees]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    is_leaf = np.concatenate([tree.children_left < 0 for tree in trees])
    own, first = np.arange(offsets[-1]), np.repeat(offsets[:-1], sizes)
    left, right = (np.concatenate([getattr(tree, f"children_{side}") for tree in trees]) for side in ("left", "right"))
    values = np.concatenate([tree.value.reshape(tree.node_count, -1) for tree in trees])
    return TreeEnsemble(
        offsets=offsets,
        column=np.where(is_leaf, 0, np.concatenate([tree.feature for tree in trees])).astype(np.int32),
        operator=np.where(is_leaf, Operator.LEAF, Operator.LEQ).astype(np.uint8),
        threshold=np.where(is_leaf, 0.0, np.concatenate([tree.threshold for tree in trees])),
        missing_left=np.concatenate([tree.missing_go_to_left for tree in trees]).astype(np.bool_),
        left=np.where(is_leaf, own, left + first).astype(np.int32),
        right=np.where(is_leaf, own, right + first).astype(np.int32),
        leaf_nodes=np.flatnonzero(is_leaf).astype(np.int32),
        leaf_offsets=np.concatenate([[0], np.cumsum(is_leaf)])[offsets].astype(np.int32),
        leaf_values=values[is_leaf],
    )


# Prototypes.


def _prototypes(name: str, model: str, seed: int) -> Iterator[tuple[str, Measured]]:
    """Yield the measures at each step, and at the one that ``auto`` takes."""
    division = divided(name, seed)
    fitted = fit_model(model, (division.train.features, division.test.features), division.train.target)
    uncut = LeafTable.from_leaves(fitted.leaves[0], fitted.ensemble.n_leaves)
    best: tuple[float, Measured] | None = None
    for step in steps_of_min_leaf_rows(len(division.train.target)):
        is_found = best is not None and best[0] >= SUFFICIENT
        if is_found and step > STEPS[-1]:
            break
        leaves = coarser_leaves(fitted.ensemble, uncut, step)
        if step > 1 and leaves.n_leaves.max() == 1:
            break
        coverage, measured = _measure(fitted, leaves, uncut, division.train.target, division.test.target)
        if step in STEPS:
            yield str(step), measured
        if not is_found and (best is None or coverage > best[0]):
            best = coverage, measured | {"step": float(step)}
    assert best is not None
    yield "auto", best[1]


def _measure(
    fitted: Fitted, leaves: CoarserLeaves, uncut: LeafTable, target: NDArray[Any], test_target: NDArray[Any]
) -> tuple[float, Measured]:
    """Return the coverage of the rows that prototypes are chosen from, and the measures of the others."""
    table, weights = leaves.table(uncut), leaves.weights(fitted.kind, uncut, fitted.ensemble.leaf_values)
    is_regression = target.dtype.kind == "f"
    classes = np.zeros(len(target), np.int64) if is_regression else target
    chosen = select_prototypes(table, classes, weights, "sm_a", n_prototypes=N_PROTOTYPES).rows
    own = table.leaves_of(chosen)
    others = LeafTable.from_leaves(leaves.of(fitted.leaves[1]), leaves.n_leaves)
    near = columns(others, weights, own)
    nearest, is_assigned = near.argmax(axis=0), near.max(axis=0) > 0
    if is_regression:
        given = np.where(is_assigned, fitted.predicted[0][chosen][nearest], np.nan)
        scores = [score_numbers(given, truth).value for truth in (test_target, fitted.predicted[1].astype(np.float64))]
    else:
        labels = np.where(is_assigned, target[chosen][nearest], UNASSIGNED)
        fidelity = float((labels == fitted.predicted[1]).mean())
        scores = [score_labels(labels, test_target).value, fidelity]
    measured = {
        "trees": float((weights > 0).mean()),
        "reached": float(near_rows(others, weights, own).mean()),
        "nearest": float(np.median(near.max(axis=0) / weights.sum())),
        "score": scores[0],
        "fidelity": scores[1],
    }
    return float(near_rows(table, weights, own).mean()), measured


# Audits.


def _audits(name: str, model: str, seed: int) -> Iterator[tuple[str, Measured]]:
    """Yield how well an audit finds flipped labels, at each step and at the one that ``auto`` takes."""
    drawn = draw(name, seed)
    features, target = drawn.features, drawn.target
    rng = np.random.default_rng(seed)
    is_flipped = np.zeros(len(target), np.bool_)
    is_flipped[rng.choice(len(target), len(target) // 10, replace=False)] = True
    n_classes = int(target.max()) + 1
    given = np.where(is_flipped, (target + rng.integers(1, n_classes, len(target))) % n_classes, target)
    fitted = fit_model(model, (features, features[:1]), given)
    uncut = LeafTable.from_leaves(fitted.leaves[0], fitted.ensemble.n_leaves)
    tried: list[Measured] = []
    for step in STEPS:
        leaves = coarser_leaves(fitted.ensemble, uncut, step)
        if step > 1 and leaves.n_leaves.max() == 1:
            break
        table, weights = leaves.table(uncut), leaves.weights(fitted.kind, uncut, fitted.ensemble.leaf_values)
        ranking = audit_by_neighbors(table, weights, given, N_NEIGHBORS).ranking
        suspicion = np.empty(len(given))
        suspicion[ranking] = -np.arange(len(given))
        measured = {
            "unopposed": share_unopposed(votes_of_all_rows(table, weights, given)),
            "auroc": float(roc_auc_score(is_flipped, suspicion)),
            "precision": float(is_flipped[ranking[: len(given) // 10]].mean()),
        }
        tried.append(measured | {"step": float(step)})
        yield str(step), measured
    content = next((each for each in tried if each["unopposed"] <= MOST_UNOPPOSED), None)
    yield "auto", content or min(tried, key=lambda each: each["unopposed"])


# Tables.


def _print_table(title: str, lines: list[Line], measures: tuple[str, ...], names: list[str]) -> None:
    print(f"{title}\n{'':20}{'':13}{'min_leaf_rows':>14}" + "".join(f"{measure:>10}" for measure in measures))
    for name in names:
        for model in MAKERS:
            for step in [*map(str, STEPS), "auto"]:
                found = [line[3] for line in lines if line[:3] == (name, model, step)]
                if found:
                    shown = f"auto ({np.mean([each['step'] for each in found]):.3g})" if step == "auto" else step
                    print(f"{name:20}{model:13}{shown:>14}" + _means(found, measures))
    print()


def _print_summary(title: str, lines: list[Line], measures: tuple[str, ...]) -> None:
    print(f"{title}: mean over data sets, and difference to min_leaf_rows 1 in points")
    print(f"{'':13}{'min_leaf_rows':>14}" + "".join(f"{measure:>10}{'':>8}" for measure in measures))
    for model in MAKERS:
        for step in [*map(str, STEPS), "auto"]:
            names = sorted({line[0] for line in lines if line[1:3] == (model, step)})  # some have no tree left
            cells = ""
            for measure in measures:
                value, base = (_mean_of_means(lines, names, model, each, measure) for each in (step, "1"))
                cells += f"{value:10.3f}{100 * (value - base):+8.1f}"
            print(f"{model:13}{step:>14}{cells}")
    print()


def _mean_of_means(lines: list[Line], names: list[str], model: str, step: str, measure: str) -> float:
    by_name = [np.mean([line[3][measure] for line in lines if line[:3] == (name, model, step)]) for name in names]
    return float(np.mean(by_name))


def _means(found: list[Measured], measures: tuple[str, ...]) -> str:
    return "".join(f"{np.mean([each[measure] for each in found]):10.3f}" for measure in measures)


if __name__ == "__main__":
    main()
