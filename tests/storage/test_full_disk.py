"""A disk that is really full: it is said, nothing is left half-written, and all goes on when there is room again."""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import insert, select

from storage.database import Database
from storage.errors import InsufficientStorage
from storage.local_objects import LocalObjects
from storage.tables import api_keys
from tests.support.api import Api
from tests.support.job_farm import JobFarm
from tests.support.sampling import mostly_long
from tests.support.serving import Service, serving
from tests.support.small_disks import SmallDisk, mounted, small_disk

__all__ = ["small_disk"]

_LARGE = bytes(1 << 20)


def _files(directory: Path) -> set[Path]:
    return {path for path in directory.rglob("*") if path.is_file() and path.name != "lock"}


def test_objects_are_kept_whole_or_not_at_all(small_disk: SmallDisk, tmp_path: Path) -> None:
    store = LocalObjects(small_disk.directory / "objects")
    kept = store.put(b"kept before")
    before = _files(small_disk.directory / "objects")
    original = tmp_path / "original"
    original.write_bytes(_LARGE)
    small_disk.fill(n_bytes_left=len(_LARGE) // 2)

    for keep in (partial(store.put, _LARGE), partial(store.put_file, original)):
        with pytest.raises(InsufficientStorage):
            keep()
        assert _files(small_disk.directory / "objects") == before
    assert store.get(kept) == b"kept before"

    small_disk.free_space()
    assert store.get(store.put(_LARGE)) == _LARGE


def test_rows_are_kept_whole_or_not_at_all(small_disk: SmallDisk) -> None:
    database = Database(f"sqlite:///{small_disk.directory / 'rows.db'}")
    database.migrate()
    row = {"name": "n", "sha256": "0" * 64, "created_at": 1.0}
    small_disk.fill(n_bytes_left=len(_LARGE) // 2)

    def keep() -> None:
        with database.transaction() as connection:
            connection.execute(insert(api_keys).values(id="small", scopes=[], **row))
            connection.execute(insert(api_keys).values(id="large", scopes=["x" * len(_LARGE)], **row))

    with pytest.raises(InsufficientStorage):
        keep()
    assert _keys(database) == []

    small_disk.free_space()
    keep()
    assert _keys(database) == ["large", "small"]
    database.close()


def _keys(database: Database) -> list[str]:
    with database.reading() as connection:
        return sorted(connection.execute(select(api_keys.c.id)).scalars())


@pytest.fixture
def farm(small_disk: SmallDisk) -> Iterator[JobFarm]:
    farm = JobFarm(_made(small_disk.directory / "data"))
    yield farm
    farm.stop()


@pytest.mark.parametrize("kind", mostly_long(["fill_the_disk", "return_much"], "fill_the_disk"))
def test_a_job_that_fills_the_disk_fails_and_says_so_and_the_next_one_succeeds(
    farm: JobFarm, small_disk: SmallDisk, kind: str
) -> None:
    farm.start_worker()
    requested = farm.request_job(kind)

    job = farm.wait_for_end(requested)

    assert (job.status, job.attempt) == ("failed", 1)
    assert job.problem is not None
    assert job.problem.code == "insufficient_storage"
    farm.wait_until(lambda: farm.workspaces() == [])
    assert list(farm.objects.old_objects()) == []
    assert farm.wait_for_end(farm.request_job("succeed")).status == "succeeded"
    assert os.statvfs(small_disk.directory).f_bavail > 0


@pytest.fixture(scope="module")
def crowded_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallDisk]:
    with mounted(tmp_path_factory.mktemp("crowded") / "small disk") as disk:
        yield disk


@pytest.fixture(scope="module")
def crowded(crowded_disk: SmallDisk) -> Iterator[Service]:
    with serving(crowded_disk.directory / "data", "--no-worker") as service:
        yield service


def _made(directory: Path) -> Path:
    directory.mkdir()
    return directory


@pytest.mark.parametrize(
    "room", mostly_long([0.5, 1.5, 2.1], 1.5), ids=["as it comes in", "as it is copied", "as it is read"]
)
def test_an_upload_that_does_not_fit_is_a_507_and_leaves_nothing(
    crowded: Service, crowded_disk: SmallDisk, room: float
) -> None:
    api = Api(crowded.url)
    rng = np.random.default_rng(int(10 * room))
    rows = b"a,b\n" + b"\n".join(b"%.17g,%.17g" % (*rng.random(2),) for _ in range(100_000)) + b"\n"
    objects = crowded.data_dir / "objects"
    before = _files(objects)
    crowded_disk.fill(int(room * len(rows)))

    refused = api.upload("/v1/datasets", rows)

    assert (refused.status_code, refused.json()["code"]) == (507, "insufficient_storage"), refused.text
    assert "free some space" in refused.json()["detail"]
    assert _files(objects) == before
    assert list((objects / "incoming").iterdir()) == []
    assert len(api.get("/v1/datasets").json()["data"]) == len(before) // 2
    assert api.get("/readyz").status_code == 200

    crowded_disk.free_space()
    assert api.upload("/v1/datasets", rows).status_code == 201


@pytest.mark.long
def test_on_a_full_disk_callers_can_free_room(crowded: Service, crowded_disk: SmallDisk) -> None:
    api = Api(crowded.url)
    paths = [api.upload("/v1/datasets", f"a,b\n{number},1\n".encode()).headers["Location"] for number in range(5)]
    explained = api.upload("/v1/datasets", b"a,b\n1,2\n", {"name": "stays"}).headers["Location"]
    assert "disk" not in api.get("/readyz").json()["degraded"]
    crowded_disk.fill()

    JobFarm.wait_until(lambda: "disk" in api.get("/readyz").json()["degraded"], 10)
    # Until nothing can be written any more, not even the row of a key.
    refused = api.upload("/v1/datasets", b"a,b\n1,3\n")
    assert (refused.status_code, refused.json()["code"]) == (507, "insufficient_storage")
    crowded_disk.fill()

    assert [api.delete(path).status_code for path in paths] == [204] * len(paths)
    assert [api.get(path).status_code for path in (*paths, explained)] == [404] * len(paths) + [200]

    crowded_disk.free_space()
    JobFarm.wait_until(lambda: "disk" not in api.get("/readyz").json()["degraded"], 10)
    assert api.delete(explained).status_code == 204
    assert (crowded.data_dir / "reserve").stat().st_size == 8 << 20
