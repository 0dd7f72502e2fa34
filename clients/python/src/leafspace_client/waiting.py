"""Waiting: stay with a job until it has ended, showing how far it is."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ._generated.api.jobs import get_job
from ._generated.models import Job, Problem
from .calls import Pause, Program
from .endpoints import ask
from .errors import JobCancelled, JobFailed, JobNotFinished

if TYPE_CHECKING:
    from tqdm import tqdm

_FINAL = frozenset({"succeeded", "failed", "cancelled"})
_LONGEST_POLL_SECONDS = 20.0
# The service answers a long poll when the job has ended: a bar that moves has to ask more often.
_POLL_SECONDS_OF_A_BAR = 1.0
_LEAST_SECONDS_BETWEEN_POLLS = 0.2


def wait_for_job(job_id: str, *, progress: bool, timeout_seconds: float | None) -> Program[Job]:
    """Return the job's last state, whatever it is.

    Raises
    ------
    JobNotFinished
        If it goes on after the time to wait for it.
    """
    until = math.inf if timeout_seconds is None else time.monotonic() + timeout_seconds
    longest = _POLL_SECONDS_OF_A_BAR if progress else _LONGEST_POLL_SECONDS
    with _bar(progress) as bar:
        while True:
            asked_at = time.monotonic()
            job = yield from _poll(job_id, min(longest, until - asked_at))
            _show(bar, job)
            if is_final(job):
                return job
            if time.monotonic() >= until:
                detail = f"job {job_id} is still {job.status} after {timeout_seconds:g} s; wait again, or cancel it"
                raise JobNotFinished("job_not_finished", detail)
            # A service, or a proxy, that answers at once must not be asked without end.
            yield Pause(max(0.0, asked_at + _LEAST_SECONDS_BETWEEN_POLLS - time.monotonic()))


def is_final(job: Job) -> bool:
    """Return whether a job has ended; states may come that this client does not know."""
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
    return (yield from ask(get_job, Job, job_id=job_id, prefer=prefer))


@contextmanager
def _bar(progress: bool) -> Iterator["tqdm[None] | None"]:  # noqa: FBT001  # one private caller
    if not progress:
        yield None
        return
    # Imported late: few processes show a bar, and tqdm looks for the notebook that it may be in.
    from tqdm.auto import tqdm  # noqa: PLC0415

    with tqdm(total=1.0, bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}", desc="queued") as bar:
        yield bar


def _show(bar: "tqdm[None] | None", job: Job) -> None:
    if bar is None:
        return
    stage = job.progress.stage if job.status == "running" else job.status
    bar.set_description_str(stage or job.status, refresh=False)
    bar.n = 1.0 if job.status == "succeeded" else job.progress.fraction
    bar.refresh()
