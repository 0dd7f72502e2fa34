"""The inputs of jobs over several tables: a stored relational dataset's rows as arrays, and the ids of its examples."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from explanations.feature_sets import row_id_of
from schemas.relational_datasets import RelationalColumn, RelationalDataset, RelationalTable
from storage.array_files import map_file
from storage.dataset_files.json_reading import spelled
from storage.object_store import ObjectStore
from storage.relational_datasets import RelationalDatasetStore, StoredRelationalDataset, with_ids_of
from storage.relational_files import CUTOFFS, PARENTS, TIMES, in_order, read_column
from tree_explainers.compute.progress import ReportProgress
from tree_explainers.relational.schema import ColumnSchema, RelationshipSchema, Schema, TableSchema
from tree_explainers.relational.tables import MISSING, RelationalRows, Relationship, Table

from ..runtime.context import JobContext

MAX_LEVELS = 1_000
"""Categories of more levels are not tested: their columns count as keys."""

_LARGEST = float(np.finfo(np.float32).max)
_Values = NDArray[np.int32] | NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class RelationalInput:
    """A relational dataset, read."""

    view: RelationalDataset
    rows: RelationalRows
    row_ids: tuple[str, ...]  # of the examples: their primary key, or their 0-based index without one


def load_relational_rows(
    context: JobContext, dataset_id: str, report: ReportProgress | None = None, *, first: str | None = None
) -> RelationalInput:
    """Return the rows of all tables that something can be tested of.

    Tables that no relationship leads to from the examples are left out. Numbers are rounded to single precision.
    Columns with more than 1,000 levels have the kind ``key``, which is never tested by value.

    Parameters
    ----------
    context
        Where the dataset is stored.
    dataset_id
        Id of a relational dataset.
    report
        Called with the share that is read, from 0 to 1.
    first
        Id of the dataset that this one is another delivery of: its columns of ids are those of that one.
    """
    datasets = RelationalDatasetStore(context.database)
    stored = datasets.get(dataset_id)
    if first is not None and first != dataset_id:
        stored = replace(stored, view=with_ids_of(datasets.get(first).view, stored.view))
    files = RelationalFiles.of(context.objects, stored)
    return RelationalInput(stored.view, read_relational_rows(files, report or context.report), read_row_ids(files))


@dataclass(frozen=True, slots=True)
class RelationalFiles:
    """The files of a relational dataset's tables that something can be tested of, and of its arrays."""

    view: RelationalDataset
    contents: Mapping[str, Path]
    arrays: Path

    @classmethod
    def of(cls, objects: ObjectStore, stored: StoredRelationalDataset) -> "RelationalFiles":
        """Return the files of a stored dataset; those in a bucket are fetched."""
        used = {name: object_ for name, object_ in stored.contents.items() if name not in stored.view.unused}
        contents = {name: objects.path(object_) for name, object_ in used.items()}
        return cls(stored.view, contents, objects.path(stored.arrays))

    @property
    def tables(self) -> list[RelationalTable]:
        """The tables."""
        return [table for table in self.view.tables if table.name not in self.view.unused]

    def column(self, table: str, name: str) -> pa.ChunkedArray:
        """Return the values of a column."""
        return read_column(self.contents[table], name)


def read_relational_rows(files: RelationalFiles, report: ReportProgress) -> RelationalRows:
    """Return the rows of a relational dataset, as ``load_relational_rows``."""
    view, arrays = files.view, map_file(files.arrays)
    schemas: dict[str, TableSchema] = {}
    tables: dict[str, Table] = {}
    for number, table in enumerate(files.tables):
        report(number / len(files.tables), f"reading table {table.name}")
        schemas[table.name], tables[table.name] = _read_table(files, table, arrays.get(TIMES + table.name))
    return RelationalRows(
        schema=_schema(view, schemas),
        tables=tables,
        relationships=_relationships(view, tables, arrays),
        cutoffs=arrays.get(CUTOFFS),
        **_targets(files),
    )


def read_row_ids(files: RelationalFiles) -> tuple[str, ...]:
    """Return the ids of the examples: their primary key, its parts joined by commas, or their index without one."""
    examples = next(table for table in files.tables if table.name == files.view.examples.table)
    if not examples.primary_key:
        return tuple(map(str, range(examples.n_rows)))
    columns = [files.column(examples.name, name).to_pylist() for name in examples.primary_key]
    return tuple(map(row_id_of, zip(*columns, strict=True)))


def _read_table(
    files: RelationalFiles, table: RelationalTable, times: NDArray[np.float64] | None
) -> tuple[TableSchema, Table]:
    columns: dict[str, ColumnSchema] = {}
    values: dict[str, _Values] = {}
    for column in table.columns:
        levels: tuple[str, ...] = ()
        if column.role == "feature" and (column.n_categories or 0) <= MAX_LEVELS:
            values[column.name], levels = _codes_or_numbers(files.column(table.name, column.name), column.type)
        elif column.role == "target" and column.type == "category":
            levels = tuple(files.view.examples.classes or ())
        columns[column.name] = ColumnSchema(_kind(column), levels)
    schema = TableSchema(columns, tuple(table.primary_key), table.time, table.is_key_inferred)
    return schema, Table(table.n_rows, values, times)


def _kind(column: RelationalColumn) -> Any:  # one of the literals of ColumnKind
    if column.role in {"key", "time", "id"}:
        return "time" if column.role == "time" else "key"
    return column.type if (column.n_categories or 0) <= MAX_LEVELS else "key"


def _codes_or_numbers(column: pa.ChunkedArray, kind: str) -> tuple[_Values, tuple[str, ...]]:
    if kind == "number":
        numbers = np.asarray(pc.fill_null(column, np.nan).to_numpy(), dtype=np.float64)
        return np.clip(numbers, -_LARGEST, _LARGEST).astype(np.float32), ()
    if kind == "boolean":
        return _integers(column.cast(pa.int32())), ()
    # The levels do not depend on the order of rows.
    levels = in_order(pc.drop_null(pc.unique(column)).to_pylist())
    codes = pc.index_in(column, value_set=pa.array(levels, pa.string()), skip_nulls=True)
    return _integers(codes), tuple(levels)


def _integers(values: pa.ChunkedArray) -> NDArray[np.int32]:
    return np.asarray(pc.fill_null(values, MISSING).to_numpy(), dtype=np.int32)


def _schema(view: RelationalDataset, tables: Mapping[str, TableSchema]) -> Schema:
    keys = {table.name: tuple(table.primary_key) for table in view.tables}
    relationships = {
        key.name: RelationshipSchema(key.from_, tuple(key.columns), key.to, keys[key.to], key.inferred)
        for key in view.relationships
        if key.from_ in tables
    }
    return Schema(tables, relationships, view.examples.table, view.examples.target, view.examples.cutoff)


def _relationships(
    view: RelationalDataset, tables: Mapping[str, Table], arrays: Mapping[str, NDArray[Any]]
) -> dict[str, Relationship]:
    return {
        key.name: Relationship.of(arrays[PARENTS + key.name], tables[key.to].n_rows, tables[key.from_].times)
        for key in view.relationships
        if key.from_ in tables
    }


def _targets(files: RelationalFiles) -> dict[str, Any]:
    """Return labels with their classes, and values where the target is a number; nothing without a target."""
    examples = files.view.examples
    if examples.target is None:
        return {}
    column = files.column(examples.table, examples.target)
    targets: dict[str, Any] = {}
    if pa.types.is_floating(column.type):
        targets["values"] = np.asarray(pc.fill_null(column, np.nan).to_numpy(), dtype=np.float64)
    if examples.classes is not None:
        labels = _class_codes(column, examples.classes).astype(np.int64)
        targets |= {"labels": labels, "classes": tuple(examples.classes)}
    return targets


def _class_codes(column: pa.ChunkedArray, classes: Iterable[str]) -> NDArray[np.int32]:
    encoded = column.combine_chunks().dictionary_encode()
    position = {label: index for index, label in enumerate(classes)}
    texts = (spelled(value) for value in encoded.dictionary.to_pylist())
    codes = np.array([*(position[text] for text in texts), MISSING], dtype=np.int32)
    row_codes: NDArray[np.int32] = codes[pc.fill_null(encoded.indices, -1).to_numpy()]
    return row_codes
