"""Jobs: work that takes longer than a moment."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from .contract import OBJECT, Contract, CreatedAt
from .noun import Noun, Product
from .problems import Problem

FINAL_STATUSES: frozenset[str] = frozenset({"succeeded", "failed", "cancelled"})


class Progress(Contract):
    """How far a job has come."""

    fraction: float = Field(ge=0, le=1, description="Share of the work that is done.")
    stage: str = Field(description="What the job does at the moment, in words.")
    message: str = Field(
        default="",
        description="What the job waits for, in words: a worker, behind other jobs; storage; processor time, on a busy "
        "machine; another attempt. Empty when it waits for nothing.",
    )


class Job(Contract):
    """One piece of work; its row in the database is the truth."""

    object: Annotated[Literal["job"], OBJECT] = "job"
    id: str = Field(description="Id of the job.")
    kind: str = Field(description="Noun of the artefact that it makes, such as `rule_sets`; kinds may be added.")
    status: str = Field(
        description="Status: queued, running, cancelling, succeeded, failed or cancelled; statuses may be added."
    )
    artefact: str = Field(
        description="Id of the artefact that it makes. Of a dataset by reference, an id that only names the request "
        "until the job has succeeded; then the dataset's."
    )
    progress: Progress = Field(description="How far it has come.")
    attempt: int = Field(ge=0, description="Number of times that a worker has begun it.")
    created_at: CreatedAt
    started_at: datetime | None = Field(description="Time when the last attempt began, in UTC; null before the first.")
    finished_at: datetime | None = Field(description="Time when it ended, in UTC; null until then.")
    problem: Problem | None = Field(description="Why it failed; null unless it did.")


JobStatus = Literal["queued", "running", "cancelling", "succeeded", "failed", "cancelled"]
"""What lists of jobs can be filtered by."""


JOBS = Noun(
    name="jobs",
    singular="job",
    position=170,
    id_prefix="job_",
    description="Work that takes time: its progress, its end, and how to cancel it.",
    summary=Job,
    view=Job,
    listed_by=("kind", "artefact"),
    products=(Product(name="events", media_types=("text/event-stream",)),),
    actions={"cancel": "write"},
)
