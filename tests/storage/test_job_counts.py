"""Job counts: what monitoring is told about rows of jobs."""

import pytest

from schemas.jobs import Progress
from storage.database import Database
from storage.job_counts import SHORT_SECONDS, EndedJobs, count_jobs
from storage.jobs import worker_lost
from tests.support.job_rows import JobRows


@pytest.fixture
def rows(rows_database: Database) -> JobRows:
    return JobRows(rows_database)


def test_jobs_are_counted_by_status_with_the_oldest_that_waits(rows: JobRows) -> None:
    rows.add()
    rows.seconds += 7
    rows.add()
    running = rows.add()
    rows.claim(running, lease_seconds=30)

    counts = count_jobs(rows.database, lambda: rows.seconds)

    assert counts.n_by_kind == {("prototype_sets", "queued"): 2, ("prototype_sets", "running"): 1}
    assert counts.oldest_queued_seconds == pytest.approx(7)
    assert counts.n_busy_workers == 1
    rows.seconds += 31
    assert count_jobs(rows.database, lambda: rows.seconds).n_busy_workers == 0


def test_nothing_waits_where_there_are_no_jobs(rows: JobRows) -> None:
    counts = count_jobs(rows.database)

    assert (counts.n_by_kind, counts.oldest_queued_seconds, counts.n_busy_workers) == ({}, 0.0, 0)


def test_a_waiting_job_says_how_many_wait_before_it_and_short_ones_count_short_ones_alone(rows: JobRows) -> None:
    asked = []
    for estimated_seconds in (None, 600.0, 1.0, 600.0, SHORT_SECONDS):
        rows.seconds += 1
        asked.append(rows.add(estimated_seconds=estimated_seconds))
    before = [
        "waits for a worker",
        "waits for a worker; 1 other job waits before it",
        "waits for a worker",
        "waits for a worker; 3 other jobs wait before it",
        "waits for a worker; 1 other job waits before it",
    ]

    assert [rows.jobs.get(job).progress.message for job in asked] == before
    assert [job.progress.message for job in rows.jobs.list(10, None).data] == before[::-1]
    assert {job: found.progress.message for job, found in rows.jobs.get_many(asked).items()} == dict(
        zip(asked, before, strict=True)
    )

    rows.claim(asked[0])
    rows.jobs.request_cancel(asked[2])
    assert [rows.jobs.get(job).progress.message for job in asked] == [
        "",
        "waits for a worker",
        "",
        "waits for a worker; 1 other job waits before it",
        "waits for a worker",
    ]


def test_a_job_that_waits_for_something_else_says_that(rows: JobRows) -> None:
    for _ in range(2):
        rows.seconds += 1
        job = rows.add()
    rows.attempts.hand_back(rows.claim(job), 5, "waits for storage: it is away")
    assert rows.jobs.get(job).progress.message == "waits for storage: it is away"

    rows.seconds += 5
    claim = rows.claim(job)
    rows.attempts.renew(claim, 30, "waits for processor time")
    rows.attempts.report_progress(claim, Progress(fraction=0.5, stage="half"))
    assert rows.jobs.get(job).progress.message == "waits for processor time"
    rows.attempts.renew(claim, 30)
    assert rows.jobs.get(job).progress.message == ""


def test_each_job_that_ends_is_found_once(rows: JobRows) -> None:
    before = rows.claim(rows.add())
    rows.attempts.fail(before, worker_lost(1))
    rows.seconds += 1
    ended = EndedJobs(rows.database, lambda: rows.seconds)
    claims = [rows.claim(rows.add()) for _ in range(3)]
    rows.seconds += 5
    rows.attempts.fail(claims[0], worker_lost(1))
    assert [(job.kind, job.status, job.seconds) for job in ended.new_ones()] == [("prototype_sets", "failed", 5.0)]

    rows.attempts.succeed(claims[1], lambda _connection: None)
    assert [(job.status, job.seconds) for job in ended.new_ones()] == [("succeeded", 5.0)]
    assert ended.new_ones() == []

    rows.seconds += 300
    rows.attempts.succeed(claims[2], lambda _connection: None)
    assert [job.seconds for job in ended.new_ones()] == [305.0]
    assert ended.new_ones() == []


@pytest.mark.parametrize("step_seconds", [-3600.0, 3600.0])
def test_jobs_that_end_are_found_after_the_clock_was_set(rows: JobRows, step_seconds: float) -> None:
    ended = EndedJobs(rows.database, lambda: rows.seconds + rows.step_seconds)
    claim = rows.claim(rows.add())
    rows.step_seconds = step_seconds
    rows.seconds += 5
    assert ended.new_ones() == []
    rows.attempts.succeed(claim, lambda _connection: None)

    (found,) = ended.new_ones()
    assert (found.status, found.seconds >= 0) == ("succeeded", True)
    assert ended.new_ones() == []
