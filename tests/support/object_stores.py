"""Object stores of a test's own, on the local disk and in a bucket, and ways to harm what they keep."""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex

import pytest

from storage.bucket import Bucket
from storage.local_objects import LocalObjects
from storage.object_store import ObjectStore
from storage.remote_objects import ObjectCache, RemoteObjects

from .storage_servers import S3Server

_BUCKET = "objects"
_CACHE_BYTES = 1 << 30


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """Return an S3 server of the session's own, with one bucket."""
    server = S3Server(tmp_path_factory.mktemp("s3"))
    server.start()
    server.make_bucket(_BUCKET)
    yield server
    server.stop()


@dataclass
class LocalCase:
    """A folder."""

    directory: Path
    store: ObjectStore = field(init=False)

    def __post_init__(self) -> None:
        self.store = self.open()

    def open(self) -> ObjectStore:
        """Return the store as another process opens it."""
        return LocalObjects(self.directory)

    def files(self) -> list[str]:
        """Return the hashes of what is kept, one for each file."""
        return [path.name for path in LocalObjects(self.directory).files()]

    def damage(self, sha256: str, data: bytes) -> None:
        """Let the object's bytes be others, behind the store's back."""
        _overwrite(LocalObjects(self.directory).file(sha256), data)

    def let_time_pass(self) -> None:
        """Let a day pass since everything was put."""
        long_ago = time.time() - 2 * 24 * 3600
        for path in LocalObjects(self.directory).files():
            os.utime(path, (long_ago, long_ago))


@dataclass
class RemoteCase:
    """A bucket, and a host with a cache."""

    directory: Path
    url: str
    cache_bytes: int = _CACHE_BYTES
    now: float = field(default_factory=time.time)
    store: ObjectStore = field(init=False)

    def __post_init__(self) -> None:
        self.bucket = Bucket(self.url)
        self.cache = ObjectCache(self.directory / "cache", self.cache_bytes, lambda: self.now)
        self.store = RemoteObjects(self.bucket, self.cache, lambda: self.now)

    def open(self) -> ObjectStore:
        """Return the store as another host opens it."""
        return self.host(token_hex(4))

    def host(self, name: str) -> RemoteObjects:
        """Return the store as a host of this name has it: with a cache of its own."""
        cache = ObjectCache(self.directory / name, self.cache_bytes, lambda: self.now)
        return RemoteObjects(Bucket(self.url), cache, lambda: self.now)

    def files(self) -> list[str]:
        """Return the hashes of what is kept, one for each file."""
        return [file.name.split("/")[1] for file in self.bucket.files() if "/" in file.name]

    def damage(self, sha256: str, data: bytes) -> None:
        """Let the object's bytes be others, in the bucket and in the copy."""
        for file in list(self.bucket.files()):
            if sha256 in file.name:
                self.bucket.write(file.name, data)
        self.damage_copy(sha256, data)

    def damage_copy(self, sha256: str, data: bytes) -> None:
        """Let the bytes of the local copy be others."""
        _overwrite(self.cache.file(sha256), data)

    def let_time_pass(self) -> None:
        """Let two days pass."""
        self.now += 2 * 24 * 3600


@pytest.fixture
def remote_case(s3_server: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RemoteCase:
    """Return an empty store in a bucket."""
    for name, value in s3_server.environment.items():
        monkeypatch.setenv(name, value)
    return RemoteCase(tmp_path / "hosts", f"s3://{_BUCKET}/{token_hex(8)}")


@pytest.fixture(params=["local", "s3"])
def store_case(request: pytest.FixtureRequest, tmp_path: Path) -> LocalCase | RemoteCase:
    """Return an empty store of each kind."""
    if request.param == "local":
        return LocalCase(tmp_path / "objects")
    case: RemoteCase = request.getfixturevalue("remote_case")
    return case


def _overwrite(path: Path, data: bytes) -> None:
    path.chmod(0o600)
    path.write_bytes(data)
