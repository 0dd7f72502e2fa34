"""Migrations give exactly the tables that the code speaks of, however often and by however many they are run."""

import multiprocessing
import subprocess
import sys
from collections.abc import Callable
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text

import storage
from storage.database import Database
from storage.database_file import newest_revision
from storage.errors import DatabaseUnusable
from storage.tables import metadata
from tests.support.patience import PATIENCE_SECONDS

_SCRIPTS = Path(storage.__file__).parent / "migrations"
_N_PROCESSES = 2


def _differences(database: Database) -> list[object]:
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return list(compare_metadata(context, metadata))


def test_a_new_database_has_the_tables_of_the_code_and_those_that_all_migrations_give(new_database_url: str) -> None:
    database = Database(new_database_url)
    database.migrate()
    assert _differences(database) == []
    made_at_once = _described(database)
    with database.transaction() as connection:
        metadata.drop_all(connection)
        connection.execute(text("DROP TABLE alembic_version"))

    _go_to(database, command.upgrade, "head")

    assert _described(database) == made_at_once
    database.close()


def _described(database: Database) -> dict[str, object]:
    """Return all that the database knows of its tables, but for the order of their columns."""
    found = inspect(database.engine)
    with database.reading() as connection:
        revision = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return {"revision": revision} | {
        name: (
            sorted((column["name"], str(column["type"]), column["nullable"], column["default"]) for column in columns),
            found.get_pk_constraint(name),
            sorted(found.get_foreign_keys(name), key=str),
            sorted(found.get_unique_constraints(name), key=str),
            sorted(found.get_indexes(name), key=str),
        )
        for name in found.get_table_names()
        for columns in [found.get_columns(name)]
    }


def test_migrating_twice_changes_nothing(rows_database: Database) -> None:
    rows_database.migrate()

    assert _differences(rows_database) == []


def test_migrations_are_one_line_without_branches() -> None:
    assert len(ScriptDirectory(str(_SCRIPTS)).get_heads()) == 1


@pytest.mark.parametrize(
    "is_new", [pytest.param(True, marks=pytest.mark.long), False], ids=["a new database", "tables up to date"]
)
def test_who_has_no_old_tables_does_without_what_migrates(new_database_url: str, *, is_new: bool) -> None:
    if not is_new:
        Database(new_database_url).migrate()
    program = f"from storage.database import Database; Database({new_database_url!r}).migrate()"
    program += "; import sys; print(*sys.modules)"

    imported = subprocess.check_output([sys.executable, "-c", program], text=True).split()  # ours

    assert newest_revision() == ScriptDirectory(str(Path(storage.__file__).parent / "migrations")).get_current_head()
    assert "sqlalchemy" in imported
    assert "alembic" not in imported


def test_migrations_can_be_taken_back(new_database_url: str) -> None:
    database = Database(new_database_url)
    database.migrate()

    _go_to(database, command.downgrade, "base")

    assert inspect(database.engine).get_table_names() == ["alembic_version"]
    database.migrate()
    assert _differences(database) == []
    database.close()


def test_dictionaries_of_the_first_release_are_kept_without_the_key_that_saved_them(new_database_url: str) -> None:
    database = Database(new_database_url)
    _go_to(database, command.upgrade, "1")
    with database.transaction() as connection:
        insert = (
            "INSERT INTO dictionaries (id, revision, words, hidden_since, n_bytes) VALUES ('ds_1', 7, '{}', '{}', 2)"
        )
        connection.execute(text(insert))

    database.migrate()

    assert _differences(database) == []
    with database.reading() as connection:
        assert connection.execute(text("SELECT revision, n_bytes, caller FROM dictionaries")).all() == [(7, 2, None)]
    database.close()


@pytest.mark.parametrize("revision", ["0025", "9999"], ids=["before the first release", "a newer version"])
def test_tables_of_another_history_are_refused_before_anything_is_written(new_database_url: str, revision: str) -> None:
    database = Database(new_database_url)
    with database.transaction() as connection:
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
        connection.execute(text("INSERT INTO alembic_version VALUES (:revision)"), {"revision": revision})
        connection.execute(text("CREATE TABLE models (id VARCHAR(40))"))
    before = _described(database)

    for check in (database.check_usable, database.migrate):
        with pytest.raises(DatabaseUnusable, match=f"another history: its tables have revision '{revision}'"):
            check()

    assert _described(database) == before
    database.close()


def _go_to(database: Database, move: Callable[[Config, str], None], revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS))
    with database.engine.begin() as connection:
        config.attributes["connection"] = connection
        move(config, revision)


def _migrate(url: str, start: Barrier) -> None:
    database = Database(url)
    start.wait()
    database.migrate()


def test_paths_of_databases_may_be_odd(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / '100% odd name.db'}")
    database.migrate()

    assert _differences(database) == []


def test_processes_that_migrate_at_once_all_succeed(new_database_url: str) -> None:
    url = new_database_url
    spawning = multiprocessing.get_context("spawn")
    start = spawning.Barrier(_N_PROCESSES)
    processes = [spawning.Process(target=_migrate, args=(url, start)) for _ in range(_N_PROCESSES)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(PATIENCE_SECONDS)

    assert [process.exitcode for process in processes] == [0] * _N_PROCESSES
    assert _differences(Database(url)) == []
