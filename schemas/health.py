"""Health: whether the process is alive, and whether it can do its work."""

from typing import Literal

from pydantic import Field

from .contract import Contract


class Liveness(Contract):
    """The process answers."""

    status: Literal["ok"] = Field(default="ok", description="Always `ok`: a process that is not alive does not answer.")


class Readiness(Contract):
    """The process can do its work; ``degraded`` names what is impaired. Warm explainers answer all the same."""

    status: Literal["ok"] = Field(default="ok", description="Always `ok`: otherwise the answer is a 503.")
    degraded: list[Literal["redis", "objects", "disk", "database"]] = Field(
        default=[],
        description="What is impaired. `redis`: jobs start when it is back, nothing is lost; `objects`: uploads and "
        "whatever is not in memory wait for the storage; `disk`: it is full, or nearly, and only reading and deleting "
        "work; `database`: a part of it was found damaged.",
    )
