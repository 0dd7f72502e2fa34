"""Small random schemas, their rows, and features over them: hypothesis strategies.

There are one to four tables: trees, self-references, cycles, two keys to one table, composite keys, missing and
dangling foreign keys, empty tables, missing values, times and cutoffs, names and levels that need quotes. Numbers are
quarters, so that their sums are exact in every engine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

from hypothesis import strategies as st

from tests.support.raw_tables import RawTables, named
from tree_explainers.relational.queries import (
    EXAMPLE,
    AggregateTerm,
    ColumnTerm,
    Condition,
    Feature,
    FeatureTest,
    Measure,
    Query,
    Selection,
    Term,
    Variable,
)
from tree_explainers.relational.schema import ColumnSchema, RelationshipSchema, Schema, Step, TableSchema

NAMES = ("customer", "account", "order", 'odd "name"')
LEVELS = ("a", "b", "it's")
COLUMNS = {
    "kind": ColumnSchema("category", LEVELS),
    'my "size"': ColumnSchema("category", ("1", "2", "10")),
    "amount": ColumnSchema("number"),
    "rate": ColumnSchema("number"),
    "flag": ColumnSchema("boolean"),
}
CLASSES = ("no", "yes")
QUARTERS = st.integers(-8, 8).map(lambda quarters: quarters / 4)
Key = tuple[int | str | None, ...]


@st.composite
def schemas(draw: st.DrawFn, *, min_tables: int = 1, max_tables: int = 4, cutoffs: bool | None = None) -> Schema:
    """Draw a schema whose first table holds the examples and is led to every other table from."""
    n_tables = draw(st.integers(min_tables, max_tables))
    keys = [_primary_key(draw, table) for table in range(n_tables)]
    relationships = [_relationship(draw, table, keys) for table in range(1, n_tables)]
    for extra in range(draw(st.integers(0, 2))):
        ends = draw(st.tuples(st.integers(0, n_tables - 1), st.integers(0, n_tables - 1)))
        relationships.append(_key_between(*ends, keys, f"extra{extra}"))
    with_cutoff = draw(st.booleans()) if cutoffs is None else cutoffs
    tables = {NAMES[table]: _table(draw, table, keys[table], relationships, with_cutoff) for table in range(n_tables)}
    return Schema(tables, named(*relationships), NAMES[0], "label", "as_of" if with_cutoff else None)


def _primary_key(draw: st.DrawFn, table: int) -> tuple[str, ...]:
    return draw(st.sampled_from([("id",), ("id",), ("id", "part")])) if table else ("id",)


def _relationship(draw: st.DrawFn, table: int, keys: Sequence[tuple[str, ...]]) -> RelationshipSchema:
    """Tie a table to an earlier one, mostly as its child, at times as its parent."""
    earlier = draw(st.integers(0, table - 1))
    child, parent = (table, earlier) if draw(st.integers(0, 3)) else (earlier, table)
    return _key_between(child, parent, keys, "of")


def _key_between(child: int, parent: int, keys: Sequence[tuple[str, ...]], prefix: str) -> RelationshipSchema:
    columns = tuple(f"{prefix}_{NAMES[parent]}_{column}" for column in keys[parent])
    return RelationshipSchema(NAMES[child], columns, NAMES[parent], keys[parent])


def _table(
    draw: st.DrawFn,
    table: int,
    key: tuple[str, ...],
    relationships: Sequence[RelationshipSchema],
    may_have_time: bool,
) -> TableSchema:
    columns = dict.fromkeys(key, ColumnSchema("key"))
    for relationship in relationships:
        if relationship.child == NAMES[table]:
            columns |= dict.fromkeys(relationship.columns, ColumnSchema("key"))
    for name in draw(st.lists(st.sampled_from(list(COLUMNS)), unique=True, max_size=3)):
        columns[name] = COLUMNS[name]
    time = "at" if may_have_time and draw(st.integers(0, 3)) else None
    if time:
        columns[time] = ColumnSchema("time")
    if table == 0:
        columns |= {"label": ColumnSchema("category", CLASSES), "as_of": ColumnSchema("time")}
    return TableSchema(columns, key, time)


@st.composite
def raw_tables(
    draw: st.DrawFn, schema: Schema | None = None, *, max_rows: int = 8, min_examples: int = 0, min_rows: int = 0
) -> RawTables:
    """Draw the rows of a schema: how many there are, and a seed from which their values come (quick to generate)."""
    schema = draw(schemas()) if schema is None else schema
    least = {name: min_examples if name == schema.examples else min_rows for name in schema.tables}
    n_rows = {name: draw(st.integers(least[name], max_rows)) for name in schema.tables}
    return random_rows(schema, Random(draw(st.integers(0, 2**32 - 1))), n_rows)  # noqa: S311 - values of a test


def random_rows(schema: Schema, rng: Random, n_rows: Mapping[str, int]) -> RawTables:
    """Return tables of these numbers of rows with random values."""
    keys = {name: _key_values(schema, name, n_rows[name]) for name in schema.tables}
    return RawTables(schema, {name: _columns(rng, schema, name, keys) for name in schema.tables})


def _key_values(schema: Schema, table: str, n_rows: int) -> list[Key]:
    if len(schema.tables[table].primary_key) > 1:
        return [(row // 2, f"p{row % 2}") for row in range(n_rows)]
    return [(f"{table[0]}'{row}",) if table == NAMES[0] else (row + 1,) for row in range(n_rows)]


def _columns(rng: Random, schema: Schema, table: str, keys: dict[str, list[Key]]) -> dict[str, list[object]]:
    of, n_rows = schema.tables[table], len(keys[table])
    columns: dict[str, list[object]] = {
        name: [key[place] for key in keys[table]] for place, name in enumerate(of.primary_key)
    }
    for relationship in schema.relationships.values():
        if relationship.child == table:
            columns |= _foreign_keys(rng, relationship, keys[relationship.parent], n_rows)
    for name, column in of.columns.items():
        if column.kind != "key":
            missing = 0.0 if name == "label" else 0.2
            columns[name] = [None if rng.random() < missing else _value(rng, column) for _ in range(n_rows)]
    return {name: columns[name] for name in of.columns}


def _foreign_keys(
    rng: Random, relationship: RelationshipSchema, parents: list[Key], n_rows: int
) -> dict[str, list[object]]:
    """Name mostly rows that exist, at times none, in part none, or a row that does not exist."""
    width = len(relationship.columns)
    dangling: Key = ("none",) if relationship.parent == NAMES[0] else (99, "none")[:width]
    odd: list[Key] = [dangling, (None,) * width, (1, None) if width > 1 else (None,)]
    chosen = [rng.choice(parents if parents and rng.random() < 0.8 else odd) for _ in range(n_rows)]
    return {name: [key[place] for key in chosen] for place, name in enumerate(relationship.columns)}


def _value(rng: Random, column: ColumnSchema) -> object:
    if column.kind == "category":
        return rng.choice(column.levels)
    if column.kind == "boolean":
        return rng.random() < 0.5
    return float(rng.randint(0, 6)) if column.kind == "time" else rng.randint(-8, 8) / 4


def unlabelled(raw: RawTables, examples: Sequence[int]) -> RawTables:
    """Return the tables with the labels of some examples missing."""
    labels = [None if row in examples else label for row, label in enumerate(raw.columns[NAMES[0]]["label"])]
    return replace(raw, columns={**raw.columns, NAMES[0]: {**raw.columns[NAMES[0]], "label": labels}})


def _column_terms(draw: st.DrawFn, schema: Schema, table: str, max_parents: int = 2) -> list[ColumnTerm]:
    """Return the columns that tests of a row may use, with those of parents along one random chain of them."""
    terms: list[ColumnTerm] = []
    parents: tuple[str, ...] = ()
    for _ in range(max_parents + 1):
        columns = schema.tables[table].columns.items()
        terms += [
            ColumnTerm(name, parents)
            for name, of in columns
            if of.kind in {"number", "category", "boolean"} and (table, name) != (schema.examples, schema.target)
        ]
        upwards = [step for step, _ in schema.steps_from(table) if step.to == "parent"]
        if not upwards:
            break
        step = draw(st.sampled_from(upwards))
        parents, table = (*parents, step.relationship), schema.reached(step)
    return terms


def column_of(schema: Schema, term: ColumnTerm, table: str) -> ColumnSchema:
    """Return the schema of a term's column."""
    for relationship in term.parents:
        table = schema.reached(Step(relationship, "parent"))
    return schema.tables[table].columns[term.column]


def _constant(draw: st.DrawFn, of: ColumnSchema) -> tuple[str, object]:
    """Draw an operator and the constant that it compares with."""
    if draw(st.integers(0, 5)) == 0:
        return "is_missing", None
    if of.kind == "number":
        return draw(st.sampled_from(["<=", ">"])), draw(QUARTERS)
    if of.kind == "boolean":
        return "=", draw(st.booleans())
    return "=", draw(st.sampled_from([*of.levels, "new level"]))


def _aggregate_term(draw: st.DrawFn, schema: Schema, table: str) -> AggregateTerm | None:
    steps = list(schema.steps_from(table))
    if not steps:
        return None
    step, reached = draw(st.sampled_from(steps))
    terms = _column_terms(draw, schema, reached)
    where = []
    for _ in range(draw(st.integers(0, 2)) if terms else 0):
        term = draw(st.sampled_from(terms))
        where.append(Selection(term, *_constant(draw, column_of(schema, term, reached))))  # type: ignore[arg-type]
    choices: list[tuple[str, ColumnTerm | None]] = [("count", None), ("share", None)]
    for term in terms:
        choices += [(function, term) for function in _functions(column_of(schema, term, reached))]
    function, column = draw(st.sampled_from(choices))
    return AggregateTerm(function, step, column, tuple(where))  # type: ignore[arg-type]


def _functions(of: ColumnSchema) -> tuple[str, ...]:
    return ("mean", "sum", "min", "max", "n_distinct") if of.kind == "number" else ("mode", "n_distinct")


def _kind_of(schema: Schema, term: Term, table: str) -> ColumnSchema:
    """Return what a term's values are: those of a column, or numbers."""
    if isinstance(term, ColumnTerm):
        return column_of(schema, term, table)
    if term.function == "mode" and term.column is not None:
        return column_of(schema, term.column, schema.reached(term.by))
    return ColumnSchema("number")


def _term(draw: st.DrawFn, schema: Schema, table: str) -> Term | None:
    aggregate = _aggregate_term(draw, schema, table) if draw(st.integers(0, 2)) == 0 else None
    columns = _column_terms(draw, schema, table)
    return aggregate if aggregate is not None or not columns else draw(st.sampled_from(columns))


def _table_of(schema: Schema, variables: Sequence[Variable], variable: int) -> str:
    return schema.examples if variable == EXAMPLE else schema.reached(variables[variable].by)


@st.composite
def queries(draw: st.DrawFn, schema: Schema, *, max_variables: int = 3, max_conditions: int = 3) -> Query:
    """Draw a query: chains and branches of variables, and conditions on them and on the example."""
    variables: list[Variable] = []
    for _ in range(draw(st.integers(0, max_variables))):
        origin = draw(st.integers(EXAMPLE, len(variables) - 1))
        steps = list(schema.steps_from(_table_of(schema, variables, origin)))
        if steps:
            variables.append(Variable(origin, draw(st.sampled_from(steps))[0]))
    conditions = []
    for _ in range(draw(st.integers(0, max_conditions))):
        variable = draw(st.integers(EXAMPLE, len(variables) - 1))
        table = _table_of(schema, variables, variable)
        term = _term(draw, schema, table)
        if term is not None:
            of = _kind_of(schema, term, table)
            conditions.append(Condition(variable, term, *_constant(draw, of)))  # type: ignore[arg-type]
    return Query(tuple(variables), tuple(conditions))


@st.composite
def features(draw: st.DrawFn, schema: Schema, *, max_variables: int = 3, max_conditions: int = 3) -> Feature:
    """Draw a feature of any kind."""
    query = draw(queries(schema, max_variables=max_variables, max_conditions=max_conditions))
    variable = draw(st.integers(EXAMPLE, len(query.variables) - 1))
    table = _table_of(schema, query.variables, variable)
    term = _term(draw, schema, table)
    kinds = ["exists"]
    if query.variables:
        kinds += ["count", "share"]
        kinds += [] if term is None else [*_functions(_kind_of(schema, term, table))]
    elif term is not None:
        kinds += ["value"]
    kind = draw(st.sampled_from(kinds))
    measure = None if kind in {"exists", "count", "share"} or term is None else Measure(variable, term)
    return Feature(kind, query, measure)  # type: ignore[arg-type]


@st.composite
def feature_tests(draw: st.DrawFn, schema: Schema) -> FeatureTest:
    """Draw a test of a tree's node: an ``exists`` feature, or a cut of a number."""
    feature = draw(features(schema))
    if feature.kind == "exists":
        return FeatureTest(feature)
    if feature.kind in {"value", "mode"} and feature.measure is not None:
        table = _table_of(schema, feature.query.variables, feature.measure.variable)
        if feature.kind == "mode" or _kind_of(schema, feature.measure.term, table).kind != "number":
            return FeatureTest(replace(feature, kind="exists", measure=None))
    return FeatureTest(feature, draw(st.sampled_from([">", "<="])), draw(QUARTERS))
