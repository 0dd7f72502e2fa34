"""Tables of artefacts: rows in Parquet, read a few row groups at a time, however many there are."""

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from schemas.noun import Noun
from storage.artefacts import Artefact

from ..app_context import AppContext

_TABLE = "table"  # the name of the file among an artefact's files
_ROWS_PER_BLOCK = 1024


class StoredTable:
    """A table, open for reading; close it, or use it in a ``with``. It stays readable when it is deleted meanwhile."""

    def __init__(self, file: BinaryIO, size_bytes: int) -> None:
        self.file = file
        self.size_bytes = size_bytes
        self._parquet = pq.ParquetFile(file)
        # For pages: a text is held once, however many rows have it.
        texts = [index for index, each in enumerate(self.schema) if pa.types.is_string(each.type)]
        self._encoded = pq.ParquetFile(file, metadata=self._parquet.metadata, read_dictionary=texts)
        footer = self._parquet.metadata
        n_group_rows = [footer.row_group(group).num_rows for group in range(footer.num_row_groups)]
        self._group_starts = np.concatenate(([0], np.cumsum(n_group_rows, dtype=np.int64)))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self.file.close()

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the columns."""
        return self._parquet.schema_arrow

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self._group_starts[-1])

    def blocks(self) -> Iterator[pa.Table]:
        """Yield all rows, some at a time: a row group may be large."""
        for batch in self._parquet.iter_batches(_ROWS_PER_BLOCK, use_threads=False):
            yield pa.Table.from_batches([batch])

    def read(self, start: int, stop: int) -> pa.Table:
        """Return rows ``start`` up to, not including, ``stop``."""
        if stop <= start:
            return self.schema.empty_table()
        first, last = (int(np.searchsorted(self._group_starts, row, side="right")) - 1 for row in (start, stop - 1))
        rows = self._encoded.read_row_groups(list(range(first, last + 1)), use_threads=False)
        return rows.slice(start - int(self._group_starts[first]), stop - start).cast(self.schema)

    def read_where(self, column: str, start: int, stop: int, names: list[str] | None = None) -> pa.Table:
        """Return the columns of the rows with ``start <= column < stop``, texts as they are encoded.

        The table is sorted by this column, which is among those that are named (default: all).
        """
        index = self.schema.get_field_index(column)
        ranges = [
            self._parquet.metadata.row_group(group).column(index).statistics
            for group in range(self._parquet.num_row_groups)
        ]
        # A group without rows has none: a block of rows may have no neighbours at all.
        groups = [group for group, values in enumerate(ranges) if values and values.min < stop and values.max >= start]
        rows = self._encoded.read_row_groups(groups, columns=names, use_threads=False)
        values = rows.column(column)
        return rows.filter(pc.and_(pc.greater_equal(values, start), pc.less(values, stop)))

    def groups(self, names: list[str], start: int = 0) -> Iterator[tuple[int, pa.Table]]:
        """Yield these columns from row ``start`` on, a row group at a time, and the index of each table's first row."""
        first = int(np.searchsorted(self._group_starts, start, side="right")) - 1
        for group in range(first, self._parquet.num_row_groups):
            begin = int(self._group_starts[group])
            rows = self._parquet.read_row_group(group, columns=names, use_threads=False)
            n_before = max(0, start - begin)
            yield begin + n_before, rows.slice(n_before)

    def read_in(self, column: str, values: Sequence[int]) -> pa.Table:
        """Return the rows whose column has one of these numbers, in the order of the table."""
        tables, wanted = [self.schema.empty_table()], pa.array(values, pa.int64())
        for start, rows in self.groups([column]):
            indices = np.flatnonzero(pc.is_in(rows.column(0), wanted).to_numpy())
            tables += [self.read(start + index, start + index + 1) for index in indices.tolist()]
        return pa.concat_tables(tables)


def open_table(
    context: AppContext, noun: Noun[Any], artefact_id: str, file: str = _TABLE
) -> tuple[Artefact, StoredTable]:
    """Return the artefact and its table, or another of its files, opened; refuse an artefact that is not ready.

    Raises
    ------
    KeyError
        If the artefact has no such file.
    """
    artefact = context.artefacts.get(noun.name, artefact_id)
    artefact.ready_result()
    path = context.objects.path_of_pages(artefact.files[file])
    return artefact, StoredTable(path.open("rb"), path.stat().st_size)
