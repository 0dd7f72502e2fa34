"""Logs: one JSON object a line on standard error, with the request's id; no message can pretend to be two."""

import json
import logging
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
import structlog

from .middleware.metering import AnsweredRequest

_FAILED = 500
_MOST_WAITING = 20_000
_SECONDS_BETWEEN_WRITES = 0.25
_DELETE = b"\x7f"
_WHOLE_BYTES = 4096  # what a pipe takes at once, so that lines of several processes do not run into each other


def log_json_lines(level: str = "info") -> None:
    """Have the whole process log this way from ``level`` upwards, libraries included."""
    lowest = logging.getLevelNamesMapping()[level.upper()]
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(lowest),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler()
    # Characters beyond ASCII are escaped: terminals act on some of them.
    render: list[structlog.typing.Processor] = [
        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
        structlog.processors.JSONRenderer(),
    ]
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=render))
    logging.basicConfig(level=lowest, handlers=[handler], force=True)
    # It tells at each start that there is nothing to migrate.
    logging.getLogger("alembic").setLevel(logging.WARNING)


def current_request_id() -> str | None:
    """Return the id of the request that this code answers, if it answers one."""
    found: str | None = structlog.contextvars.get_contextvars().get("request_id")
    return found


class AccessLog:
    """A line for each answered request, written by a thread of its own, many at once.

    Taking note costs the event loop a fraction of a microsecond. Where lines come faster than they can be written,
    some are left out, and a line says how many.

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
        """Have a line written about the request."""
        if len(self._waiting) < _MOST_WAITING:
            self._waiting.append(request)
        else:
            self._n_dropped += 1

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write lines meanwhile; at the end, those that wait."""
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
    told = {
        "time": _told_time(request.time),
        "level": "error" if request.status >= _FAILED else "info",
        "event": "request",
        "logger": "service.access",
        "request_id": request.request_id,
        "key_id": request.key_id,
        "method": request.method,
        "route": request.route,
        "path": request.path[:200],
        "status": request.status,
        "duration_ms": round(request.seconds * 1000, 3),
    }
    return _json(told)


def _json(told: dict[str, Any]) -> bytes:
    """Return a line; characters beyond ASCII, which terminals may act on, are escaped."""
    line = orjson.dumps(told, option=orjson.OPT_APPEND_NEWLINE)
    return line if line.isascii() and _DELETE not in line else json.dumps(told).encode() + b"\n"


def _dropped(n_dropped: int) -> Iterator[bytes]:
    if n_dropped:
        told = {"time": _told_time(), "level": "warning", "event": "access_lines_dropped", "n_lines": n_dropped}
        yield _json({**told, "logger": "service.access"})


def _told_time(seconds: float | None = None) -> str:
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
