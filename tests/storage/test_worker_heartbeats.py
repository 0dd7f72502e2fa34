"""Worker heartbeats: who lives and what was cleared away, over a real Redis."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.job_notifications import JobNotifier
from storage.worker_heartbeats import WorkerHeartbeats
from tests.support.redis import OwnRedis


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[OwnRedis]:
    own = OwnRedis(tmp_path / "redis")
    own.start()
    yield own
    own.kill()


def test_workers_are_counted_until_they_fall_silent(redis: OwnRedis) -> None:
    now = 1000.0
    heartbeats = WorkerHeartbeats(redis.notifier.redis, lambda: now)
    heartbeats.record("one")
    heartbeats.record("two")
    heartbeats.record("two")
    assert heartbeats.n_workers() == 2

    heartbeats.remove("one")
    assert heartbeats.n_workers() == 1

    now = 1016.0
    assert heartbeats.n_workers() == 0


def test_workers_of_a_host_are_counted_by_its_whole_name(redis: OwnRedis) -> None:
    heartbeats = WorkerHeartbeats(redis.notifier.redis)
    for worker in ("blue.example.7", "blue.example.8", "blue.9", "green.7"):
        heartbeats.record(worker)

    assert heartbeats.n_workers_of("blue.example") == 2
    assert heartbeats.n_workers_of("blue") == 1
    assert heartbeats.n_workers_of("example") == 0


def test_the_rules_of_workers_are_known(redis: OwnRedis) -> None:
    heartbeats = WorkerHeartbeats(redis.notifier.redis)
    assert heartbeats.rules() is None
    heartbeats.record_rules({"job_days": 90, "artefact_days": None})
    assert heartbeats.rules() == {"job_days": 90, "artefact_days": None}


def test_what_was_removed_adds_up(redis: OwnRedis) -> None:
    heartbeats = WorkerHeartbeats(redis.notifier.redis)
    heartbeats.add_removed({"jobs": 3, "artefacts": 1})
    heartbeats.add_removed({"jobs": 2})

    assert heartbeats.n_removed() == {"jobs": 5, "artefacts": 1}


def test_without_redis_nothing_is_known_and_nothing_fails() -> None:
    heartbeats = WorkerHeartbeats(JobNotifier("redis://127.0.0.1:1/0").redis)
    heartbeats.record("one")
    heartbeats.add_removed({"jobs": 1})

    assert heartbeats.n_workers() is None
    assert heartbeats.n_workers_of("here") is None
    assert heartbeats.n_removed() == {}
    heartbeats.record_rules({})
    assert heartbeats.rules() is None


def test_a_dead_worker_is_not_counted_after_the_clock_was_set_back(redis: OwnRedis) -> None:
    now = [10_000.0]
    heartbeats = WorkerHeartbeats(redis.notifier.redis, lambda: now[0])
    heartbeats.record("dead")
    now[0] -= 3600
    heartbeats.record("alive")

    assert heartbeats.n_workers() == 1
