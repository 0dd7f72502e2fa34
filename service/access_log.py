"""The access log: a JSON line for each answered request, with the fields that all logs have (``observability.logs``).

Lines are written here rather than by the logger: at some thousands of requests a second they must cost little.
"""

import json
import os
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import chain
from typing import Any

import orjson

from .middleware.metering import AnsweredRequest

_FAILED = 500
_MAX_WAITING = 20_000
_SECONDS_BETWEEN_WRITES = 0.25
_DELETE = b"\x7f"
_WHOLE_BYTES = 4096  # what a pipe takes at once, so that lines of several processes do not run into each other


class AccessLog:
    """A line for each answered request, written by a thread of its own, many at once.

    Noting a request costs the event loop a fraction of a microsecond. Where lines come faster than they can be written,
    some are left out, and a line gives their number.

    Parameters
    ----------
    level
        Above ``info``, only requests that failed on our side are written.
    """

    def __init__(self, level: str = "info") -> None:
        self._writes_all = level in {"debug", "info"}
        self._waiting: deque[AnsweredRequest] = deque()
        self._n_dropped = 0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="access log", daemon=True)

    def note(self, request: AnsweredRequest) -> None:
        """Queue the request's line."""
        if len(self._waiting) < _MAX_WAITING:
            self._waiting.append(request)
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
        requests = [self._waiting.popleft() for _ in range(len(self._waiting))]
        n_dropped, self._n_dropped = self._n_dropped, 0
        lines = (_line(request) for request in requests if self._writes_all or request.status >= _FAILED)
        # Between two pieces the event loop may go on: each is some tens of microseconds of work.
        for piece in _pieces(chain(lines, _dropped(n_dropped))):
            os.write(sys.stderr.fileno(), piece)


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


def _dropped(n_dropped: int) -> Iterator[bytes]:
    if n_dropped:
        yield _json({"time": _timestamp(), "level": "warning", "event": "access_lines_dropped", "n_lines": n_dropped})


def _json(event: dict[str, Any]) -> bytes:
    """Return a line; characters beyond ASCII, which terminals may act on, are escaped."""
    event |= {"logger": "service.access", "process": os.getpid()}
    line = orjson.dumps(event, option=orjson.OPT_APPEND_NEWLINE)
    return line if line.isascii() and _DELETE not in line else json.dumps(event).encode() + b"\n"


def _timestamp(seconds: float | None = None) -> str:
    moment = datetime.now(UTC) if seconds is None else datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _pieces(lines: Iterable[bytes]) -> Iterator[bytes]:
    piece = b""
    for line in lines:
        if piece and len(piece) + len(line) > _WHOLE_BYTES:
            yield piece
            piece = b""
        piece += line
    if piece:
        yield piece
