"""Backup files: how a backup lies in a folder or a tar file, and how it is read back, every byte checked.

A folder can be backed up into again: objects that are there and whole are not copied again, and the manifest, which is
replaced last, says which database file and which objects belong together.
"""

import hashlib
import json
import os
import re
import shutil
import tarfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import IO

from .errors import CannotServe

FORMAT = 1
_MANIFEST = "manifest.json"
_BLOCK_BYTES = 1 << 20
_MOST_MANIFEST_BYTES = 1 << 30
_HASH = re.compile(r"[0-9a-f]{64}")
OpenFile = Callable[[str], IO[bytes]]
SourceOf = Callable[[str], Path]
"""Where the file with a SHA-256 is now; one that is missing has a path, too."""


class Damaged(CannotServe):
    """A file does not have its SHA-256, or cannot be read."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup consists of."""

    format: int
    made_at: str  # RFC 3339, UTC: what was committed before is in it
    service: str  # version that made it
    database: str  # SHA-256 of the database file
    objects: Mapping[str, int]  # size by SHA-256
    lacking: Sequence[str] = ()  # objects that rows refer to, and that were missing or damaged then
    database_id: str | None = None  # the database's own id; none before a service has ever used it

    def names(self) -> Iterator[tuple[str, str]]:
        """Yield the name of each file with its SHA-256, the database last."""
        for sha256 in self.objects:
            yield object_name(sha256), sha256
        yield database_name(self.database), self.database

    def without(self, lacking: Collection[str]) -> "Manifest":
        """Return the manifest of the same without files that could not be copied."""
        if self.database in lacking:
            message = "the copy of the database was damaged as soon as it was made: see to the disk"
            raise CannotServe(message)
        objects = {sha256: size for sha256, size in self.objects.items() if sha256 not in lacking}
        return replace(self, objects=objects, lacking=sorted(lacking))

    def encoded(self) -> bytes:
        """Return it as a file."""
        return json.dumps(asdict(self)).encode()


def object_name(sha256: str) -> str:
    """Return where an object lies in a backup."""
    return f"objects/{sha256[:2]}/{sha256}"


def database_name(sha256: str) -> str:
    """Return where the database lies in a backup."""
    return f"leafspace-{sha256[:16]}.db"


def write_folder(target: Path, manifest: Manifest, source_of: SourceOf) -> tuple[Manifest, int]:
    """Bring the folder up to date; return what is in it, which is all that is whole, and how many files were copied."""
    _refuse_another(target, manifest)
    (target / "objects").mkdir(parents=True, exist_ok=True, mode=0o700)
    n_copied, lacking = 0, set[str]()
    for name, sha256 in manifest.names():
        if _is_whole(target / name, sha256):
            continue
        (target / name).parent.mkdir(exist_ok=True, mode=0o700)
        try:
            with source_of(sha256).open("rb") as source:
                copy_checked(source, target / name, sha256)
        except (Damaged, FileNotFoundError):
            lacking.add(sha256)
        else:
            n_copied += 1
    written = manifest.without(lacking)
    _replace(target / _MANIFEST, written.encoded())
    _prune(target, {name for name, _ in written.names()})
    return written, n_copied


def _refuse_another(target: Path, manifest: Manifest) -> None:
    """Refuse a folder with the backup of another database, whose objects would be removed from it."""
    if not (target / _MANIFEST).exists():
        return
    database_id = _read_manifest(_opener_of(target)).database_id
    if database_id is not None and database_id != manifest.database_id:
        message = f"{target} is the backup of another database; name another folder, or remove this one first"
        raise CannotServe(message)


def write_tar(target: Path, manifest: Manifest, source_of: SourceOf) -> tuple[Manifest, int]:
    """Write a tar file of all that is whole, or none; return what is in it, and how many files were copied."""
    partial = target.with_name(f"{target.name}.partial")
    try:
        with partial.open("wb") as file, tarfile.open(fileobj=file, mode="w") as tar:
            names = manifest.names()
            lacking = {sha256 for name, sha256 in names if not _add(tar, file, name, source_of(sha256), sha256)}
            written = manifest.without(lacking)
            note = written.encoded()
            tar.addfile(_member(_MANIFEST, len(note)), BytesIO(note))
        _flush(partial)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return written, len(written.objects) + 1


def _add(tar: tarfile.TarFile, archive: IO[bytes], name: str, path: Path, sha256: str) -> bool:
    """Add a file, and return true; or leave it out, if it is missing or damaged."""
    start = tar.offset
    try:
        with path.open("rb") as file:
            checked = _Checked(file, sha256)
            tar.addfile(_member(name, path.stat().st_size), checked)
            checked.finish()
    except (Damaged, FileNotFoundError):
        # As if it had never been begun: what is in the archive is whole.
        tar.offset = start
        archive.seek(start)
        archive.truncate()
        return False
    return True


def _member(name: str, n_bytes: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = n_bytes, 0o600, int(time.time())
    return member


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
    """Copy a file, whole or not at all; raise ``Damaged`` when it does not have this SHA-256."""
    checked = _Checked(source, sha256)
    partial = target.with_name(f"{target.name}.partial")
    try:
        with partial.open("wb") as copy:
            shutil.copyfileobj(checked, copy, _BLOCK_BYTES)
            copy.flush()
            os.fsync(copy.fileno())
        checked.finish()
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


class _Checked:
    """A file that is read once, from start to end, and whose SHA-256 is known then."""

    def __init__(self, file: IO[bytes], sha256: str) -> None:
        self._file = file
        self._sha256 = sha256
        self._digest = hashlib.sha256()

    def read(self, n_bytes: int = -1) -> bytes:
        """Return the next bytes."""
        try:
            block = self._file.read(n_bytes)
        except OSError as error:
            message = f"{self._sha256} cannot be read where it was to be copied from: {error}"
            raise Damaged(message) from error
        self._digest.update(block)
        return block

    def finish(self) -> None:
        """Raise ``Damaged`` unless what was read has its SHA-256."""
        if self._digest.hexdigest() != self._sha256:
            message = f"{self._sha256} is damaged where it was to be copied from: it has another SHA-256 now"
            raise Damaged(message)


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
    if not all(_HASH.fullmatch(sha256) for sha256 in (manifest.database, *manifest.objects, *manifest.lacking)):
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
