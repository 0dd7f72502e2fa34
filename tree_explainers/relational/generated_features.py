"""Features made without a forest: columns of the example and aggregates along one or two relationships.

As deep feature synthesis makes them (Kanter & Veeramachaneni 2015), but over rows two relationships away at once
instead of aggregates of aggregates, and each also of the rows with one level of one of their columns.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from .canonical import canonical
from .queries import EXAMPLE, AggregateFunction, ColumnTerm, Condition, Feature, Measure, Query, Value, Variable
from .schema import ColumnSchema, Schema

_MOST_LEVELS = 40  # of a column that is read or selected by
_OF_NUMBERS: tuple[AggregateFunction, ...] = ("mean", "sum", "min", "max")
_OF_LEVELS: tuple[AggregateFunction, ...] = ("mode", "n_distinct")


def generated_features(schema: Schema, depth: int) -> list[Feature]:
    """Return all features along at most ``depth`` (1 or 2) relationships, the shortest first.

    The shortest follow the fewest relationships, then have the fewest conditions. The target is never read, and no way
    leads back into the examples' table.
    """
    features = [
        *((_n_followed(feature), feature) for feature in _values(schema, depth)),
        *((_n_followed(feature), feature) for rows in _rows(schema, depth) for feature in rows.features(schema, depth)),
    ]
    features.sort(key=lambda entry: (entry[0], len(entry[1].query.conditions)))
    return list(dict.fromkeys(canonical(feature) for _, feature in features))


def _n_followed(feature: Feature) -> int:
    term = feature.measure.term if feature.measure else None
    return len(feature.query.variables) + (len(term.parents) if isinstance(term, ColumnTerm) else 0)


def _values(schema: Schema, depth: int) -> Iterator[Feature]:
    for term, _ in _columns(schema, schema.examples, depth):
        yield Feature("value", Query(), Measure(EXAMPLE, term))


def _columns(schema: Schema, table: str, n_parents: int) -> Iterator[tuple[ColumnTerm, ColumnSchema]]:
    """Yield the columns of a row and of its parents, up to ``n_parents`` relationships away."""
    reached: list[tuple[str, tuple[str, ...]]] = [(table, ())]
    for _ in range(n_parents + 1):
        for name, parents in reached:
            for column, of in schema.tables[name].columns.items():
                is_target = (name, column) == (schema.examples, schema.target)
                is_read = of.kind in {"number", "boolean"} or (of.kind == "category" and len(of.levels) <= _MOST_LEVELS)
                if is_read and not is_target:
                    yield ColumnTerm(column, parents), of
        reached = [
            (to, (*parents, step.relationship))
            for name, parents in reached
            for step, to in schema.steps_from(name)
            if step.to == "parent" and to != schema.examples
        ]


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows that features aggregate: those of the last of some variables."""

    variables: tuple[Variable, ...]
    table: str

    def features(self, schema: Schema, depth: int) -> Iterator[Feature]:
        """Yield every aggregate of the rows, and of those with one level of a column of their own."""
        last = len(self.variables) - 1
        columns = [
            (term, of)
            for term, of in _columns(schema, self.table, depth - len(self.variables))
            if term.parents != (self.variables[last].by.relationship,)  # where the rows were reached from
        ]
        yield from self._aggregates(columns, None)
        for term, of in columns:
            if term.parents:
                continue
            for level in _levels(of):
                condition = Condition(last, term, "=", level)
                yield Feature("share", Query(self.variables, (condition,)))
                others = [(other, other_of) for other, other_of in columns if other != term]
                yield from self._aggregates(others, condition)

    def _aggregates(
        self, columns: list[tuple[ColumnTerm, ColumnSchema]], condition: Condition | None
    ) -> Iterator[Feature]:
        query = Query(self.variables, () if condition is None else (condition,))
        yield Feature("count", query)
        for term, of in columns:
            for function in _OF_NUMBERS if of.kind == "number" else _OF_LEVELS:
                yield Feature(function, query, Measure(len(self.variables) - 1, term))


def _levels(of: ColumnSchema) -> tuple[Value, ...]:
    return (False, True) if of.kind == "boolean" else of.levels


def _rows(schema: Schema, depth: int) -> Iterator[_Rows]:
    """Yield the rows that one or two relationships lead to, the last of them to children: there may be many."""
    for step, table in schema.steps_from(schema.examples):
        if table == schema.examples:
            continue
        first = Variable(EXAMPLE, step)
        if step.to == "children":
            yield _Rows((first,), table)
        for further, beyond in schema.steps_from(table) if depth > 1 else ():
            if further.to == "children" and beyond != schema.examples:
                yield _Rows((first, Variable(0, further)), beyond)
