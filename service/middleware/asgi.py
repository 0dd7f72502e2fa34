"""ASGI: the types that middlewares share, and a problem sent as a whole answer."""

from collections.abc import Awaitable, Callable, Coroutine, Iterable, MutableMapping
from typing import Any

import orjson

from schemas.problems import problem_for, problem_json

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Coroutine[Any, Any, Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

PROBLEM_TYPE = b"application/problem+json"


def problem_answer(code: str, detail: str, request_id: str | None) -> tuple[int, bytes]:
    """Return the status and the body of the answer that states a problem."""
    problem = problem_for(code, detail, request_id)
    return problem.status, orjson.dumps(problem_json(problem))


def problem_messages(
    code: str, detail: str, request_id: str | None, extra_headers: Iterable[tuple[bytes, bytes]] = ()
) -> tuple[Message, Message]:
    """Return an answer that states a problem and closes the connection; its last message is left to the caller."""
    # What follows on this connection is the rest of a body that nobody reads.
    close = (b"connection", b"close")
    start, body = whole_problem_messages(code, detail, request_id, [close, *extra_headers])
    return start, {**body, "more_body": True}


def whole_problem_messages(
    code: str, detail: str, request_id: str | None, extra_headers: Iterable[tuple[bytes, bytes]] = ()
) -> tuple[Message, Message]:
    """Return an answer that states a problem, after which the connection may be used on."""
    status, body = problem_answer(code, detail, request_id)
    headers = [(b"content-type", PROBLEM_TYPE), (b"content-length", str(len(body)).encode()), *extra_headers]
    start = {"type": "http.response.start", "status": status, "headers": headers}
    return start, {"type": "http.response.body", "body": body, "more_body": False}
