"""The reason of one feature in a person's terms: mapped back from the model's columns, and as a sentence.

A feature that is a single number needs its interval only. Features of several columns, or of categories, are combined
column by column: ``combine_columns`` intersects what each of them allows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import inf, isnan, nan
from operator import itemgetter
from typing import Any, Protocol, TypedDict

import numpy as np
from numpy.typing import NDArray

from .. import wording
from ..column_words import ColumnWords
from ..onnx_models.description import ModelColumn
from ..questions.splits import model_value
from .leaf_boxes import Side
from .raw_units import ColumnUnits, RawSide

Category = float | str

TRANSFORMED = " (transformed)"
"""Follows the name of a column that is not a raw feature."""

_LOW_INCLUSIVE, _HIGH_INCLUSIVE = int(Side.LOW_INCLUSIVE), int(Side.HIGH_INCLUSIVE)
_MISSING_STAYS = int(Side.MISSING_STAYS)
_COLUMN, _SIDE, _LOW = 2, 3, 4  # fields of a REASON


@dataclass(frozen=True, slots=True)
class ReferenceColumn:
    """Facts about one raw feature from the rows that prototypes were taken from, and what it is called."""

    has_missing: bool = True  # some row misses it
    categories: tuple[Category, ...] | None = None  # all that there are; None: not known
    words: ColumnWords | None = None  # for it and its values; None: what they are


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
    categories: tuple[Category, ...]  # only these are allowed, two or more; empty where others are, too
    excluded_categories: tuple[Category, ...]  # excluded; for a number, values left out of the interval
    share_of_trees: float  # of the shared trees, those that test the feature, in (0, 1]
    transformed: bool  # the feature is a model-side column
    exact: bool  # false: ends were calculated back through scaling, or a set of numbers is tested


def number_sentence(
    column: ModelColumn, low: float | None, high: float | None, side: RawSide, *, is_single: bool
) -> str:
    """Return the reason of a feature that is a single number, of single or double precision, as a sentence."""
    start, end = f"{shown_name(column)} is ", wording.MISSING_ALLOWED if RawSide.OR_MISSING in side else ""
    if RawSide.IS_MISSING in side:
        return start + wording.MISSING
    ends = wording.interval(
        -inf if low is None else low,
        inf if high is None else high,
        low_inclusive=RawSide.LOW_INCLUSIVE in side,
        high_inclusive=RawSide.HIGH_INCLUSIVE in side,
        is_single=is_single,
    )
    return start + (ends or any_number(side)) + end


def any_number(side: RawSide) -> str:
    """Return the description of a number where no tree sets an end."""
    return wording.NOT_MISSING if RawSide.NOT_MISSING in side else wording.ANYTHING


def shown_name(column: ModelColumn) -> str:
    """Return the name of a column in sentences, marked where it is not a raw feature."""
    return column.name + TRANSFORMED if column.transformed else column.name


class Reader(Protocol):
    """What is known of a model, for the reasons of one feature."""

    @property
    def columns(self) -> Sequence[ModelColumn]:
        """All columns of the model."""

    @property
    def units(self) -> ColumnUnits:
        """Of all columns."""

    @property
    def precision(self) -> type[np.float32 | np.float64]:
        """In which ends are written."""

    @property
    def sets(self) -> Sequence[frozenset[float]]:
        """The sets that trees test membership in."""


def combine_columns(
    reasons: NDArray[Any], reader: Reader, reference: ReferenceColumn, is_nullable: NDArray[np.bool_]
) -> FeatureReason:
    """Intersect the reasons of all columns of one feature.

    Parameters
    ----------
    reasons : (n_reasons,) REASON
        Of the feature, sorted by column, each column's holes and sets after its interval; one at least.
    reader
        The model.
    reference
        What is known of the feature.
    is_nullable : (n_columns,) bool
        The columns whose reasons mention that a missing value is allowed.
    """
    draft = _Draft(reference.categories, reference.words)
    for index, of_column in groupby(reasons.tolist(), key=itemgetter(_COLUMN)):
        first, *others = of_column
        holes = [_Interval(each, reader.units) for each in others if not each[_SIDE] & Side.SET]
        in_sets = (each for each in others if each[_SIDE] & Side.SET)
        sets = [(reader.sets[int(each[_LOW])], bool(each[_SIDE] & Side.INSIDE)) for each in in_sets]
        draft.take(reader.columns[index], _Values(_Interval(first, reader.units), holes, sets))
    column, share_of_trees = int(reasons["column"][0]), float(reasons["share_of_trees"][0])
    mentions_missing = bool(is_nullable[reasons["column"]].any())
    return draft.finish(reader.columns[column], share_of_trees, reader.precision, mentions_missing=mentions_missing)


class _Interval:
    """One reason, in the model's units and in raw ones."""

    def __init__(self, reason: tuple[Any, ...], units: ColumnUnits) -> None:
        _, _, column, self.side, self.low, self.high, _ = reason
        self.raw_low, self.raw_high, side = units.interval(column, self.side, self.low, self.high)
        self.raw_low_inclusive = bool(side & RawSide.LOW_INCLUSIVE)
        self.raw_high_inclusive = bool(side & RawSide.HIGH_INCLUSIVE)
        self.is_missing = bool(side & RawSide.IS_MISSING)
        self.or_missing = bool(side & RawSide.OR_MISSING) or self.is_missing
        self.exact = bool(side & RawSide.EXACT)


class _Values:
    """The values of one model-side column that leave the row in its leaves."""

    def __init__(
        self, interval: _Interval, holes: Sequence[_Interval], sets: Sequence[tuple[frozenset[float], bool]]
    ) -> None:
        self.interval = interval
        self.holes = holes
        self.sets = sets  # of values, and whether these are the ones to be admitted

    def admit(self, value: float) -> bool:
        interval = self.interval
        above = value > interval.low or (value == interval.low and interval.side & _LOW_INCLUSIVE)
        below = value < interval.high or (value == interval.high and interval.side & _HIGH_INCLUSIVE)
        return bool(above and below) and self.leave_in(value)

    def leave_in(self, value: float) -> bool:
        """Return whether a value is in no hole, and in or out of the sets as it must be."""
        in_no_hole = all(value != hole.low for hole in self.holes)
        return in_no_hole and all((value in members) == is_inside for members, is_inside in self.sets)

    @property
    def listed(self) -> list[float] | None:
        """The values that are admitted where there is a set of them, ascending; ``None`` where there is none."""
        inside = [members for members, is_inside in self.sets if is_inside]
        return sorted(filter(self.admit, frozenset.intersection(*inside))) if inside else None

    @property
    def excluded(self) -> list[float]:
        """The values in the interval that are not admitted, ascending; where none are listed."""
        members = {value for members, is_inside in self.sets if not is_inside for value in members}
        within = _Values(self.interval, (), ())
        return sorted({hole.low for hole in self.holes} | {value for value in members if within.admit(value)})

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

    def __init__(self, known: tuple[Category, ...] | None, words: ColumnWords | None) -> None:
        self._known = known  # all categories of the reference rows
        self._column_words = words
        self._low = (-inf, False)  # and whether this end is excluded: the larger pair is the narrower one
        self._high = (inf, False)  # and whether this end is included: the smaller pair is the narrower one
        self._or_missing = True
        self._is_missing = False
        self._is: Category | None = None
        self._is_not: dict[Category, None] = {}  # an ordered set
        self._is_one_of: tuple[Category, ...] | None = None  # None: others are allowed, too
        self._exact = True

    def take(self, column: ModelColumn, values: _Values) -> None:
        if column.kind == "indicator":
            self._take_indicator(column, values)
        elif column.kind == "ordinal":
            self._take_ordinal(column, values)
        else:
            self._take_number(column, values)
        self._exact &= values.interval.exact

    def _take_number(self, column: ModelColumn, values: _Values) -> None:
        interval, imputed = values.interval, imputed_number(column)
        self._or_missing &= interval.or_missing and (isnan(imputed) or values.leave_in(imputed))
        if column.scale == 0:
            return  # always the same, whatever the raw value
        listed = values.listed
        self._exact &= not values.sets  # onnxruntime takes some fractions for the whole numbers in a set
        if interval.is_missing or not values.admit_any() or listed == []:
            self._is_missing = True
            return
        if listed is not None:
            self._take_listed([_raw(column, value) for value in listed])
            return
        self._low = max(self._low, (column.shortest_equivalent(interval.raw_low), not interval.raw_low_inclusive))
        self._high = min(self._high, (column.shortest_equivalent(interval.raw_high), interval.raw_high_inclusive))
        self._is_not.update((_raw(column, value), None) for value in values.excluded)

    def _take_listed(self, categories: Sequence[Category]) -> None:
        """Allow these only."""
        before = self._is_one_of
        self._is_one_of = tuple(each for each in categories if before is None or each in before)

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
        if admits_others:
            refused = (category for category, admits in admitted.items() if not admits and category is not None)
            self._is_not.update(dict.fromkeys(refused))
        elif possible:
            self._take_listed(possible)
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
        self._settle()
        if self._or_missing and (self._is_missing or self._has_no_category_left()):
            return _missing(column, self._name(column), share_of_trees, exact=self._exact)
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
            categories=self._is_one_of or (),
            excluded_categories=() if self._is is not None or self._is_one_of else tuple(self._is_not),
            share_of_trees=share_of_trees,
            transformed=column.transformed,
            exact=self._exact,
        )
        ending = wording.MISSING_ALLOWED if reason["or_missing"] else ""
        reason["text"] = f"{self._name(column)} is {self._words(reason, is_single=precision is np.float32)}{ending}"
        return reason

    def _name(self, column: ModelColumn) -> str:
        words = self._column_words
        return shown_name(column) if words is None or column.transformed else words.name

    def _labelled(self, values: Sequence[Category]) -> list[Category]:
        return list(values) if self._column_words is None else self._column_words.labelled(values)

    def _settle(self) -> None:
        """Let what is allowed be one category, or a list of some without those that are refused."""
        if self._is_one_of is None:
            return
        left = tuple(filter(self._allows_listed, self._is_one_of))
        self._is_one_of = left if len(left) > 1 else None
        self._is = left[0] if len(left) == 1 else self._is
        self._is_missing |= not left

    def _allows_listed(self, value: Category) -> bool:
        if isinstance(value, float):
            (low, low_excluded), (high, high_included) = self._low, self._high
            if value < low or value > high or (value == low and low_excluded) or (value == high and not high_included):
                return False
        return value not in self._is_not and self._is in (None, value)

    def _has_no_category_left(self) -> bool:
        """Return whether all categories of the reference rows are refused."""
        return bool(self._known) and not any(map(self._allows, self._known or ()))

    def _allows(self, category: Category) -> bool:
        if self._is is not None:
            return category == self._is
        return category not in self._is_not and (self._is_one_of is None or category in self._is_one_of)

    def _words(self, reason: FeatureReason, *, is_single: bool) -> str:
        if self._is is not None:
            return wording.one_of(self._labelled((self._is,)))
        if self._is_one_of is not None:
            return self._of_some(self._is_one_of)
        low, high = -inf if reason["low"] is None else reason["low"], inf if reason["high"] is None else reason["high"]
        ends = wording.interval(
            low,
            high,
            low_inclusive=reason["low_inclusive"],
            high_inclusive=reason["high_inclusive"],
            is_single=is_single,
        )
        if ends:
            ends = ends if self._column_words is None else self._column_words.with_unit(ends)
            return ends + (wording.but_not(self._labelled(tuple(self._is_not))) if self._is_not else "")
        if self._is_not:
            left = [each for each in self._known or () if each not in self._is_not]
            return wording.some_of(self._labelled(left), self._labelled(tuple(self._is_not)))
        return any_number(RawSide(0) if self._or_missing else RawSide.NOT_MISSING)

    def _of_some(self, listed: tuple[Category, ...]) -> str:
        left = [each for each in self._known or () if each in listed]
        refused = [each for each in self._known or () if each not in listed]
        return wording.some_of(self._labelled(left or listed), self._labelled(refused))


def _raw(column: ModelColumn, value: float) -> float:
    """Return a model-side number in raw units."""
    return value if column.kind == "identity" else (value - column.offset) / column.scale


def _missing(column: ModelColumn, name: str, share_of_trees: float, *, exact: bool) -> FeatureReason:
    """Return the reason that only a missing value is allowed."""
    return FeatureReason(
        feature=column.name,
        text=f"{name} is {wording.MISSING}",
        low=None,
        high=None,
        low_inclusive=False,
        high_inclusive=False,
        or_missing=False,
        is_missing=True,
        category=None,
        categories=(),
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
