"""Long jobs, short jobs, and workers who take both or short ones alone."""

import pytest

from storage.artefacts import Artefact
from tests.support.job_farm import JobFarm
from tests.support.processes import children_of, kill

_LONG, _SHORT = 600.0, 1.0


def _long_ones(farm: JobFarm, n_jobs: int) -> list[Artefact]:
    """Have one long job run, and others wait behind it."""
    requested = [farm.request_job("report_for_long", estimated_seconds=_LONG) for _ in range(n_jobs)]
    farm.wait_until(lambda: farm.jobs.get(requested[0].job).status == "running")
    return requested


def _status(farm: JobFarm, requested: Artefact) -> str:
    return farm.jobs.get(requested.job).status


def test_short_jobs_are_done_while_one_long_job_runs_and_others_wait(farm: JobFarm) -> None:
    farm.start_workers(2)
    long = _long_ones(farm, 3)

    short = [farm.request_job("succeed", estimated_seconds=_SHORT) for _ in range(5)]

    assert [farm.wait_for_end(requested).status for requested in short] == ["succeeded"] * 5
    assert [_status(farm, requested) for requested in long] == ["running", "queued", "queued"]


def test_a_long_job_comes_in_its_turn_however_many_short_ones_are_requested_later(farm: JobFarm) -> None:
    farm.start_workers(2)
    (first,) = _long_ones(farm, 1)
    long = farm.request_job("succeed", estimated_seconds=_LONG)
    after = [farm.request_job("sleep_a_little", estimated_seconds=_SHORT) for _ in range(100)]
    farm.jobs.request_cancel(first.job)

    assert farm.wait_for_end(long, seconds=60).status == "succeeded"
    assert "queued" in {_status(farm, requested) for requested in after}


def test_one_worker_alone_does_long_and_short_jobs_in_the_order_in_which_they_were_requested(farm: JobFarm) -> None:
    requested = [farm.request_job("count_runs", estimated_seconds=seconds) for seconds in (_SHORT, _LONG, None, _SHORT)]
    farm.start_workers(1)

    ended = [farm.wait_for_end(artefact) for artefact in requested]

    assert [job.status for job in ended] == ["succeeded"] * 4
    starts = [job.started_at.timestamp() for job in ended if job.started_at]
    assert starts == sorted(starts)
    assert len(starts) == 4


def test_a_short_job_whose_messages_are_lost_is_rung_for_in_its_own_lane(farm: JobFarm) -> None:
    farm.start_workers(2)
    _long_ones(farm, 2)

    short = farm.request_job("succeed", estimated_seconds=_SHORT, notify=False)

    assert farm.wait_for_end(short).status == "succeeded"


def test_a_short_job_is_run_once_and_no_message_of_it_is_left(farm: JobFarm) -> None:
    farm.start_workers(2)
    requested = [farm.request_job("count_runs", estimated_seconds=_SHORT) for _ in range(20)]
    for artefact in requested:
        assert farm.wait_for_end(artefact).attempt == 1

    # Maintenance may have rung again for what was about to be claimed; such a message is dropped when it is taken, and
    # the id of the last one that was dropped stays in RQ's intermediate list until the next job is begun.
    redis = farm.redis.notifier.redis
    queues = "rq:queue:leafspace", "rq:queue:leafspace-short"
    farm.wait_until(lambda: not [*redis.scan_iter("rq:job:*")] and not redis.exists(*queues))
    assert len(farm.runs()) == 20


@pytest.mark.long
def test_a_short_job_whose_worker_is_killed_is_done_all_the_same(farm: JobFarm) -> None:
    parent = farm.start_workers(2)
    _long_ones(farm, 1)
    traces = farm.directory / "traces of the short one"
    short = farm.request_job("die_with_the_first_worker", estimated_seconds=_SHORT, traces=str(traces))
    farm.wait_until(lambda: traces.exists() and traces.read_text().endswith("\n"))
    (busy,) = [worker for worker in children_of(parent.pid) if int(traces.read_text()) in children_of(worker)]

    kill(busy)

    job = farm.wait_for_end(short)
    assert (job.status, job.attempt) == ("succeeded", 2)
