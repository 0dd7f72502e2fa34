"""Queries and features of one example, closed, so that each is a column of a table of examples.

A query is a set of variables, each a row that a relationship leads to from the example or from an earlier variable,
and conditions on them. A binding gives each variable a row; it satisfies the query if it satisfies all conditions. A
missing value satisfies ``is_missing`` alone, as in SQL.
"""

from dataclasses import dataclass
from typing import Literal

from .schema import ColumnSchema, Schema, Step

EXAMPLE = -1  # as the index of a variable: the example itself

Operator = Literal["=", "<=", ">", "is_missing"]
AggregateFunction = Literal["count", "share", "mean", "sum", "min", "max", "mode", "n_distinct"]
FeatureKind = Literal["value", "exists", "count", "share", "mean", "sum", "min", "max", "mode", "n_distinct"]
Value = str | float | bool | None  # a level of a category, a number of single precision, a boolean; None: is_missing


@dataclass(frozen=True, slots=True)
class ColumnTerm:
    """A column of a variable's row, or of the parent that ``parents`` lead to, relationship by relationship.

    It is missing where there is no such parent, or where the parent's time is not before the example's cutoff.
    """

    column: str
    parents: tuple[str, ...] = ()

    def table(self, schema: Schema, table: str) -> str:
        """Return the table that the column is of, where the row is one of ``table``."""
        for name in self.parents:
            table = schema.relationships[name].parent
        return table

    def column_schema(self, schema: Schema, table: str) -> ColumnSchema:
        """Return the kind and the levels of the column, where the row is one of ``table``."""
        return schema.tables[self.table(schema, table)].columns[self.column]


@dataclass(frozen=True, slots=True)
class Selection:
    """A condition on one row of those that an aggregate reads."""

    term: ColumnTerm
    operator: Operator
    value: Value = None


@dataclass(frozen=True, slots=True)
class AggregateTerm:
    """A number (or, by ``mode``, a level) made of the rows that one step leads to from a variable's row.

    ``count`` counts rows that satisfy ``where`` (0 of none); ``share`` is their share of all rows (missing of no rows);
    ``sum`` adds the values of ``column`` that are not missing (0 of none); ``mean``, ``min``, ``max`` are missing of
    none; ``n_distinct`` counts distinct values (0 of none); ``mode`` is the most frequent level, the first of equally
    frequent ones in the order of the levels (missing of none).
    """

    function: AggregateFunction
    by: Step
    column: ColumnTerm | None = None  # None for count and share
    where: tuple[Selection, ...] = ()  # at most two


Term = ColumnTerm | AggregateTerm


@dataclass(frozen=True, slots=True)
class Variable:
    """A row of the table that ``by`` leads to from the row of ``origin``, an earlier variable or the example."""

    origin: int
    by: Step


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on one variable's row (or the example's)."""

    variable: int
    term: Term
    operator: Operator
    value: Value = None


@dataclass(frozen=True, slots=True)
class Query:
    """Variables, each after its origin, and conditions that a binding has to satisfy together."""

    variables: tuple[Variable, ...] = ()
    conditions: tuple[Condition, ...] = ()

    def tables(self, schema: Schema) -> tuple[str, ...]:
        """Return the table of each variable."""
        return tuple(schema.reached(variable.by) for variable in self.variables)

    def table_of(self, variable: int, schema: Schema) -> str:
        """Return the table of one variable or, for ``EXAMPLE``, that of the examples."""
        return schema.examples if variable == EXAMPLE else schema.reached(self.variables[variable].by)


@dataclass(frozen=True, slots=True)
class Measure:
    """The term of one variable (or the example) that a feature reads."""

    variable: int
    term: Term


@dataclass(frozen=True, slots=True)
class Feature:
    """One column of a table of examples.

    ``exists``: whether a binding satisfies the query (boolean, never missing). ``count``: how many do (never missing).
    ``share``: the share of the bindings that satisfy it, among those that satisfy all conditions but the last
    variable's (missing of none). ``value``: the measure, of the example itself, where the query holds. Others: of the
    measure over all bindings that satisfy the query, as in ``AggregateTerm``, each binding once.

    An inequality as the last condition of an existential query is a threshold: some binding has amount > c where the
    ``max`` of amount is > c, and some has amount <= c where the ``min`` is <= c. The cut then stays in the tree.
    """

    kind: FeatureKind
    query: Query
    measure: Measure | None = None


def returns_to_examples(feature: Feature, schema: Schema) -> bool:
    """Return whether a feature follows relationships back into the examples' table, to rows that may be others."""
    query, measure = feature.query, feature.measure
    read = [condition.term for condition in query.conditions] + ([] if measure is None else [measure.term])
    followed = {*query.tables(schema)}.union(*(_followed(term, schema) for term in read))
    return schema.examples in followed


def _followed(term: Term, schema: Schema) -> set[str]:
    """Return the tables that relationships lead to from a variable's row."""
    if isinstance(term, ColumnTerm):
        return {schema.relationships[name].parent for name in term.parents}
    columns = [selection.term for selection in term.where] + ([] if term.column is None else [term.column])
    return {schema.reached(term.by)}.union(*(_followed(column, schema) for column in columns))


@dataclass(frozen=True, slots=True)
class FeatureTest:
    """A test of a tree's node: the feature is true (``exists``), ``> cut`` (operator ``>``) or ``<= cut``."""

    feature: Feature
    operator: Literal[">", "<="] | None = None
    cut: float | None = None  # of single precision
