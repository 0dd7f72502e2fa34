"""The data directory: private, and used by one service at a time."""

import os
import stat
from pathlib import Path

import pytest

from leafspace.compiled_code import code_stamp
from leafspace.data_directory import default_data_dir, opened, was_killed
from leafspace.embedded import child_environment
from leafspace.errors import CannotServe


def test_it_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    with opened(tmp_path / "new folder" / "data") as directory:
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700


@pytest.mark.parametrize(("mode", "is_reported"), [(0o755, True), (0o750, True), (0o700, False)])
def test_one_that_others_can_look_into_is_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, mode: int, *, is_reported: bool
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data").chmod(mode)

    with opened(tmp_path / "data"):
        assert ("others on this machine" in caplog.text) == is_reported


def test_a_second_service_is_refused_until_the_first_ends(tmp_path: Path) -> None:
    with opened(tmp_path), pytest.raises(CannotServe, match=f"process {os.getpid()}"), opened(tmp_path):
        pass

    with opened(tmp_path):
        pass


def test_it_is_known_of_the_last_service_whether_it_ended_by_itself(tmp_path: Path) -> None:
    assert not was_killed(tmp_path)
    with opened(tmp_path):
        assert was_killed(tmp_path), "were it to end now"
        while_it_serves = (tmp_path / "leafspace.lock").read_bytes()
    assert not was_killed(tmp_path)

    (tmp_path / "leafspace.lock").write_bytes(while_it_serves)
    assert was_killed(tmp_path)


def test_a_place_where_nothing_can_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(CannotServe, match="--data-dir"), opened(tmp_path / "file" / "data"):
        pass


def test_the_default_is_below_the_users_own_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_data_dir() == tmp_path / "leafspace"

    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_data_dir() == tmp_path / ".local" / "share" / "leafspace"


def test_compiled_code_is_kept_apart_for_each_state_of_the_code(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "loop.py").write_text("one = 1")
    first, again = code_stamp(tmp_path), code_stamp(tmp_path)
    (tmp_path / "inner" / "loop.py").write_text("one = 2")
    changed = code_stamp(tmp_path)
    (tmp_path / "inner" / "loop.py").rename(tmp_path / "inner" / "other.py")

    assert first == again
    assert len({first, changed, code_stamp(tmp_path)}) == 3


def test_compiled_code_is_kept_apart_for_each_kind_of_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    own = code_stamp()

    monkeypatch.setenv("NUMBA_CPU_NAME", "generic")

    assert code_stamp() != own


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder to another user")
def test_compiled_code_in_a_folder_of_another_user_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    own = child_environment(tmp_path / "data", "redis://nowhere")["NUMBA_CACHE_DIR"]
    os.chown(tmp_path / "cache" / "leafspace", 12345, 12345)

    theirs = child_environment(tmp_path / "data", "redis://nowhere")["NUMBA_CACHE_DIR"]

    assert own == str(tmp_path / "cache" / "leafspace" / code_stamp())
    assert theirs == str(tmp_path / "data" / "cache" / code_stamp())
