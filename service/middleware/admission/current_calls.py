"""Calls: lets the application know which call it answers, and returns what the call reserved when it is answered."""

from collections.abc import Awaitable, Callable

import anyio

from ...admission.calls import CURRENT_CALL, Call
from ...callers import ANY_CALLER
from ..asgi import Application, Message, Receive, Scope, Send
from ..counted_callers import limited_caller

OTHERS_WAIT = "leafspace.others_wait"
"""Where a scope says, if at all, whether requests have come that have not begun."""


class Calls:
    """Lets the application behind know which call it answers."""

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        call = Call(
            limited_caller(scope),
            scope.get("caller", ANY_CALLER).scopes,
            _has_left(receive),
            is_followed=True,
            others_wait=scope.get(OTHERS_WAIT, False),
        )
        token = CURRENT_CALL.set(call)
        try:
            await self._app(scope, receive, send)
        finally:
            call.release()
            CURRENT_CALL.reset(token)


def _has_left(receive: Receive) -> Callable[[], Awaitable[bool]]:
    """Return a function that returns whether the caller has disconnected, once the body was read."""

    async def has_left() -> bool:
        message: Message = {"type": ""}
        with anyio.CancelScope() as scope:
            scope.cancel()  # it returns at once where there is no message
            message = await receive()
        return bool(message["type"] == "http.disconnect")

    return has_left
