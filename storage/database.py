"""Database: the engine, and transactions that either happen whole or not at all."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, func, inspect, make_url, select, text
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from .database_file import fault_of, foreign_revision, newest_revision
from .errors import Conflict, DatabaseUnusable, InsufficientStorage, StorageError, StorageUnavailable
from .settings import WORKERS, Timeouts
from .tables import metadata

_MIGRATIONS = Path(__file__).parent / "migrations"
_ALEMBICS_TABLE = (
    "CREATE TABLE alembic_version "
    "(version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
)
_SECONDS_BETWEEN_TRIES = 0.01
_LONG_SECONDS = 1.0
_LOCKED_IN_A_ROW = 3
_DISK_FULL = "53100"  # PostgreSQL's SQLSTATE, as are these
_READ_ONLY = "25006"
_CORRUPTED = ("XX001", "XX002")
_IS_AWAY = ("57P01", "57P02", "57P03", "53")  # shut down, crashed, starting; 53…: out of connections or memory
_MIGRATION_LOCK = 5_061_370_153  # any number that no other program on the server takes
_DAMAGED = "a part of the database is damaged and cannot be read; its owner has to restore it from a backup"
_AWAY = "the database does not answer; try again in a moment"
_NOT_WRITABLE = "the database takes no changes at present: it is read-only; try again in a moment"
_LOCKED = "the database is busy: another request has been writing for seconds; send this one again in a moment"
_BUSY = "all connections to the database are in use; try again in a moment"


class Database:
    """Opens connections when they are needed; safe to share between threads, not across a fork.

    Parameters
    ----------
    url
        An SQLAlchemy URL. SQLite is opened in WAL mode with full synchronisation, so that what was committed
        survives a power cut.
    timeouts
        How long to wait for a database that is locked or away, before ``StorageUnavailable`` is raised.
    """

    def __init__(self, url: str | URL, timeouts: Timeouts = WORKERS) -> None:
        self.url = url
        self.is_damaged = False  # as far as is known
        self.engine = _create_engine(url, timeouts)
        # A thread that waits to write to SQLite holds a connection; readers have a pool of their own.
        readers = _create_engine(url, timeouts) if _is_sqlite(url) else self.engine
        self._reader = readers.execution_options(reading=True)
        self._writing_breaker, self._reading_breaker = (
            _CircuitBreaker(timeouts.rest_seconds),
            _CircuitBreaker(timeouts.rest_seconds),
        )

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Yield a connection whose changes are committed together at the end, or not at all."""
        with self._damage_is_noted(), _translated_failures(self._writing_breaker), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yield a connection that sees the rows as they are now, and blocks no writer."""
        with self._damage_is_noted(), _translated_failures(self._reading_breaker), self._reader.connect() as connection:
            yield connection

    def migrate(self) -> None:
        """Bring the tables up to date, however long that takes; several processes may try at once.

        Raises
        ------
        DatabaseUnusable
            If that cannot be done; see ``check_usable``.
        """
        unhurried = _create_engine(self.url, None)
        try:
            with (
                self._damage_is_noted(),
                _translated_failures(self._reading_breaker),
                unhurried.connect() as connection,
            ):
                revision = _revision_of(connection)
            self._refuse_unusable(revision)
            if revision != newest_revision():
                _upgrade(unhurried)
        finally:
            unhurried.dispose()

    def check_usable(self) -> None:
        """Return when this version can work with the tables, or has still to make them.

        Raises
        ------
        DatabaseUnusable
            If it is damaged, none at all, or of another history; says so in a sentence.
        StorageUnavailable
            If it does not answer.
        """
        with self.reading() as connection:
            revision = _revision_of(connection)
        self._refuse_unusable(revision)

    def _refuse_unusable(self, revision: str | None) -> None:
        if _is_sqlite(self.url):
            fault = fault_of(Path(make_url(self.url).database or ":memory:"), seconds=0)
        else:
            fault = None if revision is None else foreign_revision(make_url(self.url).database or "", revision)
        if fault is not None:
            raise DatabaseUnusable(fault)

    @contextmanager
    def _damage_is_noted(self) -> Iterator[None]:
        try:
            yield
        except DatabaseUnusable:
            self.is_damaged = True
            raise

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()
        self._reader.dispose()


def _revision_of(connection: Connection) -> str | None:
    """Return the revision of the tables; nothing where there are none yet."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _upgrade(engine: Engine) -> None:
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            # Until the end of the transaction; SQLite has one writer at a time anyway.
            connection.execute(select(func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
        if not inspect(connection).get_table_names():
            _create(connection)
        elif _revision_of(connection) != newest_revision():  # another process may have been first
            _run_migrations(connection)


def _create(connection: Connection) -> None:
    """Make the tables of a new database at once: running all migrations would take half a second."""
    metadata.create_all(connection, checkfirst=False)
    connection.execute(text(_ALEMBICS_TABLE))
    connection.execute(text("INSERT INTO alembic_version VALUES (:revision)"), {"revision": newest_revision()})


def _run_migrations(connection: Connection) -> None:
    # Imported late: where the tables are up to date, the service starts sooner without it.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


class _CircuitBreaker:
    """Refuses calls for some seconds after one failed slowly, so that threads do not wait in vain one after another.

    A database that does not answer opens the breaker at once. A lock of SQLite's opens it only when it outlasted
    several waits, each begun after the one before: most locks are held for a moment.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until = float("-inf")
        self._detail = _AWAY
        self._n_locked = 0  # waits in a row that found it locked
        self._locked_at = float("-inf")

    def refuse_while_open(self) -> None:
        if time.monotonic() < self._until:
            raise StorageUnavailable(self._detail)

    def record_success(self) -> None:
        """Note that a call was answered."""
        self._n_locked = 0

    def record_failure(self, waited_since: float, *, is_locked: bool) -> None:
        """Note that a call waited in vain since this monotonic time."""
        now = time.monotonic()
        # A call that fails at once delays no other, and may be the end of one connection alone.
        if now - waited_since < _LONG_SECONDS:
            return
        if is_locked and waited_since >= self._locked_at:  # calls that waited at the same time met one lock
            self._n_locked += 1
            self._locked_at = now
        if not is_locked or self._n_locked >= _LOCKED_IN_A_ROW:
            self._until, self._detail = now + self._seconds, _LOCKED if is_locked else _AWAY


@contextmanager
def _translated_failures(breaker: _CircuitBreaker) -> Iterator[None]:
    breaker.refuse_while_open()
    began = time.monotonic()
    try:
        yield
    except NoConnectionFree as error:
        raise StorageUnavailable(_BUSY) from error
    except DBAPIError as error:
        if _nobody_answers(error):
            breaker.record_failure(began, is_locked=_is_locked(error))
        _translate(error)
        raise
    else:
        breaker.record_success()


def _is_locked(error: DBAPIError) -> bool:
    code = getattr(error.orig, "sqlite_errorcode", None)
    return code is not None and code & 0xFF == sqlite3.SQLITE_BUSY


def _translate(error: DBAPIError) -> None:
    """Raise the storage error that this database error means to callers, if there is one."""
    reason = str(error.orig)
    if _means_full_disk(error):
        raise InsufficientStorage from error
    if isinstance(error, IntegrityError) and "foreign key" in reason.lower():
        detail = "what this refers to was changed or deleted at the same moment; read it again, then repeat this"
        raise Conflict("conflict", detail) from error
    if isinstance(error, DataError) and "NUL" in reason:
        # Other databases look for such an identifier, and find nothing.
        raise StorageError("not_found", "nothing has an id that holds a NUL character") from error
    sqlite_code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF  # without the bits that say more
    is_damaged = sqlite_code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB} or _sqlstate(error) in _CORRUPTED
    if is_damaged:
        raise DatabaseUnusable(_DAMAGED) from error
    if _sqlstate(error) == _READ_ONLY:
        raise StorageUnavailable(_NOT_WRITABLE) from error
    if isinstance(error, OperationalError) or error.connection_invalidated or _sqlstate(error).startswith(_IS_AWAY):
        raise StorageUnavailable(_LOCKED if _is_locked(error) else _AWAY) from error


def _sqlstate(error: DBAPIError) -> str:
    """Return PostgreSQL's code, which counts whatever class the driver gives the error; empty where there is none."""
    return getattr(error.orig, "sqlstate", None) or ""


def _nobody_answers(error: DBAPIError) -> bool:
    # PostgreSQL gives its own refusals, such as of a row that is locked for long, a code: there, only one row waits.
    is_refused = _sqlstate(error) != "" or _means_full_disk(error)
    return isinstance(error, OperationalError) and not is_refused


def _means_full_disk(error: DBAPIError) -> bool:
    is_from_sqlite = isinstance(error, OperationalError) and "disk is full" in str(error.orig)
    return is_from_sqlite or _sqlstate(error) == _DISK_FULL


def _is_sqlite(url: str | URL) -> bool:
    return make_url(url).get_backend_name() == "sqlite"


def _create_engine(url: str | URL, timeouts: Timeouts | None) -> Engine:
    """Return an engine; without timeouts, statements may take as long as they take."""
    waiting = timeouts or WORKERS
    options = {"hide_parameters": True, "pool_timeout": waiting.pool_seconds}
    if not _is_sqlite(url):
        # Imported late: its driver, which SQLite does not need, takes a tenth of a second.
        from .postgresql import bound_connections

        engine = create_engine(url, **options, pool_pre_ping=True, pool_size=8, max_overflow=8)
        bound_connections(engine, timeouts)
        return engine
    engine = create_engine(url, **options, connect_args={"timeout": waiting.lock_seconds, "check_same_thread": False})
    event.listen(engine, "connect", lambda connection, _record: _prepare_sqlite(connection, waiting.lock_seconds))
    event.listen(engine, "begin", _begin)
    return engine


def _prepare_sqlite(connection: Any, lock_seconds: float) -> None:  # the driver's own connection
    # Transactions are begun by hand below: the driver would begin them late, and a reader that then wants to write
    # is refused at once instead of waiting.
    connection.isolation_level = None
    for pragma in (f"busy_timeout={lock_seconds * 1000:.0f}", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")
    _write_ahead(connection, lock_seconds)


def _write_ahead(connection: Any, lock_seconds: float) -> None:  # the driver's own connection
    # Of several processes that open a new file at once, SQLite refuses this to some instead of letting them wait.
    until = time.monotonic() + lock_seconds
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
