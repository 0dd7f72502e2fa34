"""The supervisor: starts child processes, restarts those that end, and stops all at SIGTERM.

Children are programs of their own or forks of this process: the supervisor knows neither what they do nor how they
are started.
"""

import logging
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType
from typing import Protocol

from .restarts import Restarts

_POLL_SECONDS = 0.05
_log = logging.getLogger(__name__)


class CannotStart(Exception):
    """A process cannot be started; the message has the reason."""


class Process(Protocol):
    """A process, such as the standard library's ``Popen``; its id is that of its process group."""

    @property
    def pid(self) -> int:
        """Process id."""

    def poll(self) -> int | None:
        """Return its status if it has ended."""

    def terminate(self) -> None:
        """Send SIGTERM."""

    def wait(self, timeout: float | None = None) -> int:
        """Return its status when it has ended; raise ``subprocess.TimeoutExpired`` when that takes longer."""


@dataclass
class Child:
    """A process to be kept running.

    Children stop in the order of their ``stop_order``; those with the same one stop together.
    """

    name: str
    start: Callable[[], Process]
    is_ready: Callable[[], bool]  # called after each start until it returns true
    restarts: Restarts
    stop_order: int
    patience_seconds: float
    process: Process | None = None
    ready_since: float | None = None
    n_ends: int = 0
    start_at: float = 0.0


class Supervisor:
    """Keeps children running until a signal arrives.

    Not to be used with threads: children end with the thread that started them.
    """

    def __init__(self, children: Sequence[Child]) -> None:
        self._children = children
        self._is_stopping = False

    def run(self, is_ready: Callable[[], bool], announce: Callable[[], None]) -> None:
        """Start all children, announce once that they are ready, restart those that end; return after SIGTERM.

        Raises
        ------
        CannotStart
            If a child cannot be started at first, or ends with ``os.EX_CONFIG`` before it is ready: it would again.
        """
        self._handle_signals()
        try:
            for child in self._children:
                _start(child)
            self._tend(is_ready, announce)
        finally:
            for order in sorted({child.stop_order for child in self._children}):
                together = [child for child in self._children if child.stop_order == order]
                processes = [child.process for child in together if child.process is not None]
                stop_processes(processes, max(child.patience_seconds for child in together))

    def _tend(self, is_ready: Callable[[], bool], announce: Callable[[], None]) -> None:
        is_announced = False
        while not self._is_stopping:
            for child in self._children:
                _keep_running(child)
            if not is_announced and is_ready():
                announce()
                is_announced = True
            time.sleep(_POLL_SECONDS)

    def _handle_signals(self) -> None:
        for number in (signal.SIGINT, signal.SIGHUP):
            # A process started in the background, or with nohup, is meant to outlive the terminal.
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._stop)
        # SIGTERM always stops this process, even if its parent ignored or blocked the signal.
        signal.signal(signal.SIGTERM, self._stop)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})

    def _stop(self, _signal: int, _frame: FrameType | None) -> None:
        self._is_stopping = True


def stop_processes(processes: Iterable[Process], patience_seconds: float) -> None:
    """Send SIGTERM to all, wait, kill those that are left."""
    running = [process for process in processes if process.poll() is None]
    for process in running:
        process.terminate()
    until = time.monotonic() + patience_seconds
    for process in running:
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, until - time.monotonic()))
    for process in running:
        _kill(process)


def _kill(process: Process) -> None:
    if process.poll() is None:
        # Its group has its own children, too.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _start(child: Child) -> None:
    child.ready_since = None
    try:
        child.process = child.start()
    except OSError as error:  # such as: no more processes, no memory, too many open files
        message = f"{child.name}: {error.strerror or error}"
        raise CannotStart(message) from error


def _keep_running(child: Child) -> None:
    if child.process is not None:
        status = child.process.poll()
        if status is None:
            if child.ready_since is None and child.is_ready():
                child.ready_since = time.monotonic()
            return
        child.process = None
        if status == os.EX_CONFIG and child.ready_since is None:
            message = f"the {child.name} cannot start with these settings"
            raise CannotStart(message)
        _plan_restart(child, f"ended with {status}")
    if time.monotonic() >= child.start_at:
        try:
            _start(child)
        except CannotStart as error:
            _plan_restart(child, f"cannot be started: {error}")


def _plan_restart(child: Child, what: str) -> None:
    pause_seconds = child.restarts.pause_after_end(child.ready_since)
    child.n_ends += 1
    child.start_at = time.monotonic() + pause_seconds
    when = f"again in {pause_seconds:g} s" if pause_seconds else "again at once"
    _log.warning("%s %s; it is started %s", child.name, what, when)
