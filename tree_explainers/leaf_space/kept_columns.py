"""Proximities of a few rows to all rows of a table that were asked for last: those to prototypes are needed often."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

_MOST_CELLS = 1 << 20  # of rows asked for and rows of the table: some milliseconds of comparing, and 2 or 4 MB
_FEWEST_ROWS = 8  # fewer take no time
_MOST_KEPT = 2

Columns = NDArray[np.unsignedinteger]


class KeptColumns:
    """What a table keeps of them. Threads may ask at once: at worst, each of them compares."""

    def __init__(self) -> None:
        self._kept: tuple[tuple[tuple[bytes, bytes], Columns], ...] = ()  # the last ones first

    def of(
        self,
        weights: NDArray[np.int64],
        leaves: NDArray[np.integer],
        n_rows: int,
        compare: Callable[[], Columns],
    ) -> Columns:
        """Return the proximities of some rows to all, (n_queries, n_rows), read-only if they are kept.

        Parameters
        ----------
        weights : (n_trees,)
            What each tree counts.
        leaves : (n_queries, n_trees)
            Leaves of the rows.
        n_rows
            Rows of the table.
        compare
            Finds the proximities, if they are not kept.
        """
        if len(leaves) < _FEWEST_ROWS or len(leaves) * n_rows > _MOST_CELLS:
            return compare()
        key = weights.tobytes(), leaves.tobytes()
        for other, columns in self._kept:
            if other == key:
                return columns
        columns = compare()
        columns.flags.writeable = False
        self._kept = ((key, columns), *self._kept[: _MOST_KEPT - 1])
        return columns
