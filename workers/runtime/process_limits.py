"""Limits that the kernel enforces on a process: its memory, its priority, its end with its parent."""

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_OUT_OF_MEMORY_SCORE = Path("/proc/self/oom_score_adj")
_M_MMAP_THRESHOLD = -3  # malloc.h
_M_TRIM_THRESHOLD = -1
_LARGE_BYTES = 1 << 22
_MOST_FREE_BYTES = 1 << 26  # at the end of a heap
_BEFORE_SERVERS = 500  # uploads' processes have 1,000 and are ended before jobs


def end_with_parent(parent_pid: int, signal_number: signal.Signals) -> None:
    """Have the kernel send this process a signal when its parent dies, even by kill -9; Linux alone can do that.

    Parameters
    ----------
    parent_pid
        The parent that this process was started by: when it is gone already, this process ends at once.
    """
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(signal_number), 0, 0, 0)
    if os.getppid() != parent_pid:
        os.kill(os.getpid(), signal_number)


def limit_memory(n_bytes: int) -> None:
    """Let allocations beyond ``n_bytes`` fail with ``MemoryError`` instead of drawing the machine into swapping."""
    # Data, not address space: libraries reserve far more addresses than they ever use.
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    ceiling = n_bytes if hard == resource.RLIM_INFINITY else min(n_bytes, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (ceiling, hard))


def hand_back_large_blocks() -> None:
    """Have allocations of 4 MiB and more go back to the kernel as soon as they are freed; glibc alone can do that.

    By itself glibc takes arrays of up to 32 MiB from its heaps once one of them was freed, where what stays between
    them keeps all below it: choosing prototypes held half as much again. Smaller ones are used again: the kernel takes
    longer to hand out and to clear their pages than most loops to fill them, a tenth of such a job.
    """
    with suppress(AttributeError, OSError):  # other libraries have no such setting
        settings = ctypes.CDLL(None)
        settings.mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)
        settings.mallopt(_M_TRIM_THRESHOLD, _MOST_FREE_BYTES)


@contextmanager
def sharing_memory(n_processes: int) -> Iterator[None]:
    """Share what is left of this process's memory with those that it forks meanwhile: together they stay below it.

    Parameters
    ----------
    n_processes
        Number of processes, this one included; each may take as much beside what it holds now.
    """
    limit, hard = resource.getrlimit(resource.RLIMIT_DATA)
    held = _data_bytes()
    if limit == resource.RLIM_INFINITY or held is None:
        yield
        return
    limit_memory(held + max(0, limit - held) // n_processes)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))


def _data_bytes() -> int | None:
    """Return how much of its limit this process has taken; Linux alone knows."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmData:"):
                return int(line.split()[1]) << 10
    return None


def go_before_servers() -> None:
    """Have the kernel end this process rather than the API or a database where the machine runs out of memory."""
    with suppress(OSError):  # not everywhere
        if int(_OUT_OF_MEMORY_SCORE.read_text()) < _BEFORE_SERVERS:
            _OUT_OF_MEMORY_SCORE.write_text(str(_BEFORE_SERVERS))


def lower_priority(niceness: int) -> None:
    """Bring this process and those that it starts to this niceness, unless they are lower already."""
    os.nice(max(0, niceness - os.nice(0)))
