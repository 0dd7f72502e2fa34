"""Clearing away by a real worker: it shows that it lives, and old things go, in a process of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from storage.tables import jobs
from storage.worker_heartbeats import WorkerHeartbeats
from tests.support.job_farm import JobFarm
from tests.support.patience import PATIENCE_SECONDS


@pytest.fixture
def farm(tmp_path: Path) -> Iterator[JobFarm]:
    built = JobFarm(tmp_path)
    yield built
    built.stop()


def test_a_worker_shows_that_it_lives_and_clears_away_what_is_old(farm: JobFarm) -> None:
    with farm.database.transaction() as connection:
        old = farm.jobs.add(connection, "succeed", "prs_gone", {}, 60)
        connection.execute(update(jobs).where(jobs.c.id == old).values(status="failed", finished_at=0.0))
    failed = farm.request_job("refuse")
    heartbeats = WorkerHeartbeats(farm.redis.notifier.redis)
    farm.start_worker(LEAFSPACE_RETENTION_SECONDS="1", LEAFSPACE_WORKER_NICENESS="0")

    farm.wait_until(lambda: heartbeats.n_workers() == 1)
    farm.wait_until(lambda: heartbeats.n_removed() == {"jobs": 1})

    assert farm.wait_for_end(failed).status == "failed"
    assert [job.id for job in farm.jobs.list(10, None).data] == [failed.job]
    farm.workers[0].terminate()
    farm.workers[0].wait(PATIENCE_SECONDS)
    assert heartbeats.n_workers() == 0


def test_one_of_all_workers_takes_a_turn(farm: JobFarm) -> None:
    heartbeats = WorkerHeartbeats(farm.redis.notifier.redis)

    assert [heartbeats.claim_turn("clearing", 60) for _ in range(3)] == [True, False, False]
