"""Job counts: how many jobs there are of each kind and status, which wait before which, which have ended lately."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, case, func, select

from .database import Database
from .tables import jobs

SHORT_SECONDS = 10.0  # jobs that take no longer, by estimate, have a lane of their own
_LATE_SECONDS = 60.0  # clocks of workers differ, and rows are committed later than they say
_ROWS_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class JobCounts:
    """Numbers of jobs at one moment."""

    n_by_kind: dict[tuple[str, str], int]  # by kind and status
    oldest_queued_seconds: float  # since the oldest waiting job may be taken; 0 when none waits
    n_busy_workers: int  # running jobs whose lease holds


@dataclass(frozen=True, slots=True)
class EndedJob:
    """A job that has ended."""

    kind: str
    status: str
    seconds: float  # from its last start to its end


def count_jobs(database: Database, now: Callable[[], float] = time.time) -> JobCounts:
    """Return the numbers of jobs."""
    by_kind = select(jobs.c.kind, jobs.c.status, func.count()).group_by(jobs.c.kind, jobs.c.status)
    oldest = select(func.min(jobs.c.not_before)).where(jobs.c.status == "queued")
    busy = select(func.count()).where(jobs.c.status.in_(("running", "cancelling")), jobs.c.lease_until > now())
    with database.reading() as connection:
        counts = {(kind, status): n_jobs for kind, status, n_jobs in connection.execute(by_kind)}
        since = connection.execute(oldest).scalar()
        n_busy = connection.execute(busy).scalar_one()
    return JobCounts(counts, 0.0 if since is None else max(0.0, now() - since), n_busy)


def count_queued(connection: Connection, caller: str | None = None) -> int:
    """Return how many jobs wait for a worker: all, or those of one caller."""
    query = select(func.count()).select_from(jobs).where(jobs.c.status == "queued")
    if caller is not None:
        query = query.where(jobs.c.caller == caller)
    return connection.execute(query).scalar_one()


def is_short(estimated_seconds: float | None) -> bool:
    """Whether a job of this estimate may use the lane of short jobs."""
    return estimated_seconds is not None and estimated_seconds <= SHORT_SECONDS


def count_before(connection: Connection, job_ids: Sequence[str]) -> dict[str, int]:
    """Return, for those of the jobs that wait, how many wait before them: short jobs wait for short ones alone."""
    first_come = (jobs.c.created_at, jobs.c.id)
    short: ColumnElement[int] = case((jobs.c.estimated_seconds <= SHORT_SECONDS, 1), else_=0)
    of_short, of_all = func.sum(short).over(order_by=first_come), func.row_number().over(order_by=first_come)
    position = case((short == 1, of_short), else_=of_all).label("position")
    waiting = select(jobs.c.id, position).where(jobs.c.status == "queued").subquery()
    query = select(waiting.c.id, waiting.c.position).where(waiting.c.id.in_(job_ids))
    return {job_id: int(position) - 1 for job_id, position in connection.execute(query)}


class EndedJobs:
    """Finds each job that ends from now on once."""

    def __init__(self, database: Database, now: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = now
        self._began_at = self._looked_at = now()
        self._seen: dict[str, float] = {}

    def new_ones(self) -> list[EndedJob]:
        """Return the jobs that have ended since the last call."""
        now = self._now()
        if now < self._looked_at:  # the clock was set back: what ends from now on is later than that
            self._began_at = now
        since = max(self._began_at, min(now, self._looked_at) - _LATE_SECONDS)
        self._looked_at = now
        columns = jobs.c.id, jobs.c.kind, jobs.c.status, jobs.c.started_at, jobs.c.finished_at
        query = select(*columns).where(jobs.c.finished_at >= since).limit(_ROWS_AT_ONCE)
        with self._database.reading() as connection:
            rows = [row for row in connection.execute(query) if row.id not in self._seen]
        self._seen = {job: at for job, at in self._seen.items() if at >= since}
        self._seen.update({row.id: row.finished_at for row in rows})
        return [EndedJob(row.kind, row.status, _seconds(row)) for row in rows]


def _seconds(row: Row[*tuple[Any, ...]]) -> float:
    # A job may end before it started, when the clock was set back meanwhile.
    started_at: float | None = row.started_at
    finished_at: float = row.finished_at
    return 0.0 if started_at is None else max(0.0, finished_at - started_at)
