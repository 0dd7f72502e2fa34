"""Proximity as exact integers: the summed weights of the trees in which two rows share a leaf; never n x n.

Divided by the sum of all weights this is the proximity of Tan et al. (2020), definition 1 (each tree weighs 1) or
definition 3 (trees weigh by the variance of their values). ``columns`` compares rows with a whole table on all cores;
``proximity_block`` compares a few rows with a few others while a request waits.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, compiled_ahead, compiled_for_loops
from ..compute.threads import in_threads
from ..errors import InvalidInput
from .euclidean_table import EuclideanTable
from .leaves import LeafTable
from .partitioned_table import PartitionedTable

_NANOSECONDS_PER_VISIT = 1.0
_NANOSECONDS_PER_LIST = 60.0  # finding a leaf's list misses the caches
_NANOSECONDS_PER_COMPARED_BYTE = 0.025  # of the sums: twice as many fit into a register when they are half as wide
_BLOCK_CELLS = 16_000_000
_ROWS_AT_ONCE = 8  # of a block: their sums stay in the first cache, while one line of leaves serves them all

TILE_ROWS = 1024
TILE_QUERIES = 8


def columns(
    table: LeafTable, weights: NDArray[np.int64], leaves: NDArray[np.integer[Any]], n_threads: int | None = None
) -> NDArray[Any]:
    """Return the proximity of each of some rows to all rows of the table.

    Two methods give the same integers. Where leaves are small it is cheap to visit the rows listed in the leaves;
    where they are large, to compare codes tree by tree. The sizes of the leaves decide.

    Parameters
    ----------
    table
        The rows compared with.
    weights : (n_trees,) int64
        What each tree counts; not negative, summing to less than 2^32.
    leaves : (n_queries, n_trees)
        Leaves of the query rows, numbered as in the table. The result takes n_queries x n_rows cells: see
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
    if isinstance(table, EuclideanTable):
        return table.columns(leaves.astype(np.int32, copy=False), n_threads)
    if leaves.ndim != 2 or leaves.shape[1] != table.n_trees or weights.shape != (table.n_trees,):
        msg = f"the table has {table.n_trees} trees, but leaves have shape {leaves.shape}, weights {weights.shape}"
        raise InvalidInput(msg)
    if isinstance(table, PartitionedTable):
        return np.concatenate(list(table.map(columns, weights, leaves)), axis=1)
    dtype = np.uint16 if int(weights.sum()) <= np.iinfo(np.uint16).max else np.uint32
    shared = np.zeros((len(leaves), table.n_rows), dtype=dtype)
    queries, counted = np.ascontiguousarray(leaves, dtype=np.int32), weights.astype(dtype)
    by_members = _visits_are_cheaper(table, queries, counted.itemsize)

    def add(part: slice) -> None:
        if by_members:
            _add_by_members(table.offsets, table.starts, table.members, queries[part], counted, shared[part])
        else:
            _fill_by_codes(table.codes, queries[part], counted, shared[part])

    in_threads(add, len(queries), n_threads, n_steps=len(queries) * table.codes.size)
    return shared


def each_column(
    table: LeafTable, weights: NDArray[np.int64], leaves: NDArray[np.integer[Any]]
) -> Iterator[NDArray[Any]]:
    """Yield the proximities of one row after the other to all rows of the table, as ``columns`` has them.

    They are not to be written to: a table that is whole keeps the last ones.
    """
    block = min(rows_per_block(table.n_rows), 64)
    for start in range(0, len(leaves), block):
        some = leaves[start : start + block]
        compare = partial(columns, table, weights, some)
        is_whole = not isinstance(table, EuclideanTable | PartitionedTable)
        yield from table.kept_columns.of(weights, some, table.n_rows, compare) if is_whole else compare()


def rows_per_block(n_rows: int) -> int:
    """Return how many columns of ``n_rows`` may be held at once within the memory of one block."""
    return max(1, _BLOCK_CELLS // n_rows)


def _visits_are_cheaper(table: LeafTable, queries: NDArray[np.int32], sum_bytes: int) -> bool:
    """Return whether lists of rows are faster than codes, from times measured on one core of a 2024 server."""
    n_visits = table.sizes_of(table.offsets[:-1] + queries).sum()
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
            for index in range(starts[leaf], starts[leaf + 1]):
                line[members[index]] += weight


@compiled
def _fill_by_codes(
    codes: NDArray[Any], queries: NDArray[np.int32], weights: NDArray[Any], shared: NDArray[Any]
) -> None:
    sums = np.empty((TILE_QUERIES, TILE_ROWS), shared.dtype)
    for first_query in range(0, queries.shape[0], TILE_QUERIES):
        end_query = min(first_query + TILE_QUERIES, queries.shape[0])
        for first_row in range(0, codes.shape[1], TILE_ROWS):
            end_row = min(first_row + TILE_ROWS, codes.shape[1])
            sum_by_codes(codes, first_row, queries[first_query:end_query], weights, sums)
            for query in range(first_query, end_query):
                shared[query, first_row:end_row] = sums[query - first_query, : end_row - first_row]


@compiled_for_loops
def sum_by_codes(
    codes: NDArray[Any], first_row: int, queries: NDArray[np.int32], weights: NDArray[Any], sums: NDArray[Any]
) -> None:
    """Compare the codes of a tile of rows with a few queries: sums stay in the first cache, each code serves them all.

    Parameters
    ----------
    codes : (n_trees, n_rows)
        Of all rows.
    first_row
        Where the tile begins; it ends after ``TILE_ROWS`` rows, or with the last one.
    queries : (n_queries, n_trees) int32
        Their leaves; ``TILE_QUERIES`` of them at most.
    weights : (n_trees,) uint16 or uint32
        What each tree counts.
    sums : (TILE_QUERIES, TILE_ROWS), of the type of the weights
        Filled in, as far as there are queries and rows.
    """
    sums[:] = 0
    for tree in range(codes.shape[0]):
        line = codes[tree, first_row : first_row + TILE_ROWS]
        weight = weights[tree]
        for query in range(queries.shape[0]):
            into = sums[query]
            code = codes.dtype.type(queries[query, tree])
            for row in range(len(line)):
                into[row] += weight if line[row] == code else 0


def proximity_block(
    leaves: NDArray[np.int32], others: NDArray[np.int32], weights: NDArray[np.int64]
) -> NDArray[np.uint32]:
    """Return the integer proximity of each row to each other row.

    A block of 1,000 x 1,000 rows in 1,000 trees takes about 0.15 s.

    Parameters
    ----------
    leaves, others : (n_rows, n_trees), (n_others, n_trees) int32
        Leaves, numbered alike.
    weights : (n_trees,) int64
        What each tree counts; not negative, summing to less than 2^32.

    Returns
    -------
    (n_rows, n_others) uint32
        In 0 to ``weights.sum()``. Beware of overflow when calculating with them.

    Raises
    ------
    InvalidInput
        If the number of trees differs.
    """
    if leaves.shape[1:] != others.shape[1:] or weights.shape != leaves.shape[1:]:
        msg = f"leaves of shapes {leaves.shape} and {others.shape} and {len(weights)} weights do not fit together"
        raise InvalidInput(msg)
    shared = np.zeros((len(leaves), len(others)), dtype=np.uint32)
    by_tree, others_by_tree = (np.array(of_rows.T, dtype=np.int32, order="C") for of_rows in (leaves, others))
    _add_shared(by_tree, others_by_tree, weights.astype(np.uint32), _ROWS_AT_ONCE, shared)
    return shared


@compiled_ahead("void(int32[:, ::1], int32[:, ::1], uint32[::1], int64, uint32[:, ::1])")
def _add_shared(
    leaves: NDArray[np.int32],
    others: NDArray[np.int32],
    weights: NDArray[np.uint32],
    n_rows_at_once: int,
    shared: NDArray[Any],
) -> None:
    """Compare the leaves of some rows with those of all others, tree by tree; both are (n_trees, n_rows)."""
    n_trees, n_rows = leaves.shape
    for first in range(0, n_rows, n_rows_at_once):
        for tree in range(n_trees):
            line, weight = others[tree], weights[tree]
            for row in range(first, min(first + n_rows_at_once, n_rows)):
                sums = shared[row]
                leaf = leaves[tree, row]
                for other in range(line.shape[0]):
                    sums[other] += weight if line[other] == leaf else 0
