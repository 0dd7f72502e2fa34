from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import naive
from tests.support.real_leaves import KINDS, REGRESSION, real_leaves
from tree_explainers.errors import InvalidInput
from tree_explainers.leaf_space import reference_rows
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind
from tree_explainers.leaf_space.nearest_rows import NearestRows
from tree_explainers.leaf_space.reference_rows import EVERY_ROW, ReferenceRows, Restriction, reference_arrays

WAYS = pytest.mark.parametrize("by_lists", [True, False], ids=["lists", "codes"])
N_KNOWN = 300


@pytest.fixture
def go(monkeypatch: pytest.MonkeyPatch, *, by_lists: bool) -> None:
    """Go this way, whatever it costs; rows are dropped early, for these trees are few."""
    monkeypatch.setattr(reference_rows, "_NANOSECONDS_PER_COMPARED_BYTE", 1e9 if by_lists else 0)


def reference_of(table: LeafTable, weights: NDArray[np.int64]) -> ReferenceRows:
    arrays = reference_arrays(table, weights)
    for array in arrays.values():
        array.flags.writeable = False  # as mapped ones are
    return ReferenceRows(arrays)


def restrictions(n_rows: int) -> list[Restriction]:
    rng = np.random.default_rng(0)
    allowed, groups = rng.random(n_rows) < 0.3, rng.integers(-1, 9, n_rows).astype(np.int32)
    return [EVERY_ROW, Restriction(allowed), Restriction(None, groups, 1), Restriction(allowed, groups, 2)]


def expected(
    leaves: NDArray[np.int32], weights: NDArray[np.int64], own: NDArray[np.int32], n_rows: int, within: Restriction
) -> list[tuple[int, int]]:
    proximities = ((leaves == own) * weights).sum(axis=1).tolist()
    allowed = [True] * len(leaves) if within.allowed is None else within.allowed.tolist()
    groups = list(range(len(leaves))) if within.groups is None else within.groups.tolist()
    return naive.nearest_allowed_rows(proximities, n_rows, allowed, groups, within.max_per_group or 1)


def found(reference: ReferenceRows, own: NDArray[np.int32], n_rows: int, within: Any = EVERY_ROW) -> Any:  # noqa: ANN401
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


def test_leaves_of_another_number_of_trees_are_refused() -> None:
    real = real_leaves("pima_diabetes", "random_forest")

    with pytest.raises(InvalidInput, match=r"\(30,\)"):
        reference_of(real.table, real.weights).nearest(real.leaves[0, :29], 3)
