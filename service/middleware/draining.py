"""Draining: the time between the signal to stop and the end, in which nobody new should come."""

from collections.abc import Awaitable

from .asgi import Application, Message, Receive, Scope, Send

_CLOSE = (b"connection", b"close")


class Draining:
    """Whether the process is about to stop; once it is, it stays so."""

    def __init__(self) -> None:
        self.has_begun = False

    def begin(self) -> None:
        """Take note that the process is to stop."""
        self.has_begun = True


class Farewell:
    """Close each connection after its next answer while the process drains, so that none is cut in a request."""

    def __init__(self, app: Application, draining: Draining) -> None:
        self._app = app
        self._draining = draining

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        def send_closing(message: Message) -> Awaitable[None]:
            # Asked as late as this: the signal may come while the request is being answered.
            if message["type"] == "http.response.start" and self._draining.has_begun:
                message["headers"] = [*message.get("headers", ()), _CLOSE]
            return send(message)

        await self._app(scope, receive, send_closing)
