"""Registered relational datasets: their rows in the registry, and where their tables are."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from sqlalchemy import Connection, RowMapping, delete, insert, select

from schemas.contract import Page
from schemas.relational_datasets import RelationalDataset, RelationalDatasetSummary, RelationalTable

from .database import Database
from .errors import InUse, StorageError
from .records import (
    add_record,
    existing_record,
    find_record,
    first_record,
    forget_keys_of,
    moment,
    read_page,
    rename_record,
    require,
    unreferenced,
    where_equal,
)
from .tables import USES_OF_RELATIONAL_DATASETS, relational_datasets, relational_tables

_LISTED = ("id", "name", "size_bytes", "listed", "created_at")


@dataclass(frozen=True, slots=True)
class NewTable:
    """A table that was read, ready to be kept."""

    name: str
    sha256: str  # object: the uploaded bytes
    size_bytes: int
    content: str  # object: the same rows as normalised Parquet


@dataclass(frozen=True, slots=True)
class NewRelationalDataset:
    """A relational dataset that was read, ready to be kept."""

    id: str
    name: str | None
    tables: Sequence[NewTable]  # in the order of the metadata
    arrays: str  # object: parents, times and cutoffs of rows
    summary: dict[str, Any]
    metadata: dict[str, Any]


@dataclass(frozen=True, slots=True)
class StoredRelationalDataset:
    """What it takes to read a relational dataset's rows."""

    view: RelationalDataset
    contents: Mapping[str, str]  # object of each table, by name
    arrays: str


class RelationalDatasetStore:
    """Rows of relational datasets."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, dataset: NewRelationalDataset) -> tuple[RelationalDataset, bool]:
        """Keep the dataset; return it, and whether it is new."""
        values = {field: getattr(dataset, field) for field in ("id", "name", "arrays", "summary", "metadata")}
        size_bytes = sum(table.size_bytes for table in dataset.tables)
        values |= {"size_bytes": size_bytes, "listed": _listed(dataset.summary), "created_at": time.time()}
        with self._database.transaction() as connection:
            is_new = add_record(connection, relational_datasets, values)
            if is_new:
                fields = ("name", "sha256", "size_bytes", "content")
                tables = [{field: getattr(table, field) for field in fields} for table in dataset.tables]
                rows = [{"dataset": dataset.id, "position": index, **table} for index, table in enumerate(tables)]
                connection.execute(insert(relational_tables), rows)
            return _view(connection, existing_record(connection, relational_datasets, dataset.id)), is_new

    def find(self, dataset_id: str) -> RelationalDataset | None:
        """Return the dataset, or nothing."""
        with self._database.reading() as connection:
            row = find_record(connection, relational_datasets, dataset_id)
            return None if row is None else _view(connection, row)

    def get(self, dataset_id: str) -> StoredRelationalDataset:
        """Return the dataset with what it takes to read its rows."""
        with self._database.reading() as connection:
            row = existing_record(connection, relational_datasets, dataset_id)
            contents = {table["name"]: table["content"] for table in _tables(connection, dataset_id)}
            return StoredRelationalDataset(_view(connection, row), contents, row["arrays"])

    def document(self, dataset_id: str) -> dict[str, Any]:
        """Return the dataset as its readers get it, in plain values: messages would take several times the memory."""
        with self._database.reading() as connection:
            row = existing_record(connection, relational_datasets, dataset_id)
            return _summary(row).model_dump(mode="json") | _content(connection, row)

    def n_bytes(self, dataset_id: str) -> int:
        """Return the length of the description of the tables as JSON, without reading it."""
        query = select(relational_datasets.c.listed).where(relational_datasets.c.id == dataset_id)
        with self._database.reading() as connection:
            row = require(first_record(connection, query), "relational_datasets", dataset_id)
        return int(row["listed"]["n_bytes"])

    def are_there(self) -> bool:
        """Whether there is any relational dataset."""
        with self._database.reading() as connection:
            return connection.execute(select(relational_datasets.c.id).limit(1)).first() is not None

    def list(self, limit: int, cursor: str | None, **filters: str) -> Page[RelationalDatasetSummary]:
        """Return one page of datasets, newest first: those that have these values in these columns."""
        query = select(*(relational_datasets.c[name] for name in _LISTED))
        with self._database.reading() as connection:
            filtered = where_equal(query, relational_datasets, filters)
            return read_page(connection, filtered, relational_datasets, (limit, cursor), _summary)

    def rename(self, dataset_id: str, name: str | None) -> None:
        """Give the dataset another name, or none; its id stays."""
        with self._database.transaction() as connection:
            rename_record(connection, relational_datasets, dataset_id, name)

    def delete(self, dataset_id: str) -> tuple[str, ...]:
        """Forget the dataset; return the objects that nothing refers to any more. Refused while in use."""
        with self._database.transaction() as connection:
            row = existing_record(connection, relational_datasets, dataset_id)
            _refuse_if_used(connection, dataset_id)
            objects = [
                name for table in _tables(connection, dataset_id) for name in (table["sha256"], table["content"])
            ]
            forget_keys_of(connection, dataset_id)
            connection.execute(delete(relational_tables).where(relational_tables.c.dataset == dataset_id))
            connection.execute(delete(relational_datasets).where(relational_datasets.c.id == dataset_id))
            return unreferenced(connection, (row["arrays"], *objects))


def check_same_schema(first: RelationalDataset, delivery: RelationalDataset) -> None:
    """Refuse a delivery whose rows features of the first dataset cannot be evaluated on.

    It needs every table whose columns are tested in the first one, with its columns, keys and times, and may have
    more. The target may lack; categories may be new: they are no level that a feature names.

    Raises
    ------
    StorageError
        ``schema_mismatch``, with the first difference.
    """
    difference = next(_differences(first, delivery), None)
    if difference is not None:
        detail = f"relational dataset {delivery.id!r} has another schema: {difference}"
        raise StorageError("schema_mismatch", f"{detail}; register it with the same tables and keys")


def _differences(first: RelationalDataset, delivery: RelationalDataset) -> Iterator[str]:
    """Yield what the delivery lacks, or has otherwise."""
    if first.examples.table != delivery.examples.table:
        yield f"its examples are rows of {delivery.examples.table!r}, not of {first.examples.table!r}"
    if first.examples.cutoff != delivery.examples.cutoff:
        yield f"its cutoff is {delivery.examples.cutoff!r} instead of {first.examples.cutoff!r}"
    tables = {table.name: table for table in delivery.tables}
    for table in first.tables:
        if table.name not in first.unused:
            other = tables.get(table.name)
            yield from (f"it has no table {table.name!r}",) if other is None else _differences_of_tables(table, other)
    keys = {(key.name, key.to) for key in delivery.relationships}
    for key in first.relationships:
        if key.from_ not in first.unused and (key.name, key.to) not in keys:
            yield f"it has no foreign key {key.name!r} that refers to {key.to!r}"


def _differences_of_tables(table: RelationalTable, other: RelationalTable) -> Iterator[str]:
    if table.primary_key != other.primary_key:
        yield f"the primary key of its table {table.name!r} is {other.primary_key!r} instead of {table.primary_key!r}"
    if table.time != other.time:
        yield f"the time of its table {table.name!r} is {other.time!r} instead of {table.time!r}"
    columns = {column.name: column for column in other.columns}
    for column in table.columns:
        if column.role == "target":
            continue
        if (found := columns.get(column.name)) is None:
            yield f"its table {table.name!r} has no column {column.name!r}"
            continue
        has_values = table.n_rows > column.n_missing and other.n_rows > found.n_missing
        if column.role != found.role or (column.type != found.type and has_values):
            found_as = f"{found.role} of type {found.type} instead of {column.role} of type {column.type}"
            yield f"column {column.name!r} of its table {table.name!r} is a {found_as}"


def _refuse_if_used(connection: Connection, dataset_id: str) -> None:
    for column in USES_OF_RELATIONAL_DATASETS:
        user = connection.execute(select(column.table.c.id).where(column == dataset_id)).scalar()
        if user is not None:
            detail = f"relational dataset {dataset_id!r} is used by {user!r}; delete that first"
            raise InUse(detail)


def _tables(connection: Connection, dataset_id: str) -> Sequence[RowMapping]:
    query = select(relational_tables).where(relational_tables.c.dataset == dataset_id)
    return connection.execute(query.order_by(relational_tables.c.position)).mappings().all()


def _listed(summary: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a summary that lists show, and how long the whole is."""
    tables = summary["tables"]
    return {
        "n_tables": len(tables),
        "n_rows": sum(table["n_rows"] for table in tables),
        "n_columns": sum(len(table["columns"]) for table in tables),
        "n_examples": summary["examples"]["n"],
        "target": summary["examples"]["target"],
        "n_bytes": len(orjson.dumps(summary)),
    }


def _summary(row: RowMapping) -> RelationalDatasetSummary:
    stored = {name: value for name, value in row["listed"].items() if name != "n_bytes"}
    own = {name: row[name] for name in ("id", "name", "size_bytes")}
    return RelationalDatasetSummary(**own, **stored, created_at=moment(row["created_at"]))


def _content(connection: Connection, row: RowMapping) -> dict[str, Any]:
    """Return the description of the tables, each with its file."""
    files = _tables(connection, row["id"])
    named = zip(row["summary"]["tables"], files, strict=True)
    tables = [
        {"name": table["name"], "sha256": file["sha256"], "size_bytes": file["size_bytes"], **table}
        for table, file in named
    ]
    return {**row["summary"], "tables": tables}


def _view(connection: Connection, row: RowMapping) -> RelationalDataset:
    return RelationalDataset.model_validate({**_summary(row).model_dump(), **_content(connection, row)})
