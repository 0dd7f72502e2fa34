"""WorkerSettings: everything about a worker that can be set, from LEAFSPACE_* in the environment."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from storage.attempts import LONGEST_PAUSE_SECONDS, RETRY_DELAYS_SECONDS
from storage.retention import RetentionRules
from storage.settings import CACHE_BYTES, StorageSettings, embedded, memory_bytes
from storage.source_files.roots import read_roots

from ..cluster.settings import ClusterSettings, TlsFiles


class WorkerSettings(BaseSettings):
    """Settings of one worker process."""

    model_config = SettingsConfigDict(env_prefix="LEAFSPACE_", frozen=True, extra="ignore")

    data_dir: Path
    database_url: str | None = None  # default: SQLite in the data directory
    object_store_url: str | None = None  # file:///… or s3://bucket/prefix; default: a folder in the data directory
    object_cache_bytes: int = CACHE_BYTES  # of local copies of what is in a bucket
    dataset_sources: Annotated[
        tuple[str, ...], NoDecode, BeforeValidator(read_roots)
    ] = ()  # comma-separated: s3://bucket/prefix, file:///folder; below these alone datasets by reference are read
    source_cache_bytes: int = CACHE_BYTES  # of what was read of their files, on the local disk
    redis_url: str
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    worker_niceness: int = 5  # jobs yield to explanations, and get their share beside all else that the machine does
    job_memory_bytes: int = memory_bytes()  # of one job's process; the API refuses jobs that would need more
    lease_seconds: float = 30  # a worker that is silent for this long is taken for dead
    renew_seconds: float = 5
    look_seconds: float = 1  # between checks whether a job was cancelled
    reconcile_seconds: float = 1  # between checks for jobs that no worker works on
    notification_seconds: float = 2  # after which the message of a new job counts as lost
    retry_delays_seconds: tuple[float, ...] = RETRY_DELAYS_SECONDS
    storage_pause_seconds: float = 5  # before a job is tried again that found rows or objects away; it is not counted
    dask_scheduler: str | None = None  # tls://host:8786: where jobs run that no one machine can hold; none: nowhere
    dask_tls_ca: Path | None = None  # of the authority whose certificates all nodes of the cluster show
    dask_tls_cert: Path | None = None  # of this node
    dask_tls_key: Path | None = None  # of that certificate
    dask_block_rows: int = 65_536  # partitions of rows are whole numbers of blocks
    dask_patience_seconds: float = 10  # for the scheduler and a first worker; then the job goes back into the queue
    retention_seconds: float = 3600  # between searches for what is old
    keep_artefact_days: float | None = None  # ready ones that no explainer rests on; none: for ever
    keep_failed_artefact_days: float | None = 30  # those that failed or were cancelled
    keep_job_days: float | None = 90  # jobs that have ended and are not the last ones of an artefact
    keep_idempotency_days: float | None = 7  # what an Idempotency-Key made
    keep_explanation_days: float | None = 184  # stored ones, half a year; none: for ever
    keep_unused_input_days: float | None = None  # models and datasets that nothing rests on; none: for ever
    keep_leaf_table_bytes: int | None = 50 << 30  # of all leaf tables, a cache; none: as many as there are

    @property
    def cluster(self) -> ClusterSettings | None:
        """The cluster, if there is one."""
        if self.dask_scheduler is None:
            return None
        tls = TlsFiles.of(self.dask_tls_ca, self.dask_tls_cert, self.dask_tls_key)
        return ClusterSettings(self.dask_scheduler, tls, self.dask_block_rows, self.dask_patience_seconds)

    @property
    def longest_pause_seconds(self) -> float:
        """Longest pause before a job is tried again."""
        return max(LONGEST_PAUSE_SECONDS, self.storage_pause_seconds, *self.retry_delays_seconds)

    @property
    def confirm_seconds(self) -> float:
        """How long to observe a lease that has ended by the wall clock: a worker that lives would renew it."""
        return min(self.lease_seconds, 1.5 * self.renew_seconds)

    @property
    def retention(self) -> RetentionRules:
        """How long each sort of row and object is kept."""
        return RetentionRules(
            artefact_days=self.keep_artefact_days,
            failed_artefact_days=self.keep_failed_artefact_days,
            job_days=self.keep_job_days,
            idempotency_days=self.keep_idempotency_days,
            explanation_days=self.keep_explanation_days,
            unused_input_days=self.keep_unused_input_days,
            leaf_table_bytes=self.keep_leaf_table_bytes,
        )

    @property
    def storage(self) -> StorageSettings:
        """The storage of rows and objects."""
        found = embedded(self.data_dir, self.database_url, self.object_store_url, self.object_cache_bytes)
        return found.with_sources(self.dataset_sources, self.data_dir, self.source_cache_bytes)
