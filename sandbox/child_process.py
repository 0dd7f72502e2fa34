"""One child process from start to end, seen from the process that owns the fork server."""

import atexit
import json
import os
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from .messages import COULD_NOT_START, STATUS_FORMAT, Request, Task

# From this size on, the C library maps memory and unmaps it as soon as it is freed.
_MAPPED_FROM_BYTES = 128 * 1024
# Nothing of ours is passed on: no key, no URL, no path.
ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "ORT_DISABLE_TELEMETRY": "1",
    "ARROW_IO_THREADS": "1",
    # Arrow's own allocators take memory in large pieces, which the limit counts before they are used: jemalloc fails on
    # 200,000 rows of 100 columns, mimalloc reserves 1.1 GiB for any file (benchmarks/results/wide_files.txt).
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    # It would start a thread when it is loaded, and a process with threads cannot be forked safely.
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
    # What is freed goes back to the system: left to itself, the allocator hoards more with each block of a long file.
    "MALLOC_ARENA_MAX": "1",
    # Arrow reserves a block's whole length for each of its columns, and shrinks it to what the column needs. Below the
    # threshold the rest stays on the heap, and the limit counts it: threshold times columns must be less than the limit
    # (128 KiB x 10,000 columns = 1.2 GiB of 4 GiB). Set, although it is the default: the C library raises a
    # default as it goes, and leaves alone what was set.
    "MALLOC_MMAP_THRESHOLD_": str(_MAPPED_FROM_BYTES),
    "MALLOC_TRIM_THRESHOLD_": str(_MAPPED_FROM_BYTES),
}
# The one path: of compiled loops, which are code of ours, and which the child may read.
_OF_LOOPS = "NUMBA_CACHE_DIR"
_MOST_SERVERS = 3  # for one upload: the first may be old, and the second be killed
_AT_LEAST_SECONDS = 0.001
_SECONDS_TO_KILL = 10.0
_MAX_ANSWER_BYTES = 64 * 1024**2
_N_ERROR_BYTES = 4096


_FUNCTIONS: dict[str, list[str]] = {}  # of the tasks of this process, by their loader


def declare_task(function: str, loader: str, *, uses_compiled_loops: bool = False) -> Task:
    """Return a task (see ``Task``), whose function the loader's servers that start from now on load beforehand."""
    _FUNCTIONS.setdefault(loader, []).append(function)
    return Task(function, loader, uses_compiled_loops)


@dataclass(frozen=True, slots=True)
class ChildOutcome:
    """How a child ended."""

    answer: dict[str, Any] | None  # None where there is none that can be read
    status: int | None  # as in subprocess: negative for a signal; None where it was killed at its deadline
    errors: str  # the end of what it wrote to standard error


def run_child(request: Request, deadline_seconds: float) -> ChildOutcome:
    """Have a child read an upload in its folder, wait for it, and make sure that nothing of it is left.

    Calls may come from several threads. A fork server that ends meanwhile takes the child with it: another one is
    started, and the upload read again.
    """
    until = time.monotonic() + deadline_seconds
    for _ in range(_MOST_SERVERS):
        server = _SERVERS.server_of(request)
        try:
            return _run_child(request, server, until)
        except _ServerEnded:
            _SERVERS.end(server)
    return ChildOutcome(None, COULD_NOT_START, "each server of child processes ended")


def _run_child(request: Request, server: "_Server", until: float) -> ChildOutcome:
    folder = Path(request.upload).parent
    with (
        TemporaryFile(dir=folder) as request_file,
        TemporaryFile(dir=folder) as answered,
        TemporaryFile(dir=folder) as errors,
    ):
        confinement = replace(request.confinement, parent=server.pid)
        document = asdict(replace(request, confinement=confinement))
        request_file.write(json.dumps(document, allow_nan=False).encode())
        request_file.seek(0)
        status = server.run_child((request_file, answered, errors), until)
        return ChildOutcome(_read_answer(answered), status, _tail(errors))


class _ServerEnded(Exception):
    """A fork server ended before it reported how a child did."""


class _Server:
    """A fork server, seen from its owner."""

    def __init__(self, loader: str, environment: Mapping[str, str]) -> None:
        self.environment = dict(environment)
        self._connection, its_end = socket.socketpair()
        with its_end:
            # Isolated (-I): neither the folder nor the environment can add code.
            self._process = subprocess.Popen(  # our own module, no shell, no argument from outside
                [sys.executable, "-I", "-m", "sandbox.fork_server", loader, *_FUNCTIONS.get(loader, ())],
                stdin=its_end.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=environment,
                start_new_session=True,
            )
        self.pid = self._process.pid

    def run_child(self, files: Sequence[IO[bytes]], until: float) -> int | None:
        """Return the exit status of a child with these files for its input, output and errors.

        It is None for one that had to be killed, as it had not ended at ``until`` (``time.monotonic``).
        """
        line, its_end = socket.socketpair()
        with line:
            with its_end:
                self._send([its_end.fileno(), *(file.fileno() for file in files)])
            try:
                line.settimeout(max(_AT_LEAST_SECONDS, until - time.monotonic()))
                return _received_status(line)
            except TimeoutError:
                self._have_killed(line)
                return None

    def _send(self, descriptors: Sequence[int]) -> None:
        try:
            socket.send_fds(self._connection, [b"\0"], descriptors)
        except OSError as error:
            raise _ServerEnded from error

    def _have_killed(self, line: socket.socket) -> None:
        """Close one half of the line, upon which the server kills the child; wait until it has."""
        line.shutdown(socket.SHUT_WR)
        line.settimeout(_SECONDS_TO_KILL)
        with suppress(TimeoutError, _ServerEnded):
            _received_status(line)
            return
        self._process.kill()  # and the child with it

    def close(self) -> None:
        """Have the server end as soon as its children have."""
        with suppress(OSError):  # it has ended
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()

    def has_ended(self) -> bool:
        """Return whether the closed server has ended, and is no zombie any more."""
        return self._process.poll() is not None

    def wait(self) -> None:
        """Wait for the end of a closed server."""
        self._process.wait()

    def forget(self) -> None:
        """Leave the server to the process that this one was forked from."""
        self._connection.close()
        self._process.returncode = 0  # not ours to wait for


def _received_status(line: socket.socket) -> int:
    try:
        message = line.recv(struct.calcsize(STATUS_FORMAT))
    except ConnectionError as error:
        raise _ServerEnded from error
    if not message:
        raise _ServerEnded
    status: int = struct.unpack(STATUS_FORMAT, message)[0]
    return status


class _Servers:
    """The fork servers of this process, one for each loader of libraries, started when first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._used: dict[str, _Server] = {}
        self._closed: list[_Server] = []

    def server_of(self, request: Request) -> _Server:
        """Return the server for a request."""
        loader, environment = request.task.loader, _environment(request)
        with self._lock:
            server = self._used.get(loader)
            if server is not None and server.environment != environment:
                self._close(server)
            if loader not in self._used:
                self._used[loader] = server = _Server(loader, environment)
                threading.Thread(target=self._wait_for, args=[server], name="fork server", daemon=True).start()
            return self._used[loader]

    def _wait_for(self, server: _Server) -> None:
        """Wait for the end of a server, which comes by itself where no upload does, so that no zombie is left."""
        server.wait()
        self.end(server)

    def end(self, server: _Server) -> None:
        """Have a server take no more requests, and end after those that it has."""
        with self._lock:
            self._close(server)

    def _close(self, server: _Server) -> None:
        self._used = {loader: other for loader, other in self._used.items() if other is not server}
        if server not in self._closed:
            server.close()
            self._closed.append(server)
        self._closed = [other for other in self._closed if not other.has_ended()]

    def end_all(self) -> None:
        """End all servers, and wait until they have."""
        for server in list(self._used.values()):
            self.end(server)
        for server in self._closed:
            server.wait()

    def forget(self) -> None:
        """Start with none in a forked process: the others belong to the process that it was forked from."""
        for server in (*self._used.values(), *self._closed):
            server.forget()
        self.__init__()  # type: ignore[misc]  # the lock, too, may have been held


_SERVERS = _Servers()
end_servers = _SERVERS.end_all
atexit.register(end_servers)
os.register_at_fork(after_in_child=_SERVERS.forget)


def _environment(request: Request) -> dict[str, str]:
    if not request.task.uses_compiled_loops or _OF_LOOPS not in os.environ:
        return ENVIRONMENT
    return {**ENVIRONMENT, _OF_LOOPS: os.environ[_OF_LOOPS]}


def _read_answer(file: IO[bytes]) -> dict[str, Any] | None:
    file.seek(0)
    text = file.read(_MAX_ANSWER_BYTES + 1)
    if len(text) > _MAX_ANSWER_BYTES:
        return None
    try:
        answer = json.loads(text)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def _tail(file: IO[bytes]) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _N_ERROR_BYTES))
    return file.read(_N_ERROR_BYTES).decode("utf-8", "backslashreplace")
