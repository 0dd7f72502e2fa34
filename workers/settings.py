"""WorkerSettings: everything about a worker that can be set, from LEAFSPACE_* in the environment."""

import os
from pathlib import Path
from typing import Literal

from pydantic_settings import BaseSettings, SettingsConfigDict

from storage.attempts import RETRY_DELAYS_SECONDS
from storage.settings import StorageSettings, embedded


def _physical_memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


class WorkerSettings(BaseSettings):
    """Settings of one worker process."""

    model_config = SettingsConfigDict(env_prefix="LEAFSPACE_", frozen=True, extra="ignore")

    data_dir: Path
    database_url: str | None = None  # default: SQLite in the data directory
    redis_url: str
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    worker_niceness: int = 15  # explanations go first: at nice 0, two busy workers double their p99
    job_memory_bytes: int = _physical_memory_bytes()
    lease_seconds: float = 30  # a worker that is silent for so long is taken for dead
    renew_seconds: float = 5
    look_seconds: float = 1  # between looks whether a job was cancelled
    reconcile_seconds: float = 1  # between looks for jobs that nobody cares for
    unheard_seconds: float = 2  # after which the bell of a new job counts as lost
    retry_delays_seconds: tuple[float, ...] = RETRY_DELAYS_SECONDS

    @property
    def storage(self) -> StorageSettings:
        """Where rows and objects are kept."""
        return embedded(self.data_dir, self.database_url)
