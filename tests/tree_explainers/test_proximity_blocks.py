import numpy as np
import pytest

from tests.support import naive
from tests.support.real_leaves import KINDS, real_leaves
from tree_explainers.errors import InvalidInput
from tree_explainers.leaf_space.leaves import ProximityKind
from tree_explainers.leaf_space.proximity import proximity_block


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", ["pima_diabetes", "covertype_20k", "california_housing"])
def test_blocks_are_cut_from_the_dense_matrix(dataset: str, kind: ProximityKind) -> None:
    real = real_leaves(dataset, kind)

    block = proximity_block(real.leaves[:31], real.leaves[100:150], real.weights)

    assert np.array_equal(block, naive.proximity_matrix(real.leaves, real.weights)[:31, 100:150])


def test_a_tree_that_weighs_all_is_counted_without_overflow() -> None:
    leaves = np.array([[7], [0]], dtype=np.int32)

    assert proximity_block(leaves, leaves[:1], np.array([2**31])).tolist() == [[2**31], [0]]


def test_no_rows_have_no_proximities() -> None:
    none, some = np.empty((0, 2), np.int32), np.zeros((3, 2), np.int32)

    assert proximity_block(none, some, np.ones(2, np.int64)).shape == (0, 3)
    assert proximity_block(some, none, np.ones(2, np.int64)).shape == (3, 0)


@pytest.mark.parametrize(("n_others", "n_weights"), [(2, 3), (3, 2)])
def test_blocks_of_different_trees_are_refused(n_others: int, n_weights: int) -> None:
    leaves, others = np.zeros((1, 3), np.int32), np.zeros((1, n_others), np.int32)

    with pytest.raises(InvalidInput, match="do not fit together"):
        proximity_block(leaves, others, np.ones(n_weights, np.int64))
