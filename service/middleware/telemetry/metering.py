"""Metering: every request is counted and timed by its route, and noted for the access log.

The records are plain numbers, changed by the event loop's thread alone and read by any: nothing to lock, a microsecond
for a request. ``service.metrics`` writes them for Prometheus.
"""

import asyncio
from bisect import bisect_left
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from time import perf_counter, time
from typing import Any, NamedTuple

from ..admission.limits import UPLOAD_PATHS
from ..asgi import Application, Message, Receive, Scope, Send, refuse_and_close, retry_after

_FAILED = 500
_NO_ANSWER = 499  # the caller went away before there was one
_STOPPED = "the service is about to stop, and this request was not finished in time; send it again"
_SECONDS_TO_RESTART = 5

OTHER = "other"
"""Represents every path and method that is not part of the API: callers must not be able to create labels."""

SECONDS_BOUNDS = (
    *(0.00025, 0.0005, 0.00075, 0.001, 0.0015, 0.002, 0.004, 0.008, 0.016, 0.032),
    *(0.064, 0.128, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0),
)
"""Upper bounds of the histogram of latencies, in seconds; an explanation takes between the first few of them."""

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_ANY = "{}"  # in the tree of segments: any segment
_VERB = ":"  # between a name and what is to be done with it: KServe's {name}:explain
_HERE = "/"  # in the tree of segments, where no segment has this name: the template that ends here


class AnsweredRequest(NamedTuple):
    """What the access log records of a request: neither query, headers nor body."""

    time: float  # when it was answered, since 1970
    request_id: str | None
    key_id: str | None  # of the caller's key, never the secret
    method: str
    route: str  # the path's template
    path: str
    status: int
    seconds: float


NoteRequest = Callable[[AnsweredRequest], None]
"""Records an answered request; called on the event loop, so it must not wait for anything."""


class Metering:
    """Count, time and note the requests that pass; those that the server cancels as it stops are answered with 503.

    Parameters
    ----------
    app
        The application behind.
    records
        Where they are counted.
    note
        Takes note of each answered request.
    """

    def __init__(self, app: Application, records: "RequestRecords", note: NoteRequest | None = None) -> None:
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

        def send_and_note_status(message: Message) -> Awaitable[None]:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            return send(message)

        record.n_in_flight += 1
        began = perf_counter()
        try:
            await self._app(scope, receive, send_and_note_status)
        except asyncio.CancelledError:
            if status != _NO_ANSWER:
                raise
            await refuse_and_close(
                scope, send_and_note_status, "unavailable", _STOPPED, [retry_after(_SECONDS_TO_RESTART)]
            )
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


def _answered(scope: Scope, record: "RouteRecord", status: int, seconds: float) -> AnsweredRequest:
    caller = scope.get("caller")
    key_id = None if caller is None else caller.key_id
    names = scope.get("request_id"), key_id, record.method, record.route, scope["path"]
    return AnsweredRequest(time(), *names, status, seconds)


class RouteRecord:
    """The requests of one route with one method."""

    __slots__ = ("method", "n_by_bucket", "n_by_status", "n_in_flight", "n_seconds", "route")

    def __init__(self, method: str, route: str) -> None:
        self.method = method
        self.route = route
        self.n_in_flight = 0
        self.n_by_status: Counter[int] = Counter()
        self.n_by_bucket = [0] * (len(SECONDS_BOUNDS) + 1)  # the last one: above all bounds
        self.n_seconds = 0.0

    def add(self, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        self.n_by_status[status] += 1
        self.n_by_bucket[bisect_left(SECONDS_BOUNDS, seconds)] += 1
        self.n_seconds += seconds


class RequestRecords:
    """The records of all routes, found by method and path.

    Parameters
    ----------
    templates
        The paths of the API, with names in braces for variable segments: ``/v1/models/{model_id}``.
    """

    def __init__(self, templates: Iterable[str] = ()) -> None:
        self._segments: dict[str, Any] = {}
        for template in templates:
            node = self._segments
            for segment in template.split("/"):
                is_plain = not segment.startswith("{")
                node = node.setdefault(segment if is_plain else _verb_of(segment) if "}:" in segment else _ANY, {})
            node[_HERE] = template
        self._records: dict[tuple[str, str], RouteRecord] = {}

    def of(self, method: str, path: str) -> RouteRecord:
        """Return the record of the route of a request."""
        route = self._template(path)
        record = self._records.get((method, route))
        if record is None:
            known = method if method in _METHODS else OTHER
            record = self._records.setdefault((known, route), RouteRecord(known, route))
        return record

    def all(self) -> tuple[RouteRecord, ...]:
        """Return the records of all routes that were requested so far."""
        return tuple(self._records.values())

    @property
    def n_uploads(self) -> int:
        """Number of uploads that are coming in or being read."""
        return uploads_in(self.all())

    def _template(self, path: str) -> str:
        node: Any = self._segments
        for segment in path.split("/"):
            node = node.get(segment) or (_VERB in segment and node.get(_verb_of(segment))) or node.get(_ANY)
            if node is None:
                return OTHER
        route: str = node.get(_HERE, OTHER)
        return route


def uploads_in(records: Iterable[RouteRecord]) -> int:
    """Return the number of uploads that are under way by these records."""
    return sum(record.n_in_flight for record in records if record.method == "POST" and record.route in UPLOAD_PATHS)


def _verb_of(segment: str) -> str:
    """Return the key of a segment that is a name and a verb, in a template or in a path."""
    return _VERB + segment.rpartition(_VERB)[2]
