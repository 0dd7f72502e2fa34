"""Health: is the process alive, can it do its work."""

from typing import Literal

from pydantic import Field

from .contract import Contract


class Liveness(Contract):
    """The process answers."""

    status: Literal["ok"] = "ok"


class Readiness(Contract):
    """The process can do its work; ``degraded`` names what is away and not needed for answers."""

    status: Literal["ok"] = "ok"
    degraded: list[str] = Field(default=[])
