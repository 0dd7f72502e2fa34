"""Reasons in a person's terms: intervals of model-side columns led back to raw features, their units and categories."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import inf, nan
from operator import attrgetter
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from .. import wording
from ..onnx_models.description import ModelColumn
from ..questions.splits import model_value
from .leaf_boxes import Side
from .raw_units import ColumnUnits, RawReasons, RawSide, group_by_feature

Category = float | str


class FeatureReason(TypedDict):
    """What the shared trees cannot tell apart in one feature: with any such value they keep the row in its leaves."""

    feature: str  # the raw feature, or the model-side column where it could not be led back
    text: str  # all of it but the share of trees, as a sentence
    low: float | None  # None: no lower end
    high: float | None
    low_inclusive: bool
    high_inclusive: bool
    or_missing: bool  # a missing value would do as well as others; false where no reference row misses the feature
    is_missing: bool  # nothing but a missing value would do: there are neither ends nor categories
    category: Category | None  # nothing but this would do
    not_categories: tuple[Category, ...]  # these would not do; for a number, values left out of the interval
    tree_share: float  # of the shared trees, those that ask about the feature, in (0, 1]
    transformed: bool  # the feature is a model-side column
    exact: bool  # false: some tree asks about a set of values, or ends were calculated back through scaling


@dataclass(frozen=True, slots=True)
class ReferenceColumn:
    """What is known of one raw feature from the rows that prototypes were taken from."""

    has_missing: bool = True  # some row misses it
    categories: tuple[Category, ...] | None = None  # all that there are; None: not known


def feature_numbers(columns: Sequence[ModelColumn]) -> NDArray[np.int32]:
    """Return, for each model-side column, the number of the feature it belongs to, in the order of first columns.

    Columns that could not be led back to a raw feature are features of their own.
    """
    numbers: dict[tuple[str, str | int], int] = {}
    keys = [_feature_key(index, column) for index, column in enumerate(columns)]
    for key in keys:
        numbers.setdefault(key, len(numbers))
    return np.array([numbers[key] for key in keys], dtype=np.int32)


@dataclass(frozen=True, slots=True)
class ReasonReader:
    """Translates reasons; what depends on the model alone is prepared once."""

    columns: tuple[ModelColumn, ...]
    units: ColumnUnits
    precision: type[np.float32 | np.float64]
    reference: tuple[ReferenceColumn, ...]  # (n_columns,) of each column's raw feature

    @staticmethod
    def build(
        columns: Sequence[ModelColumn],
        precision: type[np.float32 | np.float64] = np.float64,
        reference: Sequence[ReferenceColumn] | None = None,
    ) -> "ReasonReader":
        """Prepare for a model's columns, in the order in which its trees number them.

        Parameters
        ----------
        columns
            Of the model.
        precision
            In which the model takes raw numbers. Ends are told as the shortest decimals that are the same number in
            it: 0.18635, where a double would say 0.1863499879837036.
        reference
            What is known of the raw features, in their order; ``None``: nothing, so that each may be missing.
        """
        features = feature_numbers(columns)
        known = tuple(_reference_of(column, reference) for column in columns)
        varies = np.array([_is_number(column) and column.scale != 0 for column in columns], dtype=np.bool_)
        scales, offsets = ([getattr(column, name) for column in columns] for name in ("scale", "offset"))
        units = ColumnUnits(
            scale=np.where(varies, scales, 1.0),
            offset=np.where(varies, offsets, 0.0),
            imputed=np.array([_imputed_number(column) for column in columns], dtype=np.float64),
            is_alone=varies & (np.bincount(features)[features] == 1),
            is_exact=np.array([column.kind != "affine" for column in columns], dtype=np.bool_),
            is_nullable=np.array([own.has_missing for own in known], dtype=np.bool_),
            is_single=precision is np.float32,
        )
        return ReasonReader(tuple(columns), units, precision, known)

    def read(
        self, reasons: NDArray[Any], n_pairs: int, is_missing: NDArray[np.bool_] | None = None
    ) -> list[list[FeatureReason]]:
        """Translate the reasons of one row and some prototypes.

        Parameters
        ----------
        reasons : (n_reasons,) REASON
            From ``Reasons.of``.
        n_pairs
            How many prototypes were asked about.
        is_missing : (n_columns,) bool, optional
            Of which columns the row misses the raw value; see ``translate``.

        Returns
        -------
        list of n_pairs lists
            Features by the share of trees that ask about them, largest first (ties: order of the model's columns).
            The ends of an affine column are calculated back from the model's in float64; the model itself rounds to
            float32 on the way, and such an end is exact to that rounding only.
        """
        raw, others = self.translate(reasons, n_pairs, is_missing)
        features = [others.get(place) or self._of_number(raw, place) for place in range(len(raw.column))]
        return [features[start:end] for start, end in pairwise(raw.bounds.tolist())]

    def translate(
        self, reasons: NDArray[Any], n_pairs: int, is_missing: NDArray[np.bool_] | None = None
    ) -> tuple[RawReasons, dict[int, FeatureReason]]:
        """Translate as ``read`` does, but leave features that are single numbers in arrays; the others are by place.

        That a missing value would do as well is said of features that some reference row misses, and of those that
        the row itself misses (``is_missing``): without it the reason would not be true of the row.
        """
        is_nullable = self.units.is_nullable if is_missing is None else self.units.is_nullable | is_missing
        raw = group_by_feature(reasons, n_pairs, self.units, is_nullable)
        if not raw.is_other.any():
            return raw, {}
        places = np.flatnonzero(raw.is_other).tolist()
        spans = {place: slice(raw.first[place], raw.first[place] + raw.n_own[place]) for place in places}
        return raw, {place: self.combine(reasons[span], is_nullable) for place, span in spans.items()}

    def combine(self, reasons: NDArray[Any], is_nullable: NDArray[np.bool_]) -> FeatureReason:
        """Translate the reasons of one feature, which has several columns, or one that is not a single number.

        ``is_nullable``, (n_columns,), tells of which columns it is said that a missing value would do as well.
        """
        return self._of_columns([_Interval(reason, self.units) for reason in reasons.tolist()], is_nullable)

    def rounded(self, ends: NDArray[np.float64], of: NDArray[np.int64]) -> NDArray[np.float32] | NDArray[np.float64]:
        """Return ends of columns in the precision in which they are told."""
        if self.precision is np.float32:
            with np.errstate(over="ignore"):  # an end beyond what the precision holds is no end
                return ends.astype(np.float32)
        told = ends.copy()
        for column in np.unique(of).tolist():
            if self.columns[column].is_rounded:
                values, places = np.unique(ends[of == column], return_inverse=True)
                told[of == column] = np.array([self.columns[column].told(end) for end in values.tolist()])[places]
        return told

    def _of_number(self, raw: RawReasons, place: int) -> FeatureReason:
        column, side = self.columns[raw.column[place]], RawSide(int(raw.side[place]))
        low, high = (_end(self._told(column, ends[place]), self.precision) for ends in (raw.low, raw.high))
        return FeatureReason(
            feature=column.name,
            text=number_sentence(column, low, high, side),
            low=low,
            high=high,
            low_inclusive=bool(side & RawSide.LOW_INCLUSIVE),
            high_inclusive=bool(side & RawSide.HIGH_INCLUSIVE),
            or_missing=bool(side & RawSide.OR_MISSING),
            exact=bool(side & RawSide.EXACT),
            is_missing=bool(side & RawSide.IS_MISSING),
            category=None,
            not_categories=(),
            tree_share=float(raw.tree_share[place]),
            transformed=column.transformed,
        )

    def _told(self, column: ModelColumn, end: float) -> float:
        return end if self.precision is np.float32 else column.told(float(end))

    def _of_columns(self, intervals: Sequence["_Interval"], is_nullable: NDArray[np.bool_]) -> FeatureReason:
        """Intersect what the columns of one feature say."""
        first = intervals[0]
        draft = _Draft(self._categories(first.column))
        for index, own in groupby(intervals, key=_column):
            draft.take(self.columns[index], _Values(*own))
        says_missing = any(is_nullable[interval.column] for interval in intervals)
        return draft.finish(self.columns[first.column], first.tree_share, self.precision, says_missing=says_missing)

    def _categories(self, index: int) -> tuple[Category, ...] | None:
        """Return the categories that a column's raw feature has in the reference rows; ``None``: not known."""
        return self.reference[index].categories


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
    """Return what is said of a number where no tree sets an end."""
    if RawSide.IN_A_SET in side:
        return wording.IN_A_SET
    return wording.NOT_MISSING if RawSide.NOT_MISSING in side else wording.ANYTHING


def shown_name(column: ModelColumn) -> str:
    """Return what sentences call a column: readers are told where it is none of their own."""
    return f"{column.name} (transformed)" if column.transformed else column.name


class _Interval:
    """One reason, in the model's units and in raw ones."""

    def __init__(self, reason: tuple[Any, ...], units: ColumnUnits) -> None:
        _, _, self.column, self.side, self.low, self.high, self.tree_share = reason
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
    """A feature's reason while its columns are looked at one by one."""

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
        self._or_missing &= interval.or_missing and not any(
            hole.low == _imputed_number(column) for hole in values.holes
        )
        if column.scale == 0:
            return  # always the same, whatever the raw value
        if interval.is_missing or not values.admit_any():
            self._is_missing = True
            return
        self._low = max(self._low, (column.told(interval.raw_low), not interval.raw_low_inclusive))
        self._high = min(self._high, (column.told(interval.raw_high), interval.raw_high_inclusive))
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
        tree_share: float,
        precision: type[np.float32 | np.float64],
        *,
        says_missing: bool,
    ) -> FeatureReason:
        if self._or_missing and (self._is_missing or self._has_no_category_left()):
            return _missing(column, tree_share, exact=self._exact)
        low, low_excluded = self._low
        high, high_included = self._high
        reason = FeatureReason(
            feature=column.name,
            text="",
            low=_end(low, precision),
            high=_end(high, precision),
            low_inclusive=low > -inf and not low_excluded,
            high_inclusive=high < inf and high_included,
            or_missing=self._or_missing and says_missing,
            is_missing=False,
            category=self._is,
            not_categories=() if self._is is not None else tuple(self._is_not),
            tree_share=tree_share,
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


def _missing(column: ModelColumn, tree_share: float, *, exact: bool) -> FeatureReason:
    """Return the reason that the value is missing, and nothing else would do."""
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
        not_categories=(),
        tree_share=tree_share,
        transformed=column.transformed,
        exact=exact,
    )


_LOW_INCLUSIVE, _HIGH_INCLUSIVE = int(Side.LOW_INCLUSIVE), int(Side.HIGH_INCLUSIVE)
_MISSING_STAYS = int(Side.MISSING_STAYS)

_column = attrgetter("column")


def _end(value: float, precision: type[np.float32 | np.float64]) -> float | None:
    return float(str(precision(value))) if np.isfinite(value) else None


def _reference_of(column: ModelColumn, reference: Sequence[ReferenceColumn] | None) -> ReferenceColumn:
    if reference is None:
        return ReferenceColumn()
    if column.raw_index is None:  # made of several
        return ReferenceColumn(has_missing=any(own.has_missing for own in reference))
    return reference[column.raw_index]


def _feature_key(index: int, column: ModelColumn) -> tuple[str, str | int]:
    return ("model", index) if column.transformed or column.feature is None else ("raw", column.feature)


def _is_number(column: ModelColumn) -> bool:
    return column.kind in {"identity", "affine", "transformed"}


def _imputed_number(column: ModelColumn) -> float:
    if column.imputed is None or isinstance(column.imputed, str) or not _is_number(column):
        return nan
    return model_value(column, column.imputed)
