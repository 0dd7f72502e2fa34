"""Close pairs where a good share of all pairs is close: whole columns of proximities are made and read through.

Finding single pairs among masks (``sweep``) takes longer than that when there are many to find.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..compute.threads import in_order
from ..leaf_space.leaves import LeafTable
from ..leaf_space.proximity import columns
from .sweep import ClosePairs

_CELLS_AT_ONCE = 2_000_000


def dense_pairs(
    table: LeafTable,
    weights: NDArray[np.int64],
    candidates: NDArray[np.int64],
    thresholds: Callable[[], NDArray[np.int64]],
    progressed: Callable[[], None],
) -> Iterator[ClosePairs]:
    """Yield the pairs with a proximity above the row's threshold, of a few candidates after the other.

    Parameters
    ----------
    table, weights
        The rows, which are also the targets, and what each tree counts.
    candidates : (n_candidates,) int64
        Rows of the table.
    thresholds
        Says what is to be exceeded, (n_rows,), when some candidates' turn comes.
    progressed
        Called several times a second; may raise to stop.
    """
    length = max(1, min(64, _CELLS_AT_ONCE // table.n_rows))
    blocks = [candidates[start : start + length] for start in range(0, len(candidates), length)]

    def close(block: NDArray[np.int64]) -> ClosePairs:
        return _close(block, columns(table, weights, table.leaves_of(block), 1), thresholds())

    with closing(in_order(close, blocks)) as done:
        for _, found in done:
            yield found
            progressed()


def _close(candidates: NDArray[np.int64], shared: NDArray[Any], thresholds: NDArray[np.int64]) -> ClosePairs:
    limits = thresholds.astype(shared.dtype)  # in which a proximity is told from them faster
    starts = np.concatenate([[0], _count(shared, limits).cumsum()])
    pairs = np.empty(starts[-1], dtype=np.int32), np.empty(starts[-1], dtype=np.uint32)
    _list(shared, limits, *pairs)
    return ClosePairs(candidates, starts, *pairs)


@compiled
def _count(shared: NDArray[Any], limits: NDArray[Any]) -> NDArray[np.int64]:
    counts = np.zeros(len(shared), dtype=np.int64)
    for candidate in range(len(shared)):
        line, count = shared[candidate], 0
        for row in range(len(limits)):
            count += line[row] > limits[row]
        counts[candidate] = count
    return counts


@compiled
def _list(
    shared: NDArray[Any], limits: NDArray[Any], members: NDArray[np.int32], proximities: NDArray[np.uint32]
) -> None:
    end = 0
    for candidate in range(len(shared)):
        line = shared[candidate]
        for row in range(len(limits)):
            if line[row] > limits[row]:
                members[end], proximities[end] = row, line[row]
                end += 1
