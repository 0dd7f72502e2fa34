"""Answers in the media type that a caller prefers: JSON, or tables as CSV or Parquet, a block at a time."""

import io
import re
from collections.abc import Generator, Iterable, Mapping
from operator import itemgetter
from typing import Annotated, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet
from fastapi import Header

from schemas.noun import CSV, JSON, PARQUET
from storage.errors import StorageError

from ..operations.artefact_tables import StoredTable
from .streamed_answers import StreamedAnswer

Accept = Annotated[str, Header(include_in_schema=False)]
_WRITTEN = {JSON: JSON, CSV: CSV, PARQUET: PARQUET, "*/*": JSON, "application/*": JSON, "text/*": CSV, "": JSON}
_QUALITY = re.compile(r"[01](\.\d{0,3})?")
_FORMULA_START = r"^[=+\-@\t\r]"
_BLOCK_BYTES = 1 << 20


def three_forms(description: str, *others: str) -> dict[int | str, dict[str, Any]]:
    """Return the part of a route's contract that describes CSV, Parquet and other types of text beside JSON."""
    tables = {CSV: {"schema": {"type": "string"}}, PARQUET: {"schema": {"type": "string", "format": "binary"}}}
    texts = {media_type: {"schema": {"type": "string"}} for media_type in others}
    return {200: {"description": description, "content": tables | texts}}


def choose(accept: str, written: Mapping[str, str] = _WRITTEN) -> str:
    """Return the media type that ``Accept`` prefers among those we write (ties: named first).

    ``written`` maps each type that may be requested to the one that is answered.
    """
    preferences = sorted(map(_preference, accept.split(",")), key=itemgetter(0), reverse=True)
    refused = {media_type for quality, media_type in preferences if quality == 0}
    for media_type in (media_type for quality, media_type in preferences if quality > 0):
        # The first type that a wildcard matches may be refused by name.
        others = [form for form in written.values() if media_type in (f"{form.split('/')[0]}/*", "*/*")]
        for form in (written.get(media_type), *others):
            if form and form not in refused:
                return form
    detail = f"Accept is {accept[:80]!r}; the result comes as {' or '.join(dict.fromkeys(written.values()))}"
    raise StorageError("not_acceptable", detail)


def _preference(entry: str) -> tuple[float, str]:
    """Return the quality, 0 to 1, and the media type of one entry."""
    media_type, *parameters = (part.strip().lower() for part in entry.split(";"))
    weight = next((parameter[2:] for parameter in parameters if parameter.startswith("q=")), "1")
    return (float(weight) if _QUALITY.fullmatch(weight) else 1.0), media_type


def table_answer(table: StoredTable, media_type: str) -> StreamedAnswer:
    """Return the answer that streams a table as CSV or Parquet, and closes it."""
    if media_type == CSV:
        return StreamedAnswer(written_csv(table, table.schema, table.blocks()), CSV)
    return StreamedAnswer(_file_blocks(table), PARQUET, table.size_bytes)


def chosen_rows_answer(table: StoredTable, blocks: Iterable[pa.Table] | None, media_type: str) -> StreamedAnswer:
    """Return the answer that streams some rows of a table, which come in blocks, or all of them as it is kept."""
    if blocks is None:
        return table_answer(table, media_type)
    write = written_csv if media_type == CSV else parquet_blocks
    return StreamedAnswer(write(table, table.schema, blocks), media_type)


def table_as(rows: pa.Table, media_type: str) -> bytes:
    """Return a small table as CSV or Parquet."""
    if media_type == CSV:
        return csv_of(rows)
    target = io.BytesIO()
    pyarrow.parquet.write_table(rows, target)
    return target.getvalue()


def csv_of(rows: pa.Table, *, with_header: bool = True) -> bytes:
    """Return rows as CSV in which no cell is a formula: a spreadsheet would run it."""
    target = io.BytesIO()
    harmless = pa.table([_harmless(column) for column in rows.columns], names=rows.column_names)
    pyarrow.csv.write_csv(harmless, target, pyarrow.csv.WriteOptions(include_header=with_header))
    return target.getvalue()


def written_csv(source: StoredTable, schema: pa.Schema, blocks: Iterable[pa.Table]) -> Generator[bytes]:
    """Yield blocks of rows as CSV; their source is closed at the end."""
    with source:
        yield csv_of(schema.empty_table())
        for rows in blocks:
            yield csv_of(rows, with_header=False)


def parquet_blocks(source: StoredTable, schema: pa.Schema, blocks: Iterable[pa.Table]) -> Generator[bytes]:
    """Yield blocks of rows as one Parquet file; their source is closed at the end."""
    with source:
        pending = _Pending()
        with pyarrow.parquet.ParquetWriter(pending, schema, compression="zstd") as writer:
            for rows in blocks:
                writer.write_table(rows)
                yield pending.take()
        yield pending.take()


class _Pending(io.RawIOBase):
    """A file that is only written to: what was written is taken away, and its place in the whole is kept."""

    def __init__(self) -> None:
        self._held, self._n_taken = bytearray(), 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:  # a buffer
        self._held += data
        return len(data)

    def tell(self) -> int:
        return self._n_taken + len(self._held)

    def take(self) -> bytes:
        taken = bytes(self._held)
        self._n_taken += len(taken)
        self._held.clear()
        return taken


def _file_blocks(table: StoredTable) -> Generator[bytes]:
    with table:
        table.file.seek(0)
        while block := table.file.read(_BLOCK_BYTES):
            yield block


def _harmless(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    quoted = pc.binary_join_element_wise("'", column, "")
    return pc.if_else(pc.match_substring_regex(column, _FORMULA_START), quoted, column)
