"""Rules applied to rows: by plain terms to one row, by array code to many.

Whatever a condition's operator is, it comes down to one of three terms: a comparison, a membership, or whether there is
a value at all. Every language has words for each of the three: single rows are tested by them here, exports write them
down.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import orjson

from schemas.rule_sets import Condition, Rule, RuleFeature, RuleSetResult
from tree_explainers.rule_sets.weighted_rules import HALF, WholeSums, whole_sums_of

from .worded_conditions import WordedConditions

_HALF = 0.5  # of a one-hot column: values above it are 1
_ABOVE = {">": True, "is": True, "<=": False, "is not": False}


@dataclass(frozen=True, slots=True)
class NumberTerm:
    """A comparison of a number: as it is, in double precision, even where the model rounds it."""

    column: str
    bound: float
    is_above: bool  # numbers greater than the bound fulfil it; else those not greater
    or_missing: bool
    is_boolean: bool = False  # the column holds booleans, which count as 1 (true) and 0

    def holds(self, value: Any) -> bool:  # a number, a boolean or None
        """Return whether a value fulfils it."""
        return self.or_missing if value is None else (float(value) > self.bound) == self.is_above


@dataclass(frozen=True, slots=True)
class TextTerm:
    """A membership: a category is one of some, or none of them."""

    column: str
    texts: tuple[str, ...]
    is_among: bool
    or_missing: bool
    missing_text: str | None  # represents a missing value

    def holds(self, value: Any) -> bool:  # a text, an integer or None
        """Return whether a value fulfils it."""
        text = value if value is None or isinstance(value, str) else str(value)
        return self.or_missing if text in (None, self.missing_text) else (text in self.texts) == self.is_among


@dataclass(frozen=True, slots=True)
class MissingTerm:
    """A test whether a number is missing."""

    column: str
    is_missing: bool

    def holds(self, value: Any) -> bool:  # a number, a boolean or None
        """Return whether a value fulfils it."""
        return (value is None) == self.is_missing


Term: TypeAlias = NumberTerm | TextTerm | MissingTerm


def terms_of(content: RuleSetResult) -> list[list[Term]]:
    """Return the terms of each rule's conditions, in their order."""
    features = features_by_name(content.features)
    return [[term_of(condition, features) for condition in rule.conditions] for rule in content.rules]


def whole_sums_in(content: RuleSetResult) -> WholeSums:
    """Return what each rule adds to the sums, of rules whose weighted mean predicts."""
    weights = [rule.weight or 0.0 for rule in content.rules]
    if content.classes:
        return whole_sums_of(weights, [rule.scores[1].value - HALF for rule in content.rules])
    return whole_sums_of(weights, [float(rule.prediction) for rule in content.rules])


def features_by_name(features: Iterable[RuleFeature]) -> dict[str, RuleFeature]:
    """Return features by their names."""
    return {feature.name: feature for feature in features}


def term_of(condition: Condition, features: Mapping[str, RuleFeature]) -> Term:
    """Return a condition in plain terms; ``features`` are those of the document, by name."""
    feature = features.get(condition.column)
    if feature is not None and feature.type == "category":
        texts, is_among = _TEXTS[condition.operator](condition.value)
        known = tuple(text for text in texts if text != feature.missing_text)
        or_missing = condition.or_missing or condition.operator == "is missing"
        return TextTerm(condition.column, known, is_among, or_missing, feature.missing_text)
    if condition.operator in ("is missing", "is not missing"):
        return MissingTerm(condition.column, condition.operator == "is missing")
    bound = condition.value if isinstance(condition.value, float) else _HALF
    is_boolean = feature is not None and feature.type == "boolean"
    return NumberTerm(condition.column, bound, _ABOVE[condition.operator], condition.or_missing, is_boolean)


_TEXTS: dict[str, Callable[[Any], tuple[tuple[str, ...], bool]]] = {
    "is": lambda value: ((value,), True),
    "is not": lambda value: ((value,), False),
    "is one of": lambda values: (tuple(values), True),
    "is none of": lambda values: (tuple(values), False),
    "is missing": lambda _: ((), True),
    "is not missing": lambda _: ((), False),
}


@dataclass(frozen=True, slots=True)
class WarmRules:
    """The rules of a rule set, prepared to be applied to rows.

    Single rows are tested by plain terms, many by array code; a test compares the two.
    """

    features: tuple[str, ...]  # of rows, in their order
    terms: tuple[tuple[tuple[int, Term], ...], ...]  # (n_rules,) each with the index of the feature that it tests
    entries: tuple[dict[str, Any], ...]  # (n_rules,) a rule as explanations of rows for which it holds have it
    texts: tuple[bytes, ...]  # (n_rules,) the same as JSON

    @staticmethod
    def of(content: RuleSetResult, features: Sequence[str], conditions: WordedConditions | None = None) -> "WarmRules":
        """Prepare the rules for rows that have these features, in this order, in the words of a dictionary if any."""
        index_of = {name: index for index, name in enumerate(features)}
        entries = tuple(_entry(rule, conditions) for rule in content.rules)
        return WarmRules(
            tuple(features),
            tuple(tuple((index_of[term.column], term) for term in terms) for terms in terms_of(content)),
            entries,
            tuple(map(orjson.dumps, entries)),
        )

    def firing(self, values: Sequence[Any]) -> list[int]:
        """Return the indices of the rules that hold for a row.

        Parameters
        ----------
        values : n_features values
            As callers send them, in the order of the features.
        """
        return [index for index, terms in enumerate(self.terms) if _hold(terms, values)]

    def text(self, firing: Iterable[int]) -> bytes:
        """Return the rules with these indices as a JSON list."""
        return b"[%b]" % b",".join([self.texts[index] for index in firing])


def _entry(rule: Rule, conditions: WordedConditions | None) -> dict[str, Any]:
    text = rule.text if conditions is None else conditions.rule_text(rule.conditions)
    entry = {"rank": rule.rank, "text": text, "prediction": rule.prediction}
    return entry if rule.weight is None else {**entry, "weight": rule.weight}


def _hold(terms: Iterable[tuple[int, Term]], values: Sequence[Any]) -> bool:
    # A plain loop: a generator for ``all`` would take twice as long, for every row that is explained.
    for index, term in terms:  # noqa: SIM110
        if not term.holds(values[index]):
            return False
    return True
