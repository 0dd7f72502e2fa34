"""Where rows stand on a map that came after it was made."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import Tick, no_tick
from ..leaf_space.proximity import proximity_block

N_NEAREST = 10
_ROWS_AT_ONCE = 64


def place_rows(
    leaves: NDArray[np.int32],
    known: NDArray[np.int32],
    weights: NDArray[np.int64],
    coordinates: NDArray[np.float64],
    tick: Tick = no_tick,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where new rows stand on a map: at the mean of their ten nearest, weighted by proximity.

    Parameters
    ----------
    leaves : (n_new, n_trees) int32
        Leaves of the new rows.
    known : (n_rows, n_trees) int32
        Leaves of the map's rows, numbered alike.
    weights : (n_trees,) int64
        What each tree counts.
    coordinates : (n_rows, 2) float64
        Of the map's rows.
    tick
        Is called before each block of new rows, and may raise.

    Returns
    -------
    positions, proximities : (n_new, 2) and (n_new,) float64
        The place, NaN for a row that shares no leaf with any row of the map; and the proximity to the nearest.
    """
    positions, nearest = np.full((len(leaves), 2), np.nan), np.zeros(len(leaves))
    total = int(weights.sum())
    for rows, shared in _blocks(leaves, known, weights):
        tick()
        for row, proximities in zip(rows, shared.astype(np.int64), strict=True):
            near = np.argsort(-proximities, kind="stable")[:N_NEAREST]
            if (counted := proximities[near]).sum() > 0:
                positions[row] = counted @ coordinates[near] / counted.sum()
            nearest[row] = counted[0] / total
    return positions, nearest


def _blocks(
    leaves: NDArray[np.int32], known: NDArray[np.int32], weights: NDArray[np.int64]
) -> Iterator[tuple[range, NDArray[np.uint32]]]:
    for start in range(0, len(leaves), _ROWS_AT_ONCE):
        rows = range(start, min(start + _ROWS_AT_ONCE, len(leaves)))
        yield rows, proximity_block(leaves[start : rows.stop], known, weights)
