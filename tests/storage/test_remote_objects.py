"""Objects in a bucket: copies are bounded and never trusted, hosts need no lock, and a store that is away is said."""

import hashlib
import subprocess
import sys
import time
from pathlib import Path

import pytest

from storage.bucket import Bucket
from storage.errors import NotFound, ObjectDamaged, StorageUnavailable
from storage.remote_objects import ObjectCache, RemoteObjects
from tests.support.object_stores import RemoteCase
from tests.support.patience import PATIENCE_SECONDS, when_idle
from tests.support.storage_servers import S3Server

_DATA = b"some rows" * 1000
_SHA256 = hashlib.sha256(_DATA).hexdigest()
_HOUR = 3600


def _copies(case: RemoteCase) -> set[str]:
    return {path.name for path in case.cache.files()}


def _empty(bucket: Bucket) -> None:
    for file in list(bucket.files()):
        bucket.delete(file.name)


def test_what_was_fetched_once_is_read_without_the_bucket(remote_case: RemoteCase) -> None:
    remote_case.store.put(_DATA)
    host = remote_case.host("other")
    host.path(_SHA256)
    _empty(remote_case.bucket)

    assert host.get(_SHA256) == _DATA
    assert host.path_of_pages(_SHA256).read_bytes() == _DATA


def test_a_damaged_copy_is_fetched_again_and_never_served(remote_case: RemoteCase) -> None:
    store = remote_case.store
    store.put(_DATA)
    for read in (store.get, lambda sha256: store.path(sha256).read_bytes()):
        remote_case.damage_copy(_SHA256, b"!" + _DATA[1:])

        assert read(_SHA256) == _DATA


def test_of_several_files_of_an_object_one_that_is_whole_is_enough(remote_case: RemoteCase) -> None:
    remote_case.store.put(_DATA)
    remote_case.now += _HOUR
    remote_case.store.put(_DATA)
    first, second = remote_case.bucket.files()

    remote_case.bucket.write(second.name, b"!" + _DATA[1:])
    assert remote_case.open().get(_SHA256) == _DATA

    remote_case.bucket.write(first.name, b"")
    with pytest.raises(ObjectDamaged):
        remote_case.open().get(_SHA256)


def test_copies_used_least_recently_are_let_go_first(remote_case: RemoteCase) -> None:
    remote_case.cache = ObjectCache(remote_case.directory / "small", 25_000, lambda: remote_case.now)
    store = RemoteObjects(remote_case.bucket, remote_case.cache, lambda: remote_case.now)
    put = []
    for letter in b"abc":
        put.append(store.put(bytes([letter]) * 10_000))
        remote_case.now += 400
    first, second, third = put
    assert _copies(remote_case) == {second, third}

    assert store.get(second) == b"b" * 10_000
    remote_case.now += 400
    assert store.get(first) == b"a" * 10_000

    assert _copies(remote_case) == {second, first}


def test_what_is_in_use_is_kept_beyond_the_limit_and_what_is_larger_than_it_can_be_read(
    remote_case: RemoteCase,
) -> None:
    remote_case.cache = ObjectCache(remote_case.directory / "small", 10, lambda: remote_case.now)
    store = RemoteObjects(remote_case.bucket, remote_case.cache, lambda: remote_case.now)
    path = store.path(store.put(_DATA))
    remote_case.now += 200
    with path.open("rb") as file:
        store.put(b"another")
        assert path.read_bytes() == _DATA

        remote_case.now += 400
        store.put(b"a third")
        assert not path.exists()
        assert file.read() == _DATA
    assert store.get(_SHA256) == _DATA


def test_young_files_outlive_their_deletion_until_somebody_looks_for_orphans(remote_case: RemoteCase) -> None:
    store = remote_case.store
    store.put(_DATA)

    store.delete(_SHA256)
    assert remote_case.files() == [_SHA256]
    assert _copies(remote_case) == set()

    remote_case.now += 26 * _HOUR
    for sha256 in store.old_objects():
        store.delete(sha256)
    assert remote_case.files() == []


def test_who_discards_is_held_up_for_days_and_still_deletes_nothing_that_was_put_meanwhile(
    remote_case: RemoteCase,
) -> None:
    remote_case.store.put(_DATA)
    remote_case.let_time_pass()

    with remote_case.store.discarding():
        # Here rows are looked at: none refers to the object. Then the process is stopped, and goes on days later.
        remote_case.host("other").put(_DATA)
        remote_case.let_time_pass()
        remote_case.store.delete(_SHA256)

    assert remote_case.open().get(_SHA256) == _DATA


def test_a_store_that_is_away_is_reported_to_be_unavailable_and_is_used_again_when_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = S3Server(tmp_path)
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    away = RemoteCase(tmp_path / "away", "s3://objects/there").store
    began = time.monotonic()

    for call in (lambda: away.put(_DATA), lambda: away.get(_SHA256), lambda: away.delete(_SHA256)):
        with pytest.raises(StorageUnavailable) as refused:
            call()
        assert refused.value.code == "unavailable"
        assert "127.0.0.1" not in refused.value.detail
    assert time.monotonic() - began < when_idle(30)

    server.start()
    server.make_bucket("objects")
    assert away.get(away.put(_DATA)) == _DATA
    server.stop()


def test_a_bucket_that_does_not_exist_is_no_missing_object(remote_case: RemoteCase, tmp_path: Path) -> None:
    store = RemoteCase(tmp_path / "other", "s3://never-made/there").store
    assert remote_case.files() == []

    for call in (lambda: store.put(_DATA), lambda: store.get(_SHA256)):
        with pytest.raises(StorageUnavailable, match="no such bucket"):
            call()


_FORKING = """
import os, sys
from pathlib import Path
from storage.settings import embedded
from storage.remote_objects import open_objects
store = open_objects(embedded(Path(sys.argv[1]), object_store_url=sys.argv[2]))
for _ in range(3):
    with store.workspace("job_1"):
        child = os.fork()
        if child == 0:
            os._exit(store.get(store.put(b"some rows" * 1000)) != b"some rows" * 1000)
        assert os.waitpid(child, 0)[1] == 0
"""


def test_processes_forked_one_after_the_other_each_open_the_bucket(remote_case: RemoteCase, tmp_path: Path) -> None:
    command = [sys.executable, "-c", _FORKING, str(tmp_path / "data"), remote_case.url]

    subprocess.run(command, check=True, timeout=PATIENCE_SECONDS)  # our own program

    assert remote_case.store.get(_SHA256) == _DATA


def test_an_object_that_is_gone_from_the_bucket_is_not_found(remote_case: RemoteCase) -> None:
    remote_case.store.put(_DATA)
    _empty(remote_case.bucket)

    with pytest.raises(NotFound):
        remote_case.open().get(_SHA256)
