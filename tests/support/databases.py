"""Databases of a test's own: SQLite always, PostgreSQL where ``LEAFSPACE_TEST_POSTGRESQL_URL`` names an empty one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import text

from storage.database import Database
from storage.tables import metadata

_POSTGRESQL_URL = os.environ.get("LEAFSPACE_TEST_POSTGRESQL_URL")
KINDS_OF_DATABASES = ("sqlite",) if _POSTGRESQL_URL is None else ("sqlite", "postgresql")


@contextmanager
def empty_database(kind: str, directory: Path) -> Iterator[Database]:
    """Yield a migrated database without rows."""
    database = Database(_url(kind, directory))
    database.migrate()
    yield database
    if kind == "postgresql":
        with database.transaction() as connection:
            tables = ", ".join(table.name for table in metadata.sorted_tables)
            connection.execute(text(f"TRUNCATE {tables}"))
    database.close()


def _url(kind: str, directory: Path) -> str:
    if kind == "sqlite":
        return f"sqlite:///{directory / 'rows.db'}"
    assert _POSTGRESQL_URL is not None
    return _POSTGRESQL_URL
