"""The nearest rows found so far, where proximities take more bits than leave room for a row beside them."""

from collections.abc import Callable
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import inlined
from ..compute.progress import ReportProgress
from ..compute.threads import in_order

_STAGE = "finding nearest rows"


@inlined
def keep(rows: NDArray[np.int64], proximities: NDArray[np.int64], n_kept: int, row: int, proximity: int) -> int:
    """Insert a row among the nearest, which are sorted, if it is one of them; return how many are kept then.

    Parameters
    ----------
    rows, proximities : (n_neighbors,)
        Those kept, nearest first (ties: lowest row); the first ``n_kept`` of them are there.
    n_kept
        How many.
    row, proximity
        Of the row that may be one of the nearest.
    """
    index = n_kept
    if index == len(rows):
        if proximity < proximities[index - 1] or (proximity == proximities[index - 1] and row > rows[index - 1]):
            return n_kept
        index -= 1
    while index > 0 and (
        proximities[index - 1] < proximity or (proximities[index - 1] == proximity and rows[index - 1] > row)
    ):
        rows[index], proximities[index] = rows[index - 1], proximities[index - 1]
        index -= 1
    rows[index], proximities[index] = row, proximity
    return min(n_kept + 1, len(rows))


def find_in_blocks(find: Callable[[slice], None], n_queries: int, length: int, report: ReportProgress) -> None:
    """Find the nearest rows of all queries, some consecutive ones at a time on each core, and report how many."""
    blocks = (slice(start, min(start + length, n_queries)) for start in range(0, n_queries, length))
    with closing(in_order(find, blocks)) as results:
        for some, _ in results:
            report(some.stop / n_queries, _STAGE)
