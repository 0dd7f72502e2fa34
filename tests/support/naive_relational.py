"""Queries, features and tests evaluated on one example at a time, over plain lists by recursion: slow, obvious twins.

Written from the meanings that ``tree_explainers/relational/queries.py`` and the design give, not from the code that
answers them quickly. Rows are numbers, values are plain Python: a text (category), a float of single precision, a
boolean, or None where missing.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from tree_explainers.relational.queries import (
    EXAMPLE,
    AggregateFunction,
    AggregateTerm,
    ColumnTerm,
    Condition,
    Feature,
    FeatureTest,
    Operator,
    Query,
    Selection,
    Term,
    Value,
)
from tree_explainers.relational.schema import Schema, Step
from tree_explainers.relational.tables import MISSING, RelationalRows

Binding = tuple[int, ...]  # the row of each variable


@dataclass(frozen=True)
class PlainRows:
    """The rows of several tables as plain lists."""

    schema: Schema
    columns: dict[str, dict[str, list[Value]]]  # table -> column -> the value of each row
    times: dict[str, list[float | None] | None]  # table -> the time of each row, where it has times
    parents: dict[str, list[int | None]]  # relationship -> the parent of each row of the child
    children: dict[str, list[list[int]]]  # relationship -> the children of each row of the parent, by time, then row
    n_rows: dict[str, int]
    cutoffs: list[float | None] | None

    def seen(self, table: str, row: int, example: int) -> bool:
        """Return whether the example sees a row: always without cutoffs or times, else if it is earlier."""
        times = self.times[table]
        if self.cutoffs is None or times is None:
            return True
        time, cutoff = times[row], self.cutoffs[example]
        return time is not None and cutoff is not None and time < cutoff

    def reached(self, step: Step, row: int, example: int) -> list[int]:
        """Return the rows that a step leads to: children by time, then by row; or the one parent, if there is one."""
        if step.to == "parent":
            parent = self.parents[step.relationship][row]
            rows = [] if parent is None else [parent]
        else:
            rows = self.children[step.relationship][row]
        return [row for row in rows if self.seen(self.schema.reached(step), row, example)]


def plain_rows(rows: RelationalRows) -> PlainRows:
    """Return the rows as plain lists."""
    times = {name: None if of.times is None else _floats(of.times.tolist()) for name, of in rows.tables.items()}
    parents = {
        name: [None if row == MISSING else row for row in of.parents.tolist()]
        for name, of in rows.relationships.items()
    }
    return PlainRows(
        rows.schema,
        {name: {column: _values(rows, name, column) for column in of.columns} for name, of in rows.tables.items()},
        times,
        parents,
        {name: _children(rows, name, parents[name], times) for name in parents},
        {name: of.n_rows for name, of in rows.tables.items()},
        None if rows.cutoffs is None else _floats(rows.cutoffs.tolist()),
    )


def _children(
    rows: RelationalRows, name: str, parents: list[int | None], times: dict[str, list[float | None] | None]
) -> list[list[int]]:
    """Return each parent's children, from the children's parents alone."""
    key = rows.schema.relationships[name]
    children: list[list[int]] = [[] for _ in range(rows.tables[key.parent].n_rows)]
    for child, parent in enumerate(parents):
        if parent is not None:
            children[parent].append(child)
    of_child = times[key.child]
    if of_child is None:
        return children
    late = [float("inf") if time is None else time for time in of_child]
    return [sorted(some, key=late.__getitem__) for some in children]


def _values(rows: RelationalRows, table: str, column: str) -> list[Value]:
    values = rows.tables[table].columns[column]
    if values.dtype == np.float32:
        return list(_floats(values.tolist()))
    kind = rows.schema.tables[table].columns[column]
    levels: Sequence[Value] = (False, True) if kind.kind == "boolean" else kind.levels
    return [None if code == MISSING else levels[code] for code in values.tolist()]


def _floats(values: Sequence[float]) -> list[float | None]:
    return [None if isnan(value) else value for value in values]


def bindings(rows: PlainRows, query: Query, example: int) -> list[Binding]:
    """Return all bindings that satisfy a query, the rows of each variable in order, the first variable slowest."""
    return [
        binding
        for binding in _extended(rows, query, example, ())
        if all(holds(rows, query, condition, example, binding) for condition in query.conditions)
    ]


def _extended(rows: PlainRows, query: Query, example: int, binding: Binding) -> Iterator[Binding]:
    if len(binding) == len(query.variables):
        yield binding
        return
    variable = query.variables[len(binding)]
    for row in rows.reached(variable.by, _row(variable.origin, example, binding), example):
        yield from _extended(rows, query, example, (*binding, row))


def _row(variable: int, example: int, binding: Binding) -> int:
    return example if variable == EXAMPLE else binding[variable]


def table_of(schema: Schema, query: Query, variable: int) -> str:
    """Return the table that a variable's rows are of."""
    return schema.examples if variable == EXAMPLE else schema.reached(query.variables[variable].by)


def holds(rows: PlainRows, query: Query, condition: Condition, example: int, binding: Binding) -> bool:
    """Return whether a binding satisfies a condition."""
    table, row = table_of(rows.schema, query, condition.variable), _row(condition.variable, example, binding)
    return satisfies(term_value(rows, condition.term, table, row, example), condition.operator, condition.value)


def satisfies(value: Value, operator: Operator, constant: Value) -> bool:
    """Return whether a value satisfies a condition; a missing one satisfies ``is_missing`` alone."""
    if operator == "is_missing":
        return value is None
    if value is None:
        return False
    if operator == "=":
        return value == constant
    assert isinstance(value, float)
    assert isinstance(constant, float | int)
    return value <= constant if operator == "<=" else value > constant


def term_value(rows: PlainRows, term: Term, table: str, row: int, example: int) -> Value:
    """Return the value of a column or aggregate of a row; None where it is missing."""
    if isinstance(term, AggregateTerm):
        return _aggregate_of_row(rows, term, row, example)
    for relationship in term.parents:
        step = Step(relationship, "parent")
        reached = rows.reached(step, row, example)
        if not reached:
            return None
        table, row = rows.schema.reached(step), reached[0]
    return rows.columns[table][term.column][row]


def _aggregate_of_row(rows: PlainRows, term: AggregateTerm, row: int, example: int) -> Value:
    table = rows.schema.reached(term.by)
    all_rows = rows.reached(term.by, row, example)
    chosen = [row for row in all_rows if all(_selects(rows, one, table, row, example) for one in term.where)]
    if term.column is None:
        return aggregate(term.function, chosen, len(all_rows), ())
    values = [term_value(rows, term.column, table, row, example) for row in chosen]
    return aggregate(term.function, values, len(all_rows), levels_of(rows.schema, term.column, table))


def _selects(rows: PlainRows, one: Selection, table: str, row: int, example: int) -> bool:
    return satisfies(term_value(rows, one.term, table, row, example), one.operator, one.value)


def levels_of(schema: Schema, term: ColumnTerm, table: str) -> Sequence[Value]:
    """Return the levels of a column of categories or booleans, in their order; none of a number."""
    for relationship in term.parents:
        table = schema.reached(Step(relationship, "parent"))
    column = schema.tables[table].columns[term.column]
    return (False, True) if column.kind == "boolean" else column.levels


def aggregate(function: AggregateFunction, values: Sequence[Value], n_all: int, levels: Sequence[Value]) -> Value:
    """Return a number of single precision, or a level, made of values; ``n_all`` is what ``share`` divides by."""
    present = [value for value in values if value is not None]
    of_any: dict[str, Callable[[], Value]] = {
        "count": lambda: float(len(values)),
        "share": lambda: _single(len(values) / n_all) if n_all > 0 else None,
        "n_distinct": lambda: float(len(set(present))),
        "sum": lambda: _single(_rounded_sum(present)),
    }
    of_some: dict[str, Callable[[], Value]] = {
        "mode": lambda: max(
            levels, key=lambda level: sum(value == level for value in present)
        ),  # the first of equally frequent ones
        "mean": lambda: _single(_rounded_sum(present) / len(present)),
        "min": lambda: min(present),
        "max": lambda: max(present),
    }
    if function in of_any:
        return of_any[function]()
    return of_some[function]() if present else None


def _rounded_sum(values: Sequence[Value]) -> float:
    """Return the sum of the values as decimals, in their order, rounded to 10⁻⁹ of the sum of their sizes."""
    total = size = 0.0
    for value in values:
        assert isinstance(value, float)
        decimal = float(str(np.float32(value)))
        total, size = total + decimal, size + abs(decimal)
    unit = size * 1e-9
    return round(total / unit) * unit if unit > 0 else total


def _single(value: float) -> float:
    return float(np.float32(value))


def feature_value(rows: PlainRows, feature: Feature, example: int) -> Value:
    """Return the value of a feature for one example; None where it is missing."""
    query, satisfying = feature.query, bindings(rows, feature.query, example)
    if feature.kind == "exists":
        return len(satisfying) > 0
    if feature.kind == "count":
        return float(len(satisfying))
    if feature.kind == "share":
        return aggregate("share", satisfying, len(bindings(rows, without_last(query), example)), ())  # type: ignore[arg-type]
    assert feature.measure is not None
    variable, term = feature.measure.variable, feature.measure.term
    table = table_of(rows.schema, query, variable)
    if feature.kind == "value":
        return term_value(rows, term, table, example, example) if satisfying else None
    values = [term_value(rows, term, table, _row(variable, example, one), example) for one in satisfying]
    levels = levels_of(rows.schema, term, table) if isinstance(term, ColumnTerm) else _levels(rows.schema, term)
    return aggregate(feature.kind, values, len(values), levels)


def _levels(schema: Schema, term: AggregateTerm) -> Sequence[Value]:
    if term.function != "mode" or term.column is None:
        return ()
    return levels_of(schema, term.column, schema.reached(term.by))


def without_last(query: Query) -> Query:
    """Return the query without the conditions on its last variable, among whose bindings a share is taken."""
    last = len(query.variables) - 1
    return Query(query.variables, tuple(one for one in query.conditions if one.variable != last))


def passes(rows: PlainRows, test: FeatureTest, example: int) -> bool:
    """Return whether an example passes the test of a tree's node; a missing value passes none."""
    value = feature_value(rows, test.feature, example)
    if test.operator is None:
        return value is True
    return satisfies(value, test.operator, test.cut)


def feature_column(rows: PlainRows, feature: Feature) -> list[Value]:
    """Return the value of a feature for each example."""
    return [feature_value(rows, feature, example) for example in range(rows.n_rows[rows.schema.examples])]


def passing(rows: PlainRows, test: FeatureTest) -> list[bool]:
    """Return whether each example passes a test."""
    return [passes(rows, test, example) for example in range(rows.n_rows[rows.schema.examples])]
