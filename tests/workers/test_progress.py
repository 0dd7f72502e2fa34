"""Progress is written now and then, and stops a job that was cancelled."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.databases import empty_database
from tests.support.job_rows import JobRows
from workers.runtime.lifecycle import JobStopped, ProgressReporter


@pytest.fixture
def rows(tmp_path: Path) -> Iterator[JobRows]:
    with empty_database(tmp_path) as database:
        yield JobRows(database)


def test_it_is_written_twice_a_second_and_at_each_new_stage(rows: JobRows) -> None:
    claim = rows.claim(rows.add())
    seconds = [100.0]
    report = ProgressReporter(rows.attempts, claim, clock=lambda: seconds[0])
    written = []
    for moment, fraction, stage in [(0, 0.1, "a"), (0.4, 0.2, "a"), (0.5, 0.3, "a"), (0.6, 0.4, "b"), (0.7, 0.5, "b")]:
        seconds[0] = 100.0 + moment
        report(fraction, stage)
        progress = rows.jobs.get(claim.job).progress
        written.append((progress.fraction, progress.stage))

    assert written == [(0.1, "a"), (0.1, "a"), (0.3, "a"), (0.4, "b"), (0.4, "b")]


def test_a_fraction_a_little_out_of_range_is_no_error(rows: JobRows) -> None:
    claim = rows.claim(rows.add())

    ProgressReporter(rows.attempts, claim)(1.0000001, "rounding")

    assert rows.jobs.get(claim.job).progress.fraction == 1.0


def test_a_cancelled_job_is_stopped_when_it_reports(rows: JobRows) -> None:
    claim = rows.claim(rows.add())
    report = ProgressReporter(rows.attempts, claim)
    rows.jobs.request_cancel(claim.job)

    with pytest.raises(JobStopped):
        report(0.5, "half")


def test_a_replaced_attempt_is_stopped_when_it_reports(rows: JobRows) -> None:
    late = rows.claim(rows.add())
    rows.attempts.hand_back(late)
    rows.claim(late.job)

    with pytest.raises(JobStopped):
        ProgressReporter(rows.attempts, late)(0.5, "half")


def test_all_threads_of_a_job_are_stopped(rows: JobRows) -> None:
    claim = rows.claim(rows.add())
    report = ProgressReporter(rows.attempts, claim)
    rows.jobs.request_cancel(claim.job)

    with ThreadPoolExecutor(8) as pool:
        ends = [pool.submit(report, 0.5, "half") for _ in range(8)]

    assert {type(end.exception()) for end in ends} == {JobStopped}
