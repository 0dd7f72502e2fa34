"""Two methods to compare candidates with all rows, which give the same integers.

``MaskSweep`` adds up bit masks of the rows in each leaf: 512 candidates for the price of one, where leaves are large.
``ListSweep`` visits the rows that are listed in the leaves of the candidates: cheap where leaves are small. ``sweep``
chooses between them.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..compute.progress import Tick
from ..compute.threads import in_order, n_cores
from ..leaf_space.binary_sums import Found, limits_by_digit, list_above, list_both, tally_above
from ..leaf_space.leaf_masks import BLOCK, LeafMasks, Targets, add_masks, leaf_masks, plan_adding, room_for_sums
from ..leaf_space.leaves import LeafTable
from .pair_lists import FoundPairs, blocks, drain, drain_both

Result = TypeVar("Result")

_NANOSECONDS_PER_PIECE = 1e8
_PIECES_WORTH_THREADS = (
    100  # as many short ones take as long: a millisecond each, a few times what starting threads takes
)
_CANDIDATES_PER_PIECE = 64
_TARGETS_AT_ONCE, _TARGETS_AT_ONCE_IN_GROUPS = 512, 2048  # groups of trees are for working through many targets
_SAMPLED = 32  # candidates whose lists are counted

# Measured on one core of a server of 2024; they affect speed only.
_NANOSECONDS_PER_MASK = 1.5
_NANOSECONDS_PER_LOOKUP = 1.5
_NANOSECONDS_PER_TARGET = 500.0
_NANOSECONDS_PER_VISIT = 2.0
_NANOSECONDS_PER_LIST = 60.0  # finding it misses the caches


class Pieces:
    """Cuts work into pieces and counts what has been done.

    Parameters
    ----------
    tick
        Called after each piece; may raise to stop.
    """

    def __init__(self, tick: Tick) -> None:
        self.n_compared = 0  # pairs, over all work so far
        self.tick = tick

    def __call__(
        self, work: Callable[[slice], Result], n_items: int, longest: int, n_pairs_per_item: int
    ) -> Iterator[Result]:
        """Yield what threads make of pieces of ``range(n_items)``, in their order.

        ``longest`` is how many items take ``_NANOSECONDS_PER_PIECE``.
        """
        is_worth_threads = n_items * _PIECES_WORTH_THREADS > longest
        pieces = blocks(n_items, max(1, min(longest, -(-n_items // n_cores())) if is_worth_threads else n_items))
        with closing(in_order(work, pieces)) as done:  # whatever happens, no thread is left running
            for piece, result in done:
                yield result
                self.n_compared += (piece.stop - piece.start) * n_pairs_per_item
                self.tick()


class MaskSweep:
    """Compares blocks of at most 512 candidates with rows of a table.

    ``candidate_codes``, (n_trees, n_rows), are the codes that candidates are numbered among: the table's own, or
    those of other rows.
    """

    def __init__(
        self, table: LeafTable, weights: NDArray[np.int64], pieces: Pieces, candidate_codes: NDArray[Any] | None = None
    ) -> None:
        self._table, self._pieces, self._candidate_codes = table, pieces, candidate_codes
        self._plan = plan_adding(weights, _n_masks_per_tree(table))
        self.nanoseconds_per_target = (
            len(self._plan.trees) * _NANOSECONDS_PER_MASK
            + table.n_trees * _NANOSECONDS_PER_LOOKUP
            + _NANOSECONDS_PER_TARGET
        )

    def tally(
        self, candidates: NDArray[np.int64], targets: NDArray[np.int64], limits: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return how many targets are above their limit, and by how much: (2, n_lines of limits, n_candidates)."""
        masks = self._masks(candidates)

        def tally(part: slice) -> NDArray[np.int64]:
            found = np.zeros((2, len(limits), BLOCK), dtype=np.int64)
            for some, sums in self._sums(targets[part], masks):
                for line, its_limits in enumerate(limits[:, part]):
                    tally_above(sums, self._plan.n_digits, its_limits[some], *found[:, line])
            return found

        total = np.zeros((2, len(limits), BLOCK), dtype=np.int64)
        for found in self._pieces(tally, len(targets), self._targets_per_piece, len(candidates)):
            total += found
        return total[:, :, : len(candidates)]

    def close_pairs(
        self, candidates: NDArray[np.int64], targets: NDArray[np.int64], thresholds: NDArray[np.int64]
    ) -> Iterator[FoundPairs]:
        """Yield the pairs whose proximity is above the target's threshold."""
        masks = self._masks(candidates)

        def close(part: slice) -> list[FoundPairs]:
            found = []
            for some, sums in self._sums(targets[part], masks):
                find = partial(list_above, sums, self._plan.n_digits, thresholds[part][some])
                first = np.int32(part.start + some.start)
                found += [FoundPairs(c, t + first, p) for c, t, p in drain(find, len(sums), BLOCK)]
            return found

        return chain.from_iterable(self._pieces(close, len(targets), self._targets_per_piece, len(candidates)))

    def pairs_both_ways(
        self, rows: NDArray[np.int64], block: slice, thresholds: NDArray[np.int64]
    ) -> Iterator[tuple[FoundPairs, FoundPairs]]:
        """Yield the close pairs of a block of rows with these and all later ones; see ``PairsBothWays``."""
        masks, n_digits = self._masks(rows[block]), self._plan.n_digits
        limits = limits_by_digit(thresholds[block], n_digits)

        def close(part: slice) -> list[tuple[FoundPairs, FoundPairs]]:
            found = []
            for some, sums in self._sums(rows[block.start :][part], masks):
                first = block.start + part.start + some.start
                find = partial(list_both, sums, n_digits, thresholds[first : first + len(sums)], limits)
                for own, mirrored in drain_both(find, len(sums), BLOCK):
                    later = slice(int(np.searchsorted(mirrored.targets, block.stop - first)), None)
                    candidates = mirrored.targets[later] + np.int32(first)
                    members = mirrored.candidates[later] + np.int32(block.start)
                    seen = FoundPairs(candidates, members, mirrored.proximities[later])
                    found.append((own._replace(targets=own.targets + np.int32(first)), seen))
            return found

        n_targets = len(rows) - block.start
        return chain.from_iterable(self._pieces(close, n_targets, self._targets_per_piece, block.stop - block.start))

    @property
    def _targets_per_piece(self) -> int:
        return int(_NANOSECONDS_PER_PIECE / self.nanoseconds_per_target)

    def _masks(self, candidates: NDArray[np.int64]) -> LeafMasks:
        candidate_codes = self._table.codes if self._candidate_codes is None else self._candidate_codes
        return leaf_masks(candidate_codes, self._table.offsets, candidates)

    def _sums(self, targets: NDArray[np.int64], masks: LeafMasks) -> Iterator[tuple[slice, NDArray[np.uint64]]]:
        """Yield some of the targets after the other and their proximities to a block, digit by digit."""
        in_groups = len(self._plan.counts) > 2  # noqa: PLR2004  # beginnings and an end
        at_once = min(_TARGETS_AT_ONCE_IN_GROUPS if in_groups else _TARGETS_AT_ONCE, len(targets))
        room = room_for_sums(at_once, self._plan)
        for part in blocks(len(targets), at_once):
            sums = room[: part.stop - part.start]
            add_masks(Targets(self._table.codes, self._table.offsets, targets[part]), masks, self._plan, sums)
            yield part, sums


def _n_masks_per_tree(table: LeafTable) -> float:
    """Return how many leaves of a tree, on average, hold rows of a block drawn from all rows."""
    shares = table.leaf_sizes / table.n_rows
    return float((1 - (1 - shares) ** BLOCK).sum() / table.n_trees)


class ListSweep:
    """Compares candidates with rows of a table; ``candidate_codes`` as in ``MaskSweep``."""

    def __init__(
        self, table: LeafTable, weights: NDArray[np.int64], pieces: Pieces, candidate_codes: NDArray[Any] | None = None
    ) -> None:
        self._table, self._weights, self._pieces, self._own = table, weights, pieces, candidate_codes

    @property
    def _candidate_codes(self) -> NDArray[Any]:
        return self._table.codes if self._own is None else self._own

    def nanoseconds(self, candidates: NDArray[np.int64]) -> float:
        """Return what it takes to compare some candidates with all rows, on one core; a sample of them is looked at."""
        table, some = self._table, candidates[:: -(-len(candidates) // _SAMPLED)]
        leaves = table.offsets[:-1, None] + self._candidate_codes[:, some]
        n_visits = (table.starts[leaves + 1] - table.starts[leaves]).sum() / len(some)
        each = table.n_trees * _NANOSECONDS_PER_LIST + n_visits * _NANOSECONDS_PER_VISIT
        return float(len(candidates) * each)

    def tally(
        self, candidates: NDArray[np.int64], targets: NDArray[np.int64], limits: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return how many targets are above their limit, and by how much: (2, n_lines of limits, n_candidates)."""
        lists, by_row = self._lists(), self._by_row(targets, limits)
        found = np.zeros((len(candidates), len(limits), 2), dtype=np.int64)

        def tally(part: slice) -> None:
            _tally_above(lists, by_row, candidates[part], found[part])

        for _ in self._pieces(tally, len(candidates), _CANDIDATES_PER_PIECE, len(targets)):
            pass
        return found.T

    def close_pairs(
        self, candidates: NDArray[np.int64], targets: NDArray[np.int64], thresholds: NDArray[np.int64]
    ) -> Iterator[FoundPairs]:
        """Yield the pairs whose proximity is above the target's threshold; targets are ascending."""
        lists, by_row = self._lists(), self._by_row(targets, thresholds[None])
        place_of = np.empty(self._table.n_rows, dtype=np.int32)
        place_of[targets] = np.arange(len(targets))

        def close(part: slice) -> list[FoundPairs]:
            find = partial(_list_close, lists, by_row, candidates[part])
            return [
                FoundPairs(positions + np.int32(part.start), place_of[rows], near)
                for positions, rows, near in drain(find, part.stop - part.start, self._table.n_rows)
            ]

        return chain.from_iterable(self._pieces(close, len(candidates), _CANDIDATES_PER_PIECE, len(targets)))

    def _lists(self) -> "_Lists":
        table = self._table
        return _Lists(self._candidate_codes, table.offsets, table.starts, table.members, self._weights)

    def _by_row(self, targets: NDArray[np.int64], limits: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the targets' limits by row, (n_rows, n_lines); nothing exceeds those of other rows."""
        by_row = np.full((self._table.n_rows, len(limits)), np.iinfo(np.int64).max, dtype=np.int64)
        by_row[targets] = limits.T
        return by_row


class _Lists(NamedTuple):
    """The rows of each leaf, as in ``LeafTable``, and what each tree counts."""

    codes: NDArray[Any]  # (n_trees, n_candidates) of what candidates are numbered among
    offsets: NDArray[np.int64]
    starts: NDArray[np.int64]
    members: NDArray[np.int32]
    weights: NDArray[np.int64]


@compiled
def _tally_above(
    lists: _Lists, limits: NDArray[np.int64], candidates: NDArray[np.int64], found: NDArray[np.int64]
) -> None:
    n_rows, n_lines = limits.shape
    shared, visited = np.zeros(n_rows, dtype=np.uint32), np.empty(n_rows + 1, dtype=np.int32)
    for candidate in range(len(candidates)):
        for place in range(_visit(lists, candidates[candidate], shared, visited)):
            row = visited[place]
            for line in range(n_lines):
                excess = max(0, np.int64(shared[row]) - limits[row, line])
                found[candidate, line, 0] += int(excess > 0)
                found[candidate, line, 1] += excess
            shared[row] = 0


@compiled
def _list_close(
    lists: _Lists, limits: NDArray[np.int64], candidates: NDArray[np.int64], start: int, found: Found
) -> tuple[int, int]:
    """List candidates (as positions), rows and proximities as long as there is room; return how many and the next."""
    n_rows = len(limits)
    shared, visited = np.zeros(n_rows, dtype=np.uint32), np.empty(n_rows + 1, dtype=np.int32)
    n_found = 0
    for candidate in range(start, len(candidates)):
        if n_found + n_rows > len(found[0]):
            return n_found, candidate
        for place in range(_visit(lists, candidates[candidate], shared, visited)):
            row = visited[place]
            if np.int64(shared[row]) > limits[row, 0]:
                found[0][n_found], found[1][n_found], found[2][n_found] = candidate, row, shared[row]
                n_found += 1
            shared[row] = 0
    return n_found, len(candidates)


@compiled
def _visit(lists: _Lists, candidate: int, shared: NDArray[np.uint32], visited: NDArray[np.int32]) -> np.int64:
    """Add up the weights of the leaves that rows share with a candidate; return how many rows share any."""
    n_visited = np.uint32(0)  # numbers without a sign are taken for indices as they are
    for tree in range(len(lists.weights)):
        leaf = lists.offsets[tree] + lists.codes[tree, candidate]
        members, weight = lists.members[lists.starts[leaf] : lists.starts[leaf + 1]], np.uint32(lists.weights[tree])
        if weight == 0:
            continue
        for place in range(len(members)):
            row = np.uint32(members[place])
            before = shared[row]
            visited[n_visited] = row  # stays if the row is new: cheaper than a branch that is often guessed wrong
            n_visited += np.uint32(before == 0)
            shared[row] = before + weight
    return np.int64(n_visited)
