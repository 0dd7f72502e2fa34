"""RequestIds: each request has an id, in its scope, in the logs and in the answer."""

import re
import secrets
from collections.abc import Iterable
from contextvars import ContextVar

from structlog.contextvars import bind_contextvars

from .asgi import Application, Message, Receive, Scope, Send

_SANE = re.compile(rb"[A-Za-z0-9-]{8,64}")
_HEADER = b"x-request-id"
_CURRENT: ContextVar[str | None] = ContextVar("request_id", default=None)


class RequestIds:
    """Take the caller's ``X-Request-Id`` if it is a sane one, else make one; send it back with every answer."""

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _given_id(scope["headers"]) or new_request_id()
        scope["request_id"] = request_id
        _CURRENT.set(request_id)
        bind_contextvars(request_id=request_id)
        header = (_HEADER, request_id.encode())

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), header]
            await send(message)

        await self._app(scope, receive, send_with_id)


def current_request_id() -> str | None:
    """Return the id of the request that is being answered, in its task and in the threads it starts."""
    return _CURRENT.get()


def new_request_id() -> str:
    """Return an id that nobody has used."""
    return secrets.token_hex(16)


def _given_id(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    for name, value in headers:
        if name == _HEADER:
            return value.decode() if _SANE.fullmatch(value) else None
    return None
