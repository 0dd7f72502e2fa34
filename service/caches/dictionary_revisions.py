"""DictionaryRevisions: how new the words of each dataset are, in memory, read again every second.

Warm explainers hold words. Whether they are still those of their dataset takes no database to know; what another
process changed counts here within two seconds. Where the database does not answer, the last reading holds.
"""

from threading import Lock

from storage.commit_watch import CommitWatch
from storage.dictionaries import DictionaryStore

from ..background.recurring import Recurring

_SECONDS_BETWEEN_READS = 1.0


class DictionaryRevisions(Recurring):
    """The revision of each dictionary of one database; ``start`` begins to read them."""

    def __init__(self, store: DictionaryStore, commits: CommitWatch) -> None:
        self._store = store
        self._commits = commits
        self._revisions: dict[str, int] = {}
        self._reading = Lock()
        super().__init__("dictionaries", _SECONDS_BETWEEN_READS, self.renew)

    def of(self, dataset: str) -> int:
        """Return the revision of a dataset's dictionary, as of the last reading; 0 where there never was any."""
        return self._revisions.get(dataset, 0)

    def renew(self) -> None:
        """Read the revisions now."""
        with self._reading:
            self._commits.run(self._read)

    def stop(self) -> None:
        """Stop reading."""
        super().stop()
        self._commits.close()

    def _read(self) -> None:
        self._revisions = self._store.revisions()
