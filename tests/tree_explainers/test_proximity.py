import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive
from tests.support.real_leaves import KINDS, real_leaves
from tree_explainers.errors import InvalidInput
from tree_explainers.leaf_space import proximity as proximity_module
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind
from tree_explainers.leaf_space.proximity import columns, proximity_block


def leaves_of_size(n_leaves: int) -> NDArray[np.int32]:
    return np.random.default_rng(0).integers(0, n_leaves, (2100, 40)).astype(np.int32)


@pytest.mark.parametrize("weights", [np.ones(40, np.int64), np.full(40, 2**31 // 40, np.int64)])
@pytest.mark.parametrize("n_leaves", [3, 300, 70_000])
@pytest.mark.parametrize("by_members", [True, False])
@pytest.mark.sampled("values")
def test_lists_of_rows_and_comparison_of_codes_give_the_same_integers(
    *, by_members: bool, n_leaves: int, weights: NDArray[np.int64], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proximity_module, "_visits_are_cheaper", lambda *_: by_members)
    leaves = leaves_of_size(n_leaves)
    table = LeafTable.from_leaves(leaves, np.full(40, n_leaves))
    queries = leaves[5:26]

    found = columns(table, weights, queries, n_threads=2)

    expected = [((query == leaves) * weights).sum(axis=1).tolist() for query in queries]
    assert found.tolist() == expected


def test_lists_are_chosen_for_small_leaves_and_comparison_for_large_ones() -> None:
    deep, shallow = leaves_of_size(1000), leaves_of_size(3)

    assert proximity_module._visits_are_cheaper(LeafTable.from_leaves(deep, np.full(40, 1000)), deep[:9], 2)
    assert not proximity_module._visits_are_cheaper(LeafTable.from_leaves(shallow, np.full(40, 3)), shallow[:9], 2)


def test_a_tree_that_weighs_all_is_counted_without_overflow() -> None:
    leaves = np.zeros((3, 1), dtype=np.int32)
    table = LeafTable.from_leaves(leaves, np.array([1]))

    assert columns(table, np.array([2**31]), leaves[:1]).tolist() == [[2**31] * 3]


def test_no_question_has_no_answer() -> None:
    table = LeafTable.from_leaves(np.zeros((3, 2), dtype=np.int32), np.array([1, 1]))

    assert columns(table, np.ones(2, np.int64), np.empty((0, 2), np.int32)).shape == (0, 3)


def test_rows_with_another_number_of_trees_are_refused() -> None:
    table = LeafTable.from_leaves(np.zeros((3, 2), dtype=np.int32), np.array([1, 1]))

    with pytest.raises(InvalidInput, match="2 trees"):
        columns(table, np.ones(2, np.int64), np.zeros((1, 3), np.int32))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", ["pima_diabetes", "covertype_20k", "california_housing"])
def test_blocks_are_cut_from_the_dense_matrix(dataset: str, kind: ProximityKind) -> None:
    real = real_leaves(dataset, kind)

    block = proximity_block(real.leaves[:31], real.leaves[100:150], real.weights)

    assert np.array_equal(block, naive.proximity_matrix(real.leaves, real.weights)[:31, 100:150])


def test_a_tree_that_weighs_all_is_counted_in_blocks_without_overflow() -> None:
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
