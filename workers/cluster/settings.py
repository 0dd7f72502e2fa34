"""What clients and workers of a cluster must agree on, from LEAFSPACE_* in the environment; without Dask."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from storage.settings import CACHE_BYTES, StorageSettings, embedded
from storage.source_files.roots import read_roots


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """Who may talk to the scheduler: all nodes show certificates of one authority to each other."""

    authority: Path
    certificate: Path
    key: Path

    @staticmethod
    def of(authority: Path | None, certificate: Path | None, key: Path | None) -> "TlsFiles | None":
        """Return the files, or nothing where none is named; refuse some without the others."""
        if authority is None and certificate is None and key is None:
            return None
        if authority is None or certificate is None or key is None:
            message = "LEAFSPACE_DASK_TLS_CA, LEAFSPACE_DASK_TLS_CERT and LEAFSPACE_DASK_TLS_KEY go together"
            raise ValueError(message)
        return TlsFiles(authority, certificate, key)


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """How a job reaches a cluster, and how it cuts rows."""

    scheduler: str  # tls://host:8786 or tcp://host:8786
    tls: TlsFiles | None
    block_rows: int
    patience_seconds: float  # for the scheduler to answer, and for a first worker


class NodeSettings(BaseSettings):
    """Settings of a process that works on partitions: where objects are, and whom it trusts."""

    model_config = SettingsConfigDict(env_prefix="LEAFSPACE_", frozen=True, extra="ignore")

    data_dir: Path
    object_store_url: str | None = None
    object_cache_bytes: int = CACHE_BYTES
    dataset_sources: Annotated[tuple[str, ...], NoDecode, BeforeValidator(read_roots)] = ()
    source_cache_bytes: int = CACHE_BYTES
    dask_tls_ca: Path | None = None
    dask_tls_cert: Path | None = None
    dask_tls_key: Path | None = None

    @property
    def storage(self) -> StorageSettings:
        """The storage of objects; a node has no database."""
        settings = embedded(self.data_dir, None, self.object_store_url, self.object_cache_bytes)
        return settings.with_sources(self.dataset_sources, self.data_dir, self.source_cache_bytes)

    @property
    def tls(self) -> TlsFiles | None:
        """The files of its certificate."""
        return TlsFiles.of(self.dask_tls_ca, self.dask_tls_cert, self.dask_tls_key)
