"""The nearest row of another group of every row, by visiting the rows of other groups that are listed in its leaves.

Where groups are what the trees predict, most leaves hold few rows of more than one group: a thousandth of what all
comparisons between groups would be is visited. Each pair of rows is met once, and serves both of them.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, compiled_for_loops
from ..compute.threads import in_order, in_threads
from .leaves import LeafTable
from .nearest_by_codes import LAST_ROW, ROW_BITS, key_of, row_and_proximity
from .nearest_by_masks import NearestWithin

_MOST_LISTED = 2**16  # rows at once, so that each takes two bytes in a list
_MOST_CELLS = 2**25  # of rows and trees in lists: 64 MiB
_QUERIES_AT_ONCE, _QUERIES_PER_PIECE = 32, 512
_ROWS_AT_ONCE = 64
_SAMPLED_TREES = 32

# Measured on one busy core of a 2025 server; they affect speed only.
_NANOSECONDS_PER_LISTED = 3.0  # row and tree
_NANOSECONDS_PER_LIST = 15.0  # for each query and tree
_NANOSECONDS_PER_VISIT = 2.0
_NANOSECONDS_PER_SUM = 0.2


class _Trees(NamedTuple):
    """The leaves of all rows, and what each tree counts."""

    codes: NDArray[Any]  # (n_trees, n_rows)
    offsets: NDArray[np.int64]  # (n_trees + 1,)
    weights: NDArray[Any]  # (n_trees,) uint16 or uint32, which holds their sum


class _Lists(NamedTuple):
    """The rows of each leaf among some rows, by their indices among these."""

    starts: NDArray[np.uint32]  # (n_leaves + n_trees,) where a leaf's list begins among its tree's, and the last ends
    members: NDArray[np.uint16]  # (n_trees, n_listed) ascending in each leaf


class _Queries(NamedTuple):
    """Rows, and the first listed row that each is compared with."""

    rows: NDArray[np.int64]  # (n_queries,)
    first: NDArray[np.int64]  # (n_queries,)


class _Listed(NamedTuple):
    """The rows that are listed, and the keys of the nearest found for each."""

    rows: NDArray[np.int64]  # (n_listed,)
    keys: NDArray[np.int64]  # (n_listed,)
    to_reach: NDArray[Any]  # (n_listed,) by a proximity that may raise the key, 1 at least


class NearestBetweenGroups:
    """Finds the nearest other row of every row, where the nearest in groups of rows is known.

    Parameters
    ----------
    table
        The rows.
    weights : (n_trees,) int64
        What each tree counts; not negative, summing to less than 2^32.
    within
        The nearest in groups. For a row whose nearest is not known there, the nearest row of the other groups is found.
    """

    def __init__(self, table: LeafTable, weights: NDArray[np.int64], within: NearestWithin) -> None:
        self._table, self._within = table, within
        dtype = np.uint16 if int(weights.sum()) <= np.iinfo(np.uint16).max else np.uint32
        self._trees = _Trees(table.codes, table.offsets, weights.astype(dtype))
        groups, group_of_row, sizes = np.unique(within.groups, return_inverse=True, return_counts=True)
        ranks = np.empty(len(groups), dtype=np.int64)
        ranks[np.argsort(-sizes, kind="stable")] = np.arange(len(groups))  # the largest is never listed
        self._ranks = ranks[group_of_row]
        self._order = np.argsort(self._ranks, kind="stable")  # rows, group after group
        self._ends = np.cumsum(-np.sort(-sizes))  # where each group ends there

    @property
    def nanoseconds(self) -> float:
        """How long it takes, on one core."""
        n_listed, n_lists, n_sums = 0, 0, 0
        for listed in self._parts():
            n_queries = int(self._ends[self._ends < listed.stop].max(initial=0))
            n_listed += listed.stop - listed.start
            n_lists += n_queries
            n_sums += n_queries * (listed.stop - listed.start)
        per_tree = (
            n_listed * _NANOSECONDS_PER_LISTED
            + n_lists * _NANOSECONDS_PER_LIST
            + self._n_visits * _NANOSECONDS_PER_VISIT
        )
        return self._table.n_trees * per_tree + n_sums * _NANOSECONDS_PER_SUM

    @cached_property
    def _n_visits(self) -> float:
        """Pairs of rows of different groups in a leaf of a tree, for the mean of some trees."""
        table, n_groups = self._table, len(self._ends)
        trees = np.unique(np.linspace(0, table.n_trees - 1, _SAMPLED_TREES).astype(np.int64))
        n_pairs = 0
        for tree in trees:
            by_group = np.bincount(table.codes[tree].astype(np.int64) * n_groups + self._ranks)
            by_leaf = np.bincount(table.codes[tree])
            n_pairs += (int((by_leaf**2).sum()) - int((by_group**2).sum())) // 2
        return n_pairs / len(trees)

    def find(self, report: Callable[[float], None]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the nearest row of each (ties: the lowest) and its integer proximity, which can be 0: (n_rows,) each.

        ``report`` is called with the share of the pairs that were compared, and may raise to stop.
        """
        keys = self._first_keys()
        parts = list(self._parts())
        for number, part in enumerate(parts):

            def report_share(share: float, n_done: int = number) -> None:
                report((n_done + share) / len(parts))

            self._compare(part, keys, report_share)
        return row_and_proximity(keys)

    def _first_keys(self) -> NDArray[np.int64]:
        """Return the key of the nearest row known, or else of the lowest other row at proximity 0."""
        lowest = np.zeros(self._table.n_rows, dtype=np.int64)
        lowest[0] = 1
        keys = key_of(lowest, np.zeros_like(lowest))
        known = key_of(self._within.rows, self._within.proximities)
        return np.where(self._within.is_known, np.maximum(keys, known), keys)

    def _parts(self) -> Iterator[slice]:
        """Yield which rows are listed at once, by their index in the order of groups."""
        length = max(_ROWS_AT_ONCE, min(_MOST_LISTED, _MOST_CELLS // self._table.n_trees))
        for start in range(int(self._ends[0]), self._table.n_rows, length):
            yield slice(start, min(start + length, self._table.n_rows))

    def _compare(self, part: slice, keys: NDArray[np.int64], report: Callable[[float], None]) -> None:
        """Compare listed rows with all rows of groups before theirs; raise keys to those of nearer rows."""
        listed = self._order[part]
        lists = self._list(listed)
        first = np.repeat(self._ends, np.diff(self._ends, prepend=0))[: part.stop] - part.start
        queries = _Queries(self._order[: part.stop], np.maximum(first, 0))
        n_queries = int((queries.first < len(listed)).sum())

        def compare(some: slice) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
            of_some = _Queries(queries.rows[some], queries.first[some])
            own_keys, listed_keys = keys[of_some.rows], keys[listed]
            to_reach = np.maximum(row_and_proximity(listed_keys)[1], 1).astype(self._trees.weights.dtype)
            _raise_keys(self._trees, of_some, lists, _Listed(listed, listed_keys, to_reach), own_keys)
            return own_keys, listed_keys

        starts = range(0, n_queries, _QUERIES_PER_PIECE)
        pieces = [slice(start, min(start + _QUERIES_PER_PIECE, n_queries)) for start in starts]
        with closing(in_order(compare, pieces)) as compared:
            for some, (of_queries, of_listed) in compared:
                keys[queries.rows[some]] = np.maximum(keys[queries.rows[some]], of_queries)
                keys[listed] = np.maximum(keys[listed], of_listed)
                report(some.stop / n_queries)

    def _list(self, listed: NDArray[np.int64]) -> _Lists:
        table = self._table
        starts = np.zeros(len(table.starts) - 1 + table.n_trees, dtype=np.uint32)
        lists = _Lists(starts, np.empty((table.n_trees, len(listed)), dtype=np.uint16))

        def write_lists(trees: slice) -> None:
            _list_rows(self._trees, listed, trees.start, trees.stop, lists)

        in_threads(write_lists, table.n_trees, n_steps=table.n_trees * len(listed))
        return lists


@compiled
def _list_rows(trees: _Trees, rows: NDArray[np.int64], first_tree: int, end: int, lists: _Lists) -> None:
    """Write the rows of each leaf of some trees, sorted by counting."""
    for tree in range(first_tree, end):
        starts = lists.starts[trees.offsets[tree] + tree : trees.offsets[tree + 1] + tree + 1]
        of_tree, members = trees.codes[tree], lists.members[tree]
        for row in rows:
            starts[of_tree[row] + 1] += np.uint32(1)
        for leaf in range(1, len(starts)):
            starts[leaf] += starts[leaf - 1]
        following = starts.copy()
        for index in range(len(rows)):
            leaf = of_tree[rows[index]]
            members[following[leaf]] = index
            following[leaf] += np.uint32(1)


@compiled
def _raise_keys(trees: _Trees, queries: _Queries, lists: _Lists, listed: _Listed, keys: NDArray[np.int64]) -> None:
    """Raise the keys of queries, (n_queries,), and of listed rows to those of each other."""
    n_trees, n_queries = len(trees.weights), len(queries.rows)
    bounds = np.empty((_QUERIES_AT_ONCE, n_trees, 2), dtype=np.uint32)
    sums = np.zeros(len(listed.rows), dtype=trees.weights.dtype)
    for begin in range(0, n_queries, _QUERIES_AT_ONCE):
        end = min(begin + _QUERIES_AT_ONCE, n_queries)
        _look_up(trees, queries.rows[begin:end], lists.starts, bounds)
        for query in range(begin, end):
            first, of_query = queries.first[query], bounds[query - begin]
            sums[first:] = 0
            for tree in range(n_trees):
                members, weight = lists.members[tree], trees.weights[tree]
                start, at = np.int64(of_query[tree, 0]), np.int64(of_query[tree, 1])
                while at > start and members[at - 1] >= first:
                    at -= 1
                    sums[members[at]] += weight
            keys[query] = _raise_by(queries.rows[query], first, sums, listed, keys[query])


@compiled_for_loops
def _look_up(trees: _Trees, rows: NDArray[np.int64], starts: NDArray[np.uint32], bounds: NDArray[np.uint32]) -> None:
    for tree in range(len(trees.weights)):
        of_tree, first = trees.codes[tree], trees.offsets[tree] + tree
        for index in range(len(rows)):
            leaf = first + of_tree[rows[index]]
            bounds[index, tree, 0], bounds[index, tree, 1] = starts[leaf], starts[leaf + 1]


@compiled_for_loops
def _raise_by(row: int, first: int, sums: NDArray[Any], listed: _Listed, key: int) -> int:
    """Raise the keys of listed rows by their proximities to a row; return that row's own."""
    least = sums.dtype.type(max(key >> ROW_BITS, 1))
    for start in range(first, len(sums), _ROWS_AT_ONCE):
        end, n_near = min(start + _ROWS_AT_ONCE, len(sums)), 0
        for index in range(start, end):  # without a jump, many at once
            n_near += sums[index] >= min(least, listed.to_reach[index])
        if n_near == 0:
            continue
        for index in range(start, end):
            near = np.int64(sums[index])
            if near >= least:
                key = max(key, (near << ROW_BITS) | (LAST_ROW - listed.rows[index]))
                least = sums.dtype.type(max(key >> ROW_BITS, 1))
            if near >= listed.to_reach[index]:
                listed.keys[index] = max(listed.keys[index], (near << ROW_BITS) | (LAST_ROW - row))
                listed.to_reach[index] = listed.keys[index] >> ROW_BITS
    return key
