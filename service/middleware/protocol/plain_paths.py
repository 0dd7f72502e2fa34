"""Requests that are answered before any route: paths with control characters, requests without a host, and HEAD."""

import asyncio
import re
from collections.abc import Awaitable

from ..asgi import Application, Message, Receive, Scope, Send, refuse

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class PlainPaths:
    """Answer 404 to paths with control characters.

    A route's pattern also matches a path with a line's end behind it, while limits look for paths as they are written.
    """

    def __init__(self, app: Application) -> None:
        self._app = app

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Answer one request."""
        if scope["type"] == "http" and not scope["path"].isprintable() and _CONTROL.search(scope["path"]):
            detail = "the path has control characters; none of this API's has, see /docs"
            return refuse(scope, receive, send, "not_found", detail)
        return self._app(scope, receive, send)


class NamedHosts:
    """Answer 400 to HTTP/1.1 requests without a ``Host``, or with several (RFC 9112, 3.2)."""

    def __init__(self, app: Application) -> None:
        self._app = app

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Answer one request."""
        if scope["type"] == "http" and scope.get("http_version") == "1.1":
            n_hosts = [name for name, _ in scope["headers"]].count(b"host")
            if n_hosts != 1:
                detail = f"the request has {n_hosts} Host headers; HTTP/1.1 wants one"
                return refuse(scope, receive, send, "bad_request", detail)
        return self._app(scope, receive, send)


class HeadAsGet:
    """Answer HEAD like GET, without the body (RFC 9110, 9.3.2).

    What would be sent in blocks is not made beyond the first one, and the request waits for no job.
    """

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        answer = _Head(receive, send)
        headers = [(name, value) for name, value in scope["headers"] if name != b"prefer"]
        await self._app({**scope, "method": "GET", "headers": headers}, answer.receive, answer.send)
        await answer.end()


class _Head:
    """One answer, of which only the head is sent; code that writes its body then sees a caller that disconnected."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self._begun = asyncio.Event()

    async def receive(self) -> Message:
        """Return what the caller sends until the head is there."""
        if self._begun.is_set():
            return {"type": "http.disconnect"}
        received = asyncio.ensure_future(self._receive())
        begun = asyncio.ensure_future(self._begun.wait())
        try:
            await asyncio.wait([received, begun], return_when=asyncio.FIRST_COMPLETED)
            return received.result() if received.done() else {"type": "http.disconnect"}
        finally:
            received.cancel()
            begun.cancel()

    async def send(self, message: Message) -> None:
        """Send the head, and nothing after it."""
        if message["type"] == "http.response.start":
            await self._send(message)
            self._begun.set()

    async def end(self) -> None:
        """End the answer, if there is one."""
        if self._begun.is_set():
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})
