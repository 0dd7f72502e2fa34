"""The nearest rows by plain distance: each query is compared with all rows, a few queries at a time."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .euclidean_table import EuclideanTable

_BLOCK_CELLS = 4_000_000


def nearest_by_distance(
    table: EuclideanTable,
    positions: NDArray[np.int32],
    own_rows: NDArray[np.int64],
    n_neighbors: int,
    report: Callable[[float], None],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the nearest rows of a table for some rows.

    Parameters
    ----------
    table
        The rows to choose from.
    positions : (n_queries, n_features) int32
        Of the rows whose neighbours are wanted.
    own_rows : (n_queries,) int64
        The row of the table that each of them is, which is no neighbour of it; -1 if it is none.
    n_neighbors
        1 or more; no more than there are other rows.
    report
        Called with the share that is done; may raise to stop.

    Returns
    -------
    (n_queries, n_neighbors) int64, twice
        Neighbours, nearest first (ties: lowest row), and their integer proximities.
    """
    nearest = np.empty((2, len(positions), n_neighbors), dtype=np.int64)
    length = max(1, _BLOCK_CELLS // table.n_rows)
    for start in range(0, len(positions), length):
        some = slice(start, min(start + length, len(positions)))
        nearest[:, some] = _nearest(table.columns(positions[some]).astype(np.int64), own_rows[some], n_neighbors)
        report(some.stop / len(positions))
    return nearest[0], nearest[1]


def _nearest(proximities: NDArray[np.int64], own_rows: NDArray[np.int64], n_neighbors: int) -> NDArray[np.int64]:
    """Return rows and proximities, (2, n_queries, n_neighbors); changes ``proximities``, (n_queries, n_rows)."""
    n_rows = proximities.shape[1]
    queries = np.flatnonzero(own_rows >= 0)
    proximities[queries, own_rows[queries]] = -1
    keys = (-proximities) * n_rows + np.arange(n_rows)  # the lowest is the nearest, and of equal ones the lowest row
    if n_neighbors < n_rows:
        keys = np.partition(keys, n_neighbors - 1, axis=1)[:, :n_neighbors]
    keys.sort(axis=1)
    rows = keys % n_rows
    return np.stack([rows, np.take_along_axis(proximities, rows, axis=1)])
