"""NodeBox: which raw rows reach a node, as a range of values of each feature that conditions above it leave."""

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
class ValueRange:
    """The values that remain of one raw feature: an interval of numbers or categories, and the missing value."""

    low: float = -inf  # numbers are above it
    high: float = inf  # and at most this
    only: frozenset[str] | None = None  # categories still allowed; None: all but ``never``
    never: frozenset[str] = frozenset()
    may_be_known: bool = True
    may_be_missing: bool = True

    def allows(self, category: str) -> bool:
        """Return whether a category is still allowed."""
        return self.may_be_known and category not in self.never and (self.only is None or category in self.only)

    @property
    def is_narrowed(self) -> bool:
        """Whether any value is excluded by a condition."""
        return self != _ALL_VALUES


_ALL_VALUES = ValueRange()


@dataclass(frozen=True, slots=True)
class NodeBox:
    """The rows that reach a node: those whose every value lies in its feature's range."""

    missing_texts: Mapping[str, str]  # by column: a text that represents a missing category
    ranges: Mapping[str, ValueRange] = field(default_factory=dict)  # by column; columns without a condition are lacking

    def range_of(self, column: str) -> ValueRange:
        """Return the values that remain of a column."""
        return self.ranges.get(column, _ALL_VALUES)

    def below(self, condition: Condition, *, holds: bool) -> "NodeBox":
        """Return the part of the box for which a condition holds, or that for which it does not.

        Raises
        ------
        InvalidInput
            For operators other than ``<=``, ``is``, ``is one of`` and ``is missing``, or a category where ``feature``
            and ``column`` differ: approximation trees have no such conditions.
        """
        narrowed = _narrowed(self.range_of(condition.column), condition, holds=holds)
        return replace(self, ranges={**self.ranges, condition.column: narrowed})

    def contains(self, rows: Rows) -> NDArray[np.bool_]:
        """Return which rows lie in the box, (n_rows,)."""
        inside = np.ones(len(rows), np.bool_)
        for column, allowed in self.ranges.items():
            values = rows.select([column]).columns[0]
            missing = is_missing(values, self.missing_texts.get(column))
            if values.dtype == object:
                known = np.array([allowed.allows(value) for value in values], np.bool_)
            else:
                known = (values > allowed.low) & (values <= allowed.high) & allowed.may_be_known
            inside &= np.where(missing, allowed.may_be_missing, known)
        return inside


def _narrowed(known: ValueRange, condition: Condition, *, holds: bool) -> ValueRange:
    if condition.operator == "is missing":
        return replace(known, may_be_known=False) if holds else replace(known, may_be_missing=False)
    may_be_missing = known.may_be_missing and condition.or_missing == holds
    if condition.operator == "<=" and isinstance(condition.value, float):
        if holds:
            return replace(known, high=min(known.high, condition.value), may_be_missing=may_be_missing)
        return replace(known, low=max(known.low, condition.value), may_be_missing=may_be_missing)
    if condition.operator not in ("is", "is one of") or condition.feature != condition.column:
        msg = f"the condition {condition.text!r} is no condition of an approximation tree"
        raise InvalidInput(msg)
    named = frozenset(condition.value) if isinstance(condition.value, tuple) else frozenset([str(condition.value)])
    if holds:
        only = named - known.never if known.only is None else known.only & named
        return replace(known, only=only, may_be_missing=may_be_missing)
    return replace(known, never=known.never | named, may_be_missing=may_be_missing)
