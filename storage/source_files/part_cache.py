"""PartCache: normalised forms of source files on the local disk, of which those used least recently are removed."""

import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path

from schemas.identifiers import canonical_json

from ..workspaces import Workspaces
from .locations import ListedFile
from .part_facts import FACTS, PART, Agreement, PartFacts

REVISION = 1
"""To be raised when the same file would get another normalised form, or other facts."""
_IN_USE_SECONDS = 300
_PART_BYTES = "part_bytes"  # in the file of a part's facts: its normalised form's size


class PartCache:
    """Folders with a normalised file and its facts each, whose names say what they were made of.

    None that was requested in the last five minutes is removed: after them its reader has opened the file.
    """

    def __init__(self, directory: Path, most_bytes: int, now: Callable[[], float] = time.time) -> None:
        self._directory = directory
        self._most_bytes = most_bytes
        self._now = now

    def key(self, root: str, file: ListedFile, agreement: Agreement) -> str:
        """Return the name of the normalised form of a version of a file."""
        made_of = [REVISION, root, file.name, file.size_bytes, file.version, asdict(agreement)]
        return hashlib.sha256(canonical_json(made_of)).hexdigest()

    def find(self, key: str) -> PartFacts | None:
        """Return the facts of a part that is kept whole, which counts as used now."""
        folder = self._folder(key)
        try:
            facts = json.loads((folder / FACTS).read_text())
            os.utime(folder, (self._now(), self._now()))
            # Else a process was killed while it removed the folder, or the machine lost its power.
            is_whole = (folder / PART).stat().st_size == facts[_PART_BYTES]
            return PartFacts.of_json(facts) if is_whole else None
        except (FileNotFoundError, ValueError, KeyError):
            return None

    def path(self, key: str) -> Path:
        """Return the normalised file of a part that was found."""
        return self._folder(key) / PART

    def keep(self, key: str, folder: Path, facts: PartFacts, tag: str) -> PartFacts:
        """Move a folder with a part here, unless another process was faster; return its facts with the file's tag."""
        tagged = replace(facts, tag=tag)
        size_bytes = (folder / PART).stat().st_size
        (folder / FACTS).write_text(json.dumps({**asdict(tagged), _PART_BYTES: size_bytes}))
        self._folder(key).parent.mkdir(parents=True, exist_ok=True)
        if self.find(key) is None:
            with suppress(FileNotFoundError):  # what a process left that was killed while it removed it
                self._folder(key).rename(folder.with_name(f"{folder.name}.rest"))
        with suppress(OSError):  # it is there
            folder.rename(self._folder(key))
            os.utime(self._folder(key), (self._now(), self._now()))
        return tagged

    @contextmanager
    def workspace(self) -> Iterator[Path]:
        """Yield an empty folder of the same file system; folders of processes that were killed are removed first."""
        workspaces = Workspaces(self._directory / "incoming")
        workspaces.sweep()
        with workspaces.workspace(None) as folder:
            yield folder

    def free_space(self) -> None:
        """Remove what was used least recently, until the rest is small enough."""
        parts = sorted(self._parts())
        excess = sum(size for _, size, _ in parts) - self._most_bytes
        for used_at, size, folder in parts:
            if excess <= 0 or used_at > self._now() - _IN_USE_SECONDS:
                return
            shutil.rmtree(folder, ignore_errors=True)
            excess -= size

    def size_bytes(self) -> int:
        """Return the size of all normalised files."""
        return sum(size for _, size, _ in self._parts())

    def _parts(self) -> Iterator[tuple[float, int, Path]]:
        for folder in self._directory.glob("??/*"):
            with suppress(FileNotFoundError):
                yield folder.stat().st_mtime, (folder / PART).stat().st_size, folder

    def _folder(self, key: str) -> Path:
        return self._directory / key[:2] / key
