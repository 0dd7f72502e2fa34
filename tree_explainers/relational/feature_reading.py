"""Reading a feature from its document, and refusing what is none, naming the member of the document."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, get_args

import numpy as np

from ..errors import InvalidInput
from ..wording import did_you_mean
from .canonical import single
from .queries import (
    EXAMPLE,
    AggregateFunction,
    AggregateTerm,
    ColumnTerm,
    Condition,
    Feature,
    FeatureKind,
    Measure,
    Operator,
    Query,
    Selection,
    Term,
    Value,
    Variable,
)
from .schema import ColumnSchema, Schema, Step

MAX_VARIABLES = 4
MAX_SELECTIONS = 2  # of an aggregate
_LARGEST = float(np.finfo(np.float32).max)
_NUMBER = ColumnSchema("number")
_OF_NUMBERS = ("mean", "sum", "min", "max")
_WITHOUT_COLUMN = ("count", "share")
_TESTABLE = ("number", "category", "boolean")


@dataclass(frozen=True, slots=True)
class FeatureReader:
    """Reads documents of one schema."""

    schema: Schema

    def feature(self, document: Mapping[str, Any]) -> Feature:
        """Return the feature of a document; see ``feature_of``."""
        kind = _one_of(get_args(FeatureKind), document.get("kind"), "kind")
        entries = _entries(document, "variables")
        if len(entries) > MAX_VARIABLES:
            _refuse("variables", f"a feature has at most {MAX_VARIABLES} variables, not {len(entries)}")
        indices, variables = {"example": EXAMPLE}, list[Variable]()
        for number, entry in enumerate(entries):
            variables.append(self._variable(entry, indices, variables, f"variables[{number}]"))
            name = entry.get("id")
            if not isinstance(name, str) or not name or name in indices:
                _refuse(f"variables[{number}].id", f"{name!r} is not a new name of a variable")
            indices[name] = number
        query = Query(tuple(variables))
        conditions = [
            self._condition(entry, query, indices, f"conditions[{number}]")
            for number, entry in enumerate(_entries(document, "conditions"))
        ]
        measure = self._measure(kind, document.get("measure"), query, indices)
        if not variables and kind not in {"value", "exists"}:
            _refuse("variables", f"{kind} is taken over the rows of a variable, and there is none")
        if kind == "exists" and not variables and not conditions:
            _refuse("conditions", "exists needs variables or conditions, and there are none: it would always be true")
        return Feature(kind, Query(query.variables, tuple(conditions)), measure)

    def _variable(
        self, entry: Mapping[str, Any], indices: Mapping[str, int], earlier: list[Variable], pointer: str
    ) -> Variable:
        origin = _index(entry.get("from"), indices, f"{pointer}.from")
        step = self._step(entry, Query(tuple(earlier)).table_of(origin, self.schema), pointer)
        table = entry.get("table", self.schema.reached(step))
        if table != self.schema.reached(step):
            _unknown(f"{pointer}.table", f"{step.relationship} leads to {self.schema.reached(step)}, not to {table!r}")
        return Variable(origin, step)

    def _step(self, entry: Mapping[str, Any], table: str, pointer: str) -> Step:
        name = entry.get("by")
        steps = [step for step, _ in self.schema.steps_from(table) if step.relationship == name]
        direction = entry.get("direction")
        if direction is not None:
            steps = [
                step for step in steps if step.to == _one_of(("children", "parent"), direction, f"{pointer}.direction")
            ]
        if not steps:
            leading = [step.relationship for step, _ in self.schema.steps_from(table)]
            near = "" if name in leading else did_you_mean(str(name), leading)
            _unknown(f"{pointer}.by", f"no relationship {name!r} leads from table {table}{near}")
        if len(steps) > 1:
            _refuse(f"{pointer}.direction", f"{name} leads from {table} to itself: say children or parent")
        return steps[0]

    def _condition(self, entry: Mapping[str, Any], query: Query, indices: Mapping[str, int], pointer: str) -> Condition:
        variable = _index(entry.get("variable"), indices, f"{pointer}.variable")
        term, column = self._term(entry, query.table_of(variable, self.schema), pointer)
        return Condition(variable, term, *_comparison(entry, column, pointer))

    def _measure(self, kind: FeatureKind, entry: object, query: Query, indices: Mapping[str, int]) -> Measure | None:
        if kind in {"exists", *_WITHOUT_COLUMN}:
            return None if entry is None else _refuse("measure", f"{kind} measures nothing")
        measured = _mapping(entry, "measure")
        variable = _index(measured.get("variable"), indices, "measure.variable")
        if kind == "value" and variable != EXAMPLE:
            _refuse("measure.variable", "value is one of the example; of rows take an aggregate, such as max")
        term, column = self._term(measured, query.table_of(variable, self.schema), "measure")
        _check_function(kind, column, "measure")
        return Measure(variable, term)

    def _term(self, entry: Mapping[str, Any], table: str, pointer: str) -> tuple[Term, ColumnSchema]:
        if "aggregate" not in entry:
            return self._column(entry, table, pointer)
        if "column" in entry:
            _refuse(pointer, "a term is a column or an aggregate, not both")
        pointer = f"{pointer}.aggregate"
        aggregate = _mapping(entry["aggregate"], pointer)
        function = _one_of(get_args(AggregateFunction), aggregate.get("function"), f"{pointer}.function")
        step = self._step(aggregate, table, pointer)
        where = tuple(
            self._selection(chosen, self.schema.reached(step), f"{pointer}.where[{number}]")
            for number, chosen in enumerate(_entries(aggregate, "where"))
        )
        if len(where) > MAX_SELECTIONS:
            _refuse(f"{pointer}.where", f"an aggregate has at most {MAX_SELECTIONS} selections, not {len(where)}")
        if function in _WITHOUT_COLUMN:
            if "column" in aggregate:
                _refuse(f"{pointer}.column", f"{function} reads no column")
            return AggregateTerm(function, step, None, where), _NUMBER
        term, column = self._column(aggregate, self.schema.reached(step), pointer)
        _check_function(function, column, pointer)
        return AggregateTerm(function, step, term, where), column if function == "mode" else _NUMBER

    def _selection(self, entry: Mapping[str, Any], table: str, pointer: str) -> Selection:
        term, column = self._column(entry, table, pointer)
        return Selection(term, *_comparison(entry, column, pointer))

    def _column(self, entry: Mapping[str, Any], table: str, pointer: str) -> tuple[ColumnTerm, ColumnSchema]:
        parents = tuple(entry.get("parents") or ())
        for name in parents:
            relationship = self.schema.relationships.get(name)
            if relationship is None or relationship.child != table:
                leading = [key for key, each in self.schema.relationships.items() if each.child == table]
                near = did_you_mean(str(name), leading)
                _unknown(f"{pointer}.parents", f"no relationship {name!r} leads from table {table} to a parent{near}")
            table = relationship.parent
        name = entry.get("column")
        column = self.schema.tables[table].columns.get(name) if isinstance(name, str) else None
        if not isinstance(name, str) or column is None:
            near = did_you_mean(name, self.schema.tables[table].columns) if isinstance(name, str) else ""
            _unknown(f"{pointer}.column", f"table {table} has no column {name!r}{near}")
        if (table, name) == (self.schema.examples, self.schema.target):
            _unknown(f"{pointer}.column", f"{name} is the target, which no feature may read")
        if column.kind not in _TESTABLE:
            _unknown(f"{pointer}.column", f"{name} of table {table} is a {column.kind}; its values may not be read")
        return ColumnTerm(name, parents), column


def _comparison(entry: Mapping[str, Any], column: ColumnSchema, pointer: str) -> tuple[Operator, Value]:
    operator = _one_of(get_args(Operator), entry.get("operator"), f"{pointer}.operator")
    value = entry.get("value")
    if operator == "is_missing":
        return operator, None if value is None else _refuse(f"{pointer}.value", "is_missing compares with no value")
    if operator in {"<=", ">"} and column.kind != "number":
        _refuse(f"{pointer}.operator", f"{operator} compares numbers, not a {column.kind}; use =")
    return operator, _value(value, column, f"{pointer}.value")


def _value(value: Any, column: ColumnSchema, pointer: str) -> Value:  # any JSON
    if column.kind == "boolean" and isinstance(value, bool):
        return value
    if column.kind == "category" and isinstance(value, str):
        return value
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if column.kind == "number" and is_number and abs(value) <= _LARGEST:
        return single(value)
    kinds = {"boolean": "true or false", "category": "a text", "number": "a finite number of single precision"}
    return _refuse(pointer, f"{value!r} is not {kinds[column.kind]}")


def _check_function(function: str, column: ColumnSchema, pointer: str) -> None:
    if function in _OF_NUMBERS and column.kind != "number":
        _refuse(f"{pointer}.column", f"{function} is taken of numbers, not of a {column.kind}")
    if function == "mode" and column.kind == "number":
        _refuse(f"{pointer}.column", "mode is taken of categories and booleans, not of a number")


def _entries(document: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    entries = document.get(name) or []
    if not isinstance(entries, list | tuple):
        _refuse(name, "a list is expected")
    return [_mapping(entry, f"{name}[{number}]") for number, entry in enumerate(entries)]


def _mapping(entry: object, pointer: str) -> Mapping[str, Any]:
    return entry if isinstance(entry, Mapping) else _refuse(pointer, "an object is expected")


def _index(name: object, indices: Mapping[str, int], pointer: str) -> int:
    if not isinstance(name, str) or name not in indices:
        _unknown(pointer, f"there is no variable {name!r} so far; there are {', '.join(indices)}")
    return indices[name]


def _one_of(choices: tuple[Any, ...], value: object, pointer: str) -> Any:  # one of the choices
    if value not in choices:
        _refuse(pointer, f"{value!r} is not one of {', '.join(choices)}")
    return value


def _unknown(pointer: str, what: str) -> NoReturn:
    msg = f"The feature's {pointer}: {what}."
    raise InvalidInput(msg, code="unknown_feature")


def _refuse(pointer: str, what: str) -> NoReturn:
    msg = f"The feature's {pointer}: {what}."
    raise InvalidInput(msg)
