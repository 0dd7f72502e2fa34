"""AnswerGuard: answers go out in blocks, and whoever takes them too slowly is cut off."""

import asyncio
from time import monotonic

from .asgi import Application, Message, Receive, Scope, Send
from .body_guard import BodyLimits
from .waiting import wait_at_most

CUT_OFF = "leafspace.cut_off"
"""Where a request has what ends its connection at once, whatever still waits there to be sent."""
_BLOCK_BYTES = 64 * 1024  # a connection holds as much in any case
_BODY = "http.response.body"


class AnswerGuard:
    """Send answers block by block, each when the caller has taken most of the one before.

    So an answer is under way, with all that was taken for it, until its caller has it. Callers who fall behind the
    pace of ``BodyLimits`` by ``answer_seconds`` are cut off: the connection is closed at once, and nobody waits for
    what was sent to be read.
    """

    def __init__(self, app: Application, limits: BodyLimits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http":
            send = _Answer(scope, send, self._limits).send
        await self._app(scope, receive, send)


class _Answer:
    """One answer on its way out."""

    __slots__ = ("_is_cut_off", "_limits", "_scope", "_seconds_behind", "_send")

    def __init__(self, scope: Scope, send: Send, limits: BodyLimits) -> None:
        self._scope = scope
        self._send = send
        self._limits = limits
        self._seconds_behind = 0.0
        self._is_cut_off = False

    async def send(self, message: Message) -> None:
        """Pass a message on, in blocks if it is long; nothing is passed on to those who were cut off."""
        body = message.get("body", b"")
        if len(body) <= _BLOCK_BYTES:
            await self._pass_on(message)
            return
        for start in range(0, len(body), _BLOCK_BYTES):
            await self._pass_on({"type": _BODY, "body": body[start : start + _BLOCK_BYTES], "more_body": True})
        # What is sent next is waited for: only then most of the last block has been taken.
        await self._pass_on({"type": _BODY, "body": b"", "more_body": message.get("more_body", False)})

    async def _pass_on(self, message: Message) -> None:
        if self._is_cut_off:
            return
        began = monotonic()
        try:
            await wait_at_most(self._limits.answer_seconds - self._seconds_behind, self._forward(message))
        except TimeoutError:
            await self._cut_off()
        seconds_allowed = len(message.get("body", b"")) / self._limits.n_bytes_per_second
        self._seconds_behind = max(0.0, self._seconds_behind + monotonic() - began - seconds_allowed)

    async def _forward(self, message: Message) -> None:
        await self._send(message)

    async def _cut_off(self) -> None:
        self._is_cut_off = True
        if (cut_off := self._scope.get(CUT_OFF)) is not None:
            cut_off()
        await asyncio.sleep(0)  # so that the server knows before the application has ended
