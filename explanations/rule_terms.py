"""The conditions of rules in plain terms: a comparison, a membership, or whether there is a value at all.

Whatever a condition's operator is called, it comes down to one of three terms, for each of which every language has
words: single rows are asked by them here, exports write them down.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from schemas.rule_sets import Condition, RuleFeature, RuleSetResult

_HALF = 0.5  # of a one-hot column: what is over it is 1
_ABOVE = {">": True, "is": True, "<=": False, "is not": False}


@dataclass(frozen=True, slots=True)
class NumberTerm:
    """A number is compared: as it is, in double precision, whatever the model rounds it to."""

    column: str
    bound: float
    is_above: bool  # greater than the bound fulfils it; else not greater
    or_missing: bool

    def holds(self, value: Any) -> bool:  # noqa: ANN401  # a number, a boolean or None
        """Return whether a value fulfils it."""
        return self.or_missing if value is None else (float(value) > self.bound) == self.is_above


@dataclass(frozen=True, slots=True)
class TextTerm:
    """A category is one of some, or none of them."""

    column: str
    texts: tuple[str, ...]
    is_among: bool
    or_missing: bool
    missing_text: str | None  # stands for a missing value

    def holds(self, value: Any) -> bool:  # noqa: ANN401  # a text, an integer or None
        """Return whether a value fulfils it."""
        text = value if value is None or isinstance(value, str) else str(value)
        return self.or_missing if text in (None, self.missing_text) else (text in self.texts) == self.is_among


@dataclass(frozen=True, slots=True)
class MissingTerm:
    """A number is missing, or it is not."""

    column: str
    is_missing: bool

    def holds(self, value: Any) -> bool:  # noqa: ANN401  # a number, a boolean or None
        """Return whether a value fulfils it."""
        return (value is None) == self.is_missing


Term: TypeAlias = NumberTerm | TextTerm | MissingTerm


def terms_of(content: RuleSetResult) -> list[list[Term]]:
    """Return the terms of each rule's conditions, in their order."""
    missing_texts = missing_texts_of(content.features)
    return [[term_of(condition, missing_texts) for condition in rule.conditions] for rule in content.rules]


def missing_texts_of(features: Iterable[RuleFeature]) -> dict[str, str | None]:
    """Return for each feature that is a category, and no other, the text that means missing, if there is one."""
    return {feature.name: feature.missing_text for feature in features if feature.type == "category"}


def term_of(condition: Condition, missing_texts: Mapping[str, str | None]) -> Term:
    """Return a condition in plain terms; ``missing_texts`` are those of ``missing_texts_of``."""
    if condition.column in missing_texts:
        return _about_text(condition, missing_texts[condition.column])
    if condition.operator in ("is missing", "is not missing"):
        return MissingTerm(condition.column, condition.operator == "is missing")
    bound = condition.value if isinstance(condition.value, float) else _HALF
    return NumberTerm(condition.column, bound, _ABOVE[condition.operator], condition.or_missing)


def _about_text(condition: Condition, missing_text: str | None) -> TextTerm:
    texts, is_among = _TEXTS[condition.operator](condition.value)
    known = tuple(text for text in texts if text != missing_text)
    or_missing = condition.or_missing or condition.operator == "is missing"
    return TextTerm(condition.column, known, is_among, or_missing, missing_text)


_TEXTS: dict[str, Callable[[Any], tuple[tuple[str, ...], bool]]] = {
    "is": lambda value: ((value,), True),
    "is not": lambda value: ((value,), False),
    "is one of": lambda values: (tuple(values), True),
    "is none of": lambda values: (tuple(values), False),
    "is missing": lambda _: ((), True),
    "is not missing": lambda _: ((), False),
}
