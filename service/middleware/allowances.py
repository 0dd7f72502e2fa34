"""Allowances: how often callers may come, each at a rate of its own, with bursts."""

from collections.abc import Callable
from time import monotonic

_CROWD = "\0crowd"  # no caller is called so
_SECONDS_BETWEEN_SWEEPS = 1.0


class Allowances:
    """A token bucket for each caller, told by one number: when it will be full again.

    A caller whose bucket is full need not be remembered. Where too many are not, newcomers share one bucket, so that
    memory stays bounded whatever callers call themselves.

    Parameters
    ----------
    per_second
        How often a caller may come in the long run.
    burst
        How often at once, after a pause.
    n_callers
        How many are remembered.
    """

    __slots__ = ("_clock", "_full_at", "_n_callers", "_seconds_each", "_seconds_to_fill", "_sweep_at")

    def __init__(
        self, per_second: float, burst: int, n_callers: int = 10_000, clock: Callable[[], float] = monotonic
    ) -> None:
        self._seconds_each = 1 / per_second
        self._seconds_to_fill = burst / per_second
        self._n_callers = n_callers
        self._clock = clock
        self._full_at: dict[str, float] = {}
        self._sweep_at = 0.0

    def take(self, caller: str) -> float:
        """Take one from a caller's bucket and return 0, or return the seconds until there is one to take."""
        now = self._clock()
        full_at = self._full_at.get(caller)
        if full_at is None:
            if len(self._full_at) >= self._n_callers:
                caller = self._make_room(caller, now)
            full_at = self._full_at.get(caller, now)
        full_at = max(full_at, now) + self._seconds_each
        # A millionth for rounding: whoever waits as long as told is let in.
        if full_at - now > self._seconds_to_fill + 1e-6:
            return full_at - now - self._seconds_to_fill
        self._full_at[caller] = full_at
        return 0

    def _make_room(self, caller: str, now: float) -> str:
        """Forget callers whose buckets are full; return under which name a newcomer is counted."""
        if now >= self._sweep_at:
            self._sweep_at = now + _SECONDS_BETWEEN_SWEEPS
            self._full_at = {known: full_at for known, full_at in self._full_at.items() if full_at > now}
        return caller if len(self._full_at) < self._n_callers else _CROWD


def limited_to(per_second: float, burst: int) -> Allowances | None:
    """Return the allowances of callers; none where the rate is 0, which stands for no limit."""
    return Allowances(per_second, burst) if per_second > 0 else None
