"""Calls are tried again when that can help, at the requested pace, and never create anything twice."""

import asyncio
import email.utils
import json
import logging
import os
import random
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from leafspace_client import (
    AsyncLeafspace,
    Conflict,
    ConnectionFailed,
    Forbidden,
    Invalid,
    Leafspace,
    LeafspaceError,
    NotFound,
    RateLimited,
    RetryPolicy,
    ServerError,
    TooLarge,
    Unauthenticated,
    Unavailable,
    UnexpectedAnswer,
)
from leafspace_client.retrying import requested_seconds

from tests.support.scripted_server import Answer, scripted
from tests.support.serving import serving

_QUICK = RetryPolicy(total_seconds=1.5, first_seconds=0.01, longest_seconds=0.02)
_UNTIL_ANSWERED = RetryPolicy(total_seconds=300, first_seconds=0.01, longest_seconds=0.02)
_BRIEF = RetryPolicy(total_seconds=0.2, first_seconds=0.01, longest_seconds=0.02)
_CONTRACT = Path(__file__).parents[3] / "openapi.json"
_JOB = {
    "object": "job",
    "id": "job_1",
    "kind": "prototype_sets",
    "status": "succeeded",
    "artefact": "prs_1",
    "progress": {"fraction": 1.0, "stage": "", "message": ""},
    "attempt": 1,
    "created_at": "2026-01-01T00:00:00Z",
    "started_at": None,
    "finished_at": None,
    "problem": None,
}
_EXPLAINER = {
    "object": "explainer",
    "id": "xpl_1",
    "name": None,
    "model": "mdl_1",
    "prototype_set": "prs_1",
    "shown_features": "all",
    "created_at": "2026-01-01T00:00:00Z",
}


def problem(status: int, code: str, **more: object) -> Answer:
    body = {"type": f"/problems/{code}", "title": "t", "status": status, "detail": "mend it", "code": code, **more}
    return Answer(status, body, {"Content-Type": "application/problem+json"})


async def _job_by_awaiting(url: str, retries: RetryPolicy | None = None) -> str:
    async with AsyncLeafspace(url, retries=retries) as client:
        return (await client.jobs.get("job_1")).id


def _job(url: str, retries: RetryPolicy | None = None) -> str:
    with Leafspace(url, retries=retries) as client:
        return client.jobs.get("job_1").id


def _awaited_job(url: str, retries: RetryPolicy | None = None) -> str:
    return asyncio.run(_job_by_awaiting(url, retries))


@pytest.mark.parametrize("status", [502, 503, 504])
def test_an_unavailable_service_is_called_again(status: int) -> None:
    proxy = Answer(status, b"<html>bad gateway</html>", {"Content-Type": "text/html"})
    with scripted(problem(503, "unavailable"), proxy, Answer(200, _JOB)) as server:
        assert Leafspace(server.url, retries=_UNTIL_ANSWERED).jobs.get("job_1").id == "job_1"

    assert len(server.requests) == 3


def test_the_async_client_tries_again_just_so() -> None:
    with scripted(problem(503, "unavailable"), Answer(0), Answer(200, _JOB)) as server:
        assert _awaited_job(server.url, _UNTIL_ANSWERED) == "job_1"

    assert len(server.requests) == 3


def test_a_lost_connection_is_tried_again() -> None:
    with scripted(Answer(0), Answer(200, _JOB)) as server:
        assert Leafspace(server.url, retries=_UNTIL_ANSWERED).jobs.get("job_1").id == "job_1"


def test_the_pause_that_the_service_requests_is_kept() -> None:
    busy = problem(429, "rate_limited")
    with scripted(Answer(429, busy.body, {"Retry-After": "1"}), Answer(200, _JOB)) as server:
        started = time.monotonic()
        Leafspace(server.url, retries=_UNTIL_ANSWERED).jobs.get("job_1")

    assert time.monotonic() - started >= 1.0


def test_a_pause_that_is_too_long_is_left_to_the_caller() -> None:
    busy = problem(429, "rate_limited")
    with (
        scripted(Answer(429, busy.body, {"Retry-After": "3600"})) as server,
        pytest.raises(RateLimited),
    ):
        Leafspace(server.url, retries=_UNTIL_ANSWERED).jobs.get("job_1")

    assert len(server.requests) == 1


def test_it_gives_up_with_the_service_s_own_words() -> None:
    with (
        scripted(problem(503, "unavailable", request_id="req-7")) as server,
        pytest.raises(Unavailable, match=r"mend it \[unavailable, request req-7\]") as failed,
    ):
        Leafspace(server.url, retries=_BRIEF).jobs.get("job_1")

    assert (failed.value.code, failed.value.status, failed.value.request_id) == ("unavailable", 503, "req-7")
    assert failed.value.n_attempts == len(server.requests) > 2


def test_creating_again_carries_the_same_key() -> None:
    with scripted(Answer(0), Answer(201, _EXPLAINER), Answer(201, _EXPLAINER)) as server:
        client = Leafspace(server.url, retries=_UNTIL_ANSWERED)
        client.explainers.create("mdl_1", "prs_1")
        client.explainers.create("mdl_1", "prs_1")

    first, again, another = (request.headers["Idempotency-Key"] for request in server.requests)
    assert first == again != another
    assert server.requests[0].body == server.requests[1].body


def test_an_upload_is_sent_whole_when_it_is_sent_again() -> None:
    with scripted(problem(503, "unavailable"), problem(422, "model_not_onnx")) as server, pytest.raises(Invalid):
        Leafspace(server.url, retries=_UNTIL_ANSWERED).register_model(b"not a model", name="m")

    first, again = server.requests
    assert b"not a model" in first.body
    assert len(first.body) == len(again.body)


def test_deleting_again_is_no_error_when_the_first_answer_was_lost() -> None:
    with scripted(Answer(0), problem(404, "not_found")) as server:
        Leafspace(server.url, retries=_UNTIL_ANSWERED).models.delete("mdl_1")
    with scripted(problem(404, "not_found")) as server, pytest.raises(NotFound):
        Leafspace(server.url, retries=_UNTIL_ANSWERED).models.delete("mdl_1")


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (401, "unauthenticated", Unauthenticated),
        (403, "insufficient_scope", Forbidden),
        (404, "not_found", NotFound),
        (409, "in_use", Conflict),
        (413, "body_too_large", TooLarge),
        (415, "unsupported_media_type", Invalid),
        (422, "validation_failed", Invalid),
        (422, "a_code_of_tomorrow", Invalid),
        (500, "internal_error", ServerError),
        (507, "insufficient_storage", ServerError),
    ],
)
def test_other_failures_are_reported_at_once_and_by_kind(status: int, code: str, kind: type[LeafspaceError]) -> None:
    with scripted(problem(status, code)) as server, pytest.raises(kind) as failed:
        Leafspace(server.url, retries=_UNTIL_ANSWERED).jobs.get("job_1")

    assert failed.value.code == code
    assert failed.value.detail == "mend it"
    assert len(server.requests) == 1


def test_faults_of_fields_come_one_by_one() -> None:
    errors = [{"pointer": "/n_prototypes", "detail": "too many"}]
    with scripted(problem(422, "validation_failed", errors=errors)) as server, pytest.raises(Invalid) as failed:
        Leafspace(server.url).jobs.get("job_1")

    assert failed.value.errors == (("/n_prototypes", "too many", None),)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(404, b"<html>nothing here</html>", {"Content-Type": "text/html"}),
        Answer(200, b"<html>hello</html>", {"Content-Type": "text/html"}),
        Answer(200, {"object": "something"}),
        Answer(302, b"", {"Location": "/login"}),
    ],
)
def test_a_service_of_another_kind_is_reported_as_such(answer: Answer) -> None:
    with scripted(answer) as server, pytest.raises(UnexpectedAnswer, match="is a Leafspace service"):
        Leafspace(server.url, retries=_UNTIL_ANSWERED).jobs.get("job_1")


@pytest.mark.parametrize("get_job", [_job, _awaited_job])
@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "http://no-such-host.invalid:8000"])
def test_an_address_that_never_answered_is_given_up_soon(get_job: Callable[[str], str], url: str) -> None:
    with pytest.raises(ConnectionFailed, match=rf"no answer from {url} .* is the service running there") as failed:
        get_job(url)

    assert failed.value.n_attempts < 8  # in 45 seconds there would be 14 at least
    assert "correct base_url, or start the service (leafspace serve)" in str(failed.value)
    assert "RetryPolicy(first_contact_seconds=" in str(failed.value)


def test_a_service_that_is_starting_is_waited_for_on_request() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = int(taken.getsockname()[1])
    patient = RetryPolicy(total_seconds=300, first_contact_seconds=300, first_seconds=0.01, longest_seconds=0.02)

    with ThreadPoolExecutor(1) as pool, _failures(6) as six_failures:
        called = pool.submit(_job, f"http://127.0.0.1:{port}", patient)
        assert six_failures.wait(60)
        with scripted(Answer(200, _JOB), port=port):
            assert called.result(60) == "job_1"


@pytest.mark.parametrize("first", [Answer(200, _JOB), problem(403, "insufficient_scope"), Answer(0)])
def test_whatever_answered_once_is_waited_for_when_it_refuses_connections(first: Answer) -> None:
    with scripted(first) as server:
        client = Leafspace(server.url, retries=replace(_QUICK, first_contact_seconds=0.0))
        with suppress(LeafspaceError):
            client.jobs.get("job_1")

    with pytest.raises(ConnectionFailed) as failed:
        client.jobs.get("job_1")

    assert failed.value.n_attempts > 1
    assert "correct base_url" not in failed.value.detail


@pytest.mark.parametrize("client", [Leafspace, AsyncLeafspace])
@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("localhost:8000", "write http:// or https:// before it"),
        ("127.0.0.1:8151", "write http:// or https:// before it"),
        ("ftp://127.0.0.1", "write http:// or https:// before it"),
        ("", "write http:// or https:// before it"),
        ("http://", "must be a host"),
        ("http://127.0.0.1:8000?api_key=hush", "must be a host"),
        ("http://127.0.0.1:port", "not a valid URL"),
        ("http://ann:hush@127.0.0.1:8000", "user name or password"),
        ("ann:hush@127.0.0.1:8000", "write http:// or https:// before it"),
    ],
)
def test_an_address_that_is_none_is_refused_at_once(
    client: type[Leafspace] | type[AsyncLeafspace], url: str, message: str
) -> None:
    with pytest.raises(Invalid, match=message) as refused:
        client(url)

    assert refused.value.code == "invalid_base_url"
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/"])
def test_an_address_may_end_as_paths_of_the_contract_begin(ending: str) -> None:
    with scripted(Answer(200, _JOB)) as server:
        client = Leafspace(server.url + ending)
        client.jobs.get("job_1")

    assert [request.path for request in server.requests] == ["/v1/jobs/job_1"]
    assert repr(client) == f"Leafspace('{server.url}')"


def test_values_that_this_client_does_not_know_are_taken_as_they_are() -> None:
    with scripted(Answer(200, {**_JOB, "status": "resting", "kind": "dreams", "new_field": 1})) as server:
        job = Leafspace(server.url).jobs.get("job_1")

    assert (job.status, job.kind) == ("resting", "dreams")


def test_the_key_and_the_client_s_name_are_sent() -> None:
    with scripted(Answer(200, _JOB)) as server:
        Leafspace(server.url, "secret").jobs.get("job_1")

    assert server.requests[0].headers["Authorization"] == "Bearer secret"
    assert server.requests[0].headers["User-Agent"].startswith("leafspace-client/")


def test_all_pages_of_a_list_are_fetched_as_they_are_needed() -> None:
    first = {"object": "list", "data": [_JOB], "next_cursor": "c/2"}
    last = {"object": "list", "data": [_JOB, _JOB], "next_cursor": None}
    with scripted(Answer(200, first), Answer(200, last)) as server:
        jobs = Leafspace(server.url).jobs.list()
        next(jobs)
        assert len(server.requests) == 1
        assert len(list(jobs)) == 2

    assert "cursor=c%2F2" in server.requests[1].path


def test_any_place_of_a_list_may_be_asked_and_it_prints_what_it_holds() -> None:
    first = {"object": "list", "data": [_JOB, {**_JOB, "id": "job_bbbbbbbbbbbbbbbbbbbbbbbbbb"}], "next_cursor": "c/2"}
    last = {"object": "list", "data": [{**_JOB, "id": "job_cccccccccccccccccccccccccc"}], "next_cursor": None}
    with scripted(Answer(200, first), Answer(200, last)) as server:
        jobs = Leafspace(server.url).jobs.list()
        assert jobs[1].id.startswith("job_b")
        assert len(jobs[:2]) == 2
        assert len(server.requests) == 1
        assert jobs[-1].id.startswith("job_c")
        with pytest.raises(IndexError):
            jobs[3]
        assert len(repr(jobs).splitlines()) == len(list(jobs)) == 3
    assert len(server.requests) == 2

    with scripted(Answer(200, {"object": "list", "data": [], "next_cursor": None})) as server:
        assert repr(Leafspace(server.url).jobs.list()) == "nothing"


def test_pauses_grow_and_differ_between_clients() -> None:
    policy = RetryPolicy(total_seconds=100.0, first_seconds=1.0, longest_seconds=8.0)
    pauses = [[policy.pause_seconds(n, 0.0, None, random.Random(seed)) for n in range(1, 7)] for seed in (1, 2)]  # noqa: S311  # no secret

    for pause, whole in zip(pauses[0], (1, 2, 4, 8, 8, 8), strict=True):
        assert pause is not None
        assert whole / 2 <= pause <= whole
    assert pauses[0] != pauses[1]


def test_pauses_end_with_the_time_for_trying_again() -> None:
    policy = RetryPolicy(total_seconds=10.0, first_seconds=1.0, longest_seconds=8.0)
    rng = random.Random(1)  # noqa: S311  # no secret

    assert policy.pause_seconds(9, 9.5, None, rng) == 0.5
    assert policy.pause_seconds(9, 10.0, None, rng) is None
    assert policy.pause_seconds(1, 4.0, 7.0, rng) is None
    assert 5.0 <= (policy.pause_seconds(1, 4.0, 5.0, rng) or 0.0) <= 6.0
    assert RetryPolicy(total_seconds=0.0).pause_seconds(1, 0.0, None, rng) is None


def test_a_pause_may_be_given_in_seconds_or_as_a_moment() -> None:
    in_ten_seconds = email.utils.formatdate(time.time() + 10, usegmt=True)

    assert requested_seconds({"Retry-After": "7"}) == 7.0
    assert requested_seconds({"Retry-After": in_ten_seconds}) == pytest.approx(10, abs=1.5)
    assert requested_seconds({"Retry-After": "soon"}) is None
    assert requested_seconds({}) is None


def test_every_call_that_creates_may_be_sent_twice() -> None:
    # All calls are tried again: a POST carries a key that has it count once, or changes nothing when it is repeated.
    repeatable = {"predict", "compare_rows", "explain", "evaluate_features", "get_next_question", "verify_explanation"}
    repeatable |= {"cancel_job", "request_dataset"}  # requested again, it is the same dataset and the same job
    repeatable |= {"place_rows_on_map", "verify_report"}
    contract = json.loads(_CONTRACT.read_text(encoding="utf-8"))

    for operations in contract["paths"].values():
        for method, operation in operations.items():
            parameters = {parameter["name"] for parameter in operation.get("parameters", ())}
            assert method != "post" or "Idempotency-Key" in parameters or operation["operationId"] in repeatable


def _two_jobs(url: str, stop_server: Callable[[], None]) -> list[str]:
    with Leafspace(url) as client:
        first = client.jobs.get("job_1").id
        stop_server()
        return [first, client.jobs.get("job_1").id]


def _two_awaited_jobs(url: str, stop_server: Callable[[], None]) -> list[str]:
    async def get() -> list[str]:
        async with AsyncLeafspace(url) as client:
            first = (await client.jobs.get("job_1")).id
            await asyncio.to_thread(stop_server)
            return [first, (await client.jobs.get("job_1")).id]

    return asyncio.run(get())


@pytest.mark.parametrize("get_jobs", [_two_jobs, pytest.param(_two_awaited_jobs, marks=pytest.mark.long)])
def test_a_call_survives_a_server_that_is_stopped_and_started_again(
    get_jobs: Callable[[str, Callable[[], None]], list[str]],
) -> None:
    # Six failures take five seconds or so; earlier clients gave up after the fifth.
    with ThreadPoolExecutor(1) as pool, _failures(6) as six_failures, ExitStack() as running:
        server = running.enter_context(scripted(Answer(200, _JOB)))
        called = pool.submit(get_jobs, server.url, running.close)
        assert six_failures.wait(60)
        with scripted(Answer(200, _JOB), port=int(server.url.rpartition(":")[2])) as restarted:
            assert called.result(60) == ["job_1", "job_1"]

    assert len(restarted.requests) == 1


@pytest.mark.long
def test_calls_survive_the_end_of_the_api_and_create_once(tmp_path: Path) -> None:
    patient = RetryPolicy(first_contact_seconds=45)

    async def register(url: str) -> str:
        async with AsyncLeafspace(url, retries=patient) as client:
            return (await client.register_dataset([{"a": 1.0}, {"a": 2.0}], name="awaited")).id

    with (
        serving(tmp_path / "data", "--no-worker") as service,
        Leafspace(service.url, retries=patient) as client,
        ThreadPoolExecutor(2) as pool,
    ):
        os.kill(service.children()["api"], signal.SIGKILL)
        _wait_until_nobody_listens(service.port)
        registered = pool.submit(client.register_dataset, [{"a": 3.0}, {"a": 4.0}], name="blocking")
        awaited = pool.submit(lambda: asyncio.run(register(service.url)))

        made = {registered.result(120).id, awaited.result(120)}
        assert {dataset.id for dataset in client.datasets.list()} == made
        assert len(made) == 2


def test_waiting_for_long_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        policy = RetryPolicy(total_seconds=4.5, first_seconds=2.0, longest_seconds=2.0, first_contact_seconds=4.5)
        with caplog.at_level(logging.WARNING, "leafspace_client"), pytest.raises(ConnectionFailed) as failed:
            Leafspace(url, retries=policy).jobs.get("job_1")

    assert [url in message and "trying again for up to" in message for message in caplog.messages] == [True]
    assert failed.value.n_attempts > 2


@contextmanager
def _failures(n: int) -> Iterator[threading.Event]:
    """Yield an event that is set when a call has failed and will be tried again for the n-th time."""
    reached = threading.Event()
    counted: list[logging.LogRecord] = []

    class Counter(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            counted.append(record)
            if len(counted) == n:
                reached.set()

    logger, counter = logging.getLogger("leafspace_client"), Counter()
    level = logger.level
    logger.addHandler(counter)
    logger.setLevel(logging.DEBUG)
    try:
        yield reached
    finally:
        logger.removeHandler(counter)
        logger.setLevel(level)


def _wait_until_nobody_listens(port: int) -> None:
    # The kernel closes the socket of a process that was killed when it has taken it down.
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)):
                return
