"""Codes that open the page once: a program with a key opens a browser in which nobody needs to enter it.

The program requests a code with its key, and opens the page with the code behind the ``#`` of the address, which
browsers send to nobody. The page redeems it for the key, once, within 30 seconds. Codes are kept in memory alone.
"""

import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass

SECONDS = 30.0
_MOST = 1000
_CODE_BYTES = 32


@dataclass(frozen=True, slots=True)
class _Entry:
    key: str
    until: float  # on the monotonic clock


class PageCodes:
    """The codes of one process."""

    def __init__(self) -> None:
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._lock = threading.Lock()

    def make(self, key: str) -> str:
        """Return a new code for a key; beyond a thousand, the oldest is forgotten."""
        code, now = secrets.token_urlsafe(_CODE_BYTES), time.monotonic()
        with self._lock:
            self._entries[code] = _Entry(key, now + SECONDS)
            while len(self._entries) > _MOST or next(iter(self._entries.values())).until < now:
                self._entries.popitem(last=False)
        return code

    def redeem(self, code: str) -> str | None:
        """Return the key of a code, which is valid no longer; None if it was redeemed, is too old, or never was."""
        with self._lock:
            entry = self._entries.pop(code, None)
        return entry.key if entry is not None and time.monotonic() < entry.until else None
