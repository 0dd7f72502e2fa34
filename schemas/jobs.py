"""Jobs: work that takes longer than a moment."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from .contract import Contract
from .problems import Problem

FINAL_STATUSES: frozenset[str] = frozenset({"succeeded", "failed", "cancelled"})


class Progress(Contract):
    """How far a job is."""

    fraction: float = Field(ge=0, le=1)
    stage: str
    message: str = Field(
        default="",
        description="What the job waits for: a worker, behind so many other jobs; storage; processor time, on a busy "
        "machine; another attempt. Empty when it waits for nothing.",
    )


class Job(Contract):
    """One piece of work; its row in the database is the truth."""

    object: Literal["job"] = "job"
    id: str
    kind: str = Field(description="The noun of the artefact being made; new kinds may come.")
    status: str = Field(description="queued, running, cancelling, succeeded, failed or cancelled; new ones may come.")
    artefact: str = Field(description="Id of the artefact being made.")
    progress: Progress
    attempt: int = Field(ge=0, description="How often a worker has begun it.")
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    problem: Problem | None


JobStatus = Literal["queued", "running", "cancelling", "succeeded", "failed", "cancelled"]
"""What lists of jobs can be filtered by."""
