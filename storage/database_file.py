"""The file of an SQLite database, looked at before anything is built on it: what is wrong with it, and what to do.

Also used by processes that have no use for a database library.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Timer
from urllib.parse import quote

_REVISIONS = Path(__file__).parent / "migrations" / "versions"
_QUICK_SECONDS = 2.0  # enough for some 200 MB
_RESTORE = "restore a backup into a new data directory: leafspace restore BACKUP --data-dir NEW"
_TABLES_SAY = "SELECT version_num FROM alembic_version"


def fault_of(path: Path, seconds: float = _QUICK_SECONDS) -> str | None:
    """Return what is wrong with the file, in a sentence, or nothing; one that is not there yet has no fault.

    It is checked for damage for so many seconds; what comes after that is found when it is read.
    """
    if not path.exists():
        return None
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=rw", uri=True)) as connection:
            return _newer(path, connection) or _damage(path, connection, seconds)
    except sqlite3.OperationalError:
        return None  # locked, or not to be opened now: who uses it says so, or waits
    except sqlite3.DatabaseError as error:
        return not_a_database(path) if _is_none(error) else damaged(path, str(error))


def damaged(what: Path | str, finding: str) -> str:
    """Return what to say of a database that is damaged."""
    return f"the database {what} is damaged ({finding}); {_RESTORE}"


def not_a_database(path: Path) -> str:
    """Return what to say of a file that is something else."""
    return f"{path} is no SQLite database, or its beginning is damaged; move it away, or {_RESTORE}"


def newer_revision(what: Path | str, revision: str) -> str | None:
    """Return what to say of a database with this revision of its tables, if this version does not know it."""
    known = sorted(path.name.partition("_")[0] for path in _REVISIONS.glob("[0-9]*_*.py"))
    if revision in known:
        return None
    return (
        f"the database {what} was made by a newer version of Leafspace: its tables have revision {revision}, and this "
        f"version knows those up to {known[-1]}; install that version, or restore a backup that this one made"
    )


def _newer(path: Path, connection: sqlite3.Connection) -> str | None:
    exists = "SELECT count(*) FROM sqlite_master WHERE name = 'alembic_version'"
    if not connection.execute(exists).fetchone()[0]:
        return None
    row = connection.execute(_TABLES_SAY).fetchone()
    return None if row is None else newer_revision(path, row[0])


def _damage(path: Path, connection: sqlite3.Connection, seconds: float) -> str | None:
    if seconds <= 0:
        return None
    timer = Timer(seconds, connection.interrupt)  # which raises an operational error
    timer.start()
    try:
        finding = connection.execute("PRAGMA quick_check(1)").fetchone()[0]  # the first one is enough
    finally:
        timer.cancel()
        timer.join()  # who starts processes must have no other thread
    return None if finding == "ok" else damaged(path, " ".join(finding.split()))


def _is_none(error: sqlite3.DatabaseError) -> bool:
    return error.sqlite_errorcode == sqlite3.SQLITE_NOTADB
