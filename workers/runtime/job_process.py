"""A job's own process: forked for one job, so that a crash ends that job alone."""

import gc
import logging
import os
import random
import signal
from collections.abc import Callable
from contextlib import suppress

from .job_notes import Note
from .process_limits import end_with_parent, go_before_servers, hand_back_large_blocks

# Results are made of some hundred thousand objects that all stay: looking for garbage among them after every 700
# would take a sixth of a large job.
_RARELY = 50_000, 20, 20
_LONGEST_NOTE = 1 << 16  # bytes: a pipe takes as many at once
_log = logging.getLogger(__name__)


class JobProcess:
    """A running process with a process group of its own; it dies with the worker that forked it."""

    def __init__(self, pid: int, note: int) -> None:
        self._pid = pid
        self._note = note
        self._is_reaped = False

    @classmethod
    def fork(cls, work: Callable[[], None]) -> "JobProcess":
        """Run ``work`` in a forked process. No other thread of this process may be using a connection or a lock."""
        worker_pid = os.getpid()
        reading, writing = os.pipe()
        try:
            pid = os.fork()
        except OSError:
            os.close(reading)
            os.close(writing)
            raise
        if pid == 0:
            os.close(reading)
            _work_and_exit(work, worker_pid, writing)
        os.close(writing)
        # Set on both sides: whichever comes first, killing the group never hits the worker's own.
        with suppress(OSError):
            os.setpgid(pid, pid)
        return cls(pid, reading)

    @property
    def pid(self) -> int:
        """Process id, also when it has ended."""
        return self._pid

    def has_ended(self) -> bool:
        """Whether the process is gone, however it went; what it started may still run."""
        if self._is_reaped:
            return True
        try:
            if hasattr(os, "waitid"):
                # It stays a zombie, so that its id, which is its group's, cannot be given to other processes.
                return os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
            self._is_reaped = os.waitpid(self._pid, os.WNOHANG)[0] == self._pid
        except ChildProcessError:
            self._is_reaped = True
        return self._is_reaped

    def take_note(self) -> Note:
        """Return what the process has loaded, once it has ended well; to be called once."""
        with open(self._note, "rb", buffering=0) as pipe:  # noqa: PTH123  # a descriptor
            os.set_blocking(self._note, False)  # what it forked may hold the other end
            note = pipe.read(_LONGEST_NOTE) or b""
        return Note.from_json(note)

    def kill(self) -> None:
        """End the process, if it has not ended, and all that it started; return when it is gone."""
        if self._is_reaped:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self._pid, 0)
        self._is_reaped = True


def _work_and_exit(work: Callable[[], None], worker_pid: int, note: int) -> None:
    status = os.EX_SOFTWARE
    try:
        os.setpgid(0, 0)
        # The worker handles Ctrl-C in a terminal.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        end_with_parent(worker_pid, signal.SIGKILL)
        go_before_servers()
        hand_back_large_blocks()
        _bind_forks()
        random.seed()
        gc.freeze()  # what the worker has loaded stays: it is neither looked through nor copied again and again
        gc.set_threshold(*_RARELY)
        work()
        status = os.EX_OK
        os.set_blocking(note, False)  # where users have many pipes, one holds a page: what does not fit is lost
        os.write(note, Note.of_process().to_json()[:_LONGEST_NOTE])
    except BaseException:  # noqa: BLE001  # the edge of a process
        _log.exception("a job's process failed")
    finally:
        # Not sys.exit: the worker's own exit handlers must not run in this process.
        os._exit(status)


def _bind_forks() -> None:
    """Have all processes that this one forks end with it: after a kill of the worker, nothing else would end them."""
    parent_pid = os.getpid()

    def remember() -> None:
        nonlocal parent_pid
        parent_pid = os.getpid()

    os.register_at_fork(before=remember, after_in_child=lambda: end_with_parent(parent_pid, signal.SIGKILL))
