"""Registered relational datasets: their rows in the registry, and where their tables are."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import orjson
from sqlalchemy import Connection, RowMapping, delete, insert, select

from schemas.relational_datasets import RelationalColumn, RelationalDataset, RelationalDatasetSummary, RelationalTable

from .errors import StorageError
from .records import add_record, moment
from .registry import Row, UploadRegistry, listed_values
from .tables import USES_OF_RELATIONAL_DATASETS, relational_datasets, relational_tables


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


class RelationalDatasetStore(
    UploadRegistry[NewRelationalDataset, RelationalDataset, StoredRelationalDataset, RelationalDatasetSummary]
):
    """Rows of relational datasets, each with the rows of its tables, in the order of its metadata."""

    table = relational_datasets
    listed_columns = ("id", "name", "size_bytes", "listed", "created_at")
    uses = USES_OF_RELATIONAL_DATASETS

    def _insert(self, connection: Connection, new: NewRelationalDataset) -> tuple[str, bool]:
        values = {field: getattr(new, field) for field in ("id", "name", "arrays", "summary", "metadata")}
        size_bytes = sum(table.size_bytes for table in new.tables)
        values |= {"size_bytes": size_bytes, "listed": _listed(new.summary), "created_at": time.time()}
        is_new = add_record(connection, relational_datasets, values)
        if is_new:
            rows = [{"dataset": new.id, "position": index, **asdict(table)} for index, table in enumerate(new.tables)]
            connection.execute(insert(relational_tables), rows)
        return new.id, is_new

    def _completed(self, connection: Connection, row: RowMapping) -> Row:
        query = select(relational_tables).where(relational_tables.c.dataset == row["id"])
        tables = connection.execute(query.order_by(relational_tables.c.position)).mappings().all()
        return {**row, "tables": tables}

    def _view(self, row: Row) -> RelationalDataset:
        return RelationalDataset.model_validate({**self._summary(row).model_dump(), **_content(row)})

    def _stored(self, row: Row) -> StoredRelationalDataset:
        contents = {table["name"]: table["content"] for table in row["tables"]}
        return StoredRelationalDataset(self._view(row), contents, row["arrays"])

    def _summary(self, row: Row) -> RelationalDatasetSummary:
        columns = {name: row[name] for name in ("id", "name", "size_bytes")}
        return RelationalDatasetSummary(**columns, **listed_values(row), created_at=moment(row["created_at"]))

    def _document(self, row: Row) -> dict[str, Any]:
        return self._summary(row).model_dump(mode="json") | _content(row)

    def _forget_parts(self, connection: Connection, row: Row) -> tuple[str, ...]:
        connection.execute(delete(relational_tables).where(relational_tables.c.dataset == row["id"]))
        return (row["arrays"], *(table[field] for table in row["tables"] for field in ("sha256", "content")))


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
        if (delivered := columns.get(column.name)) is None:
            yield f"its table {table.name!r} has no column {column.name!r}"
            continue
        has_values = table.n_rows > column.n_missing and other.n_rows > delivered.n_missing
        role = column.role if _are_values({column.role, delivered.role}) else delivered.role
        if column.role != role or (column.type != delivered.type and has_values):
            description = f"{delivered.role} of type {delivered.type} instead of {column.role} of type {column.type}"
            yield f"column {column.name!r} of its table {table.name!r} is a {description}"


def _are_values(roles: set[str]) -> bool:
    """Return whether columns are features or ids: which of these depends on the rows."""
    return roles <= {"feature", "id"}


def with_ids_of(first: RelationalDataset, delivery: RelationalDataset) -> RelationalDataset:
    """Return a delivery whose columns are features where those of the first dataset are, and ids likewise."""
    roles = {(table.name, column.name): column.role for table in first.tables for column in table.columns}
    tables = [
        table.model_copy(
            update={"columns": [_with_role(column, roles.get((table.name, column.name))) for column in table.columns]}
        )
        for table in delivery.tables
    ]
    return delivery.model_copy(update={"tables": tables})


def _with_role(column: RelationalColumn, role: str | None) -> RelationalColumn:
    is_value = role is not None and _are_values({column.role, role})
    return column.model_copy(update={"role": role}) if is_value else column


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


def _content(row: Row) -> dict[str, Any]:
    """Return the description of the tables, each with its file."""
    described = zip(row["summary"]["tables"], row["tables"], strict=True)
    tables = [
        {"name": table["name"], "sha256": file["sha256"], "size_bytes": file["size_bytes"], **table}
        for table, file in described
    ]
    return {**row["summary"], "tables": tables}
