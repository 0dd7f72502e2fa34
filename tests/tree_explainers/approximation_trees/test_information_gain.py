"""Gains of tests are those of the paper's equations, computed leaf by leaf, in any order of the rows."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive_ism
from tests.support.ism_training import IsmCase, ism_case
from tree_explainers.approximation_trees.coverlists import CoverLists
from tree_explainers.approximation_trees.information_gain import (
    GAIN,
    GAIN_RATIO,
    VARIANCE,
    in_centred_units,
    in_units,
)
from tree_explainers.approximation_trees.ordered_tests import (
    NodeRows,
    NodeSums,
    OrderedTests,
    best_in_small_node,
    next_cuts,
)
from tree_explainers.questions.binned_rows import Layout

FORESTS = ("random_forest_binary", "random_forest_multiclass", "extra_trees_multiclass", "bagging_binary")
MIXED = ("scaled_and_one_hot", "one_matrix", "missing_kept", "ordinal_categories", "lightgbm_multiclass")


def _leaf_shares(case: IsmCase) -> NDArray[np.float64]:
    """Return the shares of classes in each leaf of a forest."""
    values = case.read.ensemble.leaf_values
    if values.shape[1] == 1:
        largest = values.max()  # a leaf of one class
        return np.hstack((1 - values / largest, values / largest))
    return np.asarray(values / values.sum(axis=1, keepdims=True))


def _trees(case: IsmCase) -> list[naive_ism.NaiveTree]:
    leaves = case.session.run_in_chunks(case.rows).leaves
    return naive_ism.naive_trees(leaves, case.read.ensemble, _leaf_shares(case))


def _coverlists(case: IsmCase) -> NDArray[np.bool_]:
    """Return for which rows each statement is true, evaluated for single bins."""
    tests, rows = OrderedTests(case.training.binned), np.arange(len(case.rows))
    return np.array([tests.holds(test, rows) for test in range(tests.n_tests)])


def _nodes(case: IsmCase, n_nodes: int = 4) -> list[NDArray[np.int64]]:
    """Return the rows of some nodes: all, and those for which one or two statements are true."""
    covered, rng = _coverlists(case), np.random.default_rng(0)
    found = [np.arange(len(case.rows))]
    while len(found) < n_nodes:
        tests = rng.integers(0, len(covered), size=1 + len(found) % 2)
        rows = np.flatnonzero(covered[tests].all(axis=0))
        found += [rows] if len(rows) > 20 else []
    return found


@pytest.mark.parametrize("name", FORESTS)
def test_the_mean_of_predictions_is_equation_4_leaf_by_leaf(name: str) -> None:
    case = ism_case(name)
    trees = _trees(case)

    for rows in _nodes(case):
        given = np.isin(np.arange(len(case.rows)), rows)
        mean = case.training.scores[rows].mean(axis=0)
        np.testing.assert_allclose(mean, naive_ism.class_shares(trees, given), atol=1e-6)


@pytest.mark.parametrize("name", FORESTS)
@pytest.mark.sampled("thirds")
def test_gains_are_those_of_equations_2_to_4(name: str) -> None:
    case = ism_case(name)
    trees, covered = _trees(case), _coverlists(case)
    units = in_units(case.training.scores)

    for rows in _nodes(case):
        given = np.isin(np.arange(len(case.rows)), rows)
        gains = OrderedTests(case.training.binned).gains(rows, units, 1)
        for test in range(0, len(covered), 1 + len(covered) // 20):
            assert gains[test] == pytest.approx(naive_ism.gain(trees, covered[test], given), abs=2e-6)


@pytest.mark.parametrize("least", [1, 7])
@pytest.mark.parametrize("name", FORESTS + MIXED)
def test_gains_of_tests_without_an_order_equal_those_of_running_sums(name: str, least: int) -> None:
    case = ism_case(name)
    units = in_units(case.training.scores)
    ordered, lists = OrderedTests(case.training.binned), CoverLists.of(_coverlists(case))

    for rows in _nodes(case):
        gains = ordered.gains(rows, units, least)
        np.testing.assert_array_equal(gains, lists.gains(rows, units, least))
        assert gains.max() > 0


@pytest.mark.parametrize("criterion", [GAIN_RATIO, VARIANCE])
@pytest.mark.parametrize("name", ["missing_kept", "random_forest_multiclass"])
def test_ratios_and_decreases_of_variance_are_those_of_their_definitions(name: str, criterion: int) -> None:
    case = ism_case(name)
    covered, scores = _coverlists(case), case.training.scores
    values = scores[:, :1] if criterion == VARIANCE else scores
    units = in_centred_units(values) if criterion == VARIANCE else in_units(values)
    scale = np.abs(values - values.mean()).max() ** 2
    ordered, lists = OrderedTests(case.training.binned, criterion=criterion), CoverLists.of(covered, criterion)

    for rows in _nodes(case):
        gains = ordered.gains(rows, units, 3)
        np.testing.assert_array_equal(gains, lists.gains(rows, units, 3))
        assert ordered.best(rows, units, 3) == (int(gains.argmax()), gains.max())
        for test in np.flatnonzero(gains)[:: 1 + len(covered) // 20]:
            given = covered[test, rows]
            if criterion == VARIANCE:
                assert gains[test] * scale == pytest.approx(
                    naive_ism.variance_decrease(values[rows, 0], given), abs=1e-9
                )
            else:
                assert gains[test] == pytest.approx(naive_ism.gain_ratio(scores[rows], given), abs=1e-6)


@pytest.mark.parametrize("name", ["one_matrix", "random_forest_multiclass"])
def test_a_test_that_separates_too_few_rows_has_no_gain(name: str) -> None:
    case = ism_case(name)
    units, covered = in_units(case.training.scores), _coverlists(case)
    rows = _nodes(case)[1]

    gains = OrderedTests(case.training.binned).gains(rows, units, 12)

    n_true = covered[:, rows].sum(axis=1)
    parts_too_few = np.minimum(n_true, len(rows) - n_true) < 12
    assert (gains[parts_too_few] == 0).all()
    assert (gains[~parts_too_few] > 0).any()
    assert ((n_true == 0) | (n_true == len(rows))).any()  # decided already


def test_one_thread_and_several_find_the_same() -> None:
    case = ism_case("ordinal_categories")
    binned = case.training.binned.take(np.resize(np.arange(len(case.rows)), 20_000))
    units = in_units(np.resize(case.training.scores, (20_000, 2)))
    rows = np.arange(20_000)

    alone, together = (OrderedTests(binned, n_threads).gains(rows, units, 5) for n_threads in (1, 3))

    np.testing.assert_array_equal(alone, together)


@pytest.mark.parametrize("least", [1, 2])
@pytest.mark.parametrize("name", FORESTS + MIXED)
def test_the_best_test_of_a_small_node_is_the_first_of_the_highest_gain(name: str, least: int) -> None:
    case = ism_case(name)
    units, tests = in_units(case.training.scores), OrderedTests(case.training.binned)
    lists, layout = CoverLists.of(_coverlists(case)), Layout.of(case.statements)
    rng, n_distinct = np.random.default_rng(0), 0

    for n_rows in (2, 3, 5, 9, 20) * 6:
        rows = np.sort(rng.choice(len(case.rows), n_rows, replace=False))
        own = units[rows]
        node = NodeRows(rows, own, NodeSums.of(len(rows), own.sum(axis=0), least, GAIN))
        few = best_in_small_node(layout, next_cuts(layout), case.training.binned.bins, node)
        assert few == lists.best(rows, units, least) == tests.best(rows, units, least)
        n_distinct += few[1] > 0

    assert n_distinct > 10
