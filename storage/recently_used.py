"""RecentlyUsed: what was made of datasets' content and is held in memory, up to a number of bytes."""

from collections import OrderedDict
from threading import Lock
from typing import Generic, Protocol, TypeAlias, TypeVar

Key: TypeAlias = tuple[str | int, ...]
"""Begins with the hash of a dataset's content, which never changes."""


class HasBytes(Protocol):
    """Something that knows how much memory it takes."""

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""


Value = TypeVar("Value", bound=HasBytes)


class RecentlyUsed(Generic[Value]):
    """Values by their keys, the least recently used dropped first; threads may share it.

    Parameters
    ----------
    most_bytes
        Of all values that are held.
    largest_share
        A value of more than one in this many of the bytes is not held.
    """

    def __init__(self, most_bytes: int, largest_share: int) -> None:
        self.largest_bytes = most_bytes // largest_share
        self._most_bytes = most_bytes
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._n_bytes = 0
        self._lock = Lock()

    def find(self, key: Key) -> Value | None:
        """Return the value of a key, if it is held."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key]

    def hold(self, key: Key, value: Value) -> None:
        """Hold a value, unless it is too large or another thread was first."""
        with self._lock:
            if key in self._values or value.nbytes > self.largest_bytes:
                return
            self._values[key] = value
            self._n_bytes += value.nbytes
            while self._n_bytes > self._most_bytes:
                _, oldest = self._values.popitem(last=False)
                self._n_bytes -= oldest.nbytes

    def forget(self, content: str) -> None:
        """Drop the values of a dataset that is deleted."""
        with self._lock:
            for key in [key for key in self._values if key[0] == content]:
                self._n_bytes -= self._values.pop(key).nbytes
