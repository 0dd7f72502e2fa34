"""Heartbeat: tells progress again while nothing has changed, so that a cancel is heard in the middle of a node."""

from dataclasses import dataclass

from ..compute.progress import ReportProgress


@dataclass(slots=True)
class Heartbeat:
    """Passes progress on, and repeats it."""

    report: ReportProgress
    _fraction: float = 0.0
    _stage: str = "growing the tree"

    def __call__(self, fraction: float, stage: str) -> None:
        """Pass on how far the work is."""
        self._fraction, self._stage = fraction, stage
        self.report(fraction, stage)

    def beat(self) -> None:
        """Say the last again."""
        self.report(self._fraction, self._stage)
