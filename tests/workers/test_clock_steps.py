"""The wall clock is set by an hour in the middle of a job: dead workers are noticed, living ones left alone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.worker_heartbeats import WorkerHeartbeats
from tests.support.job_farm import SHORT_LEASES, JobFarm
from tests.support.processes import kill
from tests.support.sampling import mostly_long

_HOUR = 3600
_LEASE_SECONDS = float(SHORT_LEASES["LEAFSPACE_LEASE_SECONDS"])
_SLACK_SECONDS = 8.0  # for a busy machine


class SteppedFarm(JobFarm):
    """Two workers whose wall clock the test sets."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self._shift = directory / "shift"
        folder = Path(__file__).parents[1] / "support" / "shifted_clock"
        for _ in range(2):
            self.start_worker(PYTHONPATH=str(folder), SHIFTED_CLOCK=str(self._shift))
        heartbeats = WorkerHeartbeats(self.redis.notifier.redis)
        self.wait_until(lambda: heartbeats.n_workers() == 2, 60)

    def set_clock(self, seconds: int) -> None:
        """Set the clock of the workers and all that they start."""
        written = self._shift.with_suffix(".new")
        written.write_text(str(seconds))
        written.replace(self._shift)


@pytest.fixture
def farm(tmp_path: Path) -> Iterator[SteppedFarm]:
    farm = SteppedFarm(tmp_path)
    yield farm
    farm.stop()


def _worker_of(job_process: int) -> int:
    stat = Path(f"/proc/{job_process}/stat").read_text()
    return int(stat.rpartition(")")[2].split()[1])


@pytest.mark.long
@pytest.mark.parametrize("step", mostly_long([-_HOUR, _HOUR], -_HOUR))
def test_a_worker_that_is_killed_when_the_clock_is_set_is_noticed_within_its_lease(
    farm: SteppedFarm, step: int
) -> None:
    requested = farm.request_job("run_for_two_seconds")
    worker = _worker_of(farm.wait_for_run())

    kill(worker)
    farm.set_clock(step)

    farm.wait_until(lambda: len(farm.runs()) == 2, _LEASE_SECONDS + _SLACK_SECONDS)
    job = farm.wait_for_end(requested)
    assert (job.status, job.attempt) == ("succeeded", 2)
    assert farm.artefacts.get("run_for_two_seconds", requested.id).status == "ready"


@pytest.mark.parametrize("step", mostly_long([-_HOUR, _HOUR], _HOUR))
def test_a_job_under_way_when_the_clock_is_set_is_done_once(farm: SteppedFarm, step: int) -> None:
    requested = farm.request_job("run_for_two_seconds")
    farm.wait_for_run()

    farm.set_clock(step)

    job = farm.wait_for_end(requested)
    assert (job.status, job.attempt, len(farm.runs())) == ("succeeded", 1, 1)
    # What is requested for before the clock is put right, by callers whose clock is right, is done as well.
    assert farm.wait_for_end(farm.request_job("succeed")).status == "succeeded"
