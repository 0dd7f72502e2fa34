"""A load of identical POST requests over kept-alive connections, with as little of its own work as can be.

Each connection sends its next request when the last one is answered (closed loop).
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Load:
    """What a load found."""

    seconds: float
    latencies: NDArray[np.float64]  # (n_requests,) seconds

    @property
    def requests_per_second(self) -> float:
        """Answers over wall-clock time, all connections together."""
        return len(self.latencies) / self.seconds

    def quantile_ms(self, share: float) -> float:
        """Latency in milliseconds that this share of requests stays within."""
        return float(np.quantile(self.latencies, share) * 1000)


def post_request(host: str, port: int, path: str, body: bytes) -> bytes:
    """Return the bytes of a POST request with a JSON body."""
    head = f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def run_load(host: str, port: int, request: bytes, *, n_connections: int, seconds: float) -> Load:
    """Send the request again and again; every answer must be a 200."""
    return asyncio.run(_run(lambda: _Connection(request, seconds), host, port, n_connections))


async def _run(connection: Callable[[], "_Connection"], host: str, port: int, n_connections: int) -> Load:
    loop = asyncio.get_running_loop()
    start = time.perf_counter()
    opened = [await loop.create_connection(connection, host, port) for _ in range(n_connections)]
    latencies = await asyncio.gather(*(protocol.done for _, protocol in opened))
    return Load(time.perf_counter() - start, np.concatenate(latencies))


class _Connection(asyncio.Protocol):
    def __init__(self, request: bytes, seconds: float) -> None:
        self._request = request
        self._until = time.perf_counter() + seconds
        self._latencies: list[float] = []
        self._received = b""
        self.done: asyncio.Future[NDArray[np.float64]] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._send()

    def data_received(self, data: bytes) -> None:
        self._received += data
        head_end = self._received.find(b"\r\n\r\n")
        if head_end < 0 or len(self._received) < head_end + 4 + _content_length(self._received[:head_end]):
            return
        if not self._received.startswith(b"HTTP/1.1 200"):
            self.done.set_exception(RuntimeError(self._received[:500].decode()))
            return
        self._latencies.append(time.perf_counter() - self._sent_at)
        self._received = b""
        if time.perf_counter() < self._until:
            self._send()
        else:
            self._transport.close()
            self.done.set_result(np.array(self._latencies))

    def connection_lost(self, exception: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(exception or ConnectionError("the server closed the connection"))

    def _send(self) -> None:
        self._sent_at = time.perf_counter()
        self._transport.write(self._request)


def _content_length(head: bytes) -> int:
    lower = head.lower()
    start = lower.index(b"content-length:") + len(b"content-length:")
    end = lower.find(b"\r\n", start)
    return int(lower[start : end if end >= 0 else None])
