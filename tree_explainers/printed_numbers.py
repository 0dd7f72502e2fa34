"""Printed numbers: conditions on a number in the fewest digits that decide as the model's own ends do.

A model cuts a column of whole numbers at 1.5000000000000002; a person reads ``at least 2``. What may be printed depends
on what the column can hold, which the reference rows show: whole numbers, decimals of so many places, nothing below 0,
nothing but 0 and 1. Each value that such a column can hold is on the same side of the printed end as of the exact one.

A column of more decimals holds measured numbers. Their ends are rounded inwards to six digits, or to more where a
reference row lies in between: what fulfils the printed condition fulfils the exact one, and reference rows both or
neither.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from math import ceil, floor, inf, isfinite
from typing import NamedTuple

import numpy as np

from . import wording
from .column_words import ColumnWords
from .wording import End, Interval

MOST_DECIMALS = 6
"""Numbers of more decimals are measured numbers, of which a person reads the first digits."""

_LARGEST_MULTIPLE = 2.0**53  # doubles hold all whole numbers below
_FEWEST_DIGITS, _MOST_DIGITS = 6, 17  # of a measured number
_N_NEIGHBOURS = 4  # numbers that an end may pass over: libraries write the number after 1.5 where they mean 1.5

Precision = type[np.float32 | np.float64]


@dataclass(frozen=True, slots=True)
class NumberColumn:
    """What a column of numbers can hold, and how a model reads it."""

    decimals: int | None = None  # of all its values, up to ``MOST_DECIMALS``; 0: whole numbers; None: measured numbers
    lowest: float = -inf  # 0: nothing below
    is_yes_or_no: bool = False  # nothing but 0 and 1
    has_infinite: bool = False
    is_single: bool = False  # its values are the numbers of single precision next to such decimals
    precision: Precision = np.float64  # to which the model rounds a value before it compares it
    values: Sequence[float] = ()  # measured numbers of reference rows next to the cuts, ascending; empty: not known
    keeps_digits: bool = False  # ends of measured numbers are as short as rows allow: they are not rounded again

    @classmethod
    def of(cls, decimals: int | None, least: float | None, most: float | None, n_infinite: int = 0) -> "NumberColumn":
        """Return what the reference rows show of a column.

        Parameters
        ----------
        decimals
            The most that some value has; ``None``: more than ``MOST_DECIMALS``, or not known.
        least, most
            Finite numbers; ``None`` where there are none.
        n_infinite
            How many values are infinite.
        """
        lowest = 0.0 if least is not None and least >= 0 and not n_infinite else -inf
        is_yes_or_no = decimals == 0 and lowest == 0 and most == 1
        return cls(decimals, lowest, is_yes_or_no, n_infinite > 0)

    def read(self, number: float) -> float:
        """Return what the model reads where a person reads a number."""
        with np.errstate(over="ignore"):  # beyond the largest number is infinity
            return float(self.precision(np.float32(number) if self.is_single else number))

    @property
    def largest(self) -> float:
        """The largest finite number that the model reads; an end beyond it is none."""
        return inf if self.has_infinite else float(np.finfo(self.precision).max)


class PrintedEnd(NamedTuple):
    """An end of an interval as it is printed."""

    end: End
    extreme: float | None  # the least or greatest number inside; None: there is none, or it is not known


NO_LOWER_END, NO_UPPER_END = PrintedEnd(End(-inf, inclusive=False), -inf), PrintedEnd(End(inf, inclusive=False), inf)


def printed_end(exact: End, column: NumberColumn, *, is_low: bool) -> PrintedEnd:
    """Return the end of fewest digits that leaves the same numbers of a column inside.

    Parameters
    ----------
    exact
        The model's end, which it compares with values rounded to the column's precision; infinite where there is none.
    column
        What the column can hold.
    is_low
        Whether it is the lower end.
    """
    if (exact.value <= -column.largest) if is_low else (exact.value >= column.largest):
        return NO_LOWER_END if is_low else NO_UPPER_END
    unit = 10**column.decimals if column.decimals is not None else None
    if unit is not None and abs(exact.value) * unit < _LARGEST_MULTIPLE:
        return _of_multiples(exact, unit, column, is_low=is_low)
    if column.keeps_digits:
        end = wording.shortest_end(exact, is_low=is_low, is_single=False)
    else:
        end = _rounded_inwards(exact, column, is_low=is_low)
    return PrintedEnd(end, end.value if end.inclusive else None)


def _of_multiples(exact: End, unit: int, column: NumberColumn, *, is_low: bool) -> PrintedEnd:
    """Return the end among multiples of 1, of a tenth, …: the extreme one inside, or its neighbour where shorter."""
    is_above = End(exact.value, exact.inclusive is is_low)  # whether the end itself is above
    first_above = _least_multiple_above(is_above, unit, column)
    inside, outside = (first_above, first_above - 1) if is_low else (first_above - 1, first_above)
    ends = End(inside / unit, inclusive=True), End(outside / unit, inclusive=False)
    if unit == 1 or (is_low and inside / unit <= column.lowest):
        return PrintedEnd(ends[0], ends[0].value)
    return PrintedEnd(min(ends, key=lambda end: (len(wording.number_text(end.value)), end != exact)), inside / unit)


def _least_multiple_above(end: End, unit: int, column: NumberColumn) -> int:
    """Return the least whole number of which the quotient by a unit, as the model reads it, is above an end."""
    spacing = np.spacing((np.float32 if column.is_single else column.precision)(abs(end.value)))
    slack = 2 * float(spacing) * unit + 2
    candidates = range(floor(end.value * unit - slack), ceil(end.value * unit + slack) + 1)
    index = bisect_left(candidates, x=True, key=lambda each: _admits(end, column.read(each / unit), is_low=True))
    return candidates[index]


def _admits(end: End, value: float, *, is_low: bool) -> bool:
    """Return whether a number is inside of an end."""
    return end.inclusive if value == end.value else (value > end.value) is is_low


def _rounded_inwards(exact: End, column: NumberColumn, *, is_low: bool) -> End:
    """Return an end in six digits, or in as many more as leave each reference row where it is."""
    shortest = wording.shortest_end(exact, is_low=is_low, is_single=column.precision is np.float32)
    outside, inside = _neighbours(exact, column, is_low=is_low)
    next_outside = _next_single(exact, is_low=is_low) if column.precision is np.float32 else outside
    for value in _shorter_numbers(shortest.value, rounding=ROUND_CEILING if is_low else ROUND_FLOOR):
        flags = (shortest.inclusive,) if value == shortest.value else (exact.inclusive, not exact.inclusive)
        for end in (End(value, inclusive) for inclusive in flags):
            leaves_out = not any(_admits(end, each, is_low=is_low) for each in (outside, next_outside))
            if leaves_out and _admits(end, inside, is_low=is_low):
                return end
    if column.precision is np.float32 and not isfinite(inside):
        inside = float(np.nextafter(np.float32(next_outside), np.float32(inf if is_low else -inf)))
    return End(inside, inclusive=True) if isfinite(inside) else exact


def _next_single(exact: End, *, is_low: bool) -> float:
    """Return the number of single precision that is next to an end outside of it."""
    number = np.float32(exact.value)
    while _admits(exact, float(number), is_low=is_low):
        number = np.nextafter(number, np.float32(-inf if is_low else inf))
    return float(number)


def _neighbours(exact: End, column: NumberColumn, *, is_low: bool) -> tuple[float, float]:
    """Return the reference values next to an end, outside and inside; infinite where there is none."""
    is_above = End(exact.value, exact.inclusive is is_low)
    values, rounds = column.values, column.precision
    places = range(len(values))
    index = bisect_left(places, x=True, key=lambda at: _admits(is_above, float(rounds(values[at])), is_low=True))
    below = float(values[index - 1]) if index else -inf
    above = float(values[index]) if index < len(values) else inf
    return (below, above) if is_low else (above, below)


def _shorter_numbers(value: float, *, rounding: str) -> Iterator[float]:
    """Yield the number that is meant where that is one of the next few, then the number in ever more digits."""
    meant = float(f"{value:.{_FEWEST_DIGITS}g}")
    if meant == value or abs(meant - value) <= _N_NEIGHBOURS * np.spacing(abs(value)):
        yield meant
    exact = Decimal(repr(value))
    for n_digits in range(max(_FEWEST_DIGITS, exact.adjusted() + 1), _MOST_DIGITS + 1):  # all before the point
        yield float(exact.quantize(Decimal(1).scaleb(exact.adjusted() + 1 - n_digits), rounding=rounding))


class PrintedCondition(NamedTuple):
    """A condition on a number as it is printed."""

    text: str  # what follows "hr is ": ``2 to 5``; empty where there is no end
    ends: Interval  # the numbers that the text means


def printed_condition(low: PrintedEnd, high: PrintedEnd, column: NumberColumn) -> PrintedCondition | None:
    """Return what is printed for the numbers between two ends; ``None`` where the column holds none of them."""
    if low.extreme is not None and low.extreme <= column.lowest:
        low = PrintedEnd(NO_LOWER_END.end, column.lowest)  # there is nothing below
    if low.extreme is not None and high.extreme is not None and low.extreme > high.extreme:
        return None
    if column.is_yes_or_no:
        return _yes_or_no(low, high)
    if low.extreme == high.extreme and low.extreme is not None:
        return PrintedCondition(
            wording.number_text(low.extreme), Interval(low.extreme, low.extreme, low_inclusive=True)
        )
    ends = Interval(low.end.value, high.end.value, low.end.inclusive, high.end.inclusive)
    return None if ends.low >= ends.high else PrintedCondition(_text(ends), ends)


def _yes_or_no(low: PrintedEnd, high: PrintedEnd) -> PrintedCondition | None:
    """Return which of 0 and 1 lie between two ends."""
    first, last = max(0, low.extreme or 0), min(1, 1 if high.extreme is None else high.extreme)
    if first > last:
        return None
    text = "" if first < last else wording.YES if first else wording.NO
    return PrintedCondition(text, Interval(float(first), float(last), low_inclusive=True))


def _text(ends: Interval) -> str:
    low, high, low_inclusive, high_inclusive, _ = ends
    if low_inclusive and high_inclusive and isfinite(low) and isfinite(high):
        return f"{wording.number_text(low)} to {wording.number_text(high)}"
    return wording.interval(low, high, low_inclusive=low_inclusive, high_inclusive=high_inclusive)


_KEPT_ENDS = 10_000  # of a column


@dataclass(frozen=True, slots=True)
class NumberPhrases:
    """The words for conditions on a column of numbers: ``hr is 2 to 5``, ``smoker is yes``."""

    words: ColumnWords
    column: NumberColumn
    _known: dict[tuple[float, bool, bool], PrintedEnd]

    @classmethod
    def of(cls, words: ColumnWords, column: NumberColumn) -> "NumberPhrases":
        """Prepare the phrases of a column."""
        return cls(words, column, {})

    @property
    def is_boolean(self) -> bool:
        """Whether the column is either true or false: 0 and 1 are numbers."""
        return False

    def mention(self, name: str) -> str:  # as of ``ColumnPhrases``
        """Return what the column is called."""
        del name
        return self.words.name

    def sentence(self, interval: Interval) -> str | None:
        """Return ``hr is 2 to 5 (missing allowed)``; ``None`` where there is no end, or the column holds none such."""
        if interval.low == -inf and interval.high == inf:
            return None
        if interval.or_missing and interval.high <= -self.column.largest:
            return f"{self.words.name} is {wording.MISSING}"
        if (printed := self.printed(interval)) is None:
            return None
        if not printed.text:
            return f"{self.words.name} is {wording.ANYTHING if interval.or_missing else wording.NOT_MISSING}"
        return f"{self.words.name} is {self.text_of(printed)}{wording.MISSING_ALLOWED if interval.or_missing else ''}"

    def question(self, interval: Interval) -> str | None:  # as of ``ColumnPhrases``
        """Return nothing: the sentence will do."""
        return None

    def states_absence(self, interval: Interval) -> bool:
        """Return false: a column may be called by what it is not."""
        return False

    def value_text(self, value: float) -> str:
        """Return a value of a row: ``yes``, or in as few digits as bring it back, of many the first six."""
        if self.column.is_yes_or_no and value in (0, 1) and value not in self.words.labels:
            return wording.YES if value else wording.NO
        return self.words.value(wording.rounded(value))

    def text_of(self, printed: PrintedCondition) -> str:
        """Return a printed condition with the unit; a single value by its label, where it has one."""
        ends = printed.ends
        if ends.low == ends.high and (label := self.words.labels.get(ends.low)) is not None:
            return wording.value_text(label)
        return printed.text if printed.text in (wording.YES, wording.NO) else self.words.with_unit(printed.text)

    def printed(self, interval: Interval) -> PrintedCondition | None:
        """Return what is printed for the numbers in an interval; ``None`` where the column holds none of them."""
        low = self._end(interval.low, interval.low_inclusive, is_low=True)
        high = self._end(interval.high, interval.high_inclusive, is_low=False)
        return printed_condition(low, high, self.column)

    def _end(self, value: float, inclusive: bool, *, is_low: bool) -> PrintedEnd:
        """Return a printed end: a model has few cuts, of which there are many intervals."""
        key = (value, inclusive, is_low)
        if key not in self._known:
            if len(self._known) >= _KEPT_ENDS:
                self._known.clear()
            self._known[key] = printed_end(End(value, inclusive), self.column, is_low=is_low)
        return self._known[key]
