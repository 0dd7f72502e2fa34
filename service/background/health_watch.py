"""Health: whether the database, Redis, the objects and the disk are available, checked at most once a second.

What is not available is checked again sooner, so that its return is noticed: after a tenth of that time, or after as
long as the check took, so that checks that time out are not repeated without a pause.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock

from storage.database import Database
from storage.database_health import check_database
from storage.errors import StorageError

_FRESH_SECONDS = 1.0
_SHARE_OF_FAULTS = 0.1  # of the time for which what is well is fresh
_PATIENCE_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Health:
    """The result of one check."""

    database_fault: str | None  # none: rows can be read and written
    degraded: tuple[str, ...] = ()  # what else is not available


_SILENT = Health(f"the database did not answer within {_PATIENCE_SECONDS:g} s")


class HealthWatch:
    """Check in a thread of its own: those of requests may all be waiting for what is checked.

    A check that is under way, or whose result is still fresh, is shared by all callers: it takes SQLite's lock for a
    moment, and callers without a key may send this request as often as they like.

    Parameters
    ----------
    database
        Its connections must not be those for which requests wait.
    others
        What the service can do without: a check of availability by name.
    """

    def __init__(
        self, database: Database, others: Mapping[str, Callable[[], bool]], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._database = database
        self._others = others
        self._clock = clock
        self._lock = Lock()
        self._thread = ThreadPoolExecutor(1, "health checks")
        self._last: Future[Health] | None = None
        self._old_at = float("-inf")  # by the clock; once it has ended

    async def health(self) -> Health:
        """Return the health now, or a moment ago; a database that is silent for three seconds counts as away."""
        # Shielded, as others wait for the same check.
        check = asyncio.shield(asyncio.wrap_future(self._shared_check()))
        try:
            return await asyncio.wait_for(check, _PATIENCE_SECONDS)
        except TimeoutError:
            return _SILENT

    def wait_for_health(self) -> Health:
        """Return the same in a thread."""
        try:
            return self._shared_check().result(_PATIENCE_SECONDS)
        except TimeoutError:
            return _SILENT

    def close(self) -> None:
        """Stop checking."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _shared_check(self) -> "Future[Health]":
        with self._lock:
            is_old = self._last is None or (self._last.done() and self._clock() >= self._old_at)
            if self._last is None or is_old:
                self._last = self._thread.submit(self._check_all)
            return self._last

    def _check_all(self) -> Health:
        began, health = self._clock(), _SILENT
        try:
            health = self._checked()
            return health
        finally:
            self._old_at = _old_at(began, self._clock(), _FRESH_SECONDS, is_well=health == Health(None))

    def _checked(self) -> Health:
        try:
            check_database(self._database)
        except StorageError as error:
            return Health(error.detail)
        return Health(None, tuple(name for name, is_available in self._others.items() if not is_available()))


class Availability:
    """Remember the last check for a while: frequent requests must not load what the service depends on.

    Parameters
    ----------
    check
        Returns whether it is available now, within a few seconds.
    fresh_seconds
        For how long a result is reused; what is not available is checked again sooner.
    """

    def __init__(
        self, check: Callable[[], bool], fresh_seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._check = check
        self._fresh_seconds = fresh_seconds
        self._clock = clock
        self._last: tuple[float, bool] | None = None  # until when it is reused, and the result

    def __call__(self) -> bool:
        """Return whether it is available."""
        began = self._clock()
        if self._last is None or began >= self._last[0]:
            is_available = self._check()
            self._last = _old_at(began, self._clock(), self._fresh_seconds, is_well=is_available), is_available
        return self._last[1]


def _old_at(began: float, ended: float, fresh_seconds: float, *, is_well: bool) -> float:
    """Return until when the result of a check is reused, by the clock that says when it began and ended."""
    return ended + (
        fresh_seconds if is_well else min(fresh_seconds, max(_SHARE_OF_FAULTS * fresh_seconds, ended - began))
    )
