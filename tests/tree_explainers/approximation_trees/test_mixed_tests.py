"""Statements that stand alone are kept as lists of rows: no gain, no tie and no tree changes by that."""

import numpy as np
import pytest

from tests.support.implied_columns import implied_case
from tests.support.ism_training import ism_case
from tree_explainers.approximation_trees.coverlists import grow_over_tests
from tree_explainers.approximation_trees.information_gain import GAIN, GAIN_RATIO, VARIANCE, in_units
from tree_explainers.approximation_trees.mixed_tests import MixedTests, statement_tests
from tree_explainers.approximation_trees.ordered_tests import OrderedTests
from tree_explainers.approximation_trees.partitioned_tests import PartitionedTests
from tree_explainers.approximation_trees.tree_growth import TreeLimits
from tree_explainers.compute.partitions import LocalPartitions


@pytest.mark.parametrize("name", ["implied", "missing_kept", "dropped_indicators", "lightgbm_multiclass"])
def test_gains_and_trees_are_those_of_ordered_tests(name: str) -> None:
    case = implied_case() if name == "implied" else ism_case(name)
    training, statements = case.training, case.statements
    units, rng = in_units(training.scores), np.random.default_rng(0)
    ordered = OrderedTests(training.binned)
    alone = np.array([feature.n_statements == 1 for feature in statements.features])

    for is_listed in (alone, alone & (np.arange(len(alone)) % 2 == 0), np.zeros_like(alone)):
        mixed = MixedTests.of(training.binned, is_listed)
        assert mixed.n_tests == ordered.n_tests
        for n_rows in (len(case.rows), 60, 7):
            rows = np.sort(rng.permutation(len(case.rows))[:n_rows])
            np.testing.assert_array_equal(mixed.gains(rows, units, 2), ordered.gains(rows, units, 2))
            assert mixed.best(rows, units, 2) == ordered.best(rows, units, 2)
            for test in range(0, mixed.n_tests, 1 + mixed.n_tests // 40):
                np.testing.assert_array_equal(mixed.holds(test, rows), ordered.holds(test, rows))
        trees = [
            grow_over_tests(tests, training.scores, case.predicted, TreeLimits(8, 2)) for tests in (mixed, ordered)
        ]
        assert [node.test for node in trees[0]] == [node.test for node in trees[1]]


@pytest.mark.parametrize("n_partitions", [1, 2, 5])
def test_gains_counted_in_partitions_are_those_of_ordered_tests(n_partitions: int) -> None:
    training = ism_case("missing_kept").training
    n_rows, rng = training.binned.n_rows, np.random.default_rng(0)
    units = in_units(training.scores)
    for criterion in (GAIN, GAIN_RATIO, VARIANCE):
        ordered = OrderedTests(training.binned, criterion=criterion)
        parted = PartitionedTests.of(
            training.binned, units, criterion, spread=LocalPartitions, most_rows=-(-n_rows // n_partitions)
        )
        for n_own in (n_rows, n_rows - 5, 7):
            rows = np.sort(rng.permutation(n_rows)[:n_own])
            np.testing.assert_array_equal(parted.gains(rows, units, 2), ordered.gains(rows, units, 2))
            assert parted.best(rows, units, 2) == ordered.best(rows, units, 2)


def test_lists_are_taken_where_many_features_have_one_statement() -> None:
    assert isinstance(statement_tests(implied_case().training.binned), MixedTests)
    assert isinstance(statement_tests(ism_case("lightgbm_multiclass").training.binned), OrderedTests)
