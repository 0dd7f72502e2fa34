"""Jobs that nobody cares for any more are found and settled."""

from collections.abc import Callable
from pathlib import Path

import pytest

from storage.abandoned_jobs import AbandonedJobs
from storage.attempts import AttemptStore, Claim
from storage.database import Database
from storage.jobs import JobStore


class _Rows:
    """The stores over one database, with a clock that the test moves."""

    def __init__(self, directory: Path) -> None:
        self.seconds = 1000.0
        now: Callable[[], float] = lambda: self.seconds  # noqa: E731  # the clock
        self.database = Database(f"sqlite:///{directory / 'rows.db'}")
        self.database.migrate()
        self.jobs = JobStore(self.database, now=now)
        self.attempts = AttemptStore(self.database, now=now)
        self.abandoned = AbandonedJobs(self.database, self.attempts, now=now)

    def add(self, deadline_seconds: float = 60) -> str:
        with self.database.transaction() as connection:
            return self.jobs.add(connection, "prototype_sets", "prs_x", {}, deadline_seconds)

    def claim(self, job_id: str, lease_seconds: float = 30) -> Claim:
        claim = self.attempts.claim(job_id, lease_seconds)
        assert claim is not None
        return claim


@pytest.fixture
def rows(tmp_path: Path) -> _Rows:
    return _Rows(tmp_path)


def test_a_job_whose_lease_ended_is_queued_again_and_fails_after_the_third_time(rows: _Rows) -> None:
    job_id = rows.add()
    statuses = []
    for _ in range(3):
        rows.claim(job_id)
        rows.seconds += 31
        assert rows.abandoned.requeue_expired() == 1
        statuses.append(rows.jobs.get(job_id).status)
        rows.seconds += 10

    problem = rows.jobs.get(job_id).problem
    assert statuses == ["queued", "queued", "failed"]
    assert problem is not None
    assert problem.code == "worker_lost"


def test_a_lease_that_is_renewed_does_not_end(rows: _Rows) -> None:
    job_id = rows.add()
    claim = rows.claim(job_id)
    for _ in range(4):
        rows.seconds += 20
        rows.attempts.renew(claim, 30)
        assert rows.abandoned.requeue_expired() == 0

    assert rows.jobs.get(job_id).status == "running"


def test_a_job_being_cancelled_ends_as_cancelled_when_its_worker_is_gone(rows: _Rows) -> None:
    job_id = rows.add()
    rows.claim(job_id)
    rows.jobs.request_cancel(job_id)
    rows.seconds += 31

    rows.abandoned.requeue_expired()

    assert rows.jobs.get(job_id).status == "cancelled"


def test_a_job_past_its_deadline_fails_even_if_its_worker_only_hangs(rows: _Rows) -> None:
    job_id = rows.add(deadline_seconds=60)
    rows.claim(job_id, lease_seconds=1000)
    rows.seconds += 69
    assert rows.abandoned.expire_deadlines() == 0
    rows.seconds += 2

    assert rows.abandoned.expire_deadlines() == 1

    job = rows.jobs.get(job_id)
    assert job.problem is not None
    assert (job.status, job.problem.code) == ("failed", "deadline_exceeded")


def test_the_bell_of_a_new_job_gets_a_moment_to_be_heard(rows: _Rows) -> None:
    job_id = rows.add()
    assert rows.abandoned.due_for_ringing() == []
    rows.seconds += 2.1

    assert [job.id for job in rows.abandoned.due_for_ringing()] == [job_id]

    rows.claim(job_id)
    assert rows.abandoned.due_for_ringing() == []


def test_a_job_that_is_tried_again_is_rung_for_when_its_pause_is_over(rows: _Rows) -> None:
    job_id = rows.add()
    rows.claim(job_id)
    rows.seconds += 31
    rows.abandoned.requeue_expired()
    assert rows.abandoned.due_for_ringing() == []
    rows.seconds += 1

    assert [job.id for job in rows.abandoned.due_for_ringing()] == [job_id]
