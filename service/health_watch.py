"""HealthWatch: what the service rests on, looked at once a second at most, however many ask."""

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
_PATIENCE_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Health:
    """What one look found."""

    database_fault: str | None  # none: rows can be read and written
    degraded: tuple[str, ...] = ()  # what else is away


_SILENT = Health(f"the database did not answer within {_PATIENCE_SECONDS:g} s")


class HealthWatch:
    """Looks in a thread of its own: those of requests may all be waiting for what is looked at.

    A look that is under way, or at most a second old, is everybody's: looking takes SQLite's lock for a moment, and
    strangers may ask as often as they like.

    Parameters
    ----------
    database
        Its connections must not be those for which requests wait.
    others
        What the service can do without, by name: whether it answers.
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
        self._ended_at = float("-inf")

    async def health(self) -> Health:
        """Return what is found, or was a moment ago; a database that is silent for three seconds is away."""
        # Shielded, as others wait for the same look.
        look = asyncio.shield(asyncio.wrap_future(self._shared_look()))
        try:
            return await asyncio.wait_for(look, _PATIENCE_SECONDS)
        except TimeoutError:
            return _SILENT

    def wait_for_health(self) -> Health:
        """Return the same to a thread."""
        try:
            return self._shared_look().result(_PATIENCE_SECONDS)
        except TimeoutError:
            return _SILENT

    def close(self) -> None:
        """Look no more."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _shared_look(self) -> "Future[Health]":
        with self._lock:
            is_old = self._last is None or (self._last.done() and self._clock() - self._ended_at >= _FRESH_SECONDS)
            if self._last is None or is_old:
                self._last = self._thread.submit(self._look)
            return self._last

    def _look(self) -> Health:
        try:
            check_database(self._database)
        except StorageError as error:
            return Health(error.detail)
        else:
            return Health(None, tuple(name for name, answers in self._others.items() if not answers()))
        finally:
            self._ended_at = self._clock()
