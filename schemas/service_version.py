"""ServiceVersion: what a client compares itself with before it trusts the rest of the contract."""

from typing import Literal

from pydantic import Field

from .contract import Contract

API_VERSION: Literal["v1"] = "v1"
OLDEST_SDK = "0.1.0"
"""Raise it when older SDKs would misread an answer of this service."""


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
