"""Queries with the nearest rows found so far, and the search that compares codes: for shallow trees with large leaves.

A key is a whole number that orders rows: the nearer or lower the row, the larger its key. While a search runs, the keys
of a query are a heap, whose first key is the one that a new key has to exceed.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, compiled_for_loops
from .proximity import TILE_QUERIES, TILE_ROWS, sum_by_codes

ROW_BITS = 31
LAST_ROW = 2**ROW_BITS - 1  # the 32 bits above are a proximity


class Search(NamedTuple):
    """Some queries and what was found; a named tuple, since compiled loops take those."""

    leaves: NDArray[np.int32]  # (n_queries, n_trees)
    own_rows: NDArray[np.int64]  # (n_queries,) the row that a query is, not its own neighbour; -1 where it is none
    keys: NDArray[np.int64]  # (n_queries, n_neighbors)
    n_kept: NDArray[np.int64]  # (n_queries,) how many of the keys are there


def search_for(leaves: NDArray[np.int32], own_rows: NDArray[np.int64], n_neighbors: int) -> Search:
    """Return queries of which nothing is found yet."""
    keys = np.zeros((len(leaves), n_neighbors), dtype=np.int64)
    return Search(leaves, own_rows, keys, np.zeros(len(leaves), dtype=np.int64))


def ranked(search: Search) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows found, nearest first (ties: lowest row), and their proximities: (n_queries, n_neighbors) each."""
    return row_and_proximity(-np.sort(-search.keys, axis=1))


def key_of(rows: NDArray[np.int64], proximities: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the keys of rows at some proximities."""
    keys: NDArray[np.int64] = (proximities << ROW_BITS) | (LAST_ROW - rows)
    return keys


def row_and_proximity(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows that keys are of, and their proximities."""
    return LAST_ROW - (keys & LAST_ROW), keys >> ROW_BITS


@compiled_for_loops
def some_queries(search: Search, first: int, end: int) -> Search:
    """Return some of the queries; what is found for them is found for the whole."""
    part = slice(first, end)
    return Search(search.leaves[part], search.own_rows[part], search.keys[part], search.n_kept[part])


@compiled
def to_beat(search: Search, query: int) -> int:
    """Return the proximity of the farthest row kept, 0 while there is room for more."""
    keys = search.keys[query]
    return keys[0] >> ROW_BITS if search.n_kept[query] == len(keys) else 0


@compiled_for_loops
def keep_if_near(search: Search, query: int, row: int, proximity: np.int64) -> None:
    """Keep a row, whose proximity is not 0, if it is among the nearest; nobody is a neighbour of its own."""
    key = (proximity << ROW_BITS) | (LAST_ROW - row)
    keys, n_kept = search.keys[query], search.n_kept[query]
    if row == search.own_rows[query]:
        return
    if n_kept < len(keys):
        _rise(keys, n_kept, key)
        search.n_kept[query] += 1
    elif key > keys[0]:
        _sink(keys, key)


@compiled_for_loops
def fill_up(search: Search) -> None:
    """Where too few rows share a leaf with a query, add the lowest of those that do not."""
    for query in range(len(search.keys)):
        keys, n_kept, own_row = search.keys[query], search.n_kept[query], search.own_rows[query]
        rows = np.sort(LAST_ROW - (keys[:n_kept] & LAST_ROW))
        row, index = 0, 0
        for at in range(n_kept, len(keys)):
            while row == own_row or (index < n_kept and rows[index] == row):
                index += row != own_row
                row += 1
            keys[at] = LAST_ROW - row
            row += 1
        search.n_kept[query] = len(keys)


@compiled_for_loops
def _rise(keys: NDArray[np.int64], index: int, key: int) -> None:
    while index > 0 and keys[(index - 1) // 2] > key:
        keys[index] = keys[(index - 1) // 2]
        index = (index - 1) // 2
    keys[index] = key


@compiled_for_loops
def _sink(keys: NDArray[np.int64], key: int) -> None:
    index = 0
    while 2 * index + 1 < len(keys):
        below = 2 * index + 1
        if below + 1 < len(keys) and keys[below + 1] < keys[below]:
            below += 1
        if keys[below] >= key:
            break
        keys[index] = keys[below]
        index = below
    keys[index] = key


@compiled
def search_codes(codes: NDArray[Any], weights: NDArray[Any], search: Search) -> None:
    """Find the nearest rows.

    Parameters
    ----------
    codes : (n_trees, n_rows)
        The rows, as ``LeafTable`` has them.
    weights : (n_trees,) uint16 or uint32
        What each tree counts, in a type that holds their sum.
    search
        The queries, their leaves numbered alike; what is found is written there.
    """
    n_queries, n_rows = len(search.leaves), codes.shape[1]
    sums = np.empty((TILE_QUERIES, TILE_ROWS), weights.dtype)
    for first_row in range(0, n_rows, TILE_ROWS):
        end_row = min(first_row + TILE_ROWS, n_rows)
        for first in range(0, n_queries, TILE_QUERIES):
            queries = some_queries(search, first, min(first + TILE_QUERIES, n_queries))
            sum_by_codes(codes, first_row, queries.leaves, weights, sums)
            for query in range(len(queries.leaves)):
                _keep_near(sums[query, : end_row - first_row], first_row, queries, query)
    fill_up(search)


@compiled_for_loops
def _keep_near(proximities: NDArray[Any], first_row: int, search: Search, query: int) -> None:
    """Look at consecutive rows one by one only where one of them is near enough."""
    largest = proximities[0]
    for row in range(len(proximities)):
        largest = max(largest, proximities[row])
    worst = to_beat(search, query)
    if np.int64(largest) <= worst:
        return
    for row in range(len(proximities)):
        # Rows come in ascending order: one that is as near as the farthest kept comes too late.
        if np.int64(proximities[row]) > worst:
            keep_if_near(search, query, first_row + row, np.int64(proximities[row]))
            worst = to_beat(search, query)
