"""Objects: immutable bytes known by their SHA-256, written whole or not at all, checked when read."""

import fcntl
import hashlib
import math
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import NotFound, ObjectDamaged, disk_full_is_said

_BLOCK_BYTES = 1 << 20
_ABANDONED_SECONDS = 24 * 3600
_TRUSTED_SECONDS = 60
_MOST_REMEMBERED = 1000


class ObjectStore:
    """Objects in a local directory.

    An object is written under a temporary name, flushed to disk, then renamed to its hash: a reader sees all of it
    or nothing, and what ``put`` returned survives a power cut.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._incoming = directory / "incoming"
        self._incoming.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._checked: dict[str, tuple[float, tuple[int, ...]]] = {}  # when, and what the file was like then

    @contextmanager
    def keeping(self) -> Iterator[None]:
        """Hold while objects and then the row that refers to them are kept: nothing is discarded meanwhile."""
        with self._locked(fcntl.LOCK_SH):
            yield

    @contextmanager
    def discarding(self) -> Iterator[None]:
        """Hold while a row and then the objects that it alone referred to are deleted: nothing is kept meanwhile."""
        with self._locked(fcntl.LOCK_EX):
            yield

    def put(self, data: bytes) -> str:
        """Keep ``data``; return its SHA-256 in hexadecimal. Kept already, it is not written, unless it is damaged."""
        sha256 = hashlib.sha256(data).hexdigest()
        if not self._holds(sha256):
            with self.workspace() as folder:
                path = folder / "object"
                with disk_full_is_said():
                    path.write_bytes(data)
                self._adopt(path, sha256)
        return sha256

    def put_file(self, path: Path) -> str:
        """Keep a copy of the file; return its SHA-256. A file inside a workspace is moved, not copied."""
        sha256 = file_sha256(path)
        if self._holds(sha256):
            return sha256
        if self._incoming in path.parents:
            self._adopt(path, sha256)
            return sha256
        with self.workspace() as folder, disk_full_is_said():
            shutil.copyfile(path, folder / "object")
            self._adopt(folder / "object", sha256)
        return sha256

    def get(self, sha256: str) -> bytes:
        """Return the object's bytes; raise ``ObjectDamaged`` when they no longer have their hash."""
        data = self._existing(sha256).read_bytes()
        if hashlib.sha256(data).hexdigest() != sha256:
            raise ObjectDamaged(sha256)
        return data

    def path(self, sha256: str) -> Path:
        """Return a readable file with the object's bytes, checked once now; it must not be written to."""
        path = self._existing(sha256)
        if file_sha256(path) != sha256:
            raise ObjectDamaged(sha256)
        return path

    def path_of_pages(self, sha256: str) -> Path:
        """Return the same for readers who come back for page after page: it is not checked again within a minute."""
        now, path = time.monotonic(), self._existing(sha256)
        checked_at, likeness = self._checked.get(sha256, (-math.inf, ()))
        if now - checked_at > _TRUSTED_SECONDS or likeness != _likeness(path):
            self.path(sha256)
            if len(self._checked) >= _MOST_REMEMBERED:
                self._checked.clear()
            self._checked[sha256] = now, _likeness(path)
        return path

    def delete(self, sha256: str) -> None:
        """Forget the object; an unknown one is no error."""
        self._path(sha256).unlink(missing_ok=True)

    def delete_damaged(self, sha256: str) -> None:
        """Forget the object if it no longer has its hash."""
        if not self._holds(sha256):
            self.delete(sha256)

    @contextmanager
    def workspace(self, name: str | None = None) -> Iterator[Path]:
        """Yield an empty private folder on the store's own file system; it is removed at the end.

        Under a ``name``, who outlives this process can clear what it left behind.
        """
        with disk_full_is_said():
            folder = Path(tempfile.mkdtemp(dir=self._incoming)) if name is None else self._empty_folder(name)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def clear_workspace(self, name: str) -> None:
        """Remove the workspace of this name, whose owner is gone; one that is not there is no error."""
        shutil.rmtree(self._incoming / name, ignore_errors=True)

    def sweep(self) -> None:
        """Remove workspaces that a process left behind when it was killed: those untouched for a day."""
        for folder in self._incoming.iterdir():
            if time.time() - folder.stat().st_mtime > _ABANDONED_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def _locked(self, mode: int) -> Iterator[None]:
        with (self._directory / "lock").open("ab") as lock:
            fcntl.flock(lock, mode)
            yield

    def _empty_folder(self, name: str) -> Path:
        self.clear_workspace(name)
        folder = self._incoming / name
        folder.mkdir(mode=0o700)
        return folder

    def _path(self, sha256: str) -> Path:
        return self._directory / sha256[:2] / sha256

    def _holds(self, sha256: str) -> bool:
        """Whether the object is there and whole."""
        try:
            return file_sha256(self._path(sha256)) == sha256
        except FileNotFoundError:
            return False

    def _existing(self, sha256: str) -> Path:
        path = self._path(sha256)
        if not path.exists():
            raise NotFound("object", sha256)
        return path

    def _adopt(self, path: Path, sha256: str) -> None:
        target = self._path(sha256)
        with disk_full_is_said():
            target.parent.mkdir(exist_ok=True)
            _flush(path)
            path.chmod(0o400)
            path.replace(target)
            _flush(target.parent)


def _likeness(path: Path) -> tuple[int, ...]:
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal, read in blocks."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
