"""Real workers, a real Redis, a real database: what becomes of a job, whatever happens on its way."""

import os
import signal
import time

import pytest
from rq import Queue
from rq.serializers import JSONSerializer

from schemas.jobs import Progress
from storage.attempts import AttemptState
from storage.job_notifications import QUEUE_NAME
from tests.support.job_farm import JobFarm
from tests.support.job_rows import JobRows
from tests.support.patience import PATIENCE_SECONDS, when_idle
from tests.support.processes import is_alive, kill
from workers.runtime.job_monitor import EndReason, JobMonitor, ProcessorTime
from workers.runtime.settings import WorkerSettings


def test_a_job_succeeds_and_its_result_is_published(working: JobFarm) -> None:
    requested = working.request_job("succeed", seed=7)

    job = working.wait_for_end(requested)

    artefact = working.artefacts.get("succeed", requested.id)
    assert (job.status, job.attempt, job.problem, artefact.status) == ("succeeded", 1, None, "ready")
    assert artefact.result is not None
    assert artefact.arrays is not None
    assert working.objects.get(artefact.result).startswith(b'{"number":')
    assert working.objects.get(artefact.arrays) == b"arrays"


def test_a_process_that_has_ended_its_job_is_left_to_exit_by_itself(farm: JobFarm) -> None:
    rows = JobRows(farm.database)
    claim = rows.claim(rows.add())
    settings = WorkerSettings(data_dir=farm.directory, redis_url=farm.redis.url, look_seconds=0.001)
    monitor = JobMonitor(rows.attempts, claim, settings, ProcessorTime(os.getpid()))
    has_exited = iter([False, False, False, True])
    assert rows.attempts.succeed(claim, lambda _connection: None)

    assert monitor.wait(lambda: next(has_exited), lambda: False) is EndReason.ENDED


def test_the_same_seed_makes_the_same_result(working: JobFarm) -> None:
    requested = [working.request_job("succeed", seed=seed) for seed in (7, 7, 8)]
    for artefact in requested:
        working.wait_for_end(artefact)

    results = [working.artefacts.get("succeed", artefact.id).result for artefact in requested]

    assert results[0] == results[1]
    assert results[0] != results[2]


@pytest.mark.parametrize(
    ("kind", "code", "message"),
    [
        ("refuse", "validation_failed", "alpha is 7"),
        ("miss_the_dataset", "not_found", "ds_gone"),
        ("break_down", "job_failed", "something failed on our side"),
        ("run_out_of_memory", "job_failed", "more memory than"),
        ("make_too_much", "result_too_large", "request fewer prototypes"),
    ],
)
def test_a_failed_job_says_why_and_no_more(working: JobFarm, kind: str, code: str, message: str) -> None:
    requested = working.request_job(kind)

    job = working.wait_for_end(requested)

    assert job.status == "failed"
    assert job.problem is not None
    assert job.problem.code == code
    assert message in job.problem.detail
    assert "inner" not in job.problem.detail
    assert working.artefacts.get(kind, requested.id).status == "failed"


def test_what_is_nobodys_fault_is_tried_again(working: JobFarm) -> None:

    job = working.wait_for_end(working.request_job("find_storage_away_for_long"))

    assert (job.status, job.attempt, len(working.runs())) == ("succeeded", 1, 6)


def test_a_job_cancelled_in_the_queue_never_runs(farm: JobFarm) -> None:
    requested = farm.request_job("count_runs")
    farm.jobs.request_cancel(requested.job)
    farm.start_worker()

    farm.wait_for_end(farm.request_job("succeed"))

    assert farm.jobs.get(requested.job).status == "cancelled"
    assert farm.runs() == []


@pytest.mark.parametrize("kind", ["report_for_long", "hang_in_native_code"])
def test_a_running_job_stops_within_two_seconds_of_cancelling_and_publishes_nothing(farm: JobFarm, kind: str) -> None:
    # With the look interval that is the default: the promise is about that one.
    farm.start_worker(LEAFSPACE_LOOK_SECONDS="1", LEAFSPACE_RENEW_SECONDS="5", LEAFSPACE_LEASE_SECONDS="30")
    requested = farm.request_job(kind)
    process = farm.wait_for_run()

    farm.jobs.request_cancel(requested.job)
    job = farm.wait_for_end(requested, seconds=2)

    farm.wait_until(lambda: not is_alive(process), seconds=1)
    assert job.status == "cancelled"
    assert farm.artefacts.get(kind, requested.id).status == "cancelled"
    assert farm.artefacts.get(kind, requested.id).result is None


def test_a_message_delivered_many_times_runs_once(farm: JobFarm) -> None:
    farm.start_worker()
    farm.start_worker()
    requested = farm.request_job("count_runs")
    for _ in range(5):
        farm.redis.notifier.notify(requested.job, 60)

    farm.wait_for_end(requested)
    farm.wait_for_end(farm.request_job("succeed"))
    farm.wait_for_end(farm.request_job("succeed"))

    assert len(farm.runs()) == 1


def test_a_killed_process_is_noticed_within_a_second_and_its_job_tried_again(farm: JobFarm) -> None:
    farm.start_worker(LEAFSPACE_LEASE_SECONDS="30")
    requested = farm.request_job("report_for_long")
    kill(farm.wait_for_run())

    farm.wait_until(lambda: farm.jobs.get(requested.job).status == "queued" or len(farm.runs()) > 1, seconds=1)

    farm.wait_for_run(2)
    assert farm.jobs.get(requested.job).attempt == 2


def test_a_job_that_kills_its_process_fails_the_third_time_and_the_worker_lives(working: JobFarm) -> None:
    requested = working.request_job("die_always")

    job = working.wait_for_end(requested)

    assert job.problem is not None
    assert (job.status, job.attempt, job.problem.code) == ("failed", 3, "worker_lost")
    assert len(working.runs()) == 3
    assert working.wait_for_end(working.request_job("succeed")).status == "succeeded"


def test_a_killed_worker_takes_its_job_along_and_another_worker_does_it(farm: JobFarm) -> None:
    first = farm.start_worker()
    requested = farm.request_job("die_with_the_first_worker")
    process = farm.wait_for_run()
    first.kill()
    farm.wait_until(lambda: not is_alive(process), seconds=1)

    farm.start_worker()

    job = farm.wait_for_end(requested)
    assert (job.status, job.attempt) == ("succeeded", 2)


def test_jobs_whose_messages_are_lost_are_rung_for_again(farm: JobFarm) -> None:
    requested = [farm.request_job("succeed") for _ in range(3)]
    farm.redis.notifier.redis.flushall()

    farm.start_worker()

    assert [farm.wait_for_end(artefact).status for artefact in requested] == ["succeeded"] * 3


def test_jobs_requested_while_redis_is_away_are_done_when_it_is_back(farm: JobFarm) -> None:
    farm.start_worker()
    farm.wait_for_end(farm.request_job("succeed"))
    farm.redis.kill()
    requested = farm.request_job("succeed", notify=False)
    time.sleep(1)
    assert farm.jobs.get(requested.job).status == "queued"

    farm.redis.start()

    assert farm.wait_for_end(requested, seconds=5).status == "succeeded"


def test_a_running_job_does_not_notice_that_redis_is_gone(farm: JobFarm) -> None:
    farm.start_worker()
    requested = farm.request_job("run_for_two_seconds")
    farm.wait_for_run()
    farm.redis.kill()

    assert farm.wait_for_end(requested, seconds=5).status == "succeeded"


def test_a_worker_that_was_taken_for_dead_can_neither_publish_nor_overrule_a_cancel(farm: JobFarm) -> None:
    requested = farm.request_job("succeed", notify=False)
    late = farm.attempts.claim(requested.job, lease_seconds=0)
    assert late is not None
    farm.start_worker()
    assert farm.wait_for_end(requested).status == "succeeded"

    again = farm.request_job("report_for_long")
    farm.wait_for_run()
    farm.jobs.request_cancel(again.job)
    farm.wait_for_end(again)

    assert farm.attempts.report_progress(late, Progress(fraction=0, stage="late")) is AttemptState.FENCED
    assert not farm.attempts.succeed(late, lambda _connection: pytest.fail("published"))
    assert farm.jobs.get(again.job).status == "cancelled"


def test_a_job_past_its_deadline_is_stopped_even_in_native_code(working: JobFarm) -> None:
    requested = working.request_job("hang_in_native_code", deadline_seconds=1)

    job = working.wait_for_end(requested, seconds=5)

    assert job.problem is not None
    assert (job.status, job.problem.code) == ("failed", "deadline_exceeded")
    assert not is_alive(working.wait_for_run())


def test_sigterm_hands_the_running_job_back_uncounted(farm: JobFarm) -> None:
    worker = farm.start_worker()
    requested = farm.request_job("report_for_long")
    process = farm.wait_for_run()

    worker.send_signal(signal.SIGTERM)

    assert worker.wait(when_idle(5)) == 0
    job = farm.jobs.get(requested.job)
    assert (job.status, job.attempt) == ("queued", 0)
    assert not is_alive(process)
    farm.start_worker()
    farm.wait_for_run(2)


def test_an_idle_worker_stops_at_once(farm: JobFarm) -> None:
    worker = farm.start_worker()
    farm.wait_for_end(farm.request_job("succeed"))

    worker.send_signal(signal.SIGTERM)

    assert worker.wait(when_idle(2)) == 0


@pytest.mark.parametrize("function", ["os.system", "workers.runtime.lifecycle.limit_memory", "builtins.exit"])
def test_messages_can_name_one_function_only(working: JobFarm, function: str) -> None:
    queue = Queue(QUEUE_NAME, connection=working.redis.notifier.redis, serializer=JSONSerializer)
    victim = working.directory / "victim"
    queue.enqueue_call(function, args=(f"touch {victim}",), job_id="evil")

    assert working.wait_for_end(working.request_job("succeed")).status == "succeeded"

    assert not victim.exists()


def test_nothing_is_left_in_redis_when_all_is_done(farm: JobFarm) -> None:
    worker = farm.start_worker()
    for kind in ("succeed", "refuse", "die_once"):
        farm.wait_for_end(farm.request_job(kind))
    redis = farm.redis.notifier.redis
    worker.terminate()
    worker.wait(PATIENCE_SECONDS)

    # Maintenance may have rung again for what was about to be claimed: a bell in the queue is dropped when it is taken.
    waiting = {
        f"rq:job:{bell}".encode() for bell in Queue(QUEUE_NAME, connection=redis, serializer=JSONSerializer).job_ids
    }
    assert set(redis.scan_iter("rq:job:*")) <= waiting
    assert not list(redis.scan_iter("rq:wip:*"))
    assert not list(redis.scan_iter("rq:failed:*"))
    assert not list(redis.scan_iter("rq:execution*"))
