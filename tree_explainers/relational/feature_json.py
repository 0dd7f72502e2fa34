"""Features as JSON: one document a feature, the same for the service, the SDK and lists that callers write themselves.

Variables are named by letters, relationships by their names. ``direction`` stands beside ``by`` only where both ends of
the relationship are the same table. Numbers are written in as few digits as bring their single precision back.
"""

from collections.abc import Mapping
from string import ascii_lowercase
from typing import Any

from .canonical import canonical, shortest
from .feature_reading import FeatureReader
from .queries import EXAMPLE, ColumnTerm, Condition, Feature, Query, Selection, Term, Value
from .schema import Schema, Step

_EXAMPLE_ID = "example"


def feature_of(document: Mapping[str, Any], schema: Schema) -> Feature:
    """Return the feature, in canonical form, that a document describes; its ``name`` is not read.

    Raises
    ------
    InvalidInput
        ``unknown_feature`` for a table, column, relationship or variable that there is not, or a column that may not be
        tested (keys, times, the target); ``validation_failed`` for anything else that is not a feature.
    """
    return canonical(FeatureReader(schema).feature(document))


def document_of(feature: Feature, schema: Schema, name: str) -> dict[str, Any]:
    """Return the document of a feature in canonical form; ``feature_of`` brings it back."""
    document: dict[str, Any] = {
        "kind": feature.kind,
        "name": name,
        "variables": _variables(feature.query, schema),
        "conditions": [_condition(condition, schema) for condition in feature.query.conditions],
    }
    if feature.measure is not None:
        document["measure"] = {"variable": variable_id(feature.measure.variable), **_term(feature.measure.term, schema)}
    return document


def _variables(query: Query, schema: Schema) -> list[dict[str, Any]]:
    return [
        {
            "id": variable_id(index),
            "table": schema.reached(variable.by),
            "from": variable_id(variable.origin),
            **_step(variable.by, schema),
        }
        for index, variable in enumerate(query.variables)
    ]


def variable_id(index: int) -> str:
    """Return the name of a variable in documents: ``a``, ``b``, …, or ``example``."""
    return _EXAMPLE_ID if index == EXAMPLE else ascii_lowercase[index]


def _step(step: Step, schema: Schema) -> dict[str, str]:
    relationship = schema.relationships[step.relationship]
    is_self_reference = relationship.child == relationship.parent
    return {"by": step.relationship, **({"direction": step.to} if is_self_reference else {})}


def _condition(condition: Condition, schema: Schema) -> dict[str, Any]:
    return {
        "variable": variable_id(condition.variable),
        **_term(condition.term, schema),
        **_comparison(condition),
    }


def _comparison(condition: Condition | Selection) -> dict[str, Any]:
    has_value = condition.operator != "is_missing"
    return {"operator": condition.operator, **({"value": _json_value(condition.value)} if has_value else {})}


def _term(term: Term, schema: Schema) -> dict[str, Any]:
    if isinstance(term, ColumnTerm):
        return _column(term)
    aggregate: dict[str, Any] = {"function": term.function, **_step(term.by, schema)}
    if term.column is not None:
        aggregate |= _column(term.column)
    if term.where:
        aggregate["where"] = [{**_column(chosen.term), **_comparison(chosen)} for chosen in term.where]
    return {"aggregate": aggregate}


def _column(term: ColumnTerm) -> dict[str, Any]:
    return {"column": term.column, **({"parents": list(term.parents)} if term.parents else {})}


def _json_value(value: Value) -> Value | int:
    """Return a value as documents have it: ``0.1`` for the number of single precision that is nearest to it."""
    if value is None or isinstance(value, str | bool):
        return value
    number = shortest(value)
    return int(number) if number.is_integer() else number
