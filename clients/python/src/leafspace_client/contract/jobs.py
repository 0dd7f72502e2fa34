"""Models and operations of jobs.

Written by scripts/generate_client.py from openapi.json.
"""

from __future__ import annotations

from typing import Literal

from ..fields import UNSET, Unset
from ..operations import Request, segment
from ..records import Record
from .datasets import Job
from .literals import JobEventEvent, ListJobsKind, ListJobsStatus


class PageJob(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[Job]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class JobEvent(Record):
    """One event of the stream."""

    event: JobEventEvent | str
    """`progress` when something about the job has changed, `done` when the job has ended."""
    data: str
    """The job as it is now."""


def list_jobs(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset | None = UNSET,
    status: ListJobsStatus | Unset | None = UNSET,
    kind: ListJobsKind | Unset | None = UNSET,
    artefact: str | Unset | None = UNSET,
) -> Request[PageJob]:
    """List jobs, newest first."""
    return Request(
        "GET",
        "/v1/jobs",
        query={"limit": limit, "cursor": cursor, "status": status, "kind": kind, "artefact": artefact},
        answer=PageJob,
    )


def watch_jobs() -> Request[None]:
    """Watch all jobs: `progress` for each one under way and whenever one is added or changes, `done` when one ends."""
    return Request("GET", "/v1/jobs/events")


def get_job(job_id: str, *, prefer: str | Unset = UNSET) -> Request[Job]:
    """Read a job; with `Prefer: wait=20`, as soon as it has ended, or after 20 seconds."""
    return Request("GET", f"/v1/jobs/{segment(job_id)}", headers={"prefer": prefer}, answer=Job)


def watch_job(job_id: str) -> Request[None]:
    """Watch a job: an event `progress` whenever something changed, `done` at the end."""
    return Request("GET", f"/v1/jobs/{segment(job_id)}/events")


def cancel_job(job_id: str) -> Request[Job]:
    """Cancel a job; it stops within two seconds."""
    return Request("POST", f"/v1/jobs/{segment(job_id)}/cancel", answer=Job)
