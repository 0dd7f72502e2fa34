"""A job that dies at any stage, alone or with its worker, is done once: its result is whole, and nothing is left."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from schemas.jobs import FINAL_STATUSES
from storage.artefacts import Artefact
from storage.settings import embedded
from tests.support.chaos.dying_jobs import STAGES
from tests.support.job_farm import JobFarm
from tests.support.patience import when_idle
from tests.support.processes import is_alive

_MODULE = "tests.support.chaos.dying_jobs"


class KeptFarm(JobFarm):
    """A farm whose workers are started again when they end, as a supervisor does it."""

    def keep_working(self, n_workers: int) -> None:
        for _ in range(n_workers - sum(worker.poll() is None for worker in self.workers)):
            self.start_worker(_MODULE)

    def kept(self) -> list[str]:
        return [path.name for path in embedded(self.directory).objects_dir.glob("??/*")]

    def wait_for_all(self, requested: list[Artefact], n_workers: int, seconds: float = 60) -> None:
        def have_ended() -> bool:
            self.keep_working(n_workers)
            return all(self.jobs.get(artefact.job).status in FINAL_STATUSES for artefact in requested)

        self.wait_until(have_ended, seconds)


@pytest.fixture
def farm(tmp_path: Path) -> Iterator[KeptFarm]:
    farm = KeptFarm(tmp_path)
    yield farm
    farm.stop()


@pytest.mark.long
@pytest.mark.parametrize("victim", ["job", "worker"])
def test_a_job_that_dies_at_any_stage_is_done_once_and_leaves_nothing(farm: KeptFarm, victim: str) -> None:
    requested = {stage: farm.request_job("die_on_the_way", stage=stage, victim=victim) for stage in STAGES}

    farm.wait_for_all(list(requested.values()), n_workers=2)

    for stage, artefact in requested.items():
        job, found = farm.jobs.get(artefact.job), farm.artefacts.get("die_on_the_way", artefact.id)
        # What was committed is not done again, though nobody lived to report it.
        assert (stage, job.status, job.attempt) == (stage, "succeeded", 1 if stage == "committed" else 2)
        assert found.result is not None
        assert found.arrays is not None
        assert farm.objects.get(found.result) == b"result of " + artefact.id.encode()
        assert farm.objects.get(found.arrays) == b"arrays of " + artefact.id.encode()
        assert farm.objects.get(found.files["rows"]) == b"rows of " + artefact.id.encode()
    assert len(farm.kept()) == 3 * len(STAGES)
    farm.wait_until(lambda: farm.workspaces() == [])


@pytest.mark.long
def test_a_job_that_kills_its_worker_fails_the_third_time_while_others_go_on(farm: KeptFarm) -> None:
    farm.keep_working(2)
    poison = farm.request_job("kill_the_worker_always")
    farm.wait_for_run()
    others = [farm.request_job("succeed") for _ in range(10)]
    farm.wait_for_all(others, n_workers=2)
    began = time.monotonic()
    farm.wait_for_all([poison], n_workers=2)

    job = farm.jobs.get(poison.job)
    assert job.problem is not None
    assert (job.status, job.attempt, job.problem.code) == ("failed", 3, "worker_lost")
    assert "lost 3 times" in job.problem.detail
    assert len(farm.runs()) == 3
    assert {farm.jobs.get(other.job).status for other in others} == {"succeeded"}
    assert time.monotonic() - began < when_idle(40)


@pytest.mark.long
def test_a_worker_that_was_stopped_beyond_its_lease_is_fenced_off_and_lives(farm: KeptFarm) -> None:
    first = farm.start_worker(_MODULE)
    requested = farm.request_job("report_the_attempt")
    process = farm.wait_for_run()
    first.send_signal(signal.SIGSTOP)  # its job goes on and finds its result unwanted
    farm.start_worker(_MODULE)

    assert farm.wait_for_end(requested, seconds=60).attempt == 2
    result = farm.artefacts.get("report_the_attempt", requested.id).result
    assert result is not None
    assert farm.objects.get(result) == b"2"
    farm.wait_until(lambda: farm.kept() == [result])

    first.send_signal(signal.SIGCONT)
    farm.wait_until(lambda: not is_alive(process), seconds=5)
    farm.workers[1].terminate()
    assert farm.wait_for_end(farm.request_job("succeed")).status == "succeeded"
    assert first.poll() is None


@pytest.mark.long
def test_a_job_without_a_worker_is_taken_back_within_its_lease_and_two_seconds(farm: KeptFarm) -> None:
    lease_seconds = 4
    settings = {"LEAFSPACE_LEASE_SECONDS": str(lease_seconds), "LEAFSPACE_RENEW_SECONDS": "1"}
    first = farm.start_worker(_MODULE, **settings)
    requested = farm.request_job("report_for_long")
    farm.wait_for_run()
    farm.start_worker(_MODULE, **settings)
    time.sleep(2)  # the second one may be slow to start
    first.kill()

    farm.wait_until(lambda: farm.jobs.get(requested.job).attempt == 2, seconds=lease_seconds + 2)
    farm.jobs.request_cancel(requested.job)
    assert farm.wait_for_end(requested).status == "cancelled"
