"""/v1/jobs: work under way: read it, wait for it, watch it, cancel it."""

import re
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Header
from fastapi.concurrency import run_in_threadpool
from fastapi.sse import EventSourceResponse, ServerSentEvent

from schemas.contract import Page
from schemas.jobs import JOBS, Job

from ..operations import jobs as operations
from ..web.request_class import StrictRoute
from .answers import problems
from .dependencies import ContextDep, PageDep
from .list_filters import filters_of

router = APIRouter(prefix=JOBS.path, tags=[JOBS.words], route_class=StrictRoute)
_Filters = Annotated[dict[str, str], Depends(filters_of(JOBS))]
_LONGEST_WAIT_SECONDS = 60
Prefer = Annotated[
    str,
    Header(
        description="`wait=20` delays the answer until the job has ended, for at most 20 seconds (maximum: "
        f"{_LONGEST_WAIT_SECONDS}).",
        examples=["wait=20"],
    ),
]


def _existing_job(job_id: str, context: ContextDep) -> Job:
    # Before the stream begins: afterwards it is too late to answer 404.
    return context.jobs.get(job_id)


ExistingJob = Annotated[Job, Depends(_existing_job)]


@router.get("", responses=problems(422, 503))
def list_jobs(context: ContextDep, page: PageDep, filters: _Filters) -> Page[Job]:
    """List jobs, newest first."""
    return context.jobs.list(page.limit, page.cursor, **filters)


@router.get("/events", response_class=EventSourceResponse, responses=problems(503))
async def watch_jobs(context: ContextDep) -> AsyncIterator[ServerSentEvent]:
    """Watch all jobs: `progress` for each one under way and whenever one is added or changes, `done` when one ends."""
    async for state in operations.changes_of_all(context):
        yield ServerSentEvent(event="done" if operations.is_final(state) else "progress", data=state)


@router.get("/{job_id}", responses=problems(404, 503))
async def get_job(job_id: str, context: ContextDep, prefer: Prefer = "") -> Job:
    """Read a job; with `Prefer: wait=20`, as soon as it has ended, or after 20 seconds."""
    job = await run_in_threadpool(context.jobs.get, job_id)
    match = re.search(r"\bwait=(\d{1,4})\b", prefer)
    wait_seconds = min(float(match.group(1)), _LONGEST_WAIT_SECONDS) if match else 0.0
    return await operations.wait_for_end(context, job, wait_seconds)


@router.get("/{job_id}/events", response_class=EventSourceResponse, responses=problems(404, 503))
async def watch_job(job: ExistingJob, context: ContextDep) -> AsyncIterator[ServerSentEvent]:
    """Watch a job: an event `progress` whenever something changed, `done` at the end."""
    async for state in operations.changes(context, job):
        yield ServerSentEvent(event="done" if operations.is_final(state) else "progress", data=state)


@router.post("/{job_id}/cancel", status_code=202, responses=problems(404, 409, 503))
def cancel_job(job_id: str, context: ContextDep) -> Job:
    """Cancel a job; it stops within two seconds."""
    return operations.cancel_job(context, job_id)
