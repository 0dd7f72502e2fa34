"""Attempts: jobs as a worker sees them, from the claim to the end; a token fences off those that lost their lease.

Every change of a row names the status that it leaves: a late worker cannot overrule a cancel or another attempt.
"""

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, or_, update

from schemas.jobs import Progress
from schemas.problems import Problem

from .database import Database
from .jobs import cancelled, change_job, end_job, lock_job
from .records import find_record
from .tables import jobs

RETRY_DELAYS_SECONDS = (1.0, 10.0)
LONGEST_PAUSE_SECONDS = 60.0
_TOKEN_BYTES = 16
_LONGEST_STAGE = 255
_LONGEST_MESSAGE = 1000


class AttemptState(Enum):
    """The state of an attempt, by its row."""

    RUNNING = "running"
    CANCELLING = "cancelling"  # a caller cancelled it: nothing may be published any more
    ENDED = "ended"  # the attempt has ended the job itself; its process is about to exit
    FENCED = "fenced"  # others ended the row, or it belongs to another attempt: its results are discarded


_STATES = {"running": AttemptState.RUNNING, "cancelling": AttemptState.CANCELLING}


@dataclass(frozen=True, slots=True)
class Claim:
    """One attempt at a job, held by one worker until its lease ends."""

    job: str
    kind: str
    artefact: str
    request: dict[str, Any]
    attempt: int  # 1 for the first
    token: str
    deadline_seconds: float  # of running time
    request_id: str | None = None  # of the request that created the job
    estimated_seconds: float | None = None


class AttemptStore:
    """Rows of jobs while workers work on them.

    Parameters
    ----------
    retry_delays_seconds
        Pause before the second, third … attempt after one that was lost; the last one holds for all others.
    longest_pause_seconds
        No pause is longer: what is to wait for longer began its pause before the clock was set back.
    """

    def __init__(
        self,
        database: Database,
        now: Callable[[], float] = time.time,
        retry_delays_seconds: Sequence[float] = RETRY_DELAYS_SECONDS,
        longest_pause_seconds: float = LONGEST_PAUSE_SECONDS,
    ) -> None:
        self._database = database
        self._now = now
        self._retry_delays_seconds = retry_delays_seconds
        self._longest_pause_seconds = longest_pause_seconds

    def claim(self, job_id: str, lease_seconds: float) -> Claim | None:
        """Begin an attempt; nothing when the job is not waiting for one (a duplicate delivery, a cancelled job)."""
        now = self._now()
        taken = {
            "status": "running",
            "attempt": jobs.c.attempt + 1,
            "token": secrets.token_hex(_TOKEN_BYTES),
            "lease_until": now + lease_seconds,
            "started_at": now,
            "fraction": 0.0,
            "stage": "starting",
            "message": "",
        }
        waiting = (jobs.c.id == job_id, jobs.c.status == "queued", self.is_due())
        with self._database.transaction() as connection:
            if connection.execute(update(jobs).where(*waiting).values(**taken)).rowcount == 0:
                return None
            row = find_record(connection, jobs, job_id)
        return None if row is None else _claim(row)

    def is_due(self) -> ColumnElement[bool]:
        """Return the condition that a queued job's pause is over."""
        now = self._now()
        return or_(jobs.c.not_before <= now, jobs.c.not_before > now + self._longest_pause_seconds)

    def state_of(self, claim: Claim) -> AttemptState:
        """Return the state of the attempt, without changing anything."""
        with self._database.reading() as connection:
            return _state(find_record(connection, jobs, claim.job), claim)

    def renew(self, claim: Claim, lease_seconds: float, message: str = "") -> AttemptState:
        """Keep the attempt for another lease, if it is still this worker's; return its state.

        ``message`` is what the job waits for, for its readers.
        """
        return self._touch(claim, lease_until=self._now() + lease_seconds, message=message[:_LONGEST_MESSAGE])

    def report_progress(self, claim: Claim, progress: Progress) -> AttemptState:
        """Write how far the job is, if it still runs; return its state."""
        # Its worker reports what it waits for; the message stays when the job reports none.
        reported = {"message": progress.message[:_LONGEST_MESSAGE]} if progress.message else {}
        return self._touch(claim, fraction=progress.fraction, stage=progress.stage[:_LONGEST_STAGE], **reported)

    def succeed(self, claim: Claim, publish: Callable[[Connection], None]) -> bool:
        """End the job and publish what it made, in one transaction; return whether that happened.

        Nothing is published when the attempt was fenced off or the job is being cancelled.
        """
        with self._database.transaction() as connection:
            row = _held(connection, claim)
            if row is None or row["status"] != "running":
                return False
            change_job(connection, row, fraction=1.0, stage="done", message="")
            end_job(connection, row, "succeeded", self._now(), token=claim.token)
            publish(connection)
            return True

    def fail(self, claim: Claim, problem: Problem) -> None:
        """End the job with a problem; a job that is being cancelled ends as cancelled instead."""
        self._release(
            claim,
            lambda connection, row: end_job(connection, row, "failed", self._now(), problem, token=claim.token),
        )

    def try_again(self, claim: Claim, problem: Problem) -> None:
        """Let the job be tried again after a pause; fail with ``problem`` when this was its last attempt."""
        self._release(claim, lambda connection, row: self.requeue(connection, row, problem))

    def hand_back(self, claim: Claim, pause_seconds: float = 0, message: str = "") -> None:
        """Return the job unfinished to the queue, as if this attempt had never begun; it waits for a pause first.

        ``message`` is the reason for the wait, for the job's readers.
        """
        not_before = self._now() + pause_seconds
        self._release(
            claim, lambda connection, row: self._requeue_at(connection, row, not_before, row["attempt"] - 1, message)
        )

    def finish_cancel(self, claim: Claim) -> None:
        """End a job that is being cancelled, now that nothing works on it any more."""
        self._release(claim, lambda _connection, _row: None)

    def requeue(self, connection: Connection, row: RowMapping, problem: Problem) -> None:
        """Queue a locked, running job again after a pause, or fail it with ``problem`` after its last attempt."""
        if row["attempt"] >= row["max_attempts"]:
            end_job(connection, row, "failed", self._now(), problem)
            return
        delays = self._retry_delays_seconds
        delay = delays[min(row["attempt"], len(delays)) - 1]
        message = f"the process that did it was lost; it is tried again after {delay:g} s"
        self._requeue_at(connection, row, self._now() + delay, row["attempt"], message)

    def _requeue_at(
        self, connection: Connection, row: RowMapping, not_before: float, attempt: int, message: str = ""
    ) -> None:
        waiting = {"status": "queued", "not_before": not_before, "attempt": attempt, "fraction": 0.0, "stage": "queued"}
        change_job(connection, row, **waiting, message=message, token=None, lease_until=None, started_at=None)

    def _touch(self, claim: Claim, **values: object) -> AttemptState:
        with self._database.transaction() as connection:
            row = _held(connection, claim)
            if row is not None and row["status"] == "running":
                change_job(connection, row, **values)
            return _state(row, claim)

    def _release(self, claim: Claim, leave: Callable[[Connection, RowMapping], None]) -> None:
        # Whatever the reason for the release, an earlier cancellation wins.
        with self._database.transaction() as connection:
            row = _held(connection, claim)
            if row is None:
                return
            if row["status"] == "cancelling":
                end_job(connection, row, "cancelled", self._now(), cancelled())
            else:
                leave(connection, row)


def _held(connection: Connection, claim: Claim) -> RowMapping | None:
    row = lock_job(connection, claim.job)
    return row if _state(row, claim) in {AttemptState.RUNNING, AttemptState.CANCELLING} else None


def _state(row: RowMapping | None, claim: Claim) -> AttemptState:
    if row is None or row["token"] != claim.token:
        return AttemptState.FENCED
    return _STATES.get(row["status"], AttemptState.ENDED)


def _claim(row: RowMapping) -> Claim:
    return Claim(
        job=row["id"],
        kind=row["kind"],
        artefact=row["artefact"],
        request=row["request"],
        attempt=row["attempt"],
        token=row["token"],
        deadline_seconds=row["deadline_seconds"],
        request_id=row["request_id"],
        estimated_seconds=row["estimated_seconds"],
    )
