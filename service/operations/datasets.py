"""Register, read and delete datasets."""

import shutil
from pathlib import Path
from typing import BinaryIO

from schemas.contract import Page
from schemas.datasets import Dataset, DatasetMetadata, DatasetRow
from schemas.identifiers import content_identifier
from storage.dataset_files import DatasetFile
from storage.datasets import NewDataset
from storage.errors import StorageError
from storage.object_store import file_sha256

from ..parts import Parts


def register_dataset(parts: Parts, file: BinaryIO, metadata: DatasetMetadata) -> tuple[Dataset, bool]:
    """Read and keep a dataset; return it, and whether it is new.

    Raises
    ------
    DatasetRefused
        What is wrong with it, and where; nothing is kept then.
    """
    with parts.objects.workspace() as folder:
        upload = folder / "dataset"
        with upload.open("wb") as target:
            shutil.copyfileobj(file, target)
        document = metadata.model_dump(mode="json")
        dataset_id = content_identifier("datasets", file_sha256(upload), document)
        known = parts.datasets.find(dataset_id)
        return (known, False) if known else _read_and_keep(parts, upload, dataset_id, metadata)


def list_datasets(parts: Parts, limit: int, cursor: str | None) -> Page[Dataset]:
    """Return one page of datasets, newest first."""
    return parts.datasets.list(limit, cursor)


def get_dataset(parts: Parts, dataset_id: str) -> Dataset:
    """Return a dataset."""
    return parts.datasets.get(dataset_id).view


def list_rows(parts: Parts, dataset_id: str, limit: int, cursor: str | None) -> Page[DatasetRow]:
    """Return one page of a dataset's rows, in their order; the cursor is the position of the next row."""
    dataset = parts.datasets.get(dataset_id)
    start = _position(cursor)
    stop = min(start + limit, dataset.view.n_rows)
    with DatasetFile(parts.objects.path(dataset.content)) as content:
        rows = [DatasetRow(**row) for row in content.rows(start, stop)]
    return Page[DatasetRow](data=rows, next_cursor=str(stop) if stop < dataset.view.n_rows else None)


def delete_dataset(parts: Parts, dataset_id: str) -> None:
    """Forget a dataset that nothing is built on."""
    with parts.objects.discarding():
        for sha256 in parts.datasets.delete(dataset_id):
            parts.objects.delete(sha256)


def _read_and_keep(parts: Parts, upload: Path, dataset_id: str, metadata: DatasetMetadata) -> tuple[Dataset, bool]:
    document = metadata.model_dump(mode="json")
    read = parts.intake.read_dataset(upload, document)
    size_bytes = upload.stat().st_size
    with parts.objects.keeping():
        dataset = NewDataset(
            id=dataset_id,
            name=metadata.name,
            sha256=parts.objects.put_file(upload),
            size_bytes=size_bytes,
            content=parts.objects.put_file(read.content),
            summary=read.summary,
            metadata=document,
        )
        return parts.datasets.add(dataset)


def _position(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not cursor.isdecimal():
        detail = f"cursor {cursor[:80]!r} is not one that this list gave; leave it out to start from the first row"
        raise StorageError("validation_failed", detail, "/cursor")
    return int(cursor)
