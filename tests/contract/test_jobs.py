"""/v1/jobs over HTTP: read, wait, watch, cancel; beside a job that takes long enough to be looked at."""

import json
import time
from collections.abc import Iterator

import httpx
import numpy as np
import pandas as pd
import pytest

from schemas.jobs import Job
from tests.support.api import Api, Json, Registered, parquet_of
from tests.support.models import fitted
from tests.support.patience import PATIENCE_SECONDS, when_idle

_FIELDS = {
    *("object", "id", "kind", "status", "artefact", "progress", "attempt", "created_at", "started_at"),
    *("finished_at", "problem"),
}
_FINAL = {"succeeded", "failed", "cancelled"}
_N_ROWS = 60_000  # each is compared with each other: some tens of seconds


@pytest.fixture(scope="module")
def many_rows(api: Api) -> str:
    """Return a dataset that takes long to choose prototypes from."""
    model = fitted("random_forest_binary")
    rng = np.random.default_rng(0)
    drawn = model.features[rng.integers(0, len(model.features), _N_ROWS)]
    noisy = drawn * rng.normal(1, 0.2, drawn.shape)
    frame = pd.DataFrame(noisy.astype(np.float32), columns=list(model.rows.names))
    answer = api.upload("/v1/datasets", parquet_of(frame))
    dataset: str = answer.json()["id"]
    return dataset


@pytest.fixture
def long_job(api: Api, forest: Registered, many_rows: str) -> Iterator[Json]:
    """Yield a prototype set that is being made; its job is cancelled at the end."""
    request = {"model": forest.model["id"], "dataset": many_rows, "method": "sg", "n_prototypes": 1000}
    made = api.post("/v1/prototype-sets", request)
    assert made.status_code == 202, made.text
    yield made.json()
    api.post(f"/v1/jobs/{made.json()['job']}/cancel")
    api.wait(made.json()["job"])


def _wait_until_running(api: Api, job: str) -> Json:
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        found: Json = api.get(f"/v1/jobs/{job}").json()
        if found["status"] != "queued":
            return found
        time.sleep(0.05)
    pytest.fail("no worker took the job")


def test_a_job_reports_its_state(api: Api, forest: Registered) -> None:
    answer = api.get(f"/v1/jobs/{forest.prototype_set['job']}")

    body = answer.json()
    assert answer.status_code == 200
    assert set(body) == _FIELDS
    assert Job.model_validate(body).model_dump(mode="json") == body
    assert (body["object"], body["kind"], body["status"]) == ("job", "prototype_sets", "succeeded")
    assert (body["artefact"], body["attempt"], body["problem"]) == (forest.prototype_set["id"], 1, None)
    assert body["progress"] == {"fraction": 1.0, "stage": "done", "message": ""}
    assert body["created_at"] <= body["started_at"] <= body["finished_at"]
    assert body["created_at"].endswith("Z")
    assert body in api.get("/v1/jobs?limit=1000").json()["data"]


@pytest.mark.parametrize("path", ["/v1/jobs/job_gone", "/v1/jobs/job_gone/events"])
def test_an_unknown_job_is_not_found(api: Api, path: str) -> None:
    answer = api.get(path)

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert api.post("/v1/jobs/job_gone/cancel").status_code == 404


def test_what_is_being_made_is_pending_and_cannot_be_used_yet(api: Api, forest: Registered, long_job: Json) -> None:
    path = f"/v1/prototype-sets/{long_job['id']}"
    _wait_until_running(api, long_job["job"])

    again = api.post("/v1/prototype-sets", long_job["request"])
    read, content, deleted = api.get(path), api.get(f"{path}/content"), api.delete(path)
    explainer = api.post("/v1/explainers", {"model": forest.model["id"], "prototype_set": long_job["id"]})

    assert (again.status_code, again.json()["job"]) == (202, long_job["job"])
    assert again.headers["Location"] == f"/v1/jobs/{long_job['job']}"
    assert (read.status_code, read.json()["status"]) == (200, "pending")
    assert (content.status_code, content.json()["code"]) == (409, "artefact_not_ready")
    assert (deleted.status_code, deleted.json()["code"]) == (409, "in_use")
    assert (explainer.status_code, explainer.json()["code"]) == (409, "artefact_not_ready")


def test_explanations_do_not_wait_for_jobs(api: Api, forest: Registered, long_job: Json) -> None:
    _wait_until_running(api, long_job["job"])

    began = time.monotonic()
    api.explain(forest.explainer["id"], [forest.instance(0)])

    assert time.monotonic() - began < when_idle(2)


def test_waiting_ends_when_the_time_is_over_or_the_job_is(api: Api, long_job: Json) -> None:
    path = f"/v1/jobs/{long_job['job']}"
    began = time.monotonic()
    waited = api.get(path, Prefer="respond-async, wait=1").json()
    assert waited["status"] not in _FINAL
    assert 0.8 < time.monotonic() - began < when_idle(3)

    api.post(f"{path}/cancel")
    began = time.monotonic()
    assert api.get(path, Prefer="wait=20").json()["status"] == "cancelled"
    assert time.monotonic() - began < when_idle(2)


@pytest.mark.parametrize("prefer", ["wait", "wait=-1", "wait=x", "return=minimal", "wait=99999999999999999999"])
def test_an_odd_preference_is_no_reason_to_wait(api: Api, forest: Registered, prefer: str) -> None:
    assert api.get(f"/v1/jobs/{forest.prototype_set['job']}", Prefer=prefer).status_code == 200


def test_a_cancelled_job_stops_within_two_seconds_and_publishes_nothing(api: Api, long_job: Json) -> None:
    path = f"/v1/jobs/{long_job['job']}"
    _wait_until_running(api, long_job["job"])

    answered = api.post(f"{path}/cancel")
    began = time.monotonic()
    ended = api.wait(long_job["job"])

    assert answered.status_code == 202
    assert set(answered.json()) == _FIELDS
    assert answered.json()["status"] in {"cancelling", "cancelled"}
    assert ended["status"] == "cancelled"
    assert ended["problem"]["code"] == "job_cancelled"
    assert time.monotonic() - began < when_idle(2)
    made = api.get(f"/v1/prototype-sets/{long_job['id']}").json()
    assert (made["status"], made["problem"]["code"]) == ("cancelled", "job_cancelled")
    too_late = api.post(f"{path}/cancel")
    assert (too_late.status_code, too_late.json()["code"]) == (409, "conflict")


def test_after_a_cancel_the_same_question_begins_a_new_job(api: Api, long_job: Json) -> None:
    api.post(f"/v1/jobs/{long_job['job']}/cancel")
    api.wait(long_job["job"])

    again = api.post("/v1/prototype-sets", long_job["request"])

    assert (again.status_code, again.json()["id"]) == (202, long_job["id"])
    assert again.json()["job"] != long_job["job"]
    api.post(f"/v1/jobs/{again.json()['job']}/cancel")
    assert api.wait(again.json()["job"])["status"] == "cancelled"
    assert api.delete(f"/v1/prototype-sets/{long_job['id']}").status_code == 204


def test_a_job_that_waits_its_turn_is_cancelled_at_once(api: Api, forest: Registered, long_job: Json) -> None:
    _wait_until_running(api, long_job["job"])  # the only worker has work
    request = {"model": forest.model["id"], "dataset": forest.dataset["id"], "n_prototypes": 5, "seed": 77}
    queued = api.post("/v1/prototype-sets", request).json()

    cancelled = api.post(f"/v1/jobs/{queued['job']}/cancel")

    assert (cancelled.status_code, cancelled.json()["status"]) == (202, "cancelled")
    assert cancelled.json()["started_at"] is None


def _events(answer: httpx.Response) -> Iterator[tuple[str, Json]]:
    event = ""
    for line in answer.iter_lines():
        if line.startswith("event: "):
            event = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield event, json.loads(line.removeprefix("data: "))


def test_events_report_progress_and_end_when_the_job_is_done(api: Api, forest: Registered) -> None:
    request = {"model": forest.model["id"], "dataset": forest.dataset["id"], "n_prototypes": 6, "seed": 78}
    job = api.post("/v1/prototype-sets", request).json()["job"]

    with api.http.stream("GET", f"/v1/jobs/{job}/events") as answer:
        assert answer.headers["Content-Type"].partition(";")[0] == "text/event-stream"
        events = list(_events(answer))

    assert [name for name, _ in events[:-1]] == ["progress"] * (len(events) - 1)
    name, last = events[-1]
    assert name == "done"
    assert last == api.get(f"/v1/jobs/{job}").json()
    assert all(Job.model_validate(state).id == job for _, state in events)
    fractions = [state["progress"]["fraction"] for _, state in events]
    assert fractions == sorted(fractions)


def test_events_of_a_running_job_show_it_advance_and_being_cancelled(api: Api, long_job: Json) -> None:
    _wait_until_running(api, long_job["job"])
    seen: list[tuple[str, Json]] = []
    with api.http.stream("GET", f"/v1/jobs/{long_job['job']}/events") as answer:
        for name, state in _events(answer):
            seen.append((name, state))
            if len({each["progress"]["fraction"] for _, each in seen}) == 3:
                api.post(f"/v1/jobs/{long_job['job']}/cancel")

    stages = {state["progress"]["stage"] for _, state in seen}
    shown = {"reading leaves", "choosing leaves", "comparing candidates", "choosing prototypes"}
    assert stages & shown  # a busy machine shows fewer
    assert seen[-1][0] == "done"
    assert seen[-1][1]["status"] == "cancelled"
    assert {name for name, _ in seen[:-1]} == {"progress"}


def test_events_of_an_ended_job_are_one(api: Api, forest: Registered) -> None:
    with api.http.stream("GET", f"/v1/jobs/{forest.prototype_set['job']}/events") as answer:
        (event,) = _events(answer)

    assert event == ("done", api.get(f"/v1/jobs/{forest.prototype_set['job']}").json())


def test_one_stream_shows_all_jobs_from_their_beginning_to_their_end(api: Api, forest: Registered) -> None:
    request = {"model": forest.model["id"], "dataset": forest.dataset["id"], "seed": 79}
    with api.http.stream("GET", "/v1/jobs/events") as answer:
        assert answer.headers["Content-Type"].partition(";")[0] == "text/event-stream"
        events = _events(answer)
        made = [api.post("/v1/prototype-sets", {**request, "n_prototypes": n}).json()["job"] for n in (5, 7)]
        ended: dict[str, Json] = {}
        while set(made) - set(ended):
            name, state = next(events)
            assert Job.model_validate(state)
            assert (name == "done") == (state["status"] in {"succeeded", "failed", "cancelled"})
            ended |= {state["id"]: state} if name == "done" else {}

    assert all(ended[job] == api.get(f"/v1/jobs/{job}").json() for job in made)
