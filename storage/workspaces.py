"""Workspaces: private folders in which things are written before they are kept; a lock shows whether one is in use.

The kernel releases a lock when its owner ends, however it ends: a folder without a lock may be removed.
"""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import translate_disk_full

_ABANDONED_SECONDS = 24 * 3600  # where the file system knows no locks


class Workspaces:
    """Folders below one directory, on the file system on which things are kept."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)

    @contextmanager
    def workspace(self, name: str | None) -> Iterator[Path]:
        """Yield an empty folder, called ``name`` if there is one; it is removed at the end."""
        with translate_disk_full():
            folder, lock = self._open(name)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)

    def clear(self, name: str) -> None:
        """Remove the folder of this name, whose owner has ended; one that is not there is no error."""
        shutil.rmtree(self.directory / name, ignore_errors=True)

    def sweep(self) -> None:
        """Remove the folders whose owner has ended."""
        for folder in self.directory.iterdir():
            try:
                lock = os.open(folder, os.O_RDONLY)
            except FileNotFoundError:
                continue
            try:
                if _is_abandoned(lock):
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)

    def _open(self, name: str | None) -> tuple[Path, int]:
        while True:
            folder = self._new_folder(name)
            try:
                lock = os.open(folder, os.O_RDONLY)
            except FileNotFoundError:
                continue
            if _is_ours(folder, lock):
                return folder, lock
            # It was swept before it was locked.
            os.close(lock)

    def _new_folder(self, name: str | None) -> Path:
        if name is None:
            return Path(tempfile.mkdtemp(dir=self.directory))
        self.clear(name)
        folder = self.directory / name
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder


def _is_ours(folder: Path, lock: int) -> bool:
    """Lock the folder; return whether it is still there."""
    with suppress(OSError):  # a file system without locks
        fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        return os.path.samestat(folder.stat(), os.fstat(lock))
    except FileNotFoundError:
        return False


def _is_abandoned(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return time.time() - os.fstat(lock).st_mtime > _ABANDONED_SECONDS
    return True
