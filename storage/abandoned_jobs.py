"""Abandoned jobs: those whose worker is gone or whose notification was lost, found by reading all rows.

Several workers may read at once: each row is locked while it is changed, and a second reader finds it changed.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, or_, select

from .attempts import AttemptStore
from .database import Database
from .job_counts import SHORT_SECONDS, is_short
from .jobs import cancelled, deadline_exceeded, end_job, worker_lost
from .tables import jobs

_ROWS_AT_ONCE = 200
_GRACE_SECONDS = 10.0  # a worker that lives ends an overdue job itself


@dataclass(frozen=True, slots=True)
class WaitingJob:
    """A job that workers should be notified of again."""

    id: str
    deadline_seconds: float
    is_short: bool


@dataclass(frozen=True, slots=True)
class Timing:
    """After how many seconds something counts as abandoned."""

    lease_seconds: float = 30.0  # without renewal, by a monotonic clock
    confirm_seconds: float = 7.5  # the same where it has ended by the wall clock; longer than between two renewals
    notification_seconds: float = 0.5  # that a new job waits before its message counts as lost


_USUAL = Timing()


@dataclass(frozen=True, slots=True)
class _Sighting:
    """What was seen of an attempt under way, by a monotonic clock."""

    lease_until: float
    lease_seen_at: float  # when this lease was first seen
    seen_at: float  # when this attempt was first seen


class AbandonedJobs:
    """Finds rows that no living worker takes care of.

    Wall clocks of hosts differ, and are set back and forth, but a worker that lives renews its lease every few seconds.
    So what counts is how long a lease stays the same, by the monotonic clock of this process; one that has ended by the
    wall clock as well need not be watched for its whole length.
    """

    def __init__(
        self,
        database: Database,
        attempts: AttemptStore,
        timing: Timing = _USUAL,
        now: Callable[[], float] = time.time,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._attempts = attempts
        self._timing = timing
        self._now = now
        self._clock = clock
        self._sightings: dict[str, _Sighting] = {}  # by token

    def requeue_expired(self) -> int:
        """Queue jobs again whose lease ended; fail those that lost their last worker. Return how many there were."""
        expired = [row for row in self._read_attempts() if self._has_ended(self._sightings[row["token"]])]
        # A lease that is renewed at this moment is another one.
        unchanged = (and_(_is_attempt(row), jobs.c.lease_until == row["lease_until"]) for row in expired)

        def requeue(connection: Connection, row: RowMapping) -> None:
            if row["status"] == "cancelling":
                end_job(connection, row, "cancelled", self._now(), cancelled())
            else:
                self._attempts.requeue(connection, row, worker_lost(row["attempt"]))

        return self._settle(list(unchanged), requeue)

    def expire_deadlines(self) -> int:
        """Fail jobs that were seen running for longer than they may; return how many there were."""
        rows = [row for row in self._read_attempts() if row["status"] == "running"]
        seconds = [self._clock() - self._sightings[row["token"]].seen_at for row in rows]
        overdue = [
            and_(_is_attempt(row), jobs.c.status == "running")
            for row, running_seconds in zip(rows, seconds, strict=True)
            if running_seconds > float(row["deadline_seconds"]) + _GRACE_SECONDS
        ]

        def fail(connection: Connection, row: RowMapping) -> None:
            end_job(connection, row, "failed", self._now(), deadline_exceeded(row["deadline_seconds"]))

        return self._settle(overdue, fail)

    def due_for_notification(self) -> list[WaitingJob]:
        """Return the queued jobs that a worker should have taken by now, oldest first."""
        now, wait_seconds = self._now(), self._timing.notification_seconds
        # A job requested in the future was requested before the clock was set back.
        is_new = jobs.c.created_at.between(now - wait_seconds, now + wait_seconds)
        waiting = and_(jobs.c.status == "queued", self._attempts.is_due(), or_(jobs.c.attempt > 0, ~is_new))
        columns = jobs.c.id, jobs.c.deadline_seconds, jobs.c.estimated_seconds
        query = select(*columns).where(waiting).order_by(jobs.c.created_at).limit(_ROWS_AT_ONCE)
        # Short ones also by themselves: a worker may be free for them, however many others wait before them.
        short = query.where(jobs.c.estimated_seconds <= SHORT_SECONDS)
        with self._database.reading() as connection:
            rows = dict.fromkeys((*connection.execute(query), *connection.execute(short)))
        return [WaitingJob(job, deadline_seconds, is_short(seconds)) for job, deadline_seconds, seconds in rows]

    def _read_attempts(self) -> Sequence[RowMapping]:
        """Return the attempts under way, and remember when each was seen."""
        columns = jobs.c.status, jobs.c.token, jobs.c.lease_until, jobs.c.deadline_seconds
        query = select(*columns).where(jobs.c.status.in_(("running", "cancelling")))
        with self._database.reading() as connection:
            rows = connection.execute(query).mappings().all()
        self._sightings = {row["token"]: self._sighting(row) for row in rows}
        return rows

    def _sighting(self, row: RowMapping) -> _Sighting:
        now, known = self._clock(), self._sightings.get(row["token"])
        if known is None:
            return _Sighting(row["lease_until"], now, now)
        return known if known.lease_until == row["lease_until"] else _Sighting(row["lease_until"], now, known.seen_at)

    def _has_ended(self, seen: _Sighting) -> bool:
        unchanged_seconds = self._clock() - seen.lease_seen_at
        is_over = seen.lease_until < self._now()
        return unchanged_seconds >= (self._timing.confirm_seconds if is_over else self._timing.lease_seconds)

    def _settle(
        self, conditions: Sequence[ColumnElement[bool]], settle: Callable[[Connection, RowMapping], None]
    ) -> int:
        if not conditions:
            return 0
        # Rows that another worker is settling at this moment are left to it.
        query = select(jobs).where(or_(*conditions[:_ROWS_AT_ONCE])).with_for_update(skip_locked=True)
        with self._database.transaction() as connection:
            rows = connection.execute(query).mappings().all()
            for row in rows:
                settle(connection, row)
            return len(rows)


def _is_attempt(row: RowMapping) -> ColumnElement[bool]:
    return and_(jobs.c.token == row["token"], jobs.c.status.in_(("running", "cancelling")))
