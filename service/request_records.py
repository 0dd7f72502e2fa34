"""Request records: how often each route was asked, how it answered, how long that took.

Plain numbers, changed by the event loop's thread alone and read by any: nothing to lock, a microsecond for a request.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from typing import Any

OTHER = "other"
"""Stands for every path and method that is not ours: callers must not be able to make labels."""

SECONDS_BOUNDS = (
    *(0.00025, 0.0005, 0.00075, 0.001, 0.0015, 0.002, 0.004, 0.008, 0.016, 0.032),
    *(0.064, 0.128, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0),
)
"""Upper ends of the latencies that are counted together; an explanation takes between the first few of them."""

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_UPLOADS = frozenset({"/v1/models", "/v1/datasets"})
_ANY = "{}"  # in the tree of segments: whatever stands there
_HERE = "/"  # in the tree of segments, where no segment can be called so: the template that ends there


class RouteRecord:
    """What was asked of one route with one method."""

    __slots__ = ("method", "n_by_bucket", "n_by_status", "n_in_flight", "n_seconds", "route")

    def __init__(self, method: str, route: str) -> None:
        self.method = method
        self.route = route
        self.n_in_flight = 0
        self.n_by_status: Counter[int] = Counter()
        self.n_by_bucket = [0] * (len(SECONDS_BOUNDS) + 1)  # the last one: longer than all bounds
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
        The paths of the API, with names in braces where anything may stand: ``/v1/models/{model_id}``.
    """

    def __init__(self, templates: Iterable[str] = ()) -> None:
        self._segments: dict[str, Any] = {}
        for template in templates:
            _plant(self._segments, template)
        self._records: dict[tuple[str, str], RouteRecord] = {}

    def of(self, method: str, path: str) -> RouteRecord:
        """Return the record of the route that this request is for."""
        route = self._template(path)
        record = self._records.get((method, route))
        return record or self._new_record(method, route)

    def all(self) -> tuple[RouteRecord, ...]:
        """Return the records of what was asked so far."""
        return tuple(self._records.values())

    @property
    def n_uploads(self) -> int:
        """Number of uploads that are coming in or being read."""
        return sum(record.n_in_flight for record in self.all() if record.method == "POST" and record.route in _UPLOADS)

    def _template(self, path: str) -> str:
        place: Any = self._segments
        for segment in path.split("/"):
            place = place.get(segment) or place.get(_ANY)
            if place is None:
                return OTHER
        found: str = place.get(_HERE, OTHER)
        return found

    def _new_record(self, method: str, route: str) -> RouteRecord:
        known = method if method in _METHODS else OTHER
        return self._records.setdefault((known, route), RouteRecord(known, route))


def _plant(place: dict[str, Any], template: str) -> None:
    for segment in template.split("/"):
        place = place.setdefault(_ANY if segment.startswith("{") else segment, {})
    place[_HERE] = template
