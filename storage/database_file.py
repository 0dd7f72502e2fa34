"""The file of an SQLite database: what is wrong with it, and a reserve of disk space that keeps it writable.

A file is checked before anything is built on it. Processes that do not import a database library use this module, too.
"""

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Timer
from urllib.parse import quote

_MIGRATIONS = Path(__file__).parent / "migrations" / "versions"
_QUICK_SECONDS = 2.0  # enough for some 200 MB
_RESTORE = "restore a backup into a new data directory: leafspace restore BACKUP --data-dir NEW"
_REVISION_OF_TABLES = "SELECT version_num FROM alembic_version"

_RESERVE = "reserve"
_RESERVE_BYTES = 8 << 20  # more than rows' log ever takes between two of its checkpoints
_LEAST_RESERVE_BYTES = 1 << 20
_LITTLE_SPACE_BYTES = 4 << 20


def fault_of(path: Path, seconds: float = _QUICK_SECONDS) -> str | None:
    """Return what is wrong with the file, in a sentence, or nothing; one that is not there yet has no fault.

    It is checked for damage for this many seconds; damage beyond is found when it is read.
    """
    if not path.exists():
        return None
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=rw", uri=True)) as connection:
            return _foreign(path, connection) or _damage(path, connection, seconds)
    except sqlite3.OperationalError:
        return None  # locked, or not to be opened now: its users report that, or wait
    except sqlite3.DatabaseError as error:
        is_no_database = error.sqlite_errorcode == sqlite3.SQLITE_NOTADB
        if not is_no_database:
            return damaged(path, str(error))
        return f"{path} is no SQLite database, or its beginning is damaged; move it away, or {_RESTORE}"


def belongs_to(path: Path, objects_dir: Path) -> bool | None:
    """Whether the file is the database of these objects; none where that has to be looked at closely."""
    try:
        mark = (objects_dir / "store-of").read_text().strip()
    except FileNotFoundError:
        return None if any(objects_dir.glob("??")) else True
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as connection:
            return bool(connection.execute("SELECT id FROM database_ids").fetchone() == (mark,))
    except sqlite3.Error:
        return None


def has_keys(path: Path) -> bool | None:
    """Whether the file holds an API key; none where it cannot be read now."""
    if not path.exists():
        return False
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=rw", uri=True)) as connection:
            has_table = "SELECT count(*) FROM sqlite_master WHERE name = 'api_keys'"
            if not connection.execute(has_table).fetchone()[0]:
                return False
            return connection.execute("SELECT 1 FROM api_keys LIMIT 1").fetchone() is not None
    except sqlite3.Error:
        return None


def damaged(what: Path | str, finding: str) -> str:
    """Return the message about a damaged database."""
    return f"the database {what} is damaged ({finding}); {_RESTORE}"


def newest_revision() -> str:
    """Return the revision that tables are brought to: the number that the last migration's file begins with."""
    return max(_revisions(), key=int)


def foreign_revision(what: Path | str, revision: str) -> str | None:
    """Return the message about a database with this revision of its tables, if no migration here leads from it."""
    if revision in _revisions():
        return None
    return (
        f"the database {what} has another history: its tables have revision {revision!r}, and this version knows those "
        f"up to {newest_revision()!r}; install the version of Leafspace that made it, restore a backup that this one "
        "made, or name a new data directory or database"
    )


def _revisions() -> set[str]:
    return {path.name.partition("_")[0] for path in _MIGRATIONS.glob("[0-9]*_*.py")}


def _foreign(path: Path, connection: sqlite3.Connection) -> str | None:
    exists = "SELECT count(*) FROM sqlite_master WHERE name = 'alembic_version'"
    if not connection.execute(exists).fetchone()[0]:
        return None
    row = connection.execute(_REVISION_OF_TABLES).fetchone()
    return None if row is None else foreign_revision(path, row[0])


def _damage(path: Path, connection: sqlite3.Connection, seconds: float) -> str | None:
    if seconds <= 0:
        return None
    timer = Timer(seconds, connection.interrupt)  # which raises an operational error
    timer.start()
    try:
        finding = connection.execute("PRAGMA quick_check(1)").fetchone()[0]  # the first one is enough
    finally:
        timer.cancel()
        timer.join()  # a process that forks must have no other thread
    return None if finding == "ok" else damaged(path, " ".join(finding.split()))


def keep_reserve(directory: Path) -> None:
    """Set the reserve aside, unless it is; on a disk that has no room for all of it, as much as there is room for."""
    with suppress(OSError), (directory / _RESERVE).open("ab") as file:
        n_bytes = _RESERVE_BYTES
        while os.fstat(file.fileno()).st_size < n_bytes >= _LEAST_RESERVE_BYTES:
            with suppress(OSError):
                os.posix_fallocate(file.fileno(), 0, n_bytes)
            n_bytes //= 2


@contextmanager
def release_reserve(directory: Path) -> Iterator[None]:
    """Hold while its room is to be used."""
    (directory / _RESERVE).unlink(missing_ok=True)
    try:
        yield
    finally:
        keep_reserve(directory)


def has_space(*directories: Path) -> bool:
    """Whether a few MB can be written in each of the directories; they are taken for a moment, as quotas count too."""
    try:
        for directory in directories:
            with tempfile.TemporaryFile(dir=directory) as file:
                os.posix_fallocate(file.fileno(), 0, _LITTLE_SPACE_BYTES)
    except OSError:
        return False
    return True
