"""Keys from the machine itself: made, listed and revoked in the database, whether or not a service runs on it."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
from pydantic import ValidationError
from sqlalchemy.exc import SQLAlchemyError

from schemas.api_keys import ApiKey, ApiKeyRequest
from schemas.scopes import Scope
from storage.api_keys import MAX_KEYS, ApiKeyStore
from storage.database import Database
from storage.errors import DatabaseUnusable, StorageError
from storage.remote_objects import open_objects
from storage.settings import embedded
from storage.store_pairs import check_pair

from .errors import CannotServe
from .stores import check_there_is_a_database, storage_of


def create_key(data_dir: Path, name: str, scopes: Sequence[Scope], days: float | None = None) -> None:
    """Make a key, valid for so many days, and print it: alone on standard output, what to know of it beside."""
    expires_at = None if days is None else datetime.now(UTC) + timedelta(days=days)
    try:
        request = ApiKeyRequest(name=name, scopes=list(scopes), expires_at=expires_at)
    except ValidationError as error:
        message = "a key's name has 1 to 255 characters, none of them a control character"
        raise CannotServe(message) from error
    with _opened(data_dir) as keys:
        made = keys.add(request)
    click.echo(made.secret)
    until = f" until {_moment(made.expires_at)}" if made.expires_at else ""
    click.echo(f"{made.id} may {', '.join(made.scopes)}{until}. The key is shown this once; keep it safe.", err=True)


def list_keys(data_dir: Path) -> None:
    """Print a line for each key, the newest first."""
    directory = data_dir.expanduser().absolute()
    check_there_is_a_database(storage_of(directory), directory)
    with _opened(data_dir) as keys:
        found = keys.list(MAX_KEYS, None).data
    for key in found:
        click.echo(line_of(key))
    if not found:
        click.echo("There are no keys; `leafspace keys create NAME` makes one.", err=True)


def revoke_keys(data_dir: Path, key_ids: Sequence[str]) -> None:
    """Revoke keys; running services let them in for no longer than two seconds."""
    with _opened(data_dir) as keys:
        for key_id in key_ids:
            keys.revoke(key_id)
            click.echo(f"{key_id} is revoked.", err=True)


def count_keys(data_dir: Path) -> None:
    """Print how many keys there are."""
    with _opened(data_dir) as keys:
        click.echo(len(keys.ids()))


def check_database(data_dir: Path) -> None:
    """Refuse a database that this version cannot use, or another one than that of the objects.

    One that does not answer may do so later.
    """
    database_url, object_store_url = (os.environ.get(f"LEAFSPACE_{name}_URL") for name in ("DATABASE", "OBJECT_STORE"))
    try:
        settings = embedded(data_dir.absolute(), database_url, object_store_url)
    except ValueError as error:
        raise CannotServe(str(error)) from error
    database = Database(settings.database_url)
    try:
        database.check_usable()
        check_pair(database, open_objects(settings))
    except DatabaseUnusable as error:
        raise CannotServe(error.detail) from error
    except (StorageError, SQLAlchemyError):
        pass
    finally:
        database.close()


@contextmanager
def _opened(data_dir: Path) -> Iterator[ApiKeyStore]:
    directory = data_dir.expanduser().absolute()
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        database = Database(embedded(directory, os.environ.get("LEAFSPACE_DATABASE_URL")).database_url)
        try:
            database.migrate()
            yield ApiKeyStore(database)
        finally:
            database.close()
    except StorageError as error:
        raise CannotServe(error.detail) from error
    except ValueError as error:
        raise CannotServe(str(error)) from error
    except OSError as error:
        message = f"cannot use the data directory {directory}: {error.strerror}"
        raise CannotServe(message) from error
    except SQLAlchemyError as error:
        # Its own words may reveal how the database is reached.
        message = "the database with the keys cannot be opened: see LEAFSPACE_DATABASE_URL and --data-dir"
        raise CannotServe(message) from error


def line_of(key: ApiKey) -> str:
    """Return a line with a key's data but its secret; a key's name cannot break the line."""
    name = "".join(character if character.isprintable() else ascii(character)[1:-1] for character in key.name)
    until = (
        f", {'expired' if key.expires_at <= datetime.now(UTC) else 'expires'} {_moment(key.expires_at)}"
        if key.expires_at
        else ""
    )
    used = f"last used {_moment(key.last_used_at)}" if key.last_used_at else "never used"
    return f"{key.id}  {','.join(key.scopes)}  made {_moment(key.created_at)}, {used}{until}  {name}"


def _moment(moment: datetime) -> str:
    return moment.isoformat(timespec="minutes")
