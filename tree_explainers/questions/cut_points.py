"""Cuts: the splits on a raw number, as thresholds above which values are greater; and round numbers near them.

Equality, membership in a set and indicators of a number become cuts around the values. A missing value is on one side
of each cut. Cuts lie between the numbers that the model can read; ``roundest_between`` finds short decimals to print.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor, inf, isfinite, log10

import numpy as np
from numpy.typing import NDArray

from ..ensemble import Operator
from ..onnx_models.description import ModelColumn, ModelDescription, column_type
from .splits import ColumnSplits, base_of, model_value

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Cuts = tuple[Floats, Flags]  # thresholds, and whether a missing value is greater

# By operator: whether it compares by order, is about what is below the threshold, has greater values on the left.
_IS_ORDERED, _IS_BELOW, _GREATER_IS_LEFT = (
    np.isin(np.arange(len(Operator)), some)
    for some in (
        (Operator.LEQ, Operator.LT, Operator.GTE, Operator.GT),
        (Operator.LT, Operator.GTE),
        (Operator.GTE, Operator.GT),
    )
)
_LARGEST_SINGLE = float(np.finfo(np.float32).max)
_LARGEST_READ = float(np.nextafter(_LARGEST_SINGLE + 2.0**103, 0))  # the last double that is not rounded to infinity
_LARGEST_ROUNDED = 1.5e308  # with one digit, what lies beyond is no double
_FEWEST_DECIMALS = -308  # a double has no more digits before its point


@dataclass(frozen=True, slots=True)
class Rounding:
    """How a raw number is rounded: by the model when it reads it, and before it is compared with cuts."""

    reads: type[np.float32 | np.float64]
    kept: type[np.float32 | np.float64]

    @classmethod
    def of(cls, description: ModelDescription, raw_index: int) -> "Rounding":
        """Return the rounding of one raw feature."""
        is_single = column_type(description.inputs, raw_index) == "float"
        return cls(reads=np.float32 if is_single else np.float64, kept=description.precision)

    def lower(self, cuts: Floats) -> Floats:
        """Return the cuts to compare kept numbers with, where the model compares the numbers that it reads.

        Each is the largest number in the kept precision that the model reads as a number not above the cut.
        """
        if self.reads is np.float64:
            return cuts
        # what is read: the largest numbers in single precision that are not above the cuts
        with np.errstate(over="ignore"):
            rounded = cuts.astype(np.float32)
            lower = np.nextafter(rounded, np.float32(-np.inf))
        read = np.where(rounded.astype(np.float64) > cuts, lower, rounded).astype(np.float64)
        if self.kept is np.float32:
            return read
        with np.errstate(over="ignore"):
            halfway = (read + np.nextafter(read.astype(np.float32), np.float32(np.inf)).astype(np.float64)) / 2
            goes_up = halfway.astype(np.float32) > read  # ties are rounded to even
        between = np.where(goes_up, np.nextafter(halfway, -np.inf), halfway)
        return np.where(read == _LARGEST_SINGLE, _LARGEST_READ, np.where(np.isfinite(halfway), between, read))

    @property
    def lowest(self) -> float:
        """The cut above minus infinity: the lowest number, which nobody has, stands on the same side."""
        if self.kept is self.reads:
            return float(np.finfo(self.kept).min)
        return -float(np.nextafter(_LARGEST_READ, np.inf))

    def below(self, value: float) -> float:
        """Return the largest kept number below a value."""
        return float(np.nextafter(self.kept(value), self.kept(-np.inf)))


def number_cuts(columns: Sequence[tuple[ModelColumn, ColumnSplits]], rounding: Rounding) -> Cuts:
    """Return the distinct cuts of a raw number, ascending (ties: the cut below which missing values are comes first).

    Parameters
    ----------
    columns
        The model-side columns of one raw feature, with their splits.
    rounding
        Of that feature.

    Returns
    -------
    (n_cuts,) float64, (n_cuts,) bool
        Representable in the kept precision; infinite where only missing values are separated from the rest.
    """
    cuts_of_columns = [_READERS[_kind(column)](column, splits, rounding) for column, splits in columns]
    cuts = np.concatenate([cuts for cuts, _ in cuts_of_columns]) + 0.0  # no negative zero
    missing_greater = np.concatenate([greater for _, greater in cuts_of_columns])
    # Infinite cuts separate only missing values; those that separate nothing are left out.
    above, below = cuts == np.inf, cuts == -np.inf
    separates = ~(above & ~missing_greater) & ~(below & missing_greater)
    cuts, missing_greater = np.where(above | below, np.inf, cuts)[separates], (missing_greater | below)[separates]
    order = np.lexsort((missing_greater, cuts))
    cuts, missing_greater = cuts[order], missing_greater[order]
    is_new = np.ones(len(cuts), dtype=np.bool_)
    is_new[1:] = (cuts[1:] != cuts[:-1]) | (missing_greater[1:] != missing_greater[:-1])
    return cuts[is_new], missing_greater[is_new]


def _kind(column: ModelColumn) -> str:
    """Return how the column is read; a column of a declared one-hot group holds a number, whatever its category."""
    if column.kind == "indicator" and not isinstance(column.category, str):
        return "indicator"
    return "ordinal" if column.kind == "ordinal" else "number"


def cuts_of_number(column: ModelColumn, splits: ColumnSplits, rounding: Rounding) -> Cuts:
    """Return the cuts of a column that is the raw number, perhaps scaled: one for each split by order.

    Cuts around equal values and members of sets come after them.
    """
    cuts, missing_greater = _model_side_cuts(splits)
    if column.is_rounded and rounding.reads is np.float64:
        cuts = Rounding(np.float32, np.float64).lower(cuts)
    if column.kind != "identity":
        cuts = (cuts - column.offset) / column.scale
    if column.scale < 0:
        cuts, missing_greater = np.nextafter(cuts, -np.inf), ~missing_greater
    cuts = rounding.lower(cuts)
    if column.scale > 0:
        cuts = np.where(cuts == -np.inf, rounding.lowest, cuts)
    if column.imputed is not None:
        missing_greater = rounding.kept(column.imputed) > cuts
    return cuts, missing_greater


def _model_side_cuts(splits: ColumnSplits) -> Cuts:
    """Return cuts in the column's own units."""
    operator, threshold = splits.operator, splits.threshold
    is_ordered, below, greater_is_left = _IS_ORDERED[operator], _IS_BELOW[operator], _GREATER_IS_LEFT[operator]
    cuts = np.where(below, np.nextafter(threshold, -np.inf), threshold)[is_ordered]
    missing_greater = (splits.missing_left == greater_is_left)[is_ordered]
    parts = [(cuts, missing_greater)]
    for index in np.flatnonzero(~is_ordered).tolist():
        missing_inside = bool(splits.missing_left[index] != (operator[index] == Operator.NEQ))
        parts.append(_cuts_around(_ranges(splits, index), missing_inside=missing_inside))
    return _joined(parts)


def _ranges(splits: ColumnSplits, index: int) -> list[tuple[float, float]]:
    """Return the ranges of values that are equal or members, each above its first end up to its last."""
    if splits.operator[index] != Operator.MEMBER:
        value = float(splits.threshold[index])
        return [(float(np.nextafter(value, -np.inf)), value)]
    # onnxruntime truncates fractions before it looks into a set: 1.5 counts as 1, and -1.5 as -1.
    ranges: list[tuple[float, float]] = []
    for value in np.unique(np.trunc(splits.members[int(splits.threshold[index])])).tolist():
        low = value - 1 if value <= 0 else float(np.nextafter(value, -np.inf))
        high = value if value < 0 else float(np.nextafter(value + 1, -np.inf))
        if ranges and ranges[-1][1] >= low:
            ranges[-1] = (ranges[-1][0], high)
        else:
            ranges.append((low, high))
    return ranges


def _cuts_around(ranges: Sequence[tuple[float, float]], *, missing_inside: bool) -> Cuts:
    """Return cuts at the ends of ranges; a missing value lies in the first range, or below all."""
    cuts = np.array(ranges).reshape(-1)
    missing_greater = np.zeros(len(cuts), dtype=np.bool_)
    missing_greater[:1] = missing_inside
    return cuts, missing_greater


def _cuts_of_indicator(column: ModelColumn, splits: ColumnSplits, rounding: Rounding) -> Cuts:
    """Return the cuts of a column that is 1 for one value, or for a missing one."""
    present, absent = (splits.answer(model_value(column, base)) for base in (1.0, 0.0))
    if not (present != absent).any():
        return _no_cuts()
    if column.category is None:
        return _missing_cut()
    value = float(rounding.kept(column.category))
    return _cuts_around([(rounding.below(value), value)], missing_inside=column.imputed == column.category)


def _cuts_of_codes(column: ModelColumn, splits: ColumnSplits, rounding: Rounding) -> Cuts:
    """Return the cuts of a column of codes: halfway between neighbouring values whose answers differ."""
    values = sorted({float(rounding.kept(each)) for each in column.categories if isinstance(each, float)})
    answers = np.array([_answers(column, splits, value) for value in values]).reshape(len(values), -1)
    missing = _answers(column, splits, None)
    halfway = rounding.lower(np.array([(low + high) / 2 for low, high in pairwise(values)]))
    return _joined([_turns(halfway, answers[:, index], bool(each)) for index, each in enumerate(missing)])


def _answers(column: ModelColumn, splits: ColumnSplits, value: float | None) -> Flags:
    return splits.answer(model_value(column, base_of(column, value)))


def _turns(between: Floats, answers: Flags, missing: bool) -> Cuts:  # an answer like the others
    """Return the cuts between neighbours that differ in their answers; a missing value lies where its own is first."""
    turns = np.flatnonzero(answers[1:] != answers[:-1])
    same = np.flatnonzero(np.append(answers[:1], answers[turns + 1]) == missing)
    if not len(turns):
        return _missing_cut() if len(answers) and not len(same) else _no_cuts()
    return between[turns], np.arange(len(turns)) < same[0]


def _joined(parts: Sequence[Cuts]) -> Cuts:
    cuts, missing_greater = zip(_no_cuts(), *parts, strict=True)
    return np.concatenate(cuts), np.concatenate(missing_greater)


def _no_cuts() -> Cuts:
    return np.empty(0), np.empty(0, np.bool_)


def _missing_cut() -> Cuts:
    """Return the cut above all values, beyond which there is only a missing one."""
    return np.array([np.inf]), np.array([True])


_Reader = Callable[[ModelColumn, ColumnSplits, Rounding], Cuts]
_READERS: dict[str, _Reader] = {
    "number": cuts_of_number,
    "indicator": _cuts_of_indicator,
    "ordinal": _cuts_of_codes,
}


def roundest_between(low: float, high: float, wanted: float) -> float:
    """Return the number of fewest decimals at or above ``low`` and below ``high``; of these, the nearest to ``wanted``.

    Decimals before the point count as negative, so 1000 is rounder than 1200. Where an end is infinite, ``wanted``
    takes its place: there is no gap in which to round. ``wanted`` itself where no shorter number lies in the gap, or
    where rounding it would overflow.
    """
    low = low if isfinite(low) else wanted
    high = high if isfinite(high) else max(wanted, low) + abs(wanted) * 2.0**-20
    if not low < high:
        return wanted
    wanted = min(max(wanted, low), high)
    if abs(wanted) >= _LARGEST_ROUNDED:
        return wanted
    first = max(-floor(log10(high - low)) - 1, _FEWEST_DECIMALS) if high - low < inf else _FEWEST_DECIMALS
    for n_decimals in range(first, first + 20):
        step = 10.0**-n_decimals
        nearest = round(wanted, n_decimals)
        candidates = (round(nearest + move * step, n_decimals) for move in (-1, 0, 1))
        fitting = [each for each in candidates if low <= each < high]
        if fitting:
            return min(fitting, key=lambda each: (abs(each - wanted), each)) + 0.0  # no negative zero
    return low
