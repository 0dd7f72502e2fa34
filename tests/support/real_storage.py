"""A service on the storage of its own data directory, and one on PostgreSQL and a bucket, as a test needs them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex

import pytest

from storage.bucket import Bucket
from storage.local_objects import LocalObjects

from .databases import new_postgresql_database
from .sampling import mostly_long
from .storage_servers import S3Server

KINDS_OF_STORAGE = ("embedded", "postgresql and s3")


@dataclass(frozen=True)
class Storage:
    """Where a service keeps things."""

    environment: dict[str, str] = field(default_factory=dict)  # of the service
    bucket_url: str | None = None

    def flip_a_byte(self, data_dir: Path, sha256: str) -> None:
        """Damage an object wherever it is kept; done twice, it is whole again."""
        for folder in ("objects", "object-cache"):
            path = LocalObjects(data_dir / folder).file(sha256)
            if path.exists():
                path.chmod(0o600)
                path.write_bytes(_flipped(path.read_bytes()))
        if self.bucket_url is not None:
            bucket, copy = Bucket(self.bucket_url), data_dir / "copy"
            for file in list(bucket.files(f"{sha256[:2]}/{sha256}")):
                bucket.read(file, copy)
                bucket.write(file.name, _flipped(copy.read_bytes()))


@pytest.fixture(scope="module", params=mostly_long(KINDS_OF_STORAGE, "postgresql and s3"))
def storage(request: pytest.FixtureRequest) -> Iterator[Storage]:
    """Return storage of each kind, empty."""
    if request.param == "embedded":
        yield Storage()
        return
    server: S3Server = request.getfixturevalue("s3_server")
    bucket_url = f"s3://objects/{token_hex(8)}"
    with new_postgresql_database(request.getfixturevalue("postgresql_url")) as url, pytest.MonkeyPatch.context() as own:
        for name, value in server.environment.items():
            own.setenv(name, value)
        given = {"LEAFSPACE_DATABASE_URL": url, "LEAFSPACE_OBJECT_STORE_URL": bucket_url}
        yield Storage({**server.environment, **given}, bucket_url)


def _flipped(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
