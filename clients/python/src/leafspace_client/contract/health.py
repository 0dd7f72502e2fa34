"""Models and operations of health.

Written by scripts/generate_client.py from openapi.json.
"""

from __future__ import annotations

from typing import Literal

from ..fields import UNSET, Unset
from ..operations import Request
from ..records import Record
from .literals import ReadinessDegraded


class Liveness(Record):
    """The process answers."""

    status: Literal["ok"] = "ok"
    """Always `ok`: a process that is not alive does not answer."""


class Readiness(Record):
    """The process can do its work; ``degraded`` names what is impaired. Warm explainers answer all the same."""

    status: Literal["ok"] = "ok"
    """Always `ok`: otherwise the answer is a 503."""
    degraded: list[ReadinessDegraded | str] | Unset = UNSET
    """What is impaired. `redis`: jobs start when it is back, nothing is lost; `objects`: uploads and whatever is not in
    memory wait for the storage; `disk`: it is full, or nearly, and only reading and deleting work; `database`: a part
    of it was found damaged.
    """


class ServiceVersion(Record):
    """The version of the service, of its API, and the oldest SDK that understands both."""

    version: str
    """Version of the service that answers."""
    api_version: Literal["v1"] = "v1"
    """Version of the API: the first segment of its paths."""
    oldest_sdk: str = "0.1.0"
    """Oldest version of the Python SDK that works with this service. Older ones should be updated."""


def live() -> Request[Liveness]:
    """Say that the process answers."""
    return Request("GET", "/livez", answer=Liveness)


def ready() -> Request[Readiness]:
    """Say whether the process can do its work; without its queue it still explains and reads."""
    return Request("GET", "/readyz", answer=Readiness)


def get_version() -> Request[ServiceVersion]:
    """Read the version of the service and the oldest SDK that works with it."""
    return Request("GET", "/v1/version", answer=ServiceVersion)
