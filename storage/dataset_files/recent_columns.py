"""RecentColumns: the columns that rows were taken from last, so that a row named by its id needs no file.

A row group is decoded as a whole, however few of its rows are wanted: that takes ten times as long as explaining a row.
"""

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import TypeAlias

import pyarrow as pa

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
        self._most_bytes = most_bytes
        self._columns: OrderedDict[tuple[str, int, str], pa.ChunkedArray] = OrderedDict()
        self._n_bytes = 0
        self._lock = Lock()

    def of(self, content: str) -> HeldColumns:
        """Return the columns of one dataset, known by the hash of its content, which never changes."""
        return partial(self._get, content)

    def forget(self, content: str) -> None:
        """Drop the columns of a dataset that is deleted."""
        with self._lock:
            for key in [key for key in self._columns if key[0] == content]:
                self._n_bytes -= self._columns.pop(key).nbytes

    def _get(self, content: str, group: int, name: str, read: ColumnReader) -> pa.ChunkedArray:
        key = content, group, name
        with self._lock:
            if key in self._columns:
                self._columns.move_to_end(key)
                return self._columns[key]
        column = read()
        if column.nbytes <= self._most_bytes // _LARGEST_SHARE:
            self._hold(key, column)
        return column

    def _hold(self, key: tuple[str, int, str], column: pa.ChunkedArray) -> None:
        with self._lock:
            if key in self._columns:  # read by another thread meanwhile
                return
            self._columns[key] = column
            self._n_bytes += column.nbytes
            while self._n_bytes > self._most_bytes:
                _, oldest = self._columns.popitem(last=False)
                self._n_bytes -= oldest.nbytes


def read_each_time(_group: int, _name: str, read: ColumnReader) -> pa.ChunkedArray:
    """Hold nothing: jobs read whole columns, each once."""
    return read()
