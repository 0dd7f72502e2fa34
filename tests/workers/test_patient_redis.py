"""A worker's client of Redis, with a real Redis that is stopped: it waits, and says so in one line."""

import logging
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from redis import Redis

from tests.support.patience import PATIENCE_SECONDS
from tests.support.redis import OwnRedis
from workers.runtime.patient_redis import patient_redis

_MANY_TRIALS = 2_000  # 2 to this power is no number in floating point


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[OwnRedis]:
    own = OwnRedis(tmp_path)
    own.start()
    yield own
    own.kill()


def test_an_absence_is_one_line_and_its_end_another(redis: OwnRedis, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    client = patient_redis(redis.url, seconds_to_say=0.3)
    assert client.ping()
    redis.kill()

    answers: list[object] = []
    waiting = Thread(target=lambda: answers.append(client.blpop(["queue"], timeout=1)))
    waiting.start()
    time.sleep(3)
    lines = [record.getMessage() for record in caplog.records]
    redis.start()
    waiting.join(PATIENCE_SECONDS)

    assert answers == [None]
    assert [line.partition(" for ")[0] for line in lines] == ["Redis has been away"]
    assert lines[0].endswith("; this worker waits for it and takes jobs when it is back")
    (_, back) = [record.getMessage() for record in caplog.records]
    assert back.startswith("Redis is back after ")
    assert not [record for record in caplog.records if record.exc_info]


def test_a_short_absence_is_not_worth_a_line(redis: OwnRedis, caplog: pytest.LogCaptureFixture) -> None:
    client = patient_redis(redis.url)
    assert client.ping()
    redis.kill()
    redis.start()

    assert client.ping()
    assert caplog.records == []


def test_thousands_of_trials_are_no_reason_to_give_up(redis: OwnRedis) -> None:
    client = patient_redis(redis.url, pause_seconds=0)
    assert client.ping()
    n_trials = 0

    def count(error: Exception) -> None:
        nonlocal n_trials
        n_trials += 1
        if n_trials == _MANY_TRIALS:
            redis.start()

    redis.kill()
    retry = client.get_retry()
    assert retry is not None

    assert retry.call_with_retry(lambda: Redis.from_url(redis.url).ping(), count)
    assert n_trials >= _MANY_TRIALS
