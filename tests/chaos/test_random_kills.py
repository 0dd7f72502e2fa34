"""No accepted job is lost, wrong or done twice, whatever is killed while clients go on with their requests."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.api import Api
from tests.support.chaos.faults import KILLS, STOPS
from tests.support.chaos.questions import answers_without_faults, questions, register_all
from tests.support.chaos.service_under_fire import ServiceUnderFire
from tests.support.chaos.siege import Plan, lay_siege
from tests.support.job_farm import SHORT_LEASES, JobFarm


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ServiceUnderFire]:
    # Workers that go first to nobody start as fast as the others, however busy the machine is.
    running = ServiceUnderFire(tmp_path / "besieged", SHORT_LEASES | {"LEAFSPACE_WORKER_NICENESS": "0"})
    running.start()
    yield running
    running.stop()


@pytest.mark.long
def test_few_jobs_survive_a_few_kills(service: ServiceUnderFire, tmp_path: Path) -> None:
    _survives(service, tmp_path, 24, Plan(n_strikes=6, seconds=8, weights=KILLS, seed=1))


@pytest.mark.long
@pytest.mark.timeout(3600)  # two hundred jobs, many of them twice, on a machine that may be busy
@pytest.mark.parametrize("seed", [2, 3])
def test_many_jobs_survive_many_kills_and_stops(service: ServiceUnderFire, tmp_path: Path, seed: int) -> None:
    _survives(service, tmp_path, 100, Plan(n_strikes=30, seconds=80, weights=KILLS | STOPS, seed=seed))


def _survives(service: ServiceUnderFire, tmp_path: Path, n_jobs: int, plan: Plan) -> None:
    requested = list(itertools.islice(questions(register_all(Api(service.url))), n_jobs))
    right = answers_without_faults(tmp_path / "undisturbed", requested)

    after = lay_siege(service, requested, right, plan)

    assert after.outcomes.unexpected == []
    assert len(after.outcomes.accepted) == n_jobs
    assert after.n_lost == 0
    # A job that was hit three times says so; any other has exactly the result that it has without faults.
    assert after.statuses["succeeded"] + after.statuses["failed"] == n_jobs
    assert after.statuses["failed"] <= after.attempts[3]
    assert (after.n_wrong, after.n_too_many) == (0, 0)
    assert after.workspaces == []
    assert service.stop() == 0
    JobFarm.wait_until(lambda: service.processes() == [], seconds=2)
