"""Artefacts: what every thing made by a job says of itself."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from .contract import Contract
from .problems import Problem

ProximityKind = Literal["auto", "random_forest", "boosting"]
ArtefactStatus = Literal["pending", "ready", "failed", "cancelled"]
MAX_NEIGHBORS = 1000
NeighborCount = Annotated[
    int, Field(strict=True, ge=1, le=MAX_NEIGHBORS, description="For each row; fewer than the dataset has rows.")
]


class ArtefactView(Contract):
    """How the making of something stands; each noun adds what was found, which is null until it is ready."""

    object: str
    id: str
    status: ArtefactStatus
    job: str | None
    reused: bool = Field(default=False, description="It had been asked for before.")
    created_at: datetime
    request: Contract
    problem: Problem | None = None
