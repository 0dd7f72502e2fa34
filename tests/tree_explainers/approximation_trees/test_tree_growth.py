"""Growth from the top, against scikit-learn's trees on iris: the best node first, and the limits."""

import sys
import weakref
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from tree_explainers.approximation_trees.tree_growth import Examine, ExaminedNode, Split, TreeLimits, grow
from tree_explainers.approximation_trees.trees import ApproximationTree, facts_of
from tree_explainers.questions.conditions import Condition
from tree_explainers.rows import Rows

_FEATURES, _TARGET = load_iris(return_X_y=True)
FEATURES: NDArray[np.float64] = _FEATURES + np.random.default_rng(0).normal(0, 1e-4, _FEATURES.shape)  # no two alike
TARGET: NDArray[np.int64] = _TARGET
ROWS = Rows(("a", "b", "c", "d"), tuple(FEATURES.T.copy()))


@dataclass
class Cart:
    """Plain CART by Gini impurity, every split tried."""

    min_samples_leaf: int = 1
    n_examined: int = 0

    def examine(self, rows: NDArray[np.int64], n_levels: int) -> ExaminedNode[NDArray[np.int64], Condition]:
        self.n_examined += 1
        shares = np.bincount(TARGET[rows], minlength=3) / len(rows)
        facts = facts_of(shares, len(rows), is_classifier=True)
        tried = [] if n_levels == 0 else [each for column in range(4) for each in self.splits(rows, column)]
        if not tried or shares.max() == 1:
            return ExaminedNode(facts, None)
        gain, column, cut = max(tried, key=lambda each: each[0])
        below = FEATURES[rows, column] <= cut
        condition = Condition("abcd"[column], "abcd"[column], "<=", float(cut), or_missing=False)
        return ExaminedNode(facts, Split(condition, rows[below], rows[~below], gain * len(rows) / len(TARGET)))

    def splits(self, rows: NDArray[np.int64], column: int) -> list[tuple[float, int, float]]:
        values = np.sort(FEATURES[rows, column])
        cuts = (values[:-1] + values[1:]) / 2
        return [
            (gini(rows) - self.after(rows, FEATURES[rows, column] <= cut), column, cut)
            for cut in cuts[self.min_samples_leaf - 1 : len(cuts) - self.min_samples_leaf + 1]
        ]

    def after(self, rows: NDArray[np.int64], below: NDArray[np.bool_]) -> float:
        return float(sum(len(own) / len(rows) * gini(own) for own in (rows[below], rows[~below])))


def gini(rows: NDArray[np.int64]) -> float:
    shares = np.bincount(TARGET[rows], minlength=3) / len(rows)
    return float(1 - (shares**2).sum())


def grown(limits: TreeLimits) -> ApproximationTree:
    return ApproximationTree(grow(np.arange(len(TARGET)), Cart(limits.min_samples_leaf).examine, limits), {})


@pytest.mark.parametrize("max_leaves", [2, 3, 4, 5, 6, None])
@pytest.mark.parametrize("max_depth", [1, 3, 10])
def test_the_node_that_improves_most_is_split_first(max_leaves: int | None, max_depth: int) -> None:
    tree = grown(TreeLimits(max_depth, 3, max_leaves))
    theirs = DecisionTreeClassifier(
        max_depth=max_depth, max_leaf_nodes=max_leaves, min_samples_leaf=3, random_state=0
    ).fit(FEATURES, TARGET)

    assert tree.n_leaves == theirs.get_n_leaves()
    assert tree.depth == theirs.get_depth()
    np.testing.assert_allclose(tree.scores_of(ROWS), theirs.predict_proba(FEATURES))


def test_no_node_is_examined_in_vain_when_leaves_are_used_up() -> None:
    cart = Cart()

    nodes = grow(np.arange(len(TARGET)), cart.examine, TreeLimits(10, 1, 4))

    assert cart.n_examined == len(nodes) == 7


def test_progress_is_that_of_rows_towards_leaves() -> None:
    reported: list[float] = []

    def report(fraction: float, stage: str) -> None:  # as it is called
        reported.append(fraction)

    grow(np.arange(len(TARGET)), Cart().examine, TreeLimits(2), report)

    assert reported == pytest.approx([1 / 2 + 50 / 150 / 2, 1])  # one species is separated at once, the others below


def test_nodes_are_in_preorder() -> None:
    nodes = grow(np.arange(len(TARGET)), Cart().examine, TreeLimits(4))

    for at, node in enumerate(nodes):
        if not node.is_leaf:
            assert node.left == at + 1
            assert node.facts.n_samples == nodes[node.left].facts.n_samples + nodes[node.right].facts.n_samples
            assert node.right > node.left


@dataclass(eq=False)
class _Rows:
    """Rows of a node, of which it is known whether they are still held; numbers in ascending order."""

    numbers: range


def _one_after_the_other(alive: "weakref.WeakSet[_Rows]", seen: list[int]) -> Examine[_Rows, int]:
    """Split one row off each node: as unbalanced as a tree can be."""

    def examine(state: _Rows, n_levels: int) -> ExaminedNode[_Rows, int]:
        seen.append(len(alive))
        facts = facts_of(np.ones(1), len(state.numbers), is_classifier=True)
        if n_levels == 0 or len(state.numbers) == 1:
            return ExaminedNode(facts, None)
        sides = _Rows(state.numbers[:1]), _Rows(state.numbers[1:])
        alive.update(sides)
        return ExaminedNode(facts, Split(state.numbers[0], *sides, improvement=0.0))

    return examine


def test_rows_of_split_nodes_are_not_held_until_the_end() -> None:
    alive: weakref.WeakSet[_Rows] = weakref.WeakSet()
    seen: list[int] = []

    grow(_Rows(range(200)), _one_after_the_other(alive, seen), TreeLimits(500))

    assert len(seen) == 399
    assert max(seen) <= 4
    assert len(alive) == 0


def test_trees_may_be_deeper_than_calls_can_be_nested() -> None:
    n_rows = 2 * sys.getrecursionlimit()

    nodes = grow(_Rows(range(n_rows)), _one_after_the_other(weakref.WeakSet(), []), TreeLimits(n_rows))

    assert len(nodes) == 2 * n_rows - 1
    for at, node in enumerate(nodes[:-1]):
        assert (node.left, node.right) == ((-1, -1) if node.is_leaf else (at + 1, at + 2))
        assert node.condition == (None if node.is_leaf else at // 2)
