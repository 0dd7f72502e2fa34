"""Jobs: work under way in the service."""

from ._generated.api.jobs import cancel_job, get_job, list_jobs
from ._generated.models import Job, PageJob
from .calls import Connected, Program, awaitable, blocking
from .endpoints import ask
from .errors import Conflict
from .nouns import AsyncCollection, Identified, Noun, SyncCollection, id_of
from .waiting import check_success, wait_for_job

JOBS: Noun[Job] = Noun(Job, PageJob, "job_id", get_job, list_jobs)
_STOPPING = frozenset({"cancelling", "cancelled"})


def cancel(self: Connected, job: Identified) -> Program[Job]:  # noqa: ARG001  # a method of collections
    """Cancel a job and return its state; cancelling it again is no error.

    Raises
    ------
    Conflict
        If it has ended in another way.
    """
    try:
        return (yield from ask(cancel_job, Job, job_id=id_of(job)))
    except Conflict:
        state = yield from ask(get_job, Job, job_id=id_of(job))
        if state.status not in _STOPPING:
            raise
        return state


def wait(
    self: Connected,  # noqa: ARG001  # a method of collections
    job: Identified,
    *,
    progress: bool = False,
    timeout: float | None = None,
) -> Program[Job]:
    """Wait until a job has ended and return its last state.

    Parameters
    ----------
    job
        The job or its id.
    progress
        Show a progress bar.
    timeout
        Seconds to wait; default: as long as it takes.

    Raises
    ------
    JobFailed, JobCancelled
        With what the job says of it.
    JobNotFinished
        If ``timeout`` is over; the job goes on.
    """
    state = yield from wait_for_job(id_of(job), progress=progress, timeout_seconds=timeout)
    check_success(state)
    return state


class Jobs(SyncCollection[Job, Job, Job]):
    """All jobs, newest first."""

    cancel = blocking(cancel)
    wait = blocking(wait)


class AsyncJobs(AsyncCollection[Job, Job, Job]):
    """All jobs, newest first."""

    cancel = awaitable(cancel)
    wait = awaitable(wait)
