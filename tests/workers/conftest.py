"""Farms of jobs: one for each test, or one whose worker the tests of a module share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.additive_effects import effects_add_up
from tests.support.job_farm import JobFarm, WorkerProcess

__all__ = ["effects_add_up"]


@pytest.fixture
def farm(tmp_path: Path) -> Iterator[JobFarm]:
    farm = JobFarm(tmp_path)
    yield farm
    farm.stop()


@pytest.fixture(scope="module")
def farm_at_work(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[JobFarm, WorkerProcess]]:
    farm = JobFarm(tmp_path_factory.mktemp("at work"))
    yield farm, farm.start_worker()
    farm.stop()


@pytest.fixture
def working(farm_at_work: tuple[JobFarm, WorkerProcess]) -> Iterator[JobFarm]:
    """Return a farm with a worker that several tests share, and that is there after each of them."""
    farm, worker = farm_at_work
    farm.forget_runs()
    yield farm
    assert worker.poll() is None
