"""Idempotency keys over HTTP, with each kind of database: one request registers, replays answer its present state."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier

import httpx
import pytest

from tests.support.api import Api, Json, Registered, register
from tests.support.databases import KINDS_OF_DATABASES, new_postgresql_database
from tests.support.sampling import mostly_long
from tests.support.serving import serving

_N_CALLERS = 8
_ATTEMPTS = pytest.mark.parametrize(
    "attempt", [0, *(pytest.param(attempt, marks=pytest.mark.long) for attempt in (1, 2))]
)
_ENDED = {"succeeded", "failed", "cancelled"}


@pytest.fixture(scope="module", params=mostly_long(KINDS_OF_DATABASES, "sqlite"))
def api(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    if request.param == "sqlite":
        yield Api(request.getfixturevalue("service").url)
        return
    with ExitStack() as stopping:
        url = stopping.enter_context(new_postgresql_database(request.getfixturevalue("postgresql_url")))
        directory = tmp_path_factory.mktemp(request.param) / "data"
        yield Api(stopping.enter_context(serving(directory, LEAFSPACE_DATABASE_URL=url)).url)


@pytest.fixture(scope="module")
def forest(api: Api) -> Registered:
    return register(api, "random_forest_binary")


def _at_once(url: str, send: Callable[[Api, int], httpx.Response]) -> list[httpx.Response]:
    start = Barrier(_N_CALLERS)

    def send_one(number: int) -> httpx.Response:
        own = Api(url)
        own.get("/livez")
        start.wait()
        return send(own, number)

    with ThreadPoolExecutor(_N_CALLERS) as threads:
        return list(threads.map(send_one, range(_N_CALLERS)))


def _proximities(api: Api, forest: Registered, n_neighbors: int, key: str | None) -> httpx.Response:
    request = {"model": forest.model["id"], "dataset": forest.dataset["id"], "n_neighbors": n_neighbors}
    return api.post("/v1/proximities", request, **({} if key is None else {"Idempotency-Key": key}))


def _long_tree(api: Api, forest: Registered, key: str | None) -> httpx.Response:
    request = {"model": forest.model["id"], "dataset": forest.dataset["id"], "method": "sta", "n_repeats": 50}
    return api.post("/v1/approximation-trees", request, **({} if key is None else {"Idempotency-Key": key}))


def _conflicts(answers: list[httpx.Response]) -> int:
    return sum((answer.status_code, answer.json().get("code")) == (409, "idempotency_key_reused") for answer in answers)


def _of_jobs(api: Api, artefact: str) -> list[Json]:
    return [job for job in api.pages("/v1/jobs", 100) if job["artefact"] == artefact]


@_ATTEMPTS
def test_of_different_uploads_racing_with_one_new_key_one_is_registered(api: Api, attempt: int) -> None:
    def send(own: Api, number: int) -> httpx.Response:
        rows = f"a,b\n{attempt},{number}\n".encode()
        return own.upload("/v1/datasets", rows, {"name": f"race {attempt}"}, **{"Idempotency-Key": f"race-{attempt}"})

    answers = _at_once(str(api.http.base_url), send)

    registered = [item for item in api.pages("/v1/datasets", 100) if item["name"] == f"race {attempt}"]
    (created,) = [answer for answer in answers if answer.status_code == 201]
    assert _conflicts(answers) == _N_CALLERS - 1
    assert [item["id"] for item in registered] == [created.json()["id"]]


@_ATTEMPTS
def test_of_different_requests_racing_with_one_new_key_one_begins_a_job(
    api: Api, forest: Registered, attempt: int
) -> None:
    base = 303 + attempt * _N_CALLERS  # which no other test of the shared service finds
    answers = _at_once(
        str(api.http.base_url), lambda own, number: _proximities(own, forest, base + number, f"job-race-{attempt}")
    )

    (accepted,) = [answer for answer in answers if answer.status_code == 202]
    assert _conflicts(answers) == _N_CALLERS - 1
    numbers = [item["request"]["n_neighbors"] for item in api.pages("/v1/proximities", 100)]
    assert [number for number in numbers if base <= number < base + _N_CALLERS] == [
        accepted.json()["request"]["n_neighbors"]
    ]
    assert api.wait(accepted.json()["job"])["status"] == "succeeded"


def test_equal_uploads_racing_with_one_new_key_are_all_answered_that_they_registered(api: Api) -> None:
    def send(own: Api, _number: int) -> httpx.Response:
        return own.upload("/v1/datasets", b"a,b\n7,8\n", {"name": "equal"}, **{"Idempotency-Key": "equal"})

    answers = _at_once(str(api.http.base_url), send)

    assert {(answer.status_code, answer.text) for answer in answers} == {(201, answers[0].text)}


def test_an_upload_sent_again_after_it_was_deleted_is_registered_again(api: Api) -> None:
    def send() -> httpx.Response:
        return api.upload("/v1/datasets", b"a,b\n9,9\n", **{"Idempotency-Key": "deleted"})

    first = send()
    assert send().json() == first.json()
    assert api.delete(first.headers["Location"]).status_code == 204

    again = send()

    assert (again.status_code, again.json()["id"]) == (201, first.json()["id"])
    assert api.get(again.headers["Location"]).json() == again.json()


def test_a_request_sent_again_is_answered_with_the_state_of_its_artefact(api: Api, forest: Registered) -> None:
    first = _proximities(api, forest, 460, "state")
    assert (first.status_code, first.json()["reused"]) == (202, False)
    api.wait(first.json()["job"])

    ready = _proximities(api, forest, 460, "state")

    path = f"/v1/proximities/{first.json()['id']}"
    assert (ready.status_code, ready.json()["status"], ready.json()["reused"]) == (200, "ready", False)
    assert "Location" not in ready.headers
    assert ready.json() == {**api.get(path).json(), "reused": False}

    assert api.delete(path).status_code == 204
    again = _proximities(api, forest, 460, "state")
    assert (again.status_code, again.json()["status"]) == (202, "pending")
    assert again.json()["job"] != first.json()["job"]
    assert api.wait(again.json()["job"])["status"] == "succeeded"


def test_a_request_sent_again_after_a_cancel_is_answered_so_and_begins_nothing(api: Api, forest: Registered) -> None:
    first = _long_tree(api, forest, "cancelled").json()
    assert api.post(f"/v1/jobs/{first['job']}/cancel").status_code == 202
    assert api.wait(first["job"])["status"] == "cancelled"

    again = _long_tree(api, forest, "cancelled")

    assert (again.status_code, again.json()["status"], again.json()["job"]) == (200, "cancelled", first["job"])
    assert again.json()["problem"]["code"] == "job_cancelled"
    assert len(_of_jobs(api, first["id"])) == 1

    # Without the key the request begins again, and the key is then answered with the new job.
    restarted = _long_tree(api, forest, None).json()
    assert restarted["job"] != first["job"]
    replayed = _long_tree(api, forest, "cancelled")
    assert (replayed.status_code, replayed.json()["job"]) == (202, restarted["job"])
    api.post(f"/v1/jobs/{restarted['job']}/cancel")
    assert json.loads(api.get(f"/v1/jobs/{restarted['job']}", Prefer="wait=30").text)["status"] in _ENDED


def test_a_key_of_an_explainer_goes_with_it(api: Api, forest: Registered) -> None:
    request = {"model": forest.model["id"], "prototype_set": forest.prototype_set["id"], "name": "with a key"}

    def send() -> httpx.Response:
        return api.post("/v1/explainers", request, **{"Idempotency-Key": "explainer"})

    first, replayed = send(), send()
    assert api.delete(first.headers["Location"]).status_code == 204
    again = send()

    assert [answer.status_code for answer in (first, replayed, again)] == [201, 201, 201]
    assert api.get(again.headers["Location"]).status_code == 200
