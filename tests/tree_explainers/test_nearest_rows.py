import functools
import threading

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestRegressor

from tests.support import naive
from tests.support.real_leaves import KINDS, REGRESSION, real_leaves
from tests.support.shared import shared_path
from tree_explainers.errors import InvalidInput
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind
from tree_explainers.leaf_space.nearest_between_groups import NearestBetweenGroups
from tree_explainers.leaf_space.nearest_by_masks import NearestOfAll, NearestWithin
from tree_explainers.leaf_space.nearest_rows import NearestRows
from tree_explainers.leaf_space.neighborhoods import LeafCodes, nearest_to_row

WAYS = pytest.mark.parametrize("by_lists", [True, False], ids=["lists", "codes"])


@pytest.fixture
def go(monkeypatch: pytest.MonkeyPatch, *, by_lists: bool) -> None:
    """Go this way, whatever it costs."""
    monkeypatch.setattr(NearestRows, "_lists_are_cheaper", lambda *_: by_lists)
    monkeypatch.setattr(NearestRows, "_blocks_are_cheapest", lambda *_: False)


@functools.cache
def leaves_of_a_deep_forest() -> NDArray[np.int32]:
    """Return leaves that hold one or two rows each: most rows share none with most others."""
    frame = pd.read_parquet(shared_path(f"data/{REGRESSION}.parquet")).iloc[:9000]
    target = frame.pop("median_house_value")
    features = frame.fillna(-1).to_numpy(np.float32)
    nodes = RandomForestRegressor(12, max_features=2, random_state=0, n_jobs=2).fit(features, target).apply(features)
    return np.stack([np.unique(column, return_inverse=True)[1] for column in nodes.T], axis=1).astype(np.int32)


def table_of(leaves: NDArray[np.int32]) -> LeafTable:
    return LeafTable.from_leaves(leaves, leaves.max(axis=0) + 1)


def assert_nearest(
    found: tuple[NDArray[np.int64], NDArray[np.int64]],
    leaves: NDArray[np.int32],
    weights: NDArray[np.int64],
    rows: NDArray[np.int64],
) -> None:
    for line, row in enumerate(rows.tolist()):
        neighbors, proximities = naive.nearest_rows(leaves, weights, row, found[0].shape[1])
        assert found[0][line].tolist() == neighbors
        assert found[1][line].tolist() == proximities


@WAYS
@pytest.mark.usefixtures("go")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", ["spambase", "covertype_20k", REGRESSION])
def test_nearest_rows_come_by_proximity_then_row_without_the_row_itself(dataset: str, kind: ProximityKind) -> None:
    real = real_leaves(dataset, kind)
    rows = np.random.default_rng(0).permutation(400)[:150]

    found = NearestRows(real.table, real.weights).of_rows(rows, 10)

    assert_nearest(found, real.leaves, real.weights, rows)


@WAYS
@pytest.mark.usefixtures("go")
@pytest.mark.parametrize("n_neighbors", [1, 40])
@pytest.mark.parametrize("n_rows", [1, 130])
@pytest.mark.sampled("values")
def test_rows_that_share_no_leaf_are_the_last_neighbours_the_lowest_first(n_rows: int, n_neighbors: int) -> None:
    leaves = leaves_of_a_deep_forest()
    rows = np.random.default_rng(1).permutation(len(leaves))[:n_rows]
    weights = np.ones(leaves.shape[1], np.int64)

    found = NearestRows(table_of(leaves), weights).of_rows(rows, n_neighbors)

    assert_nearest(found, leaves, weights, rows)
    assert n_neighbors == 1 or (found[1] == 0).any()


@WAYS
@pytest.mark.usefixtures("go")
def test_all_other_rows_may_be_requested() -> None:
    real = real_leaves("breast_cancer", "random_forest", n_rows=70)
    rows = np.arange(70)

    found = NearestRows(real.table, real.weights).of_rows(rows, 69)

    assert_nearest(found, real.leaves, real.weights, rows)


@WAYS
@pytest.mark.usefixtures("go")
def test_trees_that_weigh_nothing_or_everything_are_counted_exactly() -> None:
    real = real_leaves("pima_diabetes", "random_forest")
    weights = np.zeros(30, np.int64)
    weights[[3, 8]] = 2**32 - 2, 1
    rows = np.arange(0, 400, 9)

    found = NearestRows(real.table, weights).of_rows(rows, 25)

    assert_nearest(found, real.leaves, weights, rows)


@WAYS
@pytest.mark.usefixtures("go")
@pytest.mark.parametrize("kind", KINDS)
def test_rows_from_elsewhere_find_their_nearest_rows_too(kind: ProximityKind) -> None:
    real = real_leaves("spambase", kind)
    known, new = real.leaves[:250], real.leaves[250:]
    table = LeafTable.from_leaves(known, np.diff(real.table.offsets))

    neighbors, proximities = NearestRows(table, real.weights).of_leaves(new, 7)

    for line in range(len(new)):
        together = np.vstack((known, new[line]))
        assert (neighbors[line].tolist(), proximities[line].tolist()) == naive.nearest_rows(
            together, real.weights, len(known), 7
        )


def test_lists_are_taken_for_many_queries_of_small_leaves_alone() -> None:
    deep = table_of(leaves_of_a_deep_forest())
    shallow = real_leaves("covertype_20k", "boosting")

    assert NearestRows(deep, np.ones(deep.n_trees, np.int64))._lists_are_cheaper(deep.n_rows)
    assert not NearestRows(deep, np.ones(deep.n_trees, np.int64))._lists_are_cheaper(2)
    assert not NearestRows(shallow.table, shallow.weights)._lists_are_cheaper(400)


@WAYS
@pytest.mark.usefixtures("go")
def test_progress_grows_to_the_whole_and_may_stop_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tree_explainers.leaf_space.nearest_rows._MAX_BLOCKS_AT_ONCE", 1)
    real = real_leaves("spambase", "random_forest")
    before = threading.active_count()
    reported: list[float] = []

    def stop(fraction: float, stage: str) -> None:  # as listeners are called
        reported.append(fraction)
        if fraction > 0.3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        NearestRows(real.table, real.weights).of_rows(np.arange(400), 5, stop)

    assert reported[-1] == pytest.approx(128 / 400)
    assert reported == sorted(reported)
    assert threading.active_count() == before


@pytest.mark.parametrize("n_neighbors", [0, 3])
def test_more_neighbours_than_other_rows_are_refused(n_neighbors: int) -> None:
    table = LeafTable.from_leaves(np.zeros((3, 2), dtype=np.int32), np.array([1, 1]))

    with pytest.raises(InvalidInput, match="1 to 2"):
        NearestRows(table, np.ones(2, np.int64)).of_rows(np.array([0]), n_neighbors)


def test_leaves_or_weights_of_another_number_of_trees_are_refused() -> None:
    table = LeafTable.from_leaves(np.zeros((3, 2), dtype=np.int32), np.array([1, 1]))

    with pytest.raises(InvalidInput, match="2 trees"):
        NearestRows(table, np.ones(3, np.int64))
    with pytest.raises(InvalidInput, match="2 trees"):
        NearestRows(table, np.ones(2, np.int64)).of_leaves(np.zeros((1, 3), np.int32), 1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_cut", [False, True])
def test_nearest_to_one_row_are_those_of_the_twin(kind: ProximityKind, *, is_cut: bool) -> None:
    real = real_leaves("spambase", kind)
    weights, offsets = real.weights, real.table.offsets
    places = np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))
    leaves = LeafCodes(real.table.codes, weights, places // 3 if is_cut else None, offsets)
    among = np.arange(0, real.table.n_rows, 2)
    compared = real.leaves // 3 if is_cut else real.leaves

    for row in (0, 7, 250, 399):
        rows, shares = nearest_to_row(leaves, row, 10)
        expected, proximities = naive.nearest_rows(compared, weights, row, 10)
        shared = [(each, value) for each, value in zip(expected, proximities, strict=True) if value > 0]
        assert list(zip(rows.tolist(), shares.tolist(), strict=True)) == [
            (each, value / weights.sum()) for each, value in shared
        ]
        allowed = np.union1d(among, [row])
        own = int(np.searchsorted(allowed, row))
        expected, proximities = naive.nearest_rows(compared[allowed], weights, own, 10)
        nearest = [int(allowed[each]) for each, value in zip(expected, proximities, strict=True) if value > 0]
        assert nearest_to_row(leaves, row, 10, among)[0].tolist() == nearest


def test_a_row_that_shares_no_leaf_has_no_nearest() -> None:
    codes = np.array([[0, 1, 1], [0, 1, 0]], dtype=np.uint8)

    rows, shares = nearest_to_row(LeafCodes(codes, np.array([1, 0])), 0, 2)

    assert (rows.tolist(), shares.tolist()) == ([], [])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", ["spambase", "covertype_20k", REGRESSION])
def test_masks_find_the_nearest_of_every_row(
    monkeypatch: pytest.MonkeyPatch, dataset: str, kind: ProximityKind
) -> None:
    """They compare each pair once, blocks of rows with themselves and with those that follow."""
    monkeypatch.setattr("tree_explainers.leaf_space.nearest_by_masks.BLOCK", 128)
    monkeypatch.setattr(NearestRows, "_masks_are_cheapest", lambda _: True)
    real = real_leaves(dataset, kind)
    rows = np.arange(real.table.n_rows)

    found = NearestRows(real.table, real.weights).of_rows(rows, 1)

    assert_nearest(found, real.leaves, real.weights, rows)


@pytest.mark.parametrize("n_rows", [2, 63, 64, 65, 600])
def test_masks_leave_out_the_row_itself_and_name_the_lowest_of_equally_near_ones(n_rows: int) -> None:
    leaves = np.random.default_rng(n_rows).integers(0, 3, (n_rows, 4)).astype(np.int32)
    weights = np.array([1, 0, 7, 2])

    rows, proximities = NearestOfAll(table_of(leaves), weights).find(lambda _: None)

    assert_nearest((rows[:, None], proximities[:, None]), leaves, weights, np.arange(n_rows))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", ["spambase", "covertype_20k", REGRESSION])
def test_blocks_of_queries_find_their_nearest_rows(
    monkeypatch: pytest.MonkeyPatch, dataset: str, kind: ProximityKind
) -> None:
    """They are listed a few at a time, and each piece of the rows knows what those before it found."""
    monkeypatch.setattr(NearestRows, "_blocks_are_cheapest", lambda *_: True)
    monkeypatch.setattr("tree_explainers.leaf_space.nearest_rows.BLOCK", 128)
    monkeypatch.setattr("tree_explainers.leaf_space.nearest_by_blocks._NANOSECONDS_PER_PIECE", 1e5)
    monkeypatch.setattr("tree_explainers.leaf_space.nearest_by_blocks._ROOM", 600)
    real = real_leaves(dataset, kind)
    rows = np.random.default_rng(0).permutation(400)[:300]
    search = NearestRows(real.table, real.weights)

    assert_nearest(search.of_rows(rows, 1), real.leaves, real.weights, rows)
    of_leaves = search.of_leaves(real.leaves[rows], 1)

    assert (of_leaves[1] == real.weights.sum()).all()
    first_alike = np.unique(real.leaves[:, real.weights > 0], axis=0, return_index=True, return_inverse=True)
    assert of_leaves[0][:, 0].tolist() == first_alike[1][first_alike[2].ravel()[rows]].tolist()


@pytest.mark.parametrize("largest", [1, 2**28])
@pytest.mark.parametrize("n_leaves", [2, 300])
def test_blocks_leave_out_the_query_itself_and_name_the_lowest_of_equally_near_rows(
    monkeypatch: pytest.MonkeyPatch, n_leaves: int, largest: int
) -> None:
    monkeypatch.setattr(NearestRows, "_blocks_are_cheapest", lambda *_: True)
    rng = np.random.default_rng(0)
    leaves, weights = rng.integers(0, n_leaves, (600, 4)).astype(np.int32), rng.integers(0, largest + 1, 4)
    rows = rng.permutation(600)[:550]

    found = NearestRows(table_of(leaves), weights).of_rows(rows, 1)

    assert_nearest(found, leaves, weights, rows)


@pytest.mark.parametrize("slower", [NearestBetweenGroups, NearestOfAll])
@pytest.mark.parametrize("n_groups", [1, 2, 5])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.sampled("values")
def test_rows_of_one_group_need_not_be_compared_where_their_nearest_are_known(
    monkeypatch: pytest.MonkeyPatch, seed: int, n_groups: int, slower: type
) -> None:
    """By masks and by lists. Of some rows nothing is known; many are equally near; groups are of all sizes."""
    monkeypatch.setattr("tree_explainers.leaf_space.nearest_by_masks.BLOCK", 64)
    monkeypatch.setattr("tree_explainers.leaf_space.nearest_between_groups._MOST_LISTED", 70)
    monkeypatch.setattr("tree_explainers.leaf_space.nearest_between_groups._QUERIES_PER_PIECE", 50)
    monkeypatch.setattr(NearestRows, "_nanoseconds_of_all", lambda _: np.inf)
    monkeypatch.setattr(slower, "nanoseconds", 1e12)
    rng = np.random.default_rng(seed)
    leaves, weights = rng.integers(0, 4, (300, 6)).astype(np.int32), np.array([1, 0, 7, 2, 2, 1])
    groups = np.minimum(rng.geometric(0.5, 300), n_groups) * 3
    within = known_within(leaves, weights, groups, rng.random(300) < 0.9)

    found = NearestRows(table_of(leaves), weights).of_all(within)

    assert_nearest(found, leaves, weights, np.arange(300))


@pytest.mark.parametrize("kind", KINDS)
def test_lists_find_the_nearest_rows_of_other_classes(monkeypatch: pytest.MonkeyPatch, kind: ProximityKind) -> None:
    monkeypatch.setattr(NearestRows, "_nanoseconds_of_all", lambda _: np.inf)
    monkeypatch.setattr(NearestOfAll, "find", lambda *_: pytest.fail("masks were used"))
    monkeypatch.setattr(NearestOfAll, "nanoseconds", 1e12)
    real = real_leaves("spambase", kind)
    classes, is_known = real.classes("target"), np.ones(real.table.n_rows, dtype=np.bool_)

    found = NearestRows(real.table, real.weights).of_all(known_within(real.leaves, real.weights, classes, is_known))

    assert_nearest(found, real.leaves, real.weights, np.arange(real.table.n_rows))


def known_within(
    leaves: NDArray[np.int32], weights: NDArray[np.int64], groups: NDArray[np.int64], is_known: NDArray[np.bool_]
) -> NearestWithin:
    rows, proximities = np.full(len(groups), -1, dtype=np.int64), np.zeros(len(groups), dtype=np.int64)
    proximity = naive.proximity_matrix(leaves, weights)
    for row in np.flatnonzero(is_known):
        others = [other for other in np.flatnonzero(groups == groups[row]) if other != row and proximity[row, other]]
        if others:
            rows[row] = max(others, key=lambda other: (proximity[row, other], -other))
            proximities[row] = proximity[row, rows[row]]
    return NearestWithin(groups, rows, proximities)


def test_nearest_within_groups_are_left_aside_where_they_save_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    real = real_leaves("spambase", "random_forest")
    monkeypatch.setattr(NearestOfAll, "find", lambda *_: pytest.fail("masks were used"))
    for search in (NearestOfAll, NearestBetweenGroups):
        monkeypatch.setattr(search, "nanoseconds", np.inf)
    nothing = NearestWithin(real.classes("target"), np.full(400, -1), np.zeros(400, dtype=np.int64))

    found = NearestRows(real.table, real.weights).of_all(nothing)

    assert_nearest(found, real.leaves, real.weights, np.arange(400))
