"""read_in_pieces: JSON bodies with many rows, read some rows at a time, as nothing else runs while values are made."""

import re
import secrets
from collections.abc import Iterable, Iterator
from typing import Any

import orjson

PIECE_BYTES = 256 * 1024
"""Of which values are made in some 5 ms."""
_OPENING = re.compile(rb"\[\s*([\[{])")
_END_OF_ROW = {b"{": re.compile(rb"\}(?=\s*,)"), b"[": re.compile(rb"\](?=\s*,)")}
_END_OF_ROWS = {b"{": re.compile(rb"\}(?=\s*\])"), b"[": re.compile(rb"\](?=\s*\])")}
_TAIL_BYTES = 1 << 20  # fields behind the rows, ids of them above all


def read_in_pieces(body: bytes) -> tuple[Any, list[bytes]] | None:
    """Return the value of a list of rows, or an object with one, and the texts that it was read from; else None.

    The first list that begins with an object or a list is taken for that of the rows, and the last such end for theirs.
    As JSON can be read in one way only, a piece of any other body, or what is left without them, is not JSON, or
    has no such list. None is also returned where rows, or what is beside them, are longer than some pieces.
    """
    rows = _bounds_of_rows(body)
    if rows is None:
        return None
    mark = secrets.token_hex()
    rest = b'%b"%b"%b' % (body[: rows.start], mark.encode(), body[rows.stop :])
    pieces = list(_pieces(body, rows))
    if max(map(len, [rest, *pieces])) > 4 * PIECE_BYTES:
        return None
    try:
        value = orjson.loads(rest)
        lists = [items for items in (value, *_values(value)) if items == [mark]]
        if len(lists) != 1:
            return None
        lists[0][:] = (row for piece in pieces for row in orjson.loads(piece))
    except orjson.JSONDecodeError:
        return None
    return value, [rest, *pieces]


def _values(value: Any) -> Iterable[Any]:  # any JSON value
    return value.values() if type(value) is dict else ()


def _bounds_of_rows(body: bytes) -> slice | None:
    opening = _OPENING.search(body, 0, PIECE_BYTES)
    if opening is None:
        return None
    first = opening.start(1)
    tail = max(first, len(body) - _TAIL_BYTES)
    ends = [end.end() for end in _END_OF_ROWS[opening[1]].finditer(body, tail)]
    return slice(first, ends[-1]) if ends else None


def _pieces(body: bytes, rows: slice) -> Iterator[bytes]:
    """Yield lists of some rows, as JSON."""
    first, between = rows.start, _END_OF_ROW[body[rows.start : rows.start + 1]]
    while first < rows.stop:
        end = between.search(body, min(first + PIECE_BYTES, rows.stop), rows.stop)
        last = rows.stop if end is None else end.end()
        yield b"[%b]" % body[first:last]
        first = rows.stop if end is None else body.index(b",", last) + 1
