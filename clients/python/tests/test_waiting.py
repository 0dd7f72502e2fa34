"""Waiting for a job: by long polls, with a bar that moves, and with the job's own words when it fails."""

import sys
from typing import Any

import pytest
from leafspace_client import JobCancelled, JobFailed, JobNotFinished, Leafspace

from tests.support.scripted_server import Answer, scripted


def job(status: str, fraction: float = 0.5, **more: object) -> Answer:
    progress = {"fraction": fraction, "stage": "covering rows", "message": ""}
    body: dict[str, Any] = {
        "object": "job",
        "id": "job_1",
        "kind": "prototype_sets",
        "status": status,
        "artefact": "prs_1",
        "progress": progress,
        "attempt": 1,
        "created_at": "2026-01-01T00:00:00Z",
        "started_at": None,
        "finished_at": None,
        "problem": None,
    }
    return Answer(200, {**body, **more})


def test_a_job_is_waited_for_by_long_polls() -> None:
    with scripted(job("queued"), job("running"), job("succeeded")) as server:
        assert Leafspace(server.url).jobs.wait("job_1").status == "succeeded"

    assert [request.headers["Prefer"] for request in server.requests] == ["wait=20"] * 3


def test_a_bar_moves_while_the_job_runs(capsys: pytest.CaptureFixture[str]) -> None:
    with scripted(job("running", 0.25), job("running", 0.75), job("succeeded", 1)) as server:
        Leafspace(server.url).jobs.wait("job_1", progress=True)

    shown = capsys.readouterr().err
    assert "prototypes: covering rows" in shown
    assert "prototypes: succeeded" in shown
    assert "25%" in shown
    assert "100%" in shown
    assert server.requests[0].headers["Prefer"] == "wait=1"


@pytest.mark.parametrize(
    ("is_terminal", "progress", "is_shown"), [(True, None, True), (False, None, False), (True, False, False)]
)
def test_a_bar_is_shown_where_somebody_can_see_it(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    is_terminal: bool,  # a parameter of the test
    progress: bool | None,  # a parameter of the test
    is_shown: bool,  # a parameter of the test
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    with scripted(job("succeeded", 1)) as server:
        Leafspace(server.url).jobs.wait("job_1", progress=progress)

    assert ("100%" in capsys.readouterr().err) is is_shown


def test_a_failed_job_raises_its_problem() -> None:
    problem = {"type": "/problems/worker_lost", "title": "t", "status": 500, "detail": "lost", "code": "worker_lost"}
    with scripted(job("failed", problem=problem)) as server, pytest.raises(JobFailed, match="lost") as failed:
        Leafspace(server.url).jobs.wait("job_1")

    assert failed.value.code == "worker_lost"
    assert failed.value.job.id == "job_1"


def test_a_cancelled_job_raises_an_error_of_its_own() -> None:
    with scripted(job("cancelled")) as server, pytest.raises(JobCancelled):
        Leafspace(server.url).jobs.wait("job_1")


def test_waiting_ends_when_the_time_is_over_and_the_job_goes_on() -> None:
    with scripted(job("running")) as server, pytest.raises(JobNotFinished, match=r"still running after 0.5 s"):
        Leafspace(server.url).jobs.wait("job_1", timeout=0.5)

    assert all(request.method == "GET" for request in server.requests)
    assert len(server.requests) < 10  # this server answers long polls at once: it is not called without end


def test_an_end_that_this_client_does_not_know_is_an_end() -> None:
    ended = job("evaporated", finished_at="2026-01-01T00:00:00Z")
    with scripted(ended) as server, pytest.raises(JobFailed, match="evaporated"):
        Leafspace(server.url).jobs.wait("job_1")


def test_cancelling_what_is_being_cancelled_is_no_error() -> None:
    conflict = Answer(409, {"code": "conflict", "detail": "it is cancelling already", "status": 409})
    with scripted(conflict, job("cancelling")) as server:
        assert Leafspace(server.url).jobs.cancel("job_1").status == "cancelling"
