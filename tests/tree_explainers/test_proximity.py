import numpy as np
import pytest
from numpy.typing import NDArray

from tree_explainers.errors import InvalidInput
from tree_explainers.leaf_space import proximity as proximity_module
from tree_explainers.leaf_space.leaves import LeafTable
from tree_explainers.leaf_space.proximity import columns


def leaves_of_size(n_leaves: int) -> NDArray[np.int32]:
    return np.random.default_rng(0).integers(0, n_leaves, (2100, 40)).astype(np.int32)


@pytest.mark.parametrize("weights", [np.ones(40, np.int64), np.full(40, 2**31 // 40, np.int64)])
@pytest.mark.parametrize("n_leaves", [3, 300, 70_000])
@pytest.mark.parametrize("by_members", [True, False])
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
