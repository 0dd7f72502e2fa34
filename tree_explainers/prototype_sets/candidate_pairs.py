"""Close pairs of rows and candidates, gathered in one sweep.

Swaps and the bound of a certificate need the same few proximities hundreds of times: those that exceed, or nearly
exceed, the row's coverage by its prototypes. Memory is bounded: where too many pairs are close, the closest are kept.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..compute.progress import ReportProgress, ignore_progress
from ..leaf_space.leaves import LeafTable
from ..leaf_space.nearest_by_masks import NearestWithin
from .goal import RowsByClass
from .kept_sums import KeptSums
from .pair_lists import ClosePairs, MirroredPairs
from .pair_thresholds import Thresholds
from .partitioned_sweep import sweep_over
from .swap_gains import Pairs
from .sweep import Sweep

_FEWEST_ALLOWED, _ALLOWED_PER_ROW, _MOST_ALLOWED = 2**24, 64, 2**26
_CANDIDATES_AT_ONCE = 512
_PAIRS_AT_ONCE = 2**22


@dataclass(frozen=True, slots=True)
class CandidatePairs:
    """Each candidate's pairs with rows of its class whose proximity exceeds the row's threshold.

    Rows are numbered in the order of their classes (``RowsByClass``).
    """

    by_class: RowsByClass
    candidates: NDArray[np.int64]  # (n_candidates,) rows, ascending
    thresholds: NDArray[np.int64]  # (n_rows,) in units of weight
    starts: NDArray[np.int64]  # (n_candidates,) where each candidate's pairs begin
    ends: NDArray[np.int64]  # (n_candidates,) and end
    members: NDArray[Any]  # (n_pairs,) int32, or uint16 with the next: each pair's row, in no particular order
    proximities: NDArray[Any]  # (n_pairs,) uint32, or uint16: greater than the row's threshold


def default_max_pairs(n_rows: int) -> int:
    """Return the default maximum number of pairs to keep; each takes 8 bytes, or 4 (see ``PairStore``)."""
    return min(max(_FEWEST_ALLOWED, _ALLOWED_PER_ROW * n_rows), _MOST_ALLOWED)


def gather_pairs(  # what to compare, with whom, and how much to keep
    table: LeafTable,
    classes: NDArray[np.int64],
    weights: NDArray[np.int64],
    prototypes: NDArray[np.int64],
    *,
    candidates: NDArray[np.int64] | None = None,
    max_pairs: int | None = None,
    kept: KeptSums | None = None,
    report: ReportProgress = ignore_progress,
) -> CandidatePairs:
    """Return the pairs of candidates and rows of their class that are close, measured by what prototypes cover.

    A row's threshold is one share, for all rows the same, of its proximity to its nearest prototype: as small as
    memory allows, and 0 where all pairs that share a leaf can be kept. Rows without a prototype near them count
    as well covered as rows are on average.

    Parameters
    ----------
    table, weights
        All rows, and what each tree counts.
    classes : (n_rows,) int64
        Class of each row.
    prototypes : (n_prototypes,) int64
        At least one row.
    candidates : (n_candidates,) int64
        Distinct rows, ascending; by default all.
    max_pairs
        How many pairs to keep; see ``default_max_pairs``.
    kept
        Proximities that the choice of these prototypes added up; they are let go of.
    report
        Progress callback; may raise to stop.
    """
    by_class = RowsByClass.of(classes)
    rows = np.arange(table.n_rows) if candidates is None else np.asarray(candidates, dtype=np.int64)
    total_weight = int(weights.sum())
    thresholds = Thresholds(by_class.coverage(table, weights, prototypes), total_weight)
    limits = table.n_rows, total_weight
    store = _Kept(PairStore(len(rows), max_pairs or default_max_pairs(table.n_rows), limits), thresholds)
    thresholds.guess(table, weights, by_class, rows, 0.75 * store.capacity)
    tick, at_once = partial(store.report, report), max(_PAIRS_AT_ONCE, store.capacity // 4)
    for class_index in range(by_class.n_classes):
        own_rows = by_class.slice_of(class_index)
        sweep = sweep_over(table, weights, by_class.rows[own_rows], tick, kept=kept)
        of_class = np.flatnonzero(by_class.classes[rows] == class_index)
        mirrored = sweep.pairs_of_targets(thresholds.values[own_rows]) if len(of_class) == len(sweep.targets) else None
        n_kept = 0
        for pairs in mirrored or _find(sweep, rows[of_class], thresholds, own_rows, at_once):
            store.add(of_class[n_kept : n_kept + len(pairs.candidates)], pairs, own_rows, mirrored)
            n_kept += len(pairs.candidates)
            tick()
    if kept is not None:
        kept.clear()
    return CandidatePairs(by_class, rows, thresholds.values, *store.in_order_of_candidates())


def _find(
    sweep: Sweep, candidates: NDArray[np.int64], thresholds: Thresholds, own_rows: slice, at_once: int
) -> Iterator[ClosePairs]:
    for start in range(0, len(candidates), _CANDIDATES_AT_ONCE):
        some = candidates[start : start + _CANDIDATES_AT_ONCE]
        yield from sweep.close_pairs(some, thresholds.values[own_rows], at_once)


def nearest_in_pairs(pairs: CandidatePairs) -> NearestWithin:
    """Return what pairs, of which all rows are candidates, show of each row's nearest other row of its class.

    A pair that is not among them is no closer than the row's threshold, so that the closest one listed is the closest
    there is. Rows for which no other row is listed are not known.
    """
    by_class = pairs.by_class
    rows, proximities = np.full(len(by_class.rows), -1, dtype=np.int64), np.zeros(len(by_class.rows), dtype=np.int64)
    listed = pairs.starts, pairs.ends, pairs.members, pairs.proximities
    _find_nearest(listed, pairs.candidates, by_class.rows, rows, proximities)
    return NearestWithin(by_class.classes, rows, proximities)


@compiled
def _find_nearest(
    listed: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any], NDArray[Any]],
    candidates: NDArray[np.int64],
    by_class: NDArray[np.int64],
    rows: NDArray[np.int64],
    proximities: NDArray[np.int64],
) -> None:
    """Write the nearest candidate of each row and its proximity; an equally near one comes too late."""
    starts, ends, members, near = listed
    for position, candidate in enumerate(candidates):
        for pair in range(starts[position], ends[position]):
            row = by_class[members[pair]]
            if row != candidate and near[pair] > proximities[row]:
                rows[row], proximities[row] = candidate, near[pair]


class _Room(NamedTuple):
    """Room for pairs: those of the i-th candidate added lie between ``starts[i]`` and ``starts[i + 1]``."""

    starts: NDArray[np.int64]  # (n_candidates + 1,)
    members: NDArray[Any]  # (capacity,) int32, or uint16 with the next
    proximities: NDArray[Any]  # (capacity,) uint32, or uint16


class PairStore:
    """Pairs of candidates that come one after the other, as many as there is room for.

    A pair takes 8 bytes; 4 where ``limits``, the number of rows and the largest proximity, are below 65,536.
    """

    def __init__(self, n_candidates: int, capacity: int, limits: tuple[int, int] | None = None) -> None:
        self.capacity, self.n_candidates, self.n_added = capacity, n_candidates, 0
        starts = np.zeros(n_candidates + 1, dtype=np.int64)
        is_short = limits is not None and max(limits) <= np.iinfo(np.uint16).max
        types = (np.uint16, np.uint16) if is_short else (np.int32, np.uint32)
        # Memory is not taken before it is written to.
        self._room = _Room(starts, np.empty(capacity, types[0]), np.empty(capacity, types[1]))

    @property
    def n_pairs(self) -> int:
        """How many pairs there are."""
        return int(self._room.starts[self.n_added])

    def add(self, close_pairs: ClosePairs, first_row: int, thresholds: NDArray[np.int64], n_skipped: int = 0) -> int:
        """Add the pairs of some candidates above the thresholds of their rows; return how many candidates found room.

        Parameters
        ----------
        close_pairs
            Candidates and their pairs; targets are rows from ``first_row`` on.
        thresholds : (n_rows,) int64
            By row.
        n_skipped
            How many of the candidates to pass over.
        """
        n_before, pairs = self.n_added, (close_pairs.starts, close_pairs.targets, close_pairs.proximities)
        self.n_added = _append(pairs, first_row, thresholds, n_skipped, n_before, self._room)
        return self.n_added - n_before

    def drop(self, thresholds: NDArray[np.int64]) -> None:
        """Drop pairs that are not above the thresholds, (n_rows,)."""
        _drop(self.n_added, thresholds, self._room)

    def pairs_of(self, candidates: NDArray[np.int64]) -> Pairs:
        """Return the pairs of candidates, which are numbered as they were added."""
        starts, members, proximities = self._room
        return Pairs(starts[candidates], starts[candidates + 1], members, proximities)


class _Kept:
    """The pairs kept so far. When there is no room for more, thresholds are raised and pairs below them dropped."""

    def __init__(self, store: PairStore, thresholds: Thresholds) -> None:
        self.capacity, self.thresholds, self._store = store.capacity, thresholds, store
        self._added = np.empty(store.n_candidates, dtype=np.int64)  # candidates in the order in which they came

    def report(self, report: ReportProgress) -> None:
        """Report progress."""
        report(self._store.n_added / max(1, len(self._added)), "gathering close pairs")

    def add(
        self, candidates: NDArray[np.int64], pairs: ClosePairs, own_rows: slice, mirrored: MirroredPairs | None
    ) -> None:
        """Keep the pairs of some candidates, which are numbered by their index among all.

        Pairs that are held for later candidates of the class, whose rows are ``own_rows``, need room as well.
        """
        n_before, n_done = self._store.n_added, 0
        self._added[n_before : n_before + len(candidates)] = candidates
        while True:
            n_done += self._store.add(pairs, own_rows.start, self.thresholds.values, n_done)
            n_held = 0 if mirrored is None else mirrored.n_held
            if n_done == len(candidates) and self._store.n_pairs + n_held <= self.capacity:
                return
            self.thresholds.raise_by_little()
            self._store.drop(self.thresholds.values)
            if mirrored is not None:
                mirrored.drop(self.thresholds.values[own_rows])

    def in_order_of_candidates(self) -> Pairs:
        """Return the pairs of each candidate."""
        pairs, n_pairs = self._store.pairs_of(np.argsort(self._added)), self._store.n_pairs
        return pairs._replace(members=pairs.members[:n_pairs], proximities=pairs.proximities[:n_pairs])


@compiled
def _append(
    close_pairs: tuple[NDArray[np.int64], NDArray[Any], NDArray[Any]],
    first_row: int,
    thresholds: NDArray[np.int64],
    n_skipped: int,
    n_added: int,
    arrays: _Room,
) -> int:
    """Add candidate after candidate until one finds no room; return how many there are then."""
    starts, targets, proximities = close_pairs
    for candidate in range(n_skipped, len(starts) - 1):
        end = arrays.starts[n_added]
        for pair in range(starts[candidate], starts[candidate + 1]):
            member = first_row + targets[pair]
            if proximities[pair] > thresholds[member]:
                if end == len(arrays.members):
                    return n_added
                arrays.members[end], arrays.proximities[end] = member, proximities[pair]
                end += 1
        n_added += 1
        arrays.starts[n_added] = end
    return n_added


@compiled
def _drop(n_added: int, thresholds: NDArray[np.int64], arrays: _Room) -> None:
    """Close the gaps that pairs no longer above their thresholds leave."""
    end = np.uint64(0)  # without a sign, indices are taken as they are
    for candidate in range(n_added):
        first, arrays.starts[candidate] = np.uint64(arrays.starts[candidate]), end
        for pair in range(first, np.uint64(arrays.starts[candidate + 1])):
            member, proximity = arrays.members[pair], arrays.proximities[pair]
            # One that is dropped is written over by the next: a branch would be guessed wrongly as often as not.
            arrays.members[end], arrays.proximities[end] = member, proximity
            end += np.uint64(proximity > thresholds[np.uint64(member)])
    arrays.starts[n_added] = end
