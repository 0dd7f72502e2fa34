from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive
from tests.support.real_leaves import KINDS, REGRESSION, real_leaves
from tree_explainers.errors import InvalidInput
from tree_explainers.leaf_space import reference_loops, reference_rows
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind
from tree_explainers.leaf_space.nearest_rows import NearestRows
from tree_explainers.leaf_space.reference_rows import EVERY_ROW, ReferenceRows, Restriction, reference_arrays

WAYS = pytest.mark.parametrize("by_lists", [True, False], ids=["lists", "codes"])
N_KNOWN = 300
TILE = reference_loops._TILE_ROWS


@pytest.fixture
def go(monkeypatch: pytest.MonkeyPatch, *, by_lists: bool) -> None:
    """Go this way, whatever it costs; rows are dropped early, for these trees are few."""
    monkeypatch.setattr(reference_rows, "_NANOSECONDS_PER_COMPARED_BYTE", 1e9 if by_lists else 0)


def reference_of(
    table: LeafTable, weights: NDArray[np.int64], agrees: NDArray[np.bool_] | None = None
) -> ReferenceRows:
    arrays = reference_arrays(table, weights, agrees)
    for array in arrays.values():
        array.flags.writeable = False  # as mapped ones are
    return ReferenceRows(arrays)


def restrictions(n_rows: int) -> list[Restriction]:
    rng = np.random.default_rng(0)
    allowed, groups = rng.random(n_rows) < 0.3, rng.integers(-1, 9, n_rows).astype(np.int32)
    return [EVERY_ROW, Restriction(allowed), Restriction(None, groups, 1), Restriction(allowed, groups, 2)]


def expected(
    leaves: NDArray[np.int32],
    weights: NDArray[np.int64],
    own: NDArray[np.int32],
    n_rows: int,
    within: Restriction,
    agrees: NDArray[np.bool_] | None = None,
) -> list[tuple[int, int]]:
    proximities = ((leaves == own) * weights).sum(axis=1).tolist()
    allowed = [True] * len(leaves) if within.allowed is None else within.allowed.tolist()
    groups = list(range(len(leaves))) if within.groups is None else within.groups.tolist()
    return naive.nearest_allowed_rows(proximities, n_rows, allowed, groups, within.max_per_group or 1, agrees)


def found(reference: ReferenceRows, own: NDArray[np.int32], n_rows: int, within: Any = EVERY_ROW) -> Any:
    nearest = reference.nearest(own, n_rows, within)
    return list(zip(nearest.rows.tolist(), nearest.proximities.tolist(), strict=True))


@WAYS
@pytest.mark.usefixtures("go")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", ["spambase", REGRESSION])
@pytest.mark.sampled("values")
def test_new_rows_find_the_twins_nearest_rows_under_any_restriction(dataset: str, kind: ProximityKind) -> None:
    real = real_leaves(dataset, kind)
    known, new = real.leaves[:N_KNOWN], real.leaves[N_KNOWN : N_KNOWN + 12]
    reference = reference_of(LeafTable.from_leaves(known, np.diff(real.table.offsets)), real.weights)

    for own in new:
        for within in restrictions(N_KNOWN):
            for n_rows in (1, 7, N_KNOWN + 5):
                assert found(reference, own, n_rows, within) == expected(known, real.weights, own, n_rows, within)
        nearest = reference.nearest(own, 9)
        assert nearest.shared.tolist() == (known[nearest.rows] == own).tolist()
    assert reference.total_weight == real.weights.sum()


@WAYS
@pytest.mark.usefixtures("go")
def test_rows_of_the_table_find_the_neighbours_that_proximities_have(*, by_lists: bool) -> None:
    real = real_leaves("covertype_20k", "boosting", n_rows=3000, n_trees=60)
    reference = reference_of(real.table, real.weights)
    rows = np.arange(0, 3000, 300)
    neighbors, proximities = NearestRows(real.table, real.weights).of_rows(rows, 8)

    for line, row in enumerate(rows):
        others = np.ones(3000, np.bool_)
        others[row] = False
        pairs = list(zip(neighbors[line].tolist(), proximities[line].tolist(), strict=True))
        assert found(reference, real.leaves[row], 8, Restriction(others)) == pairs
        assert found(reference, real.leaves[row], 1)[0][1] == reference.total_weight
    assert ("members" in reference_arrays(real.table, real.weights)) == by_lists


@WAYS
@pytest.mark.usefixtures("go")
@pytest.mark.parametrize("weighty", [(), (3, 8)])
def test_trees_that_weigh_nothing_are_not_counted(weighty: tuple[int, ...]) -> None:
    real = real_leaves("pima_diabetes", "random_forest")
    weights = np.zeros(30, np.int64)
    weights[list(weighty)] = [2**32 - 2, 1][: len(weighty)]
    reference = reference_of(real.table, weights)

    assert found(reference, real.leaves[5], 40) == expected(real.leaves, weights, real.leaves[5], 40, EVERY_ROW)


# Rows around the borders of tiles, trees around those of steps, bytes that could overflow, and codes beyond a byte.
SIZES = pytest.mark.parametrize(
    ("n_rows", "n_trees", "n_leaves"),
    [(17, 32, 3), (TILE - 1, 33, 31), (TILE, 50, 256), (TILE + 1, 48, 300), (2 * TILE + 9, 700, 31), (TILE + 5, 3, 2)],
)
WEIGHTS: dict[str, Callable[[int], NDArray[np.int64]]] = {
    "equal": lambda n_trees: np.ones(n_trees, np.int64),
    "falling": lambda n_trees: (2**31 * 0.9 ** np.arange(n_trees)).astype(np.int64) // 10 + 1,
    "nearly_equal": lambda n_trees: 2**31 // n_trees - np.random.default_rng(1).integers(0, 9999, n_trees),
    "all_that_fit": lambda n_trees: np.full(n_trees, (2**32 - 1) // n_trees),
    "many_of_nothing": lambda n_trees: np.where(np.arange(n_trees) % 3, 0, 7),
    "one_heavy": lambda n_trees: np.where(np.arange(n_trees) == 1, 2**32 - 1 - n_trees, 1),
}


def similar_rows(n_rows: int, n_trees: int, n_leaves: int) -> NDArray[np.int32]:
    """Return rows of which some are near each other and some alike, in no order."""
    rng = np.random.default_rng(n_rows)
    rows = rng.integers(0, n_leaves, (n_rows // 8 + 1, n_trees))[rng.integers(0, n_rows // 8 + 1, n_rows)]
    differs = rng.random((n_rows, n_trees)) < rng.choice([0, 0.05, 0.2, 0.5], n_rows)[:, None]
    return np.where(differs, rng.integers(0, n_leaves, rows.shape), rows).astype(np.int32)


@SIZES
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.sampled("values")
def test_codes_find_the_twins_rows_whatever_trees_weigh(
    monkeypatch: pytest.MonkeyPatch, weights: str, n_rows: int, n_trees: int, n_leaves: int
) -> None:
    monkeypatch.setattr(reference_rows, "_NANOSECONDS_PER_COMPARED_BYTE", 0)
    leaves, weighed = similar_rows(n_rows, n_trees, n_leaves), WEIGHTS[weights](n_trees)
    reference = reference_of(LeafTable.from_leaves(leaves, np.full(n_trees, n_leaves)), weighed)
    far = np.random.default_rng(2).integers(0, n_leaves, n_trees).astype(np.int32)

    for own in (leaves[0], np.where(np.arange(n_trees) % 4, leaves[-1], far)):
        for within in restrictions(n_rows):
            assert found(reference, own, 6, within) == expected(leaves, weighed, own, 6, within)
    for n_wanted in (1, 40):
        assert found(reference, far, n_wanted) == expected(leaves, weighed, far, n_wanted, EVERY_ROW)


@WAYS
@pytest.mark.usefixtures("go")
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.sampled("values")
def test_of_rows_that_are_all_alike_the_lowest_are_found(weights: str) -> None:
    n_rows, n_trees = TILE + 300, 40
    leaves, weighed = np.ones((n_rows, n_trees), np.int32), WEIGHTS[weights](n_trees)
    leaves[TILE + 10 :: 7, 3] = 0
    reference = reference_of(LeafTable.from_leaves(leaves, np.full(n_trees, 2)), weighed)

    for own in (leaves[0], leaves[TILE + 10], np.zeros(n_trees, np.int32)):
        for within in restrictions(n_rows):
            assert found(reference, own, 5, within) == expected(leaves, weighed, own, 5, within)


@WAYS
@pytest.mark.usefixtures("go")
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_of_rows_that_are_as_near_those_that_agree_are_found_first(share: float) -> None:
    leaves = np.random.default_rng(3).integers(0, 3, (TILE + 90, 4)).astype(np.int32)  # few proximities, many rows
    weights = np.array([3, 2, 2, 1])
    agrees = np.random.default_rng(4).random(len(leaves)) < share
    reference = reference_of(LeafTable.from_leaves(leaves, np.full(4, 3)), weights, agrees)

    for own in leaves[[0, TILE + 3]]:
        for within in restrictions(len(leaves)):
            assert found(reference, own, 9, within) == expected(leaves, weights, own, 9, within, agrees)
        nearest = reference.nearest(own, 9)
        assert nearest.shared.tolist() == (leaves[nearest.rows] == own).tolist()


def test_few_allowed_rows_and_no_allowed_rows_are_found() -> None:
    leaves = similar_rows(2 * TILE, 60, 31)
    weights = WEIGHTS["nearly_equal"](60)
    reference = reference_of(LeafTable.from_leaves(leaves, np.full(60, 31)), weights)
    allowed = np.zeros(2 * TILE, np.bool_)

    assert found(reference, leaves[9], 5, Restriction(allowed)) == []
    allowed[[3, TILE - 1, TILE, 2 * TILE - 1]] = True
    for own in leaves[[3, 9, TILE]]:
        within = Restriction(allowed)
        assert found(reference, own, 9, within) == expected(leaves, weights, own, 9, within)


def test_leaves_of_another_number_of_trees_are_refused() -> None:
    real = real_leaves("pima_diabetes", "random_forest")

    with pytest.raises(InvalidInput, match=r"\(30,\)"):
        reference_of(real.table, real.weights).nearest(real.leaves[0, :29], 3)
