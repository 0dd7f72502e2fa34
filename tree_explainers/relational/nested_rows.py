"""One example sent with its rows, by table: ``{"customer": [row], "account": [rows], "transaction": [rows]}``.

It becomes the same arrays as a stored dataset, so that the same program evaluates it. Keys relate rows of one example
only; its times are compared with its cutoff only.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from math import inf
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..errors import RowRefused
from ..wording import did_you_mean
from .query_program import DataUsed
from .schema import ColumnSchema, RelationshipSchema, Schema, TableSchema
from .tables import MISSING, RelationalRows, Relationship, Table

Row = Mapping[str, Any]  # by column: texts, numbers, booleans; None: missing
Instance = Mapping[str, Sequence[Row]]  # by table

_MICROSECONDS = 1e6
_SHOWN, _NAMES_SHOWN = 80, 10  # characters of a value in a message, and names
_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True, slots=True)
class NestedRows:
    """Reads nested instances of one schema: the tables and columns that some features need."""

    schema: Schema
    used: DataUsed

    def rows_of(self, instance: Instance) -> RelationalRows:
        """Return the rows of one example.

        A category that is no level of the schema gets a code of its own: it equals no value of a condition.

        Raises
        ------
        RowRefused
            ``schema_mismatch``: an unknown table or column, not exactly one row of the examples' table, a repeated key,
            a reference to a row that was not sent (in a relationship that the features follow, or to a table of which
            rows were sent), a column that the features read or follow lacking in a row, a value of another type.
        """
        schema = self.schema
        for name in instance:
            if name not in schema.tables:
                near = did_you_mean(name, schema.tables)
                _refuse(f"there is no table {_shown(name)}; the tables are {_listed(schema.tables)}{near}")
        sent = {name: self._checked(name, instance.get(name) or ()) for name in schema.tables}
        if len(sent[schema.examples]) != 1:
            _refuse(f"table {schema.examples} has {len(sent[schema.examples])} rows; one row, the example, is expected")
        cutoff = None if schema.cutoff is None else sent[schema.examples][0][schema.cutoff]
        cutoffs = None if schema.cutoff is None else np.array([_time(cutoff, schema.examples, schema.cutoff)])
        tables = {name: self._table(name, rows, cutoff) for name, rows in sent.items()}
        keys = {name: _keys(name, table, sent[name]) for name, table in schema.tables.items() if sent[name]}
        relationships = {
            name: _relationship(relationship, sent, keys, tables)
            for name, relationship in schema.relationships.items()
            if name in self.used.relationships or self._is_checked(relationship, sent)
        }
        return RelationalRows(schema, tables, relationships, cutoffs)

    def _checked(self, name: str, rows: Sequence[Row]) -> Sequence[Row]:
        table = self.schema.tables[name]
        needed = self._needed(name)
        if isinstance(rows, str) or not isinstance(rows, Sequence):
            _refuse(f"table {name} is to be a list of rows")
        for number, row in enumerate(rows):
            if not isinstance(row, Mapping):
                _refuse(f"row {number} of table {name} is to be an object of values by column, not {_shown(row)}")
            if not row.keys() <= table.columns.keys():
                unknown = next(column for column in row if column not in table.columns)
                known = f"{_listed(table.columns)}{did_you_mean(unknown, table.columns)}"
                _refuse(f"table {name} has no column {_shown(unknown)}; it has {known}")
            if not needed <= row.keys():
                _refuse(f"row {number} of table {name} lacks {_listed(sorted(needed - row.keys()))}; null is missing")
        return rows

    def _needed(self, name: str) -> set[str]:
        """Return the columns without which features of a row of a table cannot be evaluated."""
        needed = {column for table, column in self.used.columns if table == name}
        for relationship in (self.schema.relationships[key] for key in self.used.relationships):
            needed |= set(relationship.columns) if relationship.child == name else set()
            needed |= set(relationship.parent_columns) if relationship.parent == name else set()
        table = self.schema.tables[name]
        time = {table.time} if table.time is not None and self.schema.cutoff is not None else set()
        return needed | time | ({self.schema.cutoff} if name == self.schema.examples and self.schema.cutoff else set())

    def _is_checked(self, relationship: RelationshipSchema, sent: Mapping[str, Sequence[Row]]) -> bool:
        """Return whether references are checked although no feature follows them."""
        is_within = relationship.parent in {relationship.child, self.schema.examples}
        return bool(sent[relationship.child]) and bool(sent[relationship.parent]) and not is_within

    def _table(self, name: str, rows: Sequence[Row], cutoff: Any) -> Table:  # any JSON
        schema = self.schema.tables[name]
        columns = {
            column: _values(name, column, schema.columns[column], rows)
            for table, column in self.used.columns
            if table == name
        }
        if schema.time is None or self.schema.cutoff is None:
            return Table(len(rows), columns)
        raw_times = [row.get(schema.time) for row in rows]
        times = np.array([_time(value, name, schema.time) for value in raw_times], np.float64)
        other = next((value for value in raw_times if not _are_alike(value, cutoff)), None)
        if other is not None:
            whose, what = f"{schema.time} of table {name}", f"{self.schema.cutoff} of the example"
            _refuse(f"{whose} is {_shown(other)} and {what} {_shown(cutoff)}; send both as numbers, or both as dates")
        return Table(len(rows), columns, times)


def _keys(name: str, table: TableSchema, rows: Sequence[Row]) -> dict[tuple[Any, ...], int]:
    """Return the row of each key; tables without a primary key have none."""
    rows_by_key: dict[tuple[Any, ...], int] = {}
    for number, row in enumerate(rows if table.primary_key else ()):
        key = _key(row, table.primary_key)
        if key is None:
            continue  # referred to by no row
        if key in rows_by_key:
            _refuse(f"two rows of table {name} have the key {_key_text(table.primary_key, key)}")
        rows_by_key[key] = number
    return rows_by_key


def _key(row: Row, columns: Sequence[str]) -> tuple[Any, ...] | None:
    """Return the values of a key, whole numbers and their texts alike; None where one is missing."""
    values = tuple([row.get(column) for column in columns])
    return None if None in values else tuple([_key_part(value) for value in values])


def _key_part(value: object) -> str:
    """Return a text, or a number as the text of a table of texts has it."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _relationship(
    relationship: RelationshipSchema,
    sent: Mapping[str, Sequence[Row]],
    keys: Mapping[str, Mapping[tuple[Any, ...], int]],
    tables: Mapping[str, Table],
) -> Relationship:
    parents = [MISSING] * len(sent[relationship.child])
    parent_rows = keys.get(relationship.parent, {})
    for number, row in enumerate(sent[relationship.child]):
        key = _key(row, relationship.columns)
        if key is not None:
            parent = parent_rows.get(key)
            if parent is None:
                who, whom = f"row {number} of table {relationship.child}", f"a row of {relationship.parent}"
                _refuse(f"{who} refers by {_key_text(relationship.columns, key)} to {whom} that was not sent")
            parents[number] = parent
    return Relationship.of(
        np.array(parents, np.int32), len(sent[relationship.parent]), tables[relationship.child].times
    )


def _key_text(columns: Sequence[str], key: Sequence[str]) -> str:
    return ", ".join(f"{column} {value[:_SHOWN]}" for column, value in zip(columns, key, strict=True))


def _values(table: str, column: str, schema: ColumnSchema, rows: Sequence[Row]) -> NDArray[Any]:
    """Return a column's codes or numbers."""
    values = [row.get(column) for row in rows]
    if schema.kind == "number":
        return np.array([_number(value, table, column) for value in values], np.float32)
    if schema.kind == "boolean":
        return np.array([_boolean(value, table, column) for value in values], np.int32)
    return _codes([_level(value, table, column) for value in values], schema.levels)


def _level(value: Any, table: str, column: str) -> str | None:  # any JSON
    """Return a category as text; None where it is missing."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        _refuse_value(value, table, column, "a text")
    return _key_part(value)


def _codes(texts: Sequence[str | None], levels: Sequence[str]) -> NDArray[np.int32]:
    """Return the position of each text among the levels; one that is no level has a code of its own."""
    distinct = {text: len(levels) + number for number, text in enumerate(dict.fromkeys(texts))}
    # One look at each level: looking for each text among all levels takes seconds where both are many.
    codes = distinct | {level: code for code, level in enumerate(levels) if level in distinct}
    return np.array([MISSING if text is None else codes[text] for text in texts], np.int32)


def _number(value: Any, table: str, column: str) -> float:  # any JSON
    if value is None or value != value:  # NaN: missing
        return np.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        _refuse_value(value, table, column, "a number")
    return max(-_LARGEST, min(_LARGEST, value))


def _boolean(value: object, table: str, column: str) -> int:
    if value is None:
        return MISSING
    return int(value) if isinstance(value, bool) else _refuse_value(value, table, column, "true or false")


def _time(value: Any, table: str, column: str) -> float:  # any JSON
    """Return a time as a number: microseconds since 1970 of a date or a text of one (UTC where it has no zone)."""
    if value is None:
        return np.nan
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:  # JSON may hold whole numbers of any length
            return inf if value > 0 else -inf
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            _refuse_value(value, table, column, "a time such as 2024-05-31T12:00:00, or a number")
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day, tzinfo=UTC)
    if not isinstance(value, datetime):
        _refuse_value(value, table, column, "a time such as 2024-05-31T12:00:00, or a number")
    return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp() * _MICROSECONDS


def _are_alike(time: Any, cutoff: Any) -> bool:  # any JSON
    """Return whether both are numbers, or both are dates or texts of them; what is missing is like anything."""
    return time is None or cutoff is None or isinstance(time, int | float) == isinstance(cutoff, int | float)


def _refuse_value(value: object, table: str, column: str, kind: str) -> NoReturn:
    _refuse(f"{column} of table {table} is {_shown(value)}; it is to be {kind}")


def _shown(value: object) -> str:
    """Return a JSON value as text for a message, at most a line long."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _listed(names: Collection[str]) -> str:
    """Return the first names of a list, which may have thousands."""
    shown = ", ".join(list(names)[:_NAMES_SHOWN])
    return shown if len(names) <= _NAMES_SHOWN else f"{shown} and {len(names) - _NAMES_SHOWN:,} more"


def _refuse(what: str) -> NoReturn:
    msg = f"The nested rows do not fit the tables: {what}."
    raise RowRefused("schema_mismatch", msg)
