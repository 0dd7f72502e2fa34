"""Codes that open the page once: a program with a key opens a browser in which nobody needs to enter it.

The program requests a code with its key, and opens the page with the code behind the ``#`` of the address, which
browsers send to nobody. The page redeems it for the key, once, within 30 seconds. Codes are kept in memory alone, which
the API processes of a host share.
"""

import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ..admission.shared_memory import SharedMemory

SECONDS = 30.0
_MOST = 1000
_CODE_BYTES = 32


class PageCodes:
    """The codes of one process, or of all that share memory: the key of each, and until when it is valid."""

    def __init__(self, shared: SharedMemory | None = None) -> None:
        self._entries: dict[str, tuple[str, float]] = {}  # in the order of their times, on the monotonic clock
        self._lock = threading.Lock()
        self._region = None if shared is None else shared.codes()

    def make(self, key: str) -> str:
        """Return a new code for a key; beyond a thousand, the oldest is forgotten."""
        code, now = secrets.token_urlsafe(_CODE_BYTES), time.monotonic()
        with self._changing() as entries:
            entries[code] = key, now + SECONDS
            while len(entries) > _MOST or next(iter(entries.values()))[1] < now:
                entries.pop(next(iter(entries)))
        return code

    def redeem(self, code: str) -> str | None:
        """Return the key of a code, which is valid no longer; None if it was redeemed, is too old, or never was."""
        with self._changing() as entries:
            key, until = entries.pop(code, (None, 0.0))
        return key if time.monotonic() < until else None

    @contextmanager
    def _changing(self) -> Iterator[dict[str, tuple[str, float]]]:
        with self._lock:
            if self._region is None:
                yield self._entries
                return
            with self._region.locked():
                entries = self._region.document() or {}
                yield entries
                self._region.write_document(entries)
