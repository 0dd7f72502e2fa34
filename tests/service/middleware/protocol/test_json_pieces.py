"""Large JSON bodies are read in pieces, so that other threads of the process go on."""

import time
from collections.abc import Callable
from threading import Event, Thread

import orjson
import pytest

from service.middleware.protocol.json_pieces import read_in_pieces
from service.middleware.protocol.strict_json import BadJson, parse_json

_N_TRIES = 4
_LONGEST_WAIT = 0.025  # seconds of a processor; whole bodies took three times as long
_ROWS = [{f"f{row}_{name}": 1 for name in range(289)} for row in range(1000)]


def _long_rows(**more: object) -> bytes:
    return orjson.dumps({"detail": "full", "instances": _ROWS, **more})


def _longest_wait(work: Callable[[], object]) -> float:
    """Return how long another thread waited at most for its turn, no longer than the process was at work."""
    is_over, waits = Event(), [0.0]

    def look() -> None:
        while not is_over.wait(0.001):
            began, worked = time.perf_counter(), time.process_time()
            time.sleep(0)
            waits.append(min(time.perf_counter() - began, time.process_time() - worked))

    looking = Thread(target=look)
    looking.start()
    work()
    is_over.set()
    looking.join()
    return max(waits)


def _names() -> bytes:
    objects = [b"{" + b",".join(b'"k%d_%d":1' % (row, name) for name in range(48_000)) + b"}" for row in range(6)]
    return b'{"instances":[' + b",".join(objects) + b"]}"


@pytest.mark.parametrize("body", [_long_rows(), _names()], ids=["of rows", "of names"])
def test_others_do_not_wait_for_a_body_of_290_000_names(body: bytes) -> None:
    assert min(_longest_wait(lambda: parse_json(body)) for _ in range(_N_TRIES)) < _LONGEST_WAIT


@pytest.mark.parametrize(
    ("opening", "between", "closing"),
    [
        (b'{"instances":[', b",", b"]}"),
        (b'{"detail": "a [{ in a text", "row_ids": ["},{"], "instances": [\n ', b" ,\n ", b'\n ], "id": "x}]"}'),
        (b"[", b", ", b"]"),
    ],
)
@pytest.mark.parametrize(
    "row", [b'{"a": 1, "b": "},{"}', b'{"a": {"b": [{}, {}]}, "c": [[1], [2]]}', b'[1, "],[", null]', b"[[1], [2, 3]]"]
)
def test_any_rows_are_read_as_they_are(row: bytes, opening: bytes, between: bytes, closing: bytes) -> None:
    body = opening + between.join([row] * (600_000 // len(row + between) // 3)) + closing
    body = body if len(body) > 600_000 else body + b" " * 600_000

    assert parse_json(body) == orjson.loads(body)


def test_a_body_with_one_list_of_rows_is_read_in_pieces() -> None:
    body = _long_rows(row_ids=[f"r{row}" for row in range(1000)])

    read = read_in_pieces(body)

    assert read is not None
    value, pieces = read
    assert value == orjson.loads(body)
    assert len(pieces) > 10
    assert max(map(len, pieces)) < 300_000


@pytest.mark.parametrize(
    "body", [b"{}", b"[]", b'"[{}]"', b'{"a":[{}', b'{"a":"[{}]"}', b'{"a":[{}],"b":[{}]}', b"[[1]]]"]
)
def test_what_is_no_such_list_is_not_read_in_pieces(body: bytes) -> None:
    assert read_in_pieces(body) is None


def test_a_name_that_comes_twice_is_found_in_any_piece() -> None:
    body = _long_rows()[:-3] + b',"f999_0":1}]}'

    with pytest.raises(BadJson, match="the name 'f999_0' more than once"):
        parse_json(body)


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (b'{"a":[' + b",".join([b'"a"'] * 500_000) + b"]}", "texts"),
        (_long_rows()[:-1], "names"),
    ],
)
def test_what_cannot_be_read_in_pieces_may_be_less(body: bytes, what: str) -> None:
    with pytest.raises(BadJson, match=f"{what}.* are read only of JSON with one list of rows") as refused:
        parse_json(body)

    assert refused.value.code == "too_many_rows"
