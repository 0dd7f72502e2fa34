"""Tables as a user has them, keys and times included, and the arrays that relational code reads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tree_explainers.relational.schema import ColumnSchema, RelationshipSchema, Schema, TableSchema
from tree_explainers.relational.tables import MISSING, RelationalRows, Relationship, Table

Values = Sequence[Any]  # None: missing


@dataclass(frozen=True)
class RawTables:
    """The values of all columns of all tables, as in the files."""

    schema: Schema
    columns: Mapping[str, Mapping[str, Values]]  # table -> column -> values

    def rows(self, table: str) -> list[dict[str, Any]]:
        """Return the rows of one table."""
        columns = self.columns[table]
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def n_rows(self, table: str) -> int:
        """Return how many rows a table has."""
        return len(next(iter(self.columns[table].values())))


def relational_rows(raw: RawTables) -> RelationalRows:
    """Return the tables as arrays; a foreign key that names no row, or is missing in part, has no parent."""
    schema = raw.schema
    tables = {name: _table(raw, name) for name in schema.tables}
    of_examples = raw.columns[schema.examples]
    labels, values = None, None
    classes: tuple[str, ...] = ()
    if schema.target is not None:
        target = schema.tables[schema.examples].columns[schema.target]
        if target.kind == "number":
            values = _numbers(of_examples[schema.target])
        else:
            labels, classes = _codes(of_examples[schema.target], target).astype(np.int64), target.levels
    return RelationalRows(
        schema,
        tables,
        {name: _relationship(raw, key, tables[key.child]) for name, key in schema.relationships.items()},
        None if schema.cutoff is None else _numbers(of_examples[schema.cutoff]),
        labels,
        classes,
        values,
    )


def in_order(levels: set[str]) -> tuple[str, ...]:
    """Return levels in numeric order if all are numbers, else by text."""
    try:
        return tuple(sorted(levels, key=float))
    except ValueError:
        return tuple(sorted(levels))


def category(values: Values) -> ColumnSchema:
    """Return the schema of a column of categories."""
    return ColumnSchema("category", in_order({value for value in values if value is not None}))


def foreign_key(child: str, columns: Sequence[str], parent: str, parent_columns: Sequence[str]) -> RelationshipSchema:
    """Return one relationship."""
    return RelationshipSchema(child, tuple(columns), parent, tuple(parent_columns))


def named(*relationships: RelationshipSchema) -> dict[str, RelationshipSchema]:
    """Return relationships by their names."""
    return {f"{key.child}.{','.join(key.columns)}": key for key in relationships}


def _table(raw: RawTables, name: str) -> Table:
    schema, columns = raw.schema.tables[name], raw.columns[name]
    target = raw.schema.target if name == raw.schema.examples else None
    tested = {
        column: _numbers(columns[column]).astype(np.float32) if of.kind == "number" else _codes(columns[column], of)
        for column, of in schema.columns.items()
        if of.kind in {"number", "category", "boolean"} and column != target
    }
    return Table(raw.n_rows(name), tested, None if schema.time is None else _numbers(columns[schema.time]))


def _relationship(raw: RawTables, key: RelationshipSchema, child: Table) -> Relationship:
    named_rows = [raw.columns[key.parent][column] for column in key.parent_columns]
    row_of = {value: row for row, value in enumerate(zip(*named_rows, strict=True))}
    naming = zip(*(raw.columns[key.child][column] for column in key.columns), strict=True)
    parents = np.array([row_of.get(value, MISSING) for value in naming], dtype=np.int32)
    return Relationship.of(parents, raw.n_rows(key.parent), child.times)


def _numbers(values: Values) -> NDArray[np.float64]:
    if isinstance(values, np.ndarray):
        return values.astype(np.float64)
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _codes(values: Values, of: ColumnSchema) -> NDArray[np.int32]:
    levels: Sequence[Any] = (False, True) if of.kind == "boolean" else of.levels
    code_of = {level: code for code, level in enumerate(levels)}
    return np.array([MISSING if value is None else code_of[value] for value in values], dtype=np.int32)


def table(columns: Mapping[str, ColumnSchema], primary_key: Sequence[str] = (), time: str | None = None) -> TableSchema:
    """Return the schema of a table."""
    return TableSchema(columns, tuple(primary_key), time)
