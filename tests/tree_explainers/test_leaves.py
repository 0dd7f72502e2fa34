from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive
from tests.support.real_leaves import REGRESSION, real_leaves
from tree_explainers.errors import InvalidInput
from tree_explainers.leaf_space.leaves import BOOSTING_TOTAL_WEIGHT, LeafTable, tree_weights
from tree_explainers.leaf_space.subset_proximities import proximity_sums


def random_leaves(n_rows: int, n_leaves: list[int]) -> NDArray[np.int32]:
    rng = np.random.default_rng(0)
    return np.stack([rng.integers(0, n, n_rows) for n in n_leaves], axis=1).astype(np.int32)


@pytest.mark.parametrize(("n_leaves", "dtype"), [(256, np.uint8), (257, np.uint16), (65_537, np.int32)])
def test_codes_take_the_smallest_type_that_holds_them(n_leaves: int, dtype: type) -> None:
    leaves = np.array([[n_leaves - 1], [0]], dtype=np.int32)

    table = LeafTable.from_leaves(leaves, np.array([n_leaves]))

    assert table.codes.dtype == dtype
    assert table.leaves_of(np.arange(2)).tolist() == leaves.tolist()


def test_a_table_is_built_on_codes_in_a_file_without_copying_them(tmp_path: Path) -> None:
    leaves = random_leaves(50, [300, 4])
    np.save(tmp_path / "codes.npy", np.ascontiguousarray(leaves.T, dtype=np.uint16))
    mapped = np.load(tmp_path / "codes.npy", mmap_mode="r")

    table = LeafTable.from_codes(mapped, np.array([300, 4]))

    same = LeafTable.from_leaves(leaves, np.array([300, 4]))
    assert np.shares_memory(table.codes, mapped)
    assert (table.leaf_sizes == same.leaf_sizes).all()
    assert (table.members == same.members).all()
    assert (table.among(np.arange(9)).codes == same.among(np.arange(9)).codes).all()


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        (np.zeros((2, 5), np.uint16), "must be uint8, got uint16"),
        (np.zeros((5, 2), np.uint8).T, "order of C"),
        (np.zeros(5, np.uint8), "1-d"),
        (np.full((2, 5), 3, np.uint8), "tree 1 has leaves 0 to 2"),
    ],
)
def test_codes_that_cannot_be_kept_are_refused(codes: NDArray[np.uint8], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        LeafTable.from_codes(codes, np.array([4, 3]))


def test_a_table_of_counted_codes_is_the_same() -> None:
    leaves, n_leaves = random_leaves(50, [300, 4]), np.array([300, 4])
    counted = LeafTable.from_leaves(leaves, n_leaves)

    table = LeafTable.from_sizes(counted.codes, counted.leaf_sizes, n_leaves)

    assert (table.offsets == counted.offsets).all()
    assert (table.starts == counted.starts).all()
    assert (table.members == counted.members).all()
    assert (
        table.sizes_of(np.array([[300, 301], [0, 303]])).tolist() == counted.leaf_sizes[[[300, 301], [0, 303]]].tolist()
    )


def test_the_leaves_that_hold_some_of_a_block_of_rows_are_counted_by_their_sizes() -> None:
    table = LeafTable.from_leaves(random_leaves(3_000, [700, 4, 90]), np.array([700, 4, 90]))

    shares = table.leaf_sizes / 3_000

    assert table.n_leaves_of_block == pytest.approx((1 - (1 - shares) ** 512).sum() / 3)


def test_threads_that_call_at_once_get_the_same_lists() -> None:
    table = LeafTable.from_leaves(random_leaves(2000, [5] * 50), np.full(50, 5))

    with ThreadPoolExecutor(4) as pool:
        lists = list(pool.map(lambda _: table.members, range(4)))

    assert all(members is lists[0] for members in lists)


def test_rows_that_the_table_does_not_have_are_refused() -> None:
    table = LeafTable.from_leaves(random_leaves(5, [2, 3]), np.array([2, 3]))

    with pytest.raises(IndexError):
        table.among(np.array([5]))


def test_each_leaf_lists_the_rows_that_reach_it_in_ascending_order() -> None:
    n_leaves = [3, 1, 300]
    leaves = random_leaves(50, n_leaves)

    table = LeafTable.from_leaves(leaves, np.array(n_leaves))

    for tree, n in enumerate(n_leaves):
        for leaf in range(n):
            place = table.offsets[tree] + leaf
            rows = table.members[table.starts[place] : table.starts[place + 1]]
            assert rows.tolist() == np.flatnonzero(leaves[:, tree] == leaf).tolist()


def test_a_table_of_some_rows_knows_which_of_them_share_leaves_and_keeps_no_empty_leaf() -> None:
    leaves = random_leaves(60, [400, 5, 30])
    rows = np.array([3, 58, 20, 21, 22, 0])

    table = LeafTable.from_leaves(leaves, np.array([400, 5, 30])).among(rows)

    weights = np.array([1, 2, 4])
    assert (table.leaf_sizes > 0).all()
    assert (
        naive.proximity_matrix(table.leaves_of(np.arange(6)), weights).tolist()
        == naive.proximity_matrix(leaves[rows], weights).tolist()
    )


def test_sums_over_leaves_are_the_sums_of_the_matrix_lines() -> None:
    leaves = random_leaves(40, [7, 3, 9, 2])
    weights = np.array([5, 0, 1, 2**31 - 6])
    table = LeafTable.from_leaves(leaves, np.array([7, 3, 9, 2]))

    rows = np.arange(40)
    sums = proximity_sums(table, weights, rows, rows)

    assert sums.tolist() == naive.proximity_matrix(leaves, weights).sum(axis=1).tolist()


@pytest.mark.parametrize(
    ("leaves", "n_leaves", "message"),
    [
        (np.zeros((0, 2), dtype=np.int32), [1, 1], "at least one row"),
        (np.zeros((2, 0), dtype=np.int32), [], "one tree"),
        (np.zeros((2, 2), dtype=np.int64), [1, 1], "int32"),
        (np.zeros((2, 2), dtype=np.int32), [1], "2 trees"),
        (np.array([[0, 4]], dtype=np.int32), [1, 4], "tree 1 has leaves 0 to 3"),
        (np.array([[-1, 0]], dtype=np.int32), [1, 4], "tree 0"),
    ],
)
def test_leaves_that_cannot_be_are_refused(leaves: NDArray[np.int32], n_leaves: list[int], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        LeafTable.from_leaves(leaves, np.array(n_leaves, dtype=np.int32))


def test_each_tree_of_a_random_forest_weighs_one() -> None:
    table = LeafTable.from_leaves(random_leaves(5, [2, 3]), np.array([2, 3]))

    assert tree_weights("random_forest", table).tolist() == [1, 1]


@pytest.mark.parametrize("dataset", ["breast_cancer", "covertype_20k", REGRESSION])
def test_boosting_weights_are_the_variances_of_leaf_values_as_rationals_say(dataset: str) -> None:
    real = real_leaves(dataset, "boosting")

    assert real.weights.tolist() == naive.boosting_weights(real.leaf_values, real.leaves)
    assert real.weights.sum() == BOOSTING_TOTAL_WEIGHT
    by_l1 = tree_weights("boosting_l1", real.table, np.concatenate(real.leaf_values))
    assert by_l1.tolist() == naive.boosting_weights(real.leaf_values, real.leaves, power=1)
    by_deviation = tree_weights("boosting_sd", real.table, np.concatenate(real.leaf_values))
    assert by_deviation.tolist() == naive.boosting_weights(real.leaf_values, real.leaves, is_root=True)


def test_a_forest_with_boosting_sums_variances_over_classes() -> None:
    real = real_leaves("covertype_20k", "random_forest")

    weights = tree_weights("boosting", real.table, np.concatenate(real.leaf_values))

    assert weights.tolist() == naive.boosting_weights(real.leaf_values, real.leaves)


def test_an_ensemble_whose_values_do_not_vary_weighs_its_trees_equally() -> None:
    leaves = random_leaves(7, [2, 2, 2])
    # The leaves that rows reach all hold 0.1, which no sum of tenths gives back exactly.
    table = LeafTable.from_leaves(leaves, np.array([3, 3, 3]))

    weights = tree_weights("boosting", table, np.tile([[0.1], [0.1], [7.0]], (3, 1)))

    assert weights.tolist() == [715_827_883, 715_827_883, 715_827_882]


def test_huge_leaf_values_do_not_overflow() -> None:
    table = LeafTable.from_leaves(np.array([[0, 0], [1, 1]], dtype=np.int32), np.array([2, 2]))

    weights = tree_weights("boosting", table, np.array([[1e300], [-1e300], [1e300], [-1e300]]))

    assert weights.tolist() == [2**30, 2**30]


@pytest.mark.parametrize("values", [None, np.zeros((3, 1)), np.full((4, 1), np.inf)])
def test_boosting_weights_need_a_finite_value_for_each_leaf(values: NDArray[np.float64] | None) -> None:
    table = LeafTable.from_leaves(np.array([[0, 0], [1, 1]], dtype=np.int32), np.array([2, 2]))

    with pytest.raises(InvalidInput):
        tree_weights("boosting", table, values)
