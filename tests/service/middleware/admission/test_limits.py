"""Callers beyond their rate, and requests beyond what is taken on, over real connections."""

import asyncio
import json
import re
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import numpy as np
import pytest

from service.middleware.admission.limits import ConnectionLimits, RequestLimits, RequestRates, TokenBuckets
from service.middleware.asgi import Application, Receive, Scope, Send
from tests.support.patience import PATIENCE_SECONDS, when_idle

from ..serving import call, echo_length, exchange, problem_of, receive_answers, serving, status_of


def post(path: str, body: bytes = b"{}", length: int | None = None) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body) if length is None else length}\r\n\r\n"
    return head.encode() + body


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()


def retry_after_of(answer: bytes) -> int:
    found = re.search(rb"\r\nretry-after: (\d+)\r\n", answer)
    assert found is not None
    return int(found[1])


class _FromElsewhere:
    """Requests seem to come from the address, or with the key, that a header names."""

    class _Caller:
        def __init__(self, key_id: str | None) -> None:
            self.key_id = key_id

    def __init__(self, rates: RequestRates, app: Application = echo_length) -> None:
        self._limits = RequestLimits(app, rates)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        scope["client"] = (headers.get(b"x-from", b"203.0.113.1").decode(), 1)
        scope["caller"] = self._Caller(headers[b"x-key"].decode() if b"x-key" in headers else None)
        await self._limits(scope, receive, send)


def _get_from(path: str = "/v1/models", address: str = "203.0.113.1", key: str | None = None) -> bytes:
    shown = f"X-Key: {key}\r\n" if key else ""
    return f"GET {path} HTTP/1.1\r\nHost: x\r\nX-From: {address}\r\n{shown}\r\n".encode()


FEW = RequestRates(per_second=0.5, burst=3, explanations_per_second=1, explanations_burst=5)


@pytest.fixture
def port() -> Iterator[int]:
    with serving(_FromElsewhere(FEW)) as port:
        yield port


def test_beyond_its_rate_a_caller_learns_the_limit_and_when_to_come_back(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
        connection.sendall(_get_from() * 4)  # one connection: the refusal does not close it
        answers = receive_answers(connection, 4)
        refused = answers[answers.rindex(b"HTTP/1.1") :]
        assert answers.count(b"HTTP/1.1 200") == 3
        assert status_of(refused) == 429
        assert problem_of(refused)["code"] == "rate_limited"
        assert "0.5 requests a second, and 3 at once" in str(problem_of(refused)["detail"])
        assert b"x-request-id: " in refused
        seconds = retry_after_of(refused)
        assert seconds == 2
        time.sleep(seconds)
        connection.sendall(_get_from())
        assert status_of(receive_answers(connection)) == 200


def test_callers_are_counted_by_key_and_without_one_by_address(port: int) -> None:
    def statuses(**whence: str) -> list[int]:
        return [status_of(call(port, _get_from(**whence))) for _ in range(4)]

    limited = [200, 200, 200, 429]
    assert statuses(key="one") == limited
    assert statuses(key="two", address="127.0.0.1") == limited
    assert statuses(key="two", address="198.51.100.7") == [429] * 4
    assert statuses(address="198.51.100.7") == limited
    # Addresses that one caller can choose from are one.
    assert statuses(address="2001:db8:1:2::1") == limited
    assert statuses(address="2001:db8:1:2:ffff::2") == [429] * 4
    assert statuses(address="::ffff:198.51.100.8") == limited
    assert statuses(address="198.51.100.8") == [429] * 4


def test_this_machine_calls_as_often_as_it_likes_without_a_key(port: int) -> None:
    assert {status_of(call(port, _get_from(address="127.0.0.1"))) for _ in range(20)} == {200}
    assert {status_of(call(port, _get_from(address="::1"))) for _ in range(20)} == {200}


def test_explanations_have_an_allowance_of_their_own_and_health_is_always_answered(port: int) -> None:
    def statuses(path: str, n_times: int) -> list[int]:
        return [status_of(call(port, _get_from(path))) for _ in range(n_times)]

    assert statuses("/v1/explainers/xpl_1/explanations", 3) == [200] * 3
    assert [*statuses("/v1/models/risk:explain", 1), *statuses("/v2/models/risk/infer", 2)] == [200, 200, 429]
    assert statuses("/v1/models", 4) == [200] * 3 + [429]
    for path in ("/livez", "/readyz", "/metrics", "/v2/health/live", "/v2/health/ready"):
        assert statuses(path, 10) == [200] * 10


def test_a_rate_of_nothing_means_none() -> None:
    with serving(_FromElsewhere(RequestRates(per_second=0, explanations_per_second=0))) as port:
        assert {status_of(call(port, _get_from())) for _ in range(500)} == {200}


def test_it_is_refused_before_its_body_has_come(port: int) -> None:
    for _ in range(3):
        call(port, _get_from())
    for length in (10, 1_000_000):
        with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
            connection.sendall(post("/v1/models", b"", length))
            began = time.monotonic()
            answer = receive_answers(connection)
        assert status_of(answer) == 429
        assert (b"connection: close" in answer) == (length > 10)
        assert time.monotonic() - began < when_idle(1)


async def _sleep_then_answer(scope: Scope, receive: Receive, send: Send) -> None:
    """Take half a second, in which others can be served."""
    await asyncio.sleep(0.5)
    await echo_length(scope, receive, send)


def _answers_to_all(port: int, requests: list[bytes]) -> list[bytes]:
    """Send all at once, each on a connection of its own; return what each got."""
    with ExitStack() as stack:
        opened = [
            stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=120))
            for _ in range(len(requests))
        ]
        for connection, request in zip(opened, requests, strict=True):
            connection.sendall(request)
        return [receive_answers(connection) for connection in opened]


def _by_status(answers: list[bytes]) -> dict[int, int]:
    statuses = [status_of(answer) for answer in answers]
    return {status: statuses.count(status) for status in sorted(set(statuses))}


def test_uploads_beyond_those_under_way_have_to_come_back_at_once() -> None:
    rates = RequestRates(n_uploads=4, n_uploads_of_caller=8)
    with serving(_sleep_then_answer, rates=rates) as port:
        began = time.monotonic()
        answers = _answers_to_all(port, [post("/v1/models")] * 6 + [post("/v1/datasets")] * 6)
        assert _by_status(answers) == {200: 4, 503: 8}
        assert time.monotonic() - began < when_idle(2)
        refused = next(answer for answer in answers if status_of(answer) == 503)
        assert (problem_of(refused)["code"], retry_after_of(refused)) == ("unavailable", 2)
        assert "4 uploads" in str(problem_of(refused)["detail"])
        # Their places are free again.
        assert _by_status(_answers_to_all(port, [post("/v1/models")] * 4)) == {200: 4}


def test_one_caller_cannot_hold_all_places_of_uploads() -> None:
    with serving(_sleep_then_answer, rates=RequestRates(n_uploads=5, n_uploads_of_caller=2)) as port:
        answers = _answers_to_all(port, [post("/v1/models")] * 5)
        assert _by_status(answers) == {200: 2, 429: 3}
        refused = next(answer for answer in answers if status_of(answer) == 429)
        assert problem_of(refused)["code"] == "rate_limited"
        assert "2 uploads of yours" in str(problem_of(refused)["detail"])


def test_an_upload_that_breaks_off_gives_its_place_back() -> None:
    with serving(rates=RequestRates(n_uploads=1)) as port:
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
                connection.sendall(post("/v1/models", b"some of", 1000))
                time.sleep(0.1)
                assert status_of(exchange(port, post("/v1/models", b"", 200_000))) == 503
            time.sleep(0.1)
        assert status_of(call(port, post("/v1/models"))) == 200


_WATCHING = b"GET /v1/jobs/job_1 HTTP/1.1\r\nHost: x\r\nPrefer: wait=20\r\n%s\r\n"


def test_requests_beyond_those_under_way_have_to_come_back_but_not_callers_who_watch_jobs() -> None:
    with serving(_sleep_then_answer, rates=RequestRates(n_under_way=3)) as port:
        answers = _answers_to_all(port, [get("/v1/models")] * 10)
        assert _by_status(answers) == {200: 3, 503: 7}
        assert {retry_after_of(answer) for answer in answers if status_of(answer) == 503} == {1}
        assert _by_status(_answers_to_all(port, [_WATCHING % b""] * 10)) == {200: 10}
        assert _by_status(_answers_to_all(port, [get("/v1/jobs/job_1/events")] * 10)) == {200: 10}
        assert _by_status(_answers_to_all(port, [get("/v1/jobs/job_1")] * 10)) == {200: 3, 503: 7}
        assert _by_status(_answers_to_all(port, [post("/v1/jobs/job_1/cancel")] * 10)) == {200: 3, 503: 7}
        assert _by_status(_answers_to_all(port, [post("/v1/explainers/xpl_1/explanations")] * 10)) == {200: 10}


def test_one_caller_cannot_hold_all_places_and_whose_bodies_never_come_holds_none_of_others() -> None:
    rates = RequestRates(n_under_way=50, n_under_way_of_caller=4)
    with serving(_FromElsewhere(rates)) as port, ExitStack() as stack:
        head = _get_from("/v1/explainers", key="one").replace(b"GET", b"POST")[:-2] + b"Content-Length: 10\r\n\r\n"
        for _ in range(4):
            waiting = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=120))
            waiting.sendall(head)
        time.sleep(0.2)

        refused = call(port, _get_from(key="one"))

        assert (status_of(refused), retry_after_of(refused)) == (429, 1)
        assert "4 requests of yours" in str(problem_of(refused)["detail"])
        assert problem_of(refused)["code"] == "rate_limited"
        assert status_of(call(port, _get_from(key="two"))) == 200
        assert status_of(call(port, _get_from("/v1/explainers/xpl_1/explanations", key="one"))) == 200
        waiting.sendall(b"0123456789")
        assert status_of(receive_answers(waiting)) == 200
        assert status_of(call(port, _get_from(key="one"))) == 200


def test_one_caller_watches_a_limited_number_of_jobs_at_once_and_may_still_look_at_them() -> None:
    rates = RequestRates(n_watching_of_caller=3)
    with serving(_FromElsewhere(rates, _sleep_then_answer)) as port:
        answers = _answers_to_all(
            port, [_WATCHING % b"X-Key: one\r\n"] * 4 + [_get_from("/v1/jobs/job_1/events", key="one")] * 4
        )
        assert _by_status(answers) == {200: 3, 429: 5}
        refused = next(answer for answer in answers if status_of(answer) == 429)
        assert "3 requests that wait for jobs" in str(problem_of(refused)["detail"])
        assert retry_after_of(refused) == 1
        watching = [_WATCHING % b"X-Key: one\r\n"] * 3
        others = [_get_from("/v1/jobs/job_1", key="one"), _WATCHING % b"X-Key: two\r\n"]
        assert _by_status(_answers_to_all(port, watching + others)) == {200: 5}


def test_this_machine_without_a_key_has_as_many_places_as_there_are() -> None:
    rates = RequestRates(n_under_way=20, n_under_way_of_caller=1, n_watching_of_caller=1)
    with serving(_sleep_then_answer, rates=rates) as port:
        assert _by_status(_answers_to_all(port, [get("/v1/models")] * 20)) == {200: 20}
        assert _by_status(_answers_to_all(port, [_WATCHING % b""] * 20)) == {200: 20}


async def _keep_busy(scope: Scope, receive: Receive, send: Send) -> None:
    """Take 20 ms in which nobody is served, as an explanation takes less of."""
    time.sleep(0.02)  # noqa: ASYNC251  # on purpose
    await echo_length(scope, receive, send)


def test_requests_whose_turn_is_far_off_are_refused_and_all_get_an_answer() -> None:
    limits = ConnectionLimits(n_waiting=10)
    with serving(_keep_busy, connections=limits) as port:
        answers = _answers_to_all(port, [post("/v1/explainers/xpl_1/explanations")] * 100)
        found = _by_status(answers)
        assert found.keys() == {200, 429}
        assert sum(found.values()) == 100
        assert found[200] >= 10
        refused = next(answer for answer in answers if status_of(answer) == 429)
        assert (problem_of(refused)["code"], retry_after_of(refused)) == ("rate_limited", 1)
        assert "requests of yours wait" in str(problem_of(refused)["detail"])
        # Nothing is left of it, and connections were kept.
        assert _by_status(_answers_to_all(port, [post("/v1/explainers/xpl_1/explanations")] * 10)) == {200: 10}


def _sent_at_once(keys: Sequence[bytes], n_waiting: int) -> list[int]:
    """Return the status of a request of each key, which all wait while the first one is answered."""
    all_are_sent = threading.Event()

    async def answer_late(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "POST":
            all_are_sent.wait(PATIENCE_SECONDS)  # the event loop with it
        await echo_length(scope, receive, send)

    with serving(answer_late, connections=ConnectionLimits(n_waiting=n_waiting)) as port, ExitStack() as stack:
        opened = [stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=120)) for _ in keys]
        for connection in opened:  # accepted, all of them
            connection.sendall(get("/livez"))
            assert status_of(receive_answers(connection)) == 200
        for connection, key in zip(opened, keys, strict=True):
            connection.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\nContent-Length: 0\r\n\r\n" % key)
        all_are_sent.set()
        return [status_of(receive_answers(connection)) for connection in opened]


def test_a_caller_who_fills_all_places_keeps_no_other_out() -> None:
    statuses = _sent_at_once([b"many"] * 100 + [b"one", b"two"], 16)

    assert statuses[-2:] == [200, 200]
    assert set(statuses[:-2]) == {200, 429}


def test_a_caller_with_many_requests_delays_another_by_few() -> None:
    all_are_sent, order = threading.Event(), list[bytes]()

    async def note_order(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "POST":
            all_are_sent.wait(PATIENCE_SECONDS)  # the event loop with it
            order.append(dict(scope["headers"])[b"authorization"])
        await echo_length(scope, receive, send)

    with serving(note_order) as port, ExitStack() as stack:
        opened = [stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=120)) for _ in range(102)]
        for connection in opened:  # accepted, all of them
            connection.sendall(get("/livez"))
            assert status_of(receive_answers(connection)) == 200
        for connection, key in zip(opened, [b"many"] * 101 + [b"one"], strict=True):
            connection.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\nContent-Length: 0\r\n\r\n" % key)
        all_are_sent.set()
        assert [status_of(receive_answers(connection)) for connection in opened] == [200] * 102
    assert order.index(b"one") < 40
    assert len(order) == 102


def test_a_connection_that_was_refused_a_request_can_be_used_on() -> None:
    with (
        serving(rates=RequestRates(n_under_way=0)) as port,
        socket.create_connection(("127.0.0.1", port), timeout=120) as connection,
    ):
        for _ in range(3):
            connection.sendall(post("/v1/explainers", json.dumps([1] * 1000).encode()))
            assert status_of(receive_answers(connection)) == 503
        connection.sendall(get("/livez"))
        assert status_of(receive_answers(connection)) == 200


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_caller_has_a_burst_and_then_a_rate() -> None:
    clock = Clock()
    buckets = TokenBuckets(per_second=10, burst=5, clock=clock)
    assert [buckets.take("a") for _ in range(5)] == [0] * 5
    assert round(buckets.take("a"), 6) == 0.1
    clock.now += 0.25
    assert [buckets.take("a") > 0 for _ in range(3)] == [False, False, True]


def test_callers_who_wait_as_long_as_required_are_let_in_and_nobody_earlier() -> None:
    clock, rng = Clock(), np.random.default_rng(0)
    buckets = TokenBuckets(per_second=7, burst=3, clock=clock)
    for _ in range(2000):
        clock.now += rng.uniform(0, 0.3)
        seconds = buckets.take("a")
        if seconds:
            clock.now += 0.99 * seconds
            assert buckets.take("a") > 0
            clock.now += 0.01 * seconds
            assert buckets.take("a") == 0


def test_in_the_long_run_nobody_gets_more_than_the_rate() -> None:
    clock, rng = Clock(), np.random.default_rng(1)
    buckets = TokenBuckets(per_second=50, burst=20, clock=clock)
    n_taken = 0
    while clock.now < 1100:
        clock.now += rng.exponential(1 / 200)
        n_taken += buckets.take("a") == 0
    assert 4950 <= n_taken <= 5021


def test_callers_do_not_use_up_each_others_allowance() -> None:
    buckets = TokenBuckets(per_second=1, burst=1, clock=Clock())
    assert [buckets.take(caller) for caller in "abc"] == [0, 0, 0]


def test_what_is_remembered_is_bounded_and_a_crowd_shares_what_it_does_not_leave_to_others() -> None:
    clock = Clock()
    buckets = TokenBuckets(per_second=10, burst=10, n_callers=100, clock=clock)
    assert [buckets.take("regular") for _ in range(10)] == [0] * 10
    n_let_in = sum(buckets.take(f"newcomer {number}") == 0 for number in range(1000))
    assert n_let_in == 99 + 10  # each with a bucket of their own while there is room, then one for all
    assert len(buckets._full_at) <= 101
    assert buckets.take("regular") > 0

    clock.now += 2  # all buckets are full again: nobody need be remembered
    assert all(buckets.take(f"later {number}") == 0 for number in range(100))
    assert len(buckets._full_at) <= 101
