"""Adopt: let a database and a store of objects be used together that did not know each other."""

from pathlib import Path

import click

from storage.database import Database
from storage.errors import StorageError
from storage.remote_objects import open_objects
from storage.store_pairs import adopt

from .errors import CannotServe
from .stores import storage_of


def adopt_objects(data_dir: Path) -> None:
    """Mark the objects as those of the database; say how many there are.

    Raises
    ------
    CannotServe
        If the database cannot be used, or one of both does not answer.
    """
    directory = data_dir.expanduser().absolute()
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    settings = storage_of(directory)
    database = Database(settings.database_url)
    try:
        database.migrate()
        objects = open_objects(settings)
        adopt(database, objects)
        n_objects = sum(1 for _ in objects.hashes())
    except (StorageError, OSError) as error:
        message = f"cannot adopt the objects now: {error}"
        raise CannotServe(message) from error
    finally:
        database.close()
    click.echo(f"the store with {n_objects} objects belongs to this database now")
