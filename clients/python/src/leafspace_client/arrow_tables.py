"""Arrow tables: what streams as record batches, as a Parquet file on disk that is written batch by batch.

pyarrow is imported when it is needed: it is an extra.
"""

import tempfile
from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Any, BinaryIO

from .columns import FIRST_INEXACT, Values, column_cells
from .errors import Invalid, missing_extra

CELLS_A_BATCH = 1_000_000  # what is held in memory: rows times columns
_PARQUET = "application/vnd.apache.parquet"


@dataclass(frozen=True, slots=True)
class TableFile:
    """A file to send; the caller closes it."""

    content: BinaryIO
    media_type: str


def has_arrow_stream(data: object) -> bool:
    """Whether this is a table of pyarrow, a frame of Polars, or whatever else streams as Arrow."""
    return hasattr(data, "__arrow_c_stream__")


def pyarrow() -> Any:  # a module
    """Return pyarrow.

    Raises
    ------
    MissingExtra
        Where it is not installed.
    """
    try:
        import pyarrow as pa  # an extra
        import pyarrow.parquet  # an attribute of the former
    except ImportError as error:
        raise missing_extra("pyarrow", "pandas", "a table of Arrow, Polars or a database") from error
    return pa


def time_columns_of(data: Any) -> tuple[str, ...]:  # a stream
    """Return the names of the columns of dates and moments."""
    pa = pyarrow()
    schema = pa.RecordBatchReader.from_stream(data).schema
    return tuple(each.name for each in schema if is_time(each.type))


def is_time(kind: Any) -> bool:  # a type of Arrow
    """Whether values of this type are dates or moments."""
    types = pyarrow().types
    return bool(types.is_date(kind) or types.is_timestamp(kind))


def sent_type(kind: Any) -> Any:  # types of Arrow
    """Return the type in which values are sent: numbers, texts, booleans, dates and moments; else ``None``."""
    pa = pyarrow()
    types = pa.types
    if types.is_dictionary(kind):
        return sent_type(kind.value_type)
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind) or is_time(kind):
        return kind
    if types.is_decimal(kind):
        return pa.float64()
    is_text = types.is_string(kind) or types.is_large_string(kind) or str(kind) == "string_view"
    return pa.string() if is_text or types.is_time(kind) or types.is_null(kind) else None


def stream_file(name: str, data: Any) -> TableFile:  # a stream
    """Return the table of this name as a file.

    Raises
    ------
    Invalid
        For a column of lists, bytes or other values that the service does not have.
    """
    pa = pyarrow()
    reader = pa.RecordBatchReader.from_stream(data)
    _refuse_other_types(reader.schema, f" of table {name!r}")
    return parquet_file(pa.schema([(each.name, sent_type(each.type)) for each in reader.schema]), reader)


def arrow_columns(data: Any, exact: Container[str | None]) -> dict[str, Values]:  # a stream
    """Return the columns of a table as chunked arrays, whole numbers of 2**53 or more as floats.

    A column of lists, bytes or the like becomes one of empty lists, which the service leaves out and names.

    Parameters
    ----------
    data
        A table or record batch of Arrow, or a frame of Polars.
    exact
        Names of columns whose large whole numbers stay what they are.

    Raises
    ------
    Invalid
        As ``stream_file``.
    MissingExtra
        Without pyarrow.
    """
    pa = pyarrow()
    reader = pa.RecordBatchReader.from_stream(data)
    _refuse_other_types(pa.schema([field for field in reader.schema if field.name in exact]), "")
    batches = list(reader)
    columns: dict[str, Values] = {}
    for index, field in enumerate(reader.schema):
        kind = sent_type(field.type)
        if kind is None:
            columns[field.name] = [[] for batch in batches for _ in range(batch.num_rows)]
            continue
        chunks = [_plain(batch.column(index)).cast(kind) for batch in batches]
        column = pa.chunked_array(chunks, kind)
        if field.name not in exact and _is_beyond_doubles(column):
            column = pa.chunked_array([pa.array(column_cells(column, field.name), pa.float64())])
        columns[field.name] = column
    return columns


def _is_beyond_doubles(column: Any) -> bool:  # a chunked array
    if not pyarrow().types.is_integer(column.type) or column.type.bit_width < 64:  # bits
        return False
    import pyarrow.compute as pc  # an extra

    extremes = pc.min_max(column).as_py().values()
    return any(value is not None and abs(value) >= FIRST_INEXACT for value in extremes)


def _refuse_other_types(schema: Any, of: str) -> None:  # of Arrow
    wrong = next((each for each in schema if sent_type(each.type) is None), None)
    if wrong is not None:
        detail = f"column {wrong.name!r}{of} is of type {wrong.type}; make it numbers or texts, or drop it"
        raise Invalid("bad_feature_type", detail)


def parquet_file(schema: Any, batches: Iterable[Any]) -> TableFile:  # of Arrow
    """Write record batches, in the types of a schema, to a file that is gone when it is closed."""
    pa = pyarrow()
    file = tempfile.TemporaryFile()  # noqa: SIM115  # its sender closes it
    try:
        with pa.parquet.ParquetWriter(file, schema, compression="zstd") as writer:
            for batch in batches:
                columns = [_plain(column).cast(kind) for column, kind in zip(batch.columns, schema.types, strict=True)]
                writer.write_batch(pa.record_batch(columns, schema=schema))
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return TableFile(file, _PARQUET)


def _plain(column: Any) -> Any:  # an array of Arrow
    """Return categories as texts; not all kinds of them can be cast at once."""
    pa = pyarrow()
    if not pa.types.is_dictionary(column.type):
        return column
    return column.dictionary.cast(sent_type(column.type)).take(column.indices)
