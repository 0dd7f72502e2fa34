"""/v1/jobs: work under way: read it, wait for it, watch it, cancel it."""

import re
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Header
from fastapi.concurrency import run_in_threadpool
from fastapi.sse import EventSourceResponse, ServerSentEvent

from schemas.contract import Page
from schemas.jobs import Job

from ..dependencies import PageDep, PartsDep
from ..operations import jobs as operations
from ..request_class import StrictRoute
from .answers import problems

router = APIRouter(prefix="/v1/jobs", tags=["jobs"], route_class=StrictRoute)
_LONGEST_WAIT_SECONDS = 60
Prefer = Annotated[
    str,
    Header(
        description="`wait=20` delays the answer until the job has ended, for at most 20 seconds (maximum: "
        f"{_LONGEST_WAIT_SECONDS}).",
        examples=["wait=20"],
    ),
]


def _existing_job(job_id: str, parts: PartsDep) -> Job:
    # Before the stream begins: afterwards it is too late to answer 404.
    return operations.get_job(parts, job_id)


ExistingJob = Annotated[Job, Depends(_existing_job)]


@router.get("", responses=problems(422, 503))
def list_jobs(parts: PartsDep, page: PageDep) -> Page[Job]:
    """List jobs, newest first."""
    return operations.list_jobs(parts, page.limit, page.cursor)


@router.get("/{job_id}", responses=problems(404, 503))
async def get_job(job_id: str, parts: PartsDep, prefer: Prefer = "") -> Job:
    """Read a job; with `Prefer: wait=20`, as soon as it has ended, or after 20 seconds."""
    job = await run_in_threadpool(operations.get_job, parts, job_id)
    return await operations.wait_for_end(parts, job, _wait_seconds(prefer))


@router.get("/{job_id}/events", response_class=EventSourceResponse, responses=problems(404, 503))
async def watch_job(job: ExistingJob, parts: PartsDep) -> AsyncIterator[ServerSentEvent]:
    """Watch a job: an event `progress` whenever something changed, `done` at the end."""
    async for state in operations.changes(parts, job):
        yield ServerSentEvent(event="done" if operations.is_final(state) else "progress", data=state)


@router.post("/{job_id}/cancel", status_code=202, responses=problems(404, 409, 503))
def cancel_job(job_id: str, parts: PartsDep) -> Job:
    """Cancel a job; it stops within two seconds."""
    return operations.cancel_job(parts, job_id)


def _wait_seconds(prefer: str) -> float:
    found = re.search(r"\bwait=(\d{1,4})\b", prefer)
    return min(float(found.group(1)), _LONGEST_WAIT_SECONDS) if found else 0.0
