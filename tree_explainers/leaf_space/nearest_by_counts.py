"""The nearest rows where it matters what rows count in leaves: the rows listed in a query's leaves are visited."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, inlined
from ..compute.progress import ReportProgress, ignore_progress
from .counted_table import TOTAL, CountedTable, unbagged
from .kept_rows import find_in_blocks, keep

_BLOCK_QUERIES = 512  # that a thread looks up at a time
_N_BITS = np.array([number.bit_count() for number in range(256)], np.int64)


class NearestByCounts:
    """Finds the nearest rows of a table by what rows count in leaves; see ``CountedTable``.

    Parameters
    ----------
    table
        The rows to choose from.
    """

    def __init__(self, table: CountedTable) -> None:
        self._table = table
        counted = table.counted
        self._lists = _Lists(counted.leaf_offsets, counted.starts, counted.rows, counted.counts, table.worths)
        in_bag = table.in_bag
        self._in_bag = unbagged(table.n_rows, table.n_trees) if in_bag is None else in_bag
        self._is_pairwise, self._is_mean = table.kind == "oob", table.kind == "gap"

    def of_rows(
        self, rows: NDArray[np.int64], n_neighbors: int, report: ReportProgress = ignore_progress
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the nearest other rows for some rows of the table.

        Parameters
        ----------
        rows : (n_queries,) int64
            Rows of the table.
        n_neighbors
            1 or more.
        report
            Progress callback; may raise to stop.

        Returns
        -------
        (n_queries, n_neighbors) int64, twice
            Neighbours, nearest first (ties: lowest row), and their proximities, 1 to ``TOTAL``; -1 and 0 where fewer
            rows are near at all.
        """
        nearest = np.empty((2, len(rows), n_neighbors), np.int64)

        def find(some: slice) -> None:
            block = rows[some]
            queries = _Queries(self._table.leaves_of(block), self._in_bag[block], block)
            _find_nearest(self._lists, queries, self._rule, nearest[0, some], nearest[1, some])

        find_in_blocks(find, len(rows), _BLOCK_QUERIES, report)
        return nearest[0], nearest[1]

    def columns(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the proximity of some rows of the table to all, themselves included: (n_queries, n_rows).

        A row that all trees drew is not near to anybody, not even to itself.
        """
        return self._columns(_Queries(self._table.leaves_of(rows), self._in_bag[rows], rows))

    def columns_of_new(self, leaves: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the proximity of rows that no tree learned from to all of the table, (n_queries, n_rows).

        Parameters
        ----------
        leaves : (n_queries, n_trees)
            Their leaves, numbered as in the table.
        """
        bags = unbagged(len(leaves), self._table.n_trees)
        return self._columns(_Queries(leaves, bags, np.full(len(leaves), -1)))

    @property
    def _rule(self) -> "_Rule":
        return _Rule(self._in_bag, self._table.n_trees, self._is_mean, self._is_pairwise)

    def _columns(self, queries: "_Queries") -> NDArray[np.int64]:
        proximities = np.zeros((len(queries.leaves), self._table.n_rows), np.int64)
        _fill_columns(self._lists, queries, self._rule, proximities)
        return proximities


class _Lists(NamedTuple):
    """The rows that count in each leaf."""

    offsets: NDArray[np.int64]  # (n_trees + 1,)
    starts: NDArray[np.int64]  # (n_leaves + 1,)
    rows: NDArray[np.int32]  # (n_entries,)
    counts: NDArray[np.uint16]  # (n_entries,)
    worths: NDArray[np.int64]  # (n_leaves,)


class _Queries(NamedTuple):
    """Rows whose neighbours are wanted."""

    leaves: NDArray[np.int32]  # (n_queries, n_trees)
    in_bag: NDArray[np.uint8]  # (n_queries, n_bytes)
    rows: NDArray[np.int64]  # (n_queries,) of the table; -1: of none


class _Rule(NamedTuple):
    """How sums over trees become proximities."""

    in_bag: NDArray[np.uint8]  # (n_rows, n_bytes) of the rows of the table
    n_trees: int
    is_mean: bool  # over the trees that did not draw the query
    is_pairwise: bool  # a share of the trees that drew neither row


@compiled
def _find_nearest(
    lists: _Lists, queries: _Queries, rule: _Rule, neighbors: NDArray[np.int64], proximities: NDArray[np.int64]
) -> None:
    """Write the nearest rows of each query and their proximities, (n_queries, n_neighbors) each."""
    n_rows = len(rule.in_bag)
    sums, touched = np.zeros(n_rows, np.int64), np.empty(n_rows, np.int32)
    for query in range(len(queries.leaves)):
        nearest, near, n_kept = neighbors[query], proximities[query], 0
        n_touched, n_out = _add_up(lists, queries.leaves[query], queries.in_bag[query], sums, touched)
        for index in range(n_touched):
            row = touched[index]
            value, sums[row] = sums[row], 0
            if row == queries.rows[query]:
                continue
            value = _proximity(value, n_out, rule, queries.in_bag[query], row)
            n_kept = keep(nearest, near, n_kept, row, value)
        nearest[n_kept:] = -1
        near[n_kept:] = 0


@compiled
def _fill_columns(lists: _Lists, queries: _Queries, rule: _Rule, proximities: NDArray[np.int64]) -> None:
    """Write the proximity of each query to each row, (n_queries, n_rows), where it is not 0."""
    touched = np.empty(proximities.shape[1], np.int32)
    for query in range(len(queries.leaves)):
        line = proximities[query]
        n_touched, n_out = _add_up(lists, queries.leaves[query], queries.in_bag[query], line, touched)
        for index in range(n_touched):
            row = touched[index]
            line[row] = _proximity(line[row], n_out, rule, queries.in_bag[query], row)


@inlined
def _add_up(
    lists: _Lists,
    leaves: NDArray[np.int32],
    in_bag: NDArray[np.uint8],
    sums: NDArray[np.int64],
    touched: NDArray[np.int32],
) -> tuple[int, int]:
    """Add what each row counts in the query's leaves; return how many rows do, and how many trees count."""
    offsets, starts, rows, counts, worths = lists
    n_touched, n_out = 0, 0
    for tree in range(len(leaves)):
        if in_bag[tree >> 3] >> (7 - (tree & 7)) & 1:
            continue
        n_out += 1
        leaf = offsets[tree] + leaves[tree]
        worth = worths[leaf]
        if worth == 0:
            continue
        for index in range(starts[leaf], starts[leaf + 1]):
            row = rows[index]
            if sums[row] == 0:
                touched[n_touched] = row
                n_touched += 1
            sums[row] += worth * np.int64(counts[index])
    return n_touched, n_out


@inlined
def _proximity(total: int, n_out: int, rule: _Rule, in_bag: NDArray[np.uint8], row: int) -> int:
    """Return a proximity, of ``TOTAL``, from the sum over the trees that count for the query, rounded."""
    if rule.is_mean:
        return (total + n_out // 2) // n_out
    if not rule.is_pairwise:
        return total
    n_common, bags = rule.n_trees, rule.in_bag[row]
    for index in range(len(bags)):
        n_common -= _N_BITS[bags[index] | in_bag[index]]
    return (total * TOTAL + n_common // 2) // n_common
