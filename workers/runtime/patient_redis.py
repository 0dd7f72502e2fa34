"""A Redis client that waits for as long as Redis is away, and says so in one line."""

import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar

from redis import Redis
from redis.backoff import ConstantBackoff
from redis.retry import Retry

_PAUSE_SECONDS = 0.2  # about as long as a Redis that was killed is away
_SECONDS_TO_SAY = 30  # a Redis that is started again is back before that
_log = logging.getLogger(__name__)

T = TypeVar("T")


def patient_redis(url: str, seconds_to_say: float = _SECONDS_TO_SAY, pause_seconds: float = _PAUSE_SECONDS) -> Redis:
    """Return a client whose calls return when Redis answers, however long that takes.

    A signal that raises an exception ends the wait.

    Parameters
    ----------
    url
        Of Redis.
    seconds_to_say
        How long it is away before the log says so.
    pause_seconds
        Between two trials.
    """
    retry = _PatientRetry(seconds_to_say, pause_seconds)
    return Redis.from_url(url, socket_connect_timeout=2, health_check_interval=15, retry=retry)


class _PatientRetry(Retry):
    """Tries again for as long as it takes."""

    __hash__ = Retry.__hash__

    def __init__(self, seconds_to_say: float, pause_seconds: float) -> None:
        # Pauses that double would, after a thousand trials, be numbers that are too large.
        super().__init__(ConstantBackoff(pause_seconds), retries=-1)
        self._seconds_to_say = seconds_to_say

    def call_with_retry(
        self,
        do: Callable[[], T],
        fail: Callable[..., Any],
        is_retryable: Callable[[Exception], bool] | None = None,
        with_failure_count: bool = False,  # noqa: FBT002  # redis-py passes it by position
    ) -> T:
        """Return what ``do`` returns at last."""
        absence = _Absence(self._seconds_to_say)

        def noted(error: Exception, *n_failures: int) -> None:
            fail(error, *n_failures)
            absence.note(error)

        result = super().call_with_retry(do, noted, is_retryable, with_failure_count)
        absence.end()
        return result


class _Absence:
    """The time for which Redis does not answer a call."""

    def __init__(self, seconds_to_say: float) -> None:
        self._seconds_to_say = seconds_to_say
        self._since: float | None = None
        self._is_said = False

    def note(self, error: Exception) -> None:
        """Note a failure; say so once, after a while."""
        now = time.monotonic()
        self._since = now if self._since is None else self._since
        if self._is_said or now - self._since < self._seconds_to_say:
            return
        self._is_said = True
        _log.warning(
            "Redis has been away for %.0f s (%s); this worker waits for it and takes jobs when it is back",
            now - self._since,
            error,
        )

    def end(self) -> None:
        """Say that it answers, where it was said that it does not."""
        if self._is_said and self._since is not None:
            _log.warning("Redis is back after %.0f s; this worker takes jobs again", time.monotonic() - self._since)
