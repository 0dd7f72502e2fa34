"""Health: is the process alive, can it do its work."""

from typing import Literal

from pydantic import Field

from .contract import Contract


class Liveness(Contract):
    """The process answers."""

    status: Literal["ok"] = "ok"


class Readiness(Contract):
    """The process can do its work; ``degraded`` names what is amiss; warm explainers answer all the same.

    Redis: nothing is lost, jobs start when it is back. Objects: uploads and what is not in memory wait for it. Disk: it
    is full, or nearly; what exists can be read and deleted. Database: a part of it was found damaged.
    """

    status: Literal["ok"] = "ok"
    degraded: list[Literal["redis", "objects", "disk", "database"]] = Field(default=[])
