"""Nearest rows by visiting the rows listed in leaves: for deep trees, whose leaves hold few rows.

A block of queries is searched for at once. Each leaf that any of them reaches is visited once for all of them: to each
row listed, a line of weights is added, one for each query, which is 0 for those that are not in the leaf. This is quick
where queries of a block share leaves, and where rows listed together lie close together. So rows are ordered first; the
order affects speed only. Each row goes to the nearest of a few rows, the pivots; these form a chain, in which each is
followed by the nearest that is left; and the rows of a pivot are ordered by their leaf in the first tree, as
neighbouring leaves have neighbouring numbers.
"""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, compiled_for_loops
from ..compute.progress import Tick, no_tick
from ..compute.threads import in_order
from .leaves import LeafTable
from .nearest_by_codes import Search, fill_up, keep_if_near, ranked, search_codes, search_for, some_queries, to_beat
from .rows_by_leaf import list_members

LeavesOf = Callable[[NDArray[np.int64]], NDArray[np.int32]]
"""Returns the leaves of rows, (n_rows, n_trees), by their numbers."""

BLOCK_QUERIES = 64
MAX_PIVOTS = 256
_ROWS_PER_PIVOT = 64  # at least: a block of rows that are searched for together
_ROWS_AT_ONCE = 2048  # whose nearest pivots are found
_TILE_BYTES = 2**19  # of sums, for some rows and a block of queries: half of a core's second cache
_STRIP_ROWS = 32
_VISITS_A_STRIP = 16
_BEYOND_ALL = np.iinfo(np.int32).max


class RankedLists(NamedTuple):
    """The rows of each leaf, by their ranks in an order that puts rows which share leaves side by side."""

    order: NDArray[np.int64]  # (n_rows,) row of each rank
    offsets: NDArray[np.int64]  # (n_trees + 1,) where each tree's leaves begin among all leaves
    starts: NDArray[np.int64]  # (n_leaves + 1,) where each leaf's ranks begin in members
    members: NDArray[np.int32]  # (n_trees * n_rows,) ranks, leaf by leaf, ascending


def list_ranks(table: LeafTable, order: NDArray[np.int64], tick: Tick = no_tick) -> RankedLists:
    """List the rows of a table in this order, 4 bytes for each row and tree; ``tick`` is called in between."""
    members = np.empty(table.codes.shape, dtype=np.int32)

    def write_lists(tree: int) -> None:
        tree_slice = slice(tree, tree + 1)
        line = table.codes[tree_slice][:, order]
        line.flags.writeable = False  # as the table's codes are: the loop is compiled for those
        list_members(line, table.offsets[tree_slice], table.starts, members[tree_slice])

    with closing(in_order(write_lists, range(table.n_trees))) as written:
        for _ in written:
            tick()
    return RankedLists(order, table.offsets, table.starts, members.reshape(-1))


class _Visits(NamedTuple):
    """The leaves that a block of queries reaches, and how far the rows listed there were visited."""

    lines: NDArray[Any]  # (n_lists, n_queries) a tree's weight for queries that are in the leaf, 0 for others
    begun: NDArray[np.int64]  # (n_lists,) the first index in members that was visited for the current tile
    reached: NDArray[np.int64]  # (n_lists,) the index after the last one visited
    ends: NDArray[np.int64]  # (n_lists,) where the list ends
    upcoming: NDArray[np.int32]  # (n_lists,) the rank at the index reached; beyond all at the end of a list


class _Board(NamedTuple):
    """Proximities of a tile of rows to a block of queries, in a type that holds them."""

    sums: NDArray[Any]  # (n_rows, n_queries) 0 where nothing has been added
    largest: NDArray[Any]  # (n_queries,) room for the largest of some rows' sums
    to_beat: NDArray[Any]  # (n_queries,) smaller sums do not matter; at least 1


@compiled
def search_lists(lists: RankedLists, weights: NDArray[Any], search: Search) -> None:
    """Find the nearest rows; parameters as of ``search_codes``. Queries that follow each other should share leaves."""
    n_rows, (n_queries, n_trees) = len(lists.order), search.leaves.shape
    width = min(BLOCK_QUERIES, n_queries)
    tile_rows = min(n_rows, _TILE_BYTES // (width * weights.itemsize))
    board = _Board(
        np.zeros((tile_rows, width), weights.dtype), np.empty(width, weights.dtype), np.empty(width, weights.dtype)
    )
    buffers = _Visits(
        np.empty((width * n_trees, width), weights.dtype),
        np.empty(width * n_trees, np.int64),
        np.empty(width * n_trees, np.int64),
        np.empty(width * n_trees, np.int64),
        np.empty(width * n_trees, np.int32),
    )
    number = np.full(np.diff(lists.offsets).max(), -1, np.int32)
    ranks = np.arange(n_rows).astype(np.int32)
    for first in range(0, n_queries, width):
        block = some_queries(search, first, min(first + width, n_queries))
        visits = _visits_of(lists, block.leaves, weights, number, buffers)
        board.to_beat[:] = 1
        for first_rank in range(0, n_rows, tile_rows):
            tile = ranks[first_rank : first_rank + tile_rows]
            n_visits = _add_tile(lists.members, tile, visits, board.sums)
            _keep_near(lists, tile, n_visits, visits, board, block)
    fill_up(search)


@compiled_for_loops
def _visits_of(
    lists: RankedLists, leaves: NDArray[np.int32], weights: NDArray[Any], number: NDArray[np.int32], buffers: _Visits
) -> _Visits:
    """Note each leaf that a query reaches, once; ``number`` is -1 everywhere before and after."""
    n_lists = 0
    for tree in range(leaves.shape[1]):
        for query in range(leaves.shape[0]):
            code = leaves[query, tree]
            if number[code] < 0:
                number[code] = n_lists
                leaf = lists.offsets[tree] + code
                buffers.lines[n_lists] = 0
                buffers.reached[n_lists], buffers.ends[n_lists] = lists.starts[leaf], lists.starts[leaf + 1]
                buffers.upcoming[n_lists] = _rank_at(lists.members, lists.starts[leaf], lists.starts[leaf + 1])
                n_lists += 1
            buffers.lines[number[code], query] = weights[tree]
        for query in range(leaves.shape[0]):
            number[leaves[query, tree]] = -1
    return _Visits(
        buffers.lines[:n_lists],
        buffers.begun[:n_lists],
        buffers.reached[:n_lists],
        buffers.ends[:n_lists],
        buffers.upcoming[:n_lists],
    )


@compiled_for_loops
def _rank_at(members: NDArray[np.int32], index: int, end: int) -> int:
    return members[index] if index < end else _BEYOND_ALL


@compiled_for_loops
def _add_tile(members: NDArray[np.int32], tile: NDArray[np.int32], visits: _Visits, sums: NDArray[Any]) -> int:
    """Go on in each list as far as the tile reaches; return how many rows were visited."""
    first_rank, last_rank = tile[0], tile[-1]
    n_visits = 0
    for at in range(len(visits.lines)):
        index, end = visits.reached[at], visits.ends[at]
        visits.begun[at] = index
        rank = visits.upcoming[at]
        if rank > last_rank:
            continue
        line = visits.lines[at]
        while rank <= last_rank:
            into = sums[rank - first_rank]
            for query in range(len(line)):
                into[query] += line[query]
            index += 1
            rank = _rank_at(members, index, end)
        visits.reached[at], visits.upcoming[at] = index, rank
        n_visits += index - visits.begun[at]
    return n_visits


@compiled_for_loops
def _keep_near(
    lists: RankedLists, tile: NDArray[np.int32], n_visits: int, visits: _Visits, board: _Board, search: Search
) -> None:
    """Keep the near ones of the rows that were visited, and clear the board."""
    if n_visits == 0:
        return
    if n_visits * _VISITS_A_STRIP < len(tile):
        for at in range(len(visits.lines)):
            if visits.begun[at] < visits.reached[at]:
                strip = lists.members[visits.begun[at] : visits.reached[at]]
                _keep_near_in(strip, tile[0], lists.order, board, search)
    else:
        for at in range(0, len(tile), _STRIP_ROWS):
            _keep_near_in(tile[at : at + _STRIP_ROWS], tile[0], lists.order, board, search)


@compiled_for_loops
def _keep_near_in(
    strip: NDArray[np.int32], first_rank: int, order: NDArray[np.int64], board: _Board, search: Search
) -> None:
    """Look at some ranks query by query only where one of them is near enough."""
    board.largest[:] = 0
    for rank in strip:
        line = board.sums[rank - first_rank]
        for query in range(len(line)):
            board.largest[query] = max(board.largest[query], line[query])
    for query in range(len(search.leaves)):
        # Ranks say nothing of rows: one that is as near as the farthest kept may be lower than that.
        if board.largest[query] >= board.to_beat[query]:
            for rank in strip:
                proximity = board.sums[rank - first_rank, query]
                if proximity >= board.to_beat[query]:
                    keep_if_near(search, query, order[rank], np.int64(proximity))
                    board.to_beat[query] = max(1, to_beat(search, query))
    for rank in strip:
        board.sums[rank - first_rank] = 0


@dataclass(frozen=True, slots=True)
class Pivots:
    """Some rows of a table."""

    codes: NDArray[Any]  # (n_trees, n_pivots)
    chain_indices: NDArray[np.int64]  # (n_pivots,)
    weights: NDArray[Any]  # (n_trees,) uint16 or uint32

    def order(self, leaves_of: LeavesOf, n_rows: int, tick: Tick = no_tick) -> NDArray[np.int64]:
        """Return the order of rows, (n_rows,), whose leaves are had piece by piece; ``tick`` is called in between."""
        keys = np.empty((2, n_rows), dtype=np.int64)
        pieces = (np.arange(start, min(start + _ROWS_AT_ONCE, n_rows)) for start in range(0, n_rows, _ROWS_AT_ONCE))
        with closing(in_order(lambda rows: self._keys(leaves_of(rows)), pieces)) as key_parts:
            for rows, keys_of_rows in key_parts:
                keys[:, rows] = keys_of_rows
                tick()
        return np.lexsort(keys).astype(np.int64)

    def _keys(self, leaves: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        search = search_for(leaves, np.full(len(leaves), -1), 1)
        search_codes(self.codes, self.weights, search)
        nearest, _ = ranked(search)
        return leaves[:, 0], self.chain_indices[nearest[:, 0]]


def choose_pivots(table: LeafTable, weights: NDArray[Any]) -> Pivots:
    """Choose rows of a table, evenly spread."""
    n_pivots = max(1, min(MAX_PIVOTS, table.n_rows // _ROWS_PER_PIVOT))
    leaves = table.leaves_of(np.linspace(0, table.n_rows - 1, n_pivots).astype(np.int64))
    codes = np.ascontiguousarray(leaves.T, dtype=table.codes.dtype)
    codes.flags.writeable = False  # as the table's codes are: the loop is compiled for those
    return Pivots(codes, _chain(leaves, weights), weights)


def _chain(leaves: NDArray[np.int32], weights: NDArray[Any]) -> NDArray[np.int64]:
    """Return the index of each pivot in the chain."""
    is_left = np.ones(len(leaves), dtype=np.bool_)
    positions = np.zeros(len(leaves), dtype=np.int64)
    last = 0
    for index in range(1, len(leaves)):
        is_left[last] = False
        proximities = (leaves == leaves[last]) @ weights.astype(np.int64)
        last = int(np.where(is_left, proximities, -1).argmax())
        positions[last] = index
    return positions
