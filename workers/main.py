"""Builds a worker out of its parts and runs it until it is told to stop."""

from collections.abc import Mapping
from functools import partial
from threading import RLock

from redis import Redis
from redis.backoff import ExponentialBackoff
from redis.retry import Retry

from storage.abandoned_jobs import AbandonedJobs, Timing
from storage.attempts import AttemptStore
from storage.database import Database
from storage.doorbell import RUN_JOB, Doorbell
from storage.opening import open_objects
from storage.worker_notes import WorkerNotes

from .attending import Attendant
from .clearing import Clearing
from .context import JobKind
from .lifecycle import run_job
from .maintenance import Maintenance
from .settings import WorkerSettings
from .worker import JobWorker

_LONGEST_PAUSE_SECONDS = 2
_CONNECTION_ATTEMPTS = 60


def run_worker(settings: WorkerSettings, kinds: Mapping[str, JobKind]) -> None:
    """Do jobs of these kinds until SIGTERM or SIGINT."""
    database = Database(settings.storage.database_url)
    database.migrate()
    doorbell = Doorbell(settings.redis_url)
    fork_lock = RLock()
    maintenance = _maintenance(settings, database, doorbell, fork_lock)
    maintenance.start()
    try:
        attendant = Attendant(settings, database, doorbell, fork_lock)
        functions = {RUN_JOB: partial(run_job, settings, kinds)}
        JobWorker(_patient_redis(settings.redis_url), doorbell, attendant, functions).work(logging_level="WARNING")
    finally:
        maintenance.stop()


def _maintenance(settings: WorkerSettings, database: Database, doorbell: Doorbell, fork_lock: RLock) -> Maintenance:
    attempts = AttemptStore(
        database,
        retry_delays_seconds=settings.retry_delays_seconds,
        longest_pause_seconds=settings.longest_pause_seconds,
    )
    timing = Timing(settings.lease_seconds, settings.confirm_seconds, settings.unheard_seconds)
    abandoned = AbandonedJobs(database, attempts, timing)
    clearing = Clearing(WorkerNotes(doorbell.redis), settings.retention_seconds)
    objects = open_objects(settings.storage)
    return Maintenance(abandoned, doorbell, objects, fork_lock, settings.reconcile_seconds, clearing)


def _patient_redis(redis_url: str) -> Redis:
    retry = Retry(ExponentialBackoff(cap=_LONGEST_PAUSE_SECONDS), _CONNECTION_ATTEMPTS)
    return Redis.from_url(redis_url, socket_connect_timeout=2, health_check_interval=15, retry=retry)
