"""Database health: whether rows can be read and written now, found out without a change."""

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import make_url, text

from .database import Database
from .errors import StorageUnavailable

_PATIENCE_SECONDS = 2.0
_READ_SOMETHING = "SELECT version_num FROM alembic_version"
_READ_ONLY = "the database is read-only at present: rows can be read, not written"
_TAKES_CHANGES = "SELECT current_setting('transaction_read_only') = 'off' FROM alembic_version"


def check_database(database: Database) -> None:
    """Return when the database can be read and written; raise ``StorageUnavailable`` when not."""
    url = make_url(database.url)
    if url.get_backend_name() == "sqlite" and url.database:
        _check_sqlite(Path(url.database))
        return
    with database.reading() as connection:
        # On a standby, and where an administrator said so, every transaction is read-only.
        if not connection.execute(text(_TAKES_CHANGES)).scalar_one():
            raise StorageUnavailable(_READ_ONLY)


def _check_sqlite(path: Path) -> None:
    # By a connection of its own, which never makes the file: those that are open would not notice that it was moved.
    address = f"file:{quote(str(path))}?mode=rw"
    try:
        with closing(sqlite3.connect(address, _PATIENCE_SECONDS, isolation_level=None, uri=True)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(_READ_SOMETHING).fetchone()
            connection.execute("ROLLBACK")
    except sqlite3.Error as error:
        detail = (
            "the database file cannot be read and written now; check that it has not been moved, and that no other "
            "program locks it"
        )
        raise StorageUnavailable(detail) from error
