"""What a request costs a service: seconds of its processor, bytes of the answer, and how long others wait meanwhile."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread

import httpx

from tests.support.raw_http import NO_TLS

from .recipes import Request

_PATIENCE_SECONDS = 120
_SECONDS_BETWEEN_LOOKS = 0.002
_WITHOUT_END = "/events"
_CPU_CLOCK = 2  # of a whole process, in the lowest bits of the number of its clock


@dataclass(frozen=True)
class Costs:
    """What one request took."""

    status: int
    seconds: float  # of the service's processor
    answer_bytes: int
    wait_seconds: float  # the longest for an answer of `/livez` meanwhile, no longer than the service was at work


def processor_seconds(process: int) -> float:
    """Return how long a process was at work, in all its threads, whatever else the machine does."""
    return time.clock_gettime((~process << 3) | _CPU_CLOCK)


class Meter:
    """Sends requests to a service, one at a time, and measures them."""

    def __init__(self, url: str, process: int, headers: Mapping[str, str] | None = None) -> None:
        self._url = url
        self._process = process
        self._http = httpx.Client(base_url=url, headers=headers, verify=NO_TLS, timeout=_PATIENCE_SECONDS)

    def measure(self, request: Request) -> Costs:
        """Return what a request costs."""
        waits: list[float] = []
        with self._looking(waits):
            began = processor_seconds(self._process)
            status, n_bytes = self._send(request)
            seconds = processor_seconds(self._process) - began
        return Costs(status, seconds, n_bytes, max(waits, default=0.0))

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _send(self, request: Request) -> tuple[int, int]:
        sent = self._http.stream(request.method, request.target, headers=request.headers, content=request.body or None)
        with sent as answer:
            if request.target.partition("?")[0].endswith(_WITHOUT_END):
                return answer.status_code, 0
            return answer.status_code, sum(map(len, answer.iter_raw()))

    @contextmanager
    def _looking(self, waits: list[float]) -> Iterator[None]:
        is_over, has_begun = Event(), Event()

        def look() -> None:
            with httpx.Client(base_url=self._url, verify=NO_TLS, timeout=_PATIENCE_SECONDS) as http:
                http.get("/livez")  # connects
                has_begun.set()
                while not is_over.wait(_SECONDS_BETWEEN_LOOKS):
                    began, worked = time.perf_counter(), processor_seconds(self._process)
                    http.get("/livez")
                    waits.append(min(time.perf_counter() - began, processor_seconds(self._process) - worked))

        looking = Thread(target=look)
        looking.start()
        has_begun.wait()
        try:
            yield
        finally:
            is_over.set()
            looking.join()
