"""Test workers that are forked from one process which has imported everything, as a service's own workers are.

Each test that needs workers of its own would otherwise wait for an interpreter that imports all that jobs need.
"""

import functools
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

_FORK = "--fork-for"
_MOST_BYTES = 1 << 17  # of an environment
_SECONDS_BETWEEN_POLLS = 0.02


class ForkedWorker:
    """A worker's process, as far as tests need what ``subprocess.Popen`` has."""

    def __init__(self, pid: int, template: "WorkerTemplate") -> None:
        self.pid = pid
        self._template = template
        self._status: int | None = None

    def poll(self) -> int | None:
        """Return its status if it has ended."""
        if self._status is None:
            self._status = self._template.answer_to({"ended": self.pid})
        return self._status

    def wait(self, timeout: float | None = None) -> int:
        """Return its status when it has ended; raise ``subprocess.TimeoutExpired`` when that takes longer."""
        began = time.monotonic()
        while (status := self.poll()) is None:
            if timeout is not None and time.monotonic() - began > timeout:
                raise subprocess.TimeoutExpired("a worker", timeout)  # noqa: TRY003  # it takes a command
            time.sleep(_SECONDS_BETWEEN_POLLS)
        return status

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)


class WorkerTemplate:
    """A process that forks a worker whenever this process requests one, and ends with it."""

    def __init__(self) -> None:
        self._connection, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with its:
            subprocess.Popen(  # our own
                [sys.executable, "-m", "tests.support.job_kinds", _FORK, str(its.fileno())],
                cwd=Path(__file__).parents[2],
                pass_fds=[its.fileno()],
                start_new_session=True,
            )

    def fork(self, arguments: tuple[str, ...], environment: Mapping[str, str]) -> ForkedWorker:
        """Start a worker that has this environment, and writes where this process does."""
        pid = self.answer_to({"arguments": arguments, "environment": dict(environment)}, [0, 1, 2])
        assert pid is not None
        return ForkedWorker(pid, self)

    def answer_to(self, request: Mapping[str, object], files: Sequence[int] = ()) -> int | None:
        """Return what the template answers: the id of a new process, or the status of one if it has ended."""
        socket.send_fds(self._connection, [json.dumps(request).encode()], files)
        text = self._connection.recv(_MOST_BYTES)
        assert text, "the template has ended: what it printed says why"
        answer: int | None = json.loads(text)
        return answer


@functools.cache
def worker_template() -> WorkerTemplate:
    """Return the template of this test process."""
    return WorkerTemplate()


def is_forked_worker() -> bool:
    """Whether to go on as a worker; a template returns when the process ends for which it forked, and then says no."""
    if sys.argv[1:2] != [_FORK]:
        return True
    gc.freeze()  # what nobody touches stays shared
    with socket.socket(fileno=int(sys.argv[2])) as connection:
        while True:
            text, files, _, _ = socket.recv_fds(connection, _MOST_BYTES, 3)
            if not text:
                return False
            request = json.loads(text)
            answer = _status_of(request["ended"]) if "ended" in request else os.fork()
            if files and answer == 0:
                _become(request["arguments"], request["environment"], files)
                return True
            connection.send(json.dumps(answer).encode())
            for file in files:
                os.close(file)


def _become(arguments: list[str], environment: Mapping[str, str], files: list[int]) -> None:
    """Take on the arguments, the environment and the streams of a worker, in a session of its own."""
    os.setsid()
    sys.argv[1:] = arguments
    os.environ.clear()
    os.environ.update(environment)
    for stream, file in enumerate(files):
        os.dup2(file, stream)
        os.close(file)


def _status_of(pid: int) -> int | None:
    ended, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if ended == pid else None
