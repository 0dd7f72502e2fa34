"""FeatureMoves: to which values a feature of a row may be changed, and how large such a change is.

A number is changed to one that its column can hold: between the lowest and the highest of the reference rows, whole
where theirs are, and one of theirs where they have no more than ten. The size of its change is a difference of
quantiles: the share of the reference rows between the two values. A category is changed to one that some reference row
has, and so is a value to or from a missing one; such a change has the same size, ``CATEGORY_SIZE``, whatever the
categories.
"""

from dataclasses import dataclass
from typing import Literal, TypeGuard, get_args

import numpy as np
from numpy.typing import NDArray

from ..questions.cut_points import roundest_between
from ..rank_scale import UNIT, RankScale
from ..rows import Rows
from .value_axes import RawValue, ValueAxis

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Constraint = Literal["fixed", "only_up", "only_down"]
CONSTRAINTS: tuple[Constraint, ...] = get_args(Constraint)

_FEW_VALUES = 10

CATEGORY_SIZE = 0.5
"""The size of a change of category: half of the largest change of a number."""


@dataclass(frozen=True, slots=True)
class ReferenceValues:
    """What the reference rows have in one feature."""

    values: Floats  # (n_distinct,) of a number, ascending
    is_whole: bool
    is_list: bool  # the column holds no other numbers
    scale: RankScale | None  # of a number
    seen: frozenset[int]  # the bins of categories, and the bin of the missing value, that some row has

    @classmethod
    def of(cls, axis: ValueAxis, names: tuple[str, ...], rows: Rows) -> "ReferenceValues":
        """Return the values of one axis; ``names`` are those of all raw features of the model."""
        columns = rows.select([names[at] for at in axis.raw_indices]).columns
        if axis.kind == "number":
            values = columns[0].astype(np.float64)
            present = values[~np.isnan(values)]
            missing = frozenset([axis.n_values] if axis.has_missing and len(present) < len(values) else [])
            is_whole = bool((present == np.round(present)).all())
            distinct = np.unique(present)
            is_list = len(distinct) <= _FEW_VALUES
            return cls(distinct, is_whole, is_list, RankScale.of([values], [True]), missing)
        rows_of_values = set(zip(*(column.tolist() for column in columns), strict=True))
        seen = frozenset(each for each in map(axis.bin_of, rows_of_values) if each is not None)
        return cls(np.empty(0), is_whole=False, is_list=True, scale=None, seen=seen)

    def quantiles(self, numbers: Floats) -> Floats:
        """Return the quantiles of some numbers, 0 to 1; see ``RankScale``."""
        assert self.scale is not None
        return self.scale.positions([numbers])[:, 0] / UNIT


@dataclass(frozen=True, slots=True)
class FeatureMoves:
    """The changes that are open to one feature of a row."""

    axis: ValueAxis
    reference: ReferenceValues
    own: RawValue  # of a number or category
    own_bin: int | None
    constraint: Constraint | None

    def sizes(self, starts: Ints) -> Floats:
        """Return the sizes of the smallest changes into each step, (n_steps,); infinite where there is none.

        Parameters
        ----------
        starts : (n_steps,)
            The first bin of each step, ascending; the bin of the missing value is a step of its own.
        """
        sizes = np.full(len(starts), np.inf)
        if self.constraint == "fixed":
            return sizes
        ends = np.append(starts[1:], self.axis.n_bins)
        if self.axis.kind != "number":
            for step, (first, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
                if self._category_in(first, end) is not None:
                    sizes[step] = CATEGORY_SIZE
            return sizes
        is_missing = starts >= self.axis.n_values
        if self._may_be_missing:
            sizes[is_missing] = CATEGORY_SIZE
        n_numbers = int((~is_missing).sum())
        sizes[:n_numbers] = self._sizes_of_numbers(starts[:n_numbers], np.minimum(ends[:n_numbers], self.axis.n_values))
        return sizes

    def value_in(self, first: int, end: int) -> RawValue:
        """Return the value nearest to the row's own in the bins ``first`` to ``end - 1``, which ``sizes`` admits.

        Where the nearest number has many digits, it is the one of fewest digits before the next reference value.
        """
        if self.axis.kind != "number":
            category = self._category_in(first, end)
            assert category is not None
            return self._text_of(category)
        if first >= self.axis.n_values:
            return None
        low, high = self._ends(np.array([first]), np.array([end]))
        return self._roundest(float(low[0]), float(high[0]))

    def size_of(self, value: RawValue) -> float:
        """Return the size of the change to a value."""
        if self.axis.kind != "number" or not _is_number(value) or not _is_number(self.own):
            return CATEGORY_SIZE
        pair = self.reference.quantiles(np.array([value, self.own], np.float64))
        return float(abs(pair[0] - pair[1]))

    def raw_values(self, value: RawValue) -> dict[int, RawValue]:
        """Return the raw values that represent a value of the feature, by index among the model's features."""
        if self.axis.kind != "one_hot":
            return {self.axis.raw_indices[0]: float("nan") if value is None and self.axis.kind == "number" else value}
        members = zip(self.axis.raw_indices, self.axis.categories[:-1], strict=True)
        return {at: float(category == value) for at, category in members}

    def admits(self, category: int) -> bool:
        """Return whether the feature may be changed to the category of a bin."""
        return self._category_in(category, category + 1) is not None

    @property
    def _may_be_missing(self) -> bool:
        is_own = self.own_bin == self.axis.n_values
        return self.axis.n_values in self.reference.seen and not is_own and self.constraint is None

    def _category_in(self, first: int, end: int) -> int | None:
        seen = [at for at in range(first, end) if at in self.reference.seen and at != self.own_bin]
        known = [at for at in seen if at >= self.axis.n_values or self.axis.categories[at] is not None]
        known += [at for at in seen if self.axis.kind == "one_hot" and at not in known]
        return known[0] if known else None

    def _text_of(self, category: int) -> RawValue:
        return None if category >= self.axis.n_values else self.axis.categories[category]

    def _ends(self, firsts: Ints, ends: Ints) -> tuple[Floats, Floats]:
        """Return the lowest and the highest number of steps that the column can hold; crossed where there is none."""
        values = self.reference.values
        lows, highs = self.axis.lows[firsts], self.axis.highs[ends - 1]
        if not len(values):
            return np.full(len(firsts), np.inf), np.full(len(firsts), -np.inf)
        if self.reference.is_list:
            first, end = np.searchsorted(values, lows), np.searchsorted(values, highs, side="right")
            padded = np.concatenate(([-np.inf], values, [np.inf]))
            return padded[first + 1], padded[end]
        lows, highs = np.maximum(lows, values[0]), np.minimum(highs, values[-1])
        return (np.ceil(lows), np.floor(highs)) if self.reference.is_whole else (lows, highs)

    def _sizes_of_numbers(self, firsts: Ints, ends: Ints) -> Floats:
        lows, highs = self._ends(firsts, ends)
        sizes = np.full(len(firsts), CATEGORY_SIZE)
        if _is_number(self.own):
            own = float(self.own)
            is_above, is_below = lows > own, highs < own
            nearest = np.where(is_above, lows, highs)
            nearest[~np.isfinite(nearest)] = own
            numbers = np.append(nearest, own)
            quantiles = self.reference.quantiles(numbers)
            sizes = np.abs(quantiles[:-1] - quantiles[-1])
            sizes[~is_above & (~is_below | (self.constraint == "only_up"))] = np.inf
            if self.constraint == "only_down":
                sizes[is_above] = np.inf
        elif self.constraint is not None:  # a missing value is neither above nor below
            sizes[:] = np.inf
        sizes[lows > highs] = np.inf
        return sizes

    def _roundest(self, low: float, high: float) -> float:
        values = self.reference.values
        own = float(self.own) if _is_number(self.own) else float(values[len(values) // 2])
        nearest = min(max(own, low), high)
        if nearest == own and (self.reference.is_list or not self.axis.is_unbounded):
            return low  # what lies between may be no value of the column
        if self.reference.is_whole or self.reference.is_list or not self.axis.is_unbounded or nearest == own:
            return nearest
        if own < low:
            following = float(values[np.searchsorted(values, low)])
            number = roundest_between(low, float(np.nextafter(min(high, following), np.inf)), low)
        else:
            before = float(values[np.searchsorted(values, high, side="right") - 1])
            number = roundest_between(max(low, before), float(np.nextafter(high, np.inf)), high)
        assert self.axis.grid is not None
        read = float(self.axis.grid.numbers(self.axis.grid.index_of(np.array([number])))[0])
        return number if low <= read <= high else nearest


def _is_number(value: RawValue) -> TypeGuard[float]:
    return isinstance(value, float) and value == value
