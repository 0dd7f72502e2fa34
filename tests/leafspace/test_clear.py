"""Clearing away by hand: what an operator does whose disk is full, whether or not anything runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from storage.database import Database
from storage.database_file import keep_reserve
from storage.jobs import JobStore
from storage.leaf_tables import LeafTableKey, LeafTableObjects, LeafTableStore
from storage.local_objects import LocalObjects
from storage.settings import embedded
from storage.tables import jobs
from storage.worker_heartbeats import WorkerHeartbeats
from tests.support.command_line import Ended, run_leafspace
from tests.support.databases import put_tables
from tests.support.redis import OwnRedis
from tests.support.small_disks import SmallDisk, small_disk
from tests.support.stored import Shelf

__all__ = ["small_disk"]


class _House:
    """A data directory with an old job and a leaf table, without a service on it."""

    def __init__(self, directory: Path, n_bytes: int) -> None:
        directory.mkdir()
        self.directory = directory
        settings = embedded(directory)
        put_tables(directory / "leafspace.db")
        self.database = Database(settings.database_url)
        Shelf(self.database)
        with self.database.transaction() as connection:
            old = JobStore(self.database).add(connection, "prototype_sets", "prs_gone", {}, 60)
            connection.execute(update(jobs).where(jobs.c.id == old).values(status="failed", finished_at=0.0))
        self.objects = LocalObjects(settings.objects_dir)
        table = LeafTableObjects(self.objects.put(bytes(n_bytes)), self.objects.put(b"outcome"))
        LeafTableStore(self.database).add(LeafTableKey("mdl_1", "ds_1", 1), table, n_bytes)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[_House]:
    built = _House(tmp_path / "data with a blank", 1000)
    yield built
    built.database.close()


def _clear(data_dir: Path, **environment: str) -> Ended:
    return run_leafspace("clear", "--data-dir", data_dir, **environment)


def test_what_is_old_goes_without_redis_and_by_the_same_settings_as_a_workers(house: _House) -> None:
    assert _clear(house.directory).stdout == "cleared away: 1 jobs\n"
    assert _clear(house.directory).stdout == "cleared away: nothing, as nothing was old enough\n"

    cleared = _clear(house.directory, LEAFSPACE_KEEP_LEAF_TABLE_BYTES="0")

    assert cleared.stdout == "cleared away: 1 leaf tables\n"
    assert list(house.objects.files()) == []


def test_redis_is_reported_where_there_is_one(house: _House, tmp_path: Path) -> None:
    redis = OwnRedis(tmp_path / "redis")
    redis.start()

    assert _clear(house.directory, LEAFSPACE_REDIS_URL=redis.url).returncode == 0

    assert WorkerHeartbeats(redis.notifier.redis).n_removed() == {"jobs": 1}
    redis.kill()


def test_a_full_disk_has_room_again(small_disk: SmallDisk) -> None:
    house = _House(small_disk.directory / "data", 8 << 20)
    keep_reserve(house.directory)  # as a service does when it starts
    small_disk.fill()

    cleared = _clear(house.directory, LEAFSPACE_KEEP_LEAF_TABLE_BYTES="0")

    assert cleared.stdout == "cleared away: 1 jobs, 1 leaf tables\n", cleared.stderr
    assert list(house.objects.files()) == []
    assert (house.directory / "reserve").stat().st_size == 8 << 20
    house.database.close()


def test_a_directory_without_a_database_and_a_setting_that_is_none_are_reported(house: _House, tmp_path: Path) -> None:
    elsewhere = _clear(tmp_path / "elsewhere")
    assert (elsewhere.returncode, "has no database" in elsewhere.stderr) == (1, True)
    assert not (tmp_path / "elsewhere").exists()

    refused = _clear(house.directory, LEAFSPACE_KEEP_JOB_DAYS="a while")
    assert (refused.returncode, "LEAFSPACE_KEEP_JOB_DAYS" in refused.stderr) == (1, True)
