"""The job queue as the API sees it, with a real Redis."""

from pathlib import Path

from service.job_queue import JobQueue
from tests.support.redis import OwnRedis


def test_availability_is_checked_once_a_second(tmp_path: Path) -> None:
    redis = OwnRedis(tmp_path)
    redis.start()
    seconds = [100.0]
    queue = JobQueue(redis.url, clock=lambda: seconds[0])
    assert queue.is_available()
    assert queue.ring("job_a", 60)
    redis.kill()

    seconds[0] += 0.9
    assert queue.is_available()
    seconds[0] += 0.2
    assert not queue.is_available()
    assert not queue.ring("job_a", 60)
