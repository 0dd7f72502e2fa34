"""DatasetFile: the rows of a normalised file, or of several, read back by column names and row numbers."""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from schemas.json_numbers import json_number

from .layout import ARROW_TYPES, ColumnLayout
from .normalising import LAYOUT_KEY
from .recent_columns import HeldColumns, read_each_time
from .row_condition import RowCondition
from .row_pages import RowGroup, RowPage, read_page, take_rows

Values = NDArray[np.float64] | NDArray[np.object_]


BLOCK_ROWS = 65_536
"""Rows of a block: they are numbered from 0, and a block ends where the next multiple of this begins."""


class Parts(Protocol):
    """Normalised files with the same columns, one after the other, whose rows are numbered through."""

    @property
    def columns(self) -> tuple[ColumnLayout, ...]:
        """The columns of each."""

    @property
    def group_rows(self) -> Sequence[Sequence[int]]:
        """Number of rows of each row group, by part."""

    def path(self, part: int) -> Path:
        """Return the local file of a part, which may take long to be fetched; it is opened soon."""

    def footer(self, part: int) -> pq.FileMetaData | None:
        """Return what stands at the end of the file, if it is known."""


class OnePart:
    """A normalised file by itself."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with pq.ParquetFile(path) as file:
            self._footer = footer = file.metadata
        described = json.loads(footer.metadata[LAYOUT_KEY])
        self.columns = tuple(
            ColumnLayout(column["name"], column["type"], column["role"], index)
            for index, column in enumerate(described)
        )
        self.group_rows = ([footer.row_group(index).num_rows for index in range(footer.num_row_groups)],)

    def path(self, part: int) -> Path:  # there is one
        """Return the file."""
        return self._path

    def footer(self, part: int) -> pq.FileMetaData:  # there is one
        """Return what stands at its end."""
        return self._footer


class DatasetFile:
    """A normalised dataset, open for reading; close it, or use it in a ``with``.

    One thread at a time reads from it; another thread opens one of its own. Of several parts one is open at a time.

    Parameters
    ----------
    parts
        The file, or several.
    columns
        Holds columns that rows are found in and taken from (see ``RecentColumns``).
    """

    def __init__(self, parts: Path | Parts, columns: HeldColumns = read_each_time) -> None:
        self._parts = OnePart(parts) if isinstance(parts, Path) else parts
        self.columns = self._parts.columns
        self._columns_by_name = {column.name: column for column in self.columns}
        self._held_columns = columns
        self._groups = [(part, group) for part, rows in enumerate(self._parts.group_rows) for group in range(len(rows))]
        n_group_rows = [n_rows for rows in self._parts.group_rows for n_rows in rows]
        self._group_starts = np.concatenate(([0], np.cumsum(n_group_rows, dtype=np.int64)))
        self._opened: tuple[int, Path, pq.ParquetFile] | None = None
        self._encoded: pq.ParquetFile | None = None
        if len(self._parts.group_rows) == 1:
            self._plain_part(0)  # whatever becomes of its name meanwhile

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._close_encoded()
        if self._opened is not None:
            self._opened[2].close()
            self._opened = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self._group_starts[-1])

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all columns, in the order in which they are kept."""
        return tuple(column.name for column in self.columns)

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features, in the model's order."""
        return tuple(column.name for column in self.columns if column.role == "feature")

    def column(self, name: str) -> ColumnLayout:
        """Return the layout of a column; raise ``KeyError`` where there is none of this name."""
        return self._columns_by_name[name]

    def read_columns(self, names: Sequence[str], start: int = 0, stop: int | None = None) -> list[Values]:
        """Return the columns for rows ``start`` up to, not including, ``stop`` (default: all that follow).

        Returns
        -------
        list of (stop - start,)
            float64 with NaN for what is missing (numbers; booleans as 0 and 1), or objects: str or None (categories).
        """
        stop = self.n_rows if stop is None else min(stop, self.n_rows)
        return self._to_numpy(self._range(names, start, stop), names)

    def iter_blocks(self, names: Sequence[str], n_block_rows: int) -> Iterator[list[Values]]:
        """Yield the columns block by block, each of at most ``n_block_rows`` rows, and each row group read once.

        No block crosses into the next row group, so that a block of a large file takes no more memory than one of a
        small file: groups of wide tables have fewer rows.
        """
        for group in range(len(self._groups)):
            table = self._read_groups([group], names)
            for start in range(0, table.num_rows, n_block_rows):
                yield self._to_numpy(table.slice(start, n_block_rows), names)

    def blocks(self, names: Sequence[str], start: int = 0, stop: int | None = None) -> Iterator[list[Values]]:
        """Yield the columns of rows ``start`` up to ``stop``, cut where a multiple of ``BLOCK_ROWS`` begins.

        So a block is the same whichever files and row groups its rows are from, and however the rows were shared out.
        Only the row groups of a block are held, as ``read_columns`` returns them.
        """
        stop = self.n_rows if stop is None else min(stop, self.n_rows)
        for first in range(start - start % BLOCK_ROWS, stop if start < stop else 0, BLOCK_ROWS):
            yield self.read_columns(names, max(first, start), min(first + BLOCK_ROWS, stop))

    def tables(self, names: Sequence[str]) -> Iterator[pa.Table]:
        """Yield the columns row group by row group, as Arrow has them."""
        for group in range(len(self._groups)):
            yield self._read_groups([group], names)

    def row_ids(self, rows: Sequence[int] | NDArray[np.integer[Any]] | None = None) -> list[str]:
        """Return the identifiers of these rows (default: of all), in their order."""
        name = self.row_id_column
        if name is None:
            return [str(row) for row in (range(self.n_rows) if rows is None else rows)]
        table = self._range([name], 0, self.n_rows) if rows is None else self._take([name], rows)
        identifiers: list[str] = table.column(0).to_pylist()
        return identifiers

    def find_rows(self, row_ids: Sequence[str]) -> dict[str, int]:
        """Return the row of each of these identifiers; those that no row has are left out.

        Identifiers are read row group by row group until all are found, so that no more is held at once.
        """
        name = self.row_id_column
        if name is None:
            return rows_by_number(row_ids, self.n_rows)
        numbers: dict[str, int] = {}
        wanted = pa.array(row_ids, pa.string())
        for group, start in enumerate(self._group_starts[:-1].tolist()):
            positions = pc.index_in(self._column(group, name), value_set=wanted)
            rows_of_group = np.flatnonzero(pc.is_valid(positions).to_numpy()).tolist()
            numbers |= {row_ids[positions[row].as_py()]: start + row for row in rows_of_group}
            if len(numbers) == len(row_ids):
                break
        return numbers

    def search(self, condition: RowCondition, start: int = 0) -> Iterator[tuple[NDArray[np.int64], int]]:
        """Yield the rows from ``start`` on that meet a condition, row group by row group, and the first row after it.

        No more than one column of a row group is held; texts stay encoded.
        """
        first = int(np.searchsorted(self._group_starts, start, side="right")) - 1
        try:
            for group in range(first, len(self._groups)):
                begin, end = self._group_starts[group : group + 2].tolist()
                rows = begin + condition.rows(self._column(group, condition.column))
                yield rows[rows >= start], end
        finally:
            self._close_encoded()

    def encoded_column(self, name: str) -> pa.ChunkedArray:
        """Return a column of all rows, its texts encoded."""
        try:
            parts = [self._row_group(group).read([name])[0] for group in range(len(self._groups))]
            return pa.chunked_array([chunk for part in parts for chunk in part.chunks], parts[0].type)
        finally:
            self._close_encoded()

    def n_decoded_bytes(self, names: Sequence[str]) -> int:
        """Return how much memory some columns of all rows take at most while their texts stay encoded."""
        return sum(sum(self._row_group(group).decoded_bytes(names)) for group in range(len(self._groups)))

    def take_columns(self, names: Sequence[str], rows: Sequence[int], n_text_bytes: int) -> list[Values]:
        """Return the columns for these rows, in their order, as ``read_columns`` does.

        Texts stay encoded until the rows are taken, one column and row group at a time: a file of a kilobyte can hold
        gigabytes of them.

        Raises
        ------
        StorageError
            ``too_many_rows`` if the rows have more than ``n_text_bytes`` bytes of text.
        """
        return self._to_numpy(self.take_table(names, rows, n_text_bytes), names)

    def take_table(self, names: Sequence[str], rows: Sequence[int], n_text_bytes: int) -> pa.Table:
        """Return the same as a table; the rows exist."""
        try:
            return take_rows(self._column, self._group_starts, names, np.asarray(rows, dtype=np.int64), n_text_bytes)
        finally:
            self._close_encoded()

    def page(self, names: Sequence[str], start: int, limit: int, n_bytes: int) -> RowPage:
        """Return the first of these rows that fit into ``n_bytes`` of JSON together; none where a single one does not.

        A page ends with its row group, too, and holds one row at least if there is one and it fits.
        """
        if start >= self.n_rows:
            return RowPage(0, [], 0)
        group = int(np.searchsorted(self._group_starts, start, side="right")) - 1
        first, end = self._group_starts[group : group + 2].tolist()
        rows = range(start - first, min(start + limit, end) - first)
        try:
            return read_page(self._row_group(group), names, rows, n_bytes)
        finally:
            self._close_encoded()

    def take(self, rows: Sequence[int] | NDArray[np.integer[Any]]) -> list[dict[str, Any]]:
        """Return these rows, in their order, as objects that are ready for JSON, with all columns.

        Raises
        ------
        IndexError
            Where there is no such row.
        """
        return self._objects(self._take(self.names, rows), [int(row) for row in rows])

    @property
    def row_id_column(self) -> str | None:
        """The column that holds the rows' identifiers, if there is one."""
        return next((column.name for column in self.columns if column.role == "row_id"), None)

    def _objects(self, table: pa.Table, rows: list[int]) -> list[dict[str, Any]]:
        names, columns = self.names, [[json_number(value) for value in column.to_pylist()] for column in table.columns]
        id_index = None if self.row_id_column is None else names.index(self.row_id_column)
        return [
            {
                "object": "row",
                "row": row,
                "row_id": str(row) if id_index is None else columns[id_index][index],
                "values": [{"name": name, "value": column[index]} for name, column in zip(names, columns, strict=True)],
            }
            for index, row in enumerate(rows)
        ]

    def _range(self, names: Sequence[str], start: int, stop: int) -> pa.Table:
        first = int(np.searchsorted(self._group_starts, start, side="right")) - 1
        last = int(np.searchsorted(self._group_starts, stop, side="left"))
        groups = list(range(max(first, 0), min(last, len(self._groups))))
        table = self._read_groups(groups, names)
        offset = int(self._group_starts[groups[0]]) if groups else 0
        return table.slice(start - offset, max(0, stop - start))

    def _take(self, names: Sequence[str], rows: Sequence[int] | NDArray[np.integer[Any]]) -> pa.Table:
        wanted = np.asarray(rows, dtype=np.int64)
        if wanted.size and (wanted.min() < 0 or wanted.max() >= self.n_rows):
            message = f"rows are between 0 and {self.n_rows - 1}, not {int(wanted.min())}..{int(wanted.max())}"
            raise IndexError(message)
        distinct, indices = np.unique(wanted, return_inverse=True)
        group_of = np.searchsorted(self._group_starts, distinct, side="right") - 1
        # One group after the other: rows from all over a large file never need the whole of it at once.
        tables = [
            self._read_groups([group], names).take(pa.array(distinct[group_of == group] - self._group_starts[group]))
            for group in np.unique(group_of).tolist()
        ]
        table = pa.concat_tables(tables) if tables else self._read_groups([], names)
        return table.take(pa.array(indices.ravel()))

    def _read_groups(self, groups: list[int], names: Sequence[str]) -> pa.Table:
        tables = []
        # One part after the other; without groups, the columns of no rows.
        for part, in_part in groupby((self._groups[group] for group in groups), key=lambda pair: pair[0]):
            file = self._plain_part(part)
            table = file.read_row_groups([group for _, group in in_part], columns=list(names), use_threads=False)
            # A name with a dot in it selects its neighbours too, hence the second selection.
            tables.append(table.select(list(names)))
        if tables:
            return pa.concat_tables(tables)
        return pa.table({name: pa.array([], ARROW_TYPES[self.column(name).type]) for name in names})

    def _plain_part(self, part: int) -> pq.ParquetFile:
        if self._opened is None or self._opened[0] != part:
            self.close()
            path = self._parts.path(part)
            self._opened = part, path, pq.ParquetFile(path, metadata=self._parts.footer(part))
        return self._opened[2]

    def _column(self, group: int, name: str) -> pa.ChunkedArray:
        """Return a column of a row group: identifiers, which are distinct and short, plain; other texts encoded."""

        def read() -> pa.ChunkedArray:
            if name == self.row_id_column:
                return self._read_groups([group], [name]).column(0)
            return self._row_group(group).read([name])[0]

        return self._held_columns(group, name, read)

    def _row_group(self, group: int) -> RowGroup:
        """Return a row group with two readers; one leaves texts encoded, as jobs read whole columns, too."""
        part, index = self._groups[group]
        plain = self._plain_part(part)
        if self._encoded is None and self._opened is not None:
            texts = [index for index, column in enumerate(self.columns) if column.type == "category"]
            self._encoded = pq.ParquetFile(self._opened[1], metadata=plain.metadata, read_dictionary=texts)
        return RowGroup(plain, self._encoded, index)

    def _close_encoded(self) -> None:
        if self._encoded is not None:
            self._encoded.close()
            self._encoded = None

    def _to_numpy(self, table: pa.Table, names: Sequence[str]) -> list[Values]:
        return [
            _objects_of(column) if self.column(name).type == "category" else _floats_of(column)
            for name, column in zip(names, table.columns, strict=True)
        ]


def rows_by_number(row_ids: Sequence[str], n_rows: int) -> dict[str, int]:
    """Return the row of each of these identifiers where rows are called by their 0-based numbers."""
    rows = {row_id: int(row_id) for row_id in row_ids if row_id.isascii() and row_id.isdecimal()}
    return {row_id: row for row_id, row in rows.items() if str(row) == row_id and row < n_rows}


def _floats_of(column: pa.ChunkedArray) -> NDArray[np.float64]:
    if column.null_count:
        column = pc.fill_null(column.cast(pa.float64()), float("nan"))
    return np.array(column.to_numpy(), dtype=np.float64)


def _objects_of(column: pa.ChunkedArray) -> NDArray[np.object_]:
    # Through the dictionary, equal texts are one object.
    encoded = column.combine_chunks().dictionary_encode()
    texts = np.array([*encoded.dictionary.to_pylist(), None], dtype=np.object_)
    indices = pc.fill_null(encoded.indices, len(texts) - 1).to_numpy()
    return np.asarray(texts[indices])
