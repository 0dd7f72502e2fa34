"""Confinement: what the child takes from itself before it looks at anything that a stranger sent."""

import ctypes
import os
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path

from .messages import Confinement

_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38
_FIRST_TO_GO = 1000


def confine(limits: Confinement) -> None:
    """Set the limits; none of them can be raised again by this process."""
    _die_with(limits.parent)
    _go_first()
    os.nice(limits.nice)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_CPU, limits.n_cpu_seconds)
    _limit(resource.RLIMIT_FSIZE, limits.n_file_bytes)
    _limit(resource.RLIMIT_NOFILE, limits.n_open_files)
    # Counts what is written to (heap, stacks), not what is mapped: libraries map far more than they use.
    _limit(resource.RLIMIT_DATA, limits.n_memory_bytes)


def _go_first() -> None:
    """Have the kernel end this process rather than any other where the machine runs out of memory."""
    with suppress(OSError):  # not everywhere
        Path("/proc/self/oom_score_adj").write_text(str(_FIRST_TO_GO))


def _limit(kind: int, value: int) -> None:
    highest = resource.getrlimit(kind)[1]
    if highest != resource.RLIM_INFINITY:
        value = min(value, highest)
    resource.setrlimit(kind, (value, value))


def _die_with(parent: int) -> None:
    if sys.platform == "linux":
        prctl = ctypes.CDLL(None, use_errno=True).prctl
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    # The parent may have ended before the signal was asked for.
    if os.getppid() != parent:
        os._exit(1)
