"""A tiny application behind the edge, on a real uvicorn."""

import asyncio
import json
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from service.middleware.admission.bodies import BodyLimits
from service.middleware.admission.limits import ConnectionLimits, RequestRates
from service.middleware.asgi import Application, Message, Receive, Scope, Send
from service.middleware.identity.access import AccessPolicy
from service.middleware.protocol.http_protocol import uvicorn_options
from service.middleware.stack import behind_middleware
from tests.support.patience import PATIENCE_SECONDS


async def echo_length(scope: Scope, receive: Receive, send: Send) -> None:
    """Read the body whole, then say how long it was."""
    n_bytes, more = 0, True
    while more:
        message: Message = await receive()
        if message["type"] == "http.disconnect":
            return
        n_bytes += len(message.get("body", b""))
        more = message.get("more_body", False)
    answer = json.dumps({"n_bytes": n_bytes, "request_id": scope.get("request_id")}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(answer)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": answer})


@contextmanager
def serving(  # all of them as the service has them
    app: Application = echo_length,
    *,
    bodies: BodyLimits | None = None,
    connections: ConnectionLimits | None = None,
    rates: RequestRates | None = None,
    policy: AccessPolicy | None = None,
    origins: tuple[str, ...] = (),
    grace_seconds: int | None = None,
) -> Iterator[int]:
    """Serve the application; yield the port. At the end, requests under way may go on for ``grace_seconds``."""
    options = uvicorn_options(connections or ConnectionLimits())
    behind = behind_middleware(app, bodies or BodyLimits(), rates or RequestRates(), policy=policy, origins=origins)
    config = uvicorn.Config(
        behind, log_level="critical", lifespan="off", timeout_graceful_shutdown=grace_seconds, **options
    )
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listener:
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])))
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


_LENGTH = re.compile(rb"content-length: (\d+)")


def exchange(port: int, request: bytes) -> bytes:
    """Send raw bytes; return all that comes back until the other side closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS) as connection:
        connection.sendall(request)
        return receive_all(connection)


def call(port: int, request: bytes, n_answers: int = 1) -> bytes:
    """Send raw bytes; return the first answers to them."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS) as connection:
        connection.sendall(request)
        return receive_answers(connection, n_answers)


def receive_answers(connection: socket.socket, n_answers: int = 1) -> bytes:
    """Return whole answers, as far as their lengths say."""
    received, end = b"", 0
    for _ in range(n_answers):
        while (body := received.find(b"\r\n\r\n", end) + 4) < 4:
            received += connection.recv(65536)
        length = _LENGTH.search(received, end, body)
        assert length is not None
        end = body + int(length[1])
        while len(received) < end:
            received += connection.recv(65536)
    return received


def receive_all(connection: socket.socket) -> bytes:
    """Return what comes until the connection is closed, reset or silent."""
    received = b""
    try:
        while part := connection.recv(65536):
            received += part
    except (TimeoutError, ConnectionResetError):
        pass
    return received


def status_of(answer: bytes) -> int:
    """Return the status of the first answer."""
    return int(answer.split(b" ", 2)[1])


def problem_of(answer: bytes) -> dict[str, object]:
    """Return the problem that an answer states."""
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"content-type: application/problem+json" in head.lower()
    problem: dict[str, object] = json.loads(body)
    return problem
