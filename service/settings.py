"""ServiceSettings: everything about the API process that can be set, from LEAFSPACE_* in the environment."""

from pathlib import Path

from pydantic_settings import BaseSettings, SettingsConfigDict

from storage.settings import StorageSettings, embedded

from .edge.body_guard import BodyLimits
from .intake.settings import IntakeSettings


class ServiceSettings(BaseSettings):
    """Settings of one API process."""

    model_config = SettingsConfigDict(env_prefix="LEAFSPACE_", frozen=True, extra="ignore")

    data_dir: Path
    database_url: str | None = None  # default: SQLite in the data directory
    redis_url: str
    host: str = "127.0.0.1"
    port: int = 8000
    max_model_bytes: int = 1 << 30
    max_dataset_bytes: int = 2 << 30
    max_json_bytes: int = 8 << 20
    max_uploads_at_once: int = 4
    body_seconds: float = 30
    job_deadline_seconds: float = 3600
    large_job_deadline_seconds: float = 6 * 3600  # for datasets over 100,000 rows
    warm_explainers: int = 16
    max_explanation_set_values: int = 1_000_000_000  # of prototypes, told in one set: some 300 GB of JSON lines
    max_explained_values: int = 1_000_000  # of prototypes, told in one answer: some 300 MB of JSON at most

    @property
    def body_limits(self) -> BodyLimits:
        """How large bodies may be, and how long they may take."""
        uploads = {"/v1/models": self.max_model_bytes, "/v1/datasets": self.max_dataset_bytes}
        return BodyLimits(self.max_json_bytes, uploads, self.body_seconds)

    @property
    def intake(self) -> IntakeSettings:
        """How uploads are read."""
        return IntakeSettings(n_at_once=self.max_uploads_at_once)

    @property
    def storage(self) -> StorageSettings:
        """Where rows and objects are kept."""
        return embedded(self.data_dir, self.database_url)
