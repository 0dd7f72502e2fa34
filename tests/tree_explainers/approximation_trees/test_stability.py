"""Different trees are counted down to each depth, as comparing each with each counts them."""

import numpy as np
import pytest

from tests.support.trees_of_conditions import grown, tree_of_conditions
from tree_explainers.approximation_trees.fidelity import count_structures
from tree_explainers.approximation_trees.trees import NO_CHILD, ApproximationTree


def _questions(tree: ApproximationTree, depth: int) -> list[tuple[str, str]]:
    """Return each way of at most so many turns from the root, and what is asked at its end."""
    found, waiting = [], [("", 0)]
    while waiting:
        way, at = waiting.pop()
        node = tree.nodes[at]
        if node.condition is not None and len(way) < depth:
            found.append((way, repr(node.condition)))
            waiting += [(way + "L", node.left), (way + "R", node.right)]
    return sorted(found)


def _naive_counts(trees: list[ApproximationTree]) -> list[int]:
    deepest = max(max(len(way) + 1 for way, _ in _questions(tree, 99)) for tree in trees)
    counts = []
    for depth in range(1, deepest + 1):
        different: list[list[tuple[str, str]]] = []
        for tree in trees:
            if _questions(tree, depth) not in different:
                different.append(_questions(tree, depth))
        counts.append(len(different))
    return counts


@pytest.fixture(scope="module")
def trees() -> list[ApproximationTree]:
    """Return trees for one model, for each of which a few rows were told otherwise."""
    made, rng = grown("random_forest_multiclass"), np.random.default_rng(1)
    found = []
    for n_changed in range(0, 60, 5):
        labels = made.tree.labels_of(made.rows)
        labels[rng.integers(len(labels), size=n_changed)] = 0
        found.append(tree_of_conditions(made.rows, labels, made.description, 5))
    return found


def test_trees_are_counted_as_comparing_each_with_each_does(trees: list[ApproximationTree]) -> None:
    counts = count_structures(trees).tolist()

    assert counts == _naive_counts(trees)
    assert counts == sorted(counts)
    assert 1 <= counts[0] < counts[2] < counts[-1] == len(trees)


def test_a_tree_grown_again_and_again_is_one(trees: list[ApproximationTree]) -> None:
    assert count_structures([trees[0]] * 5).tolist() == [1] * trees[0].depth


def test_a_leaf_alone_differs_from_a_tree(trees: list[ApproximationTree]) -> None:
    leaf = ApproximationTree((next(node for node in trees[0].nodes if node.left == NO_CHILD),), {})

    assert count_structures([leaf, leaf]).tolist() == [1]
    assert count_structures([leaf, trees[0], leaf]).tolist() == [2] * trees[0].depth
