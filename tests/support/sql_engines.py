"""Raw tables in two SQL engines, which run what is printed and cannot reach anything else."""

import math
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from tests.support.raw_tables import RawTables, Values
from tree_explainers.relational.schema import ColumnSchema, Schema

Run = Callable[[str], list[tuple[Any, ...]]]

# In this order, and as statements: given to ``connect`` they are applied in any order, and one forbids another.
SANDBOX = (
    "SET threads = 1",
    "SET memory_limit = '1GB'",
    "SET temp_directory = ''",
    "SET autoload_known_extensions = false",
    "SET autoinstall_known_extensions = false",
    "SET allow_community_extensions = false",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)
_TYPES = {
    "number": (pa.float64(), "REAL"),
    "time": (pa.float64(), "REAL"),
    "boolean": (pa.bool_(), "BOOLEAN"),
    "text": (pa.string(), "TEXT"),
    "integer": (pa.int64(), "INTEGER"),
}


@contextmanager
def in_duckdb(raw: RawTables) -> Iterator[Run]:
    """Yield a function that runs a query over the tables in DuckDB, which reaches no file and spills to none."""
    with closing(duckdb.connect()) as connection:
        for setting in SANDBOX:
            connection.execute(setting)
        types = _types_of(raw)
        for table, columns in _stored(raw, types).items():
            arrays = {name: pa.array(values, _TYPES[types[table, name]][0]) for name, values in columns.items()}
            connection.register("loaded", pa.table(arrays))
            connection.execute(f"CREATE TABLE {quoted(table)} AS SELECT * FROM loaded")  # noqa: S608
            connection.unregister("loaded")
        yield lambda sql: connection.execute(sql).fetchall()


@contextmanager
def in_sqlite(raw: RawTables) -> Iterator[Run]:
    """Yield a function that runs a query over the tables in SQLite."""
    with closing(sqlite3.connect(":memory:")) as connection:
        types = _types_of(raw)
        for table, columns in _stored(raw, types).items():
            declared = ", ".join(f"{quoted(name)} {_TYPES[types[table, name]][1]}" for name in columns)
            connection.execute(f"CREATE TABLE {quoted(table)} ({declared})")
            marks = ", ".join("?" * len(columns))
            rows = zip(*map(_plain, columns.values()), strict=True)
            connection.executemany(f"INSERT INTO {quoted(table)} VALUES ({marks})", rows)  # noqa: S608
        yield lambda sql: connection.execute(sql).fetchall()


ENGINES = {"duckdb": in_duckdb, "sqlite": in_sqlite}


def quoted(name: str) -> str:
    """Return a name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def by_example(raw: RawTables, found: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the rows of an answer, without the key that each begins with, in the order of the examples."""
    key = raw.schema.tables[raw.schema.examples].primary_key
    rows = {row[: len(key)]: row[len(key) :] for row in found}
    assert len(rows) == len(found)
    columns = raw.columns[raw.schema.examples]
    return [rows[values] for values in zip(*(columns[name] for name in key), strict=True)]


def same_value(found: Any, expected: Any) -> bool:  # a value of either engine
    """Return whether a value is the twin's: SQLite knows no booleans, and codes may be stored as numbers."""
    if found is None or expected is None:
        return found is None and expected is None
    if isinstance(expected, str):
        return str(found) == expected
    return math.isclose(found, expected, rel_tol=1e-6, abs_tol=1e-7)  # sums are rounded to 10⁻⁹ of their sizes


def _stored(raw: RawTables, types: Mapping[tuple[str, str], str]) -> dict[str, dict[str, Values]]:
    """Return the values as they are stored: whole numbers for categories that all are."""
    return {
        table: {name: _integers(values) if types[table, name] == "integer" else values for name, values in of.items()}
        for table, of in raw.columns.items()
    }


def _integers(values: Values) -> Values:
    return values if isinstance(values, np.ndarray) else [None if value is None else int(value) for value in values]


def _plain(values: Values) -> Values:
    return values.tolist() if isinstance(values, np.ndarray) else values


def _types_of(raw: RawTables) -> dict[tuple[str, str], str]:
    """Return the type of each column; categories that are all whole numbers are stored as such."""
    types = {
        (table, name): _type(column, raw.columns[table][name])
        for table, of in raw.schema.tables.items()
        for name, column in of.columns.items()
    }
    for _ in raw.schema.relationships:  # a key column without values has the type of those that it is compared with
        for one, other in _tied(raw.schema):
            if "text" in (types[one], types[other]):
                types |= {one: "text", other: "text"}
    return types


def _tied(schema: Schema) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    for key in schema.relationships.values():
        for column, parent_column in zip(key.columns, key.parent_columns, strict=True):
            yield (key.child, column), (key.parent, parent_column)


def _type(column: ColumnSchema, values: Any) -> str:  # a sequence or array of anything
    if column.kind == "category":
        return "integer" if all(level.isdigit() for level in column.levels) else "text"
    if column.kind == "key":
        return "text" if any(isinstance(value, str) for value in values) else "integer"
    return column.kind
