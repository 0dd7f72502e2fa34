"""The notifier, with a real Redis."""

import json
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from rq import Queue
from rq.serializers import JSONSerializer

from storage.job_notifications import QUEUE_NAME, RUN_JOB, SHORT_QUEUE_NAME, JobNotifier
from tests.support.redis import OwnRedis


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[OwnRedis]:
    redis = OwnRedis(tmp_path / "odd name?#%")
    redis.start()
    yield redis
    redis.kill()


def test_a_message_carries_the_id_alone_and_no_pickle(redis: OwnRedis) -> None:
    notifier = redis.notifier

    assert notifier.notify("job_a", 90.4)

    message = Queue(QUEUE_NAME, connection=notifier.redis, serializer=JSONSerializer).fetch_job("job_a")
    assert message is not None
    assert (message.func_name, message.args, message.timeout) == (RUN_JOB, ["job_a"], 90)
    data = notifier.redis.hget("rq:job:job_a", "data")
    assert isinstance(data, bytes)
    assert json.loads(zlib.decompress(data)) == [RUN_JOB, None, ["job_a"], {}]


def test_only_jobs_without_a_message_are_lost(redis: OwnRedis) -> None:
    notifier = redis.notifier
    notifier.notify("job_a", 60)

    assert notifier.lost({"job_a": False, "job_b": False}) == ["job_b"]

    notifier.redis.flushall()
    assert notifier.lost({"job_a": False, "job_b": False}) == ["job_a", "job_b"]


def test_a_short_job_has_two_messages_and_is_lost_when_either_is(redis: OwnRedis) -> None:
    notifier = redis.notifier
    notifier.notify("job_a", 60, is_short=True)
    notifier.notify("job_b", 60)
    queues = [
        Queue(name, connection=notifier.redis, serializer=JSONSerializer) for name in (QUEUE_NAME, SHORT_QUEUE_NAME)
    ]

    assert [queue.get_job_ids() for queue in queues] == [["job_a", "job_b"], ["job_a"]]
    assert notifier.lost({"job_a": True, "job_b": False}) == []
    for queue in queues:
        notifier.notify("job_a", 60, is_short=True)
        notifier.redis.delete(queue.key)
        assert "job_a" in notifier.lost({"job_a": True})


def test_notifying_without_redis_is_no_error_and_quick(redis: OwnRedis) -> None:
    notifier = JobNotifier(redis.url)
    assert notifier.is_available()
    redis.kill()

    assert not notifier.notify("job_a", 60)
    assert notifier.lost({"job_a": False}) == []
    assert not notifier.is_available()
