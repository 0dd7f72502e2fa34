"""BodyGuard: bodies that are too large, too slow, compressed or too many are refused before they are read whole."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic

from .asgi import Application, Message, Receive, Scope, Send
from .refusing import refuse_and_close, retry_after
from .waiting import wait_at_most

_DISCONNECT = {"type": "http.disconnect"}
_MAX_LENGTH_DIGITS = 18
_SMALL_BYTES = 64 * 1024  # a connection holds as much in any case
_BUSY_SECONDS = 1


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """How large bodies may be, and how long they may take."""

    n_bytes: int = 8 * 1024**2
    n_bytes_of_path: Mapping[str, int] = field(
        default_factory=dict
    )  # exact paths that take more, such as uploads, which wait on disk
    seconds: float = 30  # in which a body must have come, or between two parts of a longer one
    n_bytes_per_second: int = 64 * 1024  # a body that keeps this pace may take longer
    answer_seconds: float = 30  # by which callers may be behind this pace in taking their answers
    n_bytes_held: int = 256 * 1024**2  # of all bodies in memory that are not small, coming in or being answered

    def of(self, path: str) -> int:
        """Return the largest body for a path."""
        return self.n_bytes_of_path.get(path, self.n_bytes)


class BodyGuard:
    """Refuse bodies by their headers and, where those say nothing, while they come in.

    - ``Content-Encoding``: 415, never decoded.
    - more bytes than the path may have: 413, from ``Content-Length`` or while streaming.
    - not there in time: 408.
    - more bytes than all bodies in memory may have together: 503. A body that is alone may be larger.

    The connection is closed after each of them. To the application, a body refused on the way looks like a caller
    who has gone, and what it answers then is dropped.
    """

    def __init__(self, app: Application, limits: BodyLimits) -> None:
        self._app = app
        self._limits = limits
        self._room = _Room(limits.n_bytes_held)

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
                length = b""  # not known
            elif name == b"content-encoding" and value.strip().lower() != b"identity":
                await _refuse_encoding(scope, receive, send)
                return
        if length == b"0":
            await self._app(scope, receive, send)
            return
        body = _Body(scope, receive, send, self._limits, self._room)
        if _exceeds(length, body.limit):
            await body.refuse_size()
            return
        await body.run(self._app)


def _exceeds(length: bytes, limit: int) -> bool:
    # Python refuses to read numbers of thousands of digits.
    return len(length) > _MAX_LENGTH_DIGITS or (length.isdigit() and int(length) > limit)


async def _refuse_encoding(scope: Scope, receive: Receive, send: Send) -> None:
    detail = "compressed bodies (Content-Encoding) are not read; send the body as it is"
    await refuse_and_close(scope, send, "unsupported_media_type", detail, drain=receive)


class _Room:
    """How many bytes of bodies are in memory; small bodies are not counted."""

    __slots__ = ("_n_bytes", "_n_taken")

    def __init__(self, n_bytes: int) -> None:
        self._n_bytes = n_bytes
        self._n_taken = 0

    def take(self, n_bytes: int, n_held: int) -> bool:
        """Take more for a body that holds some already, if there is as much, or if there is no other body."""
        if self._n_taken > n_held and self._n_taken + n_bytes > self._n_bytes:
            return False
        self._n_taken += n_bytes
        return True

    def give_back(self, n_bytes: int) -> None:
        """Give back what was taken."""
        self._n_taken -= n_bytes


class _Body:
    """The body of one request on its way in."""

    __slots__ = (
        *("_is_in_memory", "_is_refused", "_is_whole", "_limits", "_n_bytes", "_n_held", "_receive", "_room"),
        *("_scope", "_send", "_start", "limit"),
    )

    def __init__(self, scope: Scope, receive: Receive, send: Send, limits: BodyLimits, room: _Room) -> None:
        self._scope = scope
        self._receive = receive
        self._send = send
        self._limits = limits
        self._room = room
        self._start = monotonic()
        self._n_bytes = 0
        self._n_held = 0
        self._is_whole = False
        self._is_refused = False
        self._is_in_memory = scope["path"] not in limits.n_bytes_of_path
        self.limit = limits.of(scope["path"])

    async def run(self, app: Application) -> None:
        """Run the application on this body."""
        try:
            await app(self._scope, self.receive, self.send)
        except Exception:
            # It may be upset about the caller who left; the caller has an answer.
            if not self._is_refused:
                raise
        finally:
            if self._n_held:
                self._room.give_back(self._n_held)

    async def receive(self) -> Message:
        """Return the next part, or that the caller is gone once the body is refused."""
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
        if self._n_bytes > _SMALL_BYTES and self._is_in_memory and not self._finds_room():
            await self._refuse_crowd()
            return dict(_DISCONNECT)
        return message

    async def send(self, message: Message) -> None:
        """Pass the answer on, unless the body was refused."""
        if not self._is_refused:
            await self._send(message)

    async def refuse_size(self) -> None:
        """Answer that the body is too large."""
        self._is_refused = True
        detail = f"the body is larger than {self.limit:,} bytes, the limit of this path; send less at once"
        await refuse_and_close(self._scope, self._send, "body_too_large", detail, drain=self._rest())

    async def _refuse_crowd(self) -> None:
        self._is_refused = True
        detail = (
            f"other bodies have the {self._limits.n_bytes_held:,} bytes that all have in memory; send yours again in a "
            "moment"
        )
        headers = [retry_after(_BUSY_SECONDS)]
        await refuse_and_close(self._scope, self._send, "unavailable", detail, headers, drain=self._rest())

    async def _refuse_pace(self) -> Message:
        self._is_refused = True
        limits = self._limits
        detail = (
            f"the body was not there after {limits.seconds:g} s; send it faster, or at {limits.n_bytes_per_second:,} "
            "bytes a second at least"
        )
        await refuse_and_close(self._scope, self._send, "body_timeout", detail)
        return dict(_DISCONNECT)

    def _finds_room(self) -> bool:
        n_more = self._n_bytes - self._n_held
        has_room = self._room.take(n_more, self._n_held)
        self._n_held += n_more if has_room else 0
        return has_room

    def _rest(self) -> Receive | None:
        return None if self._is_whole else self._receive

    def _seconds_left(self) -> float:
        allowed = self._limits.seconds + self._n_bytes / self._limits.n_bytes_per_second
        return min(self._limits.seconds, self._start + allowed - monotonic())
