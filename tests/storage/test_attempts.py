"""Attempts at jobs: claims, leases, fences."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Connection

from schemas.jobs import Progress
from schemas.problems import problem_for
from storage.attempts import AttemptState, AttemptStore
from storage.database import Database
from storage.errors import StorageError
from tests.support.job_rows import JobRows

_PROBLEM = problem_for("worker_lost", "it was lost")


@pytest.fixture
def rows(rows_database: Database) -> JobRows:
    return JobRows(rows_database)


def _publish_nothing(_connection: Connection) -> None:
    pass


def _must_not_publish(_connection: Connection) -> None:
    pytest.fail("published")


def test_a_job_is_claimed_once(rows: JobRows) -> None:
    job_id = rows.add()

    first, second = rows.claim(job_id), rows.attempts.claim(job_id, 30)

    assert (first.kind, first.request, first.attempt) == ("prototype_sets", {"seed": 1}, 1)
    assert second is None
    assert rows.jobs.get(job_id).started_at is not None


def test_an_unknown_job_cannot_be_claimed(rows: JobRows) -> None:
    assert rows.attempts.claim("job_nobody", 30) is None


def test_success_publishes_in_the_same_transaction(rows: JobRows) -> None:
    job_id = rows.add()
    claim = rows.claim(job_id)

    def fail_to_publish(_connection: Connection) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        rows.attempts.succeed(claim, fail_to_publish)
    assert rows.status(job_id) == "running"

    assert rows.attempts.succeed(claim, _publish_nothing)
    job = rows.jobs.get(job_id)
    assert (job.status, job.progress.fraction) == ("succeeded", 1.0)
    assert job.finished_at is not None


def test_nothing_is_published_once_cancelling_was_asked_for(rows: JobRows) -> None:
    job_id = rows.add()
    claim = rows.claim(job_id)
    rows.jobs.request_cancel(job_id)

    assert not rows.attempts.succeed(claim, _must_not_publish)
    assert rows.attempts.state_of(claim) is AttemptState.CANCELLING

    rows.attempts.finish_cancel(claim)
    assert rows.status(job_id) == "cancelled"
    assert not rows.attempts.succeed(claim, _must_not_publish)


@pytest.mark.parametrize("leave", ["fail", "try_again", "hand_back"])
def test_a_cancel_wins_over_whatever_else_ends_the_attempt(rows: JobRows, leave: str) -> None:
    job_id = rows.add()
    claim = rows.claim(job_id)
    rows.jobs.request_cancel(job_id)

    arguments = [claim] if leave == "hand_back" else [claim, _PROBLEM]
    getattr(rows.attempts, leave)(*arguments)

    assert rows.status(job_id) == "cancelled"


def test_an_attempt_that_was_replaced_can_do_nothing_any_more(rows: JobRows) -> None:
    job_id = rows.add()
    late = rows.claim(job_id)
    rows.attempts.try_again(late, _PROBLEM)
    rows.seconds += 1
    rows.claim(job_id)

    states = [
        rows.attempts.state_of(late),
        rows.attempts.renew(late, 30),
        rows.attempts.report_progress(late, Progress(fraction=0.9, stage="late")),
    ]
    assert not rows.attempts.succeed(late, _must_not_publish)
    rows.attempts.fail(late, _PROBLEM)
    rows.attempts.hand_back(late)
    rows.attempts.finish_cancel(late)

    job = rows.jobs.get(job_id)
    assert states == [AttemptState.FENCED] * 3
    assert (job.status, job.attempt, job.progress.stage) == ("running", 2, "starting")


@pytest.mark.parametrize("end", ["succeed", "fail"])
def test_an_attempt_that_ended_its_job_itself_is_not_fenced_and_can_do_nothing_more(rows: JobRows, end: str) -> None:
    job_id = rows.add()
    claim = rows.claim(job_id)
    if end == "succeed":
        rows.attempts.succeed(claim, _publish_nothing)
    else:
        rows.attempts.fail(claim, _PROBLEM)
    ended = rows.jobs.get(job_id)

    assert rows.attempts.state_of(claim) is AttemptState.ENDED
    assert not rows.attempts.succeed(claim, _must_not_publish)
    rows.attempts.try_again(claim, _PROBLEM)
    assert rows.jobs.get(job_id) == ended


def test_an_attempt_whose_job_others_gave_up_is_fenced(rows: JobRows) -> None:
    job_id = rows.add()
    for _ in range(3):
        claim = rows.claim(job_id)
        rows.look()
        rows.seconds += 31
        assert rows.look() == 1
        rows.seconds += 10

    assert rows.status(job_id) == "failed"
    assert rows.attempts.state_of(claim) is AttemptState.FENCED


def test_a_lost_attempt_is_tried_again_after_growing_pauses_and_three_times_at_most(rows: JobRows) -> None:
    job_id = rows.add()
    for pause in (1.0, 10.0):
        rows.attempts.try_again(rows.claim(job_id), _PROBLEM)
        rows.seconds += pause - 0.1
        assert rows.attempts.claim(job_id, 30) is None
        rows.seconds += 0.1

    rows.attempts.try_again(rows.claim(job_id), _PROBLEM)

    job = rows.jobs.get(job_id)
    assert (job.status, job.attempt, job.problem) == ("failed", 3, _PROBLEM)


def test_handing_back_does_not_count_as_an_attempt(rows: JobRows) -> None:
    job_id = rows.add()
    for _ in range(5):
        rows.attempts.hand_back(rows.claim(job_id))

    job = rows.jobs.get(job_id)
    assert (job.status, job.attempt, job.started_at) == ("queued", 0, None)
    assert rows.claim(job_id).attempt == 1


def test_who_hands_back_may_say_when_to_take_it_again_and_why(rows: JobRows) -> None:
    job_id = rows.add()

    rows.attempts.hand_back(rows.claim(job_id), 5.0, "waits for storage")

    job = rows.jobs.get(job_id)
    assert (job.status, job.attempt, job.progress.message) == ("queued", 0, "waits for storage")
    rows.seconds += 4.9
    assert rows.attempts.claim(job_id, 30) is None
    rows.seconds += 0.1
    assert rows.claim(job_id).attempt == 1


def test_progress_is_written_and_overlong_words_are_cut(rows: JobRows) -> None:
    job_id = rows.add()
    claim = rows.claim(job_id)

    states = rows.attempts.report_progress(claim, Progress(fraction=0.25, stage="x" * 999, message="y" * 9999))

    progress = rows.jobs.get(job_id).progress
    assert states is AttemptState.RUNNING
    assert (progress.fraction, len(progress.stage), len(progress.message)) == (0.25, 255, 1000)


def test_a_failed_job_says_why(rows: JobRows) -> None:
    job_id = rows.add()

    rows.attempts.fail(rows.claim(job_id), problem_for("schema_mismatch", "column age is lacking"))

    job = rows.jobs.get(job_id)
    assert job.status == "failed"
    assert job.problem is not None
    assert (job.problem.code, job.problem.detail) == ("schema_mismatch", "column age is lacking")


def test_a_database_that_is_away_is_nobodys_fault(tmp_path: Path) -> None:
    attempts = AttemptStore(Database(f"sqlite:///{tmp_path / 'no' / 'such' / 'folder.db'}"))

    with pytest.raises(StorageError) as caught:
        attempts.claim("job_x", 30)

    assert caught.value.code == "unavailable"


def test_of_many_workers_at_once_one_gets_the_job(rows: JobRows) -> None:
    job_id = rows.add()

    with ThreadPoolExecutor(8) as pool:
        claims = list(pool.map(lambda _: rows.attempts.claim(job_id, 30), range(16)))

    assert sum(claim is not None for claim in claims) == 1
