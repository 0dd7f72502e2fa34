"""ExplainerDirectory: what the names of explainers mean, in memory, read again every second.

Finding a name needs no database. What another process changed counts here within two seconds: a reading that is older
than it may be is not used, and the request that finds it so waits for a new one.
"""

from threading import Lock
from time import monotonic

from storage.commit_watch import CommitWatch
from storage.explainer_names import ExplainerNameStore

from ..background.recurring import Recurring

_SECONDS_BETWEEN_READS = 0.9
_SECONDS_TRUSTED = 1.8  # counted from before a reading


class ExplainerDirectory(Recurring):
    """The explainer of each name of one database; ``start`` begins to read them."""

    def __init__(self, store: ExplainerNameStore, commits: CommitWatch) -> None:
        self._store = store
        self._commits = commits
        self._explainers: dict[str, str] = {}
        self._read_at = float("-inf")
        self._reading = Lock()
        super().__init__("explainer names", _SECONDS_BETWEEN_READS, self.renew)

    def find(self, name: str) -> str | None:
        """Return the id of the explainer that the name means, as of the last reading."""
        return self._explainers.get(name)

    def is_stale(self) -> bool:
        """Return whether the last reading is too old to be used."""
        return monotonic() - self._read_at > _SECONDS_TRUSTED

    def renew(self) -> None:
        """Read the names now; of several readings at once, the last one counts."""
        with self._reading:
            began = monotonic()
            self._commits.run(self._read)
            self._read_at = began

    def stop(self) -> None:
        """Stop reading."""
        super().stop()
        self._commits.close()

    def _read(self) -> None:
        self._explainers = self._store.targets()
