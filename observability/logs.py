"""Logs: one JSON object a line on standard error, so that no message can pretend to be two.

Every line has ``time`` (UTC, ISO 8601), ``level``, ``event``, ``logger`` and ``process``. Lines about a request have
its ``request_id``; lines about a job have that of the request that created it, beside ``job``, ``kind``, ``artefact``,
``attempt`` and ``duration_ms``. An ``exception`` is a traceback. Libraries that use ``logging`` get the same form.
"""

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog
from structlog.contextvars import bound_contextvars, get_contextvars
from structlog.stdlib import ProcessorFormatter
from structlog.typing import EventDict, Processor

_BEGAN = "began"


def log_json_lines(level: str = "info") -> None:
    """Have the whole process log this way from ``level`` upwards, libraries included."""
    lowest = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
        structlog.processors.format_exc_info,
        _add_process_and_duration,
    ]
    structlog.configure(
        processors=[*shared, ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(lowest),
        cache_logger_on_first_use=True,
    )
    # Characters beyond ASCII are escaped: terminals act on some of them.
    render: list[Processor] = [ProcessorFormatter.remove_processors_meta, structlog.processors.JSONRenderer()]
    handler = logging.StreamHandler()
    handler.setFormatter(ProcessorFormatter(foreign_pre_chain=shared, processors=render))
    logging.basicConfig(level=lowest, handlers=[handler], force=True)
    # It logs at each start that there is nothing to migrate.
    logging.getLogger("alembic").setLevel(logging.WARNING)


@contextmanager
def log_context(**fields: Any) -> Iterator[None]:  # any JSON values
    """Add these fields, and ``duration_ms`` since now, to all lines that this thread or a fork of it logs meanwhile."""
    with bound_contextvars(**fields, **{_BEGAN: time.monotonic()}):
        yield


def current_request_id() -> str | None:
    """Return the id of the request that this code answers, if it answers one."""
    found: str | None = get_contextvars().get("request_id")
    return found


def _add_process_and_duration(_logger: object, _method: str, event: EventDict) -> EventDict:
    event["process"] = os.getpid()
    began = event.pop(_BEGAN, None)
    if began is not None:
        event["duration_ms"] = round((time.monotonic() - began) * 1000, 3)
    return event
