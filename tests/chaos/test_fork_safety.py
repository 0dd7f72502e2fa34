"""Jobs of every kind, many in a row, each in a process forked for it: they succeed, and the worker stays as it was."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from schemas.jobs import FINAL_STATUSES
from tests.support.chaos.questions import KINDS, questions, register_all_in, request_in
from tests.support.job_farm import JobFarm
from tests.support.processes import children_of
from tests.support.workshop import Workshop, workshop_in
from workers.job_kinds import JOB_KINDS

_N_WARMING_UP, _N_JOBS = 4 * len(KINDS), 50  # each kind about each model first, with all that it can include
_MOST_MIB = 4.0  # of growth in 50 jobs, which is what an allocator may do; a session or a model that stays takes more
_MOST_FILES = 5  # those of a look that maintenance takes at this moment; one kept by each job would make fifty
_BYTES_PER_MIB = 1 << 20


@dataclass(frozen=True)
class Holdings:
    """What a process holds on to."""

    memory_mib: float
    n_files: int
    n_threads: int


@pytest.fixture
def farm(tmp_path: Path) -> Iterator[JobFarm]:
    farm = JobFarm(tmp_path)
    yield farm
    farm.stop()


def test_every_kind_of_job_is_among_them() -> None:
    over_tables_or_files = {"datasets", "feature_sets", "relational_forests"}
    of_other_artefacts = {"comparisons", "maps", "reports"}
    assert set(KINDS) == set(JOB_KINDS) - over_tables_or_files - of_other_artefacts


@pytest.mark.long
def test_the_worker_stays_as_it_was_over_fifty_jobs_of_every_kind(
    farm: JobFarm, tmp_path: Path, new_database_url: str
) -> None:
    with workshop_in(tmp_path / "shop", database_url=new_database_url) as workshop:
        requested = (request_in(workshop, question) for question in questions(register_all_in(workshop)))
        settings = {"LEAFSPACE_DATA_DIR": str(tmp_path / "shop"), "LEAFSPACE_DATABASE_URL": new_database_url}
        as_served = {"LEAFSPACE_WORKER_NICENESS": "0", "LEAFSPACE_LEASE_SECONDS": "30"}  # what compiles takes seconds
        worker = farm.start_worker("workers", **settings, **as_served)
        for job in itertools.islice(requested, _N_WARMING_UP):
            _done(farm, workshop, job)
        (forked,) = children_of(worker.pid)
        farm.wait_until(partial(_has_cleared_away, farm, forked))
        before = _holdings(forked)
        for job in itertools.islice(requested, _N_JOBS):
            _done(farm, workshop, job)
        after = _holdings(forked)
        farm.stop()

    assert after.memory_mib - before.memory_mib < _MOST_MIB
    assert after.n_files - before.n_files < _MOST_FILES
    assert after.n_threads == before.n_threads


def _done(farm: JobFarm, workshop: Workshop, job: str) -> None:
    farm.redis.notifier.notify(job, 60)
    farm.wait_until(
        lambda: workshop.context.jobs.get(job).status in FINAL_STATUSES, seconds=180
    )  # the first of a kind may have to be compiled
    found = workshop.context.jobs.get(job)
    assert (found.status, found.attempt, found.problem) == ("succeeded", 1, None)


def _has_cleared_away(farm: JobFarm, worker: int) -> bool:
    """Return whether a worker has had its turn at clearing away, for which it loads what it keeps."""
    return bool(farm.redis.notifier.redis.exists("leafspace:turn:clearing")) and not children_of(worker)


def _holdings(pid: int) -> Holdings:
    changes = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    memory = int(changes["VmRSS"].split()[0]) * 1024 / _BYTES_PER_MIB
    return Holdings(memory, len(list(Path(f"/proc/{pid}/fd").iterdir())), int(changes["Threads"]))
