"""ColumnSource: what the readers of CSV, JSON and Parquet have in common."""

from collections.abc import Iterator
from typing import Protocol

import pyarrow as pa

from .layout import ColumnType, OddCell

ARROW_TYPES: dict[ColumnType, pa.DataType] = {
    "number": pa.float64(),
    "category": pa.string(),
    "boolean": pa.bool_(),
}

N_BLOCK_ROWS = 65_536
_N_BLOCK_CELLS = 2**23  # 64 MiB of numbers


class ColumnSource(Protocol):
    """A file whose names and types are known, ready to be read from its beginning."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names in the file's order."""

    @property
    def types(self) -> tuple[ColumnType, ...]:
        """Types in the same order."""

    @property
    def odd_cells(self) -> dict[str, OddCell]:
        """By name, of columns that are categories because of a few cells: the first of these."""

    def blocks(self) -> Iterator[list[pa.Array]]:
        """Yield blocks of rows: one array per column, of the type in ``ARROW_TYPES``, missing values null."""


def rows_per_block(n_columns: int) -> int:
    """Return how many rows are held at once: fewer where there are many columns."""
    return max(64, min(N_BLOCK_ROWS, _N_BLOCK_CELLS // max(1, n_columns)))
