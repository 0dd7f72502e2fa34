"""Nearest rows by comparing codes: the way for shallow trees, whose leaves hold many rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from .nearest_so_far import Search, fill_up, keep_if_near, part_of, to_beat
from .proximity import TILE_QUERIES, TILE_ROWS, sum_by_codes


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
            queries = part_of(search, first, min(first + TILE_QUERIES, n_queries))
            sum_by_codes(codes, first_row, queries.leaves, weights, sums)
            for query in range(len(queries.leaves)):
                _keep_near(sums[query, : end_row - first_row], first_row, queries, query)
    fill_up(search)


@compiled
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
