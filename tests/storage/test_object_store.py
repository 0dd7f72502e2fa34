"""Objects: whole or not at all, known by their hash, never served damaged."""

import errno
import hashlib
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from storage.errors import InsufficientStorage, NotFound, ObjectDamaged
from storage.object_store import ObjectStore

_DATA = b"some rows" * 1000
_SHA256 = hashlib.sha256(_DATA).hexdigest()


@pytest.fixture
def store(tmp_path: Path) -> ObjectStore:
    return ObjectStore(tmp_path / "objects")


def _files(directory: Path) -> list[Path]:
    return [path for path in directory.rglob("*") if path.is_file() and path.name != "lock"]


def test_what_was_put_is_got_back_under_its_hash(store: ObjectStore) -> None:
    assert store.put(_DATA) == _SHA256
    assert store.get(_SHA256) == _DATA
    assert store.path(_SHA256).read_bytes() == _DATA


def test_putting_twice_keeps_one_file(store: ObjectStore, tmp_path: Path) -> None:
    store.put(_DATA)
    store.put(_DATA)

    assert len(_files(tmp_path / "objects")) == 1


def test_many_who_put_the_same_at_once_all_succeed(store: ObjectStore, tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        hashes = set(threads.map(lambda _: store.put(_DATA), range(32)))

    assert hashes == {_SHA256}
    assert [path.name for path in _files(tmp_path / "objects")] == [_SHA256]


def test_a_file_from_elsewhere_is_copied(store: ObjectStore, tmp_path: Path) -> None:
    original = tmp_path / "upload"
    original.write_bytes(_DATA)

    assert store.put_file(original) == _SHA256
    assert original.read_bytes() == _DATA
    assert store.get(_SHA256) == _DATA


def test_a_file_of_a_workspace_is_moved(store: ObjectStore) -> None:
    with store.workspace() as folder:
        file = folder / "result"
        file.write_bytes(_DATA)
        store.put_file(file)

        assert not file.exists()
    assert store.get(_SHA256) == _DATA


def test_a_workspace_is_private_and_gone_at_the_end_however_it_ends(store: ObjectStore) -> None:
    def fail_inside() -> None:
        with store.workspace() as folder:
            folders.append(folder)
            (folder / "half").write_bytes(_DATA)
            assert folder.stat().st_mode & 0o777 == 0o700
            raise RuntimeError

    folders: list[Path] = []
    with pytest.raises(RuntimeError):
        fail_inside()
    assert not folders[0].exists()


def test_a_named_workspace_begins_empty_and_can_be_cleared_by_whoever_outlives_its_owner(
    store: ObjectStore, tmp_path: Path
) -> None:
    store.clear_workspace("job_1.1")
    with store.workspace("job_1.1") as folder:
        (folder / "half").write_bytes(_DATA)
        with store.workspace("job_1.1") as again:
            assert list(again.iterdir()) == []
            (again / "half").write_bytes(_DATA)
            ObjectStore(tmp_path / "objects").clear_workspace("job_1.1")
            assert not again.exists()
            assert store.get(store.put(_DATA)) == _DATA


@pytest.mark.parametrize("damage", [b"", _DATA[:-1], _DATA[:-1] + b"!"])
def test_a_damaged_object_is_found_out_whichever_way_it_is_read(store: ObjectStore, damage: bytes) -> None:
    path = store.path(store.put(_DATA))
    path.chmod(0o600)
    path.write_bytes(damage)

    with pytest.raises(ObjectDamaged) as got:
        store.get(_SHA256)
    with pytest.raises(ObjectDamaged):
        store.path(_SHA256)
    assert got.value.code == "internal_error"


@pytest.mark.parametrize("how", ["as bytes", "as a file"])
def test_a_damaged_object_is_whole_again_when_it_is_put_again(store: ObjectStore, tmp_path: Path, how: str) -> None:
    kept = store.path(store.put(_DATA))
    kept.chmod(0o600)
    kept.write_bytes(_DATA[:-1])
    original = tmp_path / "upload"
    original.write_bytes(_DATA)

    assert (store.put_file(original) if how == "as a file" else store.put(_DATA)) == _SHA256

    assert store.get(_SHA256) == _DATA
    assert len(_files(tmp_path / "objects")) == 1


def test_objects_cannot_be_written_to_by_accident(store: ObjectStore) -> None:
    assert store.path(store.put(_DATA)).stat().st_mode & 0o777 == 0o400


def test_an_unknown_object_is_not_found_and_deleting_it_is_no_error(store: ObjectStore) -> None:
    store.delete(_SHA256)
    with pytest.raises(NotFound):
        store.get(_SHA256)


def test_a_deleted_object_is_gone_and_can_be_put_again(store: ObjectStore) -> None:
    store.delete(store.put(_DATA))
    with pytest.raises(NotFound):
        store.get(_SHA256)

    assert store.get(store.put(_DATA)) == _DATA


def test_a_writer_that_is_killed_leaves_nothing_to_be_read(store: ObjectStore, tmp_path: Path) -> None:
    program = (
        "import os, sys; from pathlib import Path; from storage.object_store import ObjectStore\n"
        "os.fsync = lambda _: os.kill(os.getpid(), 9)\n"
        "ObjectStore(Path(sys.argv[1])).put(b'some rows' * 1000)"
    )

    died = subprocess.run([sys.executable, "-c", program, tmp_path / "objects"], check=False)  # noqa: S603  # our own

    assert died.returncode == -9
    with pytest.raises(NotFound):
        store.get(_SHA256)
    assert store.get(store.put(_DATA)) == _DATA


def test_a_full_disk_is_said_and_nothing_is_left_behind(
    store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", refuse)

    with pytest.raises(InsufficientStorage):
        store.put(_DATA)
    assert _files(tmp_path / "objects") == []


def test_nothing_is_discarded_while_something_is_kept(tmp_path: Path) -> None:
    # Two processes would have two stores, so two stores it is.
    keeper, discarder = ObjectStore(tmp_path), ObjectStore(tmp_path)
    happened: list[str] = []

    def discard() -> None:
        with discarder.discarding():
            happened.append("discarded")

    thread = threading.Thread(target=discard)
    with keeper.keeping(), ObjectStore(tmp_path).keeping():  # many may keep at once
        thread.start()
        thread.join(0.2)
        happened.append("kept")
    thread.join(5)

    assert happened == ["kept", "discarded"]


def test_a_file_that_was_just_checked_is_trusted_until_it_is_written_to(store: ObjectStore) -> None:
    path = store.path_of_pages(store.put(_DATA))
    assert store.path_of_pages(_SHA256) == path

    path.chmod(0o600)
    path.write_bytes(_DATA[::-1])

    with pytest.raises(ObjectDamaged):
        store.path_of_pages(_SHA256)
