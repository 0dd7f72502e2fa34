"""A load of identical POST requests over kept-alive connections, with as little of its own work as can be.

Closed loop: each connection sends its next request when the last one is answered. Open loop: requests are sent at fixed
times, whether those before are answered or not, and latencies count from those times.
"""

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

_OK = 200
_REFUSED = frozenset({429, 503})
_PATIENCE_SECONDS = 60.0


@dataclass(frozen=True)
class Load:
    """What a load found."""

    seconds: float
    latencies: NDArray[np.float64]  # (n_requests,) seconds, of those that were answered with 200
    refusals: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))  # the same of 429 and 503
    n_unanswered: int = 0
    n_without_retry_after: int = 0  # among refusals

    @property
    def requests_per_second(self) -> float:
        """Answers over wall-clock time, all connections together."""
        return len(self.latencies) / self.seconds

    def quantile_ms(self, share: float) -> float:
        """Latency in milliseconds that this share of requests stays within."""
        return float(np.quantile(self.latencies, share) * 1000)


def post_request(host: str, port: int, path: str, body: bytes, key: str | None = None) -> bytes:
    """Return the bytes of a POST request with a JSON body, and with a key where there is one."""
    head = f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
    head += f"Authorization: Bearer {key}\r\n" if key is not None else ""
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def run_load(
    host: str, port: int, request: bytes, *, n_connections: int, seconds: float, may_refuse: bool = False
) -> Load:
    """Send the request again and again, in a closed loop; every answer must be a 200.

    Where the service ``may_refuse``, 429 and 503 are answers, too; a client that gets one waits for its `Retry-After`.
    """
    return asyncio.run(closed_load(host, port, request, n_connections, seconds, may_refuse=may_refuse))


def run_open_load(host: str, port: int, request: bytes, *, per_second: float, seconds: float) -> Load:
    """Send the request at fixed times, over as many connections as it takes; every answer must be a 200."""
    return asyncio.run(_run_open(host, port, request, per_second, seconds))


async def closed_load(  # what is sent, where, how often and for how long
    host: str,
    port: int,
    request: bytes,
    n_connections: int,
    seconds: float,
    *,
    may_refuse: bool,
    pause_seconds: float = 0.0,
) -> Load:
    """Do the same as ``run_load`` on the running event loop; each client pauses after each answer."""
    tally = _Tally(may_refuse=may_refuse)
    start = time.perf_counter()
    clients = (_send_until(host, port, request, start + seconds, pause_seconds, tally) for _ in range(n_connections))
    await asyncio.gather(*clients)
    return tally.load(time.perf_counter() - start)


async def _send_until(
    host: str, port: int, request: bytes, until: float, pause_seconds: float, tally: "_Tally"
) -> None:
    connection = await _connect(host, port)
    while time.perf_counter() < until:
        if connection.is_closed:
            connection = await _connect(host, port)
        pause = pause_seconds + await tally.send(connection, request, time.perf_counter())
        if pause:
            await asyncio.sleep(pause)
    connection.close()


async def _run_open(host: str, port: int, request: bytes, per_second: float, seconds: float) -> Load:
    tally, free = _Tally(may_refuse=False), list[_Connection]()
    start, under_way = time.perf_counter(), set[asyncio.Task[None]]()

    async def send(intended: float) -> None:
        connection = free.pop() if free else await _connect(host, port)
        await tally.send(connection, request, intended)
        free.append(connection)

    for number in range(int(per_second * seconds)):
        intended = start + number / per_second
        await asyncio.sleep(max(0.0, intended - time.perf_counter()))
        task = asyncio.create_task(send(intended))
        under_way.add(task)
        task.add_done_callback(under_way.discard)
    await asyncio.gather(*under_way)
    for connection in free:
        connection.close()
    return tally.load(time.perf_counter() - start)


async def _connect(host: str, port: int) -> "_Connection":
    return (await asyncio.get_running_loop().create_connection(_Connection, host, port))[1]


class _Tally:
    """What was found so far."""

    def __init__(self, *, may_refuse: bool) -> None:
        self._may_refuse = may_refuse
        self._latencies: dict[bool, list[float]] = {True: [], False: []}
        self._counts: Counter[str] = Counter()

    async def send(self, connection: "_Connection", request: bytes, since: float) -> float:
        """Send a request; return how long the answer requires to wait."""
        try:
            status, retry_after = await asyncio.wait_for(connection.send(request), _PATIENCE_SECONDS)
        except (OSError, TimeoutError):
            if not self._may_refuse:
                raise
            self._counts["unanswered"] += 1
            return 0.0
        if status != _OK and not (self._may_refuse and status in _REFUSED):
            message = f"the service answered {status}"
            raise RuntimeError(message)
        self._latencies[status == _OK].append(time.perf_counter() - since)
        if status == _OK:
            return 0.0
        self._counts["without"] += retry_after is None
        return retry_after or 0.0

    def load(self, seconds: float) -> Load:
        """Return the whole."""
        found = {is_ok: np.array(latencies) for is_ok, latencies in self._latencies.items()}
        return Load(seconds, found[True], found[False], self._counts["unanswered"], self._counts["without"])


class _Connection(asyncio.Protocol):
    """Sends one request at a time."""

    def __init__(self) -> None:
        self._received = b""
        self._answer: asyncio.Future[tuple[int, float | None]] | None = None
        self.is_closed = False

    def send(self, request: bytes) -> "asyncio.Future[tuple[int, float | None]]":
        """Send a request; return its status, and the seconds of ``Retry-After``."""
        self._received = b""
        self._answer = asyncio.get_running_loop().create_future()
        if self.is_closed:
            self._answer.set_exception(ConnectionError("the server closed the connection"))
        else:
            self._transport.write(request)
        return self._answer

    def close(self) -> None:
        """Close the connection."""
        self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head_end = self._received.find(b"\r\n\r\n")
        if head_end < 0 or self._answer is None or self._answer.done():
            return
        head = self._received[:head_end].lower()
        if len(self._received) < head_end + 4 + int(_header(head, b"content-length") or 0):
            return
        retry_after = _header(head, b"retry-after")
        self._answer.set_result((int(head[9:12]), None if retry_after is None else float(retry_after)))

    def connection_lost(self, exception: Exception | None) -> None:
        self.is_closed = True
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(exception or ConnectionError("the server closed the connection"))


def _header(head: bytes, name: bytes) -> bytes | None:
    start = head.find(b"\r\n" + name + b":")
    if start < 0:
        return None
    start += len(name) + 3
    end = head.find(b"\r\n", start)
    return head[start : end if end >= 0 else None].strip()
