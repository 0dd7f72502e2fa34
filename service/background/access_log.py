"""The access log: a JSON line for each answered request, with the fields that all logs have (``observability.logs``).

Lines are written here rather than by the logger: at some thousands of requests a second they must cost little.
"""

import json
import os
import stat
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import orjson

from ..middleware.telemetry.metering import AnsweredRequest

_FAILED = 500
_MAX_WAITING = 20_000
_SECONDS_BETWEEN_WRITES = 0.25
_DELETE = b"\x7f"
# What a pipe and a file take at once, so that lines of several processes do not run into each other.
_PIPE_BYTES, _FILE_BYTES = 4096, 64 * 1024


class AccessLog:
    """A line for each answered request, written by a thread of its own, many at once.

    Noting a request costs the event loop some microseconds, in which its line is made: the thread would hold up the
    event loop for as long, and for all requests of a while at once. Where lines come faster than they can be written,
    some are left out, and a line gives their number.

    Parameters
    ----------
    level
        Above ``info``, only requests that failed on our side are written.
    """

    def __init__(self, level: str = "info") -> None:
        self._writes_all = level in {"debug", "info"}
        self._waiting: deque[bytes] = deque()
        self._n_dropped = 0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="access log", daemon=True)

    def note(self, request: AnsweredRequest) -> None:
        """Queue the request's line."""
        if not self._writes_all and request.status < _FAILED:
            return
        if len(self._waiting) < _MAX_WAITING:
            self._waiting.append(_line(request))
        else:
            self._n_dropped += 1

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write lines inside the ``with``; at its end, those that still wait."""
        self._thread.start()
        try:
            yield
        finally:
            self._stopped.set()
            self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(_SECONDS_BETWEEN_WRITES):
            self._write()
        self._write()

    def _write(self) -> None:
        lines = [self._waiting.popleft() for _ in range(len(self._waiting))]
        n_dropped, self._n_dropped = self._n_dropped, 0
        if n_dropped:
            event = {"level": "warning", "event": "access_lines_dropped", "n_lines": n_dropped}
            lines.append(_json({"time": _timestamp(time.time()), **event}))
        if not lines:
            return
        # Between two pieces the event loop may go on: each is some microseconds of work. The fewer there are, the fewer
        # requests have to wait for this thread to be done with one.
        target = sys.stderr.fileno()
        n_bytes = _FILE_BYTES if stat.S_ISREG(os.fstat(target).st_mode) else _PIPE_BYTES
        for piece in _pieces(lines, n_bytes):
            os.write(target, piece)


def _line(request: AnsweredRequest) -> bytes:
    event = {
        "time": _timestamp(request.time),
        "level": "error" if request.status >= _FAILED else "info",
        "event": "request",
        "request_id": request.request_id,
        "key_id": request.key_id,
        "method": request.method,
        "route": request.route,
        "path": request.path[:200],
        "status": request.status,
        "duration_ms": round(request.seconds * 1000, 3),
    }
    return _json(event)


def _json(event: dict[str, Any]) -> bytes:
    """Return a line; characters beyond ASCII, which terminals may act on, are escaped."""
    event |= {"logger": "service.access", "process": os.getpid()}
    line = orjson.dumps(event, option=orjson.OPT_APPEND_NEWLINE)
    return line if line.isascii() and _DELETE not in line else json.dumps(event).encode() + b"\n"


def _timestamp(seconds: float) -> str:
    second, microsecond = divmod(round(seconds * 1e6), 1_000_000)
    return f"{_second(second)}.{microsecond:06d}Z"


@lru_cache(2)
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat()


def _pieces(lines: Iterable[bytes], n_bytes: int) -> Iterator[bytes]:
    """Yield the lines in pieces of at most this number of bytes; a longer line is a piece of its own."""
    piece: list[bytes] = []
    n_taken = 0
    for line in lines:
        if piece and n_taken + len(line) > n_bytes:
            yield b"".join(piece)
            piece, n_taken = [], 0
        piece.append(line)
        n_taken += len(line)
    if piece:
        yield b"".join(piece)
