"""What it costs to watch the service: the event loop's share of a request, a line of the access log, a scrape.

Processor time of this process alone, so that neighbours on the machine trouble it little.
``python -m benchmarks.metering``
"""

import asyncio
import io
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from service.app_context import build_context
from service.background.access_log import AccessLog
from service.draining import Draining
from service.main import _PATHS
from service.metrics import Metrics
from service.middleware.asgi import Application, Message, Receive, Scope, Send
from service.middleware.protocol.response_head import ResponseHead
from service.middleware.telemetry.metering import AnsweredRequest, Metering, RequestRecords
from service.settings import ServiceSettings
from storage.job_counts import EndedJobs

from .machine import describe_machine

N_REQUESTS, N_TURNS, N_LINES = 50_000, 7, 20_000
_PATH = "/v1/explainers/xpl_aaaaaaaaaaaaaaaaaaaaaaaaaa/explanations"
_SCOPE: dict[str, object] = {"type": "http", "method": "POST", "path": _PATH, "headers": []}


async def answer(_scope: Scope, _receive: Receive, send: Send) -> None:
    """Answer with nothing."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def receive() -> Message:
    """Have nothing to say."""
    return {"type": "http.disconnect"}


async def send(_message: Message) -> None:
    """Take anything."""


def main() -> None:
    """Measure and print."""
    print(describe_machine())
    records = RequestRecords(_PATHS)
    applications = answer, Metering(answer, records), Metering(answer, records, AccessLog().note)
    # Behind what gives requests their ids, as in the service; its own cost is in all three.
    behind = [ResponseHead(app, Draining()) for app in applications]
    bare, counted, noted = (min(_microseconds(app) for _ in range(N_TURNS)) for app in behind)
    print(f"a request on the event loop: {counted - bare:.2f} us to be counted and timed,")
    print(f"  {noted - bare:.2f} us with a note for the access log")
    print(f"a line of the access log, in its thread: {_line_microseconds():.2f} us")
    print(f"a scrape when every route was called: {_scrape_milliseconds(records):.2f} ms, in a thread, in small pieces")


def _microseconds(app: Application) -> float:
    async def run() -> float:
        began = time.process_time()
        for _ in range(N_REQUESTS):
            await app(_SCOPE, receive, send)
        return (time.process_time() - began) / N_REQUESTS * 1e6

    return asyncio.run(run())


def _line_microseconds() -> float:
    log = AccessLog()
    for _ in range(N_LINES):
        log.note(AnsweredRequest(0.0, "0123456789abcdef-00000001", None, "POST", _PATH, _PATH, 200, 0.0))
    shown, sys.stderr = sys.stderr, io.TextIOWrapper(Path(os.devnull).open("wb"))  # noqa: SIM115  # closed with it
    try:
        return _processor_seconds(log._write) / N_LINES * 1e6  # noqa: SLF001  # measured without its thread
    finally:
        sys.stderr.close()
        sys.stderr = shown


def _scrape_milliseconds(records: RequestRecords) -> float:
    for path in _PATHS:
        for method in ("GET", "POST"):
            for status in (200, 404, 503):
                records.of(method, path).add(status, 0.003)
    with tempfile.TemporaryDirectory() as folder:
        context = build_context(ServiceSettings(data_dir=Path(folder), redis_url="redis://127.0.0.1:1/0"))
        metrics = Metrics(context, records, EndedJobs(context.background_database))
        metrics.text()
        milliseconds = min(_processor_seconds(metrics.text) for _ in range(N_TURNS)) * 1e3
        context.close()
        return milliseconds


def _processor_seconds(work: Callable[[], object]) -> float:
    began = time.thread_time()
    work()
    return time.thread_time() - began


if __name__ == "__main__":
    main()
