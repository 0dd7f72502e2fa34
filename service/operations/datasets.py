"""Register, read and delete datasets."""

from typing import BinaryIO

from schemas.contract import Page
from schemas.datasets import Dataset, DatasetMetadata, DatasetRow
from storage.dataset_files import DatasetFile
from storage.datasets import NewDataset

from ..parts import Parts
from .deletion import delete_with_objects
from .positions import position_of
from .uploads import Upload, received


def register_dataset(parts: Parts, file: BinaryIO, metadata: DatasetMetadata) -> tuple[Dataset, bool]:
    """Read and keep a dataset; return it, and whether it is new.

    Raises
    ------
    DatasetRefused
        What is wrong with it, and where; nothing is kept then.
    """
    with received(parts.objects, file, "datasets", metadata) as upload:
        known = parts.datasets.find(upload.id)
        return (known, False) if known else _read_and_keep(parts, upload)


def list_datasets(parts: Parts, limit: int, cursor: str | None) -> Page[Dataset]:
    """Return one page of datasets, newest first."""
    return parts.datasets.list(limit, cursor)


def get_dataset(parts: Parts, dataset_id: str) -> Dataset:
    """Return a dataset."""
    return parts.datasets.get(dataset_id).view


def list_rows(parts: Parts, dataset_id: str, limit: int, cursor: str | None) -> Page[DatasetRow]:
    """Return one page of a dataset's rows, in their order; the cursor is the position of the next row."""
    dataset = parts.datasets.get(dataset_id)
    start = position_of(cursor)
    stop = min(start + limit, dataset.view.n_rows)
    with DatasetFile(parts.objects.path_of_pages(dataset.content)) as content:
        rows = [DatasetRow(**row) for row in content.rows(start, stop)]
    return Page[DatasetRow](data=rows, next_cursor=str(stop) if stop < dataset.view.n_rows else None)


def delete_dataset(parts: Parts, dataset_id: str) -> None:
    """Forget a dataset that nothing is built on."""
    delete_with_objects(parts, lambda: parts.datasets.delete(dataset_id))


def _read_and_keep(parts: Parts, upload: Upload) -> tuple[Dataset, bool]:
    read = parts.intake.read_dataset(upload.path, upload.metadata)
    size_bytes = upload.size_bytes
    with parts.objects.keeping():
        dataset = NewDataset(
            id=upload.id,
            name=upload.metadata["name"],
            sha256=parts.objects.put_file(upload.path),
            size_bytes=size_bytes,
            content=parts.objects.put_file(read.content),
            summary=read.summary,
            metadata=upload.metadata,
        )
        return parts.datasets.add(dataset)
