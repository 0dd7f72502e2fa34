"""LocksById: a lock for each id, there while somebody needs it."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock


class LocksById:
    """Lets those wait for each other who are about the same id, and nobody else."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._locks: dict[str, tuple[Lock, int]] = {}  # and how many hold it or wait for it

    @contextmanager
    def held(self, identifier: str) -> Iterator[None]:
        """Hold the id's lock."""
        with self._guard:
            lock, n_users = self._locks.get(identifier, (Lock(), 0))
            self._locks[identifier] = lock, n_users + 1
        try:
            with lock:
                yield
        finally:
            self._leave(identifier)

    def _leave(self, identifier: str) -> None:
        with self._guard:
            lock, n_users = self._locks.pop(identifier)
            if n_users > 1:
                self._locks[identifier] = lock, n_users - 1
