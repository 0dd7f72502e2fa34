"""JobRunner: claims a job's row, runs the job in a process of its own, and settles the row when the process is over."""

import gc
from collections.abc import Callable
from functools import partial
from threading import RLock

import structlog

from observability.logs import log_context
from storage.attempts import AttemptState, AttemptStore, Claim
from storage.database import Database
from storage.errors import StorageError
from storage.job_counts import is_short
from storage.job_notifications import JobNotifier
from storage.jobs import deadline_exceeded, worker_lost
from storage.remote_objects import open_objects

from .job_monitor import EndReason, JobMonitor, ProcessorTime
from .job_notes import KeptNote
from .job_process import JobProcess
from .lifecycle import workspace_name
from .settings import WorkerSettings

RunClaim = Callable[[Claim], None]
"""Does a claimed job, inside the job's own process."""

_LOG = structlog.get_logger(__name__)


class JobRunner:
    """Runs jobs, one at a time.

    Parameters
    ----------
    fork_lock
        Held by other threads of this process while they use connections, so that none is open when a job is forked.
    load
        Imports what all jobs of a kind are to find there, before one of them is forked.
    kept
        What the last jobs loaded, which is loaded now.
    """

    def __init__(
        self,
        settings: WorkerSettings,
        database: Database,
        notifier: JobNotifier,
        fork_lock: RLock,
        load: Callable[[str], None],
        kept: KeptNote,
    ) -> None:
        self._settings = settings
        self._database = database
        self._attempts = AttemptStore(
            database,
            retry_delays_seconds=settings.retry_delays_seconds,
            longest_pause_seconds=settings.longest_pause_seconds,
        )
        self._notifier = notifier
        self._objects = open_objects(settings.storage)
        self._fork_lock = fork_lock
        self._load = load
        self._kept = kept
        if kept.read().load():
            gc.freeze()

    def run(self, job_id: str, run_claim: RunClaim, is_stopping: Callable[[], bool]) -> None:
        """Run the job if its row waits for a worker; return when no process works on it any more."""
        try:
            claim = self._attempts.claim(job_id, self._settings.lease_seconds)
            if claim is None:
                _LOG.info("job %s: not waiting for a worker", job_id)
                return
            about = {"job": claim.job, "kind": claim.kind, "artefact": claim.artefact, "attempt": claim.attempt}
            with log_context(**about, request_id=claim.request_id):
                self._settle(claim, self._run_claimed(claim, run_claim, is_stopping))
        except StorageError as error:
            # Its lease will end, and maintenance will find it.
            _LOG.warning("job %s: left for later: %s", job_id, error)

    def _run_claimed(self, claim: Claim, run_claim: RunClaim, is_stopping: Callable[[], bool]) -> EndReason:
        _LOG.info("job_started")
        self._load(claim.kind)
        with self._fork_lock:
            # An open SQLite connection must not be carried into another process.
            self._database.close()
            process = JobProcess.fork(partial(run_claim, claim))
        monitor = JobMonitor(self._attempts, claim, self._settings, ProcessorTime(process.pid))
        try:
            return monitor.wait(process.has_ended, is_stopping)
        finally:
            process.kill()
            # A small job takes long to load what it runs: the next one finds it here.
            note = process.take_note()
            if note.load():
                gc.freeze()
                self._kept.add(note)
            self._objects.clear_workspace(workspace_name(claim.job, claim.attempt))

    def _settle(self, claim: Claim, reason: EndReason) -> None:
        _LOG.info("job_left", status=reason.name.lower())
        if reason is EndReason.ENDED:
            # A process that did its work has ended its row, too.
            if self._attempts.state_of(claim) in {AttemptState.RUNNING, AttemptState.CANCELLING}:
                _LOG.warning("job %s, attempt %d: its process was lost", claim.job, claim.attempt)
                self._attempts.try_again(claim, worker_lost(claim.attempt))
        elif reason is EndReason.CANCELLED:
            self._attempts.finish_cancel(claim)
        elif reason is EndReason.OVERDUE:
            self._attempts.fail(claim, deadline_exceeded(claim.deadline_seconds))
        elif reason is EndReason.STOPPED:
            self._attempts.hand_back(claim)
            self._notifier.notify(claim.job, claim.deadline_seconds, is_short=is_short(claim.estimated_seconds))
