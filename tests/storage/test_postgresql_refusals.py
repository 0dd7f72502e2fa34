"""What PostgreSQL refuses has an SQLSTATE: what passes by itself is a 503, whatever class the driver gives it."""

from collections.abc import Iterator
from contextlib import ExitStack, closing

import psycopg
import pytest
from sqlalchemy import insert, make_url, select, text
from sqlalchemy.exc import DBAPIError

from storage.database import Database
from storage.database_health import check_database
from storage.errors import InsufficientStorage, StorageUnavailable
from storage.settings import REQUESTS
from storage.tables import idempotency_keys
from tests.support.databases import new_postgresql_database, plain_url, turn_read_only
from tests.support.storage_servers import PostgresqlServer, running_postgresql

_ROW = {"caller": "", "request_sha256": "r", "status": 200, "thing": "t", "created_at": 1.0}


@pytest.fixture
def server() -> Iterator[PostgresqlServer]:
    with running_postgresql() as running:
        yield running


@pytest.fixture
def database(server: PostgresqlServer) -> Iterator[Database]:
    with new_postgresql_database(server.url) as url:
        made = Database(url, REQUESTS)
        made.migrate()
        yield made
        made.close()


def _add(database: Database, key: str) -> None:
    with database.transaction() as connection:
        connection.execute(insert(idempotency_keys).values(key=key, **_ROW))


def _keys(database: Database) -> list[str]:
    with database.reading() as connection:
        return list(connection.execute(select(idempotency_keys.c.key)).scalars())


def _administer(server: PostgresqlServer, *statements: str) -> None:
    with psycopg.connect(plain_url(server.url), autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def _raise(database: Database, sqlstate: str) -> None:
    with database.transaction() as connection:
        connection.execute(text(f"DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '{sqlstate}'; END $$"))


def _take_all_connections(url: str, taken: ExitStack) -> None:
    with pytest.raises(psycopg.OperationalError, match="connection"):  # noqa: PT012  # one of many is refused
        for _ in range(1000):
            taken.enter_context(closing(psycopg.connect(url)))


def test_sqlstates_are_distinguished(database: Database) -> None:
    for passing in ("25006", "57P01", "57P02", "57P03", "53000", "53200", "53300", "53400"):
        with pytest.raises(StorageUnavailable):
            _raise(database, passing)
    with pytest.raises(InsufficientStorage):
        _raise(database, "53100")
    with pytest.raises(DBAPIError):
        _raise(database, "22012")  # a division by zero is our fault


def test_a_server_that_became_read_only_is_read_but_not_ready_until_it_takes_changes_again(database: Database) -> None:
    _add(database, "before")
    turn_read_only(str(database.url), read_only=True)

    with pytest.raises(StorageUnavailable, match="read-only"):
        _add(database, "refused")
    with pytest.raises(StorageUnavailable, match="read-only"):
        check_database(database)
    assert _keys(database) == ["before"]

    # Nobody ends the sessions that began meanwhile: each would stay read-only for as long as it lives.
    turn_read_only(str(database.url), read_only=False)
    check_database(database)
    _add(database, "after")
    assert _keys(database) == ["before", "after"]


def test_sessions_that_an_administrator_ends_cost_no_later_call(server: PostgresqlServer, database: Database) -> None:
    with pytest.raises(StorageUnavailable), database.transaction() as connection:  # noqa: PT012  # in one transaction
        pid = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
        _administer(server, f"SELECT pg_terminate_backend({pid})")
        connection.execute(text("SELECT 1"))

    _add(database, "after")
    assert _keys(database) == ["after"]


def test_a_server_without_a_free_connection_is_unavailable_until_one_is_free(
    server: PostgresqlServer, database: Database
) -> None:
    # Its last connections are for administrators.
    name = make_url(database.url).database
    _administer(server, "CREATE ROLE visitor LOGIN", "GRANT pg_read_all_data, pg_write_all_data TO visitor")
    visiting = Database(make_url(server.url).set(username="visitor", database=name), REQUESTS)
    with ExitStack() as taken:
        _take_all_connections(plain_url(server.url).replace("leafspace@", "visitor@"), taken)
        with pytest.raises(StorageUnavailable):
            _keys(visiting)
        with pytest.raises(StorageUnavailable):
            check_database(visiting)

    assert _keys(visiting) == []
    visiting.close()
