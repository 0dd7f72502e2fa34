"""The job queue: rings for workers and knows whether anybody could hear it. Rows of jobs are the truth, not this."""

import time
from collections.abc import Callable

from storage.doorbell import Doorbell
from storage.job_counts import is_short
from storage.worker_notes import WorkerNotes

from .health_watch import Availability

_FRESH_SECONDS = 1.0


class JobQueue:
    """Tells workers about jobs; losing a message delays a job, it never loses one."""

    def __init__(self, redis_url: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._doorbell = Doorbell(redis_url)
        self.notes = WorkerNotes(self._doorbell.redis)
        self.is_available = Availability(self._doorbell.is_heard, _FRESH_SECONDS, clock)

    def ring(self, job_id: str, deadline_seconds: float, estimated_seconds: float | None = None) -> bool:
        """Tell workers that the job waits, after its row is committed; return whether Redis took the message."""
        return self._doorbell.ring(job_id, deadline_seconds, is_short=is_short(estimated_seconds))
