"""ASGI: the types that middlewares share, and how they refuse a request before its body is read."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, MutableMapping
from typing import Any

import orjson

from schemas.problems import problem_for, problem_json

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Coroutine[Any, Any, Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = Iterable[tuple[bytes, bytes]]

PROBLEM_TYPE = b"application/problem+json"
_LINGER_SECONDS = 2.0
_SMALL_BODY_DIGITS = 5  # under 100 kB: cheaper to read and discard than opening a connection
_BODY_UNCERTAIN = frozenset({b"transfer-encoding", b"expect"})  # its length is not known, or whether it comes
_CLOSE = (b"connection", b"close")


async def refuse(
    scope: Scope, receive: Receive, send: Send, code: str, detail: str, extra_headers: Headers = ()
) -> None:
    """Answer with a problem; the connection stays open where little of the body is left."""
    if not _has_small_body(scope["headers"]):
        await refuse_and_close(scope, send, code, detail, extra_headers, drain=receive)
        return
    for message in _problem_messages(code, detail, scope.get("request_id"), extra_headers):
        await send(message)


async def refuse_and_close(
    scope: Scope, send: Send, code: str, detail: str, extra_headers: Headers = (), drain: Receive | None = None
) -> None:
    """Answer with a problem and close the connection; what ``drain`` receives meanwhile is discarded."""
    # What follows on this connection is the rest of a body, which is not read.
    start, body = _problem_messages(code, detail, scope.get("request_id"), [_CLOSE, *extra_headers])
    await send(start)
    await send({**body, "more_body": True})
    if drain is not None:
        await _discard(drain)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


def retry_after(seconds: int) -> tuple[bytes, bytes]:
    """Return the header that says when to retry."""
    return b"retry-after", str(seconds).encode()


def problem_answer(code: str, detail: str, request_id: str | None) -> tuple[int, bytes]:
    """Return the status and the body of the answer that states a problem."""
    problem = problem_for(code, detail, request_id)
    return problem.status, orjson.dumps(problem_json(problem))


def _problem_messages(
    code: str, detail: str, request_id: str | None, extra_headers: Headers
) -> tuple[Message, Message]:
    """Return an answer that states a problem: its head and its body."""
    status, body = problem_answer(code, detail, request_id)
    headers = [(b"content-type", PROBLEM_TYPE), (b"content-length", str(len(body)).encode()), *extra_headers]
    start = {"type": "http.response.start", "status": status, "headers": headers}
    return start, {"type": "http.response.body", "body": body, "more_body": False}


def _has_small_body(headers: Headers) -> bool:
    length = b"0"
    for name, value in headers:
        if name == b"content-length":
            length = value
        elif name in _BODY_UNCERTAIN:
            return False
    return len(length) <= _SMALL_BODY_DIGITS


async def _discard(receive: Receive) -> None:
    """Discard input for a moment: a connection that is closed while the caller sends loses the answer."""
    try:
        async with asyncio.timeout(_LINGER_SECONDS):
            while (message := await receive())["type"] == "http.request" and message.get("more_body"):
                pass
    except TimeoutError:
        return


def is_json(scope: Scope) -> bool:
    """Return whether a request says that its body is JSON."""
    content_type = next((value for name, value in scope["headers"] if name == b"content-type"), b"")
    media_type: bytes = content_type.partition(b";")[0].strip().lower()
    return media_type == b"application/json" or media_type.endswith(b"+json")
