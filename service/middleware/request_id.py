"""RequestIds: each request has an id, in its scope, in the logs and in the answer."""

import itertools
import re
import secrets
from collections.abc import Awaitable, Iterable

from structlog.contextvars import bind_contextvars

from .asgi import Application, Message, Receive, Scope, Send

_SANE = re.compile(rb"[A-Za-z0-9-]{8,64}")
_HEADER = b"x-request-id"


class RequestIds:
    """Take the caller's ``X-Request-Id`` if it is a sane one, else make one; send it back with every answer."""

    def __init__(self, app: Application) -> None:
        self._app = app
        # A number beside one random part: enough to tell requests apart, and quicker than randomness for each.
        self._prefix = secrets.token_hex(8)
        self._numbers = itertools.count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _given_id(scope["headers"]) or f"{self._prefix}-{next(self._numbers):08x}"
        scope["request_id"] = request_id
        bind_contextvars(request_id=request_id)
        header = (_HEADER, request_id.encode())

        def send_with_id(message: Message) -> Awaitable[None]:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), header]
            return send(message)

        await self._app(scope, receive, send_with_id)


def new_request_id() -> str:
    """Return an id for a request that no application sees."""
    return secrets.token_hex(16)


def _given_id(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    for name, value in headers:
        if name == _HEADER:
            return value.decode() if _SANE.fullmatch(value) else None
    return None
