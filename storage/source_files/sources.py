"""SourceFiles: the files from which datasets by reference are read.

A file is fetched in the version that was registered. The sandbox's child, which has no network, writes its normalised
form, which readers use and which stays on the local disk for a while. So no process but a child parses callers' files.
"""

import json
import math
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import structlog

from sandbox.child_process import ChildOutcome, declare_task, run_child
from sandbox.messages import COULD_NOT_START, DISK_FULL, Confinement, Request

from ..dataset_files.layout import DatasetLimits, refuse_size, shown
from ..dataset_files.loading import LOADER
from ..errors import DatasetChanged, DatasetRefused, InsufficientStorage, StorageError, StorageUnavailable
from ..manifests import Manifest, SourceFile
from .locations import MAX_FILES, ListedFile, SourceLocation, open_location
from .part_cache import PartCache
from .part_facts import FACTS, PART, Agreement, PartFacts
from .part_task import source_name
from .roots import Pattern, SourceRoots

CACHE_BYTES = 20 << 30
_READ_FILES = declare_task(f"{__package__}.part_task.read_source_files", LOADER)
_LOG = structlog.get_logger(__name__)
_FILES_AT_ONCE = 64  # in one child, which takes a third of a second to start
_BYTES_AT_ONCE = 64 << 20  # and their size together; a larger file is read by itself
_SECONDS, _SECONDS_A_MEBIBYTE = 60.0, 0.5  # of processor time
_MEMORY_BYTES, _PART_FILE_BYTES = 4 << 30, 16 << 30
_LEAST_SHARE_OF_A_CORE = 0.1  # jobs yield to all else
_NICENESS = 5
_MANIFESTS_HELD = 8
_MAX_FACTS_BYTES = 64 << 20

Report = Callable[[int], None]
"""Called with the number of files that are done; it may raise."""


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """Which files may be read, and where their normalised forms are kept."""

    roots: tuple[str, ...] = ()
    cache_dir: Path = Path("source-cache")
    cache_bytes: int = CACHE_BYTES
    limits: DatasetLimits = field(default_factory=DatasetLimits)  # of each file
    patience_seconds: float | None = None  # for files that others are reading; None: as long as that takes


class SourceFiles:
    """The files below the roots that the operator allows. Safe to use from any thread; a file is read by one at a time.

    Nothing is opened before it is needed: what the library for buckets opens must not be carried across a fork.
    """

    def __init__(self, settings: SourceSettings) -> None:
        self._limits, self._patience_seconds = settings.limits, settings.patience_seconds
        self.roots = SourceRoots(settings.roots)
        self.cache = PartCache(settings.cache_dir, settings.cache_bytes)
        self._reading = threading.Lock()
        self._last: tuple[SourceFile, int] | None = None  # that was read: to go on with the next is to read them all
        self._manifests: dict[str, Manifest] = {}

    def find(self, pattern: Pattern) -> list[ListedFile]:
        """Return the files that a caller names, in the order of their names.

        Raises
        ------
        StorageError
            ``dataset_empty`` where there is none, ``dataset_too_large`` for more than 100,000, and where a symbolic
            link leads out of the root ``source_not_allowed``.
        """
        files: list[ListedFile] = []
        for file in open_location(pattern.root).files(pattern):
            files.append(file)
            if len(files) > MAX_FILES:
                refuse_size(f"the address names more than {MAX_FILES:,} files; name fewer")
        if not files:
            named = "/".join((pattern.root.url, *pattern.segments))
            raise DatasetRefused("dataset_empty", f"no file has an address such as {shown(named)}", "/source/files")
        return sorted(files)

    def read(
        self, pattern: Pattern, files: Sequence[ListedFile], agreement: Agreement, report: Report
    ) -> list[PartFacts]:
        """Return the facts of these files, in their order; their normalised forms are kept, as far as there is room."""
        location = open_location(pattern.root)
        facts: list[PartFacts] = []
        for batch in _batches(files):
            report(len(facts))
            facts += self._read_batch(pattern.root.url, location, batch, agreement)
        return facts

    def part(self, manifest: Manifest, index: int) -> Path:
        """Return the normalised form of a file of a dataset, for a reader who opens it soon.

        What is kept is returned at once; one file at a time is made, in a child, while its reader's thread waits.

        Raises
        ------
        DatasetChanged
            Where the file is no longer what it was when the dataset was registered, or is gone.
        StorageError
            ``source_not_allowed`` where the operator does not allow its root any more.
        StorageUnavailable
            Where others are reading for longer than this process may wait.
        """
        root, registered = self.roots.root(manifest.root), manifest.files[index]
        location, agreement = open_location(root), _agreement_of(manifest, registered)
        key = self.cache.key(root.url, _checked_file(location, registered), agreement)
        if (facts := self.cache.find(key)) is None:
            with self._turn():
                if self._last == (manifest.files[index - 1], index - 1):
                    batch = self._batch_from(manifest, index, location)
                else:
                    batch = [_checked_file(location, registered)]
                tags = {file: each.tag for file, each in zip(batch, manifest.files[index:], strict=False)}
                facts = self._read_batch(root.url, location, batch, agreement, tags)[0]
                key = self.cache.key(root.url, batch[0], agreement)
        self._last = registered, index
        if facts.tag != registered.tag or facts.group_rows != registered.group_rows:
            raise DatasetChanged(registered.name)
        return self.cache.path(key)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait until nobody else of this process reads a file."""
        if not self._reading.acquire(timeout=-1 if self._patience_seconds is None else self._patience_seconds):
            detail = "other files of datasets by reference are being read; try again in a moment"
            raise StorageUnavailable(detail)
        try:
            yield
        finally:
            self._reading.release()

    def _batch_from(self, manifest: Manifest, index: int, location: SourceLocation) -> list[ListedFile]:
        """Return a file and those after it that are best read by the same child, if it is to be made at all."""
        first = manifest.files[index]
        batch = [_checked_file(location, first)]
        agreement = _agreement_of(manifest, first)
        if self.cache.find(self.cache.key(manifest.root, batch[0], agreement)) is not None:
            return batch
        for registered in manifest.files[index + 1 : index + _FILES_AT_ONCE]:
            n_bytes = sum(file.size_bytes for file in batch) + registered.size_bytes
            if n_bytes > _BYTES_AT_ONCE or registered.differs != first.differs:
                break
            try:
                batch.append(_checked_file(location, registered))
            except DatasetChanged:  # reported when it is met
                break
        return batch

    def manifest(self, content: str, path: Path) -> Manifest:
        """Return a manifest that is kept as an object; the last few are held."""
        if (manifest := self._manifests.get(content)) is None:
            manifest = Manifest.of_json(path.read_bytes())
            while len(self._manifests) >= _MANIFESTS_HELD:
                self._manifests.pop(next(iter(self._manifests)), None)
            self._manifests[content] = manifest
        return manifest

    def _read_batch(
        self,
        root: str,
        location: SourceLocation,
        batch: Sequence[ListedFile],
        agreement: Agreement,
        tags: Mapping[ListedFile, str] | None = None,
    ) -> list[PartFacts]:
        facts = {file: self.cache.find(self.cache.key(root, file, agreement)) for file in batch}
        missing = [file for file, part in facts.items() if part is None]
        if missing:
            facts |= zip(missing, self._make(root, location, missing, agreement, tags or {}), strict=True)
        return [part for part in facts.values() if part is not None]

    def _make(
        self,
        root: str,
        location: SourceLocation,
        files: Sequence[ListedFile],
        agreement: Agreement,
        tags: Mapping[ListedFile, str],
    ) -> list[PartFacts]:
        """Fetch files, which must have their tags if these are known; keep the normalised forms that a child writes."""
        self.cache.free_space()
        with self.cache.workspace() as folder:
            fetched_tags = [self._fetched(location, file, folder, index) for index, file in enumerate(files)]
            for file, tag in zip(files, fetched_tags, strict=True):
                if tags.get(file, tag) != tag:
                    raise DatasetChanged(file.name)
            self._run_child(folder, files, agreement)
            parts = []
            for index, (file, tag) in enumerate(zip(files, fetched_tags, strict=True)):
                facts = _written_facts(folder / str(index))
                # Of the first file the columns are not known before; after that they are the same as in the others.
                key = self.cache.key(root, file, replace(agreement, names=agreement.names or facts.names))
                parts.append(self.cache.keep(key, folder / str(index), facts, tag))
            return parts

    def _fetched(self, location: SourceLocation, file: ListedFile, folder: Path, index: int) -> str:
        if file.size_bytes > self._limits.max_file_bytes:
            most = f"at most {self._limits.max_file_bytes:,} are read of one"
            refuse_size(f"file {shown(file.name)} has {file.size_bytes:,} bytes; {most}")
        (folder / str(index)).mkdir()
        return location.fetch(file, folder / source_name(index))

    def _run_child(self, folder: Path, files: Sequence[ListedFile], agreement: Agreement) -> None:
        n_bytes = sum(file.size_bytes for file in files)
        n_cpu_seconds = math.ceil(_SECONDS + _SECONDS_A_MEBIBYTE * n_bytes / (1 << 20))
        confinement = Confinement(
            parent=os.getpid(),
            n_memory_bytes=_MEMORY_BYTES + n_bytes,
            n_cpu_seconds=n_cpu_seconds,
            n_file_bytes=_PART_FILE_BYTES,
            n_open_files=64,
            nice=_NICENESS,
        )
        metadata = {"agreement": asdict(agreement), "files": [file.name for file in files]}
        upload = str(folder / source_name(0))
        request = Request(_READ_FILES, upload, None, metadata, asdict(self._limits), confinement)
        _check(run_child(request, n_cpu_seconds / _LEAST_SHARE_OF_A_CORE), files)


def _checked_file(location: SourceLocation, registered: SourceFile) -> ListedFile:
    file = location.stat(registered.name)
    if file.size_bytes != registered.size_bytes:
        raise DatasetChanged(registered.name)
    return file


def _written_facts(folder: Path) -> PartFacts:
    """Return the facts that a child wrote, and nothing that it could have written instead."""
    for path in (folder / FACTS, folder / PART):
        if path.is_symlink() or not path.is_file() or (path.name == FACTS and path.stat().st_size > _MAX_FACTS_BYTES):
            msg = f"the child process did not write {path.name}"
            raise RuntimeError(msg)
    return PartFacts.of_json(json.loads((folder / FACTS).read_text()))


def _agreement_of(manifest: Manifest, file: SourceFile) -> Agreement:
    """Return the agreement with which the child read the file when it was registered."""
    features = None if manifest.declared_features is None else tuple(manifest.declared_features)
    agreement = Agreement(manifest.target, manifest.row_id, features, manifest.file_names)
    if file.differs is None:
        return agreement
    return replace(agreement, texts=tuple(file.differs["texts"]), types=dict(file.differs["types"]))


def _batches(files: Sequence[ListedFile]) -> Iterator[list[ListedFile]]:
    """Yield files that one child reads."""
    batch: list[ListedFile] = []
    n_bytes = 0
    for file in files:
        if batch and (len(batch) == _FILES_AT_ONCE or n_bytes + file.size_bytes > _BYTES_AT_ONCE):
            yield batch
            batch, n_bytes = [], 0
        batch.append(file)
        n_bytes += file.size_bytes
    if batch:
        yield batch


def _check(outcome: ChildOutcome, files: Sequence[ListedFile]) -> None:
    """Raise the error that the end of a child means, unless it read all files."""
    answer = outcome.answer or {}
    if outcome.status == 0 and isinstance(answer.get("ok"), dict):
        return
    if outcome.status == COULD_NOT_START:
        msg = f"the child process for source files could not start: {outcome.errors}"
        raise RuntimeError(msg)
    if outcome.status == DISK_FULL:
        raise InsufficientStorage
    if outcome.status is None:
        detail = "the machine is too busy to read source files"
        raise StorageUnavailable(detail)
    if outcome.status == 0 and isinstance(answer.get("refused"), dict):
        raise DatasetRefused(answer["refused"]["code"], answer["refused"]["detail"])
    _LOG.warning("source_files_broke_their_child", status=outcome.status, errors=outcome.errors)
    names = shown(files[0].name) if len(files) == 1 else f"{shown(files[0].name)} to {shown(files[-1].name)}"
    detail = f"the files {names} could not be read within the limits of time and memory, or are damaged"
    raise StorageError("dataset_parse_error", detail)
