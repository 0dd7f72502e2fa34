"""The conditions of rules in plain terms: a comparison, a membership, or whether there is a value at all.

Whatever a condition's operator is called, it comes down to one of three terms, for each of which every language has
words: single rows are asked by them here, exports write them down.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from schemas.rule_sets import Condition, RuleSetContent
from tree_explainers.rules.number_cuts import Rounding

_HALF = 0.5  # of a one-hot column: what is over it is 1
_ABOVE = {">": True, "is": True, "<=": False, "is not": False}


@dataclass(frozen=True, slots=True)
class NumberTerm:
    """A number is compared: as it was sent, in double precision, whatever the model rounds it to."""

    column: str
    bound: float
    is_above: bool  # greater than the bound fulfils it; else not greater
    or_missing: bool

    def holds(self, value: Any) -> bool:  # noqa: ANN401  # a number, a boolean or None
        """Return whether a value fulfils it."""
        return self.or_missing if value is None else (float(value) > self.bound) == self.is_above

    def hold(self, column: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which values of a column fulfil it, (n_rows,)."""
        if column.dtype == object:  # nothing but missing values
            return np.full(len(column), self.or_missing)
        found: NDArray[np.bool_] = (column > self.bound) == self.is_above
        return np.where(np.isnan(column), self.or_missing, found)


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

    def hold(self, column: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which values of a column fulfil it, (n_rows,)."""
        if column.dtype != object:  # nothing but missing values
            return np.full(len(column), self.or_missing)
        distinct = dict.fromkeys(column.tolist())
        told = {value: self.holds(value) for value in distinct}
        return np.array([told[value] for value in column.tolist()], dtype=np.bool_)


@dataclass(frozen=True, slots=True)
class MissingTerm:
    """A number is missing, or it is not."""

    column: str
    is_missing: bool

    def holds(self, value: Any) -> bool:  # noqa: ANN401  # a number, a boolean or None
        """Return whether a value fulfils it."""
        return (value is None) == self.is_missing

    def hold(self, column: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which values of a column fulfil it, (n_rows,)."""
        if column.dtype == object:  # nothing but missing values
            return np.full(len(column), self.is_missing)
        found: NDArray[np.bool_] = np.isnan(column) == self.is_missing
        return found


Term: TypeAlias = NumberTerm | TextTerm | MissingTerm


def terms_of(content: RuleSetContent) -> list[list[Term]]:
    """Return the terms of each rule, in their order."""
    rounding = Rounding(reads=np.float32 if content.numerics == "float32" else np.float64, kept=np.float64)
    missing_texts = {feature.name: feature.missing_text for feature in content.features if feature.type == "category"}
    return [[_term(condition, missing_texts, rounding) for condition in rule.conditions] for rule in content.rules]


def _term(condition: Condition, missing_texts: Mapping[str, str | None], rounding: Rounding) -> Term:
    if condition.column in missing_texts:
        return _about_text(condition, missing_texts[condition.column])
    if condition.operator in ("is missing", "is not missing"):
        return MissingTerm(condition.column, condition.operator == "is missing")
    value = condition.value if isinstance(condition.value, float) else _HALF
    # The largest double that the model does not see above the value: raw numbers need not be rounded then.
    (bound,) = rounding.lower(np.array([value])).tolist()
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
