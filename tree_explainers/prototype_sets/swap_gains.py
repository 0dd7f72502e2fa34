"""The nearest and second nearest prototype of each row, and the gain of each possible swap.

The gain of a swap depends on nothing else (Schubert, Rousseeuw 2021, FasterPAM): a candidate in the place of a
prototype gains what it adds as one more prototype, and loses the prototype's removal loss, of which it recovers a part
by covering the prototype's rows better than their second nearest prototypes do.

Proximities, gains and losses are in units of weight. Rows are numbered in the order of their classes
(``goal.RowsByClass``), prototypes by rank, and candidates by their index among all candidates.
"""

from collections.abc import Iterator
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..compute.progress import Tick
from ..compute.threads import in_order
from ..leaf_space.binary_sums import add_excess
from ..leaf_space.leaf_masks import BLOCK, LeafMasks, Targets, add_masks, leaf_masks, plan_adding, room_for_sums
from ..leaf_space.leaves import LeafTable, read_only
from ..leaf_space.partitioned_table import PartitionedTable
from .pair_lists import blocks
from .partitioned_sweep import sweep_over
from .sweep import Sweep

_NO_SWAP = -(2**62)
_PAIRS_AT_ONCE = 2**23
_TARGETS_AT_ONCE = 1024


class NearestTwo(NamedTuple):
    """The two nearest prototypes of each row among those of its class, and the loss of removing each prototype."""

    nearest: NDArray[np.int64]  # (n_rows,) proximity to the nearest prototype, 0 without one
    second: NDArray[np.int64]  # (n_rows,) to the second nearest, 0 without one
    owners: NDArray[np.int32]  # (n_rows,) rank of the nearest, ties to the lower; -1 without one
    removal_losses: NDArray[np.int64]  # (n_prototypes,) by how much g of the class falls without the prototype
    slack: NDArray[np.int64]  # (n_classes,) by how much floors exceed what is nearest, summed


class Pairs(NamedTuple):
    """Proximities of candidates to rows of their class; which others there are depends on the caller."""

    starts: NDArray[np.int64]  # (n_candidates,)
    ends: NDArray[np.int64]  # (n_candidates,)
    members: NDArray[Any]  # (n_pairs,) int32, or uint16 with the next: rows, in the order of classes
    proximities: NDArray[Any]  # (n_pairs,) uint32, or uint16


@compiled
def sum_gains(
    pairs: Pairs, first_row: int, precision: int, coverages: NDArray[np.int64], gains: NDArray[np.int64]
) -> None:
    """Write by how much candidates exceed what covers rows, summed over their pairs.

    Parameters
    ----------
    first_row
        The row of the first of the coverages.
    precision
        What a unit of weight is, in units of coverages and gains.
    coverages : (n_rows,) int64
        Of rows from the first one on.
    gains : (n_candidates,) int64
        Written to.
    """
    first = np.uint64(first_row)
    for candidate in range(len(gains)):
        gain = np.int64(0)
        # Parts of arrays and indices without a sign: only then does the compiler take many pairs at once.
        some = slice(pairs.starts[candidate], pairs.ends[candidate])
        members, proximities = pairs.members[some], pairs.proximities[some]
        for pair in range(len(members)):
            covered = coverages[np.uint64(members[pair]) - first]
            gain += max(np.int64(proximities[pair]) * precision - covered, 0)
        gains[candidate] = gain


class SwapGains(NamedTuple):
    """The gains of some candidates, (n_candidates,) each."""

    additions: NDArray[np.int64]  # as one more prototype
    swaps: NDArray[np.int64]  # in the place of the best prototype of its class to replace; very low without one
    replaced: NDArray[np.int64]  # the rank of that prototype, ties to the lower rank; -1 without one


def empty_nearest_two(n_rows: int, n_prototypes: int, n_classes: int) -> NearestTwo:
    """Return the state before any prototype is known."""
    return NearestTwo(
        np.zeros(n_rows, dtype=np.int64),
        np.zeros(n_rows, dtype=np.int64),
        np.full(n_rows, -1, dtype=np.int32),
        np.zeros(n_prototypes, dtype=np.int64),
        np.zeros(n_classes, dtype=np.int64),
    )


def best_swaps(
    additions: NDArray[np.int64],
    recovered: NDArray[np.int64],
    class_index: int,
    prototype_classes: NDArray[np.int64],
    nearest_two: NearestTwo,
) -> SwapGains:
    """Return the gains of rows of one class.

    Parameters
    ----------
    additions : (n_candidates,) int64
        Gains as one more prototype.
    recovered : (n_prototypes, n_candidates) int64
        The part of each prototype's removal loss that the candidate recovers.
    """
    ranks = np.flatnonzero(prototype_classes == class_index)
    if len(ranks) == 0:
        return SwapGains(additions, np.full_like(additions, _NO_SWAP), np.full_like(additions, -1))
    swaps = additions + recovered[ranks] - nearest_two.removal_losses[ranks, None]
    best = swaps.argmax(axis=0)  # the first of equal ones, which has the lowest rank
    return SwapGains(additions, np.take_along_axis(swaps, best[None], axis=0)[0], ranks[best])


@compiled
def find_nearest_two(
    columns: NDArray[Any],
    ranks: NDArray[np.int64],
    floors: NDArray[np.int64],
    first_row: int,
    class_index: int,
    nearest_two: NearestTwo,
) -> None:
    """Find the two nearest prototypes of the rows of one class again.

    Parameters
    ----------
    columns : (n_prototypes of the class, n_rows of the class)
        Proximities to the prototypes of the class.
    ranks : (n_prototypes of the class,) int64
        Their ranks, ascending.
    floors : (n_rows of the class,) int64
        0 for the prototypes as they are. Else it is assumed that another prototype, which cannot be replaced, is at
        least this near to each row, and ``slack`` is the worth of this assumption: then the gains of a candidate's
        pairs above the floors are upper bounds, whatever its other proximities are.
    first_row, class_index
        Where the rows of the class begin, and the class.
    nearest_two
        Changed for the rows, the prototypes and the class.
    """
    nearest_two.removal_losses[ranks] = 0
    nearest_two.slack[class_index] = 0
    for row in range(columns.shape[1]):
        nearest, second, owner = np.int64(0), np.int64(0), np.int64(-1)
        for prototype in range(columns.shape[0]):
            proximity = np.int64(columns[prototype, row])
            if proximity > nearest:
                nearest, second, owner = proximity, nearest, ranks[prototype]
            elif proximity > second:
                second = proximity
        nearest_two.slack[class_index] += max(floors[row] - nearest, 0)
        nearest, second = max(nearest, floors[row]), max(second, floors[row])
        if owner >= 0:
            nearest_two.removal_losses[owner] += nearest - second
        index = first_row + row
        nearest_two.nearest[index], nearest_two.second[index], nearest_two.owners[index] = nearest, second, owner


@compiled
def find_swap_gains(
    pairs: Pairs,
    candidates: NDArray[np.int64],
    candidate_classes: NDArray[np.int64],
    prototype_classes: NDArray[np.int64],
    nearest_two: NearestTwo,
) -> SwapGains:
    """Return the gains of some candidates; only pairs with a proximity above ``second`` matter.

    ``candidates`` and ``candidate_classes`` are (n_candidates,): indices of the candidates in ``pairs``, and classes.
    """
    n_candidates, n_prototypes = len(candidates), len(prototype_classes)
    additions = np.empty(n_candidates, dtype=np.int64)
    swaps = np.full(n_candidates, _NO_SWAP, dtype=np.int64)
    replaced = np.full(n_candidates, -1, dtype=np.int64)
    recovered = np.empty(n_prototypes, dtype=np.int64)  # of the removal loss of each prototype
    for index in range(n_candidates):
        recovered[:] = 0
        addition = nearest_two.slack[candidate_classes[index]]
        for pair in range(pairs.starts[candidates[index]], pairs.ends[candidates[index]]):
            member, proximity = pairs.members[pair], np.int64(pairs.proximities[pair])
            if proximity > nearest_two.second[member]:
                addition += max(proximity - nearest_two.nearest[member], 0)
                owner = nearest_two.owners[member]
                if owner >= 0:
                    recovered[owner] += min(proximity, nearest_two.nearest[member]) - nearest_two.second[member]
        additions[index] = addition
        for rank in range(n_prototypes):
            swap = addition + recovered[rank] - nearest_two.removal_losses[rank]
            if prototype_classes[rank] == candidate_classes[index] and swap > swaps[index]:
                swaps[index], replaced[index] = swap, rank
    return SwapGains(additions, swaps, replaced)


class SwapSweep:
    """Compares candidates of one class with all rows of the class.

    Where leaves are small, only the pairs that matter are listed (``Sweep``). Where they are large, 512 candidates
    are compared at once with the rows of each prototype in turn (``leaf_masks``).

    Parameters
    ----------
    table, weights
        All rows, and what each tree counts.
    rows : (n_rows,) int64
        Rows of the class, ascending.
    first_row
        Where the rows of the class begin among all rows in the order of classes.
    tick
        Called several times a second; may raise to stop.
    """

    def __init__(
        self,
        table: LeafTable,
        weights: NDArray[np.int64],
        rows: NDArray[np.int64],
        first_row: int,
        tick: Tick,
    ) -> None:
        self._table, self._rows, self._first_row, self._tick = table, rows, first_row, tick
        self._weights = weights
        self._sweep = sweep_over(table, weights, rows, tick)
        self._plan = plan_adding(weights, min(BLOCK / 4, len(table.starts) / table.n_trees))

    @property
    def n_rows(self) -> int:
        """Number of rows that a candidate is compared with."""
        return len(self._rows)

    def gains(
        self, candidates: NDArray[np.int64], class_index: int, classes: NDArray[np.int64], nearest_two: NearestTwo
    ) -> SwapGains:
        """Return the gains of candidates, rows of the class; ``classes`` are those of the prototypes."""
        if isinstance(self._table, PartitionedTable):
            return self._in_partitions(candidates, class_index, classes, nearest_two)
        is_listing = self._sweep.n_at_once(candidates) == 1
        find = self.by_pairs if is_listing else self.by_masks
        parts = list(find(candidates, class_index, classes, nearest_two))
        return SwapGains(*(np.concatenate(part) for part in zip(*parts, strict=True)))

    def _in_partitions(
        self, candidates: NDArray[np.int64], class_index: int, classes: NDArray[np.int64], nearest_two: NearestTwo
    ) -> SwapGains:
        """Return the gains of candidates where rows lie in partitions: what they add and recover in each adds up."""
        assert isinstance(self._table, PartitionedTable)  # for the type checker
        class_slice = slice(self._first_row, self._first_row + len(self._rows))
        nearest = (nearest_two.nearest[class_slice], nearest_two.second[class_slice], nearest_two.owners[class_slice])
        parts = self._table.with_rows(self._rows, *nearest)
        additions = np.zeros(len(candidates), dtype=np.int64)
        recovered = np.zeros((len(classes), len(candidates)), dtype=np.int64)
        for some in blocks(len(candidates), BLOCK):
            candidate_codes = self._table.codes_of(candidates[some])
            for added, recovered_in_part in parts.map(_swap_sums, self._weights, candidate_codes, len(classes)):
                additions[some] += added
                recovered[:, some] += recovered_in_part
                self._tick()
        return best_swaps(additions, recovered, class_index, classes, nearest_two)

    def by_pairs(
        self, candidates: NDArray[np.int64], class_index: int, classes: NDArray[np.int64], nearest_two: NearestTwo
    ) -> Iterator[SwapGains]:
        """Yield the gains of a few candidates at a time, by listing pairs."""
        second = nearest_two.second[self._first_row : self._first_row + len(self._rows)]
        for close_pairs in self._sweep.close_pairs(candidates, second, _PAIRS_AT_ONCE):
            members = close_pairs.targets + np.int32(self._first_row)
            pairs = Pairs(close_pairs.starts[:-1], close_pairs.starts[1:], members, close_pairs.proximities)
            some = np.arange(len(close_pairs.candidates))
            yield find_swap_gains(pairs, some, np.full(len(some), class_index), classes, nearest_two)

    def by_masks(
        self, candidates: NDArray[np.int64], class_index: int, classes: NDArray[np.int64], nearest_two: NearestTwo
    ) -> Iterator[SwapGains]:
        """Yield the gains of 512 candidates at a time, by adding masks."""
        for start in range(0, len(candidates), BLOCK):
            block = candidates[start : start + BLOCK]
            additions, recovered = self._sum_up(block, len(classes), nearest_two)
            yield best_swaps(additions[: len(block)], recovered[:, : len(block)], class_index, classes, nearest_two)

    def _sum_up(
        self, block: NDArray[np.int64], n_prototypes: int, nearest_two: NearestTwo
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return what each candidate adds, (512,), and what it recovers of removal losses, (n_prototypes, 512)."""
        masks = leaf_masks(self._table.codes, self._table.offsets, block)
        owners = nearest_two.owners[self._first_row : self._first_row + len(self._rows)]
        by_owner = np.argsort(owners, kind="stable") + self._first_row

        def excess(some: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
            return self._excess(some, masks, nearest_two)

        additions = np.zeros(BLOCK, dtype=np.int64)
        recovered = np.zeros((n_prototypes + 1, BLOCK), dtype=np.int64)
        with closing(in_order(excess, _rows_of_one_owner(by_owner, nearest_two.owners[by_owner]))) as done:
            for some, (over_nearest, over_second) in done:
                additions += over_nearest
                recovered[nearest_two.owners[some[0]]] += over_second - over_nearest
                self._tick()
        return additions, recovered[:n_prototypes]  # the last one is of rows without a prototype

    def _excess(
        self, some: NDArray[np.int64], masks: LeafMasks, nearest_two: NearestTwo
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return by how much each candidate's proximities to some rows exceed the nearest and the second nearest."""
        sums = room_for_sums(len(some), self._plan)
        rows = self._rows[some - self._first_row]
        add_masks(Targets(self._table.codes, self._table.offsets, rows), masks, self._plan, sums)
        over_nearest, over_second = np.zeros(BLOCK, dtype=np.int64), np.zeros(BLOCK, dtype=np.int64)
        add_excess(sums, self._plan.n_digits, nearest_two.nearest[some], over_nearest)
        add_excess(sums, self._plan.n_digits, nearest_two.second[some], over_second)
        return over_nearest, over_second


def _swap_sums(
    table: LeafTable,
    nearest_two: tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]],
    weights: NDArray[np.int64],
    candidate_codes: NDArray[Any],
    n_prototypes: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return what each candidate adds in a partition, and recovers of each prototype's removal loss there."""
    rows, nearest, second, owners = nearest_two
    sweep = Sweep(table, weights, rows.astype(np.int64), candidate_codes=read_only(candidate_codes))
    additions = np.zeros(candidate_codes.shape[1], dtype=np.int64)
    recovered = np.zeros((n_prototypes + 1, candidate_codes.shape[1]), dtype=np.int64)
    n_done = 0
    for pairs in sweep.close_pairs(np.arange(candidate_codes.shape[1]), second, _PAIRS_AT_ONCE):
        which = n_done + np.repeat(np.arange(len(pairs.candidates)), np.diff(pairs.starts))
        near, target = pairs.proximities.astype(np.int64), pairs.targets
        np.add.at(additions, which, np.maximum(near - nearest[target], 0))
        np.add.at(recovered, (owners[target], which), np.minimum(near, nearest[target]) - second[target])
        n_done += len(pairs.candidates)
    return additions, recovered[:n_prototypes]  # the last one is of rows without a prototype


def _rows_of_one_owner(rows: NDArray[np.int64], owners: NDArray[np.int32]) -> Iterator[NDArray[np.int64]]:
    """Yield rows that have the same nearest prototype, up to 1,024 at a time; they come in the order of owners."""
    for some in np.split(rows, np.flatnonzero(np.diff(owners)) + 1):
        for start in range(0, len(some), _TARGETS_AT_ONCE):
            yield some[start : start + _TARGETS_AT_ONCE]
