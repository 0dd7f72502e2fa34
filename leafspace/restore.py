"""Restore: a data directory made again from a backup, whole or not at all, every byte of it checked."""

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from sqlalchemy import select

from schemas.api_keys import ApiKey
from storage.api_keys import MAX_KEYS, ApiKeyStore
from storage.attempts import AttemptStore, Claim
from storage.database import Database
from storage.errors import DatabaseUnusable
from storage.local_objects import LocalObjects
from storage.settings import embedded
from storage.store_pairs import adopt
from storage.tables import jobs

from .backup_files import Manifest, OpenFile, copy_checked, database_name, object_name, opened_backup
from .errors import CannotServe
from .key_commands import line_of
from .stores import database_file, local_storage_of

_COLUMNS = {"job": "id"}
"""Where a claim and a job's row have different names for the same."""


@dataclass(frozen=True, slots=True)
class _Restored:
    """What the command reports about the restored data."""

    manifest: Manifest
    n_handed_back: int
    keys: Sequence[ApiKey]


def restore(source: Path, data_dir: Path, *, with_keys: bool = True) -> None:
    """Make ``data_dir`` from a backup: jobs that were under way then wait to be done again.

    Parameters
    ----------
    with_keys
        Whether API keys come back, too, among them those that were revoked since.

    Raises
    ------
    CannotServe
        If the directory is not empty, or not where a service would look for rows and objects, or the backup is not
        whole or of another history.
    """
    target = data_dir.expanduser().absolute()
    _check_all_is_kept_in(target)
    if target.exists() and any(target.iterdir()):
        message = f"{target} is not empty; name a directory that is, or that does not exist, with --data-dir"
        raise CannotServe(message)
    try:
        restored = _restore(source.expanduser().absolute(), target, with_keys=with_keys)
    except OSError as error:
        message = f"cannot restore to {target}: {error}"
        raise CannotServe(message) from error
    _report(target, restored)


def _check_all_is_kept_in(target: Path) -> None:
    settings, own = local_storage_of(target), embedded(target)
    if (database_file(settings), settings.objects_dir) != (database_file(own), own.objects_dir):
        message = (
            f"rows and objects would be in {target} after this, but LEAFSPACE_DATABASE_URL and "
            f"LEAFSPACE_OBJECT_STORE_URL say {database_file(settings)} and {settings.objects_dir}: restore with both "
            f"of them unset, then move {database_file(own)} and {own.objects_dir} there"
        )
        raise CannotServe(message)


def _restore(source: Path, target: Path, *, with_keys: bool) -> _Restored:
    # An empty directory may be a mounted volume, or may stand where nothing else can be made: it stays.
    stays = target.exists()
    target.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{target.name}-restored-", dir=target if stays else target.parent))
    try:
        with opened_backup(source) as (manifest, open_file):
            _copy(manifest, open_file, folder)
        restored = _make_ready(folder, manifest, with_keys=with_keys)
        if stays:
            _move_up(folder, target)
        else:
            folder.replace(target)
        return restored
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _move_up(folder: Path, target: Path) -> None:
    # The rows last: without them there is nothing that could miss its objects.
    for path in sorted(folder.iterdir(), key=lambda path: path.name == "leafspace.db"):
        path.replace(target / path.name)


def _copy(manifest: Manifest, open_file: OpenFile, folder: Path) -> None:
    settings = embedded(folder)
    for sha256 in manifest.objects:
        target = settings.objects_dir / sha256[:2] / sha256
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with open_file(object_name(sha256)) as object_file:
            copy_checked(object_file, target, sha256)
        target.chmod(0o400)
    with open_file(database_name(manifest.database)) as rows:
        copy_checked(rows, database_file(settings), manifest.database)


def _make_ready(folder: Path, manifest: Manifest, *, with_keys: bool) -> _Restored:
    """Bring the rows up to date, and hand jobs back that nobody does any more."""
    database = Database(embedded(folder).database_url)
    try:
        database.migrate()
        adopt(database, LocalObjects(embedded(folder).objects_dir))
        keys = ApiKeyStore(database)
        if not with_keys:
            for key_id in keys.ids():
                keys.revoke(key_id)
        return _Restored(manifest, _hand_back_jobs(database), keys.list(MAX_KEYS, None).data)
    except DatabaseUnusable as error:
        raise CannotServe(error.detail) from error
    finally:
        database.close()


def _hand_back_jobs(database: Database) -> int:
    under_way = select(jobs).where(jobs.c.status.in_(("running", "cancelling")))
    with database.reading() as connection:
        rows = connection.execute(under_way).mappings().all()
    attempts = AttemptStore(database)
    for row in rows:
        attempts.hand_back(Claim(**{name: row[_COLUMNS.get(name, name)] for name in Claim.__dataclass_fields__}))
    return len(rows)


def _report(target: Path, restored: _Restored) -> None:
    manifest = restored.manifest
    click.echo(
        f"{target}: everything committed before {manifest.made_at}; {len(manifest.objects)} objects checked, "
        f"{restored.n_handed_back} jobs wait to be done again"
    )
    if manifest.lacking:
        click.echo(
            f"{len(manifest.lacking)} objects that rows refer to were missing or damaged when the backup was made, and "
            f"still are: {', '.join(manifest.lacking)}"
        )
    if restored.keys:
        click.echo(
            f"{len(restored.keys)} API keys are valid again, also those that were revoked since; `leafspace keys "
            "revoke` those that should not be:"
        )
        for key in restored.keys:
            click.echo(line_of(key))
