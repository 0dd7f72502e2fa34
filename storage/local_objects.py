"""Objects in a folder of a local disk, shared by all processes of the host."""

import fcntl
import hashlib
import math
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from .errors import NotFound, ObjectDamaged, translate_disk_full
from .object_store import MARK, PreparedFile, file_sha256
from .source_files.sources import SourceFiles, SourceSettings
from .workspaces import Workspaces

_ABANDONED_SECONDS = 24 * 3600
_TRUSTED_SECONDS = 60
_MOST_REMEMBERED = 1000


class LocalObjects:
    """An ``ObjectStore`` in which an object is a file.

    It is written under a temporary name, flushed to disk, then renamed to its hash; its folder's entry, too, is
    flushed.
    """

    def __init__(self, directory: Path, sources: SourceFiles | None = None) -> None:
        self._directory = directory
        self.sources = sources or SourceFiles(SourceSettings(cache_dir=directory.parent / "source-cache"))
        self._workspaces = Workspaces(directory / "incoming")
        self._checked: dict[str, tuple[float, tuple[int, ...]]] = {}  # when, and what the file was like then
        self._flushed: set[str] = set()  # folders whose entry this process saw to disk, whichever process made them

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
        if not self._held(sha256):
            with self.workspace() as folder:
                path = folder / "object"
                with translate_disk_full():
                    path.write_bytes(data)
                self.adopt(path, sha256)
        return sha256

    def prepare(self, path: Path) -> PreparedFile:
        """Hash a file inside a workspace, and flush it to disk unless there is such an object."""
        prepared = PreparedFile.of(path)
        if not self.file(prepared.sha256).exists():
            with translate_disk_full():
                _flush(path)
        return prepared

    def put_file(self, file: Path | PreparedFile) -> str:
        """Keep a copy of the file; return its SHA-256. A file inside a workspace is moved, not copied."""
        path, sha256 = PreparedFile.of(file)
        if self._held(sha256):
            return sha256
        if self._workspaces.directory in path.parents:
            self.adopt(path, sha256)
            return sha256
        with self.workspace() as folder, translate_disk_full():
            shutil.copyfile(path, folder / "object")
            self.adopt(folder / "object", sha256)
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
        """Return the same for readers of one page after another: it is not checked again within a minute.

        A file that was written to is, at once; damage that leaves its time as it was is found after that minute.
        """
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
        self.file(sha256).unlink(missing_ok=True)

    def delete_damaged(self, sha256: str) -> None:
        """Forget the object if it no longer has its hash."""
        if not self._holds(sha256):
            self.delete(sha256)

    def old_objects(self) -> Iterator[str]:
        """Yield the objects written more than a day ago."""
        for path in self.files():
            with suppress(FileNotFoundError):
                if time.time() - path.stat().st_mtime > _ABANDONED_SECONDS:
                    yield path.name

    def hashes(self) -> Iterator[str]:
        """Yield the SHA-256 of every object."""
        return (path.name for path in self.files())

    def mark(self) -> str | None:
        """Return the id of the database whose objects these are; none where that was never set."""
        try:
            return (self._directory / MARK).read_text().strip()
        except FileNotFoundError:
            return None

    def set_mark(self, database_id: str) -> None:
        """Let these be the objects of the database with this id."""
        with self.workspace() as folder, translate_disk_full():
            (folder / MARK).write_text(database_id)
            _flush(folder / MARK)
            (folder / MARK).replace(self._directory / MARK)
            _flush(self._directory)

    def files(self) -> Iterator[Path]:
        """Yield the files of all objects."""
        for folder in self._directory.glob("??"):
            yield from folder.iterdir()

    def workspace(self, name: str | None = None) -> AbstractContextManager[Path]:
        """Yield an empty private folder on the store's own file system; it is removed at the end.

        A ``name`` lets another process clear the folder when this one ends early.
        """
        return self._workspaces.workspace(name)

    def clear_workspace(self, name: str) -> None:
        """Remove the workspace of this name, whose owner has ended; one that is not there is no error."""
        self._workspaces.clear(name)

    def is_available(self) -> bool:
        """Say whether the folder is there and can be written to."""
        return os.access(self._directory, os.W_OK)

    def sweep(self) -> None:
        """Remove the workspaces that processes left behind when they were killed."""
        self._workspaces.sweep()

    @contextmanager
    def _locked(self, mode: int) -> Iterator[None]:
        with (self._directory / "lock").open("ab") as lock:
            fcntl.flock(lock, mode)
            yield

    def file(self, sha256: str) -> Path:
        """Return where the object is kept, if it is."""
        return self._directory / sha256[:2] / sha256

    def _holds(self, sha256: str) -> bool:
        """Whether the object is there and whole."""
        try:
            return file_sha256(self.file(sha256)) == sha256
        except FileNotFoundError:
            return False

    def _held(self, sha256: str) -> bool:
        """Whether the object is there, and was whole within the last minute."""
        try:
            self.path_of_pages(sha256)
        except (NotFound, ObjectDamaged, FileNotFoundError):
            return False
        return True

    def _existing(self, sha256: str) -> Path:
        path = self.file(sha256)
        if not path.exists():
            raise NotFound("object", sha256)
        return path

    def adopt(self, path: Path, sha256: str) -> None:
        """Move the file of a workspace here; its hash is this one."""
        target = self.file(sha256)
        with translate_disk_full():
            target.parent.mkdir(exist_ok=True)
            if target.parent.name not in self._flushed:
                _flush(self._directory)
                self._flushed.add(target.parent.name)
            _flush(path)
            path.chmod(0o400)
            path.replace(target)
            _flush(target.parent)


def _likeness(path: Path) -> tuple[int, ...]:
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
