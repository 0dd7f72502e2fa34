"""Proximities of all rows to one row, and sums over some rows of a table; no table of these rows is made."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..compute.threads import in_threads
from .euclidean_table import EuclideanTable
from .leaves import LeafTable
from .partitioned_table import PartitionedTable

_ROWS_SUMMED_AT_ONCE, _ROWS_COMPARED_AT_ONCE = 1024, 2048  # their sums stay in the first cache


def leaf_totals(table: LeafTable, rows: NDArray[np.int64], amounts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return what the rows in each leaf have together, shape (n_leaves,); ``amounts`` says what each of them has."""
    totals = np.zeros(int(table.offsets[-1]), dtype=np.int64)
    if isinstance(table, PartitionedTable):
        return sum(table.with_rows(rows, amounts).map(_leaf_totals), totals)

    def add_up(trees: slice) -> None:
        _add_up(table.codes[trees], table.offsets[trees], rows, amounts, totals)

    in_threads(add_up, table.n_trees, n_steps=table.n_trees * len(rows))
    return totals


def sums_over_trees(table: LeafTable, worths: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each of the rows what its leaves are worth together; ``worths`` has the shape (n_leaves,)."""
    sums = np.zeros(len(rows), dtype=np.int64)
    if isinstance(table, PartitionedTable):
        for tree, codes in enumerate(table.codes_of(rows)):
            sums += worths[table.offsets[tree] + codes.astype(np.int64)]
        return sums

    def sum_worths(part: slice) -> None:
        _sum_worths(table.codes, table.offsets, worths, rows[part], sums[part])

    in_threads(sum_worths, len(rows), n_steps=table.n_trees * len(rows))
    return sums


def _leaf_totals(table: LeafTable, rows_and_amounts: tuple[NDArray[Any], NDArray[np.int64]]) -> NDArray[np.int64]:
    rows, amounts = rows_and_amounts
    return leaf_totals(table, rows.astype(np.int64), amounts)


def proximity_sums(
    table: LeafTable, weights: NDArray[np.int64], rows: NDArray[np.int64], candidates: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return each candidate's proximities summed over some rows, without looking at any pair.

    Summed over rows, the trees in which they share a leaf with a candidate are how many of them are in its leaves.
    """
    n_rows = leaf_totals(table, rows, np.ones(len(rows), dtype=np.int64))
    return sums_over_trees(table, np.repeat(weights, np.diff(table.offsets)) * n_rows, candidates)


def proximities_to(
    table: LeafTable, weights: NDArray[np.int64], rows: NDArray[np.int64], row: int
) -> NDArray[np.int64]:
    """Return the proximity of each of some rows to one row of the table."""
    return column(table, weights, row)[rows].astype(np.int64)


@compiled
def _add_up(
    codes: NDArray[Any],
    offsets: NDArray[np.int64],
    rows: NDArray[np.int64],
    amounts: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> None:
    for tree in range(codes.shape[0]):
        for index in range(len(rows)):
            totals[offsets[tree] + codes[tree, rows[index]]] += amounts[index]


@compiled
def _sum_worths(
    codes: NDArray[Any],
    offsets: NDArray[np.int64],
    worths: NDArray[np.int64],
    rows: NDArray[np.int64],
    sums: NDArray[np.int64],
) -> None:
    for first in range(0, len(rows), _ROWS_SUMMED_AT_ONCE):
        for tree in range(codes.shape[0]):
            for index in range(first, min(first + _ROWS_SUMMED_AT_ONCE, len(rows))):
                sums[index] += worths[offsets[tree] + codes[tree, rows[index]]]


def column(table: LeafTable, weights: NDArray[np.int64], row: int) -> NDArray[np.uint32]:
    """Return the proximity of each row of a table to one of them; faster than picking the rows that matter.

    ``weights`` are not negative and sum to less than 2^32.
    """
    if isinstance(table, EuclideanTable):
        return np.asarray(table.columns(table.leaves_of(np.array([row])))[0])
    if isinstance(table, PartitionedTable):
        leaves = table.leaves_of(np.array([row]))[0]
        return np.concatenate(list(table.map(column_of, weights, leaves)))
    return column_of(table, weights, table.codes[:, row].astype(np.int32))


def column_of(table: LeafTable, weights: NDArray[np.int64], leaves: NDArray[np.int32]) -> NDArray[np.uint32]:
    """Return the same for a row of these leaves, (n_trees,) int32, which need not be in the table."""
    leaves, counted = leaves.astype(table.codes.dtype), weights.astype(np.uint32)
    shared = np.zeros(table.n_rows, dtype=np.uint32)

    def compare(part: slice) -> None:
        _compare(table.codes, part.start, leaves, counted, shared[part])

    in_threads(compare, table.n_rows, n_steps=table.codes.size)
    return shared


@compiled
def _compare(
    codes: NDArray[Any], start: int, leaves: NDArray[Any], weights: NDArray[np.uint32], shared: NDArray[np.uint32]
) -> None:
    for first in range(0, len(shared), _ROWS_COMPARED_AT_ONCE):
        sums = shared[first : first + _ROWS_COMPARED_AT_ONCE]
        for tree in range(codes.shape[0]):
            line = codes[tree, start + first : start + first + len(sums)]
            leaf, weight = leaves[tree], weights[tree]
            for row in range(len(sums)):
                # A plain 0 would be added eight times slower.
                sums[row] += weight if line[row] == leaf else np.uint32(0)
