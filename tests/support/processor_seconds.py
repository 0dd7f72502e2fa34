"""Processor seconds of each test, its processes' included: unlike those of a clock, a busy machine hardly adds to them.

A plugin of pytest (``conftest.py`` names it). ``--junitxml`` writes the seconds as a property of each test.
"""

import os
from collections import defaultdict
from time import monotonic

import pytest

PROPERTY = "processor_seconds"
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_LEAST_SECONDS = 0.2  # since processes were looked at last: that takes milliseconds, longer than most tests
_PARENT, _FIRST, _LAST = 1, 11, 15  # ppid; utime, stime, cutime, cstime, after the name in /proc/PID/stat


def processor_seconds() -> float:
    """Return what this process, its descendants, and those of them that have ended took of processors so far.

    One look at all processes of the machine: to read the children of each thread of a service takes longer.
    """
    ticks: dict[int, int] = {}
    children: dict[int, list[int]] = defaultdict(list)
    for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))):  # noqa: PTH208  # likewise
        fields = _stat_of(pid)
        if fields:
            ticks[pid] = sum(map(int, fields[_FIRST:_LAST]))
            children[int(fields[_PARENT])].append(pid)
    ours = [os.getpid()]
    for pid in ours:  # grows meanwhile
        ours += children[pid]
    return sum(ticks[pid] for pid in ours) / _TICKS_PER_SECOND


def _stat_of(pid: int) -> list[bytes]:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123  # pathlib takes twice as long
            return file.read().rpartition(b")")[2].split()
    except OSError:  # it ended meanwhile: its parent has its ticks
        return []


class ProcessorSeconds:
    """Record the processor seconds of each test as a property of its report; a short one's are the next one's."""

    def __init__(self) -> None:
        self._before, self._began = 0.0, 0.0
        self._begin()

    def pytest_collection_finish(self) -> None:
        """Begin to count: what collecting takes is no test's."""
        self._begin()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Record at a test's end what was taken since the one before ended."""
        if call.when == "teardown" and monotonic() - self._began > _LEAST_SECONDS:
            seconds = processor_seconds()
            item.user_properties.append((PROPERTY, round(max(seconds - self._before, 0), 3)))
            self._before, self._began = seconds, monotonic()

    def _begin(self) -> None:
        self._before, self._began = processor_seconds(), monotonic()
