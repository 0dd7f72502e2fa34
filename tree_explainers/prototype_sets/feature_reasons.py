"""The reason of one feature in a person's terms: mapped back from the model's columns, and as a sentence.

A feature that is a single number needs its interval only. Features of several columns, or of categories, are combined
column by column: ``combine_columns`` intersects what each of them allows.
"""

from collections.abc import Sequence
from itertools import groupby
from math import inf, nan
from operator import attrgetter
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from .. import wording
from ..onnx_models.description import ModelColumn
from ..questions.splits import model_value
from .leaf_boxes import Side
from .raw_units import ColumnUnits, RawSide

Category = float | str

TRANSFORMED = " (transformed)"
"""Follows the name of a column that is not a raw feature."""

_LOW_INCLUSIVE, _HIGH_INCLUSIVE = int(Side.LOW_INCLUSIVE), int(Side.HIGH_INCLUSIVE)
_MISSING_STAYS = int(Side.MISSING_STAYS)


class FeatureReason(TypedDict):
    """The values of one feature that the shared trees do not distinguish: with any, the row stays in its leaves."""

    feature: str  # the raw feature, or the model-side column where it could not be mapped back
    text: str  # the reason without the share of trees, as a sentence
    low: float | None  # None: no lower end
    high: float | None
    low_inclusive: bool
    high_inclusive: bool
    or_missing: bool  # a missing value is allowed, too; false where no reference row misses the feature
    is_missing: bool  # only a missing value is allowed: there are neither ends nor categories
    category: Category | None  # only this one is allowed
    excluded_categories: tuple[Category, ...]  # excluded; for a number, values left out of the interval
    share_of_trees: float  # of the shared trees, those that test the feature, in (0, 1]
    transformed: bool  # the feature is a model-side column
    exact: bool  # false: some tree tests a set of values, or ends were calculated back through scaling


def number_sentence(column: ModelColumn, low: float | None, high: float | None, side: RawSide) -> str:
    """Return the reason of a feature that is a single number as a sentence."""
    start, end = f"{shown_name(column)} is ", wording.MISSING_ALLOWED if RawSide.OR_MISSING in side else ""
    if RawSide.IS_MISSING in side:
        return start + wording.MISSING
    ends = wording.interval(
        -inf if low is None else low,
        inf if high is None else high,
        low_inclusive=RawSide.LOW_INCLUSIVE in side,
        high_inclusive=RawSide.HIGH_INCLUSIVE in side,
    )
    return start + (ends or any_number(side)) + end


def any_number(side: RawSide) -> str:
    """Return the description of a number where no tree sets an end."""
    if RawSide.IN_A_SET in side:
        return wording.IN_A_SET
    return wording.NOT_MISSING if RawSide.NOT_MISSING in side else wording.ANYTHING


def shown_name(column: ModelColumn) -> str:
    """Return the name of a column in sentences, marked where it is not a raw feature."""
    return column.name + TRANSFORMED if column.transformed else column.name


def combine_columns(
    reasons: NDArray[Any],
    columns: Sequence[ModelColumn],
    units: ColumnUnits,
    precision: type[np.float32 | np.float64],
    known: tuple[Category, ...] | None,
    is_nullable: NDArray[np.bool_],
) -> FeatureReason:
    """Intersect the reasons of all columns of one feature.

    Parameters
    ----------
    reasons : (n_reasons,) REASON
        Of the feature, sorted by column, each column's holes after its interval; one at least.
    columns, units
        All columns of the model.
    precision
        In which the ends are written.
    known
        The categories that the feature has in the reference rows; ``None``: not known.
    is_nullable : (n_columns,) bool
        The columns whose reasons mention that a missing value is allowed.
    """
    intervals = [_Interval(reason, units) for reason in reasons.tolist()]
    draft = _Draft(known)
    for index, own in groupby(intervals, key=attrgetter("column")):
        draft.take(columns[index], _Values(*own))
    first = intervals[0]
    mentions_missing = any(is_nullable[interval.column] for interval in intervals)
    return draft.finish(columns[first.column], first.share_of_trees, precision, mentions_missing=mentions_missing)


class _Interval:
    """One reason, in the model's units and in raw ones."""

    def __init__(self, reason: tuple[Any, ...], units: ColumnUnits) -> None:
        _, _, self.column, self.side, self.low, self.high, self.share_of_trees = reason
        self.raw_low, self.raw_high, side = units.interval(self.column, self.side, self.low, self.high)
        self.raw_low_inclusive = bool(side & RawSide.LOW_INCLUSIVE)
        self.raw_high_inclusive = bool(side & RawSide.HIGH_INCLUSIVE)
        self.is_missing, self.in_a_set = bool(side & RawSide.IS_MISSING), bool(side & RawSide.IN_A_SET)
        self.or_missing = bool(side & RawSide.OR_MISSING) or self.is_missing
        self.exact = bool(side & RawSide.EXACT)


class _Values:
    """The values of one model-side column that leave the row in its leaves."""

    def __init__(self, interval: _Interval, *holes: _Interval) -> None:
        self.interval = interval
        self.holes = holes

    def admit(self, value: float) -> bool:
        interval = self.interval
        above = value > interval.low or (value == interval.low and interval.side & _LOW_INCLUSIVE)
        below = value < interval.high or (value == interval.high and interval.side & _HIGH_INCLUSIVE)
        return bool(above and below) and all(value != hole.low for hole in self.holes)

    def admit_any(self) -> bool:
        """Return whether there is any value but a hole; holes between the ends are too few to fill an interval."""
        interval = self.interval
        return interval.low < interval.high or self.admit(interval.low)

    def admit_code(self, column: ModelColumn, code: float | None) -> bool:
        if code is None:  # a missing value to the model
            return bool(self.interval.side & _MISSING_STAYS)
        return self.admit(model_value(column, code))


class _Draft:
    """A feature's reason while its columns are combined one by one."""

    def __init__(self, known: tuple[Category, ...] | None) -> None:
        self._known = known  # all categories of the reference rows
        self._low = (-inf, False)  # and whether this end is excluded: the larger pair is the narrower one
        self._high = (inf, False)  # and whether this end is included: the smaller pair is the narrower one
        self._or_missing = True
        self._is_missing = False
        self._is: Category | None = None
        self._is_not: dict[Category, None] = {}  # an ordered set
        self._exact = True
        self._in_a_set = False

    def take(self, column: ModelColumn, values: _Values) -> None:
        if column.kind == "indicator":
            self._take_indicator(column, values)
        elif column.kind == "ordinal":
            self._take_ordinal(column, values)
        else:
            self._take_number(column, values)
        self._exact &= values.interval.exact
        self._in_a_set |= values.interval.in_a_set

    def _take_number(self, column: ModelColumn, values: _Values) -> None:
        interval = values.interval
        self._or_missing &= interval.or_missing and not any(hole.low == imputed_number(column) for hole in values.holes)
        if column.scale == 0:
            return  # always the same, whatever the raw value
        if interval.is_missing or not values.admit_any():
            self._is_missing = True
            return
        self._low = max(self._low, (column.shortest_equivalent(interval.raw_low), not interval.raw_low_inclusive))
        self._high = min(self._high, (column.shortest_equivalent(interval.raw_high), interval.raw_high_inclusive))
        self._is_not.update((hole.raw_low, None) for hole in values.holes)

    def _take_indicator(self, column: ModelColumn, values: _Values) -> None:
        present, absent = values.admit(model_value(column, 1)), values.admit(model_value(column, 0))
        if column.category is None:
            self._or_missing &= present
            self._is_missing |= not absent
            return
        self._or_missing &= present if column.imputed == column.category else absent
        if not absent:
            self._is = column.category
        elif not present:
            self._is_not[column.category] = None

    def _take_ordinal(self, column: ModelColumn, values: _Values) -> None:
        admitted = {
            category: values.admit_code(column, code)
            for category, code in zip(column.categories, column.codes, strict=True)
        }
        admits_others = values.admit_code(column, column.default_code)
        self._or_missing &= admitted.get(column.imputed, admits_others)  # imputed None: missing, a category itself
        possible = [category for category, admits in admitted.items() if admits and category is not None]
        if len(possible) == 1 and not admits_others:
            self._is = possible[0]
        elif possible or admits_others:
            refused = (category for category, admits in admitted.items() if not admits and category is not None)
            self._is_not.update(dict.fromkeys(refused))
        else:
            self._is_missing = True

    def finish(
        self,
        column: ModelColumn,
        share_of_trees: float,
        precision: type[np.float32 | np.float64],
        *,
        mentions_missing: bool,
    ) -> FeatureReason:
        if self._or_missing and (self._is_missing or self._has_no_category_left()):
            return _missing(column, share_of_trees, exact=self._exact)
        low, low_excluded = self._low
        high, high_included = self._high
        reason = FeatureReason(
            feature=column.name,
            text="",
            low=rounded_end(low, precision),
            high=rounded_end(high, precision),
            low_inclusive=low > -inf and not low_excluded,
            high_inclusive=high < inf and high_included,
            or_missing=self._or_missing and mentions_missing,
            is_missing=False,
            category=self._is,
            excluded_categories=() if self._is is not None else tuple(self._is_not),
            share_of_trees=share_of_trees,
            transformed=column.transformed,
            exact=self._exact,
        )
        ending = wording.MISSING_ALLOWED if reason["or_missing"] else ""
        reason["text"] = f"{shown_name(column)} is {self._words(reason)}{ending}"
        return reason

    def _has_no_category_left(self) -> bool:
        """Return whether all categories of the reference rows are refused."""
        return bool(self._known) and self._is is None and set(self._known or ()) <= set(self._is_not)

    def _words(self, reason: FeatureReason) -> str:
        if self._is is not None:
            return wording.one_of((self._is,))
        low, high = -inf if reason["low"] is None else reason["low"], inf if reason["high"] is None else reason["high"]
        ends = wording.interval(
            low, high, low_inclusive=reason["low_inclusive"], high_inclusive=reason["high_inclusive"]
        )
        if ends:
            return ends + (wording.but_not(self._is_not) if self._is_not else "")
        if self._is_not:
            return wording.all_but(tuple(self._is_not), self._known or ())
        side = RawSide.IN_A_SET if self._in_a_set else RawSide(0) if self._or_missing else RawSide.NOT_MISSING
        return any_number(side)


def _missing(column: ModelColumn, share_of_trees: float, *, exact: bool) -> FeatureReason:
    """Return the reason that only a missing value is allowed."""
    return FeatureReason(
        feature=column.name,
        text=f"{shown_name(column)} is {wording.MISSING}",
        low=None,
        high=None,
        low_inclusive=False,
        high_inclusive=False,
        or_missing=False,
        is_missing=True,
        category=None,
        excluded_categories=(),
        share_of_trees=share_of_trees,
        transformed=column.transformed,
        exact=exact,
    )


def rounded_end(value: float, precision: type[np.float32 | np.float64]) -> float | None:
    """Return an end in the shortest decimals of its precision; ``None`` for an infinite one."""
    return float(str(precision(value))) if np.isfinite(value) else None


def is_number(column: ModelColumn) -> bool:
    """Return whether the column is compared as a number."""
    return column.kind in {"identity", "affine", "monotone", "transformed"}


def imputed_number(column: ModelColumn) -> float:
    """Return the model-side value of a missing raw number; NaN where it stays missing."""
    if column.imputed is None or isinstance(column.imputed, str) or not is_number(column):
        return nan
    return model_value(column, column.imputed)
