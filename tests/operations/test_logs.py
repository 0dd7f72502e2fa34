"""Logs of a real service: a request can be followed into its job, and no line says more than it should."""

import os
import re
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from tests.support.api import Api, Registered
from tests.support.log_lines import log_lines, wait_for_line
from tests.support.serving import Service

_REQUEST = "follow-me-12345"


def test_a_request_can_be_followed_into_its_job(service: Service, api: Api, registered: Registered) -> None:
    # A number that is requested nowhere else: otherwise no job begins.
    body = {"model": registered.model["id"], "dataset": registered.dataset["id"], "n_neighbors": 13}
    answer = api.post("/v1/proximities", body, **{"X-Request-Id": _REQUEST})
    assert answer.status_code == 202
    job = api.wait(answer.json()["job"])

    left = wait_for_line(service.log, lambda line: line["event"] == "job_left" and line["job"] == job["id"])
    access = wait_for_line(service.log, lambda line: line["event"] == "request" and line["request_id"] == _REQUEST)

    followed = [line for line in log_lines(service.log) if line.get("request_id") == _REQUEST]
    events = [line["event"] for line in followed]
    assert [event for event in events if event != "request"] == [
        "job_accepted",
        "job_started",
        "job_succeeded",
        "job_left",
    ]
    about = {"job": job["id"], "kind": "proximities", "artefact": answer.json()["id"], "request_id": _REQUEST}
    for line in followed:
        if line["event"] != "request":
            assert {name: line[name] for name in about} == about
    assert left["duration_ms"] > 0
    assert (access["method"], access["route"], access["path"]) == ("POST", "/v1/proximities", "/v1/proximities")
    assert (access["status"], access["key_id"]) == (202, None)
    assert all(line["level"] == "info" and datetime.fromisoformat(line["time"]).tzinfo for line in followed)


def test_the_access_log_contains_neither_queries_nor_bodies_and_cannot_be_forged(service: Service, api: Api) -> None:
    n_before = len(service.log.read_text())
    api.http.get("/v1/models/%0A%7B%22level%22%3A%22error%22%7D%C2%85?name=alice")

    line = wait_for_line(service.log, lambda line: line["event"] == "request" and "level" in line.get("path", ""))

    assert line["route"] == "/v1/models/{model_id}"
    assert line["path"] == '/v1/models/\n{"level":"error"}\x85'
    written = service.log.read_text()[n_before:]
    assert re.search(r"[^\x20-\x7e\n]", written) is None
    assert "alice" not in written


@pytest.mark.parametrize(("level", "written"), [("info", [200, 500]), ("warning", [500])])
def test_above_info_only_failures_are_written(level: str, written: list[int]) -> None:
    program = (
        "from service.background.access_log import AccessLog\n"
        "from service.middleware.telemetry.metering import AnsweredRequest\n"
        f"log = AccessLog({level!r})\n"
        "with log.writing():\n"
        "    for status in (200, 500):\n"
        "        log.note(AnsweredRequest(0.0, 'r', 'k', 'GET', '/', '/', status, 0.001))\n"
    )
    printed = _printed(program)

    assert [int(found) for found in re.findall(r'"status":(\d+)', printed)] == written


def test_where_lines_come_too_fast_the_log_names_how_many_are_missing() -> None:
    program = (
        "from service.background.access_log import AccessLog\n"
        "from service.middleware.telemetry.metering import AnsweredRequest\n"
        "log = AccessLog()\n"
        "for number in range(20_007):\n"
        "    log.note(AnsweredRequest(0.0, str(number), None, 'GET', '/', '/', 200, 0.001))\n"
        "with log.writing():\n"
        "    pass\n"
    )
    printed = _printed(program)

    assert printed.count('"event":"request"') == 20_000
    assert '"event":"access_lines_dropped","n_lines":7' in printed


def _printed(program: str) -> str:
    command = [sys.executable, "-c", program]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root, env={**os.environ})  # ours
    return done.stderr
