"""SharedBuckets: token buckets that the API processes of one host share, so that a caller has one quota of all.

A table of sets of eight entries: which set is a caller's follows from the hash of its name. An entry is the hash and
the time at which the bucket will be full again; one that is full is free for others. The first entry of a set counts
newcomers for whom there is no other, together. One file lock for each set takes two system calls, some microseconds.
"""

import struct
from collections.abc import Callable
from hashlib import blake2b
from time import monotonic

from .shared_memory import N_BUCKET_BYTES, Region

_N_ENTRIES = 8
_SET = struct.Struct("=" + "Qd" * _N_ENTRIES)
_ENTRY = struct.Struct("=Qd")
_N_SETS = N_BUCKET_BYTES // _SET.size


class SharedBuckets:
    """A token bucket for each caller; the clock is the machine's, the same in all processes.

    Parameters
    ----------
    region
        Where the buckets are.
    per_second, burst
        How often a caller may come in the long run, and at once after a pause.
    """

    __slots__ = ("_clock", "_region", "_seconds_each", "_seconds_to_fill")

    def __init__(self, region: Region, per_second: float, burst: int, clock: Callable[[], float] = monotonic) -> None:
        self._region = region
        self._seconds_each = 1 / per_second
        self._seconds_to_fill = burst / per_second
        self._clock = clock

    def take(self, caller: str) -> float:
        """Take one token from a caller's bucket and return 0, or return the seconds until there is one."""
        name = int.from_bytes(blake2b(caller.encode(), digest_size=8).digest(), "little") | 1  # 0 is nobody's
        start = (name >> 1) % _N_SETS * _SET.size
        with self._region.locked(start, _SET.size):
            now = self._clock()
            numbers = self._region.unpack(_SET, start)
            index, full_at = _entry_of(name, numbers[::2], numbers[1::2], now)
            full_at = max(full_at, now) + self._seconds_each
            # A millionth for rounding: a caller that waits as long as required is admitted.
            if full_at - now > self._seconds_to_fill + 1e-6:
                return full_at - now - self._seconds_to_fill
            self._region.pack(_ENTRY, start + index * _ENTRY.size, name if index else 0, full_at)
        return 0.0


def _entry_of(name: int, names: tuple[int, ...], full_at: tuple[float, ...], now: float) -> tuple[int, float]:
    """Return a caller's entry and when its bucket is full; an entry that is free, or the first, for a newcomer."""
    for index in range(1, _N_ENTRIES):
        if names[index] == name:
            return index, full_at[index]
    free = next((index for index in range(1, _N_ENTRIES) if full_at[index] <= now), 0)
    return free, now if free else full_at[0]
