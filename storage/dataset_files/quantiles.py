"""Quantiles of numeric columns, from one pass over the rows in bounded memory."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .layout import ColumnLayout

_MOST_VALUES = 4_000_000  # held of all columns together: 32 MB
_FEWEST_ROWS = 1_000
_MOST_POINTS = 10_100  # of all columns together: what is known of a dataset's columns is sent whole
_NUMBERS_OF_POINTS = (101, 21, 5)


class RowSample:
    """The numbers of a sample of rows, which is all rows where these are few.

    Rows are taken by a hash of their index, so that no order of the rows can bias the sample, and the same file gives
    the same sample. A row is held while its hash is below a limit; when too many are, the limit is halved.

    Parameters
    ----------
    layout
        The columns; those that are no numbers are left out.
    most_values
        How many values may be held: at least half as many are, unless there are fewer, and 500 of each column.
    """

    def __init__(self, layout: Sequence[ColumnLayout], most_values: int = _MOST_VALUES) -> None:
        self._names = [column.name for column in layout if column.type == "number"]
        self._most_rows = max(_FEWEST_ROWS, most_values // max(1, len(self._names)))
        self._limit = np.uint64(2**64 - 1)
        self._hashes = np.empty(0, dtype=np.uint64)
        self._values: dict[str, list[NDArray[np.float64]]] = {name: [] for name in self._names}
        self._n_rows = 0

    def add(self, rows: pa.Table) -> None:
        """Add the rows that follow those before."""
        if not self._names:
            return
        hashes = _hashes(self._n_rows, rows.num_rows)
        self._n_rows += rows.num_rows
        taken = hashes <= self._limit
        self._hashes = np.concatenate((self._hashes, hashes[taken]))
        for name, values in self._values.items():
            values.append(rows.column(rows.schema.get_field_index(name)).to_numpy()[taken])
        while len(self._hashes) > self._most_rows:
            self._halve()

    def _halve(self) -> None:
        self._limit = self._limit >> np.uint64(1)
        is_left = self._hashes <= self._limit
        self._hashes = self._hashes[is_left]
        for name, values in self._values.items():
            self._values[name] = [np.concatenate(values)[is_left]]

    def quantiles(self, name: str) -> tuple[float, ...] | None:
        """Return the smallest value, then at equal steps those that each further share of rows does not exceed.

        Missing and infinite values are left out. None for columns that are no numbers or have none, and where there are
        too many columns to show any.
        """
        fitting = [n for n in _NUMBERS_OF_POINTS if n * len(self._names) <= _MOST_POINTS]
        if not self._values.get(name) or not fitting:
            return None
        values = np.concatenate(self._values[name])
        values = np.sort(values[np.isfinite(values)])
        if not len(values):
            return None
        n_steps = fitting[0] - 1
        indices = -(-np.arange(n_steps + 1) * len(values) // n_steps) - 1
        return tuple(values[np.maximum(indices, 0)].tolist())


def _hashes(start: int, n_rows: int) -> NDArray[np.uint64]:
    """Return a number for each row index that looks random (splitmix64: Steele et al., OOPSLA 2014)."""
    with np.errstate(over="ignore"):
        mixed = np.arange(start + 1, start + n_rows + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
