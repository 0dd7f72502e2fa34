"""Maintenance: a thread that finds jobs whose worker is gone or whose message was lost, and clears up."""

import logging
from threading import Event, RLock, Thread

from storage.abandoned_jobs import AbandonedJobs
from storage.errors import StorageError
from storage.job_notifications import JobNotifier
from storage.object_store import ObjectStore

from .clearing import Clearing

_log = logging.getLogger(__name__)


class Maintenance:
    """Checks all jobs once in a while, in every worker: one of them is enough, several do no harm.

    Parameters
    ----------
    fork_lock
        Held while connections are in use: a process forked meanwhile would inherit them half-used.
    """

    def __init__(
        self,
        abandoned: AbandonedJobs,
        notifier: JobNotifier,
        objects: ObjectStore,
        fork_lock: RLock,
        interval_seconds: float,
        clearing: Clearing | None = None,
    ) -> None:
        self._clearing = clearing
        self._abandoned = abandoned
        self._notifier = notifier
        self._objects = objects
        self._fork_lock = fork_lock
        self._interval_seconds = interval_seconds
        self._stopped = Event()
        self._thread = Thread(target=self._run, name="maintenance", daemon=True)

    def start(self) -> None:
        """Start the thread; it checks at once."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread after the check under way."""
        self._stopped.set()
        self._thread.join()
        if self._clearing is not None:
            self._clearing.stop()

    def poll_once(self) -> None:
        """Queue, fail and announce jobs that need it; clear away files of processes that are gone."""
        if self._clearing is not None:
            self._clearing.poll()
        n_lost = self._abandoned.requeue_expired()
        n_overdue = self._abandoned.expire_deadlines()
        if n_lost or n_overdue:
            _log.warning("%d jobs had lost their worker, %d ran too long", n_lost, n_overdue)
        waiting = {job.id: job for job in self._abandoned.due_for_notification()}
        for job_id in self._notifier.lost({job_id: job.is_short for job_id, job in waiting.items()}):
            self._notifier.notify(job_id, waiting[job_id].deadline_seconds, is_short=waiting[job_id].is_short)
        self._objects.sweep()

    def _run(self) -> None:
        while True:
            with self._fork_lock:
                self._check_and_log()
            if self._stopped.wait(self._interval_seconds):
                return

    def _check_and_log(self) -> None:
        try:
            self.poll_once()
        except StorageError as error:
            _log.warning("cannot check jobs now: %s", error)
        except Exception:  # noqa: BLE001  # the edge of a thread: the next check may succeed
            _log.exception("checking jobs failed")
