"""The supervisor: starts child processes, restarts those that end, stops all when told to."""

import logging
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FrameType

from .errors import CannotServe
from .processes import stop_processes

_FIRST_PAUSE_SECONDS = 0.5
_LONGEST_PAUSE_SECONDS = 10.0
_STABLE_SECONDS = 30.0
_SECONDS_BETWEEN_LOOKS = 0.05
_log = logging.getLogger(__name__)


@dataclass
class Child:
    """A process to be kept running.

    Children stop in the order of their ``stop_order``; those with the same one stop together.
    """

    name: str
    start: Callable[[], "subprocess.Popen[bytes]"]
    stop_order: int
    patience_seconds: float
    process: "subprocess.Popen[bytes] | None" = None
    n_ends: int = 0
    pause_seconds: float = _FIRST_PAUSE_SECONDS
    started_at: float = field(default=0.0)
    start_at: float = field(default=0.0)


class Supervisor:
    """Keeps children running until a signal arrives.

    Not to be used with threads: children end with the thread that started them.
    """

    def __init__(self, children: Sequence[Child]) -> None:
        self._children = children
        self._is_stopping = False

    def run(self, is_ready: Callable[[], bool], announce: Callable[[], None]) -> None:
        """Start all children, announce once that they are ready, restart what ends; return when told to stop.

        Raises
        ------
        CannotServe
            If a child cannot be started at first.
        """
        self._listen_to_signals()
        try:
            for child in self._children:
                _start(child)
            self._tend(is_ready, announce)
        finally:
            self._stop_all()

    def _tend(self, is_ready: Callable[[], bool], announce: Callable[[], None]) -> None:
        is_announced = False
        while not self._is_stopping:
            for child in self._children:
                _keep_running(child)
            if not is_announced and is_ready():
                announce()
                is_announced = True
            time.sleep(_SECONDS_BETWEEN_LOOKS)

    def _stop_all(self) -> None:
        for order in sorted({child.stop_order for child in self._children}):
            together = [child for child in self._children if child.stop_order == order]
            processes = [child.process for child in together if child.process is not None]
            stop_processes(processes, max(child.patience_seconds for child in together))

    def _listen_to_signals(self) -> None:
        for number in (signal.SIGINT, signal.SIGHUP):
            # Whoever started us in the background, or with nohup, wants us to outlive the terminal.
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._stop)
        # There must always be a way to stop us: whatever we inherited, this one is heard.
        signal.signal(signal.SIGTERM, self._stop)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})

    def _stop(self, _signal: int, _frame: FrameType | None) -> None:
        self._is_stopping = True


def _start(child: Child) -> None:
    child.started_at = time.monotonic()
    child.process = child.start()


def _keep_running(child: Child) -> None:
    now = time.monotonic()
    if child.process is not None:
        status = child.process.poll()
        if status is None:
            return
        _plan_restart(child, now, status)
    if now >= child.start_at:
        _start_again(child)


def _plan_restart(child: Child, now: float, status: int) -> None:
    if now - child.started_at > _STABLE_SECONDS:
        child.pause_seconds = _FIRST_PAUSE_SECONDS
    _log.warning("%s ended with %d; starting it again in %g s", child.name, status, child.pause_seconds)
    child.process = None
    child.n_ends += 1
    child.start_at = now + child.pause_seconds
    child.pause_seconds = min(2 * child.pause_seconds, _LONGEST_PAUSE_SECONDS)


def _start_again(child: Child) -> None:
    try:
        _start(child)
    except CannotServe as error:
        _log.warning("%s: %s; trying again in %g s", child.name, error, child.pause_seconds)
        child.start_at = time.monotonic() + child.pause_seconds
