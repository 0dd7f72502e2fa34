"""Worker notes: who lives and what was cleared away, over a real Redis."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.doorbell import Doorbell
from storage.worker_notes import WorkerNotes
from tests.support.redis import OwnRedis


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[OwnRedis]:
    own = OwnRedis(tmp_path / "redis")
    own.start()
    yield own
    own.kill()


def test_workers_are_counted_until_they_fall_silent(redis: OwnRedis) -> None:
    now = 1000.0
    notes = WorkerNotes(redis.doorbell.redis, lambda: now)
    notes.sign_of_life("one")
    notes.sign_of_life("two")
    notes.sign_of_life("two")
    assert notes.n_workers() == 2

    notes.farewell("one")
    assert notes.n_workers() == 1

    now = 1016.0
    assert notes.n_workers() == 0


def test_workers_of_a_host_are_counted_by_its_whole_name(redis: OwnRedis) -> None:
    notes = WorkerNotes(redis.doorbell.redis)
    for worker in ("blue.example.7", "blue.example.8", "blue.9", "green.7"):
        notes.sign_of_life(worker)

    assert notes.n_workers_of("blue.example") == 2
    assert notes.n_workers_of("blue") == 1
    assert notes.n_workers_of("example") == 0


def test_what_was_removed_adds_up(redis: OwnRedis) -> None:
    notes = WorkerNotes(redis.doorbell.redis)
    notes.removed({"jobs": 3, "artefacts": 1})
    notes.removed({"jobs": 2})

    assert notes.n_removed() == {"jobs": 5, "artefacts": 1}


def test_without_redis_nothing_is_known_and_nothing_fails() -> None:
    notes = WorkerNotes(Doorbell("redis://127.0.0.1:1/0").redis)
    notes.sign_of_life("one")
    notes.removed({"jobs": 1})

    assert notes.n_workers() is None
    assert notes.n_workers_of("here") is None
    assert notes.n_removed() == {}


def test_a_dead_worker_is_not_counted_after_the_clock_was_set_back(redis: OwnRedis) -> None:
    now = [10_000.0]
    notes = WorkerNotes(redis.doorbell.redis, lambda: now[0])
    notes.sign_of_life("dead")
    now[0] -= 3600
    notes.sign_of_life("alive")

    assert notes.n_workers() == 1
