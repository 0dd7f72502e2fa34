"""Registered datasets: their rows in the registry, and where their content is."""

import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, RowMapping, delete, or_, select

from schemas.contract import Page
from schemas.datasets import Dataset

from .database import Database
from .errors import InUse
from .leaf_tables import forget_leaf_tables
from .pages import read_page
from .records import add_record, existing_record, find_record, forget_keys_of, moment, unreferenced
from .tables import artefacts, datasets, leaf_tables


@dataclass(frozen=True, slots=True)
class NewDataset:
    """A dataset that was read, ready to be kept."""

    id: str
    name: str | None
    sha256: str  # object: the uploaded bytes
    size_bytes: int
    content: str  # object: the same rows as normalised Parquet
    summary: dict[str, Any]
    metadata: dict[str, Any]


@dataclass(frozen=True, slots=True)
class StoredDataset:
    """What it takes to read a dataset's rows."""

    view: Dataset
    content: str

    @property
    def features(self) -> tuple[str, ...]:
        """Feature columns in the model's order."""
        return tuple(column.name for column in self.view.columns if column.role == "feature")


class DatasetStore:
    """Rows of datasets."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, dataset: NewDataset) -> tuple[Dataset, bool]:
        """Keep the dataset; return it, and whether it is new."""
        with self._database.transaction() as connection:
            values = {field: getattr(dataset, field) for field in NewDataset.__dataclass_fields__}
            is_new = add_record(connection, datasets, {**values, "created_at": time.time()})
            return _view(existing_record(connection, datasets, dataset.id)), is_new

    def find(self, dataset_id: str) -> Dataset | None:
        """Return the dataset, or nothing."""
        with self._database.reading() as connection:
            row = find_record(connection, datasets, dataset_id)
        return None if row is None else _view(row)

    def get(self, dataset_id: str) -> StoredDataset:
        """Return the dataset with what it takes to read its rows."""
        with self._database.reading() as connection:
            row = existing_record(connection, datasets, dataset_id)
        return StoredDataset(_view(row), row["content"])

    def list(self, limit: int, cursor: str | None) -> Page[Dataset]:
        """Return one page of datasets, newest first."""
        with self._database.reading() as connection:
            return read_page(connection, select(datasets), datasets, (limit, cursor), _view)

    def delete(self, dataset_id: str) -> tuple[str, ...]:
        """Forget the dataset; return the objects that nothing refers to any more. Refused while in use."""
        with self._database.transaction() as connection:
            row = existing_record(connection, datasets, dataset_id)
            _refuse_if_used(connection, dataset_id)
            tables = forget_leaf_tables(connection, leaf_tables.c.dataset == dataset_id)
            forget_keys_of(connection, dataset_id)
            connection.execute(delete(datasets).where(datasets.c.id == dataset_id))
            return unreferenced(connection, (row["sha256"], row["content"], *tables))


def _refuse_if_used(connection: Connection, dataset_id: str) -> None:
    uses = or_(artefacts.c.dataset == dataset_id, artefacts.c.evaluation_dataset == dataset_id)
    user = connection.execute(select(artefacts.c.id).where(uses)).scalar()
    if user is not None:
        detail = f"dataset {dataset_id!r} is used by artefact {user!r}; delete that first"
        raise InUse(detail)


def _view(row: RowMapping) -> Dataset:
    summary = row["summary"]
    return Dataset(
        id=row["id"],
        name=row["name"],
        sha256=row["sha256"],
        size_bytes=row["size_bytes"],
        n_rows=summary["n_rows"],
        target=row["metadata"].get("target"),
        row_id=row["metadata"].get("row_id"),
        columns=summary["columns"],
        created_at=moment(row["created_at"]),
    )
