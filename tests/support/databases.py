"""Databases of a test's own, over SQLite and PostgreSQL."""

import functools
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import make_url, text

from storage.database import Database
from storage.tables import metadata

from .storage_servers import postgresql_server

KINDS_OF_DATABASES = ("sqlite", "postgresql")


@pytest.fixture(scope="session")
def postgresql_url() -> Iterator[str]:
    """Return the URL of a PostgreSQL: that in ``LEAFSPACE_TEST_POSTGRESQL_URL``, or one of the session's own."""
    given = os.environ.get("LEAFSPACE_TEST_POSTGRESQL_URL")
    if given:
        yield given
        return
    with postgresql_server() as url:
        yield url


@pytest.fixture(scope="session")
def migrated_postgresql_url(postgresql_url: str) -> Iterator[str]:
    """Return the URL of a PostgreSQL database with all tables, which tests leave empty."""
    with new_postgresql_database(postgresql_url) as url:
        database = Database(url)
        database.migrate()
        database.close()
        yield url


@pytest.fixture(params=KINDS_OF_DATABASES)
def rows_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """Return a migrated database without rows, of each kind."""
    if request.param == "sqlite":
        with empty_database(tmp_path) as database:
            yield database
        return
    database = Database(request.getfixturevalue("migrated_postgresql_url"))
    yield database
    with database.transaction() as connection:
        for table in reversed(metadata.sorted_tables):  # of a few rows, quicker than to truncate the tables
            connection.execute(table.delete())
    database.close()


@pytest.fixture(params=KINDS_OF_DATABASES)
def new_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Return the URL of a database without tables, of each kind."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'rows.db'}"
        return
    with new_postgresql_database(request.getfixturevalue("postgresql_url")) as url:
        yield url


@contextmanager
def empty_database(directory: Path) -> Iterator[Database]:
    """Yield a migrated database without rows in a file."""
    put_tables(directory / "rows.db")
    database = Database(f"sqlite:///{directory / 'rows.db'}")
    yield database
    database.close()


def put_tables(path: Path) -> None:
    """Write a database file with all tables, as they were made once for this process, unless there is one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.write_bytes(_migrated_file())


@functools.cache
def _migrated_file() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.db"
        database = Database(f"sqlite:///{path}")
        database.migrate()
        database.close()
        return path.read_bytes()


@contextmanager
def new_postgresql_database(server_url: str) -> Iterator[str]:
    """Yield the URL of a new database on the server; it is dropped at the end."""
    name = f"test_{token_hex(8)}"
    server = Database(server_url).engine.execution_options(isolation_level="AUTOCOMMIT")
    with server.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    try:
        yield make_url(server_url).set(database=name).render_as_string(hide_password=False)
    finally:
        with server.connect() as connection:
            connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
        server.dispose()


@contextmanager
def silent_server() -> Iterator[str]:
    """Yield the URL of a PostgreSQL that lets callers connect, and never says a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=200) as listening:
        yield f"postgresql+psycopg://nobody@127.0.0.1:{listening.getsockname()[1]}/nothing"


def plain_url(url: str) -> str:
    """Return the URL of a PostgreSQL as its own programs and drivers read it."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def turn_read_only(url: str, *, read_only: bool) -> None:
    """Let a PostgreSQL database take no changes, or changes again; only its being read-only ends sessions."""
    writable = "-c default_transaction_read_only=off"
    with psycopg.connect(plain_url(url), autocommit=True, options=writable) as connection:
        statement = sql.SQL("ALTER DATABASE {} SET default_transaction_read_only = {}")
        connection.execute(statement.format(sql.Identifier(make_url(url).database or ""), sql.Literal(read_only)))
        if read_only:
            others = "datname = current_database() AND pid <> pg_backend_pid()"
            connection.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}")  # noqa: S608
