"""DatasetContents: which object holds the rows of a dataset, without a statement for each call that names its rows.

A dataset may be deleted at any time. Each deletion is counted in memory that the API processes of a host share, and
what was read before the last one is read again. What a process of another host deletes counts here within two seconds.
"""

import struct
import threading
from time import monotonic

from storage.datasets import DatasetStore

from ..admission.shared_memory import SharedMemory

_SECONDS_TRUSTED = 1.8  # counted from before a reading
_MOST = 1000
_COUNT = struct.Struct("=Q")


class Deletions:
    """How many datasets were deleted by this process, or by all that share memory."""

    def __init__(self, shared: SharedMemory | None = None) -> None:
        self._count = 0
        self._lock = threading.Lock()
        self._region = None if shared is None else shared.deletions()

    @property
    def count(self) -> int:
        """Their number so far."""
        return self._count if self._region is None else int(self._region.unpack(_COUNT, 0)[0])

    def add(self) -> None:
        """Count a deletion that has been committed."""
        with self._lock:
            if self._region is None:
                self._count += 1
                return
            with self._region.locked():
                self._region.pack(_COUNT, 0, self.count + 1)


class DatasetContents:
    """The object of each dataset that was read lately."""

    def __init__(self, store: DatasetStore, deletions: Deletions) -> None:
        self._store = store
        self._deletions = deletions
        self._contents: dict[str, tuple[str, float, int]] = {}  # when it was read, and the number of deletions before

    def find(self, dataset_id: str) -> str | None:
        """Return the object that holds a dataset's rows, if that was read lately and nothing was deleted since."""
        content, read_at, n_deletions = self._contents.get(dataset_id, (None, 0.0, 0))
        is_trusted = monotonic() - read_at <= _SECONDS_TRUSTED and n_deletions == self._deletions.count
        return content if is_trusted else None

    def read(self, dataset_id: str) -> str:
        """Return the object that holds a dataset's rows now; raise ``NotFound`` where there is no such dataset."""
        began, n_deletions = monotonic(), self._deletions.count
        content = self._store.content(dataset_id)
        if len(self._contents) >= _MOST:
            self._contents.clear()
        self._contents[dataset_id] = content, began, n_deletions
        return content

    def forget(self, dataset_id: str) -> None:
        """Read nothing of a dataset that was deleted; other processes of the host do so, too."""
        self._deletions.add()
        self._contents.pop(dataset_id, None)
