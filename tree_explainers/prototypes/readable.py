"""Reasons in a person's terms: intervals of model-side columns led back to raw features, their units and categories."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import inf, nan
from operator import attrgetter
from typing import Any, TypedDict

import numba
import numpy as np
from numpy.typing import NDArray

from ..compiled import compiled_for
from ..onnx_graph.description import ModelColumn
from .leaf_boxes import Side
from .reasons import REASON

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
    exact: bool  # false: some tree asks about a set of values, which is not told here


# One reason in raw units; an end that no tree sets is infinite.
RAW = np.dtype(
    [
        ("column", np.int32),
        ("low", np.float64),
        ("high", np.float64),
        ("low_inclusive", np.bool_),
        ("high_inclusive", np.bool_),
        ("or_missing", np.bool_),
        ("exact", np.bool_),
        ("tree_share", np.float64),
    ],
    align=True,
)


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
    names: tuple[str, ...]  # (n_columns,)
    is_transformed: tuple[bool, ...]  # (n_columns,)

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
            names=tuple(column.name for column in columns),
            is_transformed=tuple(column.transformed for column in columns),
        )

    def read(self, reasons: NDArray[Any], n_pairs: int) -> list[list[FeatureReason]]:
        """Translate the reasons of one row and some prototypes; see ``translate``, whose result this spells out."""
        found = self.translate(reasons, n_pairs)
        features = self._of_numbers(found.numbers)
        for place, reason in found.others.items():
            features[place] = reason
        return [features[start:end] for start, end in pairwise(found.bounds)]

    def translate(self, reasons: NDArray[Any], n_pairs: int) -> "RawReasons":
        """Translate the reasons of one row and some prototypes into raw units.

        Parameters
        ----------
        reasons : (n_reasons,) REASON
            From ``Reasons.of``.
        n_pairs
            How many prototypes were asked about.

        Returns
        -------
        RawReasons
            Features by the share of trees that ask about them, largest first (ties: order of the model's columns).
            The ends of an affine column are calculated back from the model's in float64; the model itself rounds to
            float32 on the way, and such an end is exact to that rounding only.
        """
        raw = np.empty(len(reasons), dtype=RAW)
        _to_raw_units(reasons, self.scale, self.offset, self.imputed, raw)
        group = np.flatnonzero(_opens_group(reasons))
        ends = np.append(group[1:], len(reasons))
        pairs = reasons["pair"][group]
        order = np.lexsort((-raw["tree_share"][group], pairs))  # stable: ties stay in the order of columns
        is_other = ~self.is_alone[raw["column"][group]] | (ends - group > 1)
        others = {}
        for place in np.flatnonzero(is_other[order]).tolist():
            own = slice(group[order[place]], ends[order[place]])
            others[place] = self._of_columns(list(map(_Interval, reasons[own].tolist(), raw[own].tolist())))
        bounds = np.searchsorted(pairs, np.arange(n_pairs + 1)).tolist()
        return RawReasons(raw[group[order]], others, bounds)

    def _of_numbers(self, raw: NDArray[Any]) -> list[FeatureReason]:
        """Translate features that are one number each: the common case, so it is kept short."""
        names, transformed = self.names, self.is_transformed
        return [
            {
                "feature": names[column],
                "low": low if low > -inf else None,
                "high": high if high < inf else None,
                "low_inclusive": low_inclusive,
                "high_inclusive": high_inclusive,
                "or_missing": or_missing,
                "is_missing": False,
                "category": None,
                "not_categories": (),
                "tree_share": tree_share,
                "transformed": transformed[column],
                "exact": exact,
            }
            for column, low, high, low_inclusive, high_inclusive, or_missing, exact, tree_share in raw.tolist()
        ]

    def _of_columns(self, intervals: Sequence["_Interval"]) -> FeatureReason:
        """Intersect what the columns of one feature say."""
        draft = _Draft()
        for index, own in groupby(intervals, key=_column):
            draft.take(self.columns[index], _Values(*own))
        return draft.finish(self.columns[intervals[0].column], intervals[0].tree_share)


@dataclass(frozen=True, slots=True)
class RawReasons:
    """Reasons in raw units, one a feature; those of pair ``p`` are ``bounds[p]`` to ``bounds[p + 1]``."""

    numbers: NDArray[Any]  # (n_features,) RAW; of meaning where the place is not in ``others``
    others: dict[int, FeatureReason]  # features that are no single number, by place
    bounds: list[int]  # (n_pairs + 1,)


class _Interval:
    """One reason, in the model's units and in raw ones."""

    def __init__(self, reason: tuple[Any, ...], raw: tuple[Any, ...]) -> None:
        *_, self.side, self.low, self.high, self.tree_share = reason
        self.column, self.raw_low, self.raw_high, *sides = raw
        self.raw_low_inclusive, self.raw_high_inclusive, self.or_missing, self.exact, _ = sides


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
            category=self._is,
            not_categories=() if self._is is not None else tuple(self._is_not),
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


_REASONS = numba.types.Array(numba.from_dtype(REASON), 1, "C")
_RAWS = numba.types.Array(numba.from_dtype(RAW), 1, "C")
_NUMBERS = numba.types.Array(numba.types.float64, 1, "C")


@compiled_for(numba.types.void(_REASONS, _NUMBERS, _NUMBERS, _NUMBERS, _RAWS))
def _to_raw_units(
    reasons: NDArray[Any],
    scale: NDArray[np.float64],
    offset: NDArray[np.float64],
    imputed: NDArray[np.float64],
    raw: NDArray[Any],
) -> None:
    for place in range(len(reasons)):
        column, side = reasons[place].column, reasons[place].side
        low, high = reasons[place].low, reasons[place].high
        low_inclusive, high_inclusive = (side & _LOW_INCLUSIVE) != 0, (side & _HIGH_INCLUSIVE) != 0
        value = imputed[column]
        if np.isnan(value):
            raw[place].or_missing = (side & _MISSING_STAYS) != 0
        else:
            above = value > low or (low_inclusive and value == low)
            below = value < high or (high_inclusive and value == high)
            raw[place].or_missing = above and below
        raw[place].column = column
        raw[place].exact = (side & _INCOMPLETE) == 0
        raw[place].tree_share = reasons[place].tree_share
        raw_low, raw_high = (low - offset[column]) / scale[column], (high - offset[column]) / scale[column]
        if scale[column] < 0:
            raw_low, raw_high = raw_high, raw_low
            low_inclusive, high_inclusive = high_inclusive, low_inclusive
        raw[place].low, raw[place].high = raw_low, raw_high
        raw[place].low_inclusive, raw[place].high_inclusive = low_inclusive, high_inclusive
