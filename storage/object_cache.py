"""Copies of remote objects on the local disk: so many bytes, those that were used last."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from .errors import NotFound
from .local_objects import LocalObjects

_IN_USE_SECONDS = 300


class _Copy(NamedTuple):
    used_at: float
    size_bytes: int
    path: Path


class ObjectCache(LocalObjects):
    """Objects in a local folder, of which those used least recently are let go when there is no room.

    None is let go that somebody asked for within five minutes: until then whoever asked has opened or mapped the
    file, and keeps reading it whatever becomes of its name. So the folder holds at most ``most_bytes``, or what was
    used within five minutes, whichever is more.
    """

    def __init__(self, directory: Path, most_bytes: int, now: Callable[[], float] = time.time) -> None:
        super().__init__(directory)
        self._most_bytes = most_bytes
        self._now = now

    def adopt(self, path: Path, sha256: str) -> None:
        """Move the file of a workspace here; it counts as used now, however long it took to fetch."""
        os.utime(path, (self._now(), self._now()))
        super().adopt(path, sha256)

    def mark_used(self, sha256: str) -> None:
        """Say that the object is about to be read; raise ``NotFound`` when there is no copy."""
        with self.keeping():
            # Of reading, not of writing: that the file was not written to since it was checked is told by the other.
            path = self.file(sha256)
            try:
                os.utime(path, ns=(int(self._now() * 1e9), path.stat().st_mtime_ns))
            except FileNotFoundError:
                raise NotFound("object", sha256) from None

    def make_room(self) -> None:
        """Let go what was used least recently, until the rest is small enough."""
        with self.discarding():
            copies = sorted(self._copies())
            excess = sum(copy.size_bytes for copy in copies) - self._most_bytes
            for copy in copies:
                if excess <= 0 or copy.used_at > self._now() - _IN_USE_SECONDS:
                    return
                copy.path.unlink(missing_ok=True)
                excess -= copy.size_bytes

    def _copies(self) -> list[_Copy]:
        found = ((path, path.stat()) for path in self.files())
        return [_Copy(stat.st_atime, stat.st_size, path) for path, stat in found]
