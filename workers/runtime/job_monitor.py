"""Watching a job from outside its process, which native code may hold up for as long as it likes."""

import logging
import time
from collections.abc import Callable
from enum import Enum, auto

from storage.attempts import AttemptStore, Claim, Standing
from storage.errors import StorageError

from .processor_time import ProcessorTime
from .settings import WorkerSettings

_SECONDS_BETWEEN_POLLS = 0.02
_log = logging.getLogger(__name__)


class Outcome(Enum):
    """Why watching ended; all but the first ask for the job's process to be killed."""

    ENDED = auto()  # the process ended by itself
    CANCELLED = auto()
    FENCED = auto()  # the row has ended or belongs to another attempt
    OVERDUE = auto()
    STOPPED = auto()  # the worker itself is to stop


# An attempt that has ended its job is left alone: its process exits by itself.
_OUTCOMES = {Standing.CANCELLING: Outcome.CANCELLED, Standing.FENCED: Outcome.FENCED}


class Watch:
    """Keeps one claim alive and notices when its job must not go on."""

    def __init__(
        self, attempts: AttemptStore, claim: Claim, settings: WorkerSettings, processor_time: ProcessorTime
    ) -> None:
        self._attempts = attempts
        self._claim = claim
        self._settings = settings
        self._processor_time = processor_time
        now = time.monotonic()
        self._deadline = now + claim.deadline_seconds
        self._renew_at = now + settings.renew_seconds
        self._look_at = now + settings.look_seconds

    def until_over(self, has_ended: Callable[[], bool], is_stopping: Callable[[], bool]) -> Outcome:
        """Return when the process ended or has to be ended, and why."""
        while True:
            outcome = self._outcome(has_ended, is_stopping)
            if outcome is not None:
                return outcome
            time.sleep(_SECONDS_BETWEEN_POLLS)

    def _outcome(self, has_ended: Callable[[], bool], is_stopping: Callable[[], bool]) -> Outcome | None:
        if has_ended():
            return Outcome.ENDED
        if is_stopping():
            return Outcome.STOPPED
        if time.monotonic() >= self._deadline:
            return Outcome.OVERDUE
        return _OUTCOMES.get(self._standing())

    def _standing(self) -> Standing:
        now = time.monotonic()
        self._processor_time.look()
        try:
            if now >= self._renew_at:
                self._renew_at = now + self._settings.renew_seconds
                waits_for = self._processor_time.told()
                return self._attempts.renew(self._claim, self._settings.lease_seconds, waits_for)
            if now >= self._look_at:
                self._look_at = now + self._settings.look_seconds
                return self._attempts.look(self._claim)
        except StorageError as error:
            # The job may go on: when the database is back, its token tells whether it still counts.
            _log.warning("job %s: cannot look after it: %s", self._claim.job, error)
        return Standing.RUNNING
