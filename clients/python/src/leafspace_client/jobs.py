"""Jobs: work in progress in the service. Waiting is by long polls, with a progress bar where somebody can see it."""

import math
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .calls import Connected, Pause, Program, awaitable, blocking, fetch
from .contract.jobs import cancel_job, get_job, list_jobs
from .errors import Conflict, JobCancelled, JobFailed, JobNotFinished
from .nouns import AsyncCollection, Identified, Noun, SyncCollection, id_of
from .types import Job, Problem

if TYPE_CHECKING:
    from tqdm import tqdm

JOBS: Noun[Job] = Noun(get_job, list_jobs)
_STOPPING = frozenset({"cancelling", "cancelled"})
_FINAL = frozenset({"succeeded", "failed", "cancelled"})
_LONGEST_POLL_SECONDS = 20.0
# The service answers a long poll when the job has ended: a bar that moves has to poll more often.
_POLL_SECONDS_OF_A_BAR = 1.0
_LEAST_SECONDS_BETWEEN_POLLS = 0.2


def cancel(self: Connected, job: Identified) -> Program[Job]:  # a method of collections
    """Cancel a job and return its state; cancelling it again is no error.

    Parameters
    ----------
    job
        A job, or its id.

    Raises
    ------
    Conflict
        If it has ended in another way.
    """
    try:
        return (yield from fetch(cancel_job(id_of(job))))
    except Conflict:
        state = yield from fetch(get_job(id_of(job)))
        if state.status not in _STOPPING:
            raise
        return state


def wait(
    self: Connected,  # a method of collections
    job: Identified,
    *,
    progress: bool | None = None,
    timeout: float | None = None,
) -> Program[Job]:
    """Wait until a job has ended and return its last state.

    Parameters
    ----------
    job
        The job or its id.
    timeout
        Seconds to wait; default: until it has ended.

    Raises
    ------
    JobFailed, JobCancelled
        With the code and the detail of the job's problem.
    JobNotFinished
        If ``timeout`` is over; the job goes on.
    """
    state = yield from wait_for_job(id_of(job), progress=progress, timeout_seconds=timeout)
    check_success(state)
    return state


class Jobs(SyncCollection[Job, Job, Job]):
    """All jobs, newest first."""

    noun = JOBS
    cancel = blocking(cancel)
    wait = blocking(wait)


class AsyncJobs(AsyncCollection[Job, Job, Job]):
    """All jobs, newest first."""

    noun = JOBS
    cancel = awaitable(cancel)
    wait = awaitable(wait)


def wait_for_job(job_id: str, *, progress: bool | None, timeout_seconds: float | None) -> Program[Job]:
    """Return the last state of a job, however it ends.

    Raises
    ------
    JobNotFinished
        If it goes on after the time to wait for it.
    """
    until = math.inf if timeout_seconds is None else time.monotonic() + timeout_seconds
    is_shown = _is_watched() if progress is None else progress
    longest = _POLL_SECONDS_OF_A_BAR if is_shown else _LONGEST_POLL_SECONDS
    with _bar(is_shown=is_shown) as bar:
        while True:
            polled_at = time.monotonic()
            job = yield from _poll(job_id, min(longest, until - polled_at))
            _show(bar, job)
            if is_final(job):
                return job
            if time.monotonic() >= until:
                detail = f"job {job_id} is still {job.status} after {timeout_seconds:g} s; wait again, or cancel it"
                raise JobNotFinished("job_not_finished", detail)
            # A service, or a proxy, that answers at once must not be polled without end.
            yield Pause(max(0.0, polled_at + _LEAST_SECONDS_BETWEEN_POLLS - time.monotonic()))


def is_final(job: Job) -> bool:
    """Return whether a job has ended; the service may have states that this client does not know."""
    return job.status in _FINAL or job.finished_at is not None


def check_success(job: Job) -> None:
    """Raise for a job that did not succeed.

    Raises
    ------
    JobFailed, JobCancelled
        With the code and the detail of its problem.
    """
    if job.status == "succeeded":
        return
    kind = JobCancelled if job.status == "cancelled" else JobFailed
    if isinstance(job.problem, Problem):
        raise kind(job.problem.code, job.problem.detail, job)
    code, detail = f"job_{job.status}", f"job {job.id} is {job.status}"
    raise kind(code, detail, job)


def _poll(job_id: str, wait_seconds: float) -> Program[Job]:
    prefer = f"wait={math.ceil(max(0.0, wait_seconds))}"
    return (yield from fetch(get_job(job_id, prefer=prefer)))


def _is_watched() -> bool:
    """Whether somebody can see a bar: in a terminal, or in a notebook."""
    ipython = sys.modules.get("IPython")
    in_ipython = ipython is not None and ipython.get_ipython() is not None
    return in_ipython or (sys.stderr is not None and sys.stderr.isatty())


@contextmanager
def _bar(*, is_shown: bool) -> Iterator["tqdm[None] | None"]:
    if not is_shown:
        yield None
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a notebook without widgets gets a bar of text
        # Imported late: few processes show a bar, and tqdm looks for the notebook that it may be in.
        from tqdm.auto import tqdm

    with tqdm(total=1.0, bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}", desc="queued") as bar:
        yield bar


def _show(bar: "tqdm[None] | None", job: Job) -> None:
    if bar is None:
        return
    from leafspace_drawings import words  # as tqdm

    progress = job.progress
    phase = f"{progress.stage} {progress.message}".strip() if job.status == "running" else ""
    bar.set_description_str(f"{words.kind_words(job.kind)}: {phase or job.status}", refresh=False)
    bar.n = 1.0 if job.status == "succeeded" else job.progress.fraction
    bar.refresh()
