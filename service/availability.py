"""Availability: whether something that the service rests on answers, asked no more often than it may be."""

import time
from collections.abc import Callable


class Availability:
    """Remembers the last answer for a while: who asks this service, however often, must not load what it rests on.

    Parameters
    ----------
    ask
        Says whether it answers now, within a few seconds.
    fresh_seconds
        For how long an answer is taken for true.
    """

    def __init__(
        self, ask: Callable[[], bool], fresh_seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._ask = ask
        self._fresh_seconds = fresh_seconds
        self._clock = clock
        self._last: tuple[float, bool] | None = None  # when it was asked, and the answer

    def __call__(self) -> bool:
        """Say whether it answers."""
        now = self._clock()
        if self._last is None or now - self._last[0] >= self._fresh_seconds:
            self._last = now, self._ask()
        return self._last[1]
