"""A job's own process: forked for one job, so that whatever happens to it happens to nobody else."""

import logging
import os
import random
import signal
from collections.abc import Callable
from contextlib import suppress

from .process_limits import end_with_parent

_log = logging.getLogger(__name__)


class JobProcess:
    """A running process with a process group of its own; it dies with the worker that forked it."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._is_reaped = False

    @classmethod
    def fork(cls, work: Callable[[], None]) -> "JobProcess":
        """Run ``work`` in a forked process. No other thread of this process may be using a connection or a lock."""
        worker_pid = os.getpid()
        pid = os.fork()
        if pid == 0:
            _work_and_exit(work, worker_pid)
        # Set on both sides: whoever comes first, killing the group never meets the worker's own.
        with suppress(OSError):
            os.setpgid(pid, pid)
        return cls(pid)

    def has_ended(self) -> bool:
        """Whether the process is gone, however it went."""
        if not self._is_reaped:
            try:
                self._is_reaped = os.waitpid(self._pid, os.WNOHANG)[0] == self._pid
            except ChildProcessError:
                self._is_reaped = True
        return self._is_reaped

    def kill(self) -> None:
        """End the process and all that it started; return when it is gone."""
        if self.has_ended():
            return
        with suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self._pid, 0)
        self._is_reaped = True


def _work_and_exit(work: Callable[[], None], worker_pid: int) -> None:
    status = os.EX_SOFTWARE
    try:
        os.setpgid(0, 0)
        # Ctrl-C in a terminal is the worker's to answer.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        end_with_parent(worker_pid, signal.SIGKILL)
        random.seed()
        work()
        status = os.EX_OK
    except BaseException:  # noqa: BLE001  # the edge of a process
        _log.exception("a job's process failed")
    finally:
        # Not sys.exit: what the worker registered for its own exit is not this process's to do.
        os._exit(status)
