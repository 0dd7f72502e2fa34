"""Which raw rows reach a node: for each feature, the values that the conditions above the node leave."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..questions.conditions import Condition
from ..rows import Rows


def is_missing(values: NDArray[Any], text: str | None) -> NDArray[np.bool_]:
    """Return which values are missing, (n_rows,): NaN among numbers; ``None`` or ``text`` among categories."""
    if values.dtype != object:
        return np.asarray(np.isnan(values), np.bool_)
    return np.fromiter((value is None or value == text for value in values), np.bool_, len(values))


@dataclass(frozen=True, slots=True)
class Span:
    """What is left of one raw feature: an interval of numbers, or categories, and whether the value may be missing."""

    low: float = -inf  # a number is above it
    high: float = inf  # and at most this
    only: frozenset[str] | None = None  # categories still allowed; None: all but ``never``
    never: frozenset[str] = frozenset()
    may_be_known: bool = True
    may_be_missing: bool = True

    def allows(self, category: str) -> bool:
        """Return whether a category is still allowed."""
        return self.may_be_known and category not in self.never and (self.only is None or category in self.only)


@dataclass(frozen=True, slots=True)
class NodeBox:
    """The rows that reach a node: those whose every value lies in its feature's span."""

    missing_texts: Mapping[str, str]  # by column: a text that stands for a missing category
    spans: Mapping[str, Span] = field(default_factory=dict)  # by column; columns that nothing was asked of are lacking

    def span(self, column: str) -> Span:
        """Return what is left of a column."""
        return self.spans.get(column, Span())

    def below(self, condition: Condition, *, holds: bool) -> "NodeBox":
        """Return the part of the box for which a condition holds, or that for which it does not.

        Raises
        ------
        InvalidInput
            For operators other than ``<=``, ``is``, ``is one of`` and ``is missing``, or a category where ``feature``
            and ``column`` differ: the questions of approximation trees that this box is kept for.
        """
        narrower = _narrowed(self.span(condition.column), condition, holds=holds)
        return replace(self, spans={**self.spans, condition.column: narrower})

    def contains(self, rows: Rows) -> NDArray[np.bool_]:
        """Return which rows lie in the box, (n_rows,)."""
        inside = np.ones(len(rows), np.bool_)
        for column, span in self.spans.items():
            values = rows.select([column]).columns[0]
            missing = is_missing(values, self.missing_texts.get(column))
            if values.dtype == object:
                known = np.array([span.allows(value) for value in values], np.bool_)
            else:
                known = (values > span.low) & (values <= span.high) & span.may_be_known
            inside &= np.where(missing, span.may_be_missing, known)
        return inside


def _narrowed(span: Span, condition: Condition, *, holds: bool) -> Span:
    if condition.operator == "is missing":
        return replace(span, may_be_known=False) if holds else replace(span, may_be_missing=False)
    may_be_missing = span.may_be_missing and condition.or_missing == holds
    if condition.operator == "<=" and isinstance(condition.value, float):
        if holds:
            return replace(span, high=min(span.high, condition.value), may_be_missing=may_be_missing)
        return replace(span, low=max(span.low, condition.value), may_be_missing=may_be_missing)
    if condition.operator not in ("is", "is one of") or condition.feature != condition.column:
        msg = f"the condition {condition.text!r} is no question of an approximation tree"
        raise InvalidInput(msg)
    named = frozenset(condition.value) if isinstance(condition.value, tuple) else frozenset([str(condition.value)])
    if holds:
        only = named - span.never if span.only is None else span.only & named
        return replace(span, only=only, may_be_missing=may_be_missing)
    return replace(span, never=span.never | named, may_be_missing=may_be_missing)
