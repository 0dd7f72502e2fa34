"""Reasons in a person's terms: intervals of model-side columns led back to raw features, their units and categories."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import inf, isnan, nan
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..onnx_graph.description import ModelColumn
from .leaf_boxes import Side

Category = float | str


class FeatureReason(NamedTuple):
    """What the shared trees cannot tell apart in one feature: with any such value they keep the row in its leaves."""

    feature: str  # the raw feature, or the model-side column where it could not be led back
    low: float | None  # None: no lower end
    high: float | None
    low_inclusive: bool
    high_inclusive: bool
    or_missing: bool  # a missing value would do as well
    is_missing: bool  # nothing but a missing value would do
    is_category: Category | None  # nothing but this would do
    is_not_categories: tuple[Category, ...]  # these would not do; for a number, values left out of the interval
    tree_share: float  # of the shared trees, those that ask about the feature, in (0, 1]
    transformed: bool  # the feature is a model-side column
    exact: bool  # false: some tree asks about a set of values, which is not told here


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
    scale: NDArray[np.float64]  # (n_columns,) of numbers; 1 where there is nothing to scale back
    offset: NDArray[np.float64]  # (n_columns,)
    imputed: NDArray[np.float64]  # (n_columns,) model-side value of a missing raw number; NaN: it stays missing
    is_alone: NDArray[np.bool_]  # (n_columns,) the feature's only column, and a number that varies
    is_transformed: NDArray[np.bool_]  # (n_columns,)

    @staticmethod
    def build(columns: Sequence[ModelColumn]) -> "ReasonReader":
        """Prepare for a model's columns, in the order in which its trees number them."""
        features = feature_numbers(columns)
        varies = np.array([_is_number(column) and column.scale != 0 for column in columns], dtype=np.bool_)
        scales, offsets = ([getattr(column, name) for column in columns] for name in ("scale", "offset"))
        return ReasonReader(
            columns=tuple(columns),
            scale=np.where(varies, scales, 1.0),
            offset=np.where(varies, offsets, 0.0),
            imputed=np.array([_imputed_number(column) for column in columns]),
            is_alone=varies & (np.bincount(features)[features] == 1),
            is_transformed=np.array([column.transformed for column in columns], dtype=np.bool_),
        )

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
        group = np.flatnonzero(_opens_group(reasons))
        ends = np.append(group[1:], len(reasons))
        heads = reasons[group]
        features = self._of_numbers(heads)
        is_simple = self.is_alone[heads["column"]] & (ends - group == 1)
        if not is_simple.all():
            intervals = self._intervals(reasons)
            for place in np.flatnonzero(~is_simple).tolist():
                features[place] = self._of_columns(intervals[group[place] : ends[place]])
        order = np.lexsort((-heads["tree_share"], heads["pair"]))  # stable: ties stay in the order of columns
        result: list[list[FeatureReason]] = [[] for _ in range(n_pairs)]
        for pair, place in zip(heads["pair"][order].tolist(), order.tolist(), strict=True):
            result[pair].append(features[place])
        return result

    def _of_numbers(self, reasons: NDArray[Any]) -> list[FeatureReason]:
        """Translate features that are one number each; all at once, because that is fast."""
        raw = self._in_raw_units(reasons)
        n_reasons = len(reasons)
        columns = (
            [self.columns[column].name for column in reasons["column"].tolist()],
            _finite_or_none(raw.low),
            _finite_or_none(raw.high),
            raw.low_inclusive.tolist(),
            raw.high_inclusive.tolist(),
            raw.or_missing.tolist(),
            [False] * n_reasons,
            [None] * n_reasons,
            [()] * n_reasons,
            reasons["tree_share"].tolist(),
            self.is_transformed[reasons["column"]].tolist(),
            (reasons["side"] & _INCOMPLETE == 0).tolist(),
        )
        return list(map(FeatureReason._make, zip(*columns, strict=True)))

    def _intervals(self, reasons: NDArray[Any]) -> list["_Interval"]:
        """Return the reasons one by one as plain values."""
        own = (reasons[name].tolist() for name in ("column", "side", "low", "high", "tree_share"))
        raw = (values.tolist() for values in self._in_raw_units(reasons))
        return list(map(_Interval, *own, map(_Raw._make, zip(*raw, strict=True))))

    def _in_raw_units(self, reasons: NDArray[Any]) -> "_Raw":
        column, side, low, high = reasons["column"], reasons["side"], reasons["low"], reasons["high"]
        scale, offset, imputed = self.scale[column], self.offset[column], self.imputed[column]
        low_in, high_in = side & _LOW_INCLUSIVE != 0, side & _HIGH_INCLUSIVE != 0
        above = (imputed > low) | (low_in & (imputed == low))
        below = (imputed < high) | (high_in & (imputed == high))
        raw_low, raw_high, flips = (low - offset) / scale, (high - offset) / scale, scale < 0
        return _Raw(
            np.where(flips, raw_high, raw_low),
            np.where(flips, raw_low, raw_high),
            np.where(flips, high_in, low_in),
            np.where(flips, low_in, high_in),
            np.where(np.isnan(imputed), side & _MISSING_STAYS != 0, above & below),
        )

    def _of_columns(self, intervals: Sequence["_Interval"]) -> FeatureReason:
        """Intersect what the columns of one feature say."""
        draft = _Draft()
        for index, own in groupby(intervals, key=_column):
            draft.take(self.columns[index], _Values(*own))
        return draft.finish(self.columns[intervals[0].column], intervals[0].tree_share)


class _Raw(NamedTuple):
    """One or many intervals in raw units."""

    low: Any
    high: Any
    low_inclusive: Any
    high_inclusive: Any
    or_missing: Any


class _Interval(NamedTuple):
    """One reason, in the model's units and in raw ones."""

    column: int
    side: int
    low: float
    high: float
    tree_share: float
    raw: _Raw


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
        self._exact &= not values.interval.side & _INCOMPLETE

    def _take_number(self, column: ModelColumn, values: _Values) -> None:
        interval, imputed = values.interval, _imputed_number(column)
        self._or_missing &= interval.raw.or_missing if isnan(imputed) else values.admit(imputed)
        if column.scale == 0:
            return  # always the same, whatever the raw value
        self._low = max(self._low, (interval.raw.low, not interval.raw.low_inclusive))
        self._high = min(self._high, (interval.raw.high, interval.raw.high_inclusive))
        self._is_not.update((hole.raw.low, None) for hole in values.holes)

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
            category: values.admit(_model_value(column, code))
            for category, code in zip(column.categories, column.codes, strict=True)
        }
        admits_others = column.default_code is not None and values.admit(_model_value(column, column.default_code))
        self._or_missing &= admitted.get(column.imputed, admits_others)  # imputed None: missing, a category itself
        possible = [category for category, admits in admitted.items() if admits and category is not None]
        if len(possible) == 1 and not admits_others:
            self._is = possible[0]
        elif possible or admits_others:
            refused = (category for category, admits in admitted.items() if not admits and category is not None)
            self._is_not.update(dict.fromkeys(refused))
        else:
            self._is_missing = True

    def finish(self, column: ModelColumn, tree_share: float) -> FeatureReason:
        low, low_excluded = self._low
        high, high_included = self._high
        return FeatureReason(
            feature=column.name,
            low=low if low > -inf else None,
            high=high if high < inf else None,
            low_inclusive=low > -inf and not low_excluded,
            high_inclusive=high < inf and high_included,
            or_missing=self._or_missing,
            is_missing=self._is_missing,
            is_category=self._is,
            is_not_categories=() if self._is is not None else tuple(self._is_not),
            tree_share=tree_share,
            transformed=column.transformed,
            exact=self._exact,
        )


_LOW_INCLUSIVE, _HIGH_INCLUSIVE = int(Side.LOW_INCLUSIVE), int(Side.HIGH_INCLUSIVE)
_MISSING_STAYS, _INCOMPLETE = int(Side.MISSING_STAYS), int(Side.INCOMPLETE)

_column = attrgetter("column")


def _opens_group(reasons: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell where another pair or another feature begins."""
    opens = np.ones(len(reasons), dtype=np.bool_)
    pair, feature = reasons["pair"], reasons["feature"]
    opens[1:] = (pair[1:] != pair[:-1]) | (feature[1:] != feature[:-1])
    return opens


def _finite_or_none(ends: NDArray[np.float64]) -> list[float | None]:
    finite = np.isfinite(ends)
    if finite.all():
        return list(ends.tolist())
    return [end if is_finite else None for end, is_finite in zip(ends.tolist(), finite.tolist(), strict=True)]


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
