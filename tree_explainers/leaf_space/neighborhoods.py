"""The nearest rows of every row, a block of rows at a time, so that memory holds one block."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress
from .leaves import LeafTable
from .nearest_rows import NearestRows

_BLOCK_CELLS = 2_000_000


@dataclass(frozen=True, slots=True)
class Neighborhoods:
    """The nearest other rows of a block of rows."""

    rows: NDArray[np.int64]  # (n_rows,) consecutive
    neighbors: NDArray[np.int64]  # (n_rows, n_neighbors) nearest first (ties: lowest row)
    proximities: NDArray[np.int64]  # (n_rows, n_neighbors) integer proximities; 0: they share no leaf that counts


def each_neighborhood(
    table: LeafTable,
    weights: NDArray[np.int64],
    n_neighbors: int,
    report: ReportProgress = ignore_progress,
    n_cells_a_row: int = 0,
) -> Iterator[Neighborhoods]:
    """Yield the nearest rows of all rows of the table, in blocks of consecutive rows.

    Parameters
    ----------
    table
        Leaves of the rows.
    weights : (n_trees,) int64
        What each tree counts.
    n_neighbors
        In 1 to ``n_rows - 1``.
    report
        Progress callback; may raise to stop.
    n_cells_a_row
        What the caller needs for each row beside its neighbours: blocks are shorter where that is much.

    Raises
    ------
    InvalidInput
        If there are not as many other rows.
    """
    nearest = NearestRows(table, weights)
    length = max(1, _BLOCK_CELLS // max(n_neighbors, n_cells_a_row))
    for start in range(0, table.n_rows, length):
        rows = np.arange(start, min(start + length, table.n_rows))

        def report_block(fraction: float, stage: str, rows: NDArray[np.int64] = rows) -> None:
            report((rows[0] + fraction * len(rows)) / table.n_rows, stage)

        yield Neighborhoods(rows, *nearest.of_rows(rows, n_neighbors, report_block))
