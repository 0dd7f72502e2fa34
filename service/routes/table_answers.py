"""Answers in the media type that a caller prefers: JSON, or tables as CSV or Parquet, a block at a time."""

import io
import re
from collections.abc import Generator, Mapping
from operator import itemgetter
from typing import Annotated, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet
from fastapi import Header

from schemas.nouns import CSV, JSON, PARQUET
from storage.errors import StorageError

from ..operations.artefact_tables import KeptTable
from .streamed_answers import StreamedAnswer

Accept = Annotated[str, Header(include_in_schema=False)]
_WRITTEN = {JSON: JSON, CSV: CSV, PARQUET: PARQUET, "*/*": JSON, "application/*": JSON, "text/*": CSV, "": JSON}
_QUALITY = re.compile(r"[01](\.\d{0,3})?")
_FORMULA_START = r"^[=+\-@\t\r]"
_BLOCK_BYTES = 1 << 20


def three_forms(description: str) -> dict[int | str, dict[str, Any]]:
    """Return the part of a route's contract that describes CSV and Parquet beside JSON."""
    tables = {CSV: {"schema": {"type": "string"}}, PARQUET: {"schema": {"type": "string", "format": "binary"}}}
    return {200: {"description": description, "content": tables}}


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
    given = next((parameter[2:] for parameter in parameters if parameter.startswith("q=")), "1")
    return (float(given) if _QUALITY.fullmatch(given) else 1.0), media_type


def table_answer(table: KeptTable, media_type: str) -> StreamedAnswer:
    """Return the answer that streams a table as CSV or Parquet, and closes it."""
    if media_type == CSV:
        return StreamedAnswer(_csv_blocks(table), CSV)
    return StreamedAnswer(_file_blocks(table), PARQUET, table.size_bytes)


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


def _csv_blocks(table: KeptTable) -> Generator[bytes]:
    with table:
        yield csv_of(table.schema.empty_table())
        for rows in table.blocks():
            yield csv_of(rows, with_header=False)


def _file_blocks(table: KeptTable) -> Generator[bytes]:
    with table:
        table.file.seek(0)
        while block := table.file.read(_BLOCK_BYTES):
            yield block


def _harmless(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    quoted = pc.binary_join_element_wise("'", column, "")
    return pc.if_else(pc.match_substring_regex(column, _FORMULA_START), quoted, column)
