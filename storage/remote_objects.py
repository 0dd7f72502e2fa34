"""Objects in a bucket, which any number of hosts share, with a cache of those in use on the local disk.

An object is a file ``ab/abcd…/2026-11-21T23``: its hash, and the hour in which it was put. That hour is why objects
can be deleted while other hosts keep the same ones, without any lock between hosts: ``put`` always writes the file of
this hour, and only files older than a day are ever deleted (docs/decisions/0007-objects-in-buckets.md).
"""

import hashlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, TypeVar

from .bucket import Bucket, BucketFile
from .errors import InsufficientStorage, NotFound, ObjectDamaged
from .local_objects import LocalObjects
from .object_store import MARK, ObjectStore, PreparedFile, file_sha256
from .settings import StorageSettings
from .source_files.sources import SourceFiles, SourceSettings

_GRACE_SECONDS = 24 * 3600  # longer than it ever takes from a put to the commit of the row it was put for
_log = logging.getLogger(__name__)
_Read = TypeVar("_Read")

_IN_USE_SECONDS = 300


class _Copy(NamedTuple):
    used_at: float
    size_bytes: int
    path: Path


class ObjectCache(LocalObjects):
    """Objects in a local folder; those used least recently are removed when space runs out.

    None is removed that was requested within five minutes: by then its reader has opened or mapped the file, and
    keeps reading it whatever becomes of its name. So the folder holds at most ``most_bytes``, or what was
    used within five minutes, whichever is more.
    """

    def __init__(
        self,
        directory: Path,
        most_bytes: int,
        now: Callable[[], float] = time.time,
        sources: SourceFiles | None = None,
    ) -> None:
        super().__init__(directory, sources)
        self._most_bytes = most_bytes
        self._now = now

    def adopt(self, path: Path, sha256: str) -> None:
        """Move the file of a workspace here; it counts as used now, however long it took to fetch."""
        os.utime(path, (self._now(), self._now()))
        super().adopt(path, sha256)

    def mark_used(self, sha256: str) -> None:
        """Mark the object as about to be read; raise ``NotFound`` when there is no copy."""
        with self.keeping():
            # The time of reading alone: the time of writing shows that the file is unchanged since it was checked.
            path = self.file(sha256)
            try:
                os.utime(path, ns=(int(self._now() * 1e9), path.stat().st_mtime_ns))
            except FileNotFoundError:
                raise NotFound("object", sha256) from None

    def free_space(self) -> None:
        """Remove what was used least recently, until the rest is small enough."""
        with self.discarding():
            files = ((path, path.stat()) for path in self.files())
            copies = sorted(_Copy(stat.st_atime, stat.st_size, path) for path, stat in files)
            excess = sum(copy.size_bytes for copy in copies) - self._most_bytes
            for copy in copies:
                if excess <= 0 or copy.used_at > self._now() - _IN_USE_SECONDS:
                    return
                copy.path.unlink(missing_ok=True)
                excess -= copy.size_bytes


class RemoteObjects:
    """An ``ObjectStore`` in a bucket.

    Parameters
    ----------
    now
        Seconds since 1970. Clocks of hosts may differ by minutes; S3 itself refuses requests beyond a quarter of an
        hour.
    """

    def __init__(self, bucket: Bucket, cache: ObjectCache, now: Callable[[], float] = time.time) -> None:
        self._bucket = bucket
        self._cache = cache
        self.sources = cache.sources
        self._now = now
        self._discarding = threading.local()

    @contextmanager
    def keeping(self) -> Iterator[None]:
        """Hold for less than a day: what is put meanwhile is not discarded before that."""
        yield

    @contextmanager
    def discarding(self) -> Iterator[None]:
        """Remember the time: files that were young when rows were read are not deleted, however long it takes."""
        self._discarding.since = self._now()
        try:
            yield
        finally:
            del self._discarding.since

    def put(self, data: bytes) -> str:
        """Keep ``data``: written even if it is kept already, so that it is young and whole."""
        sha256 = hashlib.sha256(data).hexdigest()
        self._bucket.write(self._name_now(sha256), data)
        self._copy(lambda: self._cache.put(data))
        return sha256

    def prepare(self, path: Path) -> PreparedFile:
        """Hash a file inside a workspace, and flush it to the disk of copies."""
        return self._cache.prepare(path)

    def put_file(self, file: Path | PreparedFile) -> str:
        """Keep a copy of the file, in the same way."""
        prepared = PreparedFile.of(file)
        self._bucket.write(self._name_now(prepared.sha256), prepared.path)
        self._copy(lambda: self._cache.put_file(prepared))
        return prepared.sha256

    def get(self, sha256: str) -> bytes:
        """Return the object's bytes."""
        return self._read(sha256, self._cache.get)

    def path(self, sha256: str) -> Path:
        """Return a local copy, which stays for at least five minutes."""
        return self._read(sha256, self._cache.path)

    def path_of_pages(self, sha256: str) -> Path:
        """Return a local copy, which stays for at least five minutes."""
        return self._read(sha256, self._cache.path_of_pages)

    def delete(self, sha256: str) -> None:
        """Delete the object's files that are older than a day; younger ones are left to retention."""
        oldest_hour = self._oldest_hour()
        for file in self._files(sha256):
            if _hour_of(file) < oldest_hour:
                self._bucket.delete(file.name)
        self._cache.delete(sha256)

    def delete_damaged(self, sha256: str) -> None:
        """Delete the object if none of its files has its hash."""
        with suppress(NotFound):
            try:
                self.path(sha256)
            except ObjectDamaged:
                self.delete(sha256)

    def old_objects(self) -> Iterator[str]:
        """Yield the objects with files older than a day."""
        oldest_hour = self._oldest_hour()
        for file in self._bucket.files():
            if file.name != MARK and _hour_of(file) < oldest_hour:
                yield file.name.split("/")[-2]

    def hashes(self) -> Iterator[str]:
        """Yield the SHA-256 of every object."""
        names = (file.name.split("/")[-2] for file in self._bucket.files() if file.name != MARK)
        return (sha256 for sha256, _ in groupby(names))

    def mark(self) -> str | None:
        """Return the id of the database whose objects these are; none where that was never set."""
        file = self._bucket.stat(MARK)
        if file is None:
            return None
        with self.workspace() as folder:
            self._bucket.read(BucketFile(MARK, file.size_bytes), folder / MARK)
            return (folder / MARK).read_text().strip()

    def set_mark(self, database_id: str) -> None:
        """Let these be the objects of the database with this id."""
        self._bucket.write(MARK, database_id.encode())

    def workspace(self, name: str | None = None) -> AbstractContextManager[Path]:
        """Yield a folder beside the local copies."""
        return self._cache.workspace(name)

    def clear_workspace(self, name: str) -> None:
        """Remove the folder of this name."""
        self._cache.clear_workspace(name)

    def is_available(self) -> bool:
        """Say whether the bucket answers."""
        return self._bucket.answers()

    def sweep(self) -> None:
        """Remove folders that were left behind on this host."""
        self._cache.sweep()

    def _read(self, sha256: str, read: Callable[[str], _Read]) -> _Read:
        try:
            self._cache.mark_used(sha256)
            return read(sha256)
        except NotFound:
            pass
        except ObjectDamaged:
            _log.warning("the local copy of object %s is damaged; it is fetched again", sha256)
            self._cache.delete_damaged(sha256)
        self._fetch(sha256)
        return read(sha256)

    def _fetch(self, sha256: str) -> None:
        files = self._files(sha256)
        for file in reversed(files):
            with suppress(FileNotFoundError), self._cache.workspace() as folder:
                path = folder / "object"
                self._bucket.read(file, path)
                if file_sha256(path) == sha256:
                    self._cache.adopt(path, sha256)
                    self._cache.free_space()
                    return
            _log.error("file %s of the object store is damaged or missing", file.name)
        raise ObjectDamaged(sha256) if files else NotFound("object", sha256)

    def _copy(self, keep: Callable[[], str]) -> None:
        """Keep a local copy, too, for it is likely to be read soon; it is only a convenience."""
        try:
            keep()
        except InsufficientStorage:
            _log.warning("there is no room for a local copy of an object")
        self._cache.free_space()

    def _files(self, sha256: str) -> list[BucketFile]:
        """Return the object's files, oldest first."""
        return sorted(self._bucket.files(f"{sha256[:2]}/{sha256}"))

    def _name_now(self, sha256: str) -> str:
        return f"{sha256[:2]}/{sha256}/{_hour(self._now())}"

    def _oldest_hour(self) -> str:
        return _hour(getattr(self._discarding, "since", self._now()) - _GRACE_SECONDS)


def _hour(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H", time.gmtime(seconds))


def _hour_of(file: BucketFile) -> str:
    return file.name.rpartition("/")[2]


def open_objects(settings: StorageSettings) -> ObjectStore:
    """Return the store; a bucket is not contacted before it is needed."""
    cache_dir = settings.source_cache_dir or settings.objects_dir.parent / "source-cache"
    patience = settings.source_patience_seconds
    sources = SourceFiles(
        SourceSettings(settings.sources, cache_dir, settings.source_cache_bytes, patience_seconds=patience)
    )
    if settings.bucket_url is None:
        return LocalObjects(settings.objects_dir, sources)
    cache = ObjectCache(settings.objects_dir, settings.cache_bytes, sources=sources)
    return RemoteObjects(Bucket(settings.bucket_url), cache)
