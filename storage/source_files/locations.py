"""Folders and buckets of source files, which are listed, fetched in a known version and checked again later."""

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from ..bucket import Bucket, BucketRefusal
from ..dataset_files.layout import shown
from ..errors import DatasetChanged, StorageError, StorageUnavailable, translate_disk_full
from .roots import Address, Pattern

MAX_FILES = 100_000
_MAX_LISTED = 1_000_000  # of a bucket, whether they match or not
_COPIED_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, order=True)
class ListedFile:
    """A file as it is now."""

    name: str  # below the root, with slashes
    size_bytes: int
    version: str  # changes with the file: its entity tag, or its inode and when that was changed


class SourceLocation(Protocol):
    """A folder or a bucket below which source files lie."""

    def files(self, pattern: Pattern) -> Iterator[ListedFile]:
        """Yield the files that a caller names, in any order."""

    def stat(self, name: str) -> ListedFile:
        """Return one file as it is now; raise ``DatasetChanged`` where it is gone."""

    def fetch(self, file: ListedFile, into: Path) -> str:
        """Copy a file that is still of this version; return its tag: what a manifest knows it by.

        Raises
        ------
        DatasetChanged
            Where it has another version, or is gone.
        """


class FolderLocation:
    """A folder of this host. Symbolic links are followed as long as they stay below it."""

    def __init__(self, root: Address) -> None:
        self._root = Path("/", *root.segments)

    def files(self, pattern: Pattern) -> Iterator[ListedFile]:
        """Yield the files that a caller names; refuse a link that leads out of the root."""
        yield from self._below(pattern, ())

    def _below(self, pattern: Pattern, segments: tuple[str, ...]) -> Iterator[ListedFile]:
        is_last = len(segments) + 1 == len(pattern.segments)
        try:
            entries = sorted(entry.name for entry in os.scandir(self._inside(segments)))
        except OSError:  # none of this name, or not for us to read
            return
        for name in entries:
            path = (*segments, name)
            if not pattern.matches(path):
                continue
            if any("\ud800" <= character <= "\udfff" for character in name):  # as which Python has other bytes
                detail = f"the name of {shown('/'.join(path))} is not UTF-8; rename the file, or name others"
                raise StorageError("source_not_allowed", detail, "/source/files")
            if not is_last and self._inside(path).is_dir():
                yield from self._below(pattern, path)
            elif is_last and self._inside(path).is_file():
                yield self.stat("/".join(path))

    def _inside(self, segments: tuple[str, ...]) -> Path:
        path = self._root.joinpath(*segments)
        real, root = os.path.realpath(path), os.path.realpath(self._root)
        if os.path.commonpath([real, root]) != root:
            detail = f"{shown('/'.join(segments))} is a link to a place that this service may not read"
            raise StorageError("source_not_allowed", detail, "/source/files")
        return Path(real)

    def stat(self, name: str) -> ListedFile:
        """Return one file as it is now."""
        with self._opened(name) as file:
            return _listed_file(name, file)

    def fetch(self, file: ListedFile, into: Path) -> str:
        """Copy a file, which is opened once, then checked; return its SHA-256."""
        digest = hashlib.sha256()
        with self._opened(file.name) as source, translate_disk_full(), into.open("wb") as target:
            before = _listed_file(file.name, source)
            while block := source.read(_COPIED_BYTES):
                digest.update(block)
                target.write(block)
            if not before == file == _listed_file(file.name, source):
                raise DatasetChanged(file.name)
        return digest.hexdigest()

    def _opened(self, name: str) -> BinaryIO:
        try:
            # Neither waits for a writer of a pipe nor takes a terminal; what was opened is looked at, not its name.
            descriptor = os.open(self._root / name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        except OSError as error:
            raise DatasetChanged(name, "is gone or cannot be read") from error
        file = os.fdopen(descriptor, "rb")
        real = os.path.realpath(f"/proc/self/fd/{descriptor}") if Path("/proc/self/fd").is_dir() else None
        root = os.path.realpath(self._root)
        is_outside = real is not None and os.path.commonpath([real, root]) != root
        if is_outside or not stat.S_ISREG(os.fstat(descriptor).st_mode):
            file.close()
            detail = f"{shown(name)} is no regular file below its root"
            raise StorageError("source_not_allowed", detail, "/source/files")
        return file


def _listed_file(name: str, file: BinaryIO) -> ListedFile:
    status = os.fstat(file.fileno())
    return ListedFile(name, status.st_size, f"{status.st_dev}:{status.st_ino}:{status.st_ctime_ns}")


class BucketLocation:
    """A prefix of a bucket. Endpoint and credentials come from the environment alone, as those of the objects'."""

    def __init__(self, root: Address) -> None:
        self._bucket = Bucket(root.url)

    def files(self, pattern: Pattern) -> Iterator[ListedFile]:
        """Yield the files that a caller names."""
        with _refusals_shown():
            yield from self._named(pattern)

    def _named(self, pattern: Pattern) -> Iterator[ListedFile]:
        if not any("*" in segment for segment in pattern.segments):
            with suppress(DatasetChanged):
                yield self.stat("/".join(pattern.segments))
            return
        for n_listed, file in enumerate(self._bucket.tagged_files("/".join(pattern.folder) or None)):
            if n_listed >= _MAX_LISTED:
                detail = f"more than {_MAX_LISTED:,} files lie there; name a folder further down"
                raise StorageError("dataset_too_large", detail, "/source/files")
            segments = tuple(file.name.split("/"))
            if len(segments) == len(pattern.segments) and pattern.matches(segments):
                yield ListedFile(file.name, file.size_bytes, file.tag)

    def stat(self, name: str) -> ListedFile:
        """Return one file as it is now."""
        with _refusals_shown():
            file = self._bucket.stat(name)
        if file is None:
            raise DatasetChanged(name, "is gone")
        return ListedFile(name, file.size_bytes, file.tag)

    def fetch(self, file: ListedFile, into: Path) -> str:
        """Copy a file, pinned to its entity tag; return that."""
        with _refusals_shown():
            is_whole = self._bucket.read_tagged(file.name, file.size_bytes, file.version, into)
        if not is_whole:
            raise DatasetChanged(file.name)
        return file.version


@contextmanager
def _refusals_shown() -> Iterator[None]:
    """Raise what will not pass by itself as a refusal: a job that waits for storage would wait for ever."""
    try:
        yield
    except StorageUnavailable as error:
        if not isinstance(error.__cause__, BucketRefusal) and "NoSuchBucket" not in str(error.__cause__):
            raise
        detail = "the bucket is not there, or does not let this service read; its operator can say why"
        raise StorageError("source_not_allowed", detail, "/source/files") from error


def open_location(root: Address) -> SourceLocation:
    """Return the location of a root; a bucket is not contacted before it is needed."""
    return BucketLocation(root) if root.scheme == "s3" else FolderLocation(root)
