"""Processor seconds of each test, its processes' included: unlike those of a clock, a busy machine hardly adds to them.

A plugin of pytest (``conftest.py`` names it). ``--junitxml`` writes the seconds as a property of each test.
"""

import os
from pathlib import Path
from time import monotonic

import pytest

from .processes import descendants_of

PROPERTY = "processor_seconds"
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_LEAST_SECONDS = 0.02  # of a test at whose end processes are looked at: that takes 2 ms, as long as most tests
_FIRST, _LAST = 11, 15  # utime, stime, cutime, cstime, after the name in /proc/PID/stat


def processor_seconds() -> float:
    """Return what this process, its descendants, and those of them that have ended took of processors so far."""
    pid = os.getpid()
    return sum(map(_ticks_of, {pid, *descendants_of(pid)})) / _TICKS_PER_SECOND


def _ticks_of(pid: int) -> int:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it ended meanwhile: its parent has its ticks
        return 0
    return sum(map(int, fields[_FIRST:_LAST]))


class ProcessorSeconds:
    """Record the processor seconds of each test as a property of its report; a short one's are the next one's."""

    def __init__(self) -> None:
        self._begin()

    def pytest_collection_finish(self) -> None:
        """Begin to count: what collecting takes is no test's."""
        self._begin()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Record at a test's end what was taken since the one before ended."""
        if call.when == "teardown" and monotonic() - self._began > _LEAST_SECONDS:
            before = self._before
            self._begin()
            item.user_properties.append((PROPERTY, round(max(self._before - before, 0), 3)))

    def _begin(self) -> None:
        self._before, self._began = processor_seconds(), monotonic()
