"""KeyRing: the keys by which callers are recognised, in memory, read again every second.

Recognising a caller needs no database. A key that was revoked, in this process or in any other, is accepted for as long
as one reading is trusted, and no longer: where the database cannot be read, no caller is admitted after that time. The
time of each key's last use is noted in memory and written later. Both are done by threads that repeat one function.
"""

import hmac
import time
from collections.abc import Callable, Mapping
from threading import Lock
from time import monotonic

from schemas.key_texts import read_key
from storage.api_keys import SECONDS_BETWEEN_USES, ApiKeyStore

from ..background.recurring import Recurring
from ..callers import Caller

_SECONDS_BETWEEN_READS = 0.9
_SECONDS_TRUSTED = 1.8  # counted from before a reading
_SECONDS_BETWEEN_WRITES = 2
_NO_DIGEST = bytes(32)
_BEARER = b"bearer"


class KeyRing(Recurring):
    """All keys of one database; ``start`` begins to read them."""

    def __init__(self, store: ApiKeyStore) -> None:
        self._store = store
        self._callers: dict[str, tuple[bytes, float, Caller]] = {}
        self._read_at = float("-inf")
        self._reading = Lock()
        self._uses = LastUses(store.mark_used)
        super().__init__("keys", _SECONDS_BETWEEN_READS, self.renew)

    def find(self, credentials: bytes) -> Caller | None:
        """Return the caller with these credentials, the value of an ``Authorization`` header, or ``None``.

        A key that has expired is no key. How long that takes does not reveal whether the key or its secret is wrong.
        """
        scheme, _, text = credentials.partition(b" ")
        shown = read_key(text)
        if shown is None or scheme.lower() != _BEARER:
            return None
        digest, expires_at, caller = self._callers.get(shown.id, (_NO_DIGEST, 0.0, None))
        if not hmac.compare_digest(digest, shown.digest) or caller is None or time.time() >= expires_at:
            return None
        self._uses.note(shown.id)
        return caller

    def is_stale(self) -> bool:
        """Return whether the last reading is too old to be trusted."""
        return monotonic() - self._read_at > _SECONDS_TRUSTED

    def renew(self) -> None:
        """Read the keys now; of several readings at once, the last one counts."""
        with self._reading:
            began = monotonic()
            # Most readings find nothing new, which takes a tenth of the time.
            if self._store.ids() != self._callers.keys():
                self._callers = {
                    key.id: (key.digest, key.expires_at, Caller(key.id, key.scopes, key.name))
                    for key in self._store.known().values()
                }
            self._read_at = began

    def start(self) -> None:
        """Start to read keys, and to write their last uses."""
        super().start()
        self._uses.start()

    def stop(self) -> None:
        """Stop reading and writing."""
        super().stop()
        self._uses.stop()


class LastUses(Recurring):
    """Note uses in memory; a thread of its own writes those that are due, at most one a minute for each key.

    Parameters
    ----------
    write
        Stores times by key; it may take as long as the database takes.
    """

    def __init__(self, write: Callable[[Mapping[str, float]], None]) -> None:
        self._write = write
        self._used_at: dict[str, float] = {}
        self._written: dict[str, float] = {}
        super().__init__("last uses of keys", _SECONDS_BETWEEN_WRITES, self.write_due)

    def note(self, key_id: str) -> None:
        """Remember that the key was used now; takes a fraction of a microsecond."""
        self._used_at[key_id] = time.time()

    def write_due(self) -> None:
        """Write the uses that are a minute younger than those written before."""
        # A copy made in one step: the event loop's thread goes on noting.
        used_at = self._used_at.copy()
        due = {key: at for key, at in used_at.items() if at >= self._written.get(key, 0.0) + SECONDS_BETWEEN_USES}
        if due:
            self._write(due)
            self._written |= due
