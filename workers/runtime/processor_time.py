"""Whether a process waits for processor time, as Linux says of it and its threads; elsewhere nothing is known."""

import os
import time
from collections.abc import Callable
from pathlib import Path

_SECONDS_BETWEEN_SAMPLES = 0.25
_FEWEST_SAMPLES = 8
_MOST_OF_ITS_TIME = 0.8
_LITTLE = 0.5  # of one processor


class ProcessorTime:
    """Looks again and again at a process from outside: it cannot tell by itself while it waits.

    A process that nearly always wants to run, and has little of one processor, waits for others to let it.
    """

    def __init__(self, pid: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._process = Path(f"/proc/{pid}")
        self._clock = clock
        self._next_look_at = clock()
        self._begin()

    def look(self) -> None:
        """Take a sample, if it is time for one."""
        if self._clock() < self._next_look_at:
            return
        self._next_look_at = self._clock() + _SECONDS_BETWEEN_SAMPLES
        self._n_samples += 1
        self._n_runnable += self._wants_to_run()

    def told(self) -> str:
        """Return what is to be said of the time since this was last asked; nothing when all is well."""
        seconds = self._clock() - self._began_at
        share = (processor_seconds(self._process) - self._used_at_first) / seconds if seconds > 0 else 1.0
        wants = self._n_samples >= _FEWEST_SAMPLES and self._n_runnable >= _MOST_OF_ITS_TIME * self._n_samples
        self._begin()
        if not wants or share >= _LITTLE:
            return ""
        return f"waits for processor time: the machine is busy, and the job gets {max(0.0, share):.0%} of one processor"

    def _begin(self) -> None:
        self._began_at = self._clock()
        self._used_at_first = processor_seconds(self._process)
        self._n_samples = self._n_runnable = 0

    def _wants_to_run(self) -> bool:
        """Whether any of its threads runs, or would if it were let."""
        try:
            return any(_fields(task)[0] == "R" for task in (self._process / "task").iterdir())
        except (FileNotFoundError, ProcessLookupError):
            return False  # a thread, or all of them, ended meanwhile


def processor_seconds(process: Path) -> float:
    """Return the processor time that a process has used, in all threads, also in those that have ended.

    ``process`` is its folder in ``/proc``.
    """
    try:
        fields = _fields(process)
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _fields(thread: Path) -> list[str]:
    # After the name, which may hold blanks and brackets: the state comes first.
    return (thread / "stat").read_text().rpartition(")")[2].split()
