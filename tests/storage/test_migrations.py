"""Migrations give exactly the tables that the code speaks of, however often and by however many they are run."""

import multiprocessing
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import JSON, MetaData, Table, TableClause, column, insert, inspect, select, text, update
from sqlalchemy import table as clause

import storage
from storage.artefacts import ArtefactStore
from storage.database import Database, newest_revision
from storage.database_file import OLDEST_REVISION
from storage.errors import DatabaseUnusable
from storage.jobs import JobStore
from storage.tables import artefacts, idempotency_keys, jobs, metadata
from tests.support.rows_of_old import ROWS, Row

_SCRIPTS = Path(storage.__file__).parent / "migrations"
_N_PROCESSES = 2
_ALL_REVISIONS = sorted(script.revision for script in ScriptDirectory(str(_SCRIPTS)).walk_revisions())
_REVISIONS = [revision for revision in _ALL_REVISIONS if revision >= OLDEST_REVISION]
# From the oldest one on, each database goes through all that came later.
_DATABASES_OF_OLD: list[object] = [
    *(("sqlite", revision) for revision in (*_REVISIONS[:-2:4], *_REVISIONS[-2:])),
    *(("postgresql", revision) for revision in (_REVISIONS[0], _REVISIONS[-2])),
]
_DATABASES_OF_OLD += [
    pytest.param(*each, marks=pytest.mark.long)
    for each in product(("sqlite", "postgresql"), _REVISIONS)
    if each not in _DATABASES_OF_OLD
]


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


@pytest.mark.parametrize("is_new", [True, False], ids=["a new database", "tables up to date"])
def test_who_has_no_old_tables_does_without_what_migrates(new_database_url: str, *, is_new: bool) -> None:
    if not is_new:
        Database(new_database_url).migrate()
    program = f"from storage.database import Database; Database({new_database_url!r}).migrate()"
    program += "; import sys; print(*sys.modules)"

    imported = subprocess.check_output([sys.executable, "-c", program], text=True).split()  # noqa: S603  # ours

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


@pytest.mark.parametrize(("new_database_url", "revision"), _DATABASES_OF_OLD, indirect=["new_database_url"])
def test_rows_of_every_revision_are_there_after_all_that_came_later(new_database_url: str, revision: str) -> None:
    database = Database(new_database_url)
    _go_to(database, command.upgrade, revision)
    kept = _fill(database)

    database.migrate()

    assert _differences(database) == []
    assert {name: _rows(database, metadata.tables[name], list(rows[0])) for name, rows in kept.items()} == kept
    assert _rows(database, idempotency_keys, ["thing"]) == [{"thing": "prs_1"}] * 2
    assert [job.id for job in JobStore(database).list(10, None).data] == ["job_3", "job_2", "job_1"]
    assert ArtefactStore(database).get("prototype_sets", "prs_1").result == "a" * 64
    database.close()


@pytest.mark.parametrize("revision", [_ALL_REVISIONS[0], "0008", "0021"])
def test_tables_of_before_the_oldest_revision_are_refused_before_anything_is_written(
    new_database_url: str, revision: str
) -> None:
    database = Database(new_database_url)
    _go_to(database, command.upgrade, revision)
    _fill(database)
    before = _described(database)

    for look in (database.check_usable, database.migrate):
        with pytest.raises(DatabaseUnusable, match=f"revision {revision}, and this version reads those from"):
            look()

    assert _described(database) == before
    database.close()


def test_trees_of_ism_whose_leaves_were_those_of_the_largest_gains_say_so(new_database_url: str) -> None:
    database = Database(new_database_url)
    _go_to(database, command.upgrade, "0023")
    _fill(database)
    of_ism, of_sta = ({"method": method, "choose_by": "fidelity", "seed": 1} for method in ("ism", "sta"))
    with database.transaction() as connection:
        connection.execute(update(artefacts).values(noun="approximation_trees", request=of_ism))
        connection.execute(update(jobs).values(kind="approximation_trees", request=of_sta))

    database.migrate()

    for table, choose_by in ((artefacts, "gain"), (jobs, "fidelity")):
        requests = [row["request"] for row in _rows(database, table, ["request"])]
        assert requests
        assert all((request["choose_by"], request["seed"]) == (choose_by, 1) for request in requests)
    database.close()


def _go_to(database: Database, move: Callable[[Config, str], None], revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS))
    with database.engine.begin() as connection:
        config.attributes["connection"] = connection
        move(config, revision)


def _fill(database: Database) -> dict[str, list[Row]]:
    """Put rows into all tables that there are, with the columns that there are; return what is to be kept of them."""
    then = MetaData()
    then.reflect(database.engine)
    then.remove(then.tables["alembic_version"])
    kept = {}
    with database.transaction() as connection:
        for table in then.sorted_tables:
            kept[table.name] = [{name: row[name] for name in table.columns.keys()} for row in ROWS[table.name]]  # noqa: SIM118
            # With the types of the code: SQLite does not report that a column holds JSON.
            connection.execute(insert(_as_the_code_has_it(table)), kept[table.name])
    return {name: [_still_kept(name, row) for row in rows] for name, rows in kept.items()}


def _still_kept(table: str, row: Row) -> Row:
    return {name: value for name, value in row.items() if name in metadata.tables[table].columns}


def _as_the_code_has_it(table: Table) -> TableClause:
    types = metadata.tables[table.name].columns
    names = table.columns.keys()
    return clause(table.name, *(column(name, types[name].type if name in types else JSON()) for name in names))


def _rows(database: Database, table: Table, names: list[str]) -> list[Row]:
    with database.reading() as connection:
        found = connection.execute(select(*(table.c[name] for name in names)).order_by(*table.primary_key))
        return [dict(row) for row in found.mappings()]


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
        process.join(60)

    assert [process.exitcode for process in processes] == [0] * _N_PROCESSES
    assert _differences(Database(url)) == []
