"""No accepted job is lost, whatever is killed."""

import random
import time
from collections import Counter

import pytest

from schemas.jobs import FINAL_STATUSES
from storage.artefacts import Artefact
from tests.support.job_farm import JobFarm

_N_JOBS = 150
_SECONDS_OF_FAULTS = 30


@pytest.mark.long
def test_every_job_ends_once_under_random_kills_of_workers_and_redis(farm: JobFarm) -> None:
    rng = random.Random(0)  # noqa: S311  # not a secret
    requested: list[Artefact] = []
    farm.start_worker()
    farm.start_worker()
    until = time.monotonic() + _SECONDS_OF_FAULTS
    while time.monotonic() < until or len(requested) < _N_JOBS:
        if len(requested) < _N_JOBS:
            requested.append(farm.request_job("sleep_a_little", notify=False))
            farm.redis.notifier.notify(requested[-1].job, 60)
        time.sleep(rng.uniform(0, 0.3))
        _break_something(farm, rng)

    def all_ended() -> bool:
        return all(farm.jobs.get(artefact.job).status in FINAL_STATUSES for artefact in requested)

    farm.wait_until(all_ended, seconds=60)
    for artefact in requested:
        found = farm.artefacts.get("sleep_a_little", artefact.id)
        job = farm.jobs.get(artefact.job)
        # A job that was hit three times says so; any other has exactly its own result.
        assert (found.status, job.status) in {("ready", "succeeded"), ("failed", "failed")}
        assert found.result is None or farm.objects.get(found.result) == artefact.id.encode()
    assert Counter(farm.jobs.get(artefact.job).status for artefact in requested)["succeeded"] > 0.9 * len(requested)


def _break_something(farm: JobFarm, rng: random.Random) -> None:
    fault = rng.random()
    if fault < 0.12:
        worker = rng.choice([worker for worker in farm.workers if worker.poll() is None])
        worker.kill()
        worker.wait()
        farm.start_worker()
    elif fault < 0.2:
        farm.redis.kill()
        farm.redis.start()
    elif fault < 0.25:
        farm.redis.notifier.redis.flushall()
