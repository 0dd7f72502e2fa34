"""How far a job is, written to its row now and then; writing is also how a job learns that it is to stop."""

import time
from collections.abc import Callable

from schemas.jobs import Progress
from storage.attempts import AttemptStore, Claim, Standing

_SECONDS_BETWEEN_WRITES = 0.5


class JobStopped(Exception):
    """The job was cancelled, or another attempt took its place: whatever it made is to be thrown away."""


class ProgressReporter:
    """Writes progress at most twice a second, and whenever a new stage begins."""

    def __init__(self, attempts: AttemptStore, claim: Claim, clock: Callable[[], float] = time.monotonic) -> None:
        self._attempts = attempts
        self._claim = claim
        self._clock = clock
        self._stage = ""
        self._written_at = 0.0

    def __call__(self, fraction: float, stage: str) -> None:
        """Take note that ``fraction`` (0 to 1) of the job is done and ``stage`` is under way.

        Raises
        ------
        JobStopped
            If the job is to stop.
        """
        if stage == self._stage and self._clock() - self._written_at < _SECONDS_BETWEEN_WRITES:
            return
        self._stage, self._written_at = stage, self._clock()
        progress = Progress(fraction=min(max(float(fraction), 0.0), 1.0), stage=stage)
        if self._attempts.report_progress(self._claim, progress) is not Standing.RUNNING:
            raise JobStopped
