"""ServiceSettings: everything about the API process that can be set, from LEAFSPACE_* in the environment."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from storage.dataset_files import DatasetLimits
from storage.settings import CACHE_BYTES, StorageSettings, embedded, memory_bytes
from storage.source_files.roots import read_roots
from tree_explainers.onnx_models.description import ModelLimits

from .middleware.addresses import is_loopback
from .middleware.admission.bodies import BodyLimits
from .middleware.admission.limits import ConnectionLimits, RequestRates
from .upload_sandbox.settings import UploadReaderSettings

_SOURCE_PATIENCE_SECONDS = 5.0  # callers wait: an early "try again" is better than a late one

_DIVIDED = (
    *("max_waiting_json_bytes", "max_answer_bytes", "max_download_bytes", "max_unwritten_explanation_bytes"),
    *("max_uploads_at_once", "max_uploads_under_way", "max_uploads_of_caller"),
)
"""What the API processes of a host may have together, so that each has its share."""


def read_origins(text: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return the origins of a comma-separated list, as browsers send them: ``https://pages.example:8443``.

    Raises
    ------
    ValueError
        If one is not a scheme and a host, perhaps with a port; ``*`` is refused, as each origin is to be named.
    """
    origins = text.split(",") if isinstance(text, str) else text
    origins = tuple(origin.strip().rstrip("/").lower() for origin in origins if origin.strip())
    for origin in origins:
        scheme, host, *rest = urlsplit(origin)
        is_origin = scheme in {"http", "https"} and bool(host) and not any(rest) and not {"@", "*", " "} & set(host)
        if not is_origin:
            message = (
                f"{origin!r} is not an origin such as https://pages.example or http://localhost:3000; name each one"
            )
            raise ValueError(message)
    return origins


class ServiceSettings(BaseSettings):
    """Settings of one API process."""

    model_config = SettingsConfigDict(env_prefix="LEAFSPACE_", frozen=True, extra="ignore")

    data_dir: Path  # where everything is kept that stands nowhere else
    database_url: str | None = None  # default: SQLite in the data directory
    object_store_url: str | None = None  # file:///… or s3://bucket/prefix; default: a folder in the data directory
    object_cache_bytes: int = CACHE_BYTES  # local copies of objects in a bucket
    dataset_sources: Annotated[
        tuple[str, ...], NoDecode, BeforeValidator(read_roots)
    ] = ()  # comma-separated: s3://bucket/prefix, file:///folder; datasets are read by reference only below these
    source_cache_bytes: int = CACHE_BYTES  # copies on the local disk of what was read of their files
    redis_url: str  # where workers hear of jobs: redis://… or rediss://…; by default a Redis of its own
    host: str = "127.0.0.1"  # address to listen on; beyond loopback, keys are required
    port: int = 8000  # port to listen on
    require_keys: bool = False  # on loopback too; elsewhere keys are always required
    cors_origins: Annotated[
        tuple[str, ...], NoDecode, BeforeValidator(read_origins)
    ] = ()  # comma-separated: sites whose pages may call from a browser, such as https://pages.example
    log_level: Literal["debug", "info", "warning", "error"] = "info"  # above info, only failed requests are logged
    drain_seconds: float = 0.5  # after SIGTERM, answering but not ready: choose more than a proxy's probe interval
    grace_seconds: int = 5  # then requests under way may finish; the others are answered with 503
    max_model_bytes: int = 1 << 30  # of a model's file
    max_model_nodes: int = 20_000_000  # of all trees of a model
    max_model_trees: int = 10_000  # of a model
    max_model_depth: int = 512  # splits one below the other, of any tree
    max_model_outputs: int = 1000  # classes or targets of a model
    max_dataset_bytes: int = 2 << 30  # of a dataset's file
    max_dataset_rows: int = 10_000_000  # of a dataset, as of each table of several
    max_dataset_columns: int = 10_000  # likewise
    max_dataset_cells: int = 2_000_000_000  # likewise: rows times columns
    max_dataset_field_bytes: int = 128 << 10  # of one value of a dataset
    max_relational_bytes: int = 2 << 30  # all files of a relational dataset
    max_relational_rows: int = 50_000_000  # all its tables
    max_json_bytes: int = 8 << 20  # of any other body
    max_waiting_json_bytes: int = 256 << 20  # bodies over 64 KiB that come in or are being answered; beyond, 503
    max_answer_bytes: int = (
        64 << 20
    )  # memory for lists, pages and single answers; beyond, 503; one caller beyond a quarter, 429
    max_download_bytes: int = 64 << 20  # memory for files being sent; beyond, 503; one caller beyond a quarter, 429
    max_uploads_at_once: int = 4  # read at the same time; others wait for their turn
    max_uploads_under_way: int = 16  # coming in, waiting, or being read; beyond, 503
    max_uploads_of_caller: int = 8  # those of one caller; beyond, 429
    requests_per_second: float = 200  # per key, or per address without one; 0: no limit
    requests_burst: int = 400  # at once, after a pause
    explanations_per_second: float = 2000  # calls for explanations are counted separately
    explanations_burst: int = 4000  # of them at once, after a pause
    max_requests_under_way: int = 512  # beside explanations and callers that watch jobs; beyond, 503
    max_requests_of_caller: int = 64  # those of one caller; beyond, 429
    max_watching_of_caller: int = 128  # requests that wait for jobs; beyond, 429
    refused_per_second: float = 10  # refusals for want of a valid key or scope; beyond, 429; 0: no limit
    refused_burst: int = 100  # refusals at once, after a pause
    max_waiting_requests: int = 256  # whose turn has not come; beyond, 503
    max_waiting_seconds: float = 10  # processor time of calls that wait or are under way; one caller may have half
    max_connections_per_address: int = 1024  # behind a proxy, all callers have its address; beyond, 503
    body_seconds: float = 30  # for a body to arrive, or 64 KiB a second beyond that; then 408
    answer_seconds: float = 30  # callers that read answers this much behind 64 KiB a second are cut off
    header_seconds: float = 10  # for the headers of a request to arrive; then 408
    api_workers: int = 1  # API processes of this host; what all of them hold in memory is divided among them
    job_memory_bytes: int = memory_bytes()  # the same as workers have; jobs that would need more are refused
    dask_scheduler: str | None = None  # tls://host:8786, for jobs too large for one machine; unset: no cluster
    job_deadline_seconds: float = 3600  # of running time; a job that takes longer fails
    large_job_deadline_seconds: float = 6 * 3600  # for datasets over 100,000 rows
    max_queued_jobs: int = 10_000  # jobs that wait for a worker; beyond, 429
    max_queued_jobs_of_caller: int = 1000  # those of one key; beyond, 429
    warm_explainers: int = 16  # explainers, models and feature sets held in memory, those used last
    max_explanation_set_values: int = 1_000_000_000  # values of prototypes in one set: some 300 GB of JSON lines
    store_explanations: bool = False  # lets explainers store explanations with their rows, which are personal data
    max_unwritten_explanation_bytes: int = 64 << 20  # explanations that wait to be stored; beyond, 503
    max_explained_values: int = 1_000_000  # values of prototypes in one answer: some 300 MB of JSON at most

    @property
    def keys_required(self) -> bool:
        """Whether callers must show a key."""
        return self.require_keys or not is_loopback(self.host)

    def of_one_process(self) -> "ServiceSettings":
        """Return the settings of one of the API processes, whose limits of memory and of uploads are shares."""
        shares = {name: max(1, -(-getattr(self, name) // self.api_workers)) for name in _DIVIDED}
        return self.model_copy(update=shares)

    @property
    def body_limits(self) -> BodyLimits:
        """How large bodies may be, and how long they may take."""
        uploads = {
            "/v1/models": self.max_model_bytes,
            "/v1/datasets": self.max_dataset_bytes,
            "/v1/relational-datasets": self.max_relational_bytes,
        }
        return BodyLimits(
            self.max_json_bytes,
            uploads,
            self.body_seconds,
            n_bytes_held=self.max_waiting_json_bytes,
            answer_seconds=self.answer_seconds,
        )

    @property
    def request_rates(self) -> RequestRates:
        """How often callers may come, and how many requests are taken on."""
        return RequestRates(
            per_second=self.requests_per_second,
            burst=self.requests_burst,
            explanations_per_second=self.explanations_per_second,
            explanations_burst=self.explanations_burst,
            n_uploads=self.max_uploads_under_way,
            n_uploads_of_caller=self.max_uploads_of_caller,
            n_under_way=self.max_requests_under_way,
            n_under_way_of_caller=self.max_requests_of_caller,
            n_watching_of_caller=self.max_watching_of_caller,
            refused_per_second=self.refused_per_second,
            refused_burst=self.refused_burst,
        )

    @property
    def connection_limits(self) -> ConnectionLimits:
        """What one connection, one address, and all that wait may take."""
        return ConnectionLimits(
            header_seconds=self.header_seconds,
            n_connections_per_address=self.max_connections_per_address,
            n_waiting=self.max_waiting_requests,
        )

    @property
    def upload_reader(self) -> UploadReaderSettings:
        """How uploads are read."""
        models = ModelLimits(
            max_nodes=self.max_model_nodes,
            max_trees=self.max_model_trees,
            max_depth=self.max_model_depth,
            max_outputs=self.max_model_outputs,
        )
        datasets = DatasetLimits(
            max_file_bytes=self.max_dataset_bytes,
            max_rows=self.max_dataset_rows,
            max_columns=self.max_dataset_columns,
            max_cells=self.max_dataset_cells,
            max_field_bytes=self.max_dataset_field_bytes,
        )
        tables = replace(datasets, max_file_bytes=self.max_relational_bytes, max_rows=self.max_relational_rows)
        return UploadReaderSettings(
            n_at_once=self.max_uploads_at_once, model_limits=models, dataset_limits=datasets, relational_limits=tables
        )

    @property
    def storage(self) -> StorageSettings:
        """Where rows and objects are kept."""
        storage = embedded(self.data_dir, self.database_url, self.object_store_url, self.object_cache_bytes)
        storage = storage.with_sources(self.dataset_sources, self.data_dir, self.source_cache_bytes)
        return replace(storage, source_patience_seconds=_SOURCE_PATIENCE_SECONDS)
