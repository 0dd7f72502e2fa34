"""refuse: a problem instead of an answer, before anything has read the body."""

import asyncio
from collections.abc import Iterable

from .asgi import Receive, Scope, Send, problem_messages, whole_problem_messages

_LINGER_SECONDS = 2.0
_SMALL_BODY_DIGITS = 5  # under 100 kB: read and thrown away more cheaply than a connection is opened

_BODY_UNCERTAIN = frozenset({b"transfer-encoding", b"expect"})  # not known how much comes, or whether

Headers = Iterable[tuple[bytes, bytes]]


async def refuse(
    scope: Scope, receive: Receive, send: Send, code: str, detail: str, extra_headers: Headers = ()
) -> None:
    """Answer with a problem; the connection stays open where little is left to come on it."""
    if _has_small_body(scope["headers"]):
        for message in whole_problem_messages(code, detail, scope.get("request_id"), extra_headers):
            await send(message)
        return
    await refuse_and_close(scope, send, code, detail, extra_headers, drain=receive)


async def refuse_and_close(
    scope: Scope, send: Send, code: str, detail: str, extra_headers: Headers = (), drain: Receive | None = None
) -> None:
    """Answer with a problem and close the connection; what ``drain`` brings meanwhile is thrown away."""
    start, body = problem_messages(code, detail, scope.get("request_id"), extra_headers)
    await send(start)
    await send(body)
    if drain is not None:
        await _drain(drain)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


def retry_after(seconds: int) -> tuple[bytes, bytes]:
    """Return the header that says when to come back."""
    return b"retry-after", str(seconds).encode()


def _has_small_body(headers: Headers) -> bool:
    length = b"0"
    for name, value in headers:
        if name == b"content-length":
            length = value
        elif name in _BODY_UNCERTAIN:
            return False
    return len(length) <= _SMALL_BODY_DIGITS


async def _drain(receive: Receive) -> None:
    """Throw away what still comes in for a moment: a connection that is closed on a sender loses the answer."""
    try:
        async with asyncio.timeout(_LINGER_SECONDS):
            while (message := await receive())["type"] == "http.request" and message.get("more_body"):
                pass
    except TimeoutError:
        return
