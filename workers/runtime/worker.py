"""The worker: an RQ worker that takes the id of a job from a queue and runs that job.

RQ keeps no records of jobs here: a message is deleted as soon as it is taken, since the job's row has all the rest.
"""

import logging
import signal
from collections.abc import Mapping
from contextlib import suppress
from types import FrameType

from redis import Redis
from redis.exceptions import RedisError
from rq import Queue, Worker
from rq.exceptions import DeserializationError, StopRequested
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.utils import now

from storage.job_notifications import QUEUE_NAME, SHORT_QUEUE_NAME, JobNotifier

from .job_runner import JobRunner, RunClaim

_WORKER_TTL_SECONDS = 30
_MAINTENANCE_SECONDS = 30
_SECONDS_TO_STOP = 6
_log = logging.getLogger(__name__)


class JobWorker(Worker):  # type: ignore[misc]  # RQ ships no types
    """Reads one queue and does one job at a time.

    Parameters
    ----------
    redis
        A patient client: reading the queue blocks, and Redis may be away for a while.
    functions
        The only functions that messages may name: otherwise anybody who can write to Redis could run any function.
    queue_name
        The queue to read: that of all jobs, or that of the short ones.
    """

    max_connection_wait_time = 2.0

    def __init__(
        self,
        redis: Redis,
        notifier: JobNotifier,
        runner: JobRunner,
        functions: Mapping[str, RunClaim],
        queue_name: str = QUEUE_NAME,
    ) -> None:
        # One queue only: of several, RQ takes messages in a way that loses them in a crash.
        super().__init__(
            [Queue(queue_name, connection=redis, serializer=JSONSerializer)],
            connection=redis,
            serializer=JSONSerializer,
            worker_ttl=_WORKER_TTL_SECONDS,
            job_monitoring_interval=1,
            maintenance_interval=_MAINTENANCE_SECONDS,
            log_job_description=False,
        )
        self._notifier = notifier
        self._runner = runner
        self._functions = functions
        self._may_be_interrupted = True

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Run the job that one message names."""
        self._may_be_interrupted = False
        try:
            run_claim = self._requested_function(job)
            self._delete_message(job, queue)
            if run_claim is not None:
                self._runner.run(job.id, run_claim, lambda: self._stop_requested)
        finally:
            self._may_be_interrupted = True
        if self._stop_requested:
            raise StopRequested

    def request_stop(self, signum: int, frame: FrameType | None) -> None:  # a signal handler
        """Stop soon, handing the running job back; the kernel ends us if Redis or the database holds us up."""
        self._stop_requested = True
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(_SECONDS_TO_STOP)
        if self._may_be_interrupted:
            raise StopRequested

    def subscribe(self) -> None:
        """Listen to no commands: cancelling goes through rows, and write access to Redis gives no power."""

    def run_maintenance_tasks(self) -> None:
        """Leave RQ's registries alone: they are empty, and rows record which jobs still wait."""
        self.last_cleaned_at = now()

    def teardown(self) -> None:
        """Unregister from Redis, if it can be reached."""
        self.connection = self._notifier.redis
        with suppress(RedisError, OSError):
            super().teardown()

    def _requested_function(self, job: Job) -> RunClaim | None:
        try:
            function = self._functions.get(job.func_name)
        except DeserializationError:
            function = None
        if function is None:
            _log.error("message %s names a function that workers do not offer; it is dropped", job.id)
        return function

    def _delete_message(self, job: Job, queue: Queue) -> None:
        with suppress(RedisError, OSError), self._notifier.redis.pipeline() as pipeline:
            # All else in the intermediate list was left by a crash, or is about to be claimed: it is not needed.
            pipeline.delete(job.key, queue.intermediate_queue_key)
            # A short job has a message in the other queue, too.
            for name in {QUEUE_NAME, SHORT_QUEUE_NAME} - {queue.name}:
                other = Queue(name, connection=self.connection)
                pipeline.lrem(other.key, 1, job.id)
                # One of them may just have taken it, and drops it when it finds the message gone.
                pipeline.lrem(other.intermediate_queue_key, 1, job.id)
            pipeline.execute()
