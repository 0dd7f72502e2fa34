"""How an algorithm reports its progress, without knowing its callers."""

from collections.abc import Callable
from typing import Protocol, TypeAlias

Tick: TypeAlias = Callable[[], None]
"""Called between pieces of work, of whatever share; may raise to stop the work."""


class ReportProgress(Protocol):
    """Called by long algorithms; may raise to stop them (that is how cancelling works)."""

    def __call__(self, fraction: float, stage: str) -> None:
        """Note that ``fraction`` (0 to 1) of the work is done and ``stage`` is under way."""


def ignore_progress(fraction: float, stage: str) -> None:
    """Do nothing: the default callback."""


def no_tick() -> None:
    """Do nothing: the default between pieces."""


def part_of(report: ReportProgress, start: float, stop: float) -> ReportProgress:
    """Return a progress callback for one part of the work.

    Parameters
    ----------
    report
        The callback of the whole work.
    start, stop
        Fractions of the whole work (0 to 1) at which the part begins and ends.
    """

    def report_part(fraction: float, stage: str) -> None:
        report(start + (stop - start) * fraction, stage)

    return report_part
