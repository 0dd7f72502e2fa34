"""Tables as answers: CSV and Parquet, a block at a time, however long they are."""

import io
from collections.abc import Generator

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from schemas.nouns import CSV, PARQUET

from ..operations.artefact_tables import KeptTable
from .streamed_answers import StreamedAnswer

_FORMULA_START = r"^[=+\-@\t\r]"
_BLOCK_BYTES = 1 << 20


def table_answer(table: KeptTable, media_type: str) -> StreamedAnswer:
    """Return the answer that streams a table as CSV or Parquet, and closes it."""
    if media_type == CSV:
        return StreamedAnswer(_csv_blocks(table), CSV)
    return StreamedAnswer(_file_blocks(table), PARQUET, table.size_bytes)


def csv_of(lines: pa.Table, *, with_header: bool = True) -> bytes:
    """Return lines as CSV in which no cell is a formula: a spreadsheet would run it."""
    target = io.BytesIO()
    harmless = pa.table([_harmless(column) for column in lines.columns], names=lines.column_names)
    pyarrow.csv.write_csv(harmless, target, pyarrow.csv.WriteOptions(include_header=with_header))
    return target.getvalue()


def _csv_blocks(table: KeptTable) -> Generator[bytes]:
    with table:
        yield csv_of(table.schema.empty_table())
        for lines in table.blocks():
            yield csv_of(lines, with_header=False)


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
