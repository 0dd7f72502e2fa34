"""Restore: a data directory made anew from a backup, whole or not at all, every byte of it checked."""

import shutil
import tempfile
from pathlib import Path

import click
from alembic.util import CommandError
from sqlalchemy import select

from storage.attempts import AttemptStore, Claim
from storage.database import Database
from storage.settings import embedded
from storage.tables import jobs

from .backup_files import Manifest, OpenFile, copy_checked, database_name, object_name, opened_backup
from .errors import CannotServe


def restore(source: Path, data_dir: Path) -> None:
    """Make ``data_dir`` from a backup: jobs that were under way then wait to be done again.

    Raises
    ------
    CannotServe
        If the directory is not empty, or the backup is not whole or of a newer version.
    """
    target = data_dir.expanduser().absolute()
    if target.exists() and any(target.iterdir()):
        message = f"{target} is not empty; name a directory that is, or that does not exist, with --data-dir"
        raise CannotServe(message)
    target.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{target.name}-restored-", dir=target.parent))
    try:
        with opened_backup(source.expanduser().absolute()) as (manifest, open_file):
            _copy(manifest, open_file, folder)
        n_handed_back = _make_ready(folder)
        folder.replace(target)
    except OSError as error:
        message = f"cannot restore to {target}: {error}"
        raise CannotServe(message) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    click.echo(
        f"{target}: everything committed before {manifest.made_at}; {len(manifest.objects)} objects checked, "
        f"{n_handed_back} jobs wait to be done again"
    )


def _copy(manifest: Manifest, open_file: OpenFile, folder: Path) -> None:
    settings = embedded(folder)
    for sha256 in manifest.objects:
        target = settings.objects_dir / sha256[:2] / sha256
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with open_file(object_name(sha256)) as object_file:
            copy_checked(object_file, target, sha256)
        target.chmod(0o400)
    with open_file(database_name(manifest.database)) as rows:
        copy_checked(rows, folder / "leafspace.db", manifest.database)


def _make_ready(folder: Path) -> int:
    """Bring the rows up to date, and hand jobs back that nobody does any more; return how many."""
    database = Database(embedded(folder).database_url)
    try:
        database.migrate()
        under_way = select(jobs).where(jobs.c.status.in_(("running", "cancelling")))
        with database.reading() as connection:
            rows = connection.execute(under_way).mappings().all()
        attempts = AttemptStore(database)
        for row in rows:
            attempts.hand_back(Claim(**{name: row[_COLUMNS.get(name, name)] for name in Claim.__dataclass_fields__}))
        return len(rows)
    except CommandError as error:
        message = "the backup was made by a newer version; install that one, or a newer one still"
        raise CannotServe(message) from error
    finally:
        database.close()


_COLUMNS = {"job": "id"}
"""Where a claim and a job's row have different names for the same."""
