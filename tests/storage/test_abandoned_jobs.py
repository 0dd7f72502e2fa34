"""Jobs that nobody cares for any more are found and settled."""

import pytest

from storage.database import Database
from tests.support.job_rows import JobRows


@pytest.fixture
def rows(rows_database: Database) -> JobRows:
    return JobRows(rows_database)


def test_a_job_whose_lease_ended_is_queued_again_and_fails_after_the_third_time(rows: JobRows) -> None:
    job_id = rows.add()
    statuses = []
    for _ in range(3):
        rows.claim(job_id)
        assert rows.look() == 0
        rows.seconds += 31
        assert rows.look() == 1
        statuses.append(rows.jobs.get(job_id).status)
        rows.seconds += 10

    problem = rows.jobs.get(job_id).problem
    assert statuses == ["queued", "queued", "failed"]
    assert problem is not None
    assert problem.code == "worker_lost"


def test_a_lease_that_is_renewed_does_not_end(rows: JobRows) -> None:
    job_id = rows.add()
    claim = rows.claim(job_id)
    for _ in range(4):
        rows.seconds += 20
        rows.attempts.renew(claim, 30)
        assert rows.look() == 0

    assert rows.jobs.get(job_id).status == "running"


def test_a_job_being_cancelled_ends_as_cancelled_when_its_worker_is_gone(rows: JobRows) -> None:
    job_id = rows.add()
    rows.claim(job_id)
    rows.jobs.request_cancel(job_id)
    rows.look()
    rows.seconds += 31

    assert rows.look() == 1

    assert rows.jobs.get(job_id).status == "cancelled"


def test_a_job_past_its_deadline_fails_even_if_its_worker_only_hangs(rows: JobRows) -> None:
    job_id = rows.add(deadline_seconds=60)
    claim = rows.claim(job_id)
    for _ in range(8):
        assert rows.look() == 0
        rows.seconds += 8.7
        rows.attempts.renew(claim, 30)
    assert rows.look() == 0
    rows.seconds += 2

    assert rows.look() == 1

    job = rows.jobs.get(job_id)
    assert job.problem is not None
    assert (job.status, job.problem.code) == ("failed", "deadline_exceeded")


def test_the_bell_of_a_new_job_gets_a_moment_to_be_heard(rows: JobRows) -> None:
    job_id = rows.add()
    assert rows.abandoned.due_for_notification() == []
    rows.seconds += 2.1

    assert [job.id for job in rows.abandoned.due_for_notification()] == [job_id]

    rows.claim(job_id)
    assert rows.abandoned.due_for_notification() == []


def test_a_job_that_is_tried_again_is_rung_for_when_its_pause_is_over(rows: JobRows) -> None:
    job_id = rows.add()
    rows.claim(job_id)
    rows.look()
    rows.seconds += 31
    rows.look()
    assert rows.abandoned.due_for_notification() == []
    rows.seconds += 1

    assert [job.id for job in rows.abandoned.due_for_notification()] == [job_id]


def test_who_looks_for_the_first_time_waits_for_a_renewal_before_a_lease_has_ended(rows: JobRows) -> None:
    job_id = rows.add()
    rows.claim(job_id)
    rows.seconds += 3600
    assert rows.look() == 0
    rows.seconds += 7.4
    assert rows.look() == 0
    rows.seconds += 0.1

    assert rows.look() == 1


@pytest.mark.parametrize("step_seconds", [-3600.0, -20.0, 3600.0])
def test_a_dead_worker_is_noticed_within_its_lease_whatever_the_clock_is_set_to(
    rows: JobRows, step_seconds: float
) -> None:
    job_id = rows.add()
    rows.claim(job_id)
    rows.look()
    rows.step_seconds = step_seconds
    for _ in range(30):
        rows.seconds += 1
        rows.look()

    job = rows.jobs.get(job_id)
    assert (job.status, job.attempt) == ("queued", 1)
    rows.seconds += 1
    assert [job.id for job in rows.abandoned.due_for_notification()] == [job_id]
    assert rows.claim(job_id).attempt == 2


@pytest.mark.parametrize("step_seconds", [-3600.0, 3600.0])
def test_a_worker_that_lives_keeps_its_job_whatever_the_clock_is_set_to(rows: JobRows, step_seconds: float) -> None:
    job_id = rows.add()
    claim = rows.claim(job_id)
    rows.look()
    rows.step_seconds = step_seconds
    for _ in range(8):
        for _ in range(5):
            rows.seconds += 1
            assert rows.look() == 0
        rows.attempts.renew(claim, 30)

    job = rows.jobs.get(job_id)
    assert (job.status, job.attempt) == ("running", 1)


def test_a_pause_that_began_before_the_clock_was_set_back_is_over(rows: JobRows) -> None:
    job_id = rows.add()
    rows.attempts.hand_back(rows.claim(job_id), 5.0)
    rows.step_seconds = -3600

    assert rows.claim(job_id).attempt == 1


def test_a_job_that_was_asked_for_before_the_clock_was_set_back_is_rung_for(rows: JobRows) -> None:
    job_id = rows.add()
    rows.step_seconds = -3600

    assert [job.id for job in rows.abandoned.due_for_notification()] == [job_id]
