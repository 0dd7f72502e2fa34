"""Health and version: whether the process is alive and can do its work, and what a client compares itself with."""

from typing import Literal

from pydantic import Field

from .contract import Contract

API_VERSION: Literal["v1"] = "v1"
OLDEST_SDK = "0.1.0"
"""Raise it when older SDKs would misread an answer of this service."""


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


class ServiceVersion(Contract):
    """The version of the service, of its API, and the oldest SDK that understands both."""

    version: str = Field(description="Version of the service that answers.", examples=["0.1.0"])
    api_version: Literal["v1"] = Field(
        default=API_VERSION, description="Version of the API: the first segment of its paths.", examples=["v1"]
    )
    oldest_sdk: str = Field(
        default=OLDEST_SDK,
        description="Oldest version of the Python SDK that works with this service. Older ones should be updated.",
        examples=["0.1.0"],
    )
