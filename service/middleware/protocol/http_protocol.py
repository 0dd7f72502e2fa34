"""The uvicorn protocol: headers that come too slowly, in too great a number, or over too many connections are refused.

uvicorn alone waits forever for the end of a request's headers. Requests beyond what can be answered soon are marked
here, where they can be counted before their turn has come, and refused by ``limits.Surplus``.
"""

import asyncio
import resource
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from contextvars import Context
from functools import partial
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from ...admission.rounds import Rounds
from ..admission.bodies import CUT_OFF
from ..admission.current_calls import OTHERS_WAIT
from ..admission.limits import SURPLUS, TOO_MANY_CONNECTIONS, TOO_MANY_OF_CALLER, TOO_MANY_WAIT, ConnectionLimits
from ..asgi import PROBLEM_TYPE, Application, Receive, Scope, Send, problem_answer

_SURPLUS_HEADER_SECONDS = 2.0
_OPEN_FILES = 65_536
_CALLERS = 8  # of whom each has an eighth of the places, whoever fills them all
_MOST_NEXT = 24  # some 15 ms of explanations; each look at other threads and sockets comes after as many


def uvicorn_options(limits: ConnectionLimits) -> dict[str, Any]:
    """Return the arguments that make ``uvicorn.Config`` serve through the guarded protocol, without its extras."""
    return {
        "http": guarded_protocol(limits),
        "ws": "none",
        "loop": "auto",
        "server_header": False,
        "access_log": False,
        "proxy_headers": False,
    }


def allow_many_connections() -> None:
    """Raise this process's limit of open files as far as allowed: each connection is one, and 1,024 is common."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def guarded_protocol(limits: ConnectionLimits) -> type[HttpToolsProtocol]:
    """Return the protocol class of one server; its connections are counted together."""
    addresses: Counter[str] = Counter()
    turns = _Turns()

    class GuardedProtocol(_GuardedProtocol):
        _limits = limits
        _n_open = addresses
        _turns = turns

    return GuardedProtocol


class _Turns:
    """Requests that wait for their turns: a caller with many of them delays another by one of its own.

    The event loop answers what is quick in the order in which it begins, so few may begin before their turn. Those that
    follow are chosen when these are answered: until then a caller with few connections has sent none for most of them.
    """

    __slots__ = ("_n_begun", "_n_next", "_n_of_caller", "_waiting", "n_waiting")

    def __init__(self) -> None:
        self.n_waiting = 0
        self._n_of_caller: Counter[object] = Counter()
        self._n_next = 0  # of these, those that the event loop has in its own order already
        self._n_begun = 0  # of these, those that have begun, and that none follows yet
        self._waiting = Rounds[object, Callable[[], None]]()

    def add(self, caller: object, begin: Callable[[], None]) -> None:
        """Have a request begin in its caller's turn; whatever begins calls ``come``."""
        self.n_waiting += 1
        self._n_of_caller[caller] += 1
        if self._n_next < _MOST_NEXT:
            self._n_next += 1
            begin()
        else:
            self._waiting.add(caller, begin)

    def surplus(self, caller: object, n_places: int) -> str | None:
        """Return why a request has no place: because of all that wait, or of this caller's; ``None`` where it has one.

        A caller may fill all places, but takes none from others: those who have few have as many again.
        """
        if self.n_waiting < n_places:
            return None
        n_own = self._n_of_caller[caller]
        if _CALLERS * n_own < n_places and self.n_waiting < 2 * n_places:
            return None
        return TOO_MANY_OF_CALLER if 2 * n_own >= n_places else TOO_MANY_WAIT

    def come(self, caller: object) -> None:
        """Count one that has begun, and have another follow soon."""
        self.n_waiting -= 1
        self._n_of_caller[caller] -= 1
        if not self._n_of_caller[caller]:
            del self._n_of_caller[caller]
        if not self._waiting:
            self._n_next -= 1
            return
        self._n_begun += 1
        if self._n_begun == 1:
            # Two passes of the event loop: in the first, those that are computed together are answered.
            loop = asyncio.get_running_loop()
            loop.call_soon(partial(loop.call_soon, self._follow, context=Context()))

    def _follow(self) -> None:
        """Have as many begin as have begun; their context has nothing of the requests before them."""
        n_begun, self._n_begun = self._n_begun, 0
        for _ in range(n_begun):
            following = self._waiting.take()
            if following is None:
                self._n_next -= 1
            else:
                following[1]()


class _GuardedProtocol(HttpToolsProtocol):
    """One connection.

    It waits for headers at first, and again from the end of a response or the start of the next request; while it
    does, a timer runs from the first byte on.
    """

    _limits: ConnectionLimits
    _n_open: Counter[str]
    _turns: _Turns
    _timer: asyncio.TimerHandle | None = None
    _waits_for_headers = True
    _n_overhead_bytes = 0  # of the request, not of its body
    _is_counted = False
    _is_surplus = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        if self.client is not None:
            n_open, n_allowed = self._n_open[self.client[0]], self._limits.n_connections_per_address
            if n_open >= 2 * n_allowed:
                transport.abort()
                return
            self._is_surplus = n_open >= n_allowed
            self._n_open[self.client[0]] += 1
            self._is_counted = True
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        if self._is_counted and self.client is not None:
            self._n_open[self.client[0]] -= 1
            if not self._n_open[self.client[0]]:
                del self._n_open[self.client[0]]
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self._n_overhead_bytes += len(data)
        super().data_received(data)
        if self._n_overhead_bytes > self._limits.n_header_bytes:
            self._refuse(f"headers, trailers and chunk sizes may have {self._limits.n_header_bytes:,} bytes")
        elif self._waits_for_headers and self._timer is None:
            self._start_timer()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._waits_for_headers = True

    def on_headers_complete(self) -> None:
        self._waits_for_headers = False
        self._n_overhead_bytes = 0
        self._stop_timer()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        # Chunks of a byte each have several bytes around it: each byte of the body pays for some.
        self._n_overhead_bytes = max(0, self._n_overhead_bytes - 16 * len(body))
        super().on_body(body)

    def on_response_complete(self) -> None:
        self._waits_for_headers = True
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(f"{msg.rstrip('.')}: it is malformed, or its length is stated twice")

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:  # as uvicorn has it
        cycle.scope[CUT_OFF] = self.transport.abort  # type: ignore[literal-required]  # ours
        if cycle.scope["method"] != "HEAD":
            cycle.transport = _HeadWithBody(self.transport, self.loop)  # type: ignore[assignment]  # what it uses of one
        caller = self._caller(cycle.scope["headers"])
        surplus = TOO_MANY_CONNECTIONS if self._is_surplus else self._turns.surplus(caller, self._limits.n_waiting)
        if surplus is not None:
            # To refuse takes less than to remember it, and no place of those who wait.
            cycle.scope[SURPLUS] = surplus  # type: ignore[literal-required]  # ours
            super()._start_asgi_task(cycle, app)
            return
        begin = partial(super()._start_asgi_task, cycle, _Turn(self._turns, caller, app))  # type: ignore[arg-type]  # less strict
        self._turns.add(caller, begin)

    def _caller(self, headers: Iterable[tuple[bytes, bytes]]) -> object:
        """Return whose turn it is: that of the key that is shown, which nobody has looked at, or of an address."""
        for name, value in headers:
            if name == b"authorization":
                return value
        return self.client and self.client[0]

    def _refuse(self, detail: str, code: str = "bad_request") -> None:
        """Answer below the application, which the request never reaches."""
        if self.transport.is_closing():
            return
        request_id = secrets.token_hex(16)
        status, body = problem_answer(code, detail, request_id)
        lines = [
            STATUS_LINE[status],
            b"content-type: ",
            PROBLEM_TYPE,
            b"\r\ncontent-length: ",
            str(len(body)).encode(),
            b"\r\nx-request-id: ",
            request_id.encode(),
            b"\r\nx-content-type-options: nosniff\r\ncache-control: no-store\r\nconnection: close\r\n\r\n",
            body,
        ]
        self.transport.write(b"".join(lines))
        self.transport.close()

    def _start_timer(self) -> None:
        seconds = self._limits.header_seconds
        if self._is_surplus:
            seconds = min(seconds, _SURPLUS_HEADER_SECONDS)
        self._timer = self.loop.call_later(seconds, self._headers_are_late)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _headers_are_late(self) -> None:
        self._timer = None
        if self.cycle is not None and not self.cycle.response_complete:
            # The request before this one is still being answered.
            self._start_timer()
            return
        self._refuse(f"the request's headers were not there after {self._limits.header_seconds:g} s", "body_timeout")


class _HeadWithBody:
    """The transport of one response, which sends its head together with the first block of its body.

    Each write is a packet of its own, and wakes up the caller. Where no block follows at once, as in a stream of
    events, the head does not wait for it.
    """

    __slots__ = ("_has_begun", "_head", "_loop", "_transport", "is_closing")

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._head = b""  # not sent yet
        self._has_begun = False
        self.is_closing = transport.is_closing

    def write(self, data: bytes) -> None:
        if self._has_begun:
            head, self._head = self._head, b""
            self._transport.write(head + data)
        else:
            self._has_begun, self._head = True, data
            self._loop.call_soon(self._send_head)

    def close(self) -> None:
        self._send_head()
        self._transport.close()

    def _send_head(self) -> None:
        if self._head and not self._transport.is_closing():
            self.write(b"")


class _Turn:
    """The application, which says when a request's turn has come."""

    __slots__ = ("_app", "_caller", "_turns")

    def __init__(self, turns: _Turns, caller: object, app: Application) -> None:
        self._turns = turns
        self._caller = caller
        self._app = app

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        self._turns.come(self._caller)
        scope[OTHERS_WAIT] = self._turns.n_waiting > 0
        return self._app(scope, receive, send)
