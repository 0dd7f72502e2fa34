"""The experiment: flip labels, inspect rows in some order, mend what was flipped, train again."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from benchmarks.paper_tables.tan_data import tan_split
from benchmarks.paper_tables.tree_spaces import leaves_within_trees
from tests.support.shared import shared_path
from tree_explainers.label_audits import audit_by_all_rows, audit_by_neighbors
from tree_explainers.leaf_space.leaves import LeafTable
from tree_explainers.leaf_space.proximity import columns

SHARES = (0.05, 0.10, 0.15, 0.20, 0.25, 0.30)
DEFAULT, VOTE = "audit, all rows and scores", "audit, all rows"
PAPER, MORE = "audit, 10 neighbours", "audit, 50 neighbours"
LOSS, OUT_OF_BAG_LOSS = "loss", "loss, out of bag"
FIRST, CHANCE = "flipped ones first", "chance"
MAIN = (FIRST, DEFAULT, VOTE, MORE, PAPER, LOSS, OUT_OF_BAG_LOSS, CHANCE)  # after these a forest is trained again
_BOTH_OUT_OF_BAG, _ROW_OUT_OF_BAG = f"{PAPER}, both rows out of bag", f"{PAPER}, the row itself out of bag"
_OTHER_FORESTS: dict[str, dict[str, int]] = {
    "100 trees": {"n_estimators": 100},
    "leaves of 5 rows or more": {"min_samples_leaf": 5},
    "leaves of 20 rows or more": {"min_samples_leaf": 20},
}


MakeOrder = Callable[[], NDArray[np.int64]]  # rows, those to inspect first in front


@dataclass(frozen=True, slots=True)
class Task:
    """Training rows with wrong labels among them, and clean test rows."""

    features: NDArray[np.float32]
    given: NDArray[np.int64]  # 0 or 1, as trained on
    is_flipped: NDArray[np.bool_]
    test_features: NDArray[np.float32]
    test_classes: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Setting:
    """How large an experiment is."""

    name: str  # under which repetitions are kept
    title: str
    n_repetitions: int
    n_audited_trees: int
    n_retrained_trees: int
    is_whole: bool  # all 11,791 digits and the official test digits; otherwise the paper's 3,000 and 1,000
    has_variants: bool  # of forests and neighbours, in place of the main orders; no forest is trained again


SETTINGS = (
    Setting("3000", "3,000 training rows, as in the paper", 20, 1000, 300, is_whole=False, has_variants=False),
    Setting("variants", "3,000 training rows, other forests", 5, 1000, 0, is_whole=False, has_variants=True),
    Setting("11791", "All 11,791 training rows", 5, 300, 100, is_whole=True, has_variants=False),
)


@dataclass(frozen=True, slots=True)
class Repetition:
    """What came of one division and one choice of flipped labels, by order: figures by share inspected (0 first)."""

    seed: int
    found: dict[str, list[float]]  # shares of the flipped labels
    accuracy: dict[str, list[float]]  # on clean test rows, of the main orders


def names_of(setting: Setting) -> tuple[str, ...]:
    """Return the names of a setting's orders."""
    if not setting.has_variants:
        return MAIN
    of_others = [f"{order}, {name}" for name in _OTHER_FORESTS for order in (LOSS, DEFAULT, VOTE, PAPER, MORE)]
    return (_BOTH_OUT_OF_BAG, _ROW_OUT_OF_BAG, *of_others)


def repeat(setting: Setting, seed: int, known: Collection[str] = frozenset()) -> Repetition:
    """Inspect once in each order that is not known."""
    task = _whole(seed) if setting.is_whole else _sampled(seed)
    result = Repetition(seed, {}, {})
    unmended = 0.0 if setting.has_variants else _accuracy(task, task.given, setting, seed)
    makers = variants(task, setting, seed) if setting.has_variants else orders(task, setting, seed)
    for name in [name for name in makers if name not in known]:
        order = makers[name]()
        inspected = [order[: round(share * len(order))] for share in SHARES]
        found = [float(task.is_flipped[rows].sum() / task.is_flipped.sum()) for rows in inspected]
        result.found[name] = [0.0, *found]
        if not setting.has_variants:
            mended = [_accuracy(task, _mended(task, rows), setting, seed) for rows in inspected]
            result.accuracy[name] = [unmended, *mended]
    return result


def orders(task: Task, setting: Setting, seed: int) -> Mapping[str, MakeOrder]:
    """Return by name what makes the main orders in which the training rows can be inspected."""
    forest = _audited_forest(task, setting, seed, oob_score=True)
    leaves, n_leaves, _ = leaves_within_trees(forest.estimators_, forest.apply(task.features))
    table, weights = LeafTable.from_leaves(leaves, n_leaves), np.ones(len(n_leaves), dtype=np.int64)
    probabilities, given = forest.predict_proba(task.features), task.given
    scores = probabilities[np.arange(len(given)), given]
    return {
        FIRST: lambda: np.argsort(~task.is_flipped, kind="stable"),
        CHANCE: lambda: np.random.default_rng(seed).permutation(len(given)),
        LOSS: lambda: _by_loss(probabilities, task),
        OUT_OF_BAG_LOSS: lambda: _by_loss(forest.oob_decision_function_, task),
        DEFAULT: lambda: audit_by_all_rows(table, weights, given, scores=scores).ranking,
        VOTE: lambda: audit_by_all_rows(table, weights, given).ranking,
        PAPER: lambda: audit_by_neighbors(table, weights, given, 10).ranking,
        MORE: lambda: audit_by_neighbors(table, weights, given, 50).ranking,
    }


def variants(task: Task, setting: Setting, seed: int) -> Mapping[str, MakeOrder]:
    """Return what makes orders by out-of-bag rows of the same forest, and by other forests."""
    forest = _audited_forest(task, setting, seed)
    leaves, n_leaves, _ = leaves_within_trees(forest.estimators_, forest.apply(task.features))
    in_bag = _in_bag(forest, len(task.given))
    apart, weights = _in_leaves_of_their_own(leaves, n_leaves, in_bag), np.ones(len(n_leaves), dtype=np.int64)
    of_same_forest: dict[str, MakeOrder] = {
        _BOTH_OUT_OF_BAG: lambda: audit_by_neighbors(apart, weights, task.given, 10).ranking,
        _ROW_OUT_OF_BAG: lambda: _by_neighbours_out_of_bag(leaves, n_leaves, in_bag, task.given, 10),
    }
    return of_same_forest | {
        name: make
        for forest_name, limits in _OTHER_FORESTS.items()
        for name, make in _by_another_forest(task, setting, seed, forest_name, limits)
    }


def _audited_forest(task: Task, setting: Setting, seed: int, **limits: int) -> RandomForestClassifier:
    usual = {"n_estimators": setting.n_audited_trees, "random_state": seed, "n_jobs": os.cpu_count()}
    return RandomForestClassifier(**(usual | limits)).fit(task.features, task.given)


def _by_another_forest(
    task: Task, setting: Setting, seed: int, name: str, limits: dict[str, int]
) -> Iterator[tuple[str, MakeOrder]]:
    forest = _audited_forest(task, setting, seed, **limits)
    leaves, n_leaves, _ = leaves_within_trees(forest.estimators_, forest.apply(task.features))
    table, weights = LeafTable.from_leaves(leaves, n_leaves), np.ones(len(n_leaves), dtype=np.int64)
    probabilities, given = forest.predict_proba(task.features), task.given
    scores = probabilities[np.arange(len(given)), given]
    yield f"{LOSS}, {name}", lambda: _by_loss(probabilities, task)
    yield f"{DEFAULT}, {name}", lambda: audit_by_all_rows(table, weights, given, scores=scores).ranking
    yield f"{VOTE}, {name}", lambda: audit_by_all_rows(table, weights, given).ranking
    yield f"{PAPER}, {name}", lambda: audit_by_neighbors(table, weights, given, 10).ranking
    yield f"{MORE}, {name}", lambda: audit_by_neighbors(table, weights, given, 50).ranking


def _by_loss(probabilities: NDArray[np.float64], task: Task) -> NDArray[np.int64]:
    # Log loss grows as the probability of the given label falls.
    return np.argsort(probabilities[np.arange(len(task.given)), task.given], kind="stable")


def _in_bag(forest: RandomForestClassifier, n_rows: int) -> NDArray[np.bool_]:
    in_bag = np.zeros((n_rows, len(forest.estimators_)), dtype=np.bool_)
    for tree, rows in enumerate(forest.estimators_samples_):
        in_bag[rows, tree] = True
    return in_bag


def _in_leaves_of_their_own(
    leaves: NDArray[np.int32], n_leaves: NDArray[np.int64], in_bag: NDArray[np.bool_]
) -> LeafTable:
    """Rows that a tree was grown on meet nobody in it, so that only pairs of out-of-bag rows count."""
    apart = np.where(in_bag, n_leaves + np.cumsum(in_bag, axis=0) - 1, leaves)
    return LeafTable.from_leaves(apart.astype(np.int32), n_leaves + in_bag.sum(axis=0))


def _by_neighbours_out_of_bag(
    leaves: NDArray[np.int32],
    n_leaves: NDArray[np.int64],
    in_bag: NDArray[np.bool_],
    given: NDArray[np.int64],
    n_neighbors: int,
) -> NDArray[np.int64]:
    """Only trees that were not grown on the row itself say who its neighbours are; the audit's rule otherwise."""
    table = LeafTable.from_leaves(leaves, n_leaves + 1)  # one more leaf in each tree, which nobody is in
    compared, weights = np.where(in_bag, n_leaves, leaves).astype(np.int32), np.ones(len(n_leaves), dtype=np.int64)
    agreement, disagreeing = np.empty(len(given)), np.empty(len(given))
    for start in range(0, len(given), 500):
        rows = np.arange(start, min(start + 500, len(given)))
        shared = columns(table, weights, compared[rows]).astype(np.int64)
        shared[np.arange(len(rows)), rows] = -1
        nearest = np.argsort(-shared, axis=1, kind="stable")[:, :n_neighbors]
        differs = given[nearest] != given[rows, None]
        agreement[rows] = 1 - differs.mean(axis=1)
        disagreeing[rows] = (np.take_along_axis(shared, nearest, axis=1) * differs).sum(axis=1)
    return np.lexsort((-disagreeing, agreement))


def _mended(task: Task, inspected: NDArray[np.int64]) -> NDArray[np.int64]:
    labels = task.given.copy()
    wrong = inspected[task.is_flipped[inspected]]
    labels[wrong] = 1 - labels[wrong]
    return labels


def _accuracy(task: Task, labels: NDArray[np.int64], setting: Setting, seed: int) -> float:
    forest = RandomForestClassifier(setting.n_retrained_trees, random_state=seed, n_jobs=os.cpu_count()).fit(
        task.features, labels
    )
    return float(forest.score(task.test_features, task.test_classes))


def _sampled(seed: int) -> Task:
    split = tan_split("mnist_4v9", seed)
    return _with_flips(split.train.features, split.train.classes, split.test.features, split.test.classes, seed=seed)


def _whole(seed: int) -> Task:
    parts: list[NDArray[Any]] = []
    with np.load(shared_path("data/mnist.npz"), allow_pickle=False) as arrays:
        for name in ("train", "test"):
            digits = arrays[f"y_{name}"]
            rows = np.flatnonzero((digits == 4) | (digits == 9))
            parts.append(arrays[f"X_{name}"][rows].reshape(len(rows), -1).astype(np.float32))
            parts.append((digits[rows] == 9).astype(np.int64))
    return _with_flips(*parts, seed=seed)


def _with_flips(
    features: NDArray[np.float32],
    classes: NDArray[np.int64],
    test_features: NDArray[np.float32],
    test_classes: NDArray[np.int64],
    *,
    seed: int,
) -> Task:
    is_flipped = np.zeros(len(classes), dtype=np.bool_)
    is_flipped[np.random.default_rng(seed).choice(len(classes), len(classes) // 3, replace=False)] = True
    return Task(features, np.where(is_flipped, 1 - classes, classes), is_flipped, test_features, test_classes)
