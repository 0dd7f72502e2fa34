"""A sweep over rows that lie in partitions: each compares the candidates with its own rows, and the counts add up."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.partitions import Partitions
from ..compute.progress import Tick, no_tick
from ..leaf_space.euclidean_table import EuclideanTable
from ..leaf_space.leaf_masks import BLOCK
from ..leaf_space.leaves import LeafTable, read_only
from ..leaf_space.partitioned_table import PartitionedTable
from ..leaf_space.subset_proximities import column_of
from .euclidean_sweep import EuclideanSweep
from .kept_sums import KeptSums
from .pair_lists import ClosePairs, FoundPairs, blocks, by_candidate
from .sweep import Sweep
from .work_items import Count

_ALL = 2**62  # pairs at once


def sweep_over(
    table: LeafTable,
    weights: NDArray[np.int64],
    targets: NDArray[np.int64],
    tick: Tick = no_tick,
    compared: Count | None = None,
    kept: KeptSums | None = None,
) -> Sweep:
    """Return a sweep over the rows of a table, wherever these lie; see ``Sweep``."""
    if isinstance(table, EuclideanTable):
        return EuclideanSweep(table, targets, tick, compared)
    if isinstance(table, PartitionedTable):
        return PartitionedSweep(table, weights, targets, tick, compared)
    return Sweep(table, weights, targets, tick, compared=compared, kept=kept)


class PartitionedSweep(Sweep):
    """A sweep whose table is in partitions; the same integers as of a table that is whole."""

    def __init__(
        self,
        table: PartitionedTable,
        weights: NDArray[np.int64],
        targets: NDArray[np.int64],
        tick: Tick,
        compared: Count | None = None,
    ) -> None:
        self.targets = targets
        self._table, self._weights, self._tick = table, weights, tick
        self._compared = compared or Count()
        self._sent: tuple[tuple[NDArray[np.int64], NDArray[np.uint32]], Partitions] | None = None

    def tick(self) -> None:
        """Note that something goes on; may raise to stop."""
        self._tick()

    def n_at_once(self, candidates: NDArray[np.int64]) -> int:  # a round costs the same for all
        """Return as many candidates as are broadcast together."""
        return BLOCK

    def tally(
        self, candidates: NDArray[np.int64], targets: NDArray[np.int64], limits: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return how many targets are closer to each candidate than a limit, and by how much; see ``Sweep``."""
        tallies = np.zeros((2, len(limits), len(candidates)), dtype=np.int64)
        parts = self._with_limits(targets, limits)
        for some in blocks(len(candidates), BLOCK):
            candidate_codes = self._table.codes_of(candidates[some])
            for of_part in parts.map(_tally, self._weights, candidate_codes):
                tallies[:, :, some] += of_part
                self._tick()
            self._compared.n += len(targets) * (some.stop - some.start)
        return tallies

    def _with_limits(self, targets: NDArray[np.int64], limits: NDArray[np.int64]) -> Partitions:
        """Return the table beside targets and their limits, which are sent once for all that is compared with them."""
        # Nothing is nearer than a row to itself, so that larger limits are as good.
        narrow = np.minimum(limits, int(self._weights.sum())).astype(np.uint32)
        if self._sent is not None:
            others, parts = self._sent
            if np.array_equal(others[0], targets) and np.array_equal(others[1], narrow):
                return parts
        parts = self._table.parts.beside(self._table.with_rows(targets, narrow).keep(_targets_and_limits))
        self._sent = (targets, narrow), parts
        return parts

    def close_pairs(
        self,
        candidates: NDArray[np.int64],
        thresholds: NDArray[np.int64],
        max_pairs: int,  # those of a block of candidates are sent at once
    ) -> Iterator[ClosePairs]:
        """Yield the pairs with a proximity above the target's threshold; see ``Sweep``."""
        narrow = np.minimum(thresholds, int(self._weights.sum())).astype(np.uint32)
        indices = self._table.slices_of(self.targets)
        parts = self._table.with_rows(self.targets, narrow, which=indices)
        for some in blocks(len(candidates), BLOCK):
            candidate_codes, pairs = self._table.codes_of(candidates[some]), []
            for index, of_part in zip(indices, parts.map(_close_pairs, self._weights, candidate_codes), strict=True):
                positions = np.repeat(np.arange(len(of_part.candidates), dtype=np.int32), np.diff(of_part.starts))
                pairs.append(FoundPairs(positions, of_part.targets + np.int32(index.start), of_part.proximities))
                self._tick()
            self._compared.n += len(self.targets) * (some.stop - some.start)
            yield by_candidate(candidates[some], pairs)

    def pairs_of_targets(self, thresholds: NDArray[np.int64]) -> None:
        """Return nothing: rows of different partitions do not meet."""

    def covered_rows(self) -> Partitions:
        """Return partitions with the targets, which remember how well prototypes cover them."""
        return self._table.with_rows(self.targets).keep(_covered_rows)

    def beside(self, others: Partitions) -> Partitions:
        """Return the partitions of the table beside others."""
        return self._table.parts.beside(others)

    def codes_of(self, candidates: NDArray[np.int64]) -> NDArray[Any]:
        """Return the codes of candidates, (n_trees, n_candidates)."""
        return self._table.codes_of(candidates)

    def count(self, n_candidates: int) -> None:
        """Note that candidates were compared with all targets, for progress."""
        self._compared.n += len(self.targets) * n_candidates
        self._tick()


class CoveredRows:
    """The targets in a partition, and their coverage by prototypes, which follows from these.

    It is remembered, so that one more prototype takes one more column; lost with its partition, it is made again.
    """

    def __init__(self, rows: NDArray[np.int64]) -> None:
        self.rows = rows
        self._known: tuple[NDArray[np.int32], NDArray[np.int64]] | None = None

    def by(self, table: LeafTable, weights: NDArray[np.int64], prototypes: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the proximity of each target to its nearest prototype, 0 without one.

        ``prototypes``, (n_prototypes, n_trees) int32, are their leaves in the order of choice.
        """
        n_known, covered = 0, np.zeros(len(self.rows), dtype=np.int64)
        if self._known is not None and len(self._known[0]) <= len(prototypes):
            before, known = self._known
            if np.array_equal(before, prototypes[: len(before)]):
                n_known, covered = len(before), known
        for leaves in prototypes[n_known:]:
            covered = np.maximum(covered, column_of(table, weights, leaves)[self.rows])
        self._known = prototypes, covered
        return covered

    def __reduce__(self) -> tuple[Any, ...]:
        """Send the rows alone."""
        return CoveredRows, (self.rows,)


def gains_in_part(
    table: LeafTable,
    rows: CoveredRows,
    weights: NDArray[np.int64],
    prototypes: NDArray[np.int32],
    candidate_codes: NDArray[Any],
) -> NDArray[np.int64]:
    """Return what each of the candidates would add to the coverage of a partition's targets by prototypes."""
    sweep = Sweep(table, weights, rows.rows, candidate_codes=read_only(candidate_codes))
    return sweep.gains(np.arange(candidate_codes.shape[1]), rows.by(table, weights, prototypes))


def losses_in_part(
    table: LeafTable,
    rows: CoveredRows,
    weights: NDArray[np.int64],
    prototypes: NDArray[np.int32],
    candidate_codes: NDArray[Any],
) -> NDArray[np.int64]:
    """Return by how much these gains have shrunk with the last of the prototypes."""
    before = rows.by(table, weights, prototypes[:-1])
    now = rows.by(table, weights, prototypes)
    return Sweep(table, weights, rows.rows, candidate_codes=read_only(candidate_codes)).losses(
        np.arange(candidate_codes.shape[1]), before, now
    )


def _covered_rows(_: LeafTable, rows_of_part: tuple[NDArray[np.int32]]) -> CoveredRows:
    return CoveredRows(rows_of_part[0].astype(np.int64))


def _targets_and_limits(_: LeafTable, targets_and_limits: tuple[NDArray[Any], ...]) -> tuple[NDArray[Any], ...]:
    return targets_and_limits


def _tally(
    table: LeafTable,
    targets_and_limits: tuple[NDArray[np.int32], NDArray[np.uint32]],
    weights: NDArray[np.int64],
    candidate_codes: NDArray[Any],
) -> NDArray[np.int64]:
    targets, limits = targets_and_limits[0].astype(np.int64), targets_and_limits[1].astype(np.int64)
    sweep = Sweep(table, weights, targets, candidate_codes=read_only(candidate_codes))
    return sweep.tally(np.arange(candidate_codes.shape[1]), targets, limits)


def _close_pairs(
    table: LeafTable,
    targets_and_thresholds: tuple[NDArray[np.int32], NDArray[np.uint32]],
    weights: NDArray[np.int64],
    candidate_codes: NDArray[Any],
) -> ClosePairs:
    targets, thresholds = targets_and_thresholds[0].astype(np.int64), targets_and_thresholds[1].astype(np.int64)
    sweep = Sweep(table, weights, targets, candidate_codes=read_only(candidate_codes))
    (pairs,) = sweep.close_pairs(np.arange(candidate_codes.shape[1]), thresholds, _ALL)
    return pairs
