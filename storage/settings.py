"""StorageSettings: where things are kept."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class StorageSettings:
    """Where rows and objects are kept."""

    database_url: str  # an SQLAlchemy URL: sqlite:///… or postgresql+psycopg://…
    objects_dir: Path  # objects by hash, and the folder in which they are written first


def embedded(data_dir: Path, database_url: str | None = None) -> StorageSettings:
    """Return the settings that keep everything below ``data_dir``, or the rows in the database named."""
    return StorageSettings(database_url or f"sqlite:///{data_dir / 'leafspace.db'}", data_dir / "objects")
