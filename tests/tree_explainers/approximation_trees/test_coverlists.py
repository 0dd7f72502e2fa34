"""Lists of covered rows are tests like any others: trees grow over them, whatever they mean."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.ism_training import IsmCase, ism_case
from tree_explainers.approximation_trees.coverlists import CoverLists, grow_over_tests
from tree_explainers.approximation_trees.information_gain import in_units
from tree_explainers.approximation_trees.ordered_tests import OrderedTests
from tree_explainers.approximation_trees.tree_growth import TreeLimits


def _covered(case: IsmCase) -> NDArray[np.bool_]:
    tests, rows = OrderedTests(case.training.binned), np.arange(len(case.rows))
    return np.array([tests.holds(test, rows) for test in range(tests.n_tests)])


def _conjunctions(case: IsmCase, n_tests: int) -> NDArray[np.bool_]:
    """Return tests that no threshold can express: that two statements about different features are true."""
    covered, rng = _covered(case), np.random.default_rng(0)
    return np.asarray(covered[rng.integers(0, len(covered), (n_tests, 2))].all(axis=1))


def test_lists_restore_the_rows_that_they_were_made_from() -> None:
    covered = _covered(ism_case("one_matrix"))
    rows = np.array([0, 3, 8, 500, covered.shape[1] - 1])

    lists = CoverLists.of(covered)

    assert all((lists.holds(test, rows) == covered[test, rows]).all() for test in range(lists.n_tests))


@pytest.mark.parametrize("limits", [TreeLimits(5, 3), TreeLimits(30, 1), TreeLimits(12, 2, max_leaves=9)])
@pytest.mark.parametrize("name", ["random_forest_multiclass", "xgboost_binary", "one_matrix"])
@pytest.mark.sampled("values")
def test_a_tree_over_lists_is_the_tree_over_thresholds(name: str, limits: TreeLimits) -> None:
    case = ism_case(name)
    training = case.training

    over_lists = grow_over_tests(CoverLists.of(_covered(case)), training.scores, case.predicted, limits)
    over_thresholds = grow_over_tests(OrderedTests(training.binned), training.scores, case.predicted, limits)
    tree = case.grow(limits, prune_safely=False)

    assert [node.test for node in over_lists] == [node.test for node in over_thresholds]
    assert sum(node.test is None for node in over_lists) == tree.n_leaves
    leaves = [sorted(node.facts.n_samples for node in each if node.left < 0) for each in (over_lists, tree.nodes)]
    assert leaves[0] == leaves[1]


def test_trees_grow_over_tests_that_have_no_order() -> None:
    case = ism_case("random_forest_binary")
    covered = _conjunctions(case, 300)
    training = case.training

    nodes = grow_over_tests(CoverLists.of(covered), training.scores, case.predicted, TreeLimits(4, 5))

    reached = np.zeros(len(case.rows), np.int64)
    for at, node in enumerate(nodes):
        here = reached == at  # parents come first
        assert here.sum() == node.facts.n_samples
        if node.test is not None:
            reached[here] = np.where(covered[node.test, here], node.left, node.right)
    predicted = np.array([node.facts.label for node in nodes])[reached]
    assert (predicted == case.predicted).mean() > 0.85
    best = CoverLists.of(covered).gains(np.arange(len(case.rows)), in_units(training.scores), 5).argmax()
    assert nodes[0].test == best


def test_without_any_test_the_tree_is_a_leaf() -> None:
    case = ism_case("random_forest_binary")
    training = case.training

    (leaf,) = grow_over_tests(
        CoverLists.of(np.empty((0, len(case.predicted)), np.bool_)), training.scores, case.predicted
    )

    assert leaf.test is None
    assert leaf.facts.n_samples == len(case.predicted)
    np.testing.assert_allclose(leaf.facts.scores, training.scores.mean(axis=0), atol=1e-9)
