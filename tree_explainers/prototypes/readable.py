"""Reasons in a person's terms: intervals of model-side columns led back to raw features, their units and categories."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import inf, nan
from operator import attrgetter
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from ..onnx_graph.description import ModelColumn
from .leaf_boxes import Side
from .raw_units import ColumnUnits, RawReasons, RawSide, group_by_feature

Category = float | str


class FeatureReason(TypedDict):
    """What the shared trees cannot tell apart in one feature: with any such value they keep the row in its leaves."""

    feature: str  # the raw feature, or the model-side column where it could not be led back
    low: float | None  # None: no lower end
    high: float | None
    low_inclusive: bool
    high_inclusive: bool
    or_missing: bool  # a missing value would do as well
    is_missing: bool  # nothing but a missing value would do
    category: Category | None  # nothing but this would do
    not_categories: tuple[Category, ...]  # these would not do; for a number, values left out of the interval
    tree_share: float  # of the shared trees, those that ask about the feature, in (0, 1]
    transformed: bool  # the feature is a model-side column
    exact: bool  # false: some tree asks about a set of values, or ends were calculated back through scaling


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

    @staticmethod
    def build(columns: Sequence[ModelColumn], precision: type[np.float32 | np.float64] = np.float64) -> "ReasonReader":
        """Prepare for a model's columns, in the order in which its trees number them.

        ``precision`` is that in which the model takes raw numbers. Ends are told as the shortest decimals that are the
        same number in it: 0.18635, where a double would say 0.1863499879837036.
        """
        features = feature_numbers(columns)
        varies = np.array([_is_number(column) and column.scale != 0 for column in columns], dtype=np.bool_)
        scales, offsets = ([getattr(column, name) for column in columns] for name in ("scale", "offset"))
        units = ColumnUnits(
            scale=np.where(varies, scales, 1.0),
            offset=np.where(varies, offsets, 0.0),
            imputed=np.array([_imputed_number(column) for column in columns], dtype=np.float64),
            is_alone=varies & (np.bincount(features)[features] == 1),
            is_exact=np.array([column.kind != "affine" for column in columns], dtype=np.bool_),
        )
        return ReasonReader(tuple(columns), units, precision)

    def read(self, reasons: NDArray[Any], n_pairs: int) -> list[list[FeatureReason]]:
        """Translate the reasons of one row and some prototypes.

        Parameters
        ----------
        reasons : (n_reasons,) REASON
            From ``Reasons.of``.
        n_pairs
            How many prototypes were asked about.

        Returns
        -------
        list of n_pairs lists
            Features by the share of trees that ask about them, largest first (ties: order of the model's columns).
            The ends of an affine column are calculated back from the model's in float64; the model itself rounds to
            float32 on the way, and such an end is exact to that rounding only.
        """
        raw, others = self.translate(reasons, n_pairs)
        features = [others.get(place) or self._of_number(raw, place) for place in range(len(raw.column))]
        return [features[start:end] for start, end in pairwise(raw.bounds.tolist())]

    def translate(self, reasons: NDArray[Any], n_pairs: int) -> tuple[RawReasons, dict[int, FeatureReason]]:
        """Translate as ``read`` does, but leave features that are single numbers in arrays; the others are by place."""
        raw = group_by_feature(reasons, n_pairs, self.units)
        if not raw.is_other.any():
            return raw, {}
        places = np.flatnonzero(raw.is_other).tolist()
        return raw, {
            place: self.combine(reasons[raw.first[place] : raw.first[place] + raw.n_own[place]]) for place in places
        }

    def combine(self, reasons: NDArray[Any]) -> FeatureReason:
        """Translate the reasons of one feature, which has several columns, or one that is not a single number."""
        return self._of_columns([_Interval(reason, self.units) for reason in reasons.tolist()])

    def rounded(self, ends: NDArray[np.float64]) -> NDArray[np.float32] | NDArray[np.float64]:
        """Return ends in the precision in which they are told."""
        with np.errstate(over="ignore"):  # an end beyond what the precision holds is no end
            return ends.astype(np.float32) if self.precision is np.float32 else ends

    def _of_number(self, raw: RawReasons, place: int) -> FeatureReason:
        column, side = self.columns[raw.column[place]], int(raw.side[place])
        return FeatureReason(
            feature=column.name,
            low=_end(raw.low[place], self.precision),
            high=_end(raw.high[place], self.precision),
            low_inclusive=bool(side & RawSide.LOW_INCLUSIVE),
            high_inclusive=bool(side & RawSide.HIGH_INCLUSIVE),
            or_missing=bool(side & RawSide.OR_MISSING),
            exact=bool(side & RawSide.EXACT),
            is_missing=False,
            category=None,
            not_categories=(),
            tree_share=float(raw.tree_share[place]),
            transformed=column.transformed,
        )

    def _of_columns(self, intervals: Sequence["_Interval"]) -> FeatureReason:
        """Intersect what the columns of one feature say."""
        draft = _Draft()
        for index, own in groupby(intervals, key=_column):
            draft.take(self.columns[index], _Values(*own))
        return draft.finish(self.columns[intervals[0].column], intervals[0].tree_share, self.precision)


class _Interval:
    """One reason, in the model's units and in raw ones."""

    def __init__(self, reason: tuple[Any, ...], units: ColumnUnits) -> None:
        _, _, self.column, self.side, self.low, self.high, self.tree_share = reason
        self.raw_low, self.raw_high, side = units.interval(self.column, self.side, self.low, self.high)
        self.raw_low_inclusive = bool(side & RawSide.LOW_INCLUSIVE)
        self.raw_high_inclusive = bool(side & RawSide.HIGH_INCLUSIVE)
        self.or_missing, self.exact = bool(side & RawSide.OR_MISSING), bool(side & RawSide.EXACT)


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

    def admit_code(self, column: ModelColumn, code: float | None) -> bool:
        if code is None:  # a missing value to the model
            return bool(self.interval.side & _MISSING_STAYS)
        return self.admit(_model_value(column, code))


class _Draft:
    """A feature's reason while its columns are looked at one by one."""

    def __init__(self) -> None:
        self._low = (-inf, False)  # and whether this end is excluded: the larger pair is the narrower one
        self._high = (inf, False)  # and whether this end is included: the smaller pair is the narrower one
        self._or_missing = True
        self._is_missing = False
        self._is: Category | None = None
        self._is_not: dict[Category, None] = {}  # an ordered set
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
        interval = values.interval
        self._or_missing &= interval.or_missing and not any(
            hole.low == _imputed_number(column) for hole in values.holes
        )
        if column.scale == 0:
            return  # always the same, whatever the raw value
        self._low = max(self._low, (interval.raw_low, not interval.raw_low_inclusive))
        self._high = min(self._high, (interval.raw_high, interval.raw_high_inclusive))
        self._is_not.update((hole.raw_low, None) for hole in values.holes)

    def _take_indicator(self, column: ModelColumn, values: _Values) -> None:
        present, absent = values.admit(_model_value(column, 1)), values.admit(_model_value(column, 0))
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

    def finish(self, column: ModelColumn, tree_share: float, precision: type[np.float32 | np.float64]) -> FeatureReason:
        low, low_excluded = self._low
        high, high_included = self._high
        return FeatureReason(
            feature=column.name,
            low=_end(low, precision),
            high=_end(high, precision),
            low_inclusive=low > -inf and not low_excluded,
            high_inclusive=high < inf and high_included,
            or_missing=self._or_missing,
            is_missing=self._is_missing,
            category=self._is,
            not_categories=() if self._is is not None else tuple(self._is_not),
            tree_share=tree_share,
            transformed=column.transformed,
            exact=self._exact,
        )


_LOW_INCLUSIVE, _HIGH_INCLUSIVE = int(Side.LOW_INCLUSIVE), int(Side.HIGH_INCLUSIVE)
_MISSING_STAYS = int(Side.MISSING_STAYS)

_column = attrgetter("column")


def _end(value: float, precision: type[np.float32 | np.float64]) -> float | None:
    return float(str(precision(value))) if np.isfinite(value) else None


def _feature_key(index: int, column: ModelColumn) -> tuple[str, str | int]:
    return ("model", index) if column.transformed or column.feature is None else ("raw", column.feature)


def _is_number(column: ModelColumn) -> bool:
    return column.kind in {"identity", "affine", "transformed"}


def _model_value(column: ModelColumn, base: float) -> float:
    """Return the model-side value in float32, as graphs calculate."""
    return float(np.float32(base) * np.float32(column.scale) + np.float32(column.offset))


def _imputed_number(column: ModelColumn) -> float:
    if column.imputed is None or isinstance(column.imputed, str) or not _is_number(column):
        return nan
    return _model_value(column, column.imputed)
