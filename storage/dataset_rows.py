"""open_rows: the rows of a registered dataset, whether they are kept here or in the files of a lake."""

from pathlib import Path

from .dataset_files import DatasetFile, Parts
from .dataset_files.recent_columns import RecentColumns
from .manifests import Manifest
from .object_store import ObjectStore
from .source_files.registering import ManifestParts

_PARQUET = b"PAR1"


def open_rows(
    objects: ObjectStore, content: str, *, pages: bool = False, recent: RecentColumns | None = None
) -> DatasetFile:
    """Return the rows of a dataset, open for reading.

    Parameters
    ----------
    objects
        Where objects are, and the source files of datasets by reference.
    content
        The dataset's object: rows as normalised Parquet, or a manifest.
    pages
        Whether some rows are read rather than all: the object is not checked again within a minute.
    recent
        Holds the columns that rows are taken from; not those of files elsewhere, which are looked at each time.
    """
    parts = find_rows(objects, content, pages=pages)
    is_kept_here = isinstance(parts, Path)
    return DatasetFile(parts, recent.of(content)) if recent is not None and is_kept_here else DatasetFile(parts)


def find_rows(objects: ObjectStore, content: str, *, pages: bool = False) -> Path | Parts:
    """Return where the rows of a dataset are; parameters as of ``open_rows``."""
    path = objects.path_of_pages(content) if pages else objects.path(content)
    if is_normalised(path):
        return path
    return ManifestParts(objects.sources.manifest(content, path), objects.sources)


def local_rows(objects: ObjectStore, content: str, folder: Path) -> Path | Parts:
    """Return the rows of a dataset for processes that are forked from this one, and cannot fetch what is missing.

    Files of a dataset by reference are all fetched, and linked into the folder so that they stay.
    """
    rows = find_rows(objects, content)
    return rows if isinstance(rows, Path) else LinkedParts(rows, folder)


class LinkedParts:
    """Parts of a dataset by reference that are at hand."""

    def __init__(self, parts: Parts, folder: Path) -> None:
        self.columns = parts.columns
        self.group_rows = parts.group_rows
        self._paths = [folder / f"part_{part}.parquet" for part in range(len(parts.group_rows))]
        for part, path in enumerate(self._paths):
            path.hardlink_to(parts.path(part))

    def path(self, part: int) -> Path:
        """Return the file of a part."""
        return self._paths[part]

    def footer(self, part: int) -> None:
        """Return nothing: it is read from the file."""


def is_normalised(path: Path) -> bool:
    """Return whether a dataset's object holds its rows, rather than a manifest."""
    with path.open("rb") as file:
        return file.read(len(_PARQUET)) == _PARQUET


def read_manifest(objects: ObjectStore, content: str) -> Manifest | None:
    """Return the manifest of a dataset by reference; nothing where its rows are kept here."""
    path = objects.path_of_pages(content)
    return None if is_normalised(path) else objects.sources.manifest(content, path)
