"""The doorbell: Redis, over which workers learn that a job waits; it carries ids alone and may lose them."""

import logging
from collections.abc import Iterable

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from rq import Queue
from rq.serializers import JSONSerializer

QUEUE_NAME = "leafspace"
RUN_JOB = "workers.lifecycle.run_job"  # what a message asks for; workers answer to no other name
_FAILURE_TTL_SECONDS = 60
_TIMEOUT_SECONDS = 1

_log = logging.getLogger(__name__)


class Doorbell:
    """Rings for workers, without ever keeping the caller waiting for Redis.

    Parameters
    ----------
    redis_url
        ``redis://``, ``rediss://`` or ``unix://``; odd characters in a socket's path are percent-encoded.
    """

    def __init__(self, redis_url: str) -> None:
        self.redis = Redis.from_url(
            redis_url,
            socket_timeout=_TIMEOUT_SECONDS,
            socket_connect_timeout=_TIMEOUT_SECONDS,
            retry=Retry(NoBackoff(), 0),
        )
        self._queue = Queue(QUEUE_NAME, connection=self.redis, serializer=JSONSerializer)

    def ring(self, job_id: str, deadline_seconds: float) -> bool:
        """Tell workers that a job waits; return whether Redis took it. If not, workers ring again by themselves."""
        try:
            self._queue.enqueue_call(
                RUN_JOB,
                args=(job_id,),
                job_id=job_id,
                timeout=max(1, round(deadline_seconds)),
                result_ttl=0,
                failure_ttl=_FAILURE_TTL_SECONDS,
                description=RUN_JOB,
            )
        except (RedisError, OSError) as error:
            _log.warning("could not ring for job %s: %s", job_id, error)
            return False
        return True

    def unheard(self, job_ids: Iterable[str]) -> list[str]:
        """Return those of the jobs for which no bell is ringing; none of them while Redis is away."""
        try:
            ringing = set(self._queue.get_job_ids())
        except (RedisError, OSError):
            return []
        return [job_id for job_id in job_ids if job_id not in ringing]

    def is_heard(self) -> bool:
        """Whether Redis answers now."""
        try:
            return bool(self.redis.ping())
        except (RedisError, OSError):
            return False
