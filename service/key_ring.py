"""KeyRing: the keys that callers are recognised by, in memory, read anew every second.

Recognising a caller asks no database. A key that was revoked, in this process or in any other, is known for as long as
one reading is trusted, and no longer: where the database cannot be read, nobody is let in after that time.
"""

import hmac
from threading import Lock
from time import monotonic

from schemas.key_texts import read_key
from storage.api_keys import ApiKeyStore, KnownKey

from .last_uses import LastUses
from .middleware.callers import Caller
from .recurring import Recurring

_SECONDS_BETWEEN_READS = 0.9
_SECONDS_TRUSTED = 1.8  # counted from before a reading
_NO_DIGEST = bytes(32)
_BEARER = b"bearer"


class KeyRing:
    """All keys of one database; ``start`` begins to read them."""

    def __init__(self, store: ApiKeyStore) -> None:
        self._store = store
        self._callers: dict[str, tuple[bytes, Caller]] = {}
        self._read_at = float("-inf")
        self._reading = Lock()
        self._uses = LastUses(store.mark_used)
        self._renewing = Recurring("keys", _SECONDS_BETWEEN_READS, self.renew)

    def find(self, credentials: bytes) -> Caller | None:
        """Return who shows these credentials, the value of an ``Authorization`` header; nobody for anything else.

        How long that takes does not tell an unknown key from a wrong secret.
        """
        scheme, _, text = credentials.partition(b" ")
        shown = read_key(text)
        if shown is None or scheme.lower() != _BEARER:
            return None
        digest, caller = self._callers.get(shown.id, (_NO_DIGEST, None))
        if not hmac.compare_digest(digest, shown.digest) or caller is None:
            return None
        self._uses.note(shown.id)
        return caller

    def is_stale(self) -> bool:
        """Say whether the last reading is too old to be trusted."""
        return monotonic() - self._read_at > _SECONDS_TRUSTED

    def renew(self) -> None:
        """Read the keys now; of several at once, the last one counts."""
        with self._reading:
            began = monotonic()
            # Most readings find nothing new, which takes a tenth of the time.
            if self._store.ids() != self._callers.keys():
                self._callers = {key.id: (key.digest, _caller(key)) for key in self._store.known().values()}
            self._read_at = began

    def start(self) -> None:
        """Begin to read keys, and to write down their uses."""
        self._renewing.start()
        self._uses.start()

    def stop(self) -> None:
        """Read and write no more."""
        self._renewing.stop()
        self._uses.stop()


def _caller(key: KnownKey) -> Caller:
    return Caller(key.id, key.scopes)
