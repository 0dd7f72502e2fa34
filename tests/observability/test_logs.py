"""Logs of all processes have the same fields, whichever logger wrote the line."""

import json
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

_PROGRAM = """
import logging, structlog
from observability.logs import log_context, log_json_lines
from service.background.access_log import AccessLog
from service.middleware.telemetry.metering import AnsweredRequest
from structlog.contextvars import bound_contextvars

log_json_lines("info")
structlog.get_logger("ours").info("plain")
logging.getLogger("theirs").warning("with %s", "words")
logging.getLogger("theirs").debug("too little")
with bound_contextvars(request_id="r"):
    structlog.get_logger("ours").info("in a request")
with log_context(job="j", kind="k", artefact="a", attempt=1, request_id="r"):
    structlog.get_logger("ours").info("in a job", status="ended")
    logging.getLogger("theirs").info("in a job")
try:
    raise ValueError("\\x7fé")
except ValueError:
    logging.getLogger("theirs").exception("failed")
log = AccessLog()
with log.writing():
    log.note(AnsweredRequest(0.0, "r", None, "GET", "/", "/", 200, 0.001))
"""
_ALWAYS = {"time", "level", "event", "logger", "process"}
_OF_A_JOB = {"job", "kind", "artefact", "attempt", "request_id", "duration_ms"}


def _logged() -> list[dict[str, Any]]:
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", _PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root, env={**os.environ})  # ours
    assert all(" " <= character <= "~" for line in done.stderr.splitlines() for character in line)
    return [json.loads(line) for line in done.stderr.splitlines()]


def test_every_line_has_the_same_fields_from_every_writer() -> None:
    plain, theirs, in_a_request, in_a_job, theirs_in_a_job, failed, answered = _logged()

    assert set(plain) == set(theirs) == _ALWAYS
    assert set(in_a_request) == _ALWAYS | {"request_id"}
    assert set(in_a_job) == _ALWAYS | _OF_A_JOB | {"status"}
    assert set(theirs_in_a_job) == _ALWAYS | _OF_A_JOB
    assert set(failed) == _ALWAYS | {"exception"}
    assert set(answered) > _ALWAYS | {"request_id", "duration_ms"}
    assert len({line["process"] for line in (plain, theirs, answered)}) == 1
    assert (plain["logger"], theirs["logger"], theirs["level"]) == ("ours", "theirs", "warning")
    assert theirs["event"] == "with words"
    assert all(datetime.fromisoformat(line["time"]).tzinfo for line in (plain, theirs, answered))
    assert failed["exception"].endswith("ValueError: \x7fé")
