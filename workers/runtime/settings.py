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
    database_url: str | None = None  # URL of the database; none: SQLite in the data directory
    object_store_url: str | None = None  # file:///… or s3://bucket/prefix; none: a folder in the data directory
    object_cache_bytes: int = CACHE_BYTES  # size limit of the local copies of objects in a bucket
    dataset_sources: Annotated[
        tuple[str, ...], NoDecode, BeforeValidator(read_roots)
    ] = ()  # comma-separated s3://bucket/prefix and file:///folder: roots of datasets by reference
    source_cache_bytes: int = CACHE_BYTES  # size limit of the local normalised copies of source files
    redis_url: str
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    worker_niceness: int = 5  # niceness of jobs, which yield to explanations and share the rest of the machine
    job_memory_bytes: int = memory_bytes()  # memory limit of a job's process; the API refuses larger jobs
    lease_seconds: float = 30  # a worker that is silent for this long counts as dead
    renew_seconds: float = 5  # interval at which a worker renews the lease of its job
    look_seconds: float = 1  # interval of checks whether a job was cancelled
    reconcile_seconds: float = 1  # interval of checks for jobs that no worker works on
    notification_seconds: float = 0.5  # time after which the message of a new job counts as lost
    retry_delays_seconds: tuple[float, ...] = RETRY_DELAYS_SECONDS  # pauses before a lost job is tried again
    storage_pause_seconds: float = 5  # pause, uncounted, of a job that could not reach its storage
    dask_scheduler: str | None = None  # scheduler for jobs too large for one machine, tls://host:8786
    dask_tls_ca: Path | None = None  # certificate of the authority that signs for all nodes of the cluster
    dask_tls_cert: Path | None = None  # certificate of this node
    dask_tls_key: Path | None = None  # private key of that certificate
    dask_block_rows: int = 65_536  # rows of a block; a partition is a whole number of blocks
    dask_patience_seconds: float = 10  # waiting time for scheduler and first worker; then the job is queued again
    retention_seconds: float = 3600  # interval of searches for what is too old
    keep_artefact_days: float | None = None  # age at which unused ready artefacts go; none: never
    keep_failed_artefact_days: float | None = 30  # age at which failed and cancelled artefacts go
    keep_job_days: float | None = 90  # age at which finished jobs go, except the last of each artefact
    keep_idempotency_days: float | None = 7  # age at which idempotency keys go
    keep_explanation_days: float | None = 184  # age at which stored explanations go: half a year; none: never
    keep_unused_input_days: float | None = None  # age at which unused models and datasets go; none: never
    keep_leaf_table_bytes: int | None = 50 << 30  # size limit of all leaf tables, which are a cache; none: no limit

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
        settings = embedded(self.data_dir, self.database_url, self.object_store_url, self.object_cache_bytes)
        return settings.with_sources(self.dataset_sources, self.data_dir, self.source_cache_bytes)
