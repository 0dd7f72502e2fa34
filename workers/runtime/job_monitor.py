"""JobMonitor: follows a job from outside its process, since native code may hold up the process for any time."""

import logging
import os
import time
from collections.abc import Callable
from enum import Enum, auto
from pathlib import Path

from storage.attempts import AttemptState, AttemptStore, Claim
from storage.errors import StorageError

from .settings import WorkerSettings

_SECONDS_BETWEEN_POLLS = 0.02
_SECONDS_BETWEEN_SAMPLES = 0.25
_MIN_SAMPLES = 8
_MOST_OF_ITS_TIME = 0.8
_LITTLE = 0.5  # of one processor
_log = logging.getLogger(__name__)


class EndReason(Enum):
    """Why monitoring ended; for all but the first, the job's process has to be killed."""

    ENDED = auto()  # the process ended by itself
    CANCELLED = auto()
    FENCED = auto()  # the row has ended or belongs to another attempt
    OVERDUE = auto()
    STOPPED = auto()  # the worker itself is to stop


# An attempt that has ended its job is left alone: its process exits by itself.
_END_REASONS = {AttemptState.CANCELLING: EndReason.CANCELLED, AttemptState.FENCED: EndReason.FENCED}


class JobMonitor:
    """Renews the lease of one claim, and notices when its job must not go on."""

    def __init__(
        self, attempts: AttemptStore, claim: Claim, settings: WorkerSettings, processor_time: "ProcessorTime"
    ) -> None:
        self._attempts = attempts
        self._claim = claim
        self._settings = settings
        self._processor_time = processor_time
        now = time.monotonic()
        self._deadline = now + claim.deadline_seconds
        self._renew_at = now + settings.renew_seconds
        self._next_check_at = now + settings.look_seconds

    def wait(self, has_ended: Callable[[], bool], is_stopping: Callable[[], bool]) -> EndReason:
        """Wait until the process has ended or has to be killed; return why."""
        while True:
            reason = self._end_reason(has_ended, is_stopping)
            if reason is not None:
                return reason
            time.sleep(_SECONDS_BETWEEN_POLLS)

    def _end_reason(self, has_ended: Callable[[], bool], is_stopping: Callable[[], bool]) -> EndReason | None:
        if has_ended():
            return EndReason.ENDED
        if is_stopping():
            return EndReason.STOPPED
        if time.monotonic() >= self._deadline:
            return EndReason.OVERDUE
        return _END_REASONS.get(self._state())

    def _state(self) -> AttemptState:
        """Renew the lease or read the row, whichever is due; between those, assume that the job may go on."""
        now = time.monotonic()
        self._processor_time.sample()
        try:
            if now >= self._renew_at:
                self._renew_at = now + self._settings.renew_seconds
                message = self._processor_time.describe()
                return self._attempts.renew(self._claim, self._settings.lease_seconds, message)
            if now >= self._next_check_at:
                self._next_check_at = now + self._settings.look_seconds
                return self._attempts.state_of(self._claim)
        except StorageError as error:
            # The job may go on: when the database is back, its token shows whether it still counts.
            _log.warning("job %s: cannot monitor it: %s", self._claim.job, error)
        return AttemptState.RUNNING


class ProcessorTime:
    """Finds out from outside whether a process waits for processor time: it cannot report that itself while it waits.

    A process that nearly always wants to run, and gets little of one processor, waits for others. Known on Linux only.
    """

    def __init__(self, pid: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._process = Path(f"/proc/{pid}")
        self._clock = clock
        self._next_sample_at = clock()
        self._begin()

    def sample(self) -> None:
        """Take a sample, if it is time for one."""
        if self._clock() < self._next_sample_at:
            return
        self._next_sample_at = self._clock() + _SECONDS_BETWEEN_SAMPLES
        self._n_samples += 1
        self._n_runnable += self._wants_to_run()

    def describe(self) -> str:
        """Return a message about the time since the last call; an empty one when all is well."""
        seconds = self._clock() - self._began_at
        share = (processor_seconds(self._process) - self._used_before) / seconds if seconds > 0 else 1.0
        wants_to_run = self._n_samples >= _MIN_SAMPLES and self._n_runnable >= _MOST_OF_ITS_TIME * self._n_samples
        self._begin()
        if not wants_to_run or share >= _LITTLE:
            return ""
        return f"waits for processor time: the machine is busy, and the job gets {max(0.0, share):.0%} of one processor"

    def _begin(self) -> None:
        self._began_at = self._clock()
        self._used_before = processor_seconds(self._process)
        self._n_samples = self._n_runnable = 0

    def _wants_to_run(self) -> bool:
        """Whether any of its threads runs, or could run if it had a processor."""
        try:
            return any(_stat_fields(task)[0] == "R" for task in (self._process / "task").iterdir())
        except (FileNotFoundError, ProcessLookupError):
            return False  # a thread, or all of them, ended meanwhile


def processor_seconds(process: Path) -> float:
    """Return the processor time that a process has used, in all threads, also in those that have ended.

    ``process`` is its folder in ``/proc``.
    """
    try:
        fields = _stat_fields(process)
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _stat_fields(thread: Path) -> list[str]:
    # After the name, which may hold blanks and brackets: the state comes first.
    return (thread / "stat").read_text().rpartition(")")[2].split()
