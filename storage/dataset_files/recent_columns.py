"""RecentColumns: the columns that rows were taken from last, so that a row named by its id needs no file.

A row group is decoded as a whole, however few of its rows are wanted: that takes ten times as long as explaining a row.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import pyarrow as pa

from ..recently_used import RecentlyUsed

_MOST_BYTES = 64 << 20
_LARGEST_SHARE = 8
ColumnReader: TypeAlias = Callable[[], pa.ChunkedArray]
HeldColumns: TypeAlias = Callable[[int, str, ColumnReader], pa.ChunkedArray]
"""Returns a column by its row group and name, from memory or else by reading it."""


class RecentColumns:
    """Columns of the row groups of datasets, the least recently used dropped first; threads may share it.

    Parameters
    ----------
    most_bytes
        Of all columns that are held; a column of more than an eighth of it is read whenever it is needed.
    """

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._columns = RecentlyUsed[pa.ChunkedArray](most_bytes, _LARGEST_SHARE)

    def of(self, content: str) -> HeldColumns:
        """Return the columns of one dataset, known by the hash of its content, which never changes."""
        return partial(self._get, content)

    def forget(self, content: str) -> None:
        """Drop the columns of a dataset that is deleted."""
        self._columns.forget(content)

    def _get(self, content: str, group: int, name: str, read: ColumnReader) -> pa.ChunkedArray:
        key = content, group, name
        column = self._columns.find(key)
        if column is None:
            column = read()
            self._columns.hold(key, column)
        return column


def read_each_time(_group: int, _name: str, read: ColumnReader) -> pa.ChunkedArray:
    """Hold nothing: jobs read whole columns, each once."""
    return read()
