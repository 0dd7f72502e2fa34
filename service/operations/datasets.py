"""Register, read and delete datasets."""

from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from schemas.datasets import Dataset, DatasetMetadata
from schemas.json_numbers import json_number
from storage.dataset_files import DatasetFile
from storage.dataset_files.row_pages import RowPage
from storage.dataset_rows import is_normalised, open_rows
from storage.datasets import NewDataset, described
from storage.errors import StorageError

from ..app_context import AppContext
from .deletion import delete_with_objects
from .json_pages import MAX_PAGE_BYTES, Rows, first_row_of, page_blocks, refuse_row
from .uploads import Upload, received

LARGE_ROW = (
    "name the columns to read (`?columns=a&columns=b`), or download all rows as Parquet "
    "(`Accept: application/vnd.apache.parquet`)"
)
_ADDED_LATER = {"columns", "images", "categories", "missing_values", "separator", "held_out"}
_ENCODED_TOGETHER_BYTES = 256 << 10


def register_dataset(
    context: AppContext, file: BinaryIO, metadata: DatasetMetadata, sha256: str | None = None
) -> tuple[Dataset, bool]:
    """Read and keep a dataset; return it, and whether it is new. ``sha256`` is that of the file, if known.

    Raises
    ------
    DatasetRefused
        What is wrong with it, and where; nothing is kept then.
    """
    left_out = {name for name in _ADDED_LATER if not getattr(metadata, name)}
    with received(context.objects, file, "datasets", metadata, sha256, left_out) as upload:
        known = context.datasets.find(upload.id)
        return (known, False) if known else _read_and_keep(context, upload)


def list_rows(
    context: AppContext, dataset_id: str, columns: Sequence[str], limit: int, cursor: str | None
) -> Generator[bytes]:
    """Return one page of a dataset's rows as JSON, in their order: a ``Page`` of ``DatasetRow``.

    The cursor is the index of the next row; a page holds fewer than ``limit`` rows where these are large. Without
    ``columns`` the rows have all.
    """
    start = first_row_of(cursor)
    file = open_rows(context.objects, context.datasets.content(dataset_id), pages=True)
    try:
        names = chosen_columns(file.names, columns)
    except StorageError:
        file.close()
        raise
    return page_blocks(Rows(_rows_of_page(file, names, start, limit), start, file.n_rows, LARGE_ROW))


def list_numbered_rows(
    context: AppContext, dataset_id: str, columns: Sequence[str], rows: Sequence[int], cursor: str | None
) -> Generator[bytes]:
    """Return rows by their numbers, in the order of these, as ``list_rows`` does; the cursor is a place among them.

    Raises
    ------
    StorageError
        ``validation_failed`` where the dataset has no such row, ``too_many_rows`` where their texts are too long.
    """
    start = first_row_of(cursor)
    with open_rows(context.objects, context.datasets.content(dataset_id), pages=True) as file:
        if (last := max(rows, default=0)) >= file.n_rows:
            detail = f"the dataset has no row {last}; its {file.n_rows:,} rows are counted from 0"
            raise StorageError("validation_failed", detail, "/rows")
        names, wanted = chosen_columns(file.names, columns), rows[start:]
        read = with_ids(file, names)
        table = file.take_table(read, wanted, MAX_PAGE_BYTES)
    encoded = encoded_rows(wanted, names, read, file.row_id_column, [column.to_pylist() for column in table.columns])
    return page_blocks(Rows(encoded, start, len(rows), LARGE_ROW))


def row_sizes(context: AppContext, dataset_id: str) -> tuple[int | None, int]:
    """Return about how many bytes of JSON a row has, ``None`` where texts may have any length, and how many columns."""
    shape = context.datasets.shape(dataset_id)
    # A row holds the name and the value of each column; the summary of a column holds its name and some values.
    return (None if shape.has_texts else shape.n_summary_bytes or None), shape.n_columns


def open_content(context: AppContext, dataset_id: str) -> Path:
    """Return the Parquet file that holds a dataset's rows; refuse a dataset whose rows are in files of the caller's."""
    path = context.objects.path_of_pages(context.datasets.content(dataset_id))
    if not is_normalised(path):
        detail = (
            f"the rows of dataset {dataset_id!r} are in the files of its `source`; read them there, or page by page"
        )
        raise StorageError("not_acceptable", detail)
    return path


def delete_dataset(context: AppContext, dataset_id: str) -> None:
    """Delete a dataset that nothing depends on; nothing of its rows stays in the memory of this process."""
    content = context.datasets.content(dataset_id)
    delete_with_objects(context, lambda: context.datasets.delete(dataset_id))
    context.dataset_contents.forget(dataset_id)
    context.described_datasets.forget(dataset_id)
    context.recent_columns.forget(content)
    context.row_tables.forget(content)


def _read_and_keep(context: AppContext, upload: Upload) -> tuple[Dataset, bool]:
    read = context.upload_reader.read_dataset(upload.path, upload.metadata)
    summary, size_bytes = described(read.summary, upload.metadata), upload.size_bytes
    with context.objects.keeping():
        dataset = NewDataset(
            id=upload.id,
            name=upload.metadata["name"],
            sha256=context.objects.put_file(upload.path),
            size_bytes=size_bytes,
            content=context.objects.put_file(read.content),
            summary=summary,
            metadata=upload.metadata,
        )
        return context.datasets.add(dataset)


def chosen_columns(names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Return the names of the columns to read, in the order in which they are kept."""
    if unknown := set(columns).difference(names):
        detail = f"the dataset has no column {min(unknown)[:80]!r}; take names from its `columns`"
        raise StorageError("validation_failed", detail, "/columns")
    wanted = set(columns)
    return [name for name in names if name in wanted] if wanted else list(names)


def _rows_of_page(file: DatasetFile, names: list[str], start: int, limit: int) -> Iterator[bytes]:
    """Yield rows as JSON, up to the size of a page, and close the file."""
    with file:
        read = with_ids(file, names)
        for page in _pages(file, read, start, limit):
            n_together = max(1, page.n_rows * _ENCODED_TOGETHER_BYTES // max(1, page.n_bytes))
            for first in range(0, page.n_rows, n_together):
                columns = [column.slice(first, n_together).to_pylist() for column in page.columns]
                yield from encoded_rows(count(start + first), names, read, file.row_id_column, columns)
            start += page.n_rows


def _pages(file: DatasetFile, read: list[str], start: int, limit: int) -> list[RowPage]:
    """Return the rows of a page: of several row groups or files where it begins at the end of one.

    All of them are read before any is answered, so that a file that has changed is a problem and no broken answer.
    """
    pages: list[RowPage] = []
    stop, n_bytes = min(start + limit, file.n_rows), MAX_PAGE_BYTES
    while start < stop:
        page = file.page(read, start, stop - start, n_bytes)
        if not page.n_rows and not pages:
            raise refuse_row(start, LARGE_ROW)
        if not page.n_rows:
            break
        pages.append(page)
        start, n_bytes = start + page.n_rows, n_bytes - page.n_bytes
    return pages


def with_ids(file: DatasetFile, names: list[str]) -> list[str]:
    """Return the names of the columns to read: those wanted, and the rows' ids."""
    id_column = file.row_id_column
    return names if id_column is None or id_column in names else [*names, id_column]


def encoded_rows(
    rows: Iterable[int], names: list[str], read: list[str], id_column: str | None, columns: list[list[Any]]
) -> Iterator[bytes]:
    """Yield rows as JSON, given their numbers and the columns that were read."""
    for row, cells in zip(rows, zip(*columns, strict=True), strict=False):
        row_id = str(row) if id_column is None else cells[read.index(id_column)]
        values = [{"name": name, "value": json_number(cell)} for name, cell in zip(names, cells, strict=False)]
        yield orjson.dumps({"object": "row", "row": row, "row_id": row_id, "values": values})
