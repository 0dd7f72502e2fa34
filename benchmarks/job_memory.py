"""How much memory the process of a job holds, watched from outside."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psutil

_SECONDS_BETWEEN_LOOKS = 0.1


@dataclass
class JobMemory:
    """The most that a job's process held at one time, in bytes; what it shares with its worker is counted."""

    peak: int = 0


@contextmanager
def job_memory() -> Iterator[JobMemory]:
    """Watch the processes that workers among this process's descendants have forked."""
    found, over = JobMemory(), threading.Event()

    def look() -> None:
        while not over.wait(_SECONDS_BETWEEN_LOOKS):
            found.peak = max([found.peak, *_sizes()])

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield found
    finally:
        over.set()
        watcher.join()


def _sizes() -> Iterator[int]:
    for process in psutil.Process().children(recursive=True):
        try:
            parent = process.parent()
            if parent is not None and "workers" in parent.cmdline():
                yield process.memory_info().rss
        except psutil.Error:
            continue
