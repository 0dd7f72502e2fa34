"""Backup files: how a backup lies in a folder or a tar file, and how it is read back, every byte checked.

A folder can be backed up into again: objects that are there and whole are not copied again, and the manifest, which is
replaced last, says which database file and which objects belong together.
"""

import hashlib
import json
import os
import re
import tarfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from .errors import CannotServe

FORMAT = 1
_MANIFEST = "manifest.json"
_BLOCK_BYTES = 1 << 20
_MOST_MANIFEST_BYTES = 1 << 30
_HASH = re.compile(r"[0-9a-f]{64}")
OpenFile = Callable[[str], IO[bytes]]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup consists of."""

    format: int
    made_at: str  # RFC 3339, UTC: what was committed before is in it
    service: str  # version that made it
    database: str  # SHA-256 of the database file
    objects: Mapping[str, int]  # size by SHA-256

    def names(self) -> Iterator[tuple[str, str]]:
        """Yield the name of each file with its SHA-256, the database last."""
        for sha256 in self.objects:
            yield object_name(sha256), sha256
        yield database_name(self.database), self.database


def object_name(sha256: str) -> str:
    """Return where an object lies in a backup."""
    return f"objects/{sha256[:2]}/{sha256}"


def database_name(sha256: str) -> str:
    """Return where the database lies in a backup."""
    return f"leafspace-{sha256[:16]}.db"


def write_folder(target: Path, manifest: Manifest, source_of: Callable[[str], Path]) -> int:
    """Bring the folder up to date; return how many files had to be copied.

    Parameters
    ----------
    source_of
        Where the file with a SHA-256 is now.
    """
    (target / "objects").mkdir(parents=True, exist_ok=True, mode=0o700)
    n_copied = 0
    for name, sha256 in manifest.names():
        if not _is_whole(target / name, sha256):
            (target / name).parent.mkdir(exist_ok=True)
            with source_of(sha256).open("rb") as source:
                copy_checked(source, target / name, sha256)
            n_copied += 1
    _replace(target / _MANIFEST, json.dumps(asdict(manifest)).encode())
    _prune(target, {name for name, _ in manifest.names()})
    return n_copied


def write_tar(target: Path, manifest: Manifest, source_of: Callable[[str], Path]) -> int:
    """Write a tar file, whole or not at all; return how many files are in it."""
    partial = target.with_name(f"{target.name}.partial")
    note = partial.with_name(f"{target.name}.manifest")
    try:
        note.write_bytes(json.dumps(asdict(manifest)).encode())
        with tarfile.open(partial, "w") as tar:
            tar.add(note, _MANIFEST)
            for name, sha256 in manifest.names():
                tar.add(source_of(sha256), name)
        _flush(partial)
        partial.replace(target)
    finally:
        note.unlink(missing_ok=True)
        partial.unlink(missing_ok=True)
    return len(manifest.objects) + 1


@contextmanager
def opened_backup(source: Path) -> Iterator[tuple[Manifest, OpenFile]]:
    """Yield what a backup consists of, and a function that opens its files by name.

    Raises
    ------
    CannotServe
        If there is no backup, or none that this version can read.
    """
    try:
        if source.is_dir():
            yield _read_manifest(_opener_of(source)), _opener_of(source)
            return
        with closing(tarfile.open(source)) as tar:
            yield _read_manifest(_opener_in(tar)), _opener_in(tar)
    except (FileNotFoundError, NotADirectoryError, KeyError, ValueError, TypeError, tarfile.TarError) as error:
        message = f"{source} is no whole backup: {error}"
        raise CannotServe(message) from error


def copy_checked(source: IO[bytes], target: Path, sha256: str) -> None:
    """Copy a file, whole or not at all; raise ``CannotServe`` when it does not have this SHA-256."""
    digest = hashlib.sha256()
    partial = target.with_name(f"{target.name}.partial")
    with partial.open("wb") as copy:
        while block := source.read(_BLOCK_BYTES):
            digest.update(block)
            copy.write(block)
        copy.flush()
        os.fsync(copy.fileno())
    if digest.hexdigest() != sha256:
        partial.unlink()
        message = f"{target.name} is damaged where it was to be copied from: its SHA-256 is {digest.hexdigest()}"
        raise CannotServe(message)
    partial.replace(target)


def _opener_of(folder: Path) -> OpenFile:
    return lambda name: (folder / name).open("rb")


def _opener_in(tar: tarfile.TarFile) -> OpenFile:
    def open_member(name: str) -> IO[bytes]:
        found = tar.extractfile(name)
        if found is None:
            raise KeyError(name)
        return found

    return open_member


def _read_manifest(open_file: OpenFile) -> Manifest:
    with open_file(_MANIFEST) as file:
        document = json.loads(file.read(_MOST_MANIFEST_BYTES))
    if document.get("format") != FORMAT:
        message = f"the backup has format {document.get('format')!r}; this version reads {FORMAT}"
        raise CannotServe(message)
    manifest = Manifest(**document)
    if not all(_HASH.fullmatch(sha256) for sha256 in (manifest.database, *manifest.objects)):
        message = "its manifest names something that is no SHA-256"
        raise ValueError(message)
    return manifest


def _is_whole(path: Path, sha256: str) -> bool:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == sha256
    except FileNotFoundError:
        return False


def _replace(path: Path, data: bytes) -> None:
    partial = path.with_name(f"{path.name}.partial")
    partial.write_bytes(data)
    _flush(partial)
    partial.replace(path)
    _flush(path.parent)


def _prune(target: Path, names: set[str]) -> None:
    # What earlier backups into this folder had and this one does not.
    found = [*target.glob("leafspace-*.db"), *target.glob("objects/??/*")]
    for path in found:
        if str(path.relative_to(target)) not in names:
            path.unlink()


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
