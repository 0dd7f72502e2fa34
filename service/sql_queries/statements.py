"""Whole statements: one row for each example, with its features or with what a tree or a list of rules predicts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from storage.errors import StorageError
from tree_explainers.relational.queries import Feature, Query
from tree_explainers.relational.schema import Schema

from .expressions import Lines, equal, framed, indented, on_one_line, sql_name, with_warning
from .features import ExampleTest, exists_lines, own_column, value_lines, value_name
from .joins import or_zero

_MOST_JOINED = 50  # subqueries in one FROM; SQLite has room for 64 tables
_MOST_NAMED = 20  # foreign keys in a comment
_READ_ALONE = ("value", "share", "mode")


@dataclass(slots=True)
class NamedTests:
    """Tests of examples, each written once however often trees and rules name it."""

    names: dict[tuple[str, ...], str] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)

    def condition(self, test: ExampleTest) -> str:
        """Return the name of a test, or its negation."""
        if test.lines not in self.names:
            self.names[test.lines] = f"t{len(self.names) + 1}"
            self.comments.append(test.comment)
        return f"NOT {self.names[test.lines]}" if test.is_negated else self.names[test.lines]


def write_predictions(schema: Schema, tests: NamedTests, prediction: Lines) -> str:
    """Return a query with the key of each example and an expression over tests, called ``prediction``."""
    names = example_key(schema)
    keys = [f"e.{sql_name(name)} AS k{index + 1}" for index, name in enumerate(names)]
    columns = [[key] for key in keys]
    for (lines, name), comment in zip(tests.names.items(), tests.comments, strict=True):
        columns.append([f"-- {on_one_line(comment)}", *framed("", lines, f" AS {name}")])
    selected = [[f"k{index + 1} AS {sql_name(name)}"] for index, name in enumerate(names)]
    inner = [*_select(columns), f"FROM {sql_name(schema.examples)} AS e"]
    outer = _select([*selected, framed("", prediction, " AS prediction")])
    return _text([*_about_keys(schema), *outer, "FROM (", *indented(inner), ") AS tests"])


def write_features(schema: Schema, features: Mapping[str, Feature]) -> str:
    """Return a query with the key of each example, and a column for each feature by its name.

    Raises
    ------
    StorageError
        ``method_not_applicable`` where the examples have no key, or a name cannot be written in SQL.
    """
    keys = [[f"e.{sql_name(name)}"] for name in example_key(schema)]
    value_of, joins = _joined(schema, list(_sources(schema, features)))
    columns = [
        framed("", _value(schema, feature, value_of.get(name, "")), f" AS {sql_name(name)}")
        for name, feature in features.items()
    ]
    selected = _select([*keys, *columns])
    return _text([*_about_keys(schema), *selected, f"FROM {sql_name(schema.examples)} AS e", *joins])


def example_key(schema: Schema) -> tuple[str, ...]:
    """Return the columns that name an example.

    Raises
    ------
    StorageError
        ``method_not_applicable`` where there are none.
    """
    names = schema.tables[schema.examples].primary_key
    if not names:
        detail = (
            f"table {schema.examples!r} of the examples has no primary key, by which SQL could name them: declare "
            "columns in which each row has other values"
        )
        raise StorageError("method_not_applicable", detail)
    return names


def _about_keys(schema: Schema) -> Iterator[str]:
    """Yield comments on keys that were not declared, without which the statement may not be what is meant."""
    examples = schema.tables[schema.examples]
    if examples.is_key_inferred:
        key = on_one_line(", ".join(examples.primary_key))
        yield f"-- Table {on_one_line(schema.examples)} has no declared primary key; it is inferred to be {key}."
    inferred = [name for name, of in schema.relationships.items() if of.is_inferred]
    if inferred:
        names = [f"{on_one_line(name)} -> {on_one_line(schema.relationships[name].parent)}" for name in inferred]
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        yield f"-- Foreign keys that are inferred, not declared: {', '.join(names[:_MOST_NAMED])}{more}."


@dataclass(frozen=True, slots=True)
class _Source:
    """A subquery with the values of some features by example."""

    alias: str
    lines: Lines
    outer: list[str]  # columns of ``e`` that equal its keys
    values: Mapping[str, str]  # of each feature, by its name: the column of the subquery

    def joined(self) -> Lines:
        """Return the subquery as a join to the examples."""
        on = equal((f"{self.alias}.k{index + 1}" for index in range(len(self.outer))), self.outer)
        return framed("LEFT JOIN (", ["", *indented(self.lines), ""], f") AS {self.alias} ON {on}")


def _sources(schema: Schema, features: Mapping[str, Feature]) -> Iterator[_Source]:
    """Yield the subqueries that features need; features of one query share one where they can."""
    together: dict[tuple[Query, str | None], list[str]] = {}
    for name, feature in features.items():
        if feature.kind != "exists" and own_column(feature) is None:
            alone = name if feature.kind in _READ_ALONE else None
            together.setdefault((feature.query, alone), []).append(name)
    for index, names in enumerate(together.values()):
        lines, outer = value_lines(schema, [features[name] for name in names])
        numbered = {name: value_name(number, len(names)) for number, name in enumerate(names)}
        yield _Source(f"q{index + 1}", lines, outer, numbered)


def _joined(schema: Schema, sources: Sequence[_Source]) -> tuple[dict[str, str], Lines]:
    """Return the expression of each feature's value, and joins: of the subqueries, or of parts of them if many."""
    if len(sources) <= _MOST_JOINED:
        value_of = {name: f"{source.alias}.{value}" for source in sources for name, value in source.values.items()}
        return value_of, [line for source in sources for line in source.joined()]
    parts = [_part(schema, sources[start : start + _MOST_JOINED]) for start in range(0, len(sources), _MOST_JOINED)]
    parts = [replace(part, alias=f"r{index + 1}") for index, part in enumerate(parts)]
    return _joined(schema, parts)


def _part(schema: Schema, sources: Sequence[_Source]) -> _Source:
    """Return many subqueries as one."""
    value_of, joins = _joined(schema, sources)
    names = example_key(schema)
    keys = [[f"e.{sql_name(name)} AS k{index + 1}"] for index, name in enumerate(names)]
    columns = {value: f"{value.replace('.', '_')}" for value in dict.fromkeys(value_of.values())}
    selected = _select([*keys, *([f"{value} AS {column}"] for value, column in columns.items())])
    lines = [*selected, f"FROM {sql_name(schema.examples)} AS e", *joins]
    return _Source("r", lines, [f"e.{sql_name(name)}" for name in names], {n: columns[v] for n, v in value_of.items()})


def _value(schema: Schema, feature: Feature, joined: str) -> Lines:
    if feature.kind == "exists":
        return exists_lines(schema, feature.query)
    column = own_column(feature)
    return [or_zero(feature.kind, joined) if column is None else column]


def _select(columns: Sequence[Lines]) -> Lines:
    """Return ``SELECT`` with expressions, each on lines of its own."""
    with_commas = [framed("", column, ",") for column in columns[:-1]]
    return ["SELECT", *indented(line for column in [*with_commas, columns[-1]] for line in column)]


def _text(lines: Lines) -> str:
    return with_warning("\n".join([*lines, ""]))
