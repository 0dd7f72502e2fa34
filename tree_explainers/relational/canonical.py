"""The canonical form of a feature: features that differ in the order of conditions or of siblings become equal.

Variables form a tree with the example at its root, so the smallest serialisation over all orders of siblings is found
subtree by subtree, as for rooted trees (Aho, Hopcroft, Ullman 1974, section 3.2), without trying the orders.
"""

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .queries import (
    EXAMPLE,
    ColumnTerm,
    Condition,
    Feature,
    Measure,
    Query,
    Selection,
    Term,
    Value,
    Variable,
)

_ID_DIGITS = 24  # 96 bits
_text = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode  # of lists


def single(value: float) -> float:
    """Return a number rounded to single precision, as every column and every cut is."""
    return float(np.float32(value))


def shortest(value: float) -> float:
    """Return the number of fewest digits among those of the same single precision: 0.1 for 0.10000000149011612."""
    return float(str(np.float32(value)))


def feature_id(feature: Feature) -> str:
    """Return 24 hexadecimal digits, the same for features that differ in nothing but an order."""
    smallest = _Serialised.of(_over_bindings(feature)).text  # the canonical form has the same
    return hashlib.sha256(smallest.encode()).hexdigest()[:_ID_DIGITS]


def canonical(feature: Feature) -> Feature:
    """Return the feature with its variables and conditions in canonical order, each condition once.

    An aggregate of the example (``value`` of an ``AggregateTerm``) becomes the same aggregate over bindings of one
    variable. The last variable of a ``share`` stays the last: its conditions are those that are counted.
    """
    feature = _over_bindings(feature)
    query = feature.query
    order = _Serialised.of(feature).order
    position = {old: new for new, old in enumerate(order)} | {EXAMPLE: EXAMPLE}
    variables = [query.variables[old] for old in order]
    conditions = {
        Condition(position[c.variable], _canonical_term(c.term), c.operator, _canonical_value(c.value))
        for c in query.conditions
    }
    measure = feature.measure and Measure(position[feature.measure.variable], _canonical_term(feature.measure.term))
    ordered = Query(
        tuple(Variable(position[variable.origin], variable.by) for variable in variables),
        tuple(sorted(conditions, key=lambda condition: (condition.variable, _condition_text(condition)))),
    )
    return Feature(feature.kind, ordered, measure)


def _over_bindings(feature: Feature) -> Feature:
    """Return an aggregate of the example as one over bindings; without conditions on the example both are equal."""
    if feature.kind != "value" or feature.query != Query() or feature.measure is None:
        return feature
    term = feature.measure.term
    if isinstance(term, ColumnTerm):
        return feature
    conditions = tuple(Condition(0, chosen.term, chosen.operator, chosen.value) for chosen in term.where)
    measure = None if term.column is None else Measure(0, term.column)
    return Feature(term.function, Query((Variable(EXAMPLE, term.by),), conditions), measure)


def _canonical_term(term: Term) -> Term:
    if isinstance(term, ColumnTerm):
        return term
    where = {Selection(s.term, s.operator, _canonical_value(s.value)) for s in term.where}
    return replace(term, where=tuple(sorted(where, key=lambda chosen: _text(_selection_key(chosen)))))


def _canonical_value(value: Value) -> Value:
    return value if value is None or isinstance(value, str | bool) else single(value)


@dataclass(frozen=True, slots=True)
class _Serialised:
    """A subtree of variables: its smallest text, and its variables (old indices), each before those below it."""

    text: str
    order: tuple[int, ...]
    has_last: bool  # whether the last variable of a share is in it

    @classmethod
    def of(cls, feature: Feature, variable: int = EXAMPLE) -> "_Serialised":
        """Return the subtree of a variable; that of the example is the whole query."""
        query = feature.query
        last = len(query.variables) - 1 if feature.kind == "share" else None
        below = sorted(
            (cls.of(feature, index) for index, other in enumerate(query.variables) if other.origin == variable),
            key=lambda subtree: (subtree.has_last, subtree.text),
        )
        is_measured = feature.measure is not None and feature.measure.variable == variable
        parts = [
            feature.kind if variable == EXAMPLE else _step_key(feature, variable),
            sorted({_condition_text(condition) for condition in query.conditions if condition.variable == variable}),
            _term_key(feature.measure.term) if feature.measure is not None and is_measured else None,
            variable == last and variable != EXAMPLE,
            [subtree.text for subtree in below],
        ]
        first = () if variable == EXAMPLE else (variable,)
        order = first + tuple(index for subtree in below for index in subtree.order)
        return cls(_text(parts), order, variable == last or any(subtree.has_last for subtree in below))


def _step_key(feature: Feature, variable: int) -> list[Any]:
    by = feature.query.variables[variable].by
    return [by.relationship, by.to]


def _condition_text(condition: Condition) -> str:
    return _text([_term_key(condition.term), condition.operator, _canonical_value(condition.value)])


def _term_key(term: Term) -> list[Any]:
    if isinstance(term, ColumnTerm):
        return [term.column, *term.parents]
    column = None if term.column is None else _term_key(term.column)
    where = sorted({_text(_selection_key(chosen)) for chosen in term.where})
    return [term.function, [term.by.relationship, term.by.to], column, where]


def _selection_key(chosen: Selection) -> list[Any]:
    return [_term_key(chosen.term), chosen.operator, _canonical_value(chosen.value)]
