"""Objects: immutable bytes known by their SHA-256, written whole or not at all, checked when read."""

import hashlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple, Protocol

from .source_files.sources import SourceFiles


class PreparedFile(NamedTuple):
    """A file inside a workspace of whose content the hash is known; the disk has it, unless the object is there."""

    path: Path
    sha256: str

    @staticmethod
    def of(file: "Path | PreparedFile") -> "PreparedFile":
        """Return a file whose hash is known, by reading it if need be."""
        return file if isinstance(file, PreparedFile) else PreparedFile(file, file_sha256(file))


class ObjectStore(Protocol):
    """Where objects are kept: on a local disk (``LocalObjects``) or in a bucket (``RemoteObjects``).

    A reader sees all of an object or nothing, what ``put`` returned survives a power cut, and bytes that no longer
    have their hash are never handed out, but by ``path_of_pages`` for a minute after it checked them. All methods
    raise ``InsufficientStorage`` when there is no room, and ``StorageUnavailable`` when the store does not answer.
    """

    sources: SourceFiles
    """The files of datasets by reference, whose manifests are objects."""

    def keeping(self) -> AbstractContextManager[None]:
        """Hold while objects and then the row that refers to them are kept: none of them is discarded meanwhile."""
        ...

    def discarding(self) -> AbstractContextManager[None]:
        """Hold while a row and then the objects that it alone referred to are deleted."""
        ...

    def put(self, data: bytes) -> str:
        """Keep ``data``; return its SHA-256 in hexadecimal. A damaged copy is replaced."""
        ...

    def prepare(self, path: Path) -> "PreparedFile":
        """Do what takes longest of keeping a file inside a workspace, which is not written to any more."""
        ...

    def put_file(self, file: "Path | PreparedFile") -> str:
        """Keep a copy of the file; return its SHA-256. A file inside a workspace is moved, not copied."""
        ...

    def get(self, sha256: str) -> bytes:
        """Return the object's bytes; raise ``ObjectDamaged`` when they no longer have their hash."""
        ...

    def path(self, sha256: str) -> Path:
        """Return a readable file with the object's bytes, checked once now, to be opened soon and never written to."""
        ...

    def path_of_pages(self, sha256: str) -> Path:
        """Return the same for readers of one page after another: it is not checked again within a minute."""
        ...

    def delete(self, sha256: str) -> None:
        """Delete the object, at once or as soon as no writer keeps it; an unknown one is no error."""
        ...

    def delete_damaged(self, sha256: str) -> None:
        """Forget the object if it no longer has its hash."""
        ...

    def old_objects(self) -> Iterator[str]:
        """Yield the objects put so long ago that the row they were put for is there by now, if it ever will be."""
        ...

    def hashes(self) -> Iterator[str]:
        """Yield the SHA-256 of every object, old or young."""
        ...

    def mark(self) -> str | None:
        """Return the id of the database whose objects these are; none where that was never set."""
        ...

    def set_mark(self, database_id: str) -> None:
        """Let these be the objects of the database with this id."""
        ...

    def workspace(self, name: str | None = None) -> AbstractContextManager[Path]:
        """Yield an empty private folder on a local disk; it is removed at the end.

        A ``name`` lets another process clear the folder when this one ends early.
        """
        ...

    def clear_workspace(self, name: str) -> None:
        """Remove the workspace of this name, whose owner has ended; one that is not there is no error."""
        ...

    def is_available(self) -> bool:
        """Say within a few seconds whether the store answers."""
        ...

    def sweep(self) -> None:
        """Remove the workspaces that processes left behind when they were killed."""
        ...


MARK = "store-of"
"""The file of a store that holds the id of its database."""


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal, read in blocks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
