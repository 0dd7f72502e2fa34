"""Read jobs, wait for them, cancel them."""

import time
from collections.abc import AsyncIterator

from schemas.jobs import FINAL_STATUSES, Job

from ..app_context import AppContext
from .deletion import with_reserve


def cancel_job(context: AppContext, job_id: str) -> Job:
    """Request that a job stops; it has stopped within two seconds."""
    return with_reserve(context, lambda: context.jobs.request_cancel(job_id))


async def wait_for_end(context: AppContext, job: Job, seconds: float) -> Job:
    """Return a job as soon as it has ended, or in its current state after this number of seconds."""
    until = time.monotonic() + seconds
    # Callers that wait while the process stops come back, to another one.
    while not is_final(job) and (left := until - time.monotonic()) > 0 and not context.draining.has_begun:
        job = await context.job_watch.change(job, left)
    return job


async def changes(context: AppContext, job: Job) -> AsyncIterator[Job]:
    """Yield a job now and after every change, until it has ended or the process stops."""
    yield job
    while not is_final(job) and not context.draining.has_begun:
        seen, job = job, await context.job_watch.change(job)
        if job != seen:
            yield job


async def changes_of_all(context: AppContext) -> AsyncIterator[Job]:
    """Yield the jobs under way, then each job whenever it changes, until the process stops."""
    async for changed in context.job_watch.changes_of_all():
        for job in changed:
            yield job


def is_final(job: Job) -> bool:
    """Whether nothing will change any more."""
    return job.status in FINAL_STATUSES
