"""Metering: every request is counted, timed, and noted for the access log."""

from collections.abc import Awaitable, Callable
from time import perf_counter, time
from typing import NamedTuple

from ..request_records import RequestRecords, RouteRecord
from .asgi import Application, Message, Receive, Scope, Send

_FAILED = 500
_NO_ANSWER = 499  # the caller went away before there was one


class AnsweredRequest(NamedTuple):
    """What the access log says of a request: neither query, headers nor body."""

    time: float  # when it was answered, since 1970
    request_id: str | None
    key_id: str | None  # of the caller's key, never the secret
    method: str
    route: str  # the path's template
    path: str
    status: int
    seconds: float


NoteRequest = Callable[[AnsweredRequest], None]
"""Takes note of an answered request; called on the event loop, so it must not wait for anything."""


class Metering:
    """Count what passes.

    Parameters
    ----------
    app
        What is behind.
    records
        Where requests are counted.
    note
        Takes note of each answered request.
    """

    def __init__(self, app: Application, records: RequestRecords, note: NoteRequest | None = None) -> None:
        self._app = app
        self._records = records
        self._note = note

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        record = self._records.of(scope["method"], scope["path"])
        status = _NO_ANSWER

        def send_noticed(message: Message) -> Awaitable[None]:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            return send(message)

        record.n_in_flight += 1
        began = perf_counter()
        try:
            await self._app(scope, receive, send_noticed)
        except Exception:
            # The server answers in its place.
            status = _FAILED if status == _NO_ANSWER else status
            raise
        finally:
            seconds = perf_counter() - began
            record.n_in_flight -= 1
            record.add(status, seconds)
            if self._note is not None:
                self._note(_answered(scope, record, status, seconds))


def _answered(scope: Scope, record: RouteRecord, status: int, seconds: float) -> AnsweredRequest:
    caller = scope.get("caller")
    key_id = None if caller is None else caller.key_id
    names = scope.get("request_id"), key_id, record.method, record.route, scope["path"]
    return AnsweredRequest(time(), *names, status, seconds)
