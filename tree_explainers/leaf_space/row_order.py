"""An order in which rows that share many leaves lie close together; only speed depends on it.

Each row goes to the nearest of a few rows, the pivots; these are put in a chain, each followed by the nearest that is
left; and the rows of a pivot are ordered by their leaf in the first tree, as neighbouring leaves are numbered alike.
"""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.threads import in_order
from .leaves import LeafTable
from .nearest_by_codes import search_codes
from .nearest_so_far import ranked, search_for

MAX_PIVOTS = 256
_ROWS_PER_PIVOT = 64  # at least: a block of rows that are searched for together
_ROWS_AT_ONCE = 2048

LeavesOf = Callable[[NDArray[np.int64]], NDArray[np.int32]]


@dataclass(frozen=True, slots=True)
class Pivots:
    """Some rows of a table."""

    codes: NDArray[Any]  # (n_trees, n_pivots)
    places: NDArray[np.int64]  # (n_pivots,) where each is in the chain
    weights: NDArray[Any]  # (n_trees,) uint16 or uint32

    def order(self, leaves_of: LeavesOf, n_rows: int, tick: Callable[[], None] = lambda: None) -> NDArray[np.int64]:
        """Return the order of rows, (n_rows,), whose leaves are had piece by piece; ``tick`` is called in between."""
        keys = np.empty((2, n_rows), dtype=np.int64)
        pieces = (np.arange(start, min(start + _ROWS_AT_ONCE, n_rows)) for start in range(0, n_rows, _ROWS_AT_ONCE))
        with closing(in_order(lambda rows: self._keys(leaves_of(rows)), pieces)) as found:
            for rows, keys_of_rows in found:
                keys[:, rows] = keys_of_rows
                tick()
        return np.lexsort(keys).astype(np.int64)

    def _keys(self, leaves: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        search = search_for(leaves, np.full(len(leaves), -1), 1)
        search_codes(self.codes, self.weights, search)
        nearest, _ = ranked(search)
        return leaves[:, 0], self.places[nearest[:, 0]]


def choose_pivots(table: LeafTable, weights: NDArray[Any]) -> Pivots:
    """Choose rows of a table, evenly spread."""
    n_pivots = max(1, min(MAX_PIVOTS, table.n_rows // _ROWS_PER_PIVOT))
    leaves = table.leaves_of(np.linspace(0, table.n_rows - 1, n_pivots).astype(np.int64))
    codes = np.ascontiguousarray(leaves.T, dtype=table.codes.dtype)
    codes.flags.writeable = False  # as the table's codes are: the loop is compiled for those
    return Pivots(codes, _chain(leaves, weights), weights)


def _chain(leaves: NDArray[np.int32], weights: NDArray[Any]) -> NDArray[np.int64]:
    """Return the place of each pivot in the chain."""
    is_left = np.ones(len(leaves), dtype=np.bool_)
    places = np.zeros(len(leaves), dtype=np.int64)
    last = 0
    for place in range(1, len(leaves)):
        is_left[last] = False
        proximities = (leaves == leaves[last]) @ weights.astype(np.int64)
        last = int(np.where(is_left, proximities, -1).argmax())
        places[last] = place
    return places
