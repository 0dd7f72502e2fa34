from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.support import naive
from tests.support.real_leaves import CLASSIFICATIONS, KINDS, real_leaves
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind
from tree_explainers.prototype_sets.list_sweep import ListSweep
from tree_explainers.prototype_sets.mask_sweep import MaskSweep
from tree_explainers.prototype_sets.pair_lists import ClosePairs
from tree_explainers.prototype_sets.sweep import Sweep


class ByMasks(Sweep):
    def _cheaper(self, *_: object) -> MaskSweep:
        return self._by_masks


class ByLists(Sweep):
    def _cheaper(self, *_: object) -> ListSweep:
        return self._by_lists


WAYS = [Sweep, ByMasks, ByLists]


def gains_of(proximity: naive.Matrix, covered: NDArray[np.int64]) -> list[int]:
    return [int(gain) for gain in np.maximum(proximity - covered[:, None], 0).sum(axis=0)]


def listed(parts: list[ClosePairs]) -> list[tuple[int, int, int]]:
    """Each pair as (candidate's row, target's position, proximity)."""
    pairs = []
    for part in parts:
        for candidate, (start, end) in enumerate(pairwise(part.starts)):
            row = int(part.candidates[candidate])
            pairs += [(row, int(part.targets[p]), int(part.proximities[p])) for p in range(start, end)]
    return sorted(pairs)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", CLASSIFICATIONS)
@pytest.mark.sampled("values")
def test_gains_are_those_of_the_dense_matrix(dataset: str, kind: ProximityKind, way: type[Sweep]) -> None:
    real = real_leaves(dataset, kind, n_rows=700)
    rng = np.random.default_rng(0)
    targets = np.flatnonzero(real.classes("target") == 0)
    candidates = rng.permutation(len(real.leaves))[:530]  # more than a block
    proximity = naive.proximity_matrix(real.leaves, real.weights)[np.ix_(targets, candidates)]
    covered = rng.choice(np.append(proximity.ravel(), 0), len(targets))

    gains = way(real.table, real.weights, targets).gains(candidates, covered)

    assert gains.tolist() == gains_of(proximity, covered)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.sampled("values")
def test_close_pairs_are_those_above_the_thresholds(kind: ProximityKind, way: type[Sweep]) -> None:
    real = real_leaves("spambase", kind, n_rows=700)
    targets = np.flatnonzero(real.classes("target") == 0)
    candidates = np.arange(5, 690)
    proximity = naive.proximity_matrix(real.leaves, real.weights)[np.ix_(targets, candidates)]
    thresholds = np.quantile(proximity, 0.9, axis=1).astype(np.int64)
    near = np.argwhere(proximity > thresholds[:, None]).tolist()
    sweep = way(real.table, real.weights, targets)

    at_once = list(sweep.close_pairs(candidates, thresholds, max_pairs=10**9))
    little_by_little = list(sweep.close_pairs(candidates, thresholds, max_pairs=1000))

    expected = sorted((int(candidates[c]), t, int(proximity[t, c])) for t, c in near)
    assert listed(at_once) == listed(little_by_little) == expected
    assert max(len(part.targets) for part in little_by_little) <= 1000 < max(len(part.targets) for part in at_once)
    assert np.concatenate([part.candidates for part in little_by_little]).tolist() == candidates.tolist()


@pytest.mark.parametrize("raised_after", [None, 0, 1])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.sampled("values")
def test_pairs_of_rows_with_each_other_are_found_from_either_side(
    kind: ProximityKind, raised_after: int | None
) -> None:
    real = real_leaves("spambase", kind, n_rows=1800)
    rows = np.flatnonzero(real.classes("target") == 0)
    assert len(rows) > 1024  # three blocks
    proximity = naive.proximity_matrix(real.leaves, real.weights)[np.ix_(rows, rows)]
    lower, thresholds = (np.quantile(proximity, share, axis=1).astype(np.int64) for share in (0.7, 0.9))
    mirrored = ByMasks(real.table, real.weights, rows).pairs_of_targets(thresholds if raised_after is None else lower)
    assert mirrored is not None

    found: list[ClosePairs] = []
    for index, part in enumerate(mirrored):
        if index == raised_after:
            before = mirrored.n_held
            mirrored.drop(thresholds)
            assert mirrored.n_held < before
        found.append(part)

    assert np.concatenate([part.candidates for part in found]).tolist() == rows.tolist()
    expected = sorted((int(rows[c]), t, int(proximity[t, c])) for t, c in np.argwhere(proximity > thresholds[:, None]))
    above = [pair for pair in listed(found) if pair[2] > thresholds[pair[1]]]
    assert above == expected
    assert raised_after is not None or above == listed(found)
    assert mirrored.n_held == 0


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(1, 60),
    n_trees=st.integers(1, 300),
    n_leaves=st.integers(1, 300),
    largest_weight=st.sampled_from([1, 2, 1000, 2**32 // 300 - 1]),
)
def test_any_weights_are_added_exactly(
    way: type[Sweep], seed: int, n_rows: int, n_trees: int, n_leaves: int, largest_weight: int
) -> None:
    rng = np.random.default_rng(seed)
    leaves = rng.integers(0, n_leaves, (n_rows, n_trees)).astype(np.int32)
    leaves[:, rng.random(n_trees) < 0.5] = 0  # trees that separate nothing
    weights = rng.integers(0, largest_weight + 1, n_trees)
    table = LeafTable.from_leaves(leaves, np.full(n_trees, n_leaves))
    proximity = naive.proximity_matrix(leaves, weights)
    covered = rng.integers(0, proximity.max() + 2, n_rows)
    sweep = way(table, weights, np.arange(n_rows))

    assert sweep.gains(np.arange(n_rows), covered).tolist() == gains_of(proximity, covered)
    better = np.where(rng.random(n_rows) < 0.5, covered, covered + rng.integers(0, 3, n_rows))
    lost = np.subtract(gains_of(proximity, covered), gains_of(proximity, better))
    assert sweep.losses(np.arange(n_rows), covered, better).tolist() == lost.tolist()
    pairs = listed(list(sweep.close_pairs(np.arange(n_rows), covered, max_pairs=10**6)))
    expected = [(int(c), int(t), int(proximity[t, c])) for c, t in np.argwhere((proximity > covered[:, None]).T)]
    assert pairs == expected


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "run", [lambda sweep, *of: sweep.gains(*of), lambda sweep, *of: list(sweep.close_pairs(*of, 9))]
)
def test_the_receiver_of_progress_can_stop_it(way: type[Sweep], run: Callable[..., object]) -> None:
    real = real_leaves("spambase", "random_forest")

    def stop() -> None:
        raise KeyboardInterrupt

    rows = np.arange(len(real.leaves))
    with pytest.raises(KeyboardInterrupt):
        run(way(real.table, real.weights, rows, stop), rows, np.zeros(len(rows), dtype=np.int64))


def test_deep_trees_are_visited_and_shallow_ones_are_not() -> None:
    rng = np.random.default_rng(0)
    weights = np.ones(50, dtype=np.int64)
    rows = np.arange(20_000)
    for n_leaves, n_at_once in ((20, 512), (10_000, 1)):
        leaves = rng.integers(0, n_leaves, (20_000, 50)).astype(np.int32)
        table = LeafTable.from_leaves(leaves, np.full(50, n_leaves))

        assert Sweep(table, weights, rows).n_at_once(rows) == n_at_once
