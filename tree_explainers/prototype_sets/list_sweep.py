"""Comparing candidates with all rows by visiting those listed in their leaves: cheap where leaves are small."""

from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, compiled_for_loops
from ..leaf_space.binary_sums import PairArrays
from ..leaf_space.leaves import LeafTable
from .pair_lists import FoundPairs, drain
from .work_items import Pieces

_CANDIDATES_PER_PIECE = 64
_SAMPLED = 32  # candidates whose lists are counted

# Measured on one core of a server of 2024; they affect speed only.
_NANOSECONDS_PER_VISIT = 2.0
_NANOSECONDS_PER_LIST = 60.0  # finding it misses the caches


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
        n_visits = table.sizes_of(leaves).sum() / len(some)
        each = table.n_trees * _NANOSECONDS_PER_LIST + n_visits * _NANOSECONDS_PER_VISIT
        return float(len(candidates) * each)

    def tally(
        self, candidates: NDArray[np.int64], targets: NDArray[np.int64], limits: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return how many targets are above their limit, and by how much: (2, n_lines of limits, n_candidates)."""
        lists, by_row = self._lists(), self._by_row(targets, limits)
        tallies = np.zeros((len(candidates), len(limits), 2), dtype=np.int64)

        def tally(part: slice) -> None:
            _tally_above(lists, by_row, candidates[part], tallies[part])

        for _ in self._pieces(tally, len(candidates), _CANDIDATES_PER_PIECE, len(targets)):
            pass
        return tallies.T

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
    lists: _Lists, limits: NDArray[np.int64], candidates: NDArray[np.int64], tallies: NDArray[np.int64]
) -> None:
    n_rows, n_lines = limits.shape
    shared, visited = np.zeros(n_rows, dtype=np.uint32), np.empty(n_rows + 1, dtype=np.int32)
    for candidate in range(len(candidates)):
        for index in range(_visit(lists, candidates[candidate], shared, visited)):
            row = visited[index]
            for line in range(n_lines):
                excess = max(0, np.int64(shared[row]) - limits[row, line])
                tallies[candidate, line, 0] += int(excess > 0)
                tallies[candidate, line, 1] += excess
            shared[row] = 0


@compiled
def _list_close(
    lists: _Lists, limits: NDArray[np.int64], candidates: NDArray[np.int64], start: int, pairs: PairArrays
) -> tuple[int, int]:
    """List candidates (as positions), rows and proximities as long as there is room; return how many and the next."""
    n_rows = len(limits)
    shared, visited = np.zeros(n_rows, dtype=np.uint32), np.empty(n_rows + 1, dtype=np.int32)
    n_found = 0
    for candidate in range(start, len(candidates)):
        if n_found + n_rows > len(pairs[0]):
            return n_found, candidate
        for index in range(_visit(lists, candidates[candidate], shared, visited)):
            row = visited[index]
            if np.int64(shared[row]) > limits[row, 0]:
                pairs[0][n_found], pairs[1][n_found], pairs[2][n_found] = candidate, row, shared[row]
                n_found += 1
            shared[row] = 0
    return n_found, len(candidates)


@compiled_for_loops
def _visit(lists: _Lists, candidate: int, shared: NDArray[np.uint32], visited: NDArray[np.int32]) -> np.int64:
    """Add up the weights of the leaves that rows share with a candidate; return how many rows share any."""
    n_visited = np.uint32(0)  # numbers without a sign are taken for indices as they are
    for tree in range(len(lists.weights)):
        leaf = lists.offsets[tree] + lists.codes[tree, candidate]
        members, weight = lists.members[lists.starts[leaf] : lists.starts[leaf + 1]], np.uint32(lists.weights[tree])
        if weight == 0:
            continue
        for index in range(len(members)):
            row = np.uint32(members[index])
            before = shared[row]
            visited[n_visited] = row  # stays if the row is new: cheaper than a branch that is often guessed wrong
            n_visited += np.uint32(before == 0)
            shared[row] = before + weight
    return np.int64(n_visited)
