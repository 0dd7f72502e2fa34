"""Raw bytes against a real server with the edge in front."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from service.middleware.admission.bodies import BodyLimits
from service.middleware.admission.limits import ConnectionLimits
from service.middleware.asgi import Message, Receive, Scope, Send
from tests.support.patience import PATIENCE_SECONDS, when_idle
from tests.support.shared import shared_path

from ..serving import call, exchange, problem_of, receive_all, receive_answers, serving, status_of

SHORT = 0.5
BODIES = BodyLimits(n_bytes=1_000, n_bytes_of_path={"/v1/datasets": 300_000}, seconds=SHORT)
CONNECTIONS = ConnectionLimits(header_seconds=SHORT, n_connections_per_address=20)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with serving(bodies=BODIES, connections=CONNECTIONS) as port:
        yield port


def post(path: str, body: bytes, *headers: str, length: int | None = None) -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: x", f"Content-Length: {len(body) if length is None else length}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


@pytest.mark.parametrize(
    "name",
    [
        "120_http_te_cl_smuggle.http",
        "121_http_duplicate_content_length.http",
        "124_http_chunked_never_ends.http",
        "127_http_bearer_crlf_and_unicode.http",
        "128_http_content_encoding_gzip_bomb.http",
    ],
)
def test_each_shared_request_gets_its_status_and_code(name: str, port: int) -> None:
    expected = json.loads(shared_path("badinputs/expected.json").read_text())[name]
    answer = exchange(port, shared_path(f"badinputs/{name}").read_bytes())
    assert status_of(answer) == expected["status"]
    assert expected["code"] in (None, problem_of(answer)["code"])
    assert answer.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize("name", ["125_http_multipart_filename_traversal.http", "126_http_multipart_5000_parts.http"])
def test_forms_are_let_through_to_the_application(name: str, port: int) -> None:
    answer = call(port, shared_path(f"badinputs/{name}").read_bytes())
    assert status_of(answer) == 200


def test_a_body_over_the_limit_is_refused_by_its_header(port: int) -> None:
    answer = exchange(port, post("/v1/explainers", b"x" * 1_001))
    assert status_of(answer) == 413
    problem = problem_of(answer)
    assert problem["code"] == "body_too_large"
    assert "1,000 bytes" in str(problem["detail"])
    assert problem["type"] == "/problems/body_too_large"


def test_a_body_over_the_limit_is_refused_while_streaming(port: int) -> None:
    head = b"POST /v1/explainers HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    answer = exchange(port, head + b"1f4\r\n" + b"x" * 500 + b"\r\n" + b"1f5\r\n" + b"x" * 501 + b"\r\n")
    assert status_of(answer) == 413
    assert problem_of(answer)["code"] == "body_too_large"


def test_a_client_that_goes_on_sending_still_gets_the_refusal(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
        sender = threading.Thread(target=connection.sendall, args=(post("/v1/explainers", b"x" * 20_000_000),))
        sender.start()
        answer = receive_all(connection)
        sender.join()
    assert status_of(answer) == 413


def test_an_impossible_length_is_refused(port: int) -> None:
    assert status_of(exchange(port, post("/v1/models", b"", length=10**18))) == 413
    assert status_of(exchange(port, post("/v1/models", b"", length=10**30))) == 400


def test_paths_may_have_limits_of_their_own(port: int) -> None:
    assert status_of(call(port, post("/v1/datasets", b"x" * 200_000))) == 200
    assert status_of(exchange(port, post("/v1/datasets/", b"x" * 200_000))) == 413


def test_a_body_that_stalls_is_refused(port: int) -> None:
    start = time.monotonic()
    answer = exchange(port, post("/v1/explainers", b"{", length=10))
    assert 0.4 < time.monotonic() - start < when_idle(5)
    assert status_of(answer) == 408
    assert problem_of(answer)["code"] == "body_timeout"
    assert b"connection: close" in answer.lower()


def test_a_body_that_drips_is_refused(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
        connection.sendall(post("/v1/explainers", b"", length=100))
        start = time.monotonic()
        drip = threading.Thread(target=_drip, args=(connection, b"x"))
        drip.start()
        answer = receive_all(connection)
        drip.join()
    assert time.monotonic() - start < when_idle(5)
    assert status_of(answer) == 408


def test_a_body_that_keeps_the_pace_may_take_longer() -> None:
    limits = BodyLimits(n_bytes=100_000, seconds=SHORT, n_bytes_per_second=10_000)
    with serving(bodies=limits) as port, socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
        connection.sendall(post("/v1/datasets", b"", length=20_000))
        for _ in range(10):
            time.sleep(0.1)
            connection.sendall(b"x" * 2_000)
        assert status_of(receive_answers(connection)) == 200


def test_bodies_in_memory_have_only_so_much_room_together() -> None:
    limits = BodyLimits(n_bytes=10**6, n_bytes_of_path={"/v1/datasets": 10**6}, n_bytes_held=300_000)
    with serving(bodies=limits) as port:
        held = [socket.create_connection(("127.0.0.1", port), timeout=120) for _ in range(2)]
        for connection in held:
            connection.sendall(post("/v1/explainers/x/explanations", b"x" * 140_000, length=150_000))
        time.sleep(0.1)

        refused = exchange(port, post("/v1/explainers/x/explanations", b"x" * 150_000))
        assert status_of(refused) == 503
        assert problem_of(refused)["code"] == "unavailable"
        assert b"\r\nretry-after: 1\r\n" in refused
        # What is small, or waits on disk, takes none of it.
        assert status_of(call(port, post("/v1/explainers/x/explanations", b"x" * 60_000))) == 200
        assert status_of(call(port, post("/v1/datasets", b"x" * 500_000))) == 200

        held[0].sendall(b"x" * 10_000)
        assert status_of(receive_answers(held[0])) == 200
        held[1].close()
        time.sleep(0.1)
        # All room is there again, and a body that is alone may want more than there is.
        assert status_of(call(port, post("/v1/explainers", b"x" * 900_000))) == 200
        held[0].close()


def test_headers_that_drip_are_cut_off(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-A: ")
        start = time.monotonic()
        drip = threading.Thread(target=_drip, args=(connection, b"a"))
        drip.start()
        answer = receive_all(connection)
        drip.join()
    assert time.monotonic() - start < when_idle(5)
    assert status_of(answer) == 408


def test_a_connection_that_says_nothing_is_cut_off(port: int) -> None:
    start = time.monotonic()
    exchange(port, b"")
    assert time.monotonic() - start < when_idle(5)


def test_blank_lines_after_an_answer_do_not_hold_the_connection(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert status_of(receive_answers(connection)) == 200
        start = time.monotonic()
        connection.sendall(b"\r\n")
        receive_all(connection)
    assert time.monotonic() - start < when_idle(5)


def test_headers_without_end_are_cut_off(port: int) -> None:
    answer = exchange(port, b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X-A: b\r\n" * 200_000)
    assert answer == b"" or status_of(answer) == 400


def test_trailers_without_end_are_cut_off(port: int) -> None:
    head = b"POST /v1/datasets HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n"
    answer = exchange(port, head + b"X-A: b\r\n" * 200_000)
    assert answer == b"" or status_of(answer) in (400, 408)


def test_small_chunks_are_no_offence(port: int) -> None:
    head = b"POST /v1/datasets HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    answer = call(port, head + b"1\r\nx\r\n" * 30_000 + b"0\r\n\r\n")
    assert status_of(answer) == 200
    assert b'"n_bytes": 30000' in answer


def test_an_address_has_a_limit_of_connections() -> None:
    limits = ConnectionLimits(n_connections_per_address=5)
    request = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    with serving(connections=limits) as port:
        held = [socket.create_connection(("127.0.0.1", port), timeout=120) for _ in range(5)]
        for connection in held:
            connection.sendall(request)
            assert status_of(receive_answers(connection)) == 200
        surplus = exchange(port, request)
        assert status_of(surplus) == 503
        assert problem_of(surplus)["code"] == "unavailable"
        assert b"\r\nretry-after: 1\r\n" in surplus
        held.pop().close()
        time.sleep(0.1)
        assert status_of(call(port, request)) == 200
        for connection in held:
            connection.close()


def test_slow_connections_are_gone_after_the_deadline_and_others_are_served() -> None:
    limits = ConnectionLimits(header_seconds=SHORT, n_connections_per_address=300)
    with serving(connections=limits) as port:
        held = [socket.create_connection(("127.0.0.1", port), timeout=120) for _ in range(200)]
        for connection in held:
            connection.sendall(b"GET / HTTP/1.1\r\nX-A: b\r\n")
        assert status_of(call(port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")) == 200
        assert {status_of(receive_all(connection)) for connection in held} == {408}
        for connection in held:
            connection.close()


@pytest.mark.parametrize("encoding", ["gzip", "br", "deflate, gzip", "x"])
def test_compressed_bodies_are_refused(encoding: str, port: int) -> None:
    answer = exchange(port, post("/v1/models", b"x", f"Content-Encoding: {encoding}"))
    assert status_of(answer) == 415
    assert problem_of(answer)["code"] == "unsupported_media_type"


def test_identity_is_no_encoding(port: int) -> None:
    assert status_of(call(port, post("/v1/models", b"x", "Content-Encoding: identity"))) == 200


@pytest.mark.parametrize("given", ["req-12345678", "A" * 64])
def test_a_sane_request_id_comes_back(given: str, port: int) -> None:
    answer = call(port, post("/", b"x", f"X-Request-Id: {given}"))
    assert f"x-request-id: {given}\r\n".encode() in answer
    assert f'"request_id": "{given}"'.encode() in answer


@pytest.mark.parametrize("given", ["short", "A" * 65, "id with spaces", "<script>alert", "line\tfeed-id"])
def test_another_request_id_is_replaced(given: str, port: int) -> None:
    answer = call(port, post("/", b"x", f"X-Request-Id: {given}"))
    assert given.encode() not in answer
    assert b"x-request-id: " in answer


def test_refusals_carry_ids_and_headers_too(port: int) -> None:
    for request in (post("/", b"x" * 1_001), b"nonsense\r\n\r\n"):
        answer = exchange(port, request)
        assert f"x-request-id: {problem_of(answer)['request_id']}\r\n".encode() in answer
        assert b"x-content-type-options: nosniff" in answer
        assert b"server:" not in answer.lower()


def test_browsers_are_instructed_to_load_and_keep_nothing(port: int) -> None:
    answer = call(port, b"GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n")
    assert b"x-content-type-options: nosniff\r\n" in answer
    assert b"cache-control: no-store\r\n" in answer
    assert b"content-security-policy: default-src 'none'; frame-ancestors 'none'\r\n" in answer
    assert b"server:" not in answer.lower()


@pytest.mark.parametrize(
    ("path", "is_page"), [("/docs", True), ("/docs/assets/swagger-ui.css", True), ("/docsx", False)]
)
def test_the_documentation_page_may_load_its_own_assets(path: str, is_page: bool, port: int) -> None:  # a parameter
    answer = call(port, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    assert (b"script-src 'self'" in answer) == is_page


@pytest.mark.parametrize(
    ("request_lines", "status"),
    [
        (b"GET /x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n", 200),
        (b"GET /x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n", 200),
        (b"CONNECT a:1 HTTP/1.1\r\nHost: x\r\n", 400),
        (b"OPTIONS * HTTP/1.1\r\nHost: x\r\n", 200),
        (b"GET http://elsewhere/x HTTP/1.1\r\nHost: x\r\n", 200),
        (b"GET /%c3%bc%ff HTTP/1.1\r\nHost: x\r\n", 200),
        (b"GET /\xff HTTP/1.1\r\nHost: x\r\n", 400),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n", 400),
        (b"POST /x HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2000\r\n", 413),
        (b"POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n", 400),
        (b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: +2\r\n", 400),
        (b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: -2\r\n", 400),
    ],
)
def test_odd_requests_are_answered_without_failing(request_lines: bytes, status: int, port: int) -> None:
    assert status_of(call(port, request_lines + b"\r\n")) == status


@pytest.mark.parametrize("path", ["/v1/datasets%0A", "/v1/explainers/x/explanations%0a", "/%00", "/a%C2%85b", "/a%7F"])
def test_paths_with_control_characters_lead_nowhere(path: str, port: int) -> None:
    answer = call(port, post(path, b"x"))
    assert status_of(answer) == 404
    assert problem_of(answer)["code"] == "not_found"


@pytest.mark.parametrize("path", ["/a%20b", "/%C3%A9", "/a%C2%A0b", "/%E2%80%8B"])
def test_other_odd_characters_are_left_to_the_routes(path: str, port: int) -> None:
    assert status_of(call(port, post(path, b"x"))) == 200


def test_pipelined_requests_are_answered_in_order(port: int) -> None:
    answer = call(port, post("/", b"x") + post("/", b"xx") + post("/", b"xxx"), n_answers=3)
    assert [answer.count(b'"n_bytes": %d' % n) for n in (1, 2, 3)] == [1, 1, 1]
    assert answer.index(b'"n_bytes": 1') < answer.index(b'"n_bytes": 2') < answer.index(b'"n_bytes": 3')


def test_a_head_arrives_in_one_piece_with_its_body() -> None:
    body = b"x" * 3_000

    async def answer(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send(_head_of(len(body)))
        await send({"type": "http.response.body", "body": body})

    with serving(answer) as port, socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        # A head that was sent alone would be all that there is to receive, until the rest has come.
        piece = connection.recv(65_536)
    assert piece.partition(b"\r\n\r\n")[2] == body


def test_a_head_does_not_wait_for_a_body_that_comes_later() -> None:
    may_go_on = threading.Event()

    async def answer(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send(_head_of(4))
        await asyncio.to_thread(may_go_on.wait, PATIENCE_SECONDS)
        await send({"type": "http.response.body", "body": b"late"})

    with serving(answer) as port, socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert connection.recv(65_536).endswith(b"\r\n\r\n")
        may_go_on.set()
        assert connection.recv(65_536) == b"late"


def test_a_head_is_sent_though_the_application_fails_after_it() -> None:
    async def answer(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send(_head_of(4))
        raise RuntimeError

    with serving(answer) as port:
        assert status_of(exchange(port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")) == 200


def _head_of(n_bytes: int) -> Message:
    return {"type": "http.response.start", "status": 200, "headers": [(b"content-length", str(n_bytes).encode())]}


def _drip(connection: socket.socket, drop: bytes) -> None:
    try:
        for _ in range(40):
            connection.sendall(drop)
            time.sleep(0.1)
    except OSError:
        return


def test_what_is_not_finished_when_the_server_stops_is_told_to_try_again() -> None:
    has_begun = threading.Event()

    async def never_done(_scope: Scope, _receive: Receive, _send: Send) -> None:
        has_begun.set()
        await asyncio.Event().wait()

    with serving(never_done, grace_seconds=0) as port:
        connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)
        connection.sendall(post("/v1/models", b""))
        assert has_begun.wait(PATIENCE_SECONDS)
    with connection:
        answer = receive_all(connection)

    assert status_of(answer) == 503
    assert problem_of(answer)["code"] == "unavailable"
    assert b"retry-after: 5" in answer.lower()
