import numpy as np
import pytest

from tests.support import naive
from tests.support.real_leaves import KINDS, real_leaves
from tree_explainers.leaf_space.leaves import ProximityKind
from tree_explainers.leaf_space.subset_proximities import (
    column,
    leaf_totals,
    proximities_to,
    proximity_sums,
    sums_over_trees,
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", ["titanic", "covertype_20k"])
def test_a_column_is_that_of_the_dense_matrix(dataset: str, kind: ProximityKind) -> None:
    real = real_leaves(dataset, kind)
    proximity = naive.proximity_matrix(real.leaves, real.weights)

    assert (column(real.table, real.weights, 17) == proximity[17]).all()
    assert (proximities_to(real.table, real.weights, np.array([5, 2, 300]), 17) == proximity[17, [5, 2, 300]]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_proximities_are_summed_over_some_rows_without_pairs(kind: ProximityKind) -> None:
    real = real_leaves("spambase", kind)
    rows, candidates = np.arange(0, 400, 3), np.array([399, 0, 77])
    proximity = naive.proximity_matrix(real.leaves, real.weights)

    sums = proximity_sums(real.table, real.weights, rows, candidates)

    assert sums.tolist() == proximity[np.ix_(rows, candidates)].sum(axis=0).tolist()


def test_what_leaves_hold_is_added_up_over_trees() -> None:
    real = real_leaves("spambase", "random_forest")
    rows = np.array([3, 3, 100])

    totals = leaf_totals(real.table, rows, np.array([1, 10, 100]))

    first = real.table.offsets[:-1]
    assert totals.sum() == 111 * real.table.n_trees
    assert (totals[first + real.leaves[3]] % 100 == 11).all()
    assert sums_over_trees(real.table, totals, np.array([3]))[0] == totals[first + real.leaves[3]].sum()
