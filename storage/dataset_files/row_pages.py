"""Row pages: as many rows of a normalised file as fit into a page, without ever decoding many more.

A file of a kilobyte can hold a page of gigabytes: a text is kept once, however many rows have it. So texts stay
encoded until it is known how many rows fit, and columns are decoded a few at a time.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ..errors import StorageError

_DECODED_BYTES = 2 << 20  # of the columns that are decoded together
_BATCH_ROWS = 16  # of a column that is larger by itself
_CELL_BYTES = 22  # {"name":"","value":0},


@dataclass(frozen=True, slots=True)
class RowGroup:
    """A row group of an open file, by two readers: one leaves texts as they are encoded."""

    plain: pq.ParquetFile
    encoded: pq.ParquetFile
    index: int

    def decoded_bytes(self, names: Sequence[str]) -> list[int]:
        """Return how much memory each column takes at most while its texts stay encoded."""
        group = self.plain.metadata.row_group(self.index)
        indices = {name: index for index, name in enumerate(self.plain.schema_arrow.names)}
        return [
            group.column(indices[name]).total_uncompressed_size
            + 4 * group.num_rows  # texts are written as numbers of dictionary entries
            for name in names
        ]

    def read(self, names: Sequence[str]) -> list[pa.ChunkedArray]:
        """Return whole columns, texts encoded."""
        # A name with a dot in it selects its neighbours too, hence the second selection.
        table = self.encoded.read_row_group(self.index, columns=list(names), use_threads=False)
        return list(table.select(list(names)).columns)

    def batches(self, name: str) -> Iterator[pa.Array]:
        """Yield a column a few rows at a time."""
        for batch in self.plain.iter_batches(_BATCH_ROWS, row_groups=[self.index], columns=[name], use_threads=False):
            yield batch.column(batch.schema.get_field_index(name))


@dataclass(frozen=True, slots=True)
class RowPage:
    """The columns of some rows, in plain arrays that hold these rows and no others."""

    n_rows: int  # 0 where a single row is larger than a page
    columns: list[pa.Array]
    n_bytes: int  # of the rows as JSON, at least


def read_page(group: RowGroup, names: Sequence[str], rows: range, n_bytes: int) -> RowPage:
    """Return the first of these rows of the group that surely fit into this many bytes of JSON.

    Characters that JSON escapes are not: the rows may turn out to be longer, but never shorter.
    """
    columns: list[pa.Array] = []
    ends = np.zeros(len(rows), dtype=np.int64)  # bytes of the rows up to each one
    for part in _parts(names, group.decoded_bytes(names)):
        wanted = range(rows.start, rows.start + len(ends))
        for name, column in zip(part, _first_rows(group, part, wanted, n_bytes), strict=True):
            lengths = text_lengths(column)[: len(ends)] + len(name.encode()) + _CELL_BYTES
            ends = ends[: len(lengths)] + np.cumsum(lengths)
            n_fitting = int(np.searchsorted(ends, n_bytes, side="right"))
            if not n_fitting:
                return RowPage(0, [], int(ends[0]))
            ends = ends[:n_fitting]
            columns.append(_plain(column.slice(0, n_fitting)))
    n_rows = len(ends)
    return RowPage(n_rows, [column.slice(0, n_rows) for column in columns], int(ends[-1]) if n_rows else 0)


def take_rows(
    column_of: Callable[[int, str], pa.ChunkedArray],
    starts: NDArray[np.int64],
    names: Sequence[str],
    rows: NDArray[np.int64],
    n_text_bytes: int,
) -> pa.Table:
    """Return the columns for these rows, in their order.

    Parameters
    ----------
    column_of
        Returns a column by the index of a row group and its name; texts may be encoded.
    starts : (n_groups + 1,)
        The row with which each begins, and the last one ends.
    names
        Of the columns.
    rows : (n_taken,)
        Row numbers in any order.
    n_text_bytes
        Largest number of bytes of their texts together.

    Raises
    ------
    StorageError
        ``too_many_rows`` if they have more.
    """
    group_of = np.searchsorted(starts, rows, side="right") - 1
    groups = [(group, pa.array(rows[group_of == group] - starts[group])) for group in np.unique(group_of).tolist()]
    back = pa.array(np.argsort(np.argsort(group_of, kind="stable"), kind="stable"))
    columns = []
    for name in names:
        parts = []
        for group, rows_of_group in groups:
            part = column_of(group, name).take(rows_of_group).combine_chunks()
            n_text_bytes -= _n_text_bytes(part)
            if n_text_bytes < 0:
                raise too_much_text()
            parts.append(part.cast(pa.string()) if pa.types.is_dictionary(part.type) else part)
        columns.append(parts[0] if len(parts) == 1 else pa.concat_arrays(parts).take(back))
    return pa.table(columns, list(names))


def too_much_text() -> StorageError:
    """Return the refusal of rows with more text than one call may have."""
    detail = "these rows have more text than one call may have; name fewer, or let a job process the dataset"
    return StorageError("too_many_rows", detail)


def _n_text_bytes(column: pa.Array) -> int:
    return 0 if pa.types.is_floating(column.type) else int(text_lengths(column).sum())


def _parts(names: Sequence[str], sizes: Sequence[int]) -> Iterator[list[str]]:
    """Yield the names of columns that may be decoded together."""
    part: list[str] = []
    n_bytes = 0
    for name, size in zip(names, sizes, strict=True):
        if part and n_bytes + size > _DECODED_BYTES:
            yield part
            part, n_bytes = [], 0
        part.append(name)
        n_bytes += size
    if part:
        yield part


def _first_rows(group: RowGroup, names: Sequence[str], rows: range, n_bytes: int) -> list[pa.Array]:
    """Return columns of these rows; a large one ends where it alone exceeds this many bytes."""
    if len(names) == 1 and group.decoded_bytes(names)[0] > _DECODED_BYTES:
        return [_large_column(group, names[0], rows, n_bytes)]
    return [column.slice(rows.start, len(rows)).combine_chunks() for column in group.read(names)]


def _large_column(group: RowGroup, name: str, rows: range, n_bytes: int) -> pa.Array:
    taken: list[pa.Array] = []
    start = n_taken_bytes = 0
    for batch in group.batches(name):
        first, end = max(0, rows.start - start), min(len(batch), rows.stop - start)
        values = batch.slice(first, max(0, end - first))
        start += len(batch)
        if len(values):
            taken.append(values)
            n_taken_bytes += int(text_lengths(values).sum())
        if start >= rows.stop or n_taken_bytes > n_bytes:
            break
    return pa.concat_arrays(taken)


def text_lengths(column: pa.Array) -> NDArray[np.int64]:
    """Return the bytes of each text; 0 of anything else, and of what is missing."""
    if pa.types.is_dictionary(column.type):
        of_distinct = np.append(text_lengths(column.dictionary), 0)
        indices = pc.fill_null(column.indices, len(of_distinct) - 1).to_numpy(zero_copy_only=False)
        return np.asarray(of_distinct[indices])
    if not pa.types.is_string(column.type):
        return np.zeros(len(column), dtype=np.int64)
    return np.asarray(pc.fill_null(pc.binary_length(column), 0).to_numpy(zero_copy_only=False), dtype=np.int64)


def _plain(column: pa.Array) -> pa.Array:
    # Taken rather than sliced: a slice would keep all that it was cut from.
    values = column.take(pa.array(np.arange(len(column))))
    return values.cast(pa.string()) if pa.types.is_dictionary(values.type) else values
