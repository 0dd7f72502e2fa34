"""Proximity as exact integers: the summed weights of the trees in which two rows share a leaf; never n x n.

Divided by the sum of all weights this is the proximity of Tan et al. (2020), definition 1 (each tree weighs 1) or
definition 3 (trees weigh by the variance of their values).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compiled import compiled
from .errors import InvalidInput
from .leaves import LeafTable
from .progress import ReportProgress, ignore_progress
from .threads import in_threads

_NANOSECONDS_PER_VISIT = 1.0
_NANOSECONDS_PER_LIST = 60.0  # finding a leaf's list misses the caches
_NANOSECONDS_PER_COMPARED_BYTE = 0.025  # of the sums: twice as many fit into a register when they are half as wide
_BLOCK_CELLS = 16_000_000


def columns(
    table: LeafTable, weights: NDArray[np.int64], leaves: NDArray[np.integer[Any]], n_threads: int | None = None
) -> NDArray[Any]:
    """Return the proximity of each of some rows to all rows of the table.

    Two ways lead to the same integers. Where leaves are small it is cheap to visit the rows listed in the leaves;
    where they are large, to compare codes tree by tree. The sizes of the leaves tell which.

    Parameters
    ----------
    table
        The rows compared with.
    weights : (n_trees,) int64
        What each tree counts; not negative, summing to less than 2^32.
    leaves : (n_queries, n_trees)
        Leaves of the rows asked about, numbered as in the table. The answer takes n_queries x n_rows cells: see
        ``rows_per_block``.
    n_threads
        Threads to share the work; by default one for each core that the process may use.

    Returns
    -------
    (n_queries, n_rows) uint16 or uint32
        Integer proximities in 0 to ``weights.sum()``, in the smaller type that holds that sum. Beware of overflow
        when calculating with them.

    Raises
    ------
    InvalidInput
        If the number of trees differs.
    """
    if leaves.ndim != 2 or leaves.shape[1] != table.n_trees or weights.shape != (table.n_trees,):  # noqa: PLR2004
        msg = f"the table has {table.n_trees} trees, but leaves have shape {leaves.shape}, weights {weights.shape}"
        raise InvalidInput(msg)
    dtype = np.uint16 if int(weights.sum()) <= np.iinfo(np.uint16).max else np.uint32
    shared = np.zeros((len(leaves), table.n_rows), dtype=dtype)
    queries, counted = np.ascontiguousarray(leaves, dtype=np.int32), weights.astype(dtype)
    by_members = _visits_are_cheaper(table, queries, counted.itemsize)

    def add(part: slice) -> None:
        if by_members:
            _add_by_members(table.offsets, table.starts, table.members, queries[part], counted, shared[part])
        else:
            _add_by_codes(table.codes, queries[part], counted, shared[part])

    in_threads(add, len(queries), n_threads)
    return shared


def each_column(
    table: LeafTable, weights: NDArray[np.int64], leaves: NDArray[np.integer[Any]]
) -> Iterator[NDArray[Any]]:
    """Yield the proximities of one row after the other to all rows of the table, as ``columns`` has them."""
    block = min(rows_per_block(table.n_rows), 64)
    for start in range(0, len(leaves), block):
        yield from columns(table, weights, leaves[start : start + block])


def rows_per_block(n_rows: int) -> int:
    """Return how many columns of ``n_rows`` may be held at once without memory becoming the question."""
    return max(1, _BLOCK_CELLS // n_rows)


def nearest_rows(
    table: LeafTable,
    weights: NDArray[np.int64],
    rows: NDArray[np.int64],
    n_neighbors: int,
    report: ReportProgress = ignore_progress,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the nearest other rows of the table for some of its rows.

    ``report`` is told how many of the rows are done.

    Returns
    -------
    (len(rows), n_neighbors) int64, twice
        Neighbours, nearest first (ties: lowest row), and their integer proximities, which can be 0.

    Raises
    ------
    InvalidInput
        If there are not as many other rows.
    """
    if not 1 <= n_neighbors < table.n_rows:
        msg = f"n_neighbors must be 1 to {table.n_rows - 1} for {table.n_rows} rows, got {n_neighbors}"
        raise InvalidInput(msg)
    neighbors = np.empty((len(rows), n_neighbors), dtype=np.int64)
    proximities = np.empty((len(rows), n_neighbors), dtype=np.int64)
    block = rows_per_block(8 * table.n_rows)  # sorting takes more room than the columns
    for start in range(0, len(rows), block):
        part = slice(start, min(start + block, len(rows)))
        shared = columns(table, weights, table.leaves_of(rows[part])).astype(np.int64)
        shared[np.arange(len(shared)), rows[part]] = -1  # a row is not its own neighbour
        neighbors[part] = np.argsort(-shared, axis=1, kind="stable")[:, :n_neighbors]
        proximities[part] = np.take_along_axis(shared, neighbors[part], axis=1)
        report(part.stop / len(rows), "finding nearest rows")
    return neighbors, proximities


def _visits_are_cheaper(table: LeafTable, queries: NDArray[np.int32], sum_bytes: int) -> bool:
    """Tell whether lists of rows or codes are faster, from times measured on one core of a 2024 server."""
    n_visits = table.leaf_sizes[table.offsets[:-1] + queries].sum()
    visiting = n_visits * _NANOSECONDS_PER_VISIT + queries.size * _NANOSECONDS_PER_LIST
    return bool(visiting < queries.size * table.n_rows * sum_bytes * _NANOSECONDS_PER_COMPARED_BYTE)


@compiled
def _add_by_members(
    offsets: NDArray[np.int64],
    starts: NDArray[np.int64],
    members: NDArray[np.int32],
    queries: NDArray[np.int32],
    weights: NDArray[Any],
    shared: NDArray[Any],
) -> None:
    """Visit the rows listed in each leaf of each query."""
    for query in range(queries.shape[0]):
        line = shared[query]
        for tree in range(queries.shape[1]):
            leaf = offsets[tree] + queries[query, tree]
            weight = weights[tree]
            for place in range(starts[leaf], starts[leaf + 1]):
                line[members[place]] += weight


@compiled
def _add_by_codes(codes: NDArray[Any], queries: NDArray[np.int32], weights: NDArray[Any], shared: NDArray[Any]) -> None:
    """Compare codes in tiles: a tile's sums stay in the first cache, and the codes read serve several queries."""
    n_rows = codes.shape[1]
    tile_rows, tile_queries = 1024, 8
    for first_query in range(0, queries.shape[0], tile_queries):
        end_query = min(first_query + tile_queries, queries.shape[0])
        for first_row in range(0, n_rows, tile_rows):
            end_row = min(first_row + tile_rows, n_rows)
            for tree in range(codes.shape[0]):
                line = codes[tree, first_row:end_row]
                weight = weights[tree]
                for query in range(first_query, end_query):
                    sums = shared[query, first_row:end_row]
                    code = codes.dtype.type(queries[query, tree])
                    for row in range(end_row - first_row):
                        sums[row] += weight if line[row] == code else 0
