"""BriefText: a sentence about a number whose ends are printed in few digits, wherever that is true of the same rows."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import lru_cache
from math import inf, isfinite
from typing import Any, NamedTuple

from tree_explainers import wording
from tree_explainers.printed_numbers import NumberColumn
from tree_explainers.wording import Interval

_DIGITS_OUTWARDS = 6
_SINGLE_ROUNDING, _LEAST_SINGLE = 2.0**-22, 2.0**-148  # some times what single precision rounds by


class BriefText(NamedTuple):
    """A sentence whose ends are printed in few digits, and what the exact one is made of."""

    brief: str
    printed: Interval  # the numbers that the brief sentence means
    ends: Interval  # the model's own ends, in as few digits as bring them back
    start: str  # of the exact sentence, up to its ends
    after: str  # what follows these
    is_single: bool  # the column's values are decimals only in single precision
    surely: tuple[float, float]  # of values between these, the brief sentence is true

    @staticmethod
    def between(
        brief: str, printed: Interval, ends: Interval, around: tuple[str, str], numbers: NumberColumn
    ) -> "BriefText":
        """Return the sentence of numbers between two ends; ``around`` is what stands before them and after."""
        low, high = max(ends[0], printed[0]), min(ends[1], printed[1])
        if numbers.is_single:  # a value may be a rounding of single precision away from the decimal that it is
            low = low + abs(low) * _SINGLE_ROUNDING + _LEAST_SINGLE if low > -inf else low
            high = high - abs(high) * _SINGLE_ROUNDING - _LEAST_SINGLE if high < inf else high
        return BriefText(brief, printed, ends, *around, numbers.is_single, (low, high))

    @property
    def exact(self) -> str:
        """The sentence with the model's own ends."""
        return f"{self.start}{interval_words(self.ends)}{self.after}"

    @property
    def widened(self) -> str:
        """The sentence with its ends moved outwards to few digits: it is true of every value of which the exact one is.

        So is printed what cannot be checked against a value, as the value of a transformed column is not known.
        """
        low, high, *others = self.ends
        outer = Interval(_outwards(low, is_low=True), _outwards(high, is_low=False), *others)
        return f"{self.start}{interval_words(outer)}{self.after}"

    def of(self, *values: Any) -> str:  # cells
        """Return the brief sentence where it is true of the same of these values, else the exact one."""
        low, high = self.surely
        for value in values:
            if (value.__class__ is float and low < value < high) or value is None or isinstance(value, str):
                continue  # by far the most are
            number = wording.short(value) if self.is_single else value
            if self.ends.admits(number) is not self.printed.admits(number):
                return self.exact
        return self.brief


Text = str | BriefText


@lru_cache(maxsize=1 << 12)  # a model has as many ends as it has splits
def _outwards(end: float, *, is_low: bool) -> float:
    """Return the number of six digits, or of all before the point, that is next to an end on its outer side."""
    if not isfinite(end) or end == 0:
        return end
    exact = Decimal(repr(end))
    unit = Decimal(1).scaleb(min(0, exact.adjusted() + 1 - _DIGITS_OUTWARDS))
    return float(exact.quantize(unit, rounding=ROUND_FLOOR if is_low else ROUND_CEILING))


def interval_words(ends: Interval, *, is_single: bool | None = None) -> str:
    """Return an interval in words; see ``wording.interval``."""
    low, high, low_inclusive, high_inclusive, _ = ends
    return wording.interval(low, high, low_inclusive=low_inclusive, high_inclusive=high_inclusive, is_single=is_single)
