"""When an ended process is started again: at once if it had been ready, after growing pauses if it had not."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

_FIRST_PAUSE_SECONDS = 0.05  # of what was ready
_FIRST_PAUSE_OF_FAILED_STARTS_SECONDS = 0.25
_SHORT_LIFE_SECONDS = 10.0
_SHORT_LIVES, _WITHIN_SECONDS = 3, 60.0

Started = TypeVar("Started")
"""A process that was started."""


class Restarts:
    """The pauses before one process is started again.

    A process that was ready and was then killed can be started again at once. One that never becomes ready, or that
    dies soon after it again and again, is not helped by haste: its pauses double.
    """

    def __init__(self, longest_pause_seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._longest_pause_seconds = longest_pause_seconds
        self._now = now
        self._pause_seconds = _FIRST_PAUSE_SECONDS
        self._short_lives: list[float] = []

    def pause_after_end(self, ready_since: float | None) -> float:
        """Return for how many seconds to wait now that the process has ended.

        Parameters
        ----------
        ready_since
            When the process became ready; none if it never was.
        """
        now = self._now()
        if ready_since is None:
            return self._doubled(_FIRST_PAUSE_OF_FAILED_STARTS_SECONDS)
        if now - ready_since >= _SHORT_LIFE_SECONDS:
            self._pause_seconds = _FIRST_PAUSE_SECONDS
            return 0.0
        self._short_lives = [*(at for at in self._short_lives if now - at < _WITHIN_SECONDS), now]
        return self._doubled() if len(self._short_lives) >= _SHORT_LIVES else 0.0

    def _doubled(self, shortest_seconds: float = 0.0) -> float:
        pause_seconds = max(self._pause_seconds, shortest_seconds)
        self._pause_seconds = min(2 * pause_seconds, self._longest_pause_seconds)
        return pause_seconds


class ReadyPipe:
    """A pipe over which a process announces, once, that it is ready; its parent never waits for that."""

    def __init__(self) -> None:
        self._reader, self.writer = os.pipe()
        os.set_blocking(self._reader, False)
        self._is_ready = False

    def close_writer(self) -> None:
        """Close the writing end, which is now the other process's alone: so its end is the pipe's."""
        os.close(self.writer)

    def is_ready(self) -> bool:
        """Whether the process has announced that it is ready."""
        if not self._is_ready:
            with suppress(BlockingIOError):
                self._is_ready = os.read(self._reader, 1) != b""
        return self._is_ready

    def close(self) -> None:
        """Close the reading end."""
        os.close(self._reader)


class StartsWithReadiness(Generic[Started]):
    """Starts one process after another, and knows whether the last one has announced that it is ready.

    Parameters
    ----------
    start
        Starts a process; it calls ``report_ready`` with the given file descriptor when it is ready.
    """

    def __init__(self, start: Callable[[int], Started]) -> None:
        self._start = start
        self._pipe: ReadyPipe | None = None

    def start(self) -> Started:
        """Start another process, and listen to the one before no longer."""
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None
        pipe = ReadyPipe()
        try:
            process = self._start(pipe.writer)
        except BaseException:
            pipe.close()
            raise
        finally:
            pipe.close_writer()
        self._pipe = pipe
        return process

    def is_ready(self) -> bool:
        """Whether the process that was started last has announced that it is ready."""
        return self._pipe is not None and self._pipe.is_ready()


def report_ready(writer: int) -> None:
    """Announce over this file descriptor that this process is ready, and close it."""
    with suppress(OSError):  # the parent may be gone
        os.write(writer, b"\n")
    os.close(writer)
