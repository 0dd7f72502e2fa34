"""The rows of a query in SQL: a FROM clause that binds its variables, and expressions over them.

Variables are called ``x1``, ``x2``, … and the example ``s``; a parent whose columns are read of ``x1`` is ``x1p1``,
and the table of an aggregate ``x1g1``. Aggregates are made in a grouped subquery of their own, which is joined: a
correlated one would be made again for each row. With cutoffs, all subqueries that read rows with a time begin at the
examples, and every join keeps to earlier rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tree_explainers.relational.queries import (
    EXAMPLE,
    AggregateTerm,
    ColumnTerm,
    Condition,
    Operator,
    Term,
    Value,
    Variable,
)
from tree_explainers.relational.schema import ColumnSchema, Schema, Step

from .expressions import ALWAYS, NEVER, Lines, clause, equal, framed, indented, single, sql_name, sql_text

_NUMBER = ColumnSchema("number")
ADDED = ("sum", "mean")
ZERO_OF_NONE = ("count", "sum", "n_distinct")
_CALLS = {"sum": "SUM({})", "mean": "AVG({})", "min": "MIN({})", "max": "MAX({})", "n_distinct": "COUNT(DISTINCT {})"}


@dataclass(slots=True)
class Joins:
    """The FROM clause of variables' rows, which grows with the terms that are read of them."""

    schema: Schema
    lines: Lines
    aliases: dict[int, str]  # of each variable, and of the example where it is read
    tables: dict[int, str]  # of the same
    cutoff: str | None  # the expression that times are compared with; None where no time matters
    variables: tuple[Variable, ...] = ()
    _joined: dict[tuple[int, tuple[str, ...] | AggregateTerm], str] = field(default_factory=dict)

    def read(self, variable: int, term: Term) -> str:
        """Return the expression of a term, with the joins that it needs."""
        if isinstance(term, ColumnTerm):
            return self._column(variable, term)
        return or_zero(term.function, f"{self._aggregate(variable, term)}.v")

    def condition(self, condition: Condition) -> str:
        """Return the expression of a condition; NULL where the term is missing."""
        column = column_of(self.schema, self.tables[condition.variable], condition.term)
        expression = self.read(condition.variable, condition.term)
        slack = self.slack(condition.variable, condition.term) if condition.operator in (">", "<=") else ""
        return _compared(expression, condition.operator, condition.value, column) + slack

    def slack(self, variable: int, term: Term) -> str:
        """Return what is added to a constant that a term is compared with; see ``slack_of``."""
        if isinstance(term, ColumnTerm) or term.function not in ADDED:
            return ""
        return _slack(or_zero(term.function, f"{self._aggregate(variable, term)}.w"))

    def columns(self, variable: int, names: Sequence[str]) -> list[str]:
        """Return columns of a variable's own row."""
        return [f"{self.aliases[variable]}.{sql_name(name)}" for name in names]

    def _column(self, variable: int, term: ColumnTerm) -> str:
        alias = self.aliases[variable]
        for index, relationship in enumerate(term.parents):
            step, key = Step(relationship, "parent"), (variable, term.parents[: index + 1])
            if key not in self._joined:
                self._joined[key] = self._new_alias(variable, "p")
                self.lines.append(f"LEFT JOIN {self.tied_table(step, alias, self._joined[key])}")
            alias = self._joined[key]
        return f"{alias}.{sql_name(term.column)}"

    def tied_table(self, step: Step, origin: str, alias: str) -> str:
        """Return a table, its alias and what ties it to the row that a step comes from, for a JOIN."""
        table, (columns, reached) = self.schema.reached(step), ends(self.schema, step)
        tied = equal(
            (f"{alias}.{sql_name(name)}" for name in reached), (f"{origin}.{sql_name(name)}" for name in columns)
        )
        return f"{sql_name(table)} AS {alias} ON {' AND '.join([tied, *self.seen(table, alias)])}"

    def seen(self, table: str, alias: str) -> list[str]:
        """Return the condition that a row is earlier than the example's cutoff; none where that does not matter."""
        time = self.schema.tables[table].time
        return [] if self.cutoff is None or time is None else [f"{alias}.{sql_name(time)} < {self.cutoff}"]

    def _new_alias(self, variable: int, letter: str) -> str:
        number = 1 + sum(of == variable and isinstance(what, tuple) == (letter == "p") for of, what in self._joined)
        return f"{self.aliases[variable]}{letter}{number}"

    def _aggregate(self, variable: int, term: AggregateTerm) -> str:
        """Return the alias of the table with an aggregate's value, ``v``, for each row that has any."""
        key = (variable, term)
        if key not in self._joined:
            alias = self._joined[key] = self._new_alias(variable, "g")
            grouped, columns = _aggregated(self, variable, term)
            on = equal((f"{alias}.k{index + 1}" for index in range(len(columns))), columns)
            self.lines += framed("LEFT JOIN (", ["", *indented(grouped), ""], f") AS {alias} ON {on}")
        return self._joined[key]


def bind(schema: Schema, variables: Sequence[Variable], *, from_examples: bool, letter: str = "x") -> Joins:
    """Return the rows of variables, joined to the examples or without them.

    Without them the first variable alone comes from the example, and no cutoff matters.
    """
    joins = Joins(schema, [], {}, {}, None, tuple(variables))
    if from_examples:
        joins.lines, joins.aliases[EXAMPLE] = [f"FROM {sql_name(schema.examples)} AS s"], "s"
        joins.tables[EXAMPLE] = schema.examples
        joins.cutoff = None if schema.cutoff is None else f"s.{sql_name(schema.cutoff)}"
    for index, variable in enumerate(variables):
        alias = f"{letter}{index + 1}"
        joins.tables[index], joins.aliases[index] = schema.reached(variable.by), alias
        if variable.origin in joins.aliases:
            joins.lines.append(f"JOIN {joins.tied_table(variable.by, joins.aliases[variable.origin], alias)}")
        else:
            joins.lines.append(f"FROM {sql_name(joins.tables[index])} AS {alias}")
    return joins


def ends(schema: Schema, step: Step) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns of the row that a step comes from, and those of the rows it leads to that equal them."""
    relationship = schema.relationships[step.relationship]
    both = relationship.parent_columns, relationship.columns
    return both if step.to == "children" else (both[1], both[0])


def column_of(schema: Schema, table: str, term: Term) -> ColumnSchema:
    """Return what a term's values are."""
    if isinstance(term, ColumnTerm):
        return term.column_schema(schema, table)
    if term.function != "mode" or term.column is None:
        return _NUMBER
    return term.column.column_schema(schema, schema.reached(term.by))


def or_zero(function: str, value: str) -> str:
    """Return the value, or 0 of no rows where that is what an aggregate is of none."""
    return f"COALESCE({value}, 0)" if function in ZERO_OF_NONE else value


def slack_of(function: str, measure: str) -> str:
    """Return what is added to a constant that a sum or mean is compared with: far more than rounding in other orders.

    Sums of decimals are 0.8260000000000001 in one order and 0.826 in another; a cut of 0.826 has to part them from
    larger ones alone.
    """
    return _slack(or_zero(function, _CALLS[function].format(f"ABS({measure})"))) if function in ADDED else ""


def _slack(sizes: str) -> str:
    return f" + 1e-9 * {sizes}"


def _compared(expression: str, operator: Operator, value: Value, column: ColumnSchema) -> str:
    if operator == "is_missing":
        return f"{expression} IS NULL"
    if isinstance(value, str) and value not in column.levels:
        return NEVER  # the column may hold numbers in the database, which cannot be compared with any text
    if isinstance(value, bool):
        return f"{expression} {operator} {'TRUE' if value else 'FALSE'}"
    return f"{expression} {operator} {sql_text(value) if isinstance(value, str) else single(float(value or 0))}"


def _aggregated(outer: Joins, variable: int, term: AggregateTerm) -> tuple[Lines, list[str]]:
    """Return an aggregate of all rows, and the columns of the outer query that equal its keys."""
    columns, reached = ends(outer.schema, term.by)
    if not _needs_examples(outer.schema, term):
        inner = bind(outer.schema, [Variable(EXAMPLE, term.by)], from_examples=False, letter="y")
        keys = inner.columns(0, reached)
        return _term_of_rows(inner, 0, term, keys, not_null(keys)), outer.columns(variable, columns)
    example = outer.columns(EXAMPLE, outer.schema.tables[outer.schema.examples].primary_key)
    path = path_to(outer.variables, variable)
    inner = bind(outer.schema, [*path, Variable(len(path) - 1, term.by)], from_examples=True, letter="y")
    keys = inner.columns(EXAMPLE, outer.schema.tables[outer.schema.examples].primary_key)
    if not path:
        return _term_of_rows(inner, 0, term, keys, []), example
    keys += inner.columns(len(path) - 1, columns)
    if any(step.by.to == "parent" for step in path):
        inner, keys = _distinct(outer.schema, path, term.by)
    return _term_of_rows(inner, len(path), term, keys, []), [*example, *outer.columns(variable, columns)]


def _needs_examples(schema: Schema, term: AggregateTerm) -> bool:
    """Return whether the rows that an aggregate reads depend on the example's cutoff."""
    terms = [one.term for one in term.where] + ([] if term.column is None else [term.column])
    tables = {schema.relationships[name].parent for one in terms for name in one.parents} | {schema.reached(term.by)}
    return schema.cutoff is not None and any(schema.tables[table].time is not None for table in tables)


def path_to(variables: Sequence[Variable], variable: int) -> list[Variable]:
    """Return the variables from the example to one, each coming from the one before it."""
    steps = []
    while variable != EXAMPLE:
        steps.append(variables[variable].by)
        variable = variables[variable].origin
    return [Variable(index - 1, step) for index, step in enumerate(reversed(steps))]


def _distinct(schema: Schema, path: Sequence[Variable], by: Step) -> tuple[Joins, list[str]]:
    """Return the rows at the end of a path and one more step, where several ways may lead to one row.

    Each example and row at the path's end is there once, so that the rows of the last step count once.
    """
    above, (of_step, _) = bind(schema, path, from_examples=True, letter="y"), ends(schema, by)
    columns = above.columns(EXAMPLE, schema.tables[schema.examples].primary_key) + above.columns(len(path) - 1, of_step)
    named = [f"{column} AS k{index + 1}" for index, column in enumerate(columns)]
    selected = [f"SELECT DISTINCT {', '.join(named)}, {above.cutoff} AS cutoff", *above.lines]
    joins = Joins(schema, framed("FROM (", ["", *indented(selected), ""], ") AS r"), {}, {}, "r.cutoff")
    last, keys = len(path), [f"r.k{index + 1}" for index in range(len(columns))]
    joins.tables[last], joins.aliases[last] = schema.reached(by), f"y{last + 1}"
    tied = equal(joins.columns(last, ends(schema, by)[1]), keys[-len(of_step) :])
    on = " AND ".join([tied, *joins.seen(joins.tables[last], joins.aliases[last])])
    joins.lines.append(f"JOIN {sql_name(joins.tables[last])} AS {joins.aliases[last]} ON {on}")
    return joins, keys


def _term_of_rows(
    joins: Joins, variable: int, term: AggregateTerm, keys: Sequence[str], conditions: list[str]
) -> Lines:
    table = joins.tables[variable]
    measure = None if term.column is None else joins.read(variable, term.column)
    chosen = [joins.condition(Condition(variable, one.term, one.operator, one.value)) for one in term.where]
    if term.function == "share":
        return grouped(joins, keys, {"v": share_of(chosen)}, conditions)
    if term.function == "mode" and measure is not None and term.column is not None:
        levels = column_of(joins.schema, table, term.column).levels
        return modes(joins, keys, measure, levels, [*conditions, *chosen])
    values = {"v": aggregate_of(term.function, measure)}
    if term.function in ADDED:
        values["w"] = aggregate_of(term.function, f"ABS({measure})")
    return grouped(joins, keys, values, [*conditions, *chosen])


def not_null(expressions: Sequence[str]) -> list[str]:
    """Return the conditions that there are values."""
    return [f"{expression} IS NOT NULL" for expression in expressions]


def aggregate_of(function: str, measure: str | None) -> str:
    """Return the expression of an aggregate over a group; see ``share_of`` and ``modes`` for the other two."""
    return "COUNT(*)" if measure is None else _CALLS[function].format(measure)


def share_of(conditions: Sequence[str]) -> str:
    """Return the expression of the share of a group's rows that satisfy conditions."""
    return f"AVG(CASE WHEN {' AND '.join(conditions) or ALWAYS} THEN 1.0 ELSE 0.0 END)"


def grouped(joins: Joins, keys: Sequence[str], values: Mapping[str, str], conditions: Sequence[str]) -> Lines:
    """Return a query of values, by their names, by group, with keys ``k1``, ``k2``, …."""
    named = [f"{key} AS k{index + 1}" for index, key in enumerate(keys)]
    named += [f"{value} AS {name}" for name, value in values.items()]
    return [
        f"SELECT {', '.join(named)}",
        *joins.lines,
        *clause("WHERE", conditions),
        f"GROUP BY {', '.join(keys)}",
    ]


def modes(joins: Joins, keys: Sequence[str], measure: str, levels: Sequence[str], conditions: Sequence[str]) -> Lines:
    """Return a query of the most frequent level by group, the first of equally frequent ones in their order."""
    named = [f"{key} AS k{index + 1}" for index, key in enumerate(keys)]
    # Levels are in the order of their texts, or of numbers where that is another one.
    in_order = measure if list(levels) == sorted(levels) else f"CAST({measure} AS DOUBLE PRECISION), {measure}"
    order = f"ORDER BY COUNT(*) DESC, {in_order}"
    ranked = [
        f"SELECT {', '.join(named)}, {measure} AS v,",
        f"  ROW_NUMBER() OVER (PARTITION BY {', '.join(keys)} {order}) AS place",
        *joins.lines,
        *clause("WHERE", [*conditions, f"{measure} IS NOT NULL"]),
        f"GROUP BY {', '.join([*keys, measure])}",
    ]
    selected = ", ".join(f"k{index + 1}" for index in range(len(keys)))
    return [f"SELECT {selected}, v", "FROM (", *indented(ranked), ") AS ranked", "WHERE place = 1"]
