"""JobNotifier: Redis queues over which workers learn that a job waits.

Messages carry a job's id alone, and may be lost at any time: rows of jobs are the truth, and maintenance sends
again what was lost.
"""

import logging
from collections.abc import Mapping

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from rq import Queue
from rq.serializers import JSONSerializer

QUEUE_NAME = "leafspace"  # every job that waits
SHORT_QUEUE_NAME = "leafspace-short"  # the short ones again, for workers that take no others
RUN_JOB = "workers.runtime.lifecycle.run_job"  # the function that a message names; workers run no other
_FAILURE_TTL_SECONDS = 60
_TIMEOUT_SECONDS = 1

_log = logging.getLogger(__name__)


class JobNotifier:
    """Notifies workers of jobs, without ever keeping the caller waiting for Redis.

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
        self._queue, self._short_queue = (
            Queue(name, connection=self.redis, serializer=JSONSerializer) for name in (QUEUE_NAME, SHORT_QUEUE_NAME)
        )

    def notify(self, job_id: str, deadline_seconds: float, *, is_short: bool = False) -> bool:
        """Notify workers that a job waits, after its row is committed; return whether Redis took the message.

        A short job is put into both queues: the first worker that is free takes it, and the others find it taken.
        """
        try:
            for queue in (self._queue, self._short_queue) if is_short else (self._queue,):
                queue.enqueue_call(
                    RUN_JOB,
                    args=(job_id,),
                    job_id=job_id,
                    timeout=max(1, round(deadline_seconds)),
                    result_ttl=0,
                    failure_ttl=_FAILURE_TTL_SECONDS,
                    description=RUN_JOB,
                )
        except (RedisError, OSError) as error:
            _log.warning("could not notify workers of job %s: %s", job_id, error)
            return False
        return True

    def lost(self, are_short: Mapping[str, bool]) -> list[str]:
        """Return those of the jobs with a message missing from a queue; none of them while Redis is away.

        Parameters
        ----------
        are_short
            Which of the jobs are short, by their ids.
        """
        try:
            queued, queued_as_short = set(self._queue.get_job_ids()), set(self._short_queue.get_job_ids())
        except (RedisError, OSError):
            return []
        notified = {True: queued & queued_as_short, False: queued}
        return [job_id for job_id, is_short in are_short.items() if job_id not in notified[is_short]]

    def is_available(self) -> bool:
        """Return whether Redis answers now."""
        try:
            return bool(self.redis.ping())
        except (RedisError, OSError):
            return False
