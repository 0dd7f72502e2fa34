"""Processes forked from one that has imported everything once: they share its memory, and start at once.

What a fork would not survive (threads, open connections and graphs) comes into being in the forked process alone.
"""

import gc
import logging
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from .process_limits import end_with_parent
from .restarts import Restarts, StartsWithReadiness, report_ready
from .supervisor import Child, Supervisor

_LONGEST_PAUSE_SECONDS = 5.0  # before a worker is started again
_PATIENCE_SECONDS = 6.5  # a worker ends itself six seconds after SIGTERM
_SECONDS_BETWEEN_POLLS = 0.02
_SIGNALS = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
_log = logging.getLogger(__name__)

Work = Callable[[Callable[[], None]], None]
"""The work of a process until SIGTERM; it calls its argument as soon as it is ready."""


def keep_workers(works: Sequence[Work], announce: Callable[[], None]) -> None:
    """Fork a worker for each of these, and another whenever one ends, until SIGTERM; then end all of them."""
    # Objects that no collection touches are not written to, so that their memory stays shared.
    gc.collect()
    gc.freeze()
    gc.enable()
    children = [
        # SIGTERM rather than SIGKILL, so that it hands its job back when this process dies.
        forked_child(f"worker {number}", work, Restarts(_LONGEST_PAUSE_SECONDS), _PATIENCE_SECONDS, signal.SIGTERM)
        for number, work in enumerate(works, start=1)
    ]
    Supervisor(children).run(is_ready=lambda: True, announce=announce)


def forked_child(
    name: str, work: Work, restarts: Restarts, patience_seconds: float, signal_at_parents_end: signal.Signals
) -> Child:
    """Return a child that the supervisor forks from its own process, which must have no threads of Python's.

    Parameters
    ----------
    patience_seconds
        How long it may take to end after SIGTERM.
    signal_at_parents_end
        What the kernel sends it when this process dies.
    """
    forks = StartsWithReadiness(
        lambda writer: ForkedProcess.fork(lambda: work(lambda: report_ready(writer)), signal_at_parents_end)
    )
    return Child(name, forks.start, forks.is_ready, restarts, 1, patience_seconds)


class ForkedProcess:
    """A process with a process group of its own; the kernel sends it a signal when its parent dies."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._status: int | None = None

    @classmethod
    def fork(cls, work: Callable[[], None], signal_at_parents_end: signal.Signals) -> "ForkedProcess":
        """Run ``work`` in a forked process."""
        parent_pid = os.getpid()
        # A signal that came before the fork has reset its handler would be lost.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            pid = os.fork()
            if pid == 0:
                _work_and_exit(work, parent_pid, signal_at_parents_end)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        with suppress(OSError):
            os.setpgid(pid, pid)
        return cls(pid)

    @property
    def pid(self) -> int:
        """Process id."""
        return self._pid

    def poll(self) -> int | None:
        """Return its status if it has ended."""
        if self._status is None:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            if pid == self._pid:
                self._status = os.waitstatus_to_exitcode(status)
        return self._status

    def terminate(self) -> None:
        """Send SIGTERM."""
        if self.poll() is None:
            os.kill(self._pid, signal.SIGTERM)

    def wait(self, timeout: float | None = None) -> int:
        """Return its status when it has ended; raise ``subprocess.TimeoutExpired`` when that takes longer."""
        until = None if timeout is None else time.monotonic() + timeout
        while (status := self.poll()) is None:
            if timeout is not None and until is not None and time.monotonic() >= until:
                raise subprocess.TimeoutExpired("a forked process", timeout)  # noqa: TRY003  # it takes a command
            time.sleep(_SECONDS_BETWEEN_POLLS)
        return status


def _work_and_exit(work: Callable[[], None], parent_pid: int, signal_at_parents_end: signal.Signals) -> None:
    status = os.EX_SOFTWARE
    try:
        os.setpgid(0, 0)
        # The parent handles Ctrl-C and a lost terminal.
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        end_with_parent(parent_pid, signal_at_parents_end)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        work()
        status = os.EX_OK
    except BaseException:  # noqa: BLE001  # the edge of a process
        _log.exception("a forked process failed")
    finally:
        # Not sys.exit: the parent's exit handlers must not run here.
        os._exit(status)
