"""The doorbell, with a real Redis."""

import json
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from rq import Queue
from rq.serializers import JSONSerializer

from storage.doorbell import QUEUE_NAME, RUN_JOB, SHORT_QUEUE_NAME, Doorbell
from tests.support.redis import OwnRedis


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[OwnRedis]:
    redis = OwnRedis(tmp_path / "odd name?#%")
    redis.start()
    yield redis
    redis.kill()


def test_a_message_carries_the_id_alone_and_no_pickle(redis: OwnRedis) -> None:
    doorbell = redis.doorbell

    assert doorbell.ring("job_a", 90.4)

    message = Queue(QUEUE_NAME, connection=doorbell.redis, serializer=JSONSerializer).fetch_job("job_a")
    assert message is not None
    assert (message.func_name, message.args, message.timeout) == (RUN_JOB, ["job_a"], 90)
    data = doorbell.redis.hget("rq:job:job_a", "data")
    assert isinstance(data, bytes)
    assert json.loads(zlib.decompress(data)) == [RUN_JOB, None, ["job_a"], {}]


def test_only_jobs_without_a_ringing_bell_are_unheard(redis: OwnRedis) -> None:
    doorbell = redis.doorbell
    doorbell.ring("job_a", 60)

    assert doorbell.unheard({"job_a": False, "job_b": False}) == ["job_b"]

    doorbell.redis.flushall()
    assert doorbell.unheard({"job_a": False, "job_b": False}) == ["job_a", "job_b"]


def test_a_short_job_rings_twice_and_is_unheard_when_either_message_is_lost(redis: OwnRedis) -> None:
    doorbell = redis.doorbell
    doorbell.ring("job_a", 60, is_short=True)
    doorbell.ring("job_b", 60)
    queues = [
        Queue(name, connection=doorbell.redis, serializer=JSONSerializer) for name in (QUEUE_NAME, SHORT_QUEUE_NAME)
    ]

    assert [queue.get_job_ids() for queue in queues] == [["job_a", "job_b"], ["job_a"]]
    assert doorbell.unheard({"job_a": True, "job_b": False}) == []
    for queue in queues:
        doorbell.ring("job_a", 60, is_short=True)
        doorbell.redis.delete(queue.key)
        assert "job_a" in doorbell.unheard({"job_a": True})


def test_ringing_without_redis_is_no_error_and_quick(redis: OwnRedis) -> None:
    doorbell = Doorbell(redis.url)
    assert doorbell.is_heard()
    redis.kill()

    assert not doorbell.ring("job_a", 60)
    assert doorbell.unheard({"job_a": False}) == []
    assert not doorbell.is_heard()
