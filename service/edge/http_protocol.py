"""The uvicorn protocol: headers that come too slowly, in too great a number, or over too many connections are refused.

uvicorn alone waits for ever for the end of a request's headers.
"""

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from .asgi import PROBLEM_TYPE, problem_answer
from .request_id import new_request_id


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """What one connection, and one address, may take."""

    header_seconds: float = 10  # from the first byte, or the connection, to the end of the headers
    n_header_bytes: int = 64 * 1024
    n_connections_per_address: int = 256  # behind a proxy, all callers have its address


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


def guarded_protocol(limits: ConnectionLimits) -> type[HttpToolsProtocol]:
    """Return the protocol class of one server; its connections are counted together."""
    addresses: Counter[str] = Counter()

    class GuardedProtocol(_GuardedProtocol):
        _limits = limits
        _n_open = addresses

    return GuardedProtocol


class _GuardedProtocol(HttpToolsProtocol):
    """One connection.

    It waits for headers at first, and again from the end of an answer or the begin of the next request; while it
    does, a timer runs from the first byte on.
    """

    _limits: ConnectionLimits
    _n_open: Counter[str]
    _timer: asyncio.TimerHandle | None = None
    _waits_for_headers = True
    _n_overhead_bytes = 0  # of the request, not of its body
    _is_counted = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        if self.client is not None:
            if self._n_open[self.client[0]] >= self._limits.n_connections_per_address:
                transport.abort()
                return
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

    def _refuse(self, detail: str, code: str = "bad_request") -> None:
        """Answer below the application: the request never got that far."""
        if self.transport.is_closing():
            return
        request_id = new_request_id()
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
        self._timer = self.loop.call_later(self._limits.header_seconds, self._headers_are_late)

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
