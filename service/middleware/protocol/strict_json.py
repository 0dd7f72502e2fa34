"""parse_json: JSON bodies read strictly, and quickly."""

import json
import re
from typing import Any, NoReturn

import orjson

from .json_pieces import PIECE_BYTES, read_in_pieces

_MAX_DEPTH = 64
_SMALL_BYTES = 64 * 1024  # of which nothing can be made that takes long
_MAX_PARTS = 300_000  # lists, objects and names, each of which takes as long as several values
_MAX_CONTAINERS = 100_000  # lists and objects, which take longer than names
_MAX_NAMES = 50_000  # of one object: nothing else runs while it is made
_MAX_VALUES = 1_000_000
_MAX_WHOLE = {"names, lists and objects": 150_000, "texts": 400_000}  # where no pieces can be read
_CONTAINERS = frozenset((dict, list))
_INTEGER = re.compile(r"-?\d+(?![\d.eE])")


class BadJson(ValueError):
    """The body is not JSON that the API accepts.

    Parameters
    ----------
    code
        ``malformed_json``, ``bad_string``, ``non_finite_number`` or ``too_many_rows``.
    detail
        What is wrong, and where; nothing of the body itself.
    """

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


def parse_json(body: bytes) -> Any:  # any JSON value
    """Return the value of the body.

    Raises
    ------
    BadJson
        ``malformed_json``: not JSON in UTF-8 (``NaN`` and ``Infinity`` are not JSON), nested deeper than 64 levels,
        a name that an object has twice, or an integer of hundreds of digits. ``bad_string``: lone surrogates or NUL
        characters, which databases and encoders choke on. ``non_finite_number``: a number beyond the range of double
        precision, such as 1e400. ``too_many_rows``: more values, or lists and objects, than can be made while others
        wait.
    """
    if len(body) > _SMALL_BYTES:
        _refuse_crowd(body)
    value, pieces = _read(body)
    # NUL can only come from an escape, so most bodies need not be walked through.
    if b"\\u0000" in body and _holds_nul(value):
        raise BadJson("bad_string", "a text holds a NUL character (\\u0000); remove it")
    if body.count(b"[") + body.count(b"{") > _MAX_DEPTH:
        _refuse_depth(value)
    n_colons = body.count(b":")
    if n_colons > _MAX_NAMES:
        _refuse_large(_most_names(value))
    if n_colons and not _has_names(value, n_colons):
        # Colons in texts are the usual reason to look again; the slower reader shows each object before it is made.
        # That it calls Python for each number, too, lets others go on.
        for piece in pieces:
            json.loads(piece, object_pairs_hook=_distinct, parse_int=_unread, parse_float=_unread)
    return value


def _read(body: bytes) -> tuple[Any, list[bytes]]:
    """Return the value of the body, and the texts that it was read from, one at a time."""
    if len(body) > 2 * PIECE_BYTES:
        if (read := read_in_pieces(body)) is not None:
            return read
        _refuse_whole(body)
    try:
        return orjson.loads(body), [body]
    except orjson.JSONDecodeError as error:
        _refuse(error)


def _has_names(value: Any, n_names: int) -> bool:  # any JSON value
    """Return whether objects have this number of names; fewer than the colons behind them where one was repeated."""
    level = [value] if type(value) in _CONTAINERS else []
    if type(value) is dict and len(value) == n_names:  # as of most bodies
        return True
    while level:
        n_names -= sum(len(container) for container in level if type(container) is dict)
        if n_names <= 0:
            return True
        level = [inner for container in level for inner in _containers_in(container)]
    return False


def _most_names(value: Any) -> int:  # any JSON value
    """Return how many names the object with the most names has."""
    level, most = [value] if type(value) in _CONTAINERS else [], 0
    while level:
        most = max(most, *(len(container) for container in level if type(container) is dict), 0)
        level = [inner for container in level for inner in _containers_in(container)]
    return most


def _unread(_number: str) -> None:
    return None


def _distinct(members: list[tuple[str, Any]]) -> None:
    names: set[str] = set()
    for name, _ in members:
        if name in names:
            detail = f"an object of the body has the name {name[:80]!a} more than once; send each name once"
            raise BadJson("malformed_json", detail)
        names.add(name)


def _refuse_crowd(body: bytes) -> None:
    # Nothing else runs while values are made of the bytes, so these are counted first: quickly, those in texts too.
    n_containers = body.count(b"[") + body.count(b"{")
    n_parts = n_containers + body.count(b":")
    n_values = body.count(b",")
    if n_parts > _MAX_PARTS or n_containers > _MAX_CONTAINERS or n_values > _MAX_VALUES:
        detail = (
            f"the body has {n_values:,} commas, {n_containers:,} opening brackets, and {n_parts:,} with colons; "
            f"at most {_MAX_VALUES:,}, {_MAX_CONTAINERS:,} and {_MAX_PARTS:,} are read at once: send it in several "
            "calls, or rows as lists of values"
        )
        raise BadJson("too_many_rows", detail)
    if n_parts > _MAX_NAMES:
        # Objects that hold no others end at the next brace.
        _refuse_large(max(piece.count(b":") for piece in body.split(b"}")))


def _refuse_whole(body: bytes) -> None:
    counts = (body.count(b":") + body.count(b"[") + body.count(b"{"), body.count(b'"') // 2)
    for n, (what, most) in zip(counts, _MAX_WHOLE.items(), strict=True):
        if n > most:
            detail = (
                f"the body has about {n:,} {what}; more than {most:,} are read only of JSON with one list of rows: "
                "send several calls, or check that the body is JSON, and that each row is an object or a list of values"
            )
            raise BadJson("too_many_rows", detail)


def _refuse_large(n_names: int) -> None:
    if n_names > _MAX_NAMES:
        detail = f"an object of the body has about {n_names:,} names; at most {_MAX_NAMES:,} are read: send a list"
        raise BadJson("too_many_rows", detail)


def _refuse(error: orjson.JSONDecodeError) -> NoReturn:
    where = f"line {error.lineno}, column {error.colno}"
    reason = error.msg.partition(": line ")[0]
    if "infinity" in reason:
        if not _INTEGER.match(error.doc, error.pos):
            detail = f"a number at {where} is beyond the range of double precision"
            raise BadJson("non_finite_number", detail) from None
        reason = "an integer has too many digits"
    elif "surrogate" in reason and "UTF-8" not in reason:
        detail = f"a text at {where} holds half a surrogate pair; send whole characters"
        raise BadJson("bad_string", detail) from None
    elif "UTF-8" in reason:
        reason = "the body is not valid UTF-8"
    raise BadJson("malformed_json", f"the body is not JSON: {reason} ({where})") from None


def _holds_nul(value: Any) -> bool:  # any JSON value
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            if "\0" in item:
                return True
        elif isinstance(item, dict):
            waiting += item.keys()
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
    return False


def _refuse_depth(value: Any) -> None:  # any JSON value
    level = [value] if type(value) in _CONTAINERS else []
    for _ in range(_MAX_DEPTH):
        level = [inner for container in level for inner in _containers_in(container)]
        if not level:
            return
    raise BadJson("malformed_json", f"the body is nested deeper than {_MAX_DEPTH} levels")


def _containers_in(container: Any) -> list[Any]:  # an object or a list
    values = container.values() if type(container) is dict else container
    # Most rows hold plain values only, which is found out without a step of Python for each.
    if _CONTAINERS.isdisjoint(map(type, values)):
        return []
    return [value for value in values if type(value) in _CONTAINERS]
