"""However many callers check the health, it is looked at once a second, and sooner where something is away."""

import asyncio
import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from service.background.health_watch import Availability, Health, HealthWatch
from storage.database import Database
from storage.job_notifications import JobNotifier
from tests.support.databases import empty_database, silent_server
from tests.support.patience import when_idle
from tests.support.redis import OwnRedis

_WELL = Health(None)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with empty_database(tmp_path) as made:
        yield made


def test_many_who_call_at_once_share_one_look(database: Database) -> None:
    looks: list[float] = []

    def answers() -> bool:
        looks.append(time.monotonic())
        time.sleep(0.3)
        return False

    watch = HealthWatch(database, {"redis": answers})

    async def check_often() -> list[Health]:
        return await asyncio.gather(*(watch.health() for _ in range(200)))

    with ThreadPoolExecutor(20) as threads:
        waiting = [threads.submit(watch.wait_for_health) for _ in range(20)]
        found = asyncio.run(check_often()) + [each.result() for each in waiting]
    watch.close()

    assert set(found) == {Health(None, ("redis",))}
    assert len(looks) == 1


def test_what_was_found_is_looked_at_again_after_a_second(database: Database, tmp_path: Path) -> None:
    seconds = [0.0]
    watch = HealthWatch(database, {}, lambda: seconds[0])
    assert watch.wait_for_health() == _WELL
    file = tmp_path / "rows.db"
    elsewhere = file.rename(f"{file}.moved")

    assert watch.wait_for_health() == _WELL
    seconds[0] = 1.0
    assert "has not been moved" in str(watch.wait_for_health().database_fault)
    elsewhere.rename(file)
    seconds[0] = 2.0
    assert watch.wait_for_health() == _WELL
    watch.close()


def test_all_callers_who_check_a_locked_database_wait_for_one_look(database: Database, tmp_path: Path) -> None:
    watch = HealthWatch(database, {})
    began = time.monotonic()
    with closing(sqlite3.connect(tmp_path / "rows.db", isolation_level=None)) as locking:
        locking.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor(40) as threads:
            found = list(threads.map(lambda _: watch.wait_for_health(), range(120)))
    watch.close()

    assert all(health.database_fault for health in found)
    assert time.monotonic() - began < when_idle(4)


def test_a_silent_database_is_away_after_three_seconds() -> None:
    with silent_server() as url:
        watch = HealthWatch(Database(url), {})
        began = time.monotonic()

        found = asyncio.run(watch.health())

        assert "does not answer" in str(found.database_fault) or "did not answer" in str(found.database_fault)
        assert time.monotonic() - began < when_idle(4.5)
        watch.close()


def test_the_availability_of_redis_is_checked_once_a_second(tmp_path: Path) -> None:
    redis = OwnRedis(tmp_path)
    redis.start()
    seconds = [100.0]
    notifier = JobNotifier(redis.url)
    is_available = Availability(notifier.is_available, 1.0, clock=lambda: seconds[0])
    assert is_available()
    assert notifier.notify("job_a", 60)
    redis.kill()

    seconds[0] += 0.9
    assert is_available()
    seconds[0] += 0.2
    assert not is_available()
    assert not notifier.notify("job_a", 60)


def test_what_is_away_is_looked_at_again_after_a_tenth_of_a_second() -> None:
    seconds, answers = [100.0], [False]
    is_available = Availability(lambda: answers[0], 1.0, clock=lambda: seconds[0])
    assert not is_available()
    answers[0] = True

    seconds[0] += 0.09
    assert not is_available()
    seconds[0] += 0.02
    assert is_available()


def test_a_check_that_fails_slowly_is_repeated_no_sooner_than_after_as_long() -> None:
    seconds, looks = [100.0], []

    def time_out() -> bool:
        looks.append(seconds[0])
        seconds[0] += 0.7
        return False

    is_available = Availability(time_out, 1.0, clock=lambda: seconds[0])
    assert not is_available()
    for _ in range(2):
        seconds[0] += 0.34
        assert not is_available()
    seconds[0] += 0.04
    assert not is_available()

    assert looks == pytest.approx([100.0, 101.42])


def test_the_return_of_redis_is_seen_by_the_next_callers(database: Database) -> None:
    seconds, answers = [0.0], [False]
    redis_available = Availability(lambda: answers[0], 1.0, clock=lambda: seconds[0])
    watch = HealthWatch(database, {"redis": redis_available}, lambda: seconds[0])
    assert watch.wait_for_health() == Health(None, ("redis",))
    answers[0] = True

    seconds[0] += 0.11
    assert watch.wait_for_health() == _WELL
    watch.close()
