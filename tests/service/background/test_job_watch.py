"""Callers who wait for jobs are notified of every change, and all of them together look once a turn."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from sqlalchemy import delete, text

from schemas.jobs import Job
from service.background.job_watch import JobWatch
from service.draining import Draining
from storage.commit_watch import CommitWatch
from storage.database import Database
from storage.errors import NotFound, StorageUnavailable
from storage.jobs import JobStore
from storage.tables import jobs
from tests.support.databases import empty_database
from tests.support.job_rows import JobRows


class _CountedJobs(JobStore):
    """Counts looks at jobs, which may take long."""

    n_looks = 0
    seconds_of_a_look = 0.0

    def get_many(self, job_ids: Sequence[str]) -> dict[str, Job]:
        self.n_looks += 1
        found = super().get_many(job_ids)
        time.sleep(self.seconds_of_a_look)
        return found


class Watched:
    """Jobs, and who looks at them."""

    def __init__(self, database: Database) -> None:
        self.rows = JobRows(database)
        self.draining = Draining()
        self.jobs = _CountedJobs(database)
        self.watch = JobWatch(self.jobs, self.draining, CommitWatch(database))

    def add(self) -> Job:
        self.rows.seconds += 1  # each job is requested after the one before
        return self.rows.jobs.get(self.rows.add())


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    with empty_database(tmp_path) as database:
        yield Watched(database)


def test_all_who_wait_are_notified_of_a_change_and_look_once_a_turn_together(watched: Watched) -> None:
    others, changing = [watched.add() for _ in range(20)], watched.add()  # nothing changes for the first callers

    async def wait() -> list[Job]:
        waiting = [asyncio.create_task(watched.watch.change(changing)) for _ in range(300)]
        waiting += [asyncio.create_task(watched.watch.change(other, 1.2)) for other in others * 10]
        await asyncio.sleep(0.4)
        watched.jobs.n_looks, counted_since = 0, time.monotonic()
        await asyncio.sleep(0.5)
        assert watched.jobs.n_looks <= 1 + 8 * (time.monotonic() - counted_since)  # together, not one by one
        await asyncio.to_thread(watched.rows.jobs.request_cancel, changing.id)
        return await asyncio.gather(*waiting)

    found = asyncio.run(wait())  # who is not notified of a change waits for ever

    assert [job.status for job in found[:300]] == ["cancelled"] * 300
    assert found[300:] == others * 10


def test_jobs_are_read_again_only_where_something_was_committed(watched: Watched) -> None:
    seen = watched.add()

    assert asyncio.run(watched.watch.change(seen, 1)) == seen
    assert watched.jobs.n_looks <= 1  # for the new caller


def test_a_change_that_came_before_anybody_waited_is_reported(watched: Watched) -> None:
    seen = watched.add()
    watched.rows.jobs.request_cancel(seen.id)

    assert asyncio.run(watched.watch.change(seen, 5)).status == "cancelled"


def test_a_caller_during_a_look_gets_nothing_older_than_before(watched: Watched) -> None:
    early, late = watched.add(), watched.add()
    watched.jobs.seconds_of_a_look = 0.3

    async def wait() -> list[Job]:
        waiting = [asyncio.create_task(watched.watch.change(early, 0.8))]
        await asyncio.sleep(0.3)
        assert watched.jobs.n_looks == 1
        cancelled = await asyncio.to_thread(watched.rows.jobs.request_cancel, early.id)
        waiting += [asyncio.create_task(watched.watch.change(seen, 0.4)) for seen in (cancelled, late)]
        return await asyncio.gather(*waiting[1:])

    assert [job.status for job in asyncio.run(wait())] == ["cancelled", "queued"]


def test_nobody_looks_once_nobody_waits_and_a_later_caller_is_answered(watched: Watched) -> None:
    seen = watched.add()

    async def wait() -> str:
        assert await watched.watch.change(seen, 0.2) == seen
        given_up = asyncio.create_task(watched.watch.change(seen))
        await asyncio.sleep(0.2)
        given_up.cancel()
        await asyncio.sleep(0.4)
        watched.jobs.n_looks = 0
        await asyncio.sleep(0.4)
        assert watched.jobs.n_looks == 0
        await asyncio.to_thread(watched.rows.jobs.request_cancel, seen.id)
        return (await watched.watch.change(seen, 5)).status

    assert asyncio.run(wait()) == "cancelled"


def test_callers_who_wait_are_let_go_when_the_process_drains(watched: Watched) -> None:
    seen = watched.add()

    async def wait() -> Job:
        waiting = asyncio.create_task(watched.watch.change(seen))
        await asyncio.sleep(0.2)
        watched.draining.begin()
        return await asyncio.wait_for(waiting, 1)

    assert asyncio.run(wait()) == seen


def test_callers_who_wait_learn_that_the_job_is_gone_or_cannot_be_looked_at(watched: Watched) -> None:
    seen, database = watched.add(), watched.rows.database
    with database.transaction() as connection:
        connection.execute(delete(jobs).where(jobs.c.id == seen.id))
    with pytest.raises(NotFound):
        asyncio.run(watched.watch.change(seen, 5))

    with database.transaction() as connection:
        connection.execute(text("ALTER TABLE jobs RENAME TO jobs_away"))
    with pytest.raises(StorageUnavailable):
        asyncio.run(watched.watch.change(seen, 5))
