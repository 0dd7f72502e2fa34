"""The fork server: a process that has loaded the libraries of some tasks, and forks one child for each upload.

Loading them takes longer than reading most uploads. A server is started by ``child_process`` for one owner, in an empty
environment; it sees no upload and no request: those are open files, which it hands on to the child.

What holds for it:

- It has one thread when it forks: a lock that another thread held would stay locked in the child. Where a library
  starts threads when it is loaded, or this is not known, the server starts again and leaves loading to the children.
- It ends when its owner closes the connection, or ends itself by any death; its children end with it.
- Its children have the same layout of memory, and could learn from one another's failures: after one that failed, and
  after some number and time, it takes no more uploads, and its owner starts another server.
"""

import os
import resource
import select
import signal
import socket
import struct
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from . import child
from .messages import STATUS_FORMAT
from .rights import go_before_jobs, limit

_MOST_CHILDREN = 100
_MOST_SECONDS = 600.0
_MOST_OPEN_FILES = 256  # so that a child can close them all, whatever they are
_N_DESCRIPTORS = 4  # of one upload: its line, the request, the answer, standard error
_THREADS = Path("/proc/self/task")


def main(functions: Sequence[str]) -> NoReturn:
    """Load a loader's libraries and its tasks' functions, and start children for the owner behind standard input."""
    go_before_jobs()
    limit(resource.RLIMIT_NOFILE, _MOST_OPEN_FILES)
    _load_or_restart(functions)
    # Standard input itself becomes each child's own.
    with socket.socket(fileno=os.dup(sys.stdin.fileno())) as owner:
        _ForkServer(owner).serve()
    os._exit(0)  # the kernel frees what the libraries would clean up


def _load_or_restart(functions: Sequence[str]) -> None:
    """Return with one thread: with the libraries, or in a new program without them."""
    if not functions:
        return
    if _THREADS.is_dir():
        with suppress(Exception):  # each child will fail by itself, and say why
            child.load_libraries(*functions)
        if len(list(_THREADS.iterdir())) == 1:
            return
    os.execv(sys.executable, [sys.executable, "-I", "-m", "sandbox.fork_server"])  # noqa: S606  # our own module


class _ForkServer:
    """Waits for uploads, for the ends of their children, and for owners that give up on them."""

    def __init__(self, owner: socket.socket) -> None:
        self._owner = owner
        self._takes_more = True
        self._n_started = 0
        self._ends_at = time.monotonic() + _MOST_SECONDS
        self._lines: dict[int, socket.socket] = {}  # by the child's process id
        self._woken, wake = socket.socketpair()
        self._woken.settimeout(0)
        wake.settimeout(0)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake.detach(), warn_on_full_buffer=False)

    def serve(self) -> None:
        """Start children and report how they ended, until no more are wanted and the last one has ended."""
        while self._takes_more or self._lines:
            ready = self._ready()
            if self._woken.fileno() in ready:
                self._report_ends()
            for process, line in list(self._lines.items()):
                if line.fileno() in ready:  # the owner says nothing: it has closed its end
                    self._kill(process)
            if self._takes_more and self._owner.fileno() in ready:
                self._start_next()
            if self._n_started >= _MOST_CHILDREN or time.monotonic() >= self._ends_at:
                self._take_no_more()

    def _ready(self) -> set[int]:
        """Return the descriptors that can be read, as soon as there are any or this server is old."""
        poll = select.poll()
        for source in (self._woken, *self._lines.values()):
            poll.register(source, select.POLLIN)
        milliseconds = None
        if self._takes_more:
            poll.register(self._owner, select.POLLIN)
            milliseconds = max(0.0, self._ends_at - time.monotonic()) * 1000
        return {descriptor for descriptor, _ in poll.poll(milliseconds)}

    def _start_next(self) -> None:
        message, descriptors, _, _ = socket.recv_fds(self._owner, 1, _N_DESCRIPTORS)
        if not message:
            self._take_no_more()
            return
        line, *files = descriptors
        process = os.fork()
        if process == 0:
            _become_child(files)
        for file in files:
            os.close(file)
        self._n_started += 1
        self._lines[process] = socket.socket(fileno=line)

    def _report_ends(self) -> None:
        with suppress(BlockingIOError):
            while self._woken.recv(64):
                pass
        for process in list(self._lines):
            ended, status = os.waitpid(process, os.WNOHANG)
            if ended:
                self._report_end(process, os.waitstatus_to_exitcode(status))

    def _kill(self, process: int) -> None:
        os.kill(process, signal.SIGKILL)
        self._report_end(process, os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))

    def _report_end(self, process: int, status: int) -> None:
        with suppress(ProcessLookupError):  # the whole group, also after a regular end: nothing of it may go on
            os.killpg(process, signal.SIGKILL)
        if status != 0:
            self._take_no_more()  # before the owner hears of it, and may send the same upload again
        with self._lines.pop(process) as line, suppress(OSError):
            line.send(struct.pack(STATUS_FORMAT, status))

    def _take_no_more(self) -> None:
        self._takes_more = False
        self._owner.close()


def _become_child(files: Sequence[int]) -> NoReturn:
    """Go on as a child that has its own three files, and nothing of the server's or of other uploads."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        for descriptor, file in enumerate(files):
            os.dup2(file, descriptor)
        os.closerange(len(files), _MOST_OPEN_FILES)
        child.main()
    except Exception:  # noqa: BLE001  # the edge of the process
        traceback.print_exc()
    finally:
        os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
