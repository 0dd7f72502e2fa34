"""LastUses: when each key was last used, noted at once and written down later."""

import time
from collections.abc import Callable, Mapping

from storage.api_keys import SECONDS_BETWEEN_USES

from .recurring import Recurring

_SECONDS_BETWEEN_WRITES = 2


class LastUses:
    """Notes uses in memory; a thread of its own writes those down that are due, at most one a minute for each key.

    Parameters
    ----------
    write
        Keeps times by key; it may take as long as the database takes.
    """

    def __init__(self, write: Callable[[Mapping[str, float]], None]) -> None:
        self._write = write
        self._used_at: dict[str, float] = {}
        self._written: dict[str, float] = {}
        self._writing = Recurring("last uses of keys", _SECONDS_BETWEEN_WRITES, self.write_due)

    def note(self, key_id: str) -> None:
        """Remember that the key was used now; takes a fraction of a microsecond."""
        self._used_at[key_id] = time.time()

    def write_due(self) -> None:
        """Write down the uses that are a minute younger than those written before."""
        # A copy made in one step: the event loop's thread goes on noting.
        used_at = self._used_at.copy()
        due = {key: at for key, at in used_at.items() if at >= self._written.get(key, 0.0) + SECONDS_BETWEEN_USES}
        if due:
            self._write(due)
            self._written |= due

    def start(self) -> None:
        """Begin to write."""
        self._writing.start()

    def stop(self) -> None:
        """Write no more."""
        self._writing.stop()
