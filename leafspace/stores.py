"""Storage locations: where rows and objects are kept, for commands that use them beside the service or without it."""

import os
from pathlib import Path

from sqlalchemy import make_url

from storage.settings import StorageSettings, embedded

from .errors import CannotServe


def storage_of(data_dir: Path) -> StorageSettings:
    """Return where a service with this data directory and this environment keeps rows and objects."""
    database_url, object_store_url = (os.environ.get(f"LEAFSPACE_{name}_URL") for name in ("DATABASE", "OBJECT_STORE"))
    try:
        return embedded(data_dir, database_url, object_store_url)
    except ValueError as error:
        raise CannotServe(str(error)) from error


def local_storage_of(data_dir: Path) -> StorageSettings:
    """Return the same; refuse where rows or objects are not files of this machine."""
    settings = storage_of(data_dir)
    if not has_database_file(settings) or settings.bucket_url is not None:
        message = (
            "rows in PostgreSQL are backed up by pg_dump and restored by pg_restore, objects in a bucket by copying "
            "the bucket; in which order, see Backup and restore in docs/operations.md"
        )
        raise CannotServe(message)
    return settings


def check_there_is_a_database(settings: StorageSettings, data_dir: Path) -> None:
    """Refuse a data directory that no service has used."""
    if has_database_file(settings) and not database_file(settings).exists():
        message = f"{data_dir} has no database; name the service's data directory with --data-dir"
        raise CannotServe(message)


def has_database_file(settings: StorageSettings) -> bool:
    """Whether rows are in a file of SQLite's."""
    return make_url(settings.database_url).get_backend_name() == "sqlite"


def database_file(settings: StorageSettings) -> Path:
    """Return the file of an SQLite database."""
    return Path(make_url(settings.database_url).database or "").absolute()
