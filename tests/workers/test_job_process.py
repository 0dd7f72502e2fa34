"""What a job writes and starts ends with it, however it ends."""

from pathlib import Path

import pytest

from tests.support.job_farm import JobFarm
from tests.support.processes import is_alive, kill


def test_what_a_cancelled_job_forked_ends_with_it(farm: JobFarm) -> None:
    farm.start_worker(LEAFSPACE_LOOK_SECONDS="1")
    requested = farm.request_job("fork_for_help")
    farm.wait_for_run(3)

    farm.jobs.request_cancel(requested.job)

    assert farm.wait_for_end(requested, seconds=2).status == "cancelled"
    farm.wait_until(lambda: not any(map(is_alive, farm.runs())), seconds=1)


def test_what_a_job_forked_ends_with_a_worker_that_was_killed(farm: JobFarm) -> None:
    worker = farm.start_worker()
    farm.request_job("fork_for_help")
    farm.wait_for_run(3)

    worker.kill()

    farm.wait_until(lambda: not any(map(is_alive, farm.runs()[:3])), seconds=1)


def test_out_of_memory_the_machine_loses_the_job_before_its_worker(farm: JobFarm) -> None:
    worker = farm.start_worker()
    farm.request_job("report_for_long")
    job = farm.wait_for_run()

    own, of_job, of_worker = (
        int(Path(f"/proc/{whose}/oom_score_adj").read_text()) for whose in ("self", job, worker.pid)
    )

    assert (of_job, of_worker) == (max(own, 500), own)


def test_a_program_that_a_job_left_running_ends_with_it(working: JobFarm) -> None:
    requested = working.request_job("start_a_program_and_end")
    program = working.wait_for_run()

    assert working.wait_for_end(requested).status == "succeeded"
    working.wait_until(lambda: not is_alive(program), seconds=1)


def test_loops_and_messages_are_loaded_once_by_the_worker_and_found_by_its_next_job(working: JobFarm) -> None:
    found = []
    for _ in range(2):
        requested = working.request_job("use_a_loop_and_a_message")
        assert working.wait_for_end(requested).status == "succeeded"
        found.append(working.objects.get(working.artefacts.get("use_a_loop_and_a_message", requested.id).result or ""))

    assert found == [b'{"n_loaded":0,"n_built":0}', b'{"n_loaded":1,"n_built":1}']


def test_files_that_a_job_wrote_are_kept_under_their_names(working: JobFarm) -> None:
    requested = working.request_job("write_files")

    assert working.wait_for_end(requested).status == "succeeded"

    files = working.artefacts.get("write_files", requested.id).files
    assert {name: working.objects.get(sha256) for name, sha256 in files.items()} == {"rows.csv": b"some rows"}
    working.wait_until(lambda: working.workspaces() == [], seconds=1)


def test_files_that_a_killed_worker_left_are_cleared_by_the_next_attempt(farm: JobFarm) -> None:
    worker = farm.start_worker()
    requested = farm.request_job("write_files", seconds=60)
    farm.wait_for_run()
    first = farm.workspaces()
    worker.kill()
    assert farm.workspaces() == first != []

    farm.start_worker()
    farm.wait_for_run(2)

    assert [folder.name for folder in farm.workspaces()] == [f"{requested.job}.2"]


@pytest.mark.parametrize("end", ["cancelled", "killed"])
def test_files_of_a_job_that_was_stopped_are_gone(working: JobFarm, end: str) -> None:
    requested = working.request_job("write_files", seconds=60)
    process = working.wait_for_run()
    working.wait_until(lambda: len(working.workspaces()) == 1 and len(list(working.workspaces()[0].iterdir())) == 2)
    first = working.workspaces()

    if end == "killed":
        kill(process)
        working.wait_for_run(2)
        assert working.workspaces() != first
    working.jobs.request_cancel(requested.job)

    assert working.wait_for_end(requested, seconds=2).status == "cancelled"
    assert working.workspaces() == []
    assert working.artefacts.get("write_files", requested.id).files == {}
