"""Clearing: once an hour one of all workers has old things cleared away, in a process that is made for it.

``leafspace clear`` does the same at once. A process of its own may open whatever the object store takes, which must
not be carried into the processes of jobs, and delays neither jobs nor maintenance.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict

import structlog

from observability.logs import log_json_lines
from storage.database import Database
from storage.errors import StorageError
from storage.job_notifications import JobNotifier
from storage.remote_objects import open_objects
from storage.retention import Retention, RetentionRules
from storage.store_pairs import StoresDiffer
from storage.worker_heartbeats import WorkerHeartbeats

from .process_limits import end_with_parent
from .settings import WorkerSettings

_SECONDS_BETWEEN_SIGNS = 5.0
_PATIENCE_SECONDS = 2
_LOG = structlog.get_logger(__name__)


class Clearing:
    """Shows that this worker lives, and takes its turn at clearing away; maintenance calls it once a second."""

    def __init__(
        self,
        heartbeats: WorkerHeartbeats,
        interval_seconds: float,
        rules: RetentionRules,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._heartbeats = heartbeats
        self._rules = asdict(rules)
        self._interval_seconds = interval_seconds
        self._clock = clock
        self._name = f"{os.uname().nodename}.{os.getpid()}"
        self._sign_at = clock()
        # Not at once: a worker has better things to do when it starts.
        self._turn_at = clock() + min(60.0, interval_seconds)
        self._process: subprocess.Popen[bytes] | None = None

    def poll(self) -> None:
        """Do what is due; returns at once."""
        now = self._clock()
        if self._process is not None and self._process.poll() is not None:
            self._process = None
        if now >= self._sign_at:
            self._sign_at = now + _SECONDS_BETWEEN_SIGNS
            self._heartbeats.record(self._name)
            self._heartbeats.record_rules(self._rules)
        if now >= self._turn_at:
            self._turn_at = now + self._interval_seconds
            if self._process is None and self._heartbeats.claim_turn("clearing", self._interval_seconds / 2):
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "workers.runtime.clearing"], process_group=0
                )

    def stop(self) -> None:
        """Stop a clearing that is under way: it goes on in an hour."""
        self._heartbeats.remove(self._name)
        if self._process is not None:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_PATIENCE_SECONDS)


def clear_once(settings: WorkerSettings, *, any_share: bool = False) -> dict[str, int]:
    """Delete what these settings call old; return the number of rows and objects of each sort.

    With ``any_share`` objects of no row are deleted even if they are more than half of all.
    """
    database = Database(settings.storage.database_url)
    try:
        return Retention(database, open_objects(settings.storage), settings.retention).clear(any_share=any_share)
    finally:
        database.close()


def main() -> None:
    """Clear away now, and log how much it was."""
    parent = os.getppid()
    end_with_parent(parent, signal.SIGTERM)
    settings = WorkerSettings()
    log_json_lines(settings.log_level)
    try:
        counts = clear_once(settings)
    except StoresDiffer as error:
        _LOG.error("nothing_cleared_away", reason=error.detail)  # the sentence says all
        return
    except StorageError as error:
        _LOG.warning("cannot clear away old things now: %s", error)
        return
    _LOG.info("cleared_away", counts=counts)
    WorkerHeartbeats(JobNotifier(settings.redis_url).redis).add_removed(counts)


if __name__ == "__main__":
    main()
