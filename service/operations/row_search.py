"""Find rows of a dataset by the value of a column, as far as that takes no longer than a moment."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from time import monotonic

from storage.dataset_files import DatasetFile
from storage.dataset_files.row_condition import RowCondition
from storage.dataset_rows import open_rows
from storage.errors import StorageError

from ..app_context import AppContext
from .datasets import LARGE_ROW, chosen_columns, encoded_rows, with_ids
from .json_pages import MAX_PAGE_BYTES, Rows, first_row_of, page_blocks

SECONDS = 1.0
"""After which a search ends with its row group; its caller goes on from there."""
_MOST_CELLS = 1 << 26
"""Of the row groups that a page of found rows is taken from; more would be decoded for longer than the search took."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows are searched: those with a value in the column ``where``, or with a number in a range."""

    where: str
    value: str | None = None
    at_least: float | None = None
    at_most: float | None = None


@dataclass(frozen=True, slots=True)
class FoundRows:
    """Rows that a search found, in ascending order, and the row from which it goes on; None: all were searched."""

    rows: list[int]
    goes_on: int | None


def find_rows(
    context: AppContext, dataset_id: str, wanted: Wanted, limit: int, start: int = 0, seconds: float = SECONDS
) -> FoundRows:
    """Return the first rows from ``start`` on that are wanted.

    Raises
    ------
    StorageError
        ``validation_failed`` where the dataset has no such column, or the column no such value.
    """
    with _opened(context, dataset_id) as file:
        return _found(file, _condition(file, wanted), limit, start, seconds)


def list_found_rows(
    context: AppContext,
    dataset_id: str,
    columns: Sequence[str],
    wanted: Wanted,
    limit: int,
    cursor: str | None,
) -> Generator[bytes]:
    """Return one page of the rows that are wanted, as ``list_rows`` does; see ``find_rows``."""
    start = first_row_of(cursor)
    with _opened(context, dataset_id) as file:
        found = _found(file, _condition(file, wanted), limit, start, SECONDS)
        names = chosen_columns(file.names, columns)
        read = with_ids(file, names)
        taken = file.take_table(read, found.rows, MAX_PAGE_BYTES).columns if found.rows else []
        id_column = file.row_id_column
    encoded = encoded_rows(found.rows, names, read, id_column, [column.to_pylist() for column in taken])
    indices = found.rows + ([] if found.goes_on is None else [found.goes_on])
    first = found.rows[0] if found.rows else start
    return page_blocks(Rows(encoded, first, file.n_rows, LARGE_ROW, indices))


def _opened(context: AppContext, dataset_id: str) -> DatasetFile:
    content = context.datasets.content(dataset_id)
    return open_rows(context.objects, content, pages=True, recent=context.recent_columns)


def _condition(file: DatasetFile, wanted: Wanted) -> RowCondition:
    if wanted.where not in file.names:
        detail = f"the dataset has no column {wanted.where[:80]!r}; take names from its `columns`"
        raise StorageError("validation_failed", detail, "/where")
    kind = file.column(wanted.where).type
    return RowCondition.of(wanted.where, kind, wanted.value, wanted.at_least, wanted.at_most)


def _found(file: DatasetFile, condition: RowCondition, limit: int, start: int, seconds: float) -> FoundRows:
    until, rows, n_cells, begin = monotonic() + seconds, list[int](), 0, start
    for some, end in file.search(condition, start):
        rows += some[: limit + 1 - len(rows)].tolist()
        n_cells += len(file.names) * (end - begin) if len(some) else 0
        if len(rows) > limit:
            return FoundRows(rows[:limit], rows[limit])
        if (monotonic() > until or n_cells > _MOST_CELLS) and end < file.n_rows:
            return FoundRows(rows, end)
        begin = end
    return FoundRows(rows, None)
