"""Calls: who sent the request that is being answered, whether the caller still waits, and what its answer reserves."""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field

import anyio

from schemas.api_keys import SCOPES, Scope

from .answer_room import AnswerRoom, Part
from .middleware.asgi import Application, Message, Receive, Send
from .middleware.asgi import Scope as AsgiScope
from .middleware.counted_callers import limited_caller, scopes_of


async def _never() -> bool:
    return False


@dataclass(slots=True)
class Call:
    """One request while it is answered."""

    caller: str | None = None  # under which it is counted; none for this machine where no keys are required
    scopes: frozenset[Scope] = frozenset(SCOPES)
    has_left: Callable[[], Awaitable[bool]] = _never
    is_followed: bool = False  # whether its reservations are returned when its answer has been sent
    _parts: list[Part] = field(default_factory=list)

    async def reserve(self, room: AnswerRoom, n_bytes: int) -> Part:
        """Wait for this number of bytes, which are the call's until its answer has been sent."""
        part = await room.take(n_bytes, self.has_left, self.caller)
        self._parts.append(part)
        return part

    def give_back(self) -> None:
        """Return all that was reserved."""
        while self._parts:
            self._parts.pop().give_back()


_CURRENT: ContextVar[Call | None] = ContextVar("current_call", default=None)


def current_call() -> Call:
    """Return the call that is being answered; one of this machine's own outside of requests."""
    return _CURRENT.get() or Call()


class Calls:
    """Lets the application behind know which call it answers."""

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        call = Call(limited_caller(scope), scopes_of(scope), _has_left(receive), is_followed=True)
        token = _CURRENT.set(call)
        try:
            await self._app(scope, receive, send)
        finally:
            call.give_back()
            _CURRENT.reset(token)


def _has_left(receive: Receive) -> Callable[[], Awaitable[bool]]:
    """Return a function that returns whether the caller has disconnected, once the body was read."""

    async def has_left() -> bool:
        message: Message = {"type": ""}
        with anyio.CancelScope() as scope:
            scope.cancel()  # it returns at once where there is no message
            message = await receive()
        return bool(message["type"] == "http.disconnect")

    return has_left
