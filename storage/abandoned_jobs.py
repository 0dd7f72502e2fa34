"""Abandoned jobs: those whose worker is gone or whose bell was not heard, found by looking at all rows.

Several workers may look at once: each row is locked while it is changed, and a second look finds it changed already.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, or_, select

from .attempts import AttemptStore
from .database import Database
from .job_counts import SHORT_SECONDS, is_short
from .job_problems import cancelled, deadline_exceeded, worker_lost
from .jobs import end_job
from .tables import jobs

_ROWS_AT_ONCE = 200
_GRACE_SECONDS = 10.0  # a worker that lives ends an overdue job itself


@dataclass(frozen=True, slots=True)
class WaitingJob:
    """A job for which some worker should be rung."""

    id: str
    deadline_seconds: float
    is_short: bool


class AbandonedJobs:
    """Rows that need somebody's attention.

    Parameters
    ----------
    unheard_seconds
        How long a new job may wait before its bell counts as lost.
    """

    def __init__(
        self,
        database: Database,
        attempts: AttemptStore,
        now: Callable[[], float] = time.time,
        unheard_seconds: float = 2.0,
    ) -> None:
        self._database = database
        self._attempts = attempts
        self._now = now
        self._unheard_seconds = unheard_seconds

    def requeue_expired(self) -> int:
        """Queue jobs again whose lease ended; fail those that lost their last worker. Return how many there were."""
        expired = and_(jobs.c.status.in_(("running", "cancelling")), jobs.c.lease_until < self._now())
        return self._settle(expired, self._requeue)

    def expire_deadlines(self) -> int:
        """Fail jobs that run longer than they may; return how many there were."""
        latest_end = jobs.c.started_at + jobs.c.deadline_seconds + _GRACE_SECONDS
        return self._settle(and_(jobs.c.status == "running", latest_end < self._now()), self._fail_overdue)

    def due_for_ringing(self) -> list[WaitingJob]:
        """Return the queued jobs that a worker should have taken by now, oldest first."""
        now = self._now()
        heard_by_now = or_(jobs.c.attempt > 0, jobs.c.created_at < now - self._unheard_seconds)
        waiting = and_(jobs.c.status == "queued", jobs.c.not_before <= now, heard_by_now)
        columns = jobs.c.id, jobs.c.deadline_seconds, jobs.c.estimated_seconds
        query = select(*columns).where(waiting).order_by(jobs.c.created_at).limit(_ROWS_AT_ONCE)
        # Short ones also by themselves: however many others wait before them, somebody may be free for them.
        short = query.where(jobs.c.estimated_seconds <= SHORT_SECONDS)
        with self._database.reading() as connection:
            rows = dict.fromkeys((*connection.execute(query), *connection.execute(short)))
        return [WaitingJob(job, deadline_seconds, is_short(seconds)) for job, deadline_seconds, seconds in rows]

    def _settle(self, condition: ColumnElement[bool], settle: Callable[[Connection, RowMapping], None]) -> int:
        # Rows that another worker is settling at this moment are left to it.
        query = select(jobs).where(condition).limit(_ROWS_AT_ONCE).with_for_update(skip_locked=True)
        with self._database.transaction() as connection:
            rows = connection.execute(query).mappings().all()
            for row in rows:
                settle(connection, row)
            return len(rows)

    def _requeue(self, connection: Connection, row: RowMapping) -> None:
        if row["status"] == "cancelling":
            end_job(connection, row, "cancelled", self._now(), cancelled())
        else:
            self._attempts.requeue(connection, row, worker_lost(row["attempt"]))

    def _fail_overdue(self, connection: Connection, row: RowMapping) -> None:
        end_job(connection, row, "failed", self._now(), deadline_exceeded(row["deadline_seconds"]))
