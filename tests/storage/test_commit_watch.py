"""What is read every second is read again only where something was committed, and wherever that is not known."""

from pathlib import Path

import pytest
from sqlalchemy import text

from storage.commit_watch import CommitWatch
from storage.database import Database


def _commit(database: Database, number: int) -> None:
    with database.transaction() as connection:
        connection.execute(text("CREATE TABLE IF NOT EXISTS numbers (number INTEGER)"))
        connection.execute(text("INSERT INTO numbers VALUES (:number)"), {"number": number})


@pytest.fixture
def database(tmp_path: Path) -> Database:
    made = Database(f"sqlite:///{tmp_path / 'rows.db'}")
    _commit(made, 0)
    return made


def _count(database: Database) -> int:
    with database.reading() as connection:
        return int(connection.execute(text("SELECT count(*) FROM numbers")).scalar_one())


def test_it_is_read_at_first_and_after_each_commit_of_this_or_another_process(database: Database) -> None:
    watch, another, counts = CommitWatch(database), Database(database.url), list[int]()

    def read() -> None:
        counts.append(_count(database))

    for writer in (database, another):
        watch.run(read)
        watch.run(read)
        _commit(writer, 1)
    watch.run(read)
    watch.run(read)

    assert counts == [1, 2, 3]


def test_a_reading_that_fails_is_repeated_though_nothing_was_committed(database: Database) -> None:
    watch, counts = CommitWatch(database), list[int]()

    def fail() -> None:
        raise LookupError

    def read() -> None:
        counts.append(_count(database))

    watch.run(read)
    _commit(database, 1)
    for _ in range(2):
        with pytest.raises(LookupError):
            watch.run(fail)
    watch.run(read)

    assert counts == [1, 2]


def test_a_file_that_is_not_there_is_read_each_time_and_not_made(tmp_path: Path) -> None:
    watch, n_read = CommitWatch(Database(f"sqlite:///{tmp_path / 'none.db'}")), list[int]()

    watch.run(lambda: n_read.append(1))
    watch.run(lambda: n_read.append(1))

    assert len(n_read) == 2
    assert not (tmp_path / "none.db").exists()


def test_a_watch_that_was_closed_reads_again(database: Database) -> None:
    watch, counts = CommitWatch(database), list[int]()
    for _ in range(2):
        watch.run(lambda: counts.append(_count(database)))
        watch.close()

    assert counts == [1, 1]


def test_databases_that_count_no_commits_are_read_each_time() -> None:
    watch, n_read = CommitWatch(Database("postgresql+psycopg://nobody@127.0.0.1:1/none")), list[int]()

    watch.run(lambda: n_read.append(1))
    watch.run(lambda: n_read.append(1))

    assert len(n_read) == 2
