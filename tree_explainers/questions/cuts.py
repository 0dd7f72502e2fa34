"""What trees ask of a raw number, as cuts: values above a cut are greater, and so is a missing one, or it is not."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor, inf, isfinite, log10

import numpy as np
from numpy.typing import NDArray

from ..ensemble import Operator
from ..onnx_models.description import ModelColumn
from .splits import Questions, base_of, model_value

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Cuts = tuple[Floats, Flags]  # where, and whether a missing value is greater


@dataclass(frozen=True, slots=True)
class Rounding:
    """How a raw number is rounded: by the model when it reads it, and by those who compare it with cuts."""

    reads: type[np.float32 | np.float64]
    kept: type[np.float32 | np.float64]

    def lower(self, cuts: Floats) -> Floats:
        """Return the cuts to compare kept numbers with, where the model compares those that it reads.

        Each is the largest number in the kept precision that the model reads as one not above the cut.
        """
        if self.reads is np.float64:
            return cuts
        read = _largest_float32(cuts)
        if self.kept is np.float32:
            return read
        with np.errstate(over="ignore"):
            halfway = (read + np.nextafter(read.astype(np.float32), np.float32(np.inf)).astype(np.float64)) / 2
            goes_up = halfway.astype(np.float32) > read  # ties are rounded to even
        return np.where(np.isfinite(halfway), np.where(goes_up, np.nextafter(halfway, -np.inf), halfway), read)


def number_cuts(asked: Sequence[tuple[ModelColumn, Questions]], rounding: Rounding) -> Cuts:
    """Return the distinct cuts of a raw number, ascending (ties: the one below which missing values are first).

    Parameters
    ----------
    asked
        The columns of one raw feature that trees read, with what is asked of them.
    rounding
        Of that feature.

    Returns
    -------
    (n_cuts,) float64, (n_cuts,) bool
        Representable in the precision that is kept; infinite where only missing values are told from the rest.
    """
    found = [_READERS[_kind(column)](column, questions, rounding) for column, questions in asked]
    cuts = np.concatenate([cuts for cuts, _ in found]) + 0.0  # no negative zero
    missing_greater = np.concatenate([greater for _, greater in found])
    return _distinct(*_told_alike(cuts, missing_greater))


def _told_alike(cuts: Floats, missing_greater: Flags) -> Cuts:
    """Return cuts beyond all numbers as the one that tells what is missing, or not at all where they tell nothing."""
    above, below = cuts >= _LARGEST, cuts == -np.inf
    tells = ~(above & ~missing_greater) & ~(below & missing_greater)
    return np.where(above | below, np.inf, cuts)[tells], (missing_greater | below)[tells]


def _distinct(cuts: Floats, missing_greater: Flags) -> Cuts:
    order = np.lexsort((missing_greater, cuts))
    cuts, missing_greater = cuts[order], missing_greater[order]
    is_new = np.ones(len(cuts), dtype=np.bool_)
    is_new[1:] = (cuts[1:] != cuts[:-1]) | (missing_greater[1:] != missing_greater[:-1])
    return cuts[is_new], missing_greater[is_new]


def _kind(column: ModelColumn) -> str:
    """Return how the column is read; one of a declared group holds a number, whatever it is called."""
    if column.kind == "indicator" and not isinstance(column.category, str):
        return "indicator"
    return "ordinal" if column.kind == "ordinal" else "number"


def cuts_of_number(column: ModelColumn, questions: Questions, rounding: Rounding) -> Cuts:
    """Return the cuts of a column that is the raw number, perhaps scaled: one of each question that has an order.

    Cuts around equal values and members come behind them.
    """
    cuts, missing_greater = _model_cuts(questions)
    if column.is_rounded and rounding.reads is np.float64:
        cuts = Rounding(np.float32, np.float64).lower(cuts)
    if column.kind != "identity":
        cuts = (cuts - column.offset) / column.scale
    if column.scale < 0:
        cuts, missing_greater = np.nextafter(cuts, -np.inf), ~missing_greater
    cuts = rounding.lower(cuts)
    if column.imputed is not None:
        missing_greater = rounding.kept(column.imputed) > cuts
    return cuts, missing_greater


def _model_cuts(questions: Questions) -> Cuts:
    """Return cuts in the column's own units."""
    operator, threshold = questions.operator, questions.threshold
    is_ordered = np.isin(operator, _ORDERED)
    below = np.isin(operator, (Operator.LT, Operator.GTE))
    greater_is_left = np.isin(operator, (Operator.GTE, Operator.GT))
    cuts = np.where(below, np.nextafter(threshold, -np.inf), threshold)[is_ordered]
    missing_greater = (questions.missing_left == greater_is_left)[is_ordered]
    sets = [
        _around(
            _ranges(questions, at), missing_inside=bool(questions.missing_left[at] != (operator[at] == Operator.NEQ))
        )
        for at in np.flatnonzero(~is_ordered).tolist()
    ]
    return tuple(np.concatenate(parts) for parts in zip((cuts, missing_greater), *sets, strict=True))  # type: ignore[return-value]


_ORDERED = (Operator.LEQ, Operator.LT, Operator.GTE, Operator.GT)


def _ranges(questions: Questions, at: int) -> list[tuple[float, float]]:
    """Return the ranges of values that are equal or members, each above its first end up to its last."""
    if questions.operator[at] != Operator.MEMBER:
        value = float(questions.threshold[at])
        return [(float(np.nextafter(value, -np.inf)), value)]
    # Fractions are cut off before onnxruntime looks into a set: 1.5 counts as 1, and -1.5 as -1.
    ranges: list[tuple[float, float]] = []
    for value in np.unique(np.trunc(questions.members[int(questions.threshold[at])])).tolist():
        low = value - 1 if value <= 0 else float(np.nextafter(value, -np.inf))
        high = value if value < 0 else float(np.nextafter(value + 1, -np.inf))
        if ranges and ranges[-1][1] >= low:
            ranges[-1] = (ranges[-1][0], high)
        else:
            ranges.append((low, high))
    return ranges


def _around(ranges: Sequence[tuple[float, float]], *, missing_inside: bool) -> Cuts:
    """Return cuts at the ends of ranges; a missing value lies in the first range, or below all."""
    cuts = np.array(ranges).reshape(-1)
    missing_greater = np.zeros(len(cuts), dtype=np.bool_)
    missing_greater[:1] = missing_inside
    return cuts, missing_greater


def _of_indicator(column: ModelColumn, questions: Questions, rounding: Rounding) -> Cuts:
    """Read a column that is 1 for one value, or for a missing one."""
    present, absent = (questions.answer(model_value(column, base)) for base in (1.0, 0.0))
    if not (present != absent).any():
        return _nothing()
    if column.category is None:
        return _only_missing()
    value = float(rounding.kept(column.category))
    return _around([(_below(value, rounding), value)], missing_inside=column.imputed == column.category)


def _of_codes(column: ModelColumn, questions: Questions, rounding: Rounding) -> Cuts:
    """Read a column of codes: cuts halfway between neighbouring values whose answers differ."""
    values = sorted({float(rounding.kept(each)) for each in column.categories if isinstance(each, float)})
    answers = np.array([_answers_of(column, questions, value) for value in values]).reshape(len(values), -1)
    missing = _answers_of(column, questions, None)
    halfway = rounding.lower(np.array([(low + high) / 2 for low, high in pairwise(values)]))
    found = [_where_it_turns(halfway, answers[:, at], bool(missing[at])) for at in range(len(missing))]
    return _joined(found)


def _answers_of(column: ModelColumn, questions: Questions, value: float | None) -> Flags:
    return questions.answer(model_value(column, base_of(column, value)))


def _where_it_turns(between: Floats, answers: Flags, missing: bool) -> Cuts:  # noqa: FBT001  # an answer like the others
    """Return the cuts between neighbours that answer differently; a missing value lies where its answer is first."""
    turns = np.flatnonzero(answers[1:] != answers[:-1])
    same = np.flatnonzero(np.append(answers[:1], answers[turns + 1]) == missing)
    if not len(turns):
        return _only_missing() if len(answers) and not len(same) else _nothing()
    return between[turns], np.arange(len(turns)) < same[0]


def _joined(found: Sequence[Cuts]) -> Cuts:
    cuts, greater = zip(_nothing(), *found, strict=True)
    return np.concatenate(cuts), np.concatenate(greater)


def _nothing() -> Cuts:
    return np.empty(0), np.empty(0, np.bool_)


def _only_missing() -> Cuts:
    """Return the cut above all values, beyond which there is nothing but a missing one."""
    return np.array([np.inf]), np.array([True])


def _below(value: float, rounding: Rounding) -> float:
    return float(np.nextafter(rounding.kept(value), rounding.kept(-np.inf)))


def _largest_float32(cuts: Floats) -> Floats:
    """Return the largest numbers in single precision that are not above the cuts."""
    with np.errstate(over="ignore"):
        rounded = cuts.astype(np.float32)
        lower = np.nextafter(rounded, np.float32(-np.inf))
    return np.where(rounded.astype(np.float64) > cuts, lower, rounded).astype(np.float64)


_LARGEST = float(np.finfo(np.float32).max)  # stands for infinity in graphs, whose thresholds are finite

_Reader = Callable[[ModelColumn, Questions, Rounding], Cuts]
_READERS: dict[str, _Reader] = {"number": cuts_of_number, "indicator": _of_indicator, "ordinal": _of_codes}


_FEWEST = -308  # decimals: a double has no more digits before its point


def roundest_between(low: float, high: float, wanted: float) -> float:
    """Return the number of fewest decimals at or above ``low`` and below ``high``; of these, the nearest to ``wanted``.

    Decimals before the point count as negative, so 1000 is rounder than 1200. Where an end is infinite, ``wanted``
    stands for it: there is no gap to be round in. ``wanted`` itself where no shorter number lies in the gap.
    """
    low = low if isfinite(low) else wanted
    high = high if isfinite(high) else max(wanted, low) + abs(wanted) * 2.0**-20
    if not low < high:
        return wanted
    wanted = min(max(wanted, low), high)
    first = max(-floor(log10(high - low)) - 1, _FEWEST) if high - low < inf else _FEWEST
    for n_decimals in range(first, first + 20):
        step = 10.0**-n_decimals
        near = round(wanted, n_decimals)
        fitting = [each for each in _rounded_beside(near, step, n_decimals) if low <= each < high]
        if fitting:
            return min(fitting, key=lambda each: (abs(each - wanted), each)) + 0.0  # no negative zero
    return low


def _rounded_beside(near: float, step: float, n_decimals: int) -> tuple[float, ...]:
    return tuple(round(near + move * step, n_decimals) for move in (-1, 0, 1))
