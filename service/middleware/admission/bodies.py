"""Bodies on their way in and out: too large, too slow, compressed or too many at once.

``BodyGuard`` refuses the bodies of requests before they are read whole; ``AnswerGuard`` sends answers in blocks and
disconnects callers that read them too slowly. Both keep the same pace, that of ``BodyLimits``.
"""

import asyncio
import types
from collections.abc import Awaitable, Coroutine, Generator, Mapping
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any, TypeVar

from ...admission.quota import Quota
from ..asgi import Application, Message, Receive, Scope, Send, is_json, refuse_and_close, retry_after

CUT_OFF = "leafspace.cut_off"
"""Where a request has the function that closes its connection at once, whatever is still waiting to be sent."""
Result = TypeVar("Result")
_DISCONNECT = {"type": "http.disconnect"}
_BODY = "http.response.body"
_MAX_LENGTH_DIGITS = 18
_BLOCK_BYTES = 64 * 1024  # a connection buffers this much in any case
_BUSY_SECONDS = 1


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """How large bodies may be, and how long they may take, in both directions."""

    n_bytes: int = 8 * 1024**2
    # Exact paths that accept more, such as uploads, which are spooled to disk.
    n_bytes_of_path: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 30  # until a body is complete, or between two parts of a longer one
    n_bytes_per_second: int = 64 * 1024  # a body that keeps this pace may take longer
    answer_seconds: float = 30  # by which callers may be behind this pace in reading answers
    n_bytes_held: int = 256 * 1024**2  # of all larger bodies in memory, coming in or being answered

    def of(self, path: str) -> int:
        """Return the largest body for a path."""
        return self.n_bytes_of_path.get(path, self.n_bytes)


class BodyGuard:
    """Refuse bodies by their headers or, where those are silent, while they arrive.

    - ``Content-Encoding``: 415, never decoded.
    - more bytes than the path accepts: 413, from ``Content-Length`` or while streaming.
    - not complete in time: 408.
    - more bytes than all bodies in memory may have together: 503. A single body may be larger.

    The connection is closed after each of them. To the application, a body that is refused while it comes in looks
    like a caller that has disconnected; what it answers then is dropped.
    """

    def __init__(self, app: Application, limits: BodyLimits) -> None:
        self._app = app
        self._limits = limits
        self._held = Quota(limits.n_bytes_held)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        length = b"0"
        for name, value in scope["headers"]:
            if name == b"content-length":
                length = value
            elif name == b"transfer-encoding":
                length = b""  # unknown
            elif name == b"content-encoding" and value.strip().lower() != b"identity":
                await _refuse_encoding(scope, receive, send)
                return
        if length == b"0":
            await self._app(scope, receive, send)
            return
        body = _Body(scope, receive, send, self._limits, self._held)
        # Python refuses to read numbers of thousands of digits.
        if len(length) > _MAX_LENGTH_DIGITS or (length.isdigit() and int(length) > body.limit):
            await body.refuse_size()
            return
        await body.run(self._app)


async def _refuse_encoding(scope: Scope, receive: Receive, send: Send) -> None:
    detail = "compressed bodies (Content-Encoding) are not read; send the body as it is"
    await refuse_and_close(scope, send, "unsupported_media_type", detail, drain=receive)


class _Body:
    """The body of one request while it comes in."""

    __slots__ = (
        *("_is_in_memory", "_is_refused", "_is_whole", "_limits", "_n_bytes", "_n_held", "_receive", "_held"),
        *("_scope", "_send", "_start", "limit"),
    )

    def __init__(self, scope: Scope, receive: Receive, send: Send, limits: BodyLimits, held: Quota) -> None:
        self._scope = scope
        self._receive = receive
        self._send = send
        self._limits = limits
        self._held = held  # by all larger bodies in memory
        self._start = monotonic()
        self._n_bytes = 0
        self._n_held = 0
        self._is_whole = False
        self._is_refused = False
        # Uploads are forms; JSON to the same paths is read as all JSON is.
        self._is_in_memory = scope["path"] not in limits.n_bytes_of_path or is_json(scope)
        self.limit = limits.n_bytes if self._is_in_memory else limits.of(scope["path"])

    async def run(self, app: Application) -> None:
        """Run the application on this body."""
        try:
            await app(self._scope, self.receive, self.send)
        except Exception:
            # It may fail because the caller seems to have left; the caller has an answer.
            if not self._is_refused:
                raise
        finally:
            if self._n_held:
                self._held.take(None, -self._n_held)

    async def receive(self) -> Message:
        """Return the next part, or a disconnect once the body is refused."""
        if self._is_refused:
            return dict(_DISCONNECT)
        if self._is_whole:
            return await self._receive()
        try:
            message = await wait_at_most(self._seconds_left(), self._receive())
        except TimeoutError:
            return await self._refuse_pace()
        self._n_bytes += len(message.get("body", b""))
        self._is_whole = not message.get("more_body", False)
        if self._n_bytes > self.limit:
            await self.refuse_size()
            return dict(_DISCONNECT)
        if self._n_bytes > _BLOCK_BYTES and self._is_in_memory and not self._has_memory():
            await self._refuse_for_memory()
            return dict(_DISCONNECT)
        return message

    async def send(self, message: Message) -> None:
        """Forward the answer, unless the body was refused."""
        if not self._is_refused:
            await self._send(message)

    async def refuse_size(self) -> None:
        """Answer that the body is too large."""
        self._is_refused = True
        detail = f"the body is larger than {self.limit:,} bytes, the limit of this path; send less at once"
        await refuse_and_close(self._scope, self._send, "body_too_large", detail, drain=self._rest())

    async def _refuse_for_memory(self) -> None:
        self._is_refused = True
        detail = (
            f"other bodies take the {self._limits.n_bytes_held:,} bytes of memory for all bodies; send yours again "
            "in a moment"
        )
        headers = [retry_after(_BUSY_SECONDS)]
        await refuse_and_close(self._scope, self._send, "unavailable", detail, headers, drain=self._rest())

    async def _refuse_pace(self) -> Message:
        self._is_refused = True
        limits = self._limits
        detail = (
            f"the body was not complete after {limits.seconds:g} s; send it faster, at least at "
            f"{limits.n_bytes_per_second:,} bytes a second"
        )
        await refuse_and_close(self._scope, self._send, "body_timeout", detail)
        return dict(_DISCONNECT)

    def _has_memory(self) -> bool:
        n_more = self._n_bytes - self._n_held
        is_alone = self._held.total <= self._n_held
        if not (is_alone or self._held.fits(n_more)):
            return False
        self._held.take(None, n_more)
        self._n_held += n_more
        return True

    def _rest(self) -> Receive | None:
        return None if self._is_whole else self._receive

    def _seconds_left(self) -> float:
        allowed = self._limits.seconds + self._n_bytes / self._limits.n_bytes_per_second
        return min(self._limits.seconds, self._start + allowed - monotonic())


class AnswerGuard:
    """Send answers block by block, each when the caller has read most of the one before.

    An answer thus keeps the memory reserved for it until its caller has read it. Callers that fall behind the pace of
    ``BodyLimits`` by ``answer_seconds`` are cut off: the connection is closed at once, without waiting for them.
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
    """One answer while it is sent."""

    __slots__ = ("_is_cut_off", "_limits", "_scope", "_seconds_behind", "_send")

    def __init__(self, scope: Scope, send: Send, limits: BodyLimits) -> None:
        self._scope = scope
        self._send = send
        self._limits = limits
        self._seconds_behind = 0.0
        self._is_cut_off = False

    def send(self, message: Message) -> Awaitable[None]:
        """Forward a message, in blocks if it is long; nothing after the caller was disconnected."""
        is_short = len(message.get("body", b"")) <= _BLOCK_BYTES
        return self._pass_on(message) if is_short else self._send_in_blocks(message)

    async def _send_in_blocks(self, message: Message) -> None:
        body = message["body"]
        for start in range(0, len(body), _BLOCK_BYTES):
            await self._pass_on({"type": _BODY, "body": body[start : start + _BLOCK_BYTES], "more_body": True})
        # Sending this waits until most of the last block has been read.
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


async def wait_at_most(seconds: float, coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Return the result of the coroutine; raise ``TimeoutError`` when that takes longer.

    Most bodies arrive with their headers, and a timer for each would cost more than reading them: the coroutine is
    started first, and gets a timer only if it has to wait.
    """
    try:
        awaited = coroutine.send(None)
    except StopIteration as ended:
        result: Result = ended.value
        return result
    async with asyncio.timeout(seconds):
        return await _continue(coroutine, awaited)


@types.coroutine
def _continue(coroutine: Coroutine[Any, Any, Result], awaited: Any) -> Generator[Any, Any, Result]:  # a future
    """Continue a coroutine that has been started and waits for ``awaited``, as ``await`` would."""
    while True:
        try:
            sent = yield awaited
        except GeneratorExit:
            coroutine.close()
            raise
        except BaseException as error:  # noqa: BLE001  # the coroutine handles cancellation, too
            step = partial(coroutine.throw, error)
        else:
            step = partial(coroutine.send, sent)
        try:
            awaited = step()
        except StopIteration as ended:
            result: Result = ended.value
            return result
