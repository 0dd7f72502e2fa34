"""Attending to one job: claim its row, have it done in a process of its own, settle what became of it."""

import logging
from collections.abc import Callable
from functools import partial
from threading import RLock

from storage.attempts import AttemptStore, Claim, Standing
from storage.database import Database
from storage.doorbell import Doorbell
from storage.errors import StorageError
from storage.job_counts import is_short
from storage.job_problems import deadline_exceeded, worker_lost
from storage.remote_objects import open_objects

from .job_monitor import Outcome, Watch
from .job_process import JobProcess
from .lifecycle import workspace_name
from .logs import fields, logging_about
from .processor_time import ProcessorTime
from .settings import WorkerSettings

RunClaim = Callable[[Claim], None]
"""Does a claimed job, inside the job's own process."""

_log = logging.getLogger(__name__)


class Attendant:
    """Sees jobs through, one at a time.

    Parameters
    ----------
    fork_lock
        Held by other threads of this process while they use connections, so that none is open when a job is forked.
    """

    def __init__(self, settings: WorkerSettings, database: Database, doorbell: Doorbell, fork_lock: RLock) -> None:
        self._settings = settings
        self._database = database
        self._attempts = AttemptStore(
            database,
            retry_delays_seconds=settings.retry_delays_seconds,
            longest_pause_seconds=settings.longest_pause_seconds,
        )
        self._doorbell = doorbell
        self._objects = open_objects(settings.storage)
        self._fork_lock = fork_lock

    def attend(self, job_id: str, run_claim: RunClaim, is_stopping: Callable[[], bool]) -> None:
        """Do the job if its row waits for a worker; return when nothing works on it any more."""
        try:
            claim = self._attempts.claim(job_id, self._settings.lease_seconds)
            if claim is None:
                _log.info("job %s: not waiting for a worker", job_id)
                return
            with logging_about(claim):
                self._settle(claim, self._run(claim, run_claim, is_stopping))
        except StorageError as error:
            # Its lease will end, and somebody will find it.
            _log.warning("job %s: left for later: %s", job_id, error)

    def _run(self, claim: Claim, run_claim: RunClaim, is_stopping: Callable[[], bool]) -> Outcome:
        _log.info("job_started")
        with self._fork_lock:
            # An open SQLite connection must not be carried into another process.
            self._database.close()
            process = JobProcess.fork(partial(run_claim, claim))
        watch = Watch(self._attempts, claim, self._settings, ProcessorTime(process.pid))
        try:
            return watch.until_over(process.has_ended, is_stopping)
        finally:
            process.kill()
            self._objects.clear_workspace(workspace_name(claim.job, claim.attempt))

    def _settle(self, claim: Claim, outcome: Outcome) -> None:
        _log.info("job_left", extra=fields(status=outcome.name.lower()))
        if outcome is Outcome.ENDED:
            self._settle_ended(claim)
        elif outcome is Outcome.CANCELLED:
            self._attempts.finish_cancel(claim)
        elif outcome is Outcome.OVERDUE:
            self._attempts.fail(claim, deadline_exceeded(claim.deadline_seconds))
        elif outcome is Outcome.STOPPED:
            self._attempts.hand_back(claim)
            self._doorbell.ring(claim.job, claim.deadline_seconds, is_short=is_short(claim.estimated_seconds))

    def _settle_ended(self, claim: Claim) -> None:
        # A process that did its work has ended its row, too.
        if self._attempts.look(claim) in {Standing.RUNNING, Standing.CANCELLING}:
            _log.warning("job %s, attempt %d: its process was lost", claim.job, claim.attempt)
            self._attempts.try_again(claim, worker_lost(claim.attempt))
