"""Databases of a test's own: SQLite always, PostgreSQL where ``LEAFSPACE_TEST_POSTGRESQL_URL`` names a server."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import text

from storage.database import Database
from storage.tables import metadata

KINDS_OF_DATABASES = ("sqlite", "postgresql")


@contextmanager
def empty_database(kind: str, directory: Path) -> Iterator[Database]:
    """Yield a migrated database without rows; skip the calling test where there is no server for it."""
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
    url = os.environ.get("LEAFSPACE_TEST_POSTGRESQL_URL")
    if url is None:
        pytest.skip("set LEAFSPACE_TEST_POSTGRESQL_URL to an empty PostgreSQL database to run this")
    return url
