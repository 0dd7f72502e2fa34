"""BriefText: a sentence about a number whose ends are printed in few digits, wherever that is true of the same rows."""

from math import inf
from typing import Any, NamedTuple

from tree_explainers import wording
from tree_explainers.printed_numbers import NumberColumn
from tree_explainers.wording import Interval

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


def interval_words(ends: Interval, *, is_single: bool | None = None) -> str:
    """Return an interval in words; see ``wording.interval``."""
    low, high, low_inclusive, high_inclusive, _ = ends
    return wording.interval(low, high, low_inclusive=low_inclusive, high_inclusive=high_inclusive, is_single=is_single)
