"""Parquet values: which type each Arrow type becomes, and how."""

import pyarrow as pa
import pyarrow.compute as pc

from .layout import ColumnType

_LARGEST_EXACT = 2**53 - 1


def natural_type(arrow_type: pa.DataType) -> ColumnType | None:
    """Return what a column of this Arrow type becomes, or None where such columns are refused."""
    if pa.types.is_dictionary(arrow_type):
        return None if pa.types.is_dictionary(arrow_type.value_type) else natural_type(arrow_type.value_type)
    if pa.types.is_boolean(arrow_type):
        return "boolean"
    if pa.types.is_integer(arrow_type) or pa.types.is_floating(arrow_type) or pa.types.is_decimal(arrow_type):
        return "number"
    if any(test(arrow_type) for test in (_is_text, pa.types.is_date, pa.types.is_timestamp)):
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
    found = (extremes["min"].as_py(), extremes["max"].as_py())
    return any(extreme is not None and abs(extreme) > _LARGEST_EXACT for extreme in found)


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
        return _iso_moments(values)
    if pa.types.is_floating(values.type):
        return _spelled_floats(values)
    return values.cast(pa.string())


def _iso_moments(values: pa.Array) -> pa.Array:
    # Moments with a time zone are stored in UTC; as such they need no database of time zones.
    plain = values.cast(pa.int64()).cast(pa.timestamp(values.type.unit)).cast(pa.string())
    iso = pc.replace_substring(plain, " ", "T")
    iso = pc.replace_substring_regex(iso, r"(\.\d*?)0+$", r"\1")
    iso = pc.replace_substring_regex(iso, r"\.$", "")
    return iso if values.type.tz is None else pc.binary_join_element_wise(iso, "Z", "")


def _spelled_floats(values: pa.Array) -> pa.Array:
    """Return floats as the text that they are in CSV: ``7`` for 7.0."""
    numbers = [number if number is None or number == number else None for number in values.to_pylist()]  # noqa: PLR0124
    return pa.array([_spelled(number) for number in numbers], pa.string())


def _spelled(number: float | None) -> str | None:
    if number is None:
        return None
    return str(int(number)) if number.is_integer() else repr(number)


def _is_text(arrow_type: pa.DataType) -> bool:
    return bool(pa.types.is_string(arrow_type) or pa.types.is_large_string(arrow_type))
