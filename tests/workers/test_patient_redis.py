"""A worker's client of Redis, with a real Redis that is stopped: it waits, and says so in one line."""

import logging
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from tests.support.patience import PATIENCE_SECONDS
from tests.support.redis import OwnRedis
from workers.runtime.patient_redis import patient_redis


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
    assert lines[0].endswith("; this worker tries again every 2 s and takes jobs when it is back")
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
