"""Fillings: JSON texts of about a number of bytes, each the dearest of its kind to read, check or refuse."""

from collections.abc import Callable
from itertools import count
from typing import Any

import orjson

Filling = Callable[[int, Any], bytes]
"""Takes the number of bytes and the value that the field had; returns JSON."""

_MOST_NAMES = 49_000  # of one object, and
_MOST_LISTS, _MOST_PARTS = 99_000, 290_000  # lists and objects of a body, and these and names: fewer than are refused
_N_ROWS = 1000


PLAIN = {
    "100": b"100",
    "1000": b"1000",
    "true": b"true",
    "word all": b'"all"',
    "word full": b'"full"',
    "every part": b'["values","intervals","contrast","nearest_rows"]',
    "leaves": b'["leaves"]',
    "100 reference rows": b'{"n_rows":100}',
}
"""Values that make a request dear because they are taken."""


def _plain(text: bytes) -> Filling:
    return lambda _n_bytes, _value: text


def _list_of(element: bytes, most: int = 1 << 30) -> Filling:
    def filled(n_bytes: int, _value: Any) -> bytes:  # any JSON value
        return b"[" + b",".join([element] * min(most, n_bytes // (len(element) + 1))) + b"]"

    return filled


def _text_of(piece: bytes) -> Filling:
    return lambda n_bytes, _value: b'"' + piece * (n_bytes // len(piece)) + b'"'


def _names(n_bytes: int, _value: Any) -> bytes:
    n_names = min(_MOST_NAMES, n_bytes // 12)
    return b"{" + b",".join(b'"k%d":1' % number for number in range(n_names)) + b"}"


def _twins(n_bytes: int, value: Any) -> bytes:
    return _names(n_bytes, value)[:-1] + b',"k0":2}'


def _deep(n_bytes: int, _value: Any) -> bytes:
    nest = b"[" * 60 + b"]" * 60
    return _list_of(nest, _MOST_LISTS // 60)(n_bytes, None)


def _deeper(n_bytes: int, _value: Any) -> bytes:
    return b"[" * (n_bytes // 2) + b"]" * (n_bytes // 2)


def _different_texts(n_bytes: int, _value: Any) -> bytes:
    return b"[" + b",".join(b'"%d"' % number for number in range(n_bytes // 9)) + b"]"


def _different_numbers(n_bytes: int, _value: Any) -> bytes:
    return b"[" + b",".join(b"%d" % number for number in range(n_bytes // 8)) + b"]"


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else value


def _rows(n_bytes: int, value: Any) -> bytes:
    row = orjson.dumps(_first(value))
    return _list_of(row, _N_ROWS)(n_bytes, None)


def _rows_and_a_bad_one(n_bytes: int, value: Any) -> bytes:
    row = orjson.dumps(_first(value))
    bad = orjson.dumps(_numbers_changed(_first(value), 1e39))
    return _list_of(row, _N_ROWS - 1)(n_bytes - len(bad), None)[:-1] + b"," + bad + b"]"


def _bad_rows(n_bytes: int, value: Any) -> bytes:
    return _list_of(orjson.dumps(_numbers_changed(_first(value), 1e39)), _N_ROWS)(n_bytes, None)


def _rows_of_texts(n_bytes: int, value: Any) -> bytes:
    return _list_of(orjson.dumps(_numbers_changed(_first(value), "x" * 50)), _N_ROWS)(n_bytes, None)


def _numbers_changed(row: Any, wrong: Any) -> Any:
    if isinstance(row, dict):
        return {name: _numbers_changed(value, wrong) for name, value in row.items()}
    return [_numbers_changed(value, wrong) for value in row] if isinstance(row, list) else wrong


def _wide_rows(n_bytes: int, value: Any) -> bytes:
    row = _first(value)
    if not isinstance(row, dict):
        return _rows(n_bytes, value)
    n_more = max(1, (n_bytes // _N_ROWS - len(orjson.dumps(row))) // 8)
    return _list_of(orjson.dumps(row | {f"x{number}": 1 for number in range(n_more)}), _N_ROWS)(n_bytes, None)


def _unlike_rows(n_bytes: int, value: Any) -> bytes:
    """Rows that lack their last feature and have many that are called much like it."""
    row = _first(value)
    if not isinstance(row, dict) or not row:
        return _rows(n_bytes, value)
    last = list(row)[-1]
    kin = {f"{last}{number}": 1 for number in range(100)}
    return _list_of(orjson.dumps(dict.fromkeys(list(row)[:-1], 1) | kin), _N_ROWS)(n_bytes, None)


def _tensors(n_bytes: int, _value: Any) -> bytes:
    made = (b'{"name":"t%d","shape":[1],"datatype":"FP64","data":[1]}' % number for number in count())
    return b"[" + b",".join(next(made) for _ in range(n_bytes // 58)) + b"]"


def _long_tensors(n_bytes: int, value: Any) -> bytes:
    tensors = value if isinstance(value, list) else []
    n_values = min(_N_ROWS, n_bytes // (2 * max(1, len(tensors))))
    longer = [{**tensor, "shape": [n_values], "data": [1] * n_values} for tensor in tensors if isinstance(tensor, dict)]
    return orjson.dumps(longer)


FILLINGS: dict[str, Filling] = {
    **{name: _plain(text) for name, text in PLAIN.items()},
    "nulls": _list_of(b"null"),
    "zeros": _list_of(b"0"),
    "fractions": _list_of(b"0.12345678901234567"),
    "large numbers": _list_of(b"1e300"),
    "empty texts": _list_of(b'""'),
    "texts": _different_texts,
    "numbers": _different_numbers,
    "lists": _list_of(b"[]", _MOST_LISTS),
    "lists of one": _list_of(b"[0]", _MOST_LISTS),
    "objects": _list_of(b"{}", _MOST_LISTS),
    "objects of one": _list_of(b'{"a":1}', _MOST_LISTS),
    "names": _names,
    "objects of names": _list_of(b"{" + b",".join(b'"k%d":1' % number for number in range(1000)) + b"}", 250),
    "names, one twice": _twins,
    "deep lists": _deep,
    "a deeper list": _deeper,
    "a long text": _text_of(b"a"),
    "a text of two bytes a character": _text_of("é".encode()),
    "a text of escapes": _text_of(rb"\u00e9"),
    "a text of control characters": _text_of(rb"\u0001"),
    "a text that looks like NUL": _text_of(rb"\\u0000"),
    "texts with colons": _list_of(b'":"', _MOST_PARTS),
    "a text of colons": lambda n_bytes, value: _text_of(b":")(min(n_bytes, _MOST_PARTS), value),
    "a long number": lambda n_bytes, _value: b"1" * n_bytes,
    "rows": _rows,
    "rows and a bad one": _rows_and_a_bad_one,
    "bad rows": _bad_rows,
    "rows of texts": _rows_of_texts,
    "wide rows": _wide_rows,
    "unlike rows": _unlike_rows,
    "tensors": _tensors,
    "long tensors": _long_tensors,
}
"""By the name that the table of the dearest requests has."""
