"""Backup: the rows and every object that they refer to, copied while the service runs.

Leaf tables, a cache, are left out: the first job that needs one makes it again. Rows first, then objects: an object is
put before the row that refers to it is committed, so all that the copied rows refer to is there. The lock that
keeping objects takes prevents that they are deleted meanwhile; it is held while the rows are copied and each object
gets a second name, and released before any byte is copied.
"""

import os
import shutil
import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from urllib.parse import quote

import click
from sqlalchemy import URL, select

from storage.database import Database
from storage.errors import StorageError
from storage.local_objects import LocalObjects
from storage.object_store import file_sha256
from storage.settings import StorageSettings
from storage.store_pairs import check_pair
from storage.tables import OBJECT_COLUMNS, leaf_tables

from .backup_files import FORMAT, Manifest, write_folder, write_tar
from .errors import CannotServe
from .stores import check_there_is_a_database, database_file, local_storage_of


@dataclass(frozen=True, slots=True)
class _Staged:
    """Rows and objects as they were at one moment, under names that nobody else deletes."""

    folder: Path
    manifest: Manifest

    def source_of(self, sha256: str) -> Path:
        return self.folder / sha256


def back_up(data_dir: Path, target: Path) -> None:
    """Copy the data directory's rows and objects to a folder, or to a file whose name ends in ``.tar``; say how much.

    Raises
    ------
    CannotServe
        If rows or objects are kept elsewhere, or there is no room; or, after everything else has been copied, if
        objects are missing or damaged.
    """
    settings = local_storage_of(data_dir.expanduser().absolute())
    check_there_is_a_database(settings, data_dir)
    objects = LocalObjects(settings.objects_dir)
    _check_pair(settings, objects)
    try:
        with objects.workspace() as folder:
            staged = _stage(settings, objects, folder)
            write = write_tar if target.suffix == ".tar" else write_folder
            written, n_copied = write(target.expanduser().absolute(), staged.manifest, staged.source_of)
    except (OSError, sqlite3.Error) as error:
        message = f"the backup to {target} failed: {error}"
        raise CannotServe(message) from error
    click.echo(
        f"{target}: everything committed before {written.made_at}: {len(written.objects)} objects "
        f"({sum(written.objects.values()):,} bytes), {n_copied} files copied"
    )
    if written.lacking:
        message = (
            f"{len(written.lacking)} objects that rows refer to are missing or damaged, and are not in {target}; "
            f"everything else is. To mend them, see Storage in docs/operations.md: {', '.join(written.lacking)}"
        )
        raise CannotServe(message)


def _check_pair(settings: StorageSettings, objects: LocalObjects) -> None:
    database = Database(settings.database_url)
    try:
        check_pair(database, objects)
    except StorageError as error:
        raise CannotServe(error.detail) from error
    finally:
        database.close()


def _stage(settings: StorageSettings, objects: LocalObjects, folder: Path) -> _Staged:
    rows = folder / "rows"
    with objects.keeping():
        made_at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        _copy_rows(database_file(settings), rows)
        hashes = _referred_to(rows)
        sizes = {sha256: _give_second_name(objects.file(sha256), folder / sha256) for sha256 in hashes}
    database = file_sha256(rows)
    rows.rename(folder / database)
    return _Staged(folder, Manifest(FORMAT, made_at, version("leafspace"), database, sizes, database_id=objects.mark()))


def _copy_rows(source: Path, target: Path) -> None:
    address = f"file:{quote(str(source))}?mode=ro"
    with closing(sqlite3.connect(target)) as copy:
        with closing(sqlite3.connect(address, uri=True)) as original:
            # In one piece, from one snapshot; writers go on meanwhile.
            original.backup(copy)
        # One file alone, without a log beside it.
        copy.execute("PRAGMA journal_mode=DELETE")
        found = copy.execute("PRAGMA integrity_check").fetchone()[0]
        if found != "ok":
            message = f"the database is damaged: {found}"
            raise CannotServe(message)
        copy.execute(f"DELETE FROM {leaf_tables.name}")  # noqa: S608  # our own name
        copy.commit()


def _referred_to(rows: Path) -> Iterable[str]:
    database = Database(URL.create("sqlite", database=str(rows)))
    try:
        with database.reading() as connection:
            found = {sha256 for column in OBJECT_COLUMNS for sha256 in connection.execute(select(column)).scalars()}
    finally:
        database.close()
    return sorted(sha256 for sha256 in found if sha256 is not None)


def _give_second_name(path: Path, second: Path) -> int:
    """Return the size of the file, which has a second name now; one that is missing has none."""
    with suppress(FileNotFoundError):
        _link(path, second)
        return second.stat().st_size
    return 0


def _link(path: Path, second: Path) -> None:
    try:
        os.link(path, second)
    except FileNotFoundError:
        raise
    except OSError:
        # A file system without second names.
        shutil.copyfile(path, second)
