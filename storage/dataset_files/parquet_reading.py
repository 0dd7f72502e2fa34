"""Parquet: the footer is checked before anything is decoded, then the rows are read in blocks.

Accepted are flat columns of booleans, integers, floats, decimals, strings, dictionaries of these, dates, times and
timestamps (which become ISO 8601 categories); others are left out. NaN is missing, and infinities are numbers. Integers
from 2^53 on make their column one of categories, as in CSV.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..errors import DatasetRefused
from .layout import (
    LARGEST_EXACT,
    ColumnDeclaration,
    ColumnType,
    DatasetLimits,
    OddCell,
    check_declaration,
    check_names,
    may_leave_out,
    refuse_columns,
    refuse_field,
    refuse_many_columns,
    refuse_many_rows,
    refuse_size,
    rows_per_block,
    shown,
)
from .missing_values import MissingValues

_N_THRIFT_BYTES = 100_000_000
_N_PIECE_BYTES = 64 * 1024**2


@dataclass(frozen=True, slots=True)
class ParquetSource:
    """A Parquet file whose footer was found sane, and whose columns' types are known."""

    path: Path
    names: tuple[str, ...]
    types: tuple[ColumnType, ...]
    natural_types: tuple[ColumnType, ...]
    limits: DatasetLimits
    odd_cells: dict[str, OddCell]
    ignored: tuple[str, ...]
    missing: dict[str, MissingValues]

    def blocks(self) -> Iterator[list[pa.Array]]:
        """Yield blocks of rows, one array of values per column."""
        self._check_all_texts()
        for batch in _batches(_open(self.path), list(self.names)):
            for piece in _pieces(batch, _n_text_bytes(batch)):
                columns = zip(piece.columns, self.names, self.types, strict=True)
                yield [self.missing[name].removed(convert_values(values, kind)) for values, name, kind in columns]

    def _check_all_texts(self) -> None:
        """Refuse texts that are too long, one by one or all together, while they are still in their dictionaries."""
        names = [name for name, kind in zip(self.names, self.types, strict=True) if kind == "category"]
        n_rows, n_bytes = 0, 0
        for batch in _batches(_open(self.path), names) if names else ():
            self._check_texts(batch, n_rows)
            n_rows, n_bytes = n_rows + batch.num_rows, n_bytes + _n_text_bytes(batch)
            if n_bytes > self.limits.max_decoded_bytes:
                refuse_size(f"the file decodes to more than {self.limits.max_decoded_bytes:,} bytes of text")

    def _check_texts(self, batch: pa.RecordBatch, first_row: int) -> None:
        for name, values in zip(batch.schema.names, batch.columns, strict=True):
            lengths = text_lengths(values)
            if lengths is not None:
                if (pc.max(lengths).as_py() or 0) > self.limits.max_field_bytes:
                    refuse_field(f"a value from row {first_row} on of column {shown(name)}", self.limits)
                if holds_nul(values):
                    detail = f"column {shown(name)} holds a NUL character from row {first_row} on; remove it"
                    raise DatasetRefused("dataset_parse_error", detail)


def open_parquet(path: Path, declared: ColumnDeclaration, limits: DatasetLimits) -> ParquetSource:
    """Check the footer, and return the file with its names and types.

    Raises
    ------
    DatasetRefused
        Where the file is damaged, too large when decoded, or has columns that are nested or binary and may not be left
        out.
    """
    file = _open(path)
    schema = file.schema_arrow
    refuse_many_columns(len(schema.names), limits)
    _check_footer(file.metadata, declared, limits)
    check_names(schema.names)
    check_declaration(schema.names, declared)
    ignored = tuple(
        field.name for field in schema if natural_type(field.type) is None and may_leave_out(field.name, declared)
    )
    natural = {field.name: _accepted_type(field) for field in schema if field.name not in ignored}
    if not natural:
        refuse_columns("no column holds numbers, texts or booleans; a dataset needs at least one")
    types: dict[str, ColumnType] = {n: "category" if n in declared.texts else kind for n, kind in natural.items()}
    long_columns = _columns_of_long_integers(file, [name for name, kind in types.items() if kind == "number"])
    types |= dict.fromkeys(long_columns, "category")
    declared_missing = MissingValues.of(declared.missing_values or ())
    missing = {name: MissingValues.of(()) if name == declared.row_id else declared_missing for name in natural}
    return ParquetSource(
        path, tuple(natural), tuple(types.values()), tuple(natural.values()), limits, {}, ignored, missing
    )


def read_parquet_names(path: Path, limits: DatasetLimits) -> tuple[str, ...]:
    """Return the columns' names; raise ``DatasetRefused`` where they cannot be used."""
    names = tuple(_open(path).schema_arrow.names)
    refuse_many_columns(len(names), limits)
    check_names(names)
    return names


def _open(path: Path) -> pq.ParquetFile:
    options: dict[str, Any] = {
        "thrift_string_size_limit": _N_THRIFT_BYTES,
        "thrift_container_size_limit": _N_THRIFT_BYTES,
    }
    try:
        with pq.ParquetFile(path, **options) as file:
            schema = file.schema_arrow
        # Texts stay in their dictionaries until they are known to be small enough.
        texts = [field.name for field in schema if _is_text(field.type)]
        return pq.ParquetFile(path, read_dictionary=texts, **options)
    except pa.ArrowMemoryError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _damaged() from error


def _check_footer(footer: pq.FileMetaData, declared: ColumnDeclaration, limits: DatasetLimits) -> None:
    groups = [footer.row_group(index) for index in range(footer.num_row_groups)]
    n_rows = sum(group.num_rows for group in groups)
    if any(group.num_rows < 0 or group.total_byte_size < 0 for group in groups) or n_rows != footer.num_rows:
        raise _damaged()
    if n_rows == 0 and not declared.may_be_empty:
        raise DatasetRefused("dataset_empty", "there is no row; send a dataset with at least one")
    refuse_many_rows(n_rows, footer.num_columns, limits)
    n_bytes = sum(group.total_byte_size for group in groups)
    if n_bytes > limits.max_decoded_bytes:
        refuse_size(f"the file decodes to {n_bytes:,} bytes; at most {limits.max_decoded_bytes:,} are read")
    for group in groups:
        _refuse_bomb(group, limits)


def _refuse_bomb(group: pq.RowGroupMetaData, limits: DatasetLimits) -> None:
    # What a column decodes to cannot be more than its rows may hold.
    n_most = limits.max_field_bytes * max(1, group.num_rows)
    if group.total_byte_size <= n_most:
        return
    for index in range(group.num_columns):
        column = group.column(index)
        if column.total_uncompressed_size > n_most + limits.max_field_bytes:
            refuse_size(
                f"column {index + 1} decodes to {column.total_uncompressed_size:,} bytes for {group.num_rows} rows; a "
                f"single value may have {limits.max_field_bytes:,}"
            )


def _accepted_type(field: pa.Field) -> ColumnType:
    kind = natural_type(field.type)
    if kind is None:
        refuse_columns(
            f"column {shown(field.name)} has the type {shown(str(field.type))}; only flat columns of booleans, "
            "numbers, strings, dictionaries, dates, times and timestamps are read"
        )
    return kind


def _columns_of_long_integers(file: pq.ParquetFile, numbers: list[str]) -> list[str]:
    schema = file.schema_arrow  # converted again at each access
    suspects = [name for name in numbers if is_long(schema.field(name).type)]
    long_columns: list[str] = []
    if suspects:
        for batch in _batches(file, suspects):
            columns = zip(suspects, batch.columns, strict=True)
            long_columns += [
                name for name, values in columns if name not in long_columns and is_long(values.type, values)
            ]
    return long_columns


def _batches(file: pq.ParquetFile, names: list[str]) -> Iterator[pa.RecordBatch]:
    n_rows = rows_per_block(len(names))
    try:
        for batch in file.iter_batches(batch_size=n_rows, columns=names, use_threads=False):
            # A name with a dot in it selects its neighbours too.
            selected = batch.select(names)
            # Arrow takes texts and positions in dictionaries on trust.
            selected.validate(full=True)
            yield selected
    except pa.ArrowMemoryError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        if "UTF8" in str(error):
            raise DatasetRefused("dataset_bad_encoding", "a text of the Parquet file is not UTF-8") from error
        raise _damaged() from error


def _n_text_bytes(batch: pa.RecordBatch) -> int:
    """Return how many bytes the texts take when each is stored by itself."""
    every = (text_lengths(values) for values in batch.columns)
    return sum(pc.sum(lengths).as_py() or 0 for lengths in every if lengths is not None)


def _pieces(batch: pa.RecordBatch, n_text_bytes: int) -> Iterator[pa.RecordBatch]:
    n_pieces = max(1, min(batch.num_rows, -(-n_text_bytes // _N_PIECE_BYTES)))
    n_piece_rows = max(1, -(-batch.num_rows // n_pieces))
    for start in range(0, batch.num_rows, n_piece_rows):
        yield batch.slice(start, n_piece_rows)


def _damaged() -> DatasetRefused:
    return DatasetRefused("dataset_parse_error", "the Parquet file is damaged, encrypted, or nested too deeply")


def natural_type(arrow_type: pa.DataType) -> ColumnType | None:
    """Return what a column of this Arrow type becomes, or None where such columns are refused."""
    if pa.types.is_dictionary(arrow_type):
        return None if pa.types.is_dictionary(arrow_type.value_type) else natural_type(arrow_type.value_type)
    if pa.types.is_boolean(arrow_type):
        return "boolean"
    if pa.types.is_integer(arrow_type) or pa.types.is_floating(arrow_type) or pa.types.is_decimal(arrow_type):
        return "number"
    if any(test(arrow_type) for test in (_is_text, pa.types.is_date, pa.types.is_time, pa.types.is_timestamp)):
        return "category"
    # A column of nothing but nulls has a type of its own.
    return "number" if pa.types.is_null(arrow_type) else None


def is_long(arrow_type: pa.DataType, values: pa.Array | None = None) -> bool:
    """Return whether a type can hold integers from 2^53 on, or, given values, whether they do."""
    if pa.types.is_dictionary(arrow_type):
        return is_long(arrow_type.value_type, None if values is None else values.dictionary)
    is_wide: bool = arrow_type in (pa.int64(), pa.uint64()) or (
        pa.types.is_decimal(arrow_type) and arrow_type.scale <= 0
    )
    if not is_wide or values is None:
        return is_wide
    extremes = pc.min_max(values)
    ends = (extremes["min"].as_py(), extremes["max"].as_py())
    return any(extreme is not None and abs(extreme) > LARGEST_EXACT for extreme in ends)


def text_lengths(values: pa.Array) -> pa.Array | None:
    """Return the bytes of each text, or None where the values are not texts."""
    if pa.types.is_dictionary(values.type):
        lengths = text_lengths(values.dictionary)
        return None if lengths is None else lengths.take(values.indices).cast(pa.int64())
    return pc.binary_length(values).cast(pa.int64()) if _is_text(values.type) else None


def holds_nul(values: pa.Array) -> bool:
    """Return whether any of the texts holds a NUL character."""
    texts = values.dictionary if pa.types.is_dictionary(values.type) else values
    return bool(pc.any(pc.match_substring(texts, "\0")).as_py())


def convert_values(values: pa.Array, kind: ColumnType) -> pa.Array:
    """Return the values as double, bool or string; NaN becomes null."""
    if pa.types.is_dictionary(values.type):
        return convert_values(values.dictionary, kind).take(values.indices)
    if kind == "boolean":
        return values
    return _to_numbers(values) if kind == "number" else _to_texts(values)


def _to_numbers(values: pa.Array) -> pa.Array:
    numbers = values.cast(pa.float64(), safe=False)
    return pc.if_else(pc.is_nan(numbers), pa.scalar(None, pa.float64()), numbers)


def _to_texts(values: pa.Array) -> pa.Array:
    if pa.types.is_timestamp(values.type):
        # Moments with a time zone are stored in UTC; as such they need no database of time zones.
        plain = values.cast(pa.int64()).cast(pa.timestamp(values.type.unit)).cast(pa.string())
        iso = _without_last_zeros(pc.replace_substring(plain, " ", "T"))
        return iso if values.type.tz is None else pc.binary_join_element_wise(iso, "Z", "")
    if pa.types.is_floating(values.type):
        # They become the texts that they are in CSV: 7 for 7.0.
        numbers = [number if number is None or number == number else None for number in values.to_pylist()]
        return pa.array([_spelled_float(number) for number in numbers], pa.string())
    texts = values.cast(pa.string())
    return _without_last_zeros(texts) if pa.types.is_time(values.type) else texts


def _without_last_zeros(moments: pa.Array) -> pa.Array:
    shorter = pc.replace_substring_regex(moments, r"(\.\d*?)0+$", r"\1")
    return pc.replace_substring_regex(shorter, r"\.$", "")


def _spelled_float(number: float | None) -> str | None:
    if number is None:
        return None
    return str(int(number)) if number.is_integer() else repr(number)


def _is_text(arrow_type: pa.DataType) -> bool:
    is_view = pa.types.is_string_view(arrow_type)
    return bool(pa.types.is_string(arrow_type) or pa.types.is_large_string(arrow_type) or is_view)
