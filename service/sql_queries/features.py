"""Features of an example in SQL: as values to be joined to the examples, and as tests of a tree or rule.

The example is called ``e``. A test is ``e.key IN (SELECT …)``, whose subquery stands alone and is run once. It names
examples by their keys, or by a foreign key where that takes no join with the examples.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from explanations.rules import MissingTerm, NumberTerm, Term, TextTerm
from tree_explainers.relational.queries import (
    EXAMPLE,
    ColumnTerm,
    Condition,
    Feature,
    FeatureTest,
    Query,
    Variable,
)
from tree_explainers.relational.schema import ColumnSchema, Schema

from .expressions import (
    ALWAYS,
    NEVER,
    Lines,
    chained,
    clause,
    framed,
    indented,
    on_one_line,
    row_of,
    single,
    sql_condition,
    sql_name,
)
from .joins import (
    ZERO_OF_NONE,
    Joins,
    aggregate_of,
    bind,
    column_of,
    ends,
    grouped,
    modes,
    not_null,
    or_zero,
    share_of,
    slack_of,
)

_HALF = 0.5


@dataclass(frozen=True, slots=True)
class ExampleTest:
    """A test of an example: an expression that is true or false, never NULL, and whether the test is its negation."""

    lines: tuple[str, ...]
    comment: str  # what the expression says
    is_negated: bool = False


@dataclass(frozen=True, slots=True)
class Bound:
    """The rows of a query, and what names their example in it and outside."""

    joins: Joins
    keys: list[str]
    outer: list[str]  # columns of ``e`` that equal the keys
    conditions: list[str]  # that keys are not NULL


def bound(schema: Schema, query: Query, *, reads_example: bool = False, example: str = "e") -> Bound:
    """Return the rows of a query: without the examples where one foreign key names them, and nothing else is read.

    ``example`` is what the example is called outside.
    """
    steps = [variable.by for variable in query.variables if variable.origin == EXAMPLE]
    reads_example |= any(condition.variable == EXAMPLE for condition in query.conditions)
    if reads_example or schema.cutoff is not None or len(steps) != 1 or steps[0].to == "parent":
        joins, names = bind(schema, query.variables, from_examples=True), schema.tables[schema.examples].primary_key
        return Bound(joins, joins.columns(EXAMPLE, names), [f"{example}.{sql_name(name)}" for name in names], [])
    joins, (columns, reached) = bind(schema, query.variables, from_examples=False), ends(schema, steps[0])
    keys = joins.columns(0, reached)
    return Bound(joins, keys, [f"{example}.{sql_name(name)}" for name in columns], not_null(keys))


def value_lines(schema: Schema, features: Sequence[Feature]) -> tuple[Lines, list[str]]:
    """Return a query with the values of features by example, and the columns of ``e`` that equal its keys.

    Features of one query, which are neither ``exists`` nor ``mode`` nor ``share``, can be read together.
    """
    first, query = features[0], features[0].query
    rows = bound(schema, query, reads_example=any(_reads_example(feature) for feature in features))
    if first.kind == "value" and first.measure is not None:
        rows = bound(schema, Query(), reads_example=True)
        measure = rows.joins.read(EXAMPLE, first.measure.term)
        named = [f"{key} AS k{index + 1}" for index, key in enumerate(rows.keys)]
        selected = [f"SELECT {', '.join([*named, f'{measure} AS v'])}", *rows.joins.lines]
        return [*selected, *framed("WHERE ", exists_lines(schema, query, "s"), "")], rows.outer
    values, conditions = _aggregates(rows, features)
    column = measured_column(schema, first)
    if first.kind == "mode" and column is not None:
        return modes(rows.joins, rows.keys, values[0], column.levels, conditions), rows.outer
    of_names = {value_name(index, len(features)): value for index, value in enumerate(values)}
    return grouped(rows.joins, rows.keys, of_names, conditions), rows.outer


def value_name(index: int, n_features: int) -> str:
    """Return the column of a feature in the query that reads it, with others or alone."""
    return f"v{index + 1}" if n_features > 1 else "v"


def _reads_example(feature: Feature) -> bool:
    return feature.measure is not None and feature.measure.variable == EXAMPLE


def _aggregates(rows: Bound, features: Sequence[Feature]) -> tuple[list[str], list[str]]:
    """Return the expression of each feature over an example's bindings, and the conditions on these."""
    query, last = features[0].query, len(features[0].query.variables) - 1
    if features[0].kind == "share":
        those = [rows.joins.condition(one) for one in query.conditions if one.variable == last]
        others = [rows.joins.condition(one) for one in query.conditions if one.variable != last]
        return [share_of(those)], [*others, *rows.conditions]
    conditions = [rows.joins.condition(condition) for condition in query.conditions]
    return [_aggregate(rows.joins, feature) for feature in features], [*conditions, *rows.conditions]


def _aggregate(joins: Joins, feature: Feature) -> str:
    if feature.measure is None or feature.kind in ("value", "exists", "share"):
        return "COUNT(*)"
    measure = joins.read(feature.measure.variable, feature.measure.term)
    return measure if feature.kind == "mode" else aggregate_of(feature.kind, measure)


def measured_column(schema: Schema, feature: Feature) -> ColumnSchema | None:
    """Return what the values of a feature's measure are; ``None`` without a measure."""
    if feature.measure is None:
        return None
    return column_of(schema, feature.query.table_of(feature.measure.variable, schema), feature.measure.term)


def node_test(schema: Schema, name: str, test: FeatureTest) -> ExampleTest:
    """Return the test of a tree's node, whose feature has a name; a missing value passes none."""
    is_above, cut = (True, _HALF) if test.operator is None or test.cut is None else (test.operator == ">", test.cut)
    return feature_test(schema, test.feature, NumberTerm(name, cut, is_above, or_missing=False))


def feature_test(schema: Schema, feature: Feature, term: Term) -> ExampleTest:
    """Return whether a term holds for a feature's value; the term's column is the feature's name.

    An example that the subquery does not name has no bindings. Where the term holds for what the feature is then (0, or
    missing), the subquery lists those for which it does not hold.
    """
    if feature.kind == "exists":
        of_true, of_false = term.holds(1.0), term.holds(0.0)
        if of_true == of_false:
            return ExampleTest((ALWAYS if of_true else NEVER,), "every example" if of_true else "no example")
        return ExampleTest(tuple(exists_lines(schema, feature.query)), term.column, is_negated=of_false)
    holds_of_none = term.holds(0.0 if feature.kind in ZERO_OF_NONE else None)
    positive = complement(term) if holds_of_none else term
    comment = _compared(positive, on_one_line(term.column))
    return ExampleTest(tuple(_value_test(schema, feature, positive)), comment, holds_of_none)


def _compared(term: Term, operand: str, slack: str = "") -> str:
    return sql_condition(term, operand, lambda bound: single(bound) + slack)


def complement(term: Term) -> Term:
    """Return the term that holds where another does not."""
    if isinstance(term, NumberTerm):
        return replace(term, is_above=not term.is_above, or_missing=not term.or_missing)
    if isinstance(term, TextTerm):
        return replace(term, is_among=not term.is_among, or_missing=not term.or_missing)
    return MissingTerm(term.column, not term.is_missing)


def exists_lines(schema: Schema, query: Query, example: str = "e") -> Lines:
    """Return the expression that is true where a binding satisfies a query, else false: a subquery a component.

    ``example`` is what the example is called around it.
    """
    of_columns = [one for one in query.conditions if _is_own_column(one)]
    others = tuple(one for one in query.conditions if one.variable == EXAMPLE and one not in of_columns)
    conditions = [
        Joins(schema, [], {EXAMPLE: example}, {EXAMPLE: schema.examples}, None).condition(one) for one in of_columns
    ]
    parts = [[f"COALESCE({' AND '.join(conditions)}, FALSE)"]] if of_columns else []
    parts += [_exists(schema, Query((), others), example)] if others else []
    parts += [_exists(schema, component, example) for component in components(query)]
    return chained(parts, " AND ") if parts else [ALWAYS]


def _is_own_column(condition: Condition) -> bool:
    term = condition.term
    return condition.variable == EXAMPLE and isinstance(term, ColumnTerm) and not term.parents


def _exists(schema: Schema, query: Query, example: str) -> Lines:
    rows = bound(schema, query, example=example)
    conditions = [rows.joins.condition(condition) for condition in query.conditions]
    return _among(rows, clause("WHERE", [*conditions, *rows.conditions]))


def _among(rows: Bound, clauses: Lines) -> Lines:
    selected = [f"SELECT {', '.join(rows.keys)}", *rows.joins.lines, *clauses]
    return framed(f"{row_of(rows.outer)} IN (", ["", *indented(selected), ""], ")")


def components(query: Query) -> list[Query]:
    """Return the parts of a query that share no variables; conditions on the example are in none."""
    roots: list[int] = []
    for index, variable in enumerate(query.variables):
        roots.append(index if variable.origin == EXAMPLE else roots[variable.origin])
    return [_part(query, [index for index, of in enumerate(roots) if of == root]) for root in dict.fromkeys(roots)]


def _part(query: Query, indices: Sequence[int]) -> Query:
    new_index = {EXAMPLE: EXAMPLE, **{index: new for new, index in enumerate(indices)}}
    variables = [replace(query.variables[index], origin=new_index[query.variables[index].origin]) for index in indices]
    conditions = [replace(one, variable=new_index[one.variable]) for one in query.conditions if one.variable in indices]
    return Query(tuple[Variable, ...](variables), tuple(conditions))


def _value_test(schema: Schema, feature: Feature, term: Term) -> Lines:
    """Return the expression that a term, which does not hold of no bindings, holds for a feature's value."""
    column = own_column(feature)
    if column is not None:
        return [f"COALESCE({_compared(_of_kind(schema, feature, term), column)}, FALSE)"]
    if feature.kind in ("value", "mode"):
        lines, outer = value_lines(schema, [feature])
        keys = ", ".join(f"k{index + 1}" for index in range(len(outer)))
        condition = _compared(_of_kind(schema, feature, term), "f.v")
        selected = [f"SELECT {keys}", "FROM (", *indented(lines), ") AS f", f"WHERE {condition}"]
        return framed(f"{row_of(outer)} IN (", ["", *indented(selected), ""], ")")
    rows = bound(schema, feature.query, reads_example=_reads_example(feature))
    values, conditions = _aggregates(rows, [feature])
    if _is_threshold(feature, term) and feature.measure is not None:
        measure = rows.joins.read(feature.measure.variable, feature.measure.term)
        slack = rows.joins.slack(feature.measure.variable, feature.measure.term)
        return _among(rows, clause("WHERE", [*conditions, _compared(term, measure, slack)]))
    slack = ""
    if feature.measure is not None:
        slack = slack_of(feature.kind, rows.joins.read(feature.measure.variable, feature.measure.term))
    value = or_zero(feature.kind, values[0])
    having = [f"GROUP BY {', '.join(rows.keys)}", f"HAVING {_compared(term, value, slack)}"]
    return _among(rows, [*clause("WHERE", conditions), *having])


def _of_kind(schema: Schema, feature: Feature, term: Term) -> Term:
    """Return the term as one of booleans where the feature's values are some."""
    column = measured_column(schema, feature)
    is_boolean = column is not None and column.kind == "boolean"
    return replace(term, is_boolean=True) if is_boolean and isinstance(term, NumberTerm) else term


def own_column(feature: Feature) -> str | None:
    """Return the expression of a feature that is a column of the example itself; ``None`` of another."""
    if feature.kind != "value" or feature.measure is None or feature.query != Query():
        return None
    term = feature.measure.term
    return f"e.{sql_name(term.column)}" if isinstance(term, ColumnTerm) and not term.parents else None


def _is_threshold(feature: Feature, term: Term) -> bool:
    """Return whether one binding beyond a cut is all that the term needs."""
    if not isinstance(term, NumberTerm) or term.or_missing:
        return False
    return (feature.kind, term.is_above) in (("max", True), ("min", False))
