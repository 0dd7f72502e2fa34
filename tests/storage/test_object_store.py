"""Objects: whole or not at all, known by their hash, never served damaged; on the local disk and in a bucket alike."""

import hashlib
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from storage.errors import NotFound, ObjectDamaged
from storage.local_objects import LocalObjects
from storage.object_store import ObjectStore
from tests.support.object_stores import LocalCase, RemoteCase
from tests.support.patience import PATIENCE_SECONDS

_DATA = b"some rows" * 1000
_SHA256 = hashlib.sha256(_DATA).hexdigest()
_Case = LocalCase | RemoteCase


@pytest.fixture
def store(store_case: _Case) -> ObjectStore:
    return store_case.store


def test_what_was_put_is_got_back_under_its_hash_by_everybody(store_case: _Case) -> None:
    assert store_case.store.put(_DATA) == _SHA256

    for store in (store_case.store, store_case.open()):
        assert store.get(_SHA256) == _DATA
        assert store.path(_SHA256).read_bytes() == _DATA
        assert store.path_of_pages(_SHA256).read_bytes() == _DATA


@pytest.mark.parametrize("size", [0, 1, (8 << 20) - 1, 8 << 20, (17 << 20) + 3])
def test_objects_of_any_size_come_back_as_they_were(store_case: _Case, tmp_path: Path, size: int) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"0123456789" * (size // 10) + b"x" * (size % 10))

    sha256 = store_case.store.put_file(file)

    assert store_case.open().get(sha256) == file.read_bytes()


def test_a_store_that_is_there_says_so(store: ObjectStore) -> None:
    assert store.is_available()


def test_putting_twice_keeps_one_file(store_case: _Case) -> None:
    store_case.store.put(_DATA)
    store_case.open().put(_DATA)

    assert store_case.files() == [_SHA256]


def test_many_who_put_the_same_at_once_all_succeed(store_case: _Case) -> None:
    with ThreadPoolExecutor(8) as threads:
        hashes = set(threads.map(lambda _: store_case.store.put(_DATA), range(32)))

    assert hashes == {_SHA256}
    assert store_case.files() == [_SHA256]


def test_a_file_from_elsewhere_is_copied(store: ObjectStore, tmp_path: Path) -> None:
    original = tmp_path / "upload"
    original.write_bytes(_DATA)

    assert store.put_file(original) == _SHA256
    assert original.read_bytes() == _DATA
    assert store.get(_SHA256) == _DATA


@pytest.mark.parametrize("is_there", [False, True])
def test_a_file_that_was_prepared_is_kept_as_any_other(store: ObjectStore, is_there: bool) -> None:
    if is_there:
        store.put(_DATA)
    with store.workspace() as folder:
        file = folder / "result"
        file.write_bytes(_DATA)

        prepared = store.prepare(file)

        assert prepared == (file, _SHA256)
        assert file.read_bytes() == _DATA
        assert store.put_file(prepared) == _SHA256
        assert file.exists() == is_there
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


def test_a_named_workspace_begins_empty_and_can_be_cleared_by_a_process_that_outlives_its_owner(
    store: ObjectStore,
) -> None:
    store.clear_workspace("job_1.1")
    with store.workspace("job_1.1") as folder:
        (folder / "half").write_bytes(_DATA)
        with store.workspace("job_1.1") as again:
            assert list(again.iterdir()) == []
            (again / "half").write_bytes(_DATA)
            store.clear_workspace("job_1.1")
            assert not again.exists()
            assert store.get(store.put(_DATA)) == _DATA


@pytest.mark.parametrize("damage", [b"", _DATA[:-1], _DATA[:-1] + b"!"])
def test_a_damaged_object_is_found_out_however_it_is_read(store_case: _Case, damage: bytes) -> None:
    store_case.store.put(_DATA)
    store_case.damage(_SHA256, damage)

    for store in (store_case.store, store_case.open()):
        for read in (store.get, store.path, store.path_of_pages):
            with pytest.raises(ObjectDamaged):
                read(_SHA256)


@pytest.mark.parametrize("how", ["as bytes", "as a file"])
def test_a_damaged_object_is_whole_again_when_it_is_put_again(store_case: _Case, tmp_path: Path, how: str) -> None:
    store = store_case.store
    store.put(_DATA)
    store_case.damage(_SHA256, _DATA[:-1])
    original = tmp_path / "upload"
    original.write_bytes(_DATA)

    assert (store.put_file(original) if how == "as a file" else store.put(_DATA)) == _SHA256

    assert store.get(_SHA256) == _DATA
    assert store_case.open().get(_SHA256) == _DATA
    assert store_case.files() == [_SHA256]


def test_only_what_is_damaged_is_deleted_as_damaged(store_case: _Case) -> None:
    whole = store_case.store.put(b"whole")
    store_case.store.put(_DATA)
    store_case.damage(_SHA256, _DATA[:-1])
    store_case.let_time_pass()

    for sha256 in (whole, _SHA256, "0" * 64):
        store_case.store.delete_damaged(sha256)

    assert store_case.files() == [whole]


def test_objects_cannot_be_written_to_by_accident(store: ObjectStore) -> None:
    assert store.path(store.put(_DATA)).stat().st_mode & 0o777 == 0o400


def test_an_unknown_object_is_not_found_and_deleting_it_is_no_error(store: ObjectStore) -> None:
    store.delete(_SHA256)
    for read in (store.get, store.path, store.path_of_pages):
        with pytest.raises(NotFound):
            read(_SHA256)


def test_a_deleted_object_is_gone_for_everybody_and_can_be_put_again(store_case: _Case) -> None:
    store_case.store.put(_DATA)
    store_case.let_time_pass()

    with store_case.store.discarding():
        store_case.store.delete(_SHA256)

    for store in (store_case.store, store_case.open()):
        with pytest.raises(NotFound):
            store.get(_SHA256)
    assert store_case.open().get(store_case.store.put(_DATA)) == _DATA


def test_what_is_kept_again_while_it_is_discarded_stays(store_case: _Case) -> None:
    store_case.store.put(_DATA)
    store_case.let_time_pass()
    keeper = store_case.open()

    def keep() -> None:
        with keeper.keeping():
            keeper.put(_DATA)

    thread = threading.Thread(target=keep)
    with store_case.store.discarding():
        thread.start()
        thread.join(0.3)
        store_case.store.delete(_SHA256)
    thread.join(PATIENCE_SECONDS)

    assert store_case.open().get(_SHA256) == _DATA


def test_objects_are_old_after_a_day(store_case: _Case) -> None:
    store_case.store.put(_DATA)
    assert list(store_case.store.old_objects()) == []

    store_case.let_time_pass()
    store_case.store.put(b"young")

    assert list(store_case.store.old_objects()) == [_SHA256]


def test_a_file_that_was_just_checked_is_trusted_until_it_is_written_to(store_case: _Case) -> None:
    path = store_case.store.path_of_pages(store_case.store.put(_DATA))
    assert store_case.store.path_of_pages(_SHA256) == path

    store_case.damage(_SHA256, _DATA[::-1])

    with pytest.raises(ObjectDamaged):
        store_case.store.path_of_pages(_SHA256)


_DYING_WRITER = """
import os, sys, time
from pathlib import Path
from storage.settings import embedded
from storage.remote_objects import open_objects
settings = embedded(Path(sys.argv[1]), object_store_url=sys.argv[2])
store = open_objects(settings)
os.fsync = lambda _: os.kill(os.getpid(), 9)
store.put(b'some rows' * 1000)
"""


def test_a_writer_that_is_killed_leaves_nothing_that_is_not_whole(store_case: _Case, tmp_path: Path) -> None:
    url = store_case.url if isinstance(store_case, RemoteCase) else store_case.directory.as_uri()

    died = subprocess.run([sys.executable, "-c", _DYING_WRITER, tmp_path, url], check=False)  # our own

    assert died.returncode == -9
    if isinstance(store_case, LocalCase):
        assert store_case.files() == []
    else:  # it got as far as the local copy: what is in the bucket is whole
        assert store_case.open().get(_SHA256) == _DATA
    assert store_case.store.get(store_case.store.put(_DATA)) == _DATA


def test_an_object_and_the_folders_above_it_are_on_disk_before_it_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, flush = LocalObjects(tmp_path / "objects"), os.fsync
    flushed: list[str] = []

    def note_and_flush(descriptor: int) -> None:
        flushed.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", note_and_flush)
    file = store.file(store.put(_DATA))

    assert str(file.parent) in flushed
    # The folder is new, and an entry of this one.
    assert str(file.parent.parent) in flushed
