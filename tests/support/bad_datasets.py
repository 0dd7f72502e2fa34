"""Datasets as hostile, broken or careless clients could send them, by name, each with the codes that it may get."""

import io
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from .bad_models import BadFile

_COLUMNS = "dataset_bad_columns"
_LARGE = "dataset_too_large"
_FIELD = "dataset_field_too_large"
_FAULT = "dataset_parse_error"
_ENCODING = "dataset_bad_encoding"
_NUMBER = "dataset_bad_number"
_FORMAT = "unsupported_media_type"
_TAKEN_TYPES = {"nulls": f"{_COLUMNS} taken", "times": "taken"}


def bad_datasets() -> dict[str, BadFile]:
    """Return datasets by name; a code for each, or several where more than one is right; ``taken`` where it is good."""
    return _by_name((*_csv(), *_json(), *_parquet(), *_others()))


def bombs() -> dict[str, BadFile]:
    """Return datasets by name, likewise, that take a second to make or to read: of much more than they seem to be."""
    return _by_name((*_csv_bombs(), *_parquet_bombs()))


def _by_name(datasets: Iterable[tuple[str, bytes, str]]) -> dict[str, BadFile]:
    return {name: (data, frozenset(codes.split())) for name, data, codes in datasets}


def _csv() -> Iterator[tuple[str, bytes, str]]:
    yield "csv_nul", b"a,b\n1,\x002\n", _FAULT
    yield "csv_latin_1", "a,b\né,1\n".encode("latin-1"), _ENCODING
    yield "csv_two_encodings", "a\né\n".encode() + "é\n".encode("latin-1"), _ENCODING
    yield "csv_utf_16", "a,b\n1,2\n".encode("utf-16"), _ENCODING
    yield "csv_surrogate", b"a\n\xed\xa0\x80\n", _ENCODING
    yield "csv_byte_order_mark", "\ufeffa,b\n1,2\n".encode(), "taken"
    yield "csv_open_quote", b'a,b\n"1,2\n3,4\n', _FAULT
    yield "csv_quote_in_the_middle", b'a,b\n1,x"y\n', f"taken {_FAULT}"
    yield "csv_text_after_quote", b'a,b\n"1"x,2\n', f"taken {_FAULT}"
    yield "csv_longest_line", b"a" * 40_000_000, f"{_FIELD} {_COLUMNS} dataset_empty {_FAULT}"
    yield "csv_long_cell", b"a\n" + b"x" * 20_000_000 + b"\n", f"{_FIELD} {_FAULT}"
    yield "csv_same_names", b"a,a\n1,2\n", _COLUMNS
    yield "csv_names_alike_in_unicode", "é,é\n1,2\n".encode(), f"taken {_COLUMNS}"
    yield "csv_no_name", b"a,\n1,2\n", f"taken {_COLUMNS}"
    yield "csv_ragged", b"a,b\n1\n", _FAULT
    yield "csv_longer", b"a,b\n1,2,3\n", _FAULT
    yield "csv_infinity", b"a\n1e400\n1\n", _NUMBER
    yield "csv_infinite_word", b"a\n-inf\n1\n", "taken"
    yield "csv_long_number", b"a\n" + b"9" * 100_000 + b"\n1\n", f"taken {_NUMBER}"
    yield "csv_many_zeros", b"a\n1e-999999999\n0." + b"0" * 100_000 + b"1\n", f"taken {_NUMBER}"
    yield "csv_carriage_returns", b"a,b\r1,2\r3,4\r", f"taken {_FAULT}"
    yield "csv_right_to_left", "a\u202e,b\n1,2\n".encode(), f"taken {_COLUMNS}"
    yield "csv_control_characters", b"a\x1b[31m,b\n1,2\n", f"taken {_COLUMNS}"


def _csv_bombs() -> Iterator[tuple[str, bytes, str]]:
    yield (
        "csv_million_columns",
        b",".join(b"c%d" % at for at in range(1_000_000)) + b"\n" + b"," * 999_999 + b"\n",
        f"{_LARGE} {_FIELD}",
    )
    yield "csv_blank_lines", b"\n" * 5_000_000, "dataset_empty"
    yield "csv_only_commas", b"," * 5_000_000, f"{_LARGE} {_COLUMNS} {_FIELD} dataset_empty"


def _json() -> Iterator[tuple[str, bytes, str]]:
    yield "json_nested_arrays", b"[" * 100_000 + b"]" * 100_000, _FAULT
    yield "json_nested_objects", b'{"a":' * 100_000 + b"1" + b"}" * 100_000, _FAULT
    yield "json_nested_value", b'[{"a": {"b": [1]}}]', f"{_COLUMNS} {_FAULT}"
    yield "json_same_keys", b'[{"a": 1, "a": "x"}]', f"taken {_COLUMNS}"
    yield "json_huge_integer", b'[{"a": ' + b"9" * 100_000 + b"}]", f"taken {_NUMBER} {_FAULT}"
    yield "json_infinity", b'[{"a": Infinity}]', f"{_FAULT} {_NUMBER}"
    yield "json_nan", b'[{"a": NaN}]', _FAULT
    yield "json_large_exponent", b'[{"a": 1e999999999}]', _NUMBER
    yield "json_lone_surrogate", b'[{"a": "\\ud800"}]', f"{_FAULT} {_ENCODING}"
    yield "json_nul", b'[{"a": "\\u0000"}]', _FAULT
    yield "json_nul_in_name", b'[{"a\\u0000": 1}]', f"{_COLUMNS} {_FAULT}"
    yield "json_text_among_numbers", b'[{"a": 1}, {"a": "x"}]', "taken"
    yield "json_truth_among_numbers", b'[{"a": 1}, {"a": true}]', "taken"
    yield "json_no_rows", b"[]", "dataset_empty"
    yield "json_scalars", b"[1, 2]", _FAULT
    yield "json_trailing", b'[{"a": 1}] x', _FAULT
    yield "json_cut", b'[{"a": 1}, {"a"', _FAULT
    yield "json_many_names", b"[{" + b",".join(b'"c%d": 1' % at for at in range(100_000)) + b"}]", _LARGE
    yield "json_long_text", b'[{"a": "' + b"x" * 1_000_000 + b'"}]', _FIELD
    yield "json_long_name", b'[{"' + b"x" * 1_000_000 + b'": 1}]', f"{_COLUMNS} {_FIELD}"
    yield "json_empty_object", b"[{}]", f"dataset_empty {_COLUMNS}"


def _parquet() -> Iterator[tuple[str, bytes, str]]:
    yield from _broken_parquet()
    yield from _parquet_types()
    yield from _parquet_tables()


def _broken_parquet() -> Iterator[tuple[str, bytes, str]]:
    good = _written(pa.table({"a": [1.0, 2.0], "b": ["x", "y"]}))
    for name, length in (("zero", 0), ("beyond", 2**31 - 1), ("negative", -1), ("short", 5)):
        yield f"parquet_footer_{name}", good[:-8] + length.to_bytes(4, "little", signed=True) + b"PAR1", _FAULT
    yield "parquet_encrypted", good[:-4] + b"PARE", _FAULT
    yield "parquet_cut", good[: len(good) // 2], _FAULT
    yield "parquet_no_data", good[:4] + good[-200:], _FAULT


def _parquet_types() -> Iterator[tuple[str, bytes, str]]:
    for name, values in {
        "lists": pa.array([[1], [2, 3]]),
        "structs": pa.array([{"x": 1}, {"x": 2}]),
        "maps": pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int32())),
        "binary": pa.array([b"\xff", b"\xfe"]),
        "nulls": pa.nulls(2),
        "durations": pa.array([1, 2], pa.duration("s")),
        "times": pa.array([1, 2], pa.time32("s")),
        "large_lists": pa.array([[1], [2]], pa.large_list(pa.int8())),
    }.items():
        yield (
            f"parquet_of_{name}",
            _written(pa.table({"a": values})),
            _TAKEN_TYPES.get(name, _COLUMNS),
        )
    deep: Any = pa.int8()
    for _ in range(60):
        deep = pa.struct([("x", deep)])
    yield "parquet_deep", _written(pa.table({"a": pa.nulls(1, deep)})), f"{_COLUMNS} {_FAULT}"


def _parquet_bombs() -> Iterator[tuple[str, bytes, str]]:
    text = pa.array(["x" * 100_000]).take(pa.array(np.zeros(20_000, np.int32)))
    yield (
        "parquet_dictionary_bomb",
        _written(
            pa.table(
                {"a": pa.DictionaryArray.from_arrays(pa.array(np.zeros(200_000, np.int32)), pa.array(["x" * 100_000]))}
            ),
            compression="zstd",
        ),
        _LARGE,
    )
    yield (
        "parquet_text_bomb",
        _written(pa.table({"a": text}), compression="zstd", use_dictionary=False),
        f"{_LARGE} taken",
    )
    yield "parquet_number_bomb", _written(pa.table({"a": np.zeros(30_000_000)}), compression="zstd"), _LARGE


def _parquet_tables() -> Iterator[tuple[str, bytes, str]]:
    yield "parquet_field", _written(pa.table({"a": ["x" * 10_000_000]}), compression="zstd"), f"{_FIELD} {_LARGE}"
    yield "parquet_infinity", _written(pa.table({"a": [1.0, float("inf")]})), "taken"
    yield (
        "parquet_same_names",
        _written(pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"])),
        f"{_COLUMNS} {_FAULT}",
    )
    yield "parquet_no_rows", _written(pa.table({"a": pa.array([], pa.int8())})), "dataset_empty"
    yield "parquet_no_columns", _written(pa.table({})), f"dataset_empty {_COLUMNS}"
    yield "parquet_many_columns", _written(pa.table({f"c{at}": [1] for at in range(11_000)})), _LARGE
    yield "parquet_many_groups", _written(pa.table({"a": np.arange(20_000)}), row_group_size=1), f"taken {_LARGE}"
    yield "parquet_nul", _written(pa.table({"a": ["x\0y"]})), _FAULT


def _others() -> Iterator[tuple[str, bytes, str]]:
    for name, head in (
        ("zip", b"PK\x03\x04"),
        ("gzip", b"\x1f\x8b\x08"),
        ("zstandard", b"\x28\xb5\x2f\xfd"),
        ("bzip2", b"BZh9"),
        ("xz", b"\xfd7zXZ\x00"),
        ("feather", b"ARROW1"),
        ("orc", b"ORC"),
        ("pickle", b"\x80\x04\x95"),
        ("sqlite", b"SQLite format 3\0"),
        ("hdf5", b"\x89HDF\r\n"),
    ):
        yield f"format_{name}", head + bytes(1000), f"{_FORMAT} {_FAULT}"
    yield "format_nothing", b"", "dataset_empty"
    yield "format_zeros", bytes(1_000_000), _FAULT
    yield "format_noise", np.random.default_rng(0).bytes(100_000), f"{_ENCODING} {_FAULT}"


def _written(table: pa.Table, **options: Any) -> bytes:  # the writer's
    target = io.BytesIO()
    pq.write_table(table, target, **options)
    return target.getvalue()
