"""Builds workers out of their parts and runs them until SIGTERM or SIGINT."""

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from threading import RLock

from storage.abandoned_jobs import AbandonedJobs, Timing
from storage.attempts import AttemptStore
from storage.database import Database
from storage.job_notifications import QUEUE_NAME, RUN_JOB, SHORT_QUEUE_NAME, JobNotifier
from storage.remote_objects import open_objects
from storage.worker_heartbeats import WorkerHeartbeats

from .job_kinds import load_late
from .runtime.clearing import Clearing
from .runtime.context import JobKind
from .runtime.forks import Work, keep_workers
from .runtime.job_notes import KeptNote
from .runtime.job_runner import JobRunner
from .runtime.lifecycle import run_job
from .runtime.maintenance import Maintenance
from .runtime.patient_redis import patient_redis
from .runtime.restarts import report_ready
from .runtime.settings import WorkerSettings
from .runtime.worker import JobWorker


def run_workers(
    settings: WorkerSettings, kinds: Mapping[str, JobKind], n_workers: int, ready_fd: int | None = None
) -> None:
    """Keep ``n_workers`` running until SIGTERM or SIGINT; announce over ``ready_fd`` that they are started."""

    def announce() -> None:
        if ready_fd is not None:
            report_ready(ready_fd)

    def work_for(queue_name: str) -> Work:
        return lambda announce_ready: run_worker(settings, kinds, announce_ready, queue_name)

    # Of several workers, the last takes short jobs alone, so that they start soon.
    queue_names = [QUEUE_NAME] * max(1, n_workers - 1) + [SHORT_QUEUE_NAME] * (n_workers > 1)
    keep_workers([work_for(queue_name) for queue_name in queue_names], announce)


def run_worker(
    settings: WorkerSettings,
    kinds: Mapping[str, JobKind],
    announce_ready: Callable[[], None] = lambda: None,
    queue_name: str = QUEUE_NAME,
) -> None:
    """Do jobs of these kinds, one at a time, until SIGTERM or SIGINT."""
    database = Database(settings.storage.database_url)
    database.migrate()
    notifier = JobNotifier(settings.redis_url)
    fork_lock = RLock()
    maintenance = _maintenance(settings, database, notifier, fork_lock)
    maintenance.start()
    announce_ready()
    try:
        loops = os.environ.get("NUMBA_CACHE_DIR")
        kept = KeptNote(Path(loops) if loops else None)
        runner = JobRunner(settings, database, notifier, fork_lock, load_late, kept)
        functions = {RUN_JOB: partial(run_job, settings, kinds)}
        redis = patient_redis(settings.redis_url)
        JobWorker(redis, notifier, runner, functions, queue_name).work(logging_level="WARNING")
    finally:
        maintenance.stop()


def _maintenance(settings: WorkerSettings, database: Database, notifier: JobNotifier, fork_lock: RLock) -> Maintenance:
    attempts = AttemptStore(
        database,
        retry_delays_seconds=settings.retry_delays_seconds,
        longest_pause_seconds=settings.longest_pause_seconds,
    )
    timing = Timing(settings.lease_seconds, settings.confirm_seconds, settings.notification_seconds)
    abandoned = AbandonedJobs(database, attempts, timing)
    clearing = Clearing(WorkerHeartbeats(notifier.redis), settings.retention_seconds, settings.retention)
    objects = open_objects(settings.storage)
    return Maintenance(abandoned, notifier, objects, fork_lock, settings.reconcile_seconds, clearing)
