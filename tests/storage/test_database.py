"""Transactions happen whole or not at all, survive whatever comes after, and readers keep nobody waiting."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from sqlalchemy import insert, select, text

from storage.database import Database
from storage.errors import StorageError, StorageUnavailable
from storage.tables import idempotency_keys

_ROW = {"caller": "", "request_sha256": "r", "status": 200, "answer": {}, "created_at": 1.0}


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
        assert time.monotonic() - began < 1
    assert _keys(rows_database) == ["a"]


def test_a_writer_does_not_wait_for_a_reader(rows_database: Database) -> None:
    with rows_database.reading() as connection:
        connection.execute(select(idempotency_keys.c.key)).all()
        began = time.monotonic()
        _add(rows_database, "a")
        assert time.monotonic() - began < 1


def test_what_was_committed_survives_the_end_of_the_process(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'rows.db'}"
    program = (
        "import os, sys\nfrom sqlalchemy import text\nfrom storage.database import Database\n"
        "database = Database(sys.argv[1]); database.migrate()\n"
        "with database.transaction() as connection:\n"
        "    connection.execute(text(\"INSERT INTO idempotency_keys VALUES ('', 'a', 'r', 200, '{}', 1.0)\"))\n"
        "os.kill(os.getpid(), 9)"
    )

    died = subprocess.run([sys.executable, "-c", program, url], check=False)  # noqa: S603  # our own program

    assert died.returncode == -9
    assert _keys(Database(url)) == ["a"]


def test_a_database_that_is_away_is_said_to_be_unavailable() -> None:
    away = Database("postgresql+psycopg://nobody@127.0.0.1:1/nothing?connect_timeout=1")

    for connect in (away.transaction, away.reading):
        with pytest.raises(StorageUnavailable) as refused, connect():
            pass
        assert refused.value.code == "unavailable"
        assert "nobody" not in refused.value.detail


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
