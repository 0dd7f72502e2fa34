"""Workers that are forked from one parent: what becomes of them and of their jobs when any of them ends."""

import re
import resource
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.job_farm import JobFarm
from tests.support.patience import PATIENCE_SECONDS
from tests.support.processes import children_of, is_alive, kill


def test_a_worker_that_is_killed_is_forked_again_and_takes_jobs(farm: JobFarm) -> None:
    parent = farm.start_workers(1)
    for _ in range(2):
        assert farm.wait_for_end(farm.request_job("succeed")).status == "succeeded"
        workers = children_of(parent.pid)
        kill(workers[0])
        farm.wait_until(_is_another(parent.pid, workers))

    assert farm.wait_for_end(farm.request_job("succeed")).status == "succeeded"
    assert parent.poll() is None


def test_a_parent_that_cannot_fork_says_so_keeps_its_other_worker_and_tries_again(
    farm: JobFarm, capfd: pytest.CaptureFixture[str]
) -> None:
    parent = farm.start_workers(2, LEAFSPACE_LOG_LEVEL="warning")
    killed, other = children_of(parent.pid)
    limits = resource.prlimit(parent.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(parent.pid, resource.RLIMIT_NOFILE, (0, limits[1]))  # there is no room for another pipe
    kill(killed)
    farm.wait_until(lambda: "cannot be started" in capfd.readouterr().err)
    assert (parent.poll(), children_of(parent.pid)) == (None, [other])

    resource.prlimit(parent.pid, resource.RLIMIT_NOFILE, limits)

    farm.wait_until(lambda: len(children_of(parent.pid)) == 2)
    assert farm.wait_for_end(farm.request_job("succeed")).status == "succeeded"


@pytest.mark.long
def test_workers_hand_their_jobs_back_and_end_with_a_parent_that_is_killed(farm: JobFarm) -> None:
    parent = farm.start_workers(2, LEAFSPACE_LEASE_SECONDS="30")
    workers = children_of(parent.pid)
    requested = farm.request_job("report_for_long")
    job = farm.wait_for_run()

    parent.kill()

    farm.wait_until(lambda: not any(map(is_alive, [*workers, job])))
    found = farm.jobs.get(requested.job)
    assert (found.status, found.attempt) == ("queued", 0)


def test_a_parent_that_is_signalled_to_stop_has_its_workers_hand_their_jobs_back(farm: JobFarm) -> None:
    parent = farm.start_workers(2)
    workers = children_of(parent.pid)
    requested = farm.request_job("report_for_long")
    farm.wait_for_run()

    parent.send_signal(signal.SIGTERM)

    assert parent.wait(PATIENCE_SECONDS) == 0
    assert not any(map(is_alive, workers))
    assert (farm.jobs.get(requested.job).status, farm.jobs.get(requested.job).attempt) == ("queued", 0)


@pytest.mark.long
def test_workers_share_what_their_parent_imported_and_import_once_what_a_kind_of_jobs_imports_late(
    farm: JobFarm,
) -> None:
    parent = farm.start_worker("workers", "--workers", "2")
    farm.wait_until(lambda: len(children_of(parent.pid)) == 2)
    # It listens when it has taken note of a message: from then on it holds all that it holds while it waits.
    farm.wait_for_end(farm.request_job("no_such_kind"))

    workers = children_of(parent.pid)
    for worker in workers:
        assert _own_kilobytes(worker) < 0.4 * _own_kilobytes(worker, "Rss")
        assert "/sklearn/" not in _mapped_by(worker)

    farm.wait_for_end(farm.request_job("rule_sets"))

    assert any("/sklearn/tree/_tree." in _mapped_by(worker) for worker in workers)


def _mapped_by(pid: int) -> str:
    return Path(f"/proc/{pid}/maps").read_text()


def _is_another(parent: int, before: list[int]) -> Callable[[], bool]:
    return lambda: children_of(parent) not in ([], before)


def _own_kilobytes(pid: int, names: str = "Private_Clean|Private_Dirty") -> int:
    smaps = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return sum(map(int, re.findall(rf"^(?:{names}): +(\d+) kB", smaps, re.MULTILINE)))
