"""Uploads: an uploaded file in a private folder while it is read, with the id that its content has."""

import shutil
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from sandbox.messages import upload_of_table
from schemas.contract import Contract
from schemas.identifiers import content_identifier
from storage.object_store import ObjectStore, file_sha256


@dataclass(frozen=True, slots=True)
class Upload:
    """A file and what came with it."""

    path: Path
    metadata: dict[str, Any]
    id: str  # of the same bytes with the same metadata, always

    @property
    def size_bytes(self) -> int:
        """Size of the file."""
        return self.path.stat().st_size


@contextmanager
def received(
    objects: ObjectStore,
    file: BinaryIO,
    noun: str,
    metadata: Contract,
    sha256: str | None = None,
    left_out: AbstractSet[str] = frozenset(),
) -> Iterator[Upload]:
    """Yield the upload; its folder and everything in it are removed afterwards.

    Parameters
    ----------
    objects
        Where there is room for the folder.
    file
        The file from its start.
    noun, metadata
        What the file becomes, and what came with it.
    sha256
        Of the file in hexadecimal, where it is known: then the file is not hashed again.
    left_out
        Fields of the metadata that have their defaults and were added later: without them, ids remain what they were.
    """
    with objects.workspace() as folder:
        path = folder / "upload"
        with path.open("wb") as target:
            shutil.copyfileobj(file, target)
        document = metadata.model_dump(mode="json", exclude={*left_out})
        yield Upload(path, document, content_identifier(noun, sha256 or file_sha256(path), document))


@dataclass(frozen=True, slots=True)
class TablesUpload:
    """The files of several tables and what came with them."""

    folder: Path
    paths: list[Path]  # in the order of the metadata's tables
    metadata: dict[str, Any]
    id: str  # of the same bytes with the same metadata, always


@contextmanager
def received_tables(objects: ObjectStore, files: Sequence[BinaryIO], metadata: Contract) -> Iterator[TablesUpload]:
    """Yield the upload of several tables, whose files are in the order of the metadata's, as ``received``."""
    with objects.workspace() as folder:
        paths = [folder / upload_of_table(index) for index in range(len(files))]
        for path, file in zip(paths, files, strict=True):
            with path.open("wb") as target:
                shutil.copyfileobj(file, target)
        document = metadata.model_dump(mode="json")
        identifier = content_identifier("relational_datasets", [file_sha256(path) for path in paths], document)
        yield TablesUpload(folder, paths, document, identifier)
