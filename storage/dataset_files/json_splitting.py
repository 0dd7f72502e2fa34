"""JSON rows taken apart: an array of objects, or one object a line, read a few megabytes at a time."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, NoReturn

import orjson

from ..errors import DatasetRefused

Row = dict[str, Any]

_N_CHUNK_BYTES = 8 * 1024**2
_MAX_ROW_BYTES = 16 * 1024**2
_MAX_CUTS_TRIED = 20
_BETWEEN_ROWS = re.compile(rb"\}\s*,\s*(?=\{)")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def row_chunks(path: Path, form: Literal["json_array", "json_lines"]) -> Iterator[list[Row]]:
    """Yield the rows in lists of some thousands, in the file's order."""
    n_rows = 0
    for chunk in _array_chunks(path) if form == "json_array" else _line_chunks(path):
        for index, row in enumerate(chunk):
            if not isinstance(row, dict):
                _refuse(f"row {n_rows + index} (counted from 0) is not an object; send rows as {{column: value}}")
        n_rows += len(chunk)
        yield chunk


def _line_chunks(path: Path) -> Iterator[list[Any]]:
    rows: list[Any] = []
    n_bytes = 0
    with path.open("rb") as file:
        for number, line in enumerate(_lines(file.readline), start=1):
            text = line.removeprefix(_BYTE_ORDER_MARK).strip()
            if text:
                rows.append(_loads(text, f"line {number}"))
            n_bytes += len(line)
            if n_bytes >= _N_CHUNK_BYTES:
                yield rows
                rows, n_bytes = [], 0
    yield rows


def _lines(readline: Callable[[int], bytes]) -> Iterator[bytes]:
    number = 0
    while line := readline(_MAX_ROW_BYTES + 1):
        number += 1
        if len(line) > _MAX_ROW_BYTES:
            _refuse_long_row(f"line {number}")
        yield line


def _array_chunks(path: Path) -> Iterator[list[Any]]:
    """Cut the array between rows; a cut inside a text or a nested value leaves both sides unreadable, and is moved."""
    with path.open("rb") as file:
        rest = file.read(_N_CHUNK_BYTES).removeprefix(_BYTE_ORDER_MARK).lstrip().removeprefix(b"[")
        n_rows = 0
        while more := file.read(_N_CHUNK_BYTES):
            rows, rest = _cut(rest + more, n_rows)
            n_rows += len(rows)
            yield rows
    yield _loads(b"[" + rest, f"the part after row {n_rows}")


def _cut(text: bytes, n_rows: int) -> tuple[list[Any], bytes]:
    """Return the whole rows that ``text`` begins with, and what follows them."""
    ends = [match.span() for match in _BETWEEN_ROWS.finditer(text)][-_MAX_CUTS_TRIED:]
    for row_end, next_row in reversed(ends):
        try:
            return orjson.loads(b"[" + text[: row_end + 1] + b"]"), text[next_row:]
        except orjson.JSONDecodeError:
            continue
    if len(text) > _MAX_ROW_BYTES + _N_CHUNK_BYTES:
        where = f"the part after row {n_rows}"
        _loads(b"[" + text + b"]", where)
        _refuse_long_row(where)
    return [], text


def _loads(text: bytes, where: str) -> Any:  # noqa: ANN401  # JSON is of any type
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        if "infinity" in error.msg:
            detail = f"{where}: a number is beyond the range of double precision; send null where a value is missing"
            raise DatasetRefused("dataset_bad_number", detail) from None
        _refuse(f"{where} is not JSON: {_without_position(error.msg)}; send an array of objects, or one object a line")


def _without_position(message: str) -> str:
    return message.partition(": line")[0]


def _refuse_long_row(where: str) -> NoReturn:
    detail = f"{where}: a row is longer than {_MAX_ROW_BYTES:,} bytes; shorten it"
    raise DatasetRefused("dataset_field_too_large", detail)


def _refuse(detail: str) -> NoReturn:
    raise DatasetRefused("dataset_parse_error", detail)
