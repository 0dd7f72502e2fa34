import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.support import naive
from tests.support.real_leaves import real_leaves
from tree_explainers.errors import InvalidInput
from tree_explainers.leaf_space.leaves import LeafTable
from tree_explainers.prototype_sets.candidate_columns import CandidateColumns
from tree_explainers.prototype_sets.classifier import nearest_by_size, nearest_in_columns
from tree_explainers.prototype_sets.goal import Method
from tree_explainers.prototype_sets.quotas import PerClass
from tree_explainers.prototype_sets.row_coverage import MinimumProximity, near_rows
from tree_explainers.prototype_sets.selection import select_prototypes
from tree_explainers.prototype_sets.widening_columns import WideningColumns

METHODS: tuple[Method, ...] = ("sm_u", "sm_a", "sm_wa", "k_medoids")


def columns_of(table: LeafTable, weights: NDArray[np.int64], candidates: NDArray[np.int64]) -> CandidateColumns:
    n_leaves = np.diff(table.offsets)
    uncut = np.arange(table.offsets[-1]) - np.repeat(table.offsets[:-1], n_leaves)
    return WideningColumns(table, candidates).widen(uncut, n_leaves, weights)


@settings(max_examples=40)
@given(st.integers(1, 700), st.integers(1, 300), st.sampled_from([2, 5, 300]), st.integers(0, 99))
def test_columns_are_the_proximities_whether_leaves_are_large_or_small(
    n_rows: int, n_trees: int, n_leaves: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    leaves = rng.integers(0, n_leaves, (n_rows, n_trees)).astype(np.int32)
    weights = np.append(1, rng.integers(0, 2, n_trees - 1))
    candidates = np.sort(rng.choice(n_rows, rng.integers(1, n_rows + 1), replace=False))

    columns = columns_of(LeafTable.from_leaves(leaves, np.full(n_trees, n_leaves)), weights, candidates)

    shared = naive.proximity_matrix(leaves, weights)[:, candidates]
    assert columns.proximities.tolist() == shared.tolist()
    assert columns.largest(candidates[:3]).tolist() == shared[:, :3].max(axis=1).tolist()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dataset", ["titanic", "covertype_20k"])
def test_from_columns_the_choice_is_that_of_the_twin(dataset: str, method: Method) -> None:
    real = real_leaves(dataset, "random_forest")
    classes = real.classes("predicted")
    candidates = np.arange(1, real.table.n_rows, 3)
    proximity = naive.proximity_matrix(real.leaves, real.weights)

    for n_prototypes in (1, 12):
        columns = columns_of(real.table, real.weights, candidates)
        selection = select_prototypes(
            real.table, classes, real.weights, method,
            n_prototypes=n_prototypes, candidates=candidates, columns=columns,
        )  # fmt: skip
        expected = naive.SELECTIONS[method](proximity, classes, n_prototypes, candidates.tolist())
        assert selection.rows.tolist() == expected


@pytest.mark.parametrize("per_class", ["by_gain", "equal", "by_rows", "auto"])
def test_from_columns_all_that_is_known_of_prototypes_is_what_leaves_say(per_class: PerClass) -> None:
    real = real_leaves("covertype_20k", "random_forest")
    candidates, agrees = np.arange(0, real.table.n_rows, 2), np.arange(real.table.n_rows) % 3 == 0
    columns = columns_of(real.table, real.weights, candidates)

    found, expected = (
        select_prototypes(
            real.table, real.classes("predicted"), real.weights, "sm_a",
            n_prototypes=15, candidates=candidates, agrees=agrees, per_class=per_class, columns=each,
        )
        for each in (columns, None)
    )  # fmt: skip

    for field in ("rows", "gains", "objectives", "n_covered"):
        assert getattr(found, field).tolist() == getattr(expected, field).tolist()
    leaves = real.table.leaves_of(found.rows)
    near = zip(
        nearest_in_columns(columns.of_rows(found.rows), real.table.n_rows),
        nearest_by_size(real.table, real.weights, leaves),
        strict=True,
    )
    assert all(mine.tolist() == theirs.tolist() for mine, theirs in near)
    is_near = MinimumProximity.of(real.weights).is_reached_by_trees(columns.largest(found.rows))
    assert is_near.tolist() == near_rows(real.table, real.weights, leaves).tolist()


@settings(max_examples=40)
@given(st.integers(1, 600), st.integers(1, 280), st.sampled_from([2, 9, 300]), st.integers(0, 99))
def test_columns_of_wider_leaves_are_those_of_a_table_of_these(
    n_rows: int, n_trees: int, n_leaves: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    leaves = rng.integers(0, n_leaves, (n_rows, n_trees)).astype(np.int32)
    candidates = np.sort(rng.choice(n_rows, rng.integers(1, n_rows + 1), replace=False))
    table = LeafTable.from_leaves(leaves, np.full(n_trees, n_leaves))
    columns, numbers = WideningColumns(table, candidates), np.arange(n_leaves)

    few_trees, others = (np.append(1, rng.integers(0, 2, n_trees - 1)) for _ in range(2))
    for n_joined, weights in ((1, few_trees), (2, few_trees), (6, others), (12, others)):
        n_wider = np.full(n_trees, -(-n_leaves // n_joined))
        found = columns.widen(np.tile(numbers // n_joined, n_trees), n_wider, weights)
        shared = naive.proximity_matrix((leaves // n_joined).astype(np.int32), weights)[:, candidates]
        assert found.proximities.tolist() == shared.tolist()


def test_many_cells_have_no_columns() -> None:
    wide = LeafTable.from_leaves(np.zeros((6_000, 2), np.int32), np.ones(2, np.int64))
    assert WideningColumns.of(wide, np.arange(6_000)) is None
    assert WideningColumns.of(wide, np.arange(60)) is not None


def test_columns_of_other_candidates_are_refused() -> None:
    real = real_leaves("titanic", "random_forest")
    columns = columns_of(real.table, real.weights, np.arange(20))
    with pytest.raises(InvalidInput, match="columns must be of the 30 candidates"):
        select_prototypes(
            real.table, real.classes("predicted"), real.weights, "sm_a", candidates=np.arange(30), columns=columns
        )
