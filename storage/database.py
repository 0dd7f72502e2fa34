"""Database: the engine, and transactions that either happen whole or not at all."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import URL, Connection, Engine, create_engine, event, func, make_url, select
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, OperationalError

from .errors import Conflict, InsufficientStorage, StorageError, StorageUnavailable

_MIGRATIONS = Path(__file__).parent / "migrations"
_BUSY_SECONDS = 10
_SECONDS_BETWEEN_TRIES = 0.01
_DISK_FULL = "53100"  # PostgreSQL's code
_MIGRATION_LOCK = 5_061_370_153  # any number that no other program on the server takes


class Database:
    """Opens connections when they are needed; safe to share between threads, not across a fork.

    Parameters
    ----------
    url
        An SQLAlchemy URL. SQLite is opened in WAL mode with full synchronisation, so that what was committed
        survives a power cut.
    """

    def __init__(self, url: str | URL) -> None:
        self.url = url
        self.engine = _create_engine(url)
        self._reader = self.engine.execution_options(reading=True)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Yield a connection whose changes are committed together at the end, or not at all."""
        with _failures_are_said(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yield a connection that sees the rows as they are now, and keeps nobody from writing."""
        with _failures_are_said(), self._reader.connect() as connection:
            yield connection

    def migrate(self) -> None:
        """Bring the tables up to date; several processes may try at once."""
        config = Config()
        config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
        with self.engine.begin() as connection:
            if connection.dialect.name == "postgresql":
                # Until the end of the transaction; SQLite has one writer at a time anyway.
                connection.execute(select(func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
            config.attributes["connection"] = connection
            command.upgrade(config, "head")

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


@contextmanager
def _failures_are_said() -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        reason = str(error.orig)
        if _means_full_disk(error):
            raise InsufficientStorage from error
        if isinstance(error, IntegrityError) and "foreign key" in reason.lower():
            detail = "what this refers to was changed or deleted at the same moment; look at it again, then repeat this"
            raise Conflict("conflict", detail) from error
        if isinstance(error, DataError) and "NUL" in reason:
            # Other databases look for such an identifier, and find nothing.
            raise StorageError("not_found", "nothing has an id that holds a NUL character") from error
        if isinstance(error, OperationalError) or error.connection_invalidated:
            detail = "the database does not answer; try again in a moment"
            raise StorageUnavailable(detail) from error
        raise


def _means_full_disk(error: DBAPIError) -> bool:
    is_said_by_postgresql = getattr(error.orig, "sqlstate", None) == _DISK_FULL
    return isinstance(error, OperationalError) and (is_said_by_postgresql or "disk is full" in str(error.orig))


def _create_engine(url: str | URL) -> Engine:
    if make_url(url).get_backend_name() != "sqlite":
        return create_engine(url, hide_parameters=True, pool_pre_ping=True, pool_size=8, max_overflow=8)
    engine = create_engine(
        url, hide_parameters=True, connect_args={"timeout": _BUSY_SECONDS, "check_same_thread": False}
    )
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare_sqlite(connection: Any, _record: object) -> None:  # noqa: ANN401  # the driver's own connection
    # Transactions are begun by hand below: the driver would begin them late, and a reader that then wants to write
    # is refused at once instead of waiting.
    connection.isolation_level = None
    for pragma in (f"busy_timeout={_BUSY_SECONDS * 1000}", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")
    _write_ahead(connection)


def _write_ahead(connection: Any) -> None:  # noqa: ANN401  # the driver's own connection
    # Of several processes that open a new file at once, SQLite refuses this to some instead of letting them wait.
    until = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(_SECONDS_BETWEEN_TRIES)
        else:
            return


def _begin(connection: Connection) -> None:
    reading = connection.get_execution_options().get("reading", False)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")
