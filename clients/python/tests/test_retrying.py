"""Calls are tried again when that can help, at the pace that was asked for, and never create anything twice."""

import email.utils
import random
import time

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
from leafspace_client.retrying import asked_seconds

from tests.support.scripted_server import Answer, scripted

_QUICK = RetryPolicy(n_retries=2, first_seconds=0.01, longest_seconds=0.02)
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


def test_an_unavailable_service_is_asked_again() -> None:
    with scripted(problem(503, "unavailable"), problem(503, "unavailable"), Answer(200, _JOB)) as server:
        assert Leafspace(server.url, retries=_QUICK).jobs.get("job_1").id == "job_1"

    assert len(server.asked) == 3


async def _get_job(url: str) -> str:
    async with AsyncLeafspace(url, retries=_QUICK) as client:
        return (await client.jobs.get("job_1")).id


def test_the_async_client_asks_again_just_so() -> None:
    import asyncio  # noqa: PLC0415  # only here

    with scripted(problem(503, "unavailable"), Answer(0), Answer(200, _JOB)) as server:
        assert asyncio.run(_get_job(server.url)) == "job_1"

    assert len(server.asked) == 3


def test_a_lost_connection_is_tried_again() -> None:
    with scripted(Answer(0), Answer(200, _JOB)) as server:
        assert Leafspace(server.url, retries=_QUICK).jobs.get("job_1").id == "job_1"


def test_the_pause_that_the_service_asks_for_is_kept() -> None:
    busy = problem(429, "rate_limited")
    with scripted(Answer(429, busy.body, {"Retry-After": "1"}), Answer(200, _JOB)) as server:
        started = time.monotonic()
        Leafspace(server.url, retries=_QUICK).jobs.get("job_1")

    assert time.monotonic() - started >= 1.0


def test_a_pause_that_is_too_long_is_left_to_the_caller() -> None:
    busy = problem(429, "rate_limited")
    with (
        scripted(Answer(429, busy.body, {"Retry-After": "3600"})) as server,
        pytest.raises(RateLimited),
    ):
        Leafspace(server.url, retries=_QUICK).jobs.get("job_1")

    assert len(server.asked) == 1


def test_it_gives_up_with_the_service_s_own_words() -> None:
    with (
        scripted(problem(503, "unavailable", request_id="req-7")) as server,
        pytest.raises(Unavailable, match=r"mend it \[unavailable, request req-7\]") as failed,
    ):
        Leafspace(server.url, retries=_QUICK).jobs.get("job_1")

    assert (failed.value.code, failed.value.status, failed.value.request_id) == ("unavailable", 503, "req-7")
    assert failed.value.n_attempts == len(server.asked) == 3


def test_creating_again_carries_the_same_key() -> None:
    with scripted(Answer(0), Answer(201, _EXPLAINER), Answer(201, _EXPLAINER)) as server:
        client = Leafspace(server.url, retries=_QUICK)
        client.explainers.create("mdl_1", "prs_1")
        client.explainers.create("mdl_1", "prs_1")

    first, again, another = (asked.headers["Idempotency-Key"] for asked in server.asked)
    assert first == again != another
    assert server.asked[0].body == server.asked[1].body


def test_an_upload_is_sent_whole_when_it_is_sent_again() -> None:
    with scripted(problem(503, "unavailable"), problem(422, "model_not_onnx")) as server, pytest.raises(Invalid):
        Leafspace(server.url, retries=_QUICK).register_model(b"not a model", name="m")

    first, again = server.asked
    assert b"not a model" in first.body
    assert len(first.body) == len(again.body)


def test_deleting_again_is_no_error_when_the_first_answer_was_lost() -> None:
    with scripted(Answer(0), problem(404, "not_found")) as server:
        Leafspace(server.url, retries=_QUICK).models.delete("mdl_1")
    with scripted(problem(404, "not_found")) as server, pytest.raises(NotFound):
        Leafspace(server.url, retries=_QUICK).models.delete("mdl_1")


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
def test_other_failures_are_told_at_once_and_by_kind(status: int, code: str, kind: type[LeafspaceError]) -> None:
    with scripted(problem(status, code)) as server, pytest.raises(kind) as failed:
        Leafspace(server.url, retries=_QUICK).jobs.get("job_1")

    assert failed.value.code == code
    assert failed.value.detail == "mend it"
    assert len(server.asked) == 1


def test_faults_of_fields_come_one_by_one() -> None:
    errors = [{"pointer": "/n_prototypes", "detail": "too many"}]
    with scripted(problem(422, "validation_failed", errors=errors)) as server, pytest.raises(Invalid) as failed:
        Leafspace(server.url).jobs.get("job_1")

    assert failed.value.errors == (("/n_prototypes", "too many"),)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(404, b"<html>nothing here</html>", {"Content-Type": "text/html"}),
        Answer(200, b"<html>hello</html>", {"Content-Type": "text/html"}),
        Answer(200, {"object": "something"}),
        Answer(302, b"", {"Location": "/login"}),
    ],
)
def test_a_service_of_another_kind_is_told_as_such(answer: Answer) -> None:
    with scripted(answer) as server, pytest.raises(UnexpectedAnswer, match="is a Leafspace service"):
        Leafspace(server.url, retries=_QUICK).jobs.get("job_1")


def test_nobody_at_the_address_is_told_with_the_address() -> None:
    with pytest.raises(ConnectionFailed, match=r"no answer from http://127.0.0.1:9 .* is the service running there"):
        Leafspace("http://127.0.0.1:9", retries=_QUICK).jobs.get("job_1")


def test_an_address_that_is_none_is_refused_at_once() -> None:
    with pytest.raises(ConnectionFailed):
        Leafspace("localhost:8000", retries=RetryPolicy(first_seconds=100)).jobs.get("job_1")


def test_values_that_this_client_does_not_know_are_taken_as_they_are() -> None:
    with scripted(Answer(200, {**_JOB, "status": "resting", "kind": "dreams", "new_field": 1})) as server:
        job = Leafspace(server.url).jobs.get("job_1")

    assert (job.status, job.kind) == ("resting", "dreams")


def test_the_key_and_the_client_s_name_are_sent() -> None:
    with scripted(Answer(200, _JOB)) as server:
        Leafspace(server.url, "secret").jobs.get("job_1")

    assert server.asked[0].headers["Authorization"] == "Bearer secret"
    assert server.asked[0].headers["User-Agent"].startswith("leafspace-client/")


def test_all_pages_of_a_list_are_fetched_as_they_are_needed() -> None:
    first = {"object": "list", "data": [_JOB], "next_cursor": "c/2"}
    last = {"object": "list", "data": [_JOB, _JOB], "next_cursor": None}
    with scripted(Answer(200, first), Answer(200, last)) as server:
        jobs = Leafspace(server.url).jobs.list()
        next(jobs)
        assert len(server.asked) == 1
        assert len(list(jobs)) == 2

    assert "cursor=c%2F2" in server.asked[1].path


def test_pauses_grow_and_differ_between_clients() -> None:
    policy = RetryPolicy(n_retries=6, first_seconds=1.0, longest_seconds=8.0)
    pauses = [[policy.pause_seconds(n, None, random.Random(seed)) for n in range(1, 8)] for seed in (1, 2)]  # noqa: S311  # no secret

    for pause, whole in zip(pauses[0], (1, 2, 4, 8, 8, 8), strict=False):
        assert pause is not None
        assert whole / 2 <= pause <= whole
    assert pauses[0] != pauses[1]
    assert pauses[0][6] is None


def test_a_pause_may_be_asked_for_in_seconds_or_as_a_moment() -> None:
    in_ten_seconds = email.utils.formatdate(time.time() + 10, usegmt=True)

    assert asked_seconds({"Retry-After": "7"}) == 7.0
    assert asked_seconds({"Retry-After": in_ten_seconds}) == pytest.approx(10, abs=1.5)
    assert asked_seconds({"Retry-After": "soon"}) is None
    assert asked_seconds({}) is None
