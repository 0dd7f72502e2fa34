"""Comparing many candidates with all rows that they might stand for: what they would gain, and which pairs are close.

Two ways lead to the same integers. Where leaves are large, masks of who is in a leaf are added up (``leaf_masks``):
the price is the same for 1 and for 512 candidates. Where they are small, the rows listed in a candidate's leaves are
visited (``leaf_lists``). The sizes of the leaves tell which is cheaper. Either takes O(n_rows) beside what is found.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..binary_sums import Found, add_excess, list_above
from ..leaf_masks import BLOCK, WORDS, LeafMasks, Targets, add_masks, leaf_masks, plan_adding
from ..leaves import LeafTable
from ..threads import in_order, n_cores
from .leaf_lists import LeafLists, add_gains_by_lists, list_close_by_lists

# Measured on one core of a server of 2024. They decide which way is taken, not what comes out.
_NANOSECONDS_PER_MASK = 1.5
_NANOSECONDS_PER_LOOKUP = 1.5
_NANOSECONDS_PER_TARGET = 500.0
_NANOSECONDS_PER_VISIT = 1.5
_NANOSECONDS_PER_LIST = 20.0

_NANOSECONDS_BETWEEN_REPORTS = 1e8
_SUMS_AT_ONCE = 1024
_FEW = 64  # candidates at a time where each has its own price
_ROOM_FOR_PAIRS = 1 << 18

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class ClosePairs:
    """For some candidates, the targets that are closer than their thresholds, in no particular order.

    Those of candidate ``i`` are ``targets[starts[i] : starts[i + 1]]``.
    """

    candidates: NDArray[np.int64]  # (n_candidates,) rows
    starts: NDArray[np.int64]  # (n_candidates + 1,)
    targets: NDArray[np.int32]  # (n_pairs,) positions among the targets
    proximities: NDArray[np.uint32]  # (n_pairs,)


class Sweep:
    """Rows to be covered, the targets, and what other rows of the table would be as their prototypes.

    Parameters
    ----------
    table, weights
        All rows, and what each tree counts: not negative, summing to less than 2^32.
    targets : (n_targets,) int64
        Rows to be covered, ascending; as a rule those of one class.
    progressed
        Called several times a second while something is calculated; may raise to stop.
    """

    def __init__(
        self,
        table: LeafTable,
        weights: NDArray[np.int64],
        targets: NDArray[np.int64],
        progressed: Callable[[], None] = lambda: None,
    ) -> None:
        self.targets = targets
        self.n_compared = 0  # pairs so far, to tell how far the work is
        self._table, self._weights, self._progressed = table, weights, progressed
        self._plan = plan_adding(weights, min(BLOCK / 4, len(table.starts) / table.n_trees))
        self._nanoseconds_per_target = (
            len(self._plan.trees) * _NANOSECONDS_PER_MASK
            + table.n_trees * _NANOSECONDS_PER_LOOKUP
            + _NANOSECONDS_PER_TARGET
        )

    def n_at_once(self, candidates: NDArray[np.int64]) -> int:
        """Return how many candidates like these are looked at for the price of one."""
        return 1 if self._visits_are_cheaper(candidates[:: -(-len(candidates) // BLOCK)]) else BLOCK

    def gains(self, candidates: NDArray[np.int64], covered: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return by how much each candidate alone would raise the proximities that cover the targets, summed.

        Parameters
        ----------
        candidates : (n_candidates,) int64
            Rows of the table.
        covered : (n_targets,) int64
            Proximity of each target to what covers it now; 0 if nothing does.

        Returns
        -------
        (n_candidates,) int64
            Sum over targets of max(0, proximity - covered), in units of weight.
        """
        gains = np.empty(len(candidates), dtype=np.int64)
        for part in _blocks(len(candidates)):
            by_lists = self._visits_are_cheaper(candidates[part])
            gains[part] = (self._gains_by_lists if by_lists else self._gains_by_masks)(candidates[part], covered)
        return gains

    def close_pairs(
        self, candidates: NDArray[np.int64], thresholds: NDArray[np.int64], max_pairs: int
    ) -> Iterator[ClosePairs]:
        """Yield the pairs with a proximity above the target's threshold, of one candidate after the other.

        Parameters
        ----------
        candidates : (n_candidates,) int64
            Rows of the table.
        thresholds : (n_targets,) int64
            Not negative; not to be changed before all is told.
        max_pairs
            How many to tell at once, unless a single candidate has more.

        Yields
        ------
        ClosePairs
            Of consecutive candidates, up to 512.
        """
        for part in _blocks(len(candidates)):
            yield from self._close_pairs(candidates[part], thresholds, max_pairs)

    def _close_pairs(
        self, candidates: NDArray[np.int64], thresholds: NDArray[np.int64], max_pairs: int
    ) -> Iterator[ClosePairs]:
        by_lists = self._visits_are_cheaper(candidates)
        found, n_found = [_NOTHING], 0
        for some in (self._close_by_lists if by_lists else self._close_by_masks)(candidates, thresholds):
            found.append(some)
            n_found += len(some.targets)
            if n_found > max_pairs and len(candidates) > 1:
                break
        else:
            yield _by_candidate(candidates, found)
            return
        del found, some
        half = len(candidates) // 2
        yield from self._close_pairs(candidates[:half], thresholds, max_pairs)
        yield from self._close_pairs(candidates[half:], thresholds, max_pairs)

    def _visits_are_cheaper(self, candidates: NDArray[np.int64]) -> bool:
        table = self._table
        by_masks = len(self.targets) * self._nanoseconds_per_target
        finding_lists = len(candidates) * table.n_trees * _NANOSECONDS_PER_LIST
        if finding_lists > by_masks:
            return False  # whatever the sizes of the leaves
        leaves = table.offsets[:-1, None] + table.codes[:, candidates]
        n_visits = np.diff(table.starts)[leaves].sum()
        return bool(finding_lists + n_visits * _NANOSECONDS_PER_VISIT < by_masks)

    def _sums(self, part: slice, masks: LeafMasks) -> Iterator[tuple[slice, NDArray[np.uint64]]]:
        """Yield some of the targets after the other and their proximities to a block, digit by digit."""
        room = np.empty((_SUMS_AT_ONCE, WORDS * self._plan.n_lines), dtype=np.uint64)
        for start in range(part.start, part.stop, _SUMS_AT_ONCE):
            some = slice(start, min(start + _SUMS_AT_ONCE, part.stop))
            sums = room[: some.stop - start]
            add_masks(Targets(self._table.codes, self._table.offsets, self.targets[some]), masks, self._plan, sums)
            yield some, sums

    def _masks(self, candidates: NDArray[np.int64]) -> LeafMasks:
        return leaf_masks(self._table.codes, self._table.offsets, candidates)

    def _by_pieces(
        self, work: Callable[[slice], Result], n_items: int, longest: int, n_against: int
    ) -> Iterator[Result]:
        """Yield what threads make of pieces of ``range(n_items)``, in their order, telling that there is progress."""
        pieces = _blocks(n_items, max(1, min(longest, -(-n_items // n_cores()))))
        with closing(in_order(work, pieces)) as done:  # whatever happens, no thread is left running
            for piece, result in done:
                yield result
                self.n_compared += (piece.stop - piece.start) * n_against
                self._progressed()

    def _over_targets(self, work: Callable[[slice], Result], n_candidates: int) -> Iterator[Result]:
        moment = int(_NANOSECONDS_BETWEEN_REPORTS / self._nanoseconds_per_target)
        return self._by_pieces(work, len(self.targets), moment, n_candidates)

    def _over_candidates(self, work: Callable[[slice], Result], n_candidates: int) -> Iterator[Result]:
        return self._by_pieces(work, n_candidates, _FEW, len(self.targets))

    def _gains_by_masks(self, candidates: NDArray[np.int64], covered: NDArray[np.int64]) -> NDArray[np.int64]:
        masks, total = self._masks(candidates), np.zeros(BLOCK, dtype=np.int64)

        def gains(part: slice) -> NDArray[np.int64]:
            some = np.zeros(BLOCK, dtype=np.int64)
            for targets, sums in self._sums(part, masks):
                add_excess(sums, self._plan.n_digits, covered[targets], some)
            return some

        for some in self._over_targets(gains, len(candidates)):
            total += some
        return total[: len(candidates)]

    def _close_by_masks(self, candidates: NDArray[np.int64], thresholds: NDArray[np.int64]) -> "Iterator[_Close]":
        masks = self._masks(candidates)

        def close(part: slice) -> list[_Close]:
            found = []
            for some, sums in self._sums(part, masks):
                find = partial(list_above, sums, self._plan.n_digits, thresholds[some])
                for rows, targets, proximities in _drain(find, len(sums), BLOCK):
                    found.append(_Close(rows, targets + np.int32(some.start), proximities))
            return found

        return chain.from_iterable(self._over_targets(close, len(candidates)))

    def _gains_by_lists(self, candidates: NDArray[np.int64], covered: NDArray[np.int64]) -> NDArray[np.int64]:
        lists, by_row = self._lists(), self._by_row(covered)
        gains = np.zeros(len(candidates), dtype=np.int64)

        def add(part: slice) -> None:
            add_gains_by_lists(lists, by_row, candidates[part], gains[part])

        for _ in self._over_candidates(add, len(candidates)):
            pass
        return gains

    def _close_by_lists(self, candidates: NDArray[np.int64], thresholds: NDArray[np.int64]) -> "Iterator[_Close]":
        lists, by_row = self._lists(), self._by_row(thresholds)

        def close(part: slice) -> list[_Close]:
            find = partial(list_close_by_lists, lists, by_row, candidates[part])
            return [
                _Close(lanes + np.int32(part.start), np.searchsorted(self.targets, rows).astype(np.int32), proximities)
                for lanes, rows, proximities in _drain(find, part.stop - part.start, self._table.n_rows)
            ]

        return chain.from_iterable(self._over_candidates(close, len(candidates)))

    def _lists(self) -> LeafLists:
        table = self._table
        return LeafLists(table.codes, table.offsets, table.starts, table.members, self._weights)

    def _by_row(self, limits: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the targets' limits by row; nothing is nearer to other rows than theirs."""
        by_row = np.full(self._table.n_rows, np.iinfo(np.int64).max, dtype=np.int64)
        by_row[self.targets] = limits
        return by_row


class _Close(NamedTuple):
    candidates: NDArray[np.int32]  # positions
    targets: NDArray[np.int32]  # positions
    proximities: NDArray[np.uint32]


_NOTHING = _Close(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.uint32))


def _blocks(n_items: int, length: int = BLOCK) -> list[slice]:
    return [slice(start, min(start + length, n_items)) for start in range(0, n_items, length)]


def _drain(find: Callable[[int, Found], tuple[int, int]], n_items: int, most_for_one: int) -> Iterator[Found]:
    """Yield what is found for items 0, 1, …, as much at a time as there is room for."""
    n_room = max(_ROOM_FOR_PAIRS, most_for_one)
    room = np.empty(n_room, np.int32), np.empty(n_room, np.int32), np.empty(n_room, np.uint32)
    following = 0
    while following < n_items:
        n_found, following = find(following, room)
        yield room[0][:n_found].copy(), room[1][:n_found].copy(), room[2][:n_found].copy()


def _by_candidate(candidates: NDArray[np.int64], found: list[_Close]) -> ClosePairs:
    positions, targets, proximities = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.argsort(positions, kind="stable")
    starts = np.cumsum(np.bincount(positions + 1, minlength=len(candidates) + 1)).astype(np.int64)
    return ClosePairs(candidates, starts, targets[order], proximities[order])
