"""Features and tests on them in English: names of columns, predicates of the example, and questions.

An ``exists`` reads ``has an account of kind credit``, its negation ``has no account of kind credit``. The cut of a
largest value is one of single rows: ``has a transaction with amount above 300``. Counts are compared in whole numbers.
No text mentions missing values of a feature that is never missing.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from ..wording import comparison, number_text
from .canonical import canonical, feature_id, shortest
from .implication import equivalent_query
from .phrases import (
    Description,
    describe,
    described_variable,
    measured,
    measured_each,
    noun_of_variable,
    plural_of,
    term_text,
    variable_phrase,
)
from .queries import EXAMPLE, AggregateTerm, Feature, FeatureTest, Query
from .schema import Schema

_LONGEST_NAME = 200  # characters
_OF_COLUMNS = str.maketrans('"[]{}<,:', "'()()(;;")
_NEVER_MISSING = ("exists", "count", "sum", "n_distinct")
_MULTIPLE = " (every combination of rows counts)"


def is_never_missing(feature: Feature) -> bool:
    """Return whether a feature has a value for every example."""
    return feature.kind in _NEVER_MISSING


def names_of(features: Sequence[Feature], schema: Schema) -> list[str]:
    """Return the names of features in canonical form, each once.

    What would be the same or too long ends in digits of the feature's id. They have no characters that XGBoost
    (``[]<``) or LightGBM (``",:[]{}``) refuses in the names of columns.
    """
    names = [name_of(feature, schema).translate(_OF_COLUMNS) for feature in features]
    uses = Counter(names)
    return [
        name if uses[name] == 1 and len(name) <= _LONGEST_NAME else _distinguished(name, feature)
        for name, feature in zip(names, features, strict=True)
    ]


def _distinguished(name: str, feature: Feature) -> str:
    digits = f" ({feature_id(feature)[:8]})"
    longest = _LONGEST_NAME - len(digits)
    return (name if len(name) <= longest else f"{name[: longest - 1]}…") + digits


def name_of(feature: Feature, schema: Schema) -> str:
    """Return the name of the column of a feature in canonical form: ``has an account of kind credit``."""
    query, kind = feature.query, feature.kind
    if kind == "exists":
        return _exists(query, schema).positive
    if kind == "value" and feature.measure is not None:
        return term_text(feature.measure.term, schema, schema.examples) + _where_example(query, schema)
    variable = len(query.variables) - 1 if feature.measure is None else feature.measure.variable
    text = _number_name(feature, variable, schema)
    return text + _where_example(query, schema) + (_MULTIPLE if _has_multiple(feature, variable) else "")


def _number_name(feature: Feature, variable: int, schema: Schema) -> str:
    query, kind, measure = feature.query, feature.kind, feature.measure
    if kind == "count":
        return f"number of {_rows_of(query, variable, schema)}"
    if kind == "share":
        some, *_ = _row_nouns(query, variable, schema)
        return f"share of {some} among {_owned(_without(query, variable), variable, schema)}"
    assert measure is not None  # of what is neither counted nor shared
    rows, table = _owned(query, variable, schema), query.table_of(variable, schema)
    if isinstance(measure.term, AggregateTerm):
        return measured_each(kind, measure.term, rows, schema, table)
    return measured(kind, term_text(measure.term, schema, table), rows)


def _where_example(query: Query, schema: Schema) -> str:
    clauses = _example_description(query, schema).clauses()
    return f" where it {' and '.join(clauses)}" if clauses else ""


def _without(query: Query, variable: int) -> Query:
    return Query(query.variables, tuple(c for c in query.conditions if c.variable != variable))


def _owned(query: Query, variable: int, schema: Schema) -> str:
    """Return ``its accounts``, or ``transactions over all its accounts``; ``the example`` itself."""
    if variable == EXAMPLE:
        return "the example"
    is_own = query.variables[variable].origin == EXAMPLE
    return f"{'its ' if is_own else ''}{_rows_of(query, variable, schema)}"


def _rows_of(query: Query, variable: int, schema: Schema, *, is_one: bool = False) -> str:
    """Return ``transactions of kind cash over all its accounts of kind credit``: from a variable to the example."""
    first, *others = _row_nouns(query, variable, schema, is_one=is_one)
    if not others:
        return first
    is_many = any(query.variables[member].by.to == "children" for member in _chain(query, variable)[1:])
    *between, last = others
    return f"{first} {'over all' if is_many else 'of'} {''.join(f'{noun} of ' for noun in between)}its {last}"


def _row_nouns(query: Query, variable: int, schema: Schema, *, is_one: bool = False) -> list[str]:
    """Return the described rows of each variable from this one to the example; the first ones may be a single one."""
    chain, nouns = _chain(query, variable), []
    for index, member in enumerate(chain):
        is_many = any(query.variables[other].by.to == "children" for other in chain[index:])
        is_plural = is_many and not (is_one and index == 0)
        noun = noun_of_variable(query, member, schema)
        noun = plural_of(noun) if is_plural else noun
        nouns.append(described_variable(query, member, schema, noun, plural=is_plural, without=chain[:index]))
    return nouns


def _chain(query: Query, variable: int) -> list[int]:
    chain = []
    while variable != EXAMPLE:
        chain.append(variable)
        variable = query.variables[variable].origin
    return chain


def _has_multiple(feature: Feature, variable: int) -> bool:
    """Return whether rows count several times: once for each choice of rows for the variables beside the chain."""
    beside = len(feature.query.variables) - len(_chain(feature.query, variable))
    return beside > 0 and feature.kind in {"count", "share", "mean", "sum", "mode"}


@dataclass(frozen=True, slots=True)
class _Predicate:
    """A statement about the example, its negation, and the question for it."""

    positive: str
    negative: str
    question: str


def text_of(test: FeatureTest, schema: Schema, *, holds: bool = True) -> str:
    """Return the predicate of examples that pass a test, or of those that do not: ``has no account of …``."""
    predicate = _predicate(test, schema)
    return predicate.positive if holds else predicate.negative


def question_of(test: FeatureTest, schema: Schema) -> str:
    """Return the question whose answer is yes where the test passes: ``Is there an account of kind credit?``."""
    return _predicate(test, schema).question


def _predicate(test: FeatureTest, schema: Schema) -> _Predicate:
    feature = canonical(test.feature)
    query = equivalent_query(test)
    if query is not None and feature.kind != "value":
        return _exists(query, schema)
    assert test.operator is not None  # of numbers
    assert test.cut is not None
    variable = len(feature.query.variables) - 1
    if feature.kind == "count" and not _example_description(feature.query, schema).clauses():
        return _count(feature, test, variable, schema)
    name = name_of(feature, schema)
    other = "<=" if test.operator == ">" else ">"
    missing = "" if is_never_missing(feature) else " or missing"
    cut = floor(test.cut) if feature.kind == "n_distinct" else shortest(test.cut)
    yes, no = comparison(test.operator, cut), comparison(other, cut)
    return _Predicate(f"{name} is {yes}", f"{name} is {no}{missing}", f"Is the {name} {yes}?")


def _count(feature: Feature, test: FeatureTest, variable: int, schema: Schema) -> _Predicate:
    least = floor(test.cut or 0.0)
    rows = _rows_of(feature.query, variable, schema, is_one=least == 1)
    rows += _MULTIPLE if _has_multiple(feature, variable) else ""
    some = _exists(feature.query, schema)
    more = f"has more than {number_text(least)} {rows}" if least else some.positive
    at_most = f"has at most {number_text(least)} {rows}" if least else some.negative
    yes, no = (more, at_most) if test.operator == ">" else (at_most, more)
    there = f"{'Is' if least == 1 else 'Are'} there {yes.removeprefix('has ')}?"
    return _Predicate(yes, no, there if least else f"Is it true that it {yes}?")


def _exists(query: Query, schema: Schema) -> _Predicate:
    of_example = _example_description(query, schema).clauses()
    phrases = [
        variable_phrase(query, index, schema)
        for index, variable in enumerate(query.variables)
        if variable.origin == EXAMPLE
    ]
    clauses = of_example + ([f"has {' and '.join(phrases)}"] if phrases else [])
    positive = " and ".join(clauses)
    if len(phrases) == 1 and not of_example:
        return _Predicate(positive, f"has no {_without_article(phrases[0])}", f"Is there {phrases[0]}?")
    if len(of_example) == 1 and not phrases:
        return _of_example(of_example[0])
    return _Predicate(positive, f"is not one that {positive}", f"Is it true that it {positive}?")


def _of_example(clause: str) -> _Predicate:
    verb, _, rest = clause.partition(" ")
    if verb == "is":
        negative = f"is {rest.removeprefix('not ')} or missing" if rest.startswith("not ") else f"is not {rest}"
        return _Predicate(clause, negative, f"Is it {rest}?")
    negative = f"has {rest.removeprefix('no ')}" if rest.startswith("no ") else f"does not have {rest}"
    return _Predicate(clause, negative, f"Does it have {rest}?")


def _without_article(phrase: str) -> str:
    return phrase.partition(" ")[2]


def _example_description(query: Query, schema: Schema) -> Description:
    conditions = [condition for condition in query.conditions if condition.variable == EXAMPLE]
    return describe(conditions, schema, schema.examples)
