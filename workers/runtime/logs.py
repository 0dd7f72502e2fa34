"""Logs: one JSON object a line on standard error, so that no message can pretend to be two.

What is logged while a job is attended to says which job, and which request asked for it: in the worker's own process
and in the job's, which inherits it.
"""

import json
import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from storage.attempts import Claim

_FIELDS = "leafspace_fields"
_about: ContextVar[Mapping[str, Any]] = ContextVar("about", default=MappingProxyType({}))
_began: ContextVar[float | None] = ContextVar("began", default=None)


class JsonLines(logging.Formatter):
    """Writes a record as one line of JSON; control characters are escaped by that."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat().replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            "logger": record.name,
            "process": record.process,
            **_about.get(),
            **getattr(record, _FIELDS, {}),
        }
        if (began := _began.get()) is not None:
            line["duration_ms"] = round((time.monotonic() - began) * 1000, 3)
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line)


def fields(**values: Any) -> dict[str, Any]:  # noqa: ANN401  # any JSON values
    """Return the ``extra`` of a log call whose line has these fields, too."""
    return {_FIELDS: values}


@contextmanager
def logging_about(claim: Claim) -> Iterator[None]:
    """Have all lines say meanwhile which job they are about, and for how long it has been attended to."""
    told = {"job": claim.job, "kind": claim.kind, "artefact": claim.artefact, "attempt": claim.attempt}
    about = _about.set({**told, "request_id": claim.request_id})
    began = _began.set(time.monotonic())
    try:
        yield
    finally:
        _began.reset(began)
        _about.reset(about)


def log_json_lines(level: str) -> None:
    """Have the whole process log this way, from ``level`` upwards."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # It tells at each start that there is nothing to migrate.
    logging.getLogger("alembic").setLevel(logging.WARNING)
