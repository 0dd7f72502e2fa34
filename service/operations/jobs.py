"""Look at jobs, wait for them, cancel them."""

from schemas.contract import Page
from schemas.jobs import FINAL_STATUSES, Job

from ..parts import Parts


def list_jobs(parts: Parts, limit: int, cursor: str | None) -> Page[Job]:
    """Return one page of jobs, newest first."""
    return parts.jobs.list(limit, cursor)


def get_job(parts: Parts, job_id: str) -> Job:
    """Return a job as it stands."""
    return parts.jobs.get(job_id)


def cancel_job(parts: Parts, job_id: str) -> Job:
    """Ask for a job to stop; it has stopped within two seconds."""
    return parts.jobs.request_cancel(job_id)


def is_final(job: Job) -> bool:
    """Whether nothing will change any more."""
    return job.status in FINAL_STATUSES
