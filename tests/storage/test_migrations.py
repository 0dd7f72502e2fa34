"""Migrations give exactly the tables that the code speaks of, however often and by however many they are run."""

import multiprocessing
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect

import storage
from storage.database import Database
from storage.tables import metadata

_SCRIPTS = Path(storage.__file__).parent / "migrations"
_N_PROCESSES = 3


def _differences(database: Database) -> list[object]:
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return list(compare_metadata(context, metadata))


def test_the_migrated_tables_are_those_of_the_code(rows_database: Database) -> None:
    assert _differences(rows_database) == []


def test_migrating_twice_changes_nothing(rows_database: Database) -> None:
    rows_database.migrate()

    assert _differences(rows_database) == []


def test_migrations_are_one_line_without_branches() -> None:
    assert len(ScriptDirectory(str(_SCRIPTS)).get_heads()) == 1


def test_migrations_can_be_taken_back(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'rows.db'}")
    database.migrate()
    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS))

    with database.engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "base")

    assert inspect(database.engine).get_table_names() == ["alembic_version"]
    database.migrate()
    assert _differences(database) == []


def _migrate(url: str, start: Barrier) -> None:
    database = Database(url)
    start.wait()
    database.migrate()


@pytest.mark.parametrize("name", ["rows.db", "100% odd name.db"])
def test_processes_that_migrate_at_once_all_succeed(tmp_path: Path, name: str) -> None:
    url = f"sqlite:///{tmp_path / name}"
    spawning = multiprocessing.get_context("spawn")
    start = spawning.Barrier(_N_PROCESSES)
    processes = [spawning.Process(target=_migrate, args=(url, start)) for _ in range(_N_PROCESSES)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)

    assert [process.exitcode for process in processes] == [0] * _N_PROCESSES
    assert _differences(Database(url)) == []
