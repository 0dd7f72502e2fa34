"""Private folders for what is being written: gone at the end, and swept when their owner was killed."""

import os
import signal
from pathlib import Path

from storage.workspaces import Workspaces


def _left_by_a_killed_process(workspaces: Workspaces, name: str | None) -> None:
    pid = os.fork()
    if pid == 0:
        with workspaces.workspace(name) as folder:
            (folder / "half").write_bytes(b"half")
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(pid, 0)


def test_a_folder_is_empty_at_first_and_gone_at_the_end(tmp_path: Path) -> None:
    workspaces = Workspaces(tmp_path / "incoming")
    (workspaces.directory / "job.1").mkdir()
    (workspaces.directory / "job.1" / "old").write_bytes(b"")

    for name in (None, "job.1"):
        with workspaces.workspace(name) as folder:
            assert list(folder.iterdir()) == []
    assert list(workspaces.directory.iterdir()) == []


def test_what_killed_processes_left_is_swept_and_what_is_in_use_is_not(tmp_path: Path) -> None:
    workspaces = Workspaces(tmp_path / "incoming")
    for name in (None, "job.1"):
        _left_by_a_killed_process(workspaces, name)
    assert len(list(workspaces.directory.iterdir())) == 2

    with workspaces.workspace(None) as unnamed, workspaces.workspace("job.2") as named:
        workspaces.sweep()

        assert set(workspaces.directory.iterdir()) == {unnamed, named}


def test_a_folder_that_was_swept_before_it_was_locked_is_made_again(tmp_path: Path) -> None:
    workspaces = Workspaces(tmp_path / "incoming")
    made = workspaces._new_folder
    swept: list[Path] = []

    def made_and_swept(name: str | None) -> Path:
        folder = made(name)
        if not swept:
            swept.append(folder)
            workspaces.sweep()
        return folder

    workspaces._new_folder = made_and_swept  # type: ignore[method-assign]
    with workspaces.workspace(None) as folder:
        assert folder.exists()
        assert not swept[0].exists()
