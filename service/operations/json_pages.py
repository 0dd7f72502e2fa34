"""JSON pages: rows written one after the other, in blocks, until a page has its maximum size."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass

import orjson

from storage.errors import StorageError

MAX_PAGE_BYTES = 4 << 20  # of the rows; their source is read up to the same size
PARQUET_ADVICE = "download all rows as Parquet (`Accept: application/vnd.apache.parquet`)"
_BLOCK_BYTES = 256 << 10


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a list, from a row on, and how a caller gets a row that no page can hold."""

    encoded: Iterator[bytes]
    start: int
    n_rows: int  # of the whole list
    advice: str  # ends a sentence about a row that is too large
    indices: Sequence[int] | None = None  # of the rows in the list, and of one more, where only some are listed


def page_blocks(rows: Rows) -> Generator[bytes]:
    """Return the blocks of a page as JSON, the first of which is made at once: a refusal comes before any answer.

    A page ends before the row that would make it larger than ``MAX_PAGE_BYTES``; the next one begins there.

    Raises
    ------
    StorageError
        ``row_too_large`` where the first row is larger than a page.
    """
    blocks = _blocks(rows)
    return _after(next(blocks), blocks)


def refuse_row(row: int, advice: str) -> StorageError:
    """Return the refusal of a row that is larger than a page."""
    detail = f"row {row} alone has more than the {MAX_PAGE_BYTES:,} bytes of a page; {advice}"
    return StorageError("row_too_large", detail)


def _after(first: bytes, blocks: Generator[bytes]) -> Generator[bytes]:
    try:
        yield first
        yield from blocks
    finally:
        blocks.close()


def _blocks(rows: Rows) -> Generator[bytes]:
    pending = bytearray(b'{"object":"list","data":[')
    n_rows = n_bytes = 0
    for row in rows.encoded:
        n_bytes += len(row) + 1
        if n_bytes > MAX_PAGE_BYTES:
            if not n_rows:
                raise refuse_row(rows.start, rows.advice)
            break
        pending += b"," + row if n_rows else row
        n_rows += 1
        if len(pending) >= _BLOCK_BYTES:
            yield bytes(pending)
            pending.clear()
    yield bytes(pending) + b'],"next_cursor":' + orjson.dumps(_cursor_after(rows, n_rows)) + b"}"


def _cursor_after(rows: Rows, n_rows: int) -> str | None:
    """Return the cursor of the page after one of ``n_rows`` rows."""
    if rows.indices is not None:
        return str(rows.indices[n_rows]) if n_rows < len(rows.indices) else None
    stop = rows.start + n_rows
    return str(stop) if stop < rows.n_rows else None


def first_row_of(cursor: str | None) -> int:
    """Return the index of the first row of a page, which its cursor holds: 0 without one.

    Raises
    ------
    StorageError
        If it is not a number.
    """
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdecimal()):
        detail = f"cursor {cursor[:80]!a} is not one that this list gave; leave it out to start from the first row"
        raise StorageError("validation_failed", detail, "/cursor")
    return int(cursor)
