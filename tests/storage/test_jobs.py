"""Rows of jobs, as the service writes and reads them."""

import pytest

from storage.attempts import AttemptStore, Claim
from storage.database import Database
from storage.errors import Conflict, NotFound
from storage.jobs import JobStore


@pytest.fixture
def database(rows_database: Database) -> Database:
    return rows_database


def _add(database: Database, store: JobStore) -> str:
    with database.transaction() as connection:
        return store.add(connection, "prototype_sets", "prs_x", {"seed": 1}, 60)


def test_a_new_job_is_queued_and_can_be_read(database: Database) -> None:
    store = JobStore(database)

    job = store.get(_add(database, store))

    assert job.id.startswith("job_")
    assert (job.status, job.attempt, job.progress.fraction, job.problem) == ("queued", 0, 0.0, None)


def test_a_job_whose_transaction_fails_was_never_there(database: Database) -> None:
    store = JobStore(database)

    def add_then_fail() -> None:
        with database.transaction() as connection:
            store.add(connection, "prototype_sets", "prs_x", {}, 60)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        add_then_fail()

    assert store.list(10, None).data == []


def test_jobs_are_listed_newest_first_page_by_page_and_by_status(database: Database) -> None:
    times = iter(range(100, 200))
    store = JobStore(database, now=lambda: float(next(times)))
    oldest, middle, newest = (_add(database, store) for _ in range(3))
    store.request_cancel(middle)

    first = store.list(2, None)
    second = store.list(2, first.next_cursor)

    assert [job.id for job in first.data + second.data] == [newest, middle, oldest]
    assert second.next_cursor is None
    assert [job.id for job in store.list(10, None, status="cancelled").data] == [middle]


def test_cancelling_a_queued_job_ends_it_at_once(database: Database) -> None:
    store = JobStore(database)
    job_id = _add(database, store)

    job = store.request_cancel(job_id)

    assert job.status == "cancelled"
    assert job.problem is not None
    assert job.problem.code == "job_cancelled"
    assert AttemptStore(database).claim(job_id, 30) is None


def test_cancelling_a_running_job_twice_is_no_error(database: Database) -> None:
    store = JobStore(database)
    job_id = _add(database, store)
    assert isinstance(AttemptStore(database).claim(job_id, 30), Claim)

    statuses = [store.request_cancel(job_id).status for _ in range(2)]

    assert statuses == ["cancelling", "cancelling"]


def test_cancelling_a_job_that_ended_is_a_conflict(database: Database) -> None:
    store = JobStore(database)
    job_id = _add(database, store)
    store.request_cancel(job_id)

    with pytest.raises(Conflict, match="cancelled"):
        store.request_cancel(job_id)


def test_an_unknown_job_is_not_found(database: Database) -> None:
    store = JobStore(database)

    with pytest.raises(NotFound, match="job_nobody"):
        store.get("job_nobody")
    with pytest.raises(NotFound, match="job_nobody"):
        store.request_cancel("job_nobody")
