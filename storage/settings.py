"""StorageSettings: where things are kept."""

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL


@dataclass(frozen=True, slots=True)
class StorageSettings:
    """Where rows and objects are kept."""

    database_url: str | URL  # sqlite:///… or postgresql+psycopg://…
    objects_dir: Path  # objects by hash, and the folder in which they are written first


def embedded(data_dir: Path, database_url: str | None = None) -> StorageSettings:
    """Return the settings that keep everything below ``data_dir``, or the rows in the database named."""
    # Not as text: a path may hold characters that mean something in a URL.
    own = URL.create("sqlite", database=str(data_dir / "leafspace.db"))
    return StorageSettings(database_url or own, data_dir / "objects")
