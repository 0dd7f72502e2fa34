"""Transactions happen whole or not at all, survive whatever comes after, and readers keep nobody waiting."""

import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import insert, make_url, select, text

from storage.database import Database
from storage.errors import StorageError, StorageUnavailable
from storage.settings import REQUESTS, Timeouts
from storage.tables import api_keys, idempotency_keys
from tests.support.databases import new_postgresql_database, silent_server
from tests.support.patience import when_idle
from tests.support.storage_servers import running_postgresql

_HURRIED = Timeouts(lock_seconds=1.5, answer_seconds=1, connection_seconds=2, pool_seconds=0.5, rest_seconds=2)
_N_CALLERS = 40  # as many as an API process has threads
_ROW = {"caller": "", "request_sha256": "r", "status": 200, "thing": "t", "created_at": 1.0}


def _keys(database: Database) -> list[str]:
    with database.reading() as connection:
        return list(connection.execute(select(idempotency_keys.c.key)).scalars())


def _add(database: Database, key: str) -> None:
    with database.transaction() as connection:
        connection.execute(insert(idempotency_keys).values(key=key, **_ROW))


def test_what_a_failed_transaction_wrote_was_never_there(rows_database: Database) -> None:
    def write_and_fail() -> None:
        with rows_database.transaction() as connection:
            connection.execute(insert(idempotency_keys).values(key="a", **_ROW))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_and_fail()
    assert _keys(rows_database) == []


def test_a_reader_neither_waits_for_a_writer_nor_sees_what_is_not_committed(rows_database: Database) -> None:
    with rows_database.transaction() as connection:
        connection.execute(insert(idempotency_keys).values(key="a", **_ROW))
        began = time.monotonic()
        assert _keys(rows_database) == []
        assert time.monotonic() - began < when_idle(1)
    assert _keys(rows_database) == ["a"]


def test_a_writer_does_not_wait_for_a_reader(rows_database: Database) -> None:
    with rows_database.reading() as connection:
        connection.execute(select(idempotency_keys.c.key)).all()
        began = time.monotonic()
        _add(rows_database, "a")
        assert time.monotonic() - began < when_idle(1)


def test_what_was_committed_survives_the_end_of_the_process(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'rows.db'}"
    program = (
        "import os, sys\nfrom sqlalchemy import text\nfrom storage.database import Database\n"
        "database = Database(sys.argv[1]); database.migrate()\n"
        "with database.transaction() as connection:\n"
        "    connection.execute(text(\"INSERT INTO idempotency_keys VALUES ('', 'a', 'r', 200, 't', NULL, 1.0)\"))\n"
        "os.kill(os.getpid(), 9)"
    )

    died = subprocess.run([sys.executable, "-c", program, url], check=False)  # our own program

    assert died.returncode == -9
    assert _keys(Database(url)) == ["a"]


def test_a_database_that_is_away_is_reported_to_be_unavailable() -> None:
    away = Database("postgresql+psycopg://nobody@127.0.0.1:1/nothing?connect_timeout=1")

    for connect in (away.transaction, away.reading):
        with pytest.raises(StorageUnavailable) as refused, connect():
            pass
        assert refused.value.code == "unavailable"
        assert "nobody" not in refused.value.detail


def _seconds_until_refused(database: Database, *, writing: bool = True) -> float:
    began = time.monotonic()
    with pytest.raises(StorageUnavailable):
        _add(database, "refused") if writing else _keys(database)
    return time.monotonic() - began


@contextmanager
def _locked(database: Database) -> Iterator[None]:
    """Hold SQLite's lock as another process would."""
    locking = sqlite3.connect(str(make_url(database.url).database), isolation_level=None)
    locking.execute("BEGIN IMMEDIATE")
    yield
    locking.execute("ROLLBACK")
    locking.close()


@pytest.fixture
def hurried(tmp_path: Path) -> Iterator[Database]:
    database = Database(f"sqlite:///{tmp_path / 'rows.db'}", _HURRIED)
    database.migrate()
    yield database
    database.close()


def test_of_many_who_find_the_database_locked_none_waits_long(hurried: Database) -> None:
    with _locked(hurried), ThreadPoolExecutor(_N_CALLERS) as callers:
        waited = list(callers.map(lambda _: _seconds_until_refused(hurried), range(20 * _N_CALLERS)))

    # One lock's timeouts each, and for the later ones, none: they fail at once.
    assert max(waited) < when_idle(_HURRIED.lock_seconds + _HURRIED.pool_seconds + 1.5)
    assert sum(seconds < when_idle(0.1) for seconds in waited) >= _N_CALLERS


def test_readers_are_not_kept_by_writers_who_wait(hurried: Database) -> None:
    with _locked(hurried), ThreadPoolExecutor(_N_CALLERS) as callers:
        waiting = [callers.submit(_seconds_until_refused, hurried) for _ in range(_N_CALLERS)]
        time.sleep(0.2)
        began = time.monotonic()
        assert _keys(hurried) == []
        assert time.monotonic() - began < when_idle(_HURRIED.pool_seconds)
        assert all(each.result() > 0 for each in waiting)


def test_one_slow_lock_is_reported_to_those_who_waited_for_it_and_keeps_nobody_else_from_trying(
    hurried: Database,
) -> None:
    with _locked(hurried), ThreadPoolExecutor(4) as callers:
        waiting = [callers.submit(_seconds_until_refused, hurried) for _ in range(4)]
        assert all(each.result() >= _HURRIED.lock_seconds for each in waiting)
    with _locked(hurried), pytest.raises(StorageUnavailable, match="is busy"):
        _add(hurried, "refused")

    _add(hurried, "a")

    assert _keys(hurried) == ["a"]


def test_soon_after_a_long_lock_is_gone_rows_are_written_again(hurried: Database) -> None:
    with _locked(hurried):
        for _ in range(3):
            assert _seconds_until_refused(hurried) >= _HURRIED.lock_seconds
        assert _seconds_until_refused(hurried) < when_idle(0.1)
    time.sleep(_HURRIED.rest_seconds)

    _add(hurried, "a")

    assert _keys(hurried) == ["a"]


def test_a_postgresql_that_accepts_and_never_answers_is_unavailable_within_seconds() -> None:
    with silent_server() as url, ThreadPoolExecutor(_N_CALLERS) as callers:
        database = Database(url, REQUESTS)
        waited = list(callers.map(lambda _: _seconds_until_refused(database), range(2 * _N_CALLERS)))

    assert max(waited) < when_idle(REQUESTS.connection_seconds + REQUESTS.pool_seconds + 1.5)


@pytest.mark.long
def test_a_postgresql_that_stands_still_is_unavailable_within_seconds() -> None:
    with running_postgresql() as server:
        database = Database(server.url, _HURRIED)
        database.migrate()
        assert _keys(database) == []
        with server.standing_still():
            waited = _seconds_until_refused(database, writing=False)
        time.sleep(_HURRIED.rest_seconds)
        assert _keys(database) == []
        database.close()

    assert waited < when_idle(_HURRIED.answer_seconds + 1 + _HURRIED.connection_seconds + 1.5)


@pytest.fixture
def hurried_postgresql(postgresql_url: str) -> Iterator[Database]:
    with new_postgresql_database(postgresql_url) as url:
        database = Database(url, _HURRIED)
        database.migrate()
        yield database
        database.close()


@contextmanager
def _holding(database: Database, table: str) -> Iterator[None]:
    plain = make_url(database.url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(plain) as holding:
        holding.execute(f"LOCK TABLE {table}".encode())
        yield


def test_nobody_waits_long_for_a_row_that_another_holds_in_postgresql(hurried_postgresql: Database) -> None:
    with _holding(hurried_postgresql, "idempotency_keys"):
        assert _seconds_until_refused(hurried_postgresql) < when_idle(_HURRIED.lock_seconds + 1.5)
        # The database answers: nobody is turned away whose rows are free.
        with hurried_postgresql.transaction() as connection:
            assert connection.execute(select(api_keys.c.id)).all() == []


def test_migrations_take_the_time_that_they_take(hurried_postgresql: Database) -> None:
    with ThreadPoolExecutor(1) as threads:
        with _holding(hurried_postgresql, "alembic_version"):
            migrating = threads.submit(hurried_postgresql.migrate)
            time.sleep(_HURRIED.lock_seconds + 1)
            assert not migrating.done()
        migrating.result()


def test_identifiers_that_a_database_cannot_hold_are_not_found(rows_database: Database) -> None:
    query = select(idempotency_keys.c.key).where(idempotency_keys.c.key == "a\0b")
    try:
        with rows_database.reading() as connection:
            assert connection.execute(query).all() == []  # SQLite can
    except StorageError as error:
        assert error.code == "not_found"  # noqa: PT017  # one database refuses, the other does not


def test_sqlite_flushes_every_commit_and_checks_references(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'rows.db'}")
    with database.reading() as connection:
        settings = {
            name: connection.execute(text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }

    assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 10_000}
