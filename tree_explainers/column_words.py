"""What a column of raw values, and the values in it, are called: by default, what they are.

Columns of truth values and of categories have phrases here; those of numbers are in ``printed_numbers``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Protocol

from . import wording
from .wording import Interval

_NEXT_TO_NUMBERS = ("%", "‰", "°")  # units that follow without a blank


@dataclass(frozen=True, slots=True)
class ColumnWords:
    """The words for one column."""

    name: str
    unit: str | None = None  # of its numbers
    decimals: int | None = None  # to which values of rows are rounded; None: six digits
    labels: Mapping[float | str, str] = field(default_factory=dict)  # of values: numbers, categories, True and False
    plain_digits: bool = False  # no commas part its numbers, as of years and codes

    def with_unit(self, text: str) -> str:
        """Return the text of a number, or of an interval of numbers, with the unit behind it."""
        text = wording.without_commas(text) if self.plain_digits else text
        if not self.unit:
            return text
        return f"{text}{'' if self.unit in _NEXT_TO_NUMBERS else ' '}{self.unit}"

    @property
    def is_plain(self) -> bool:
        """Whether ``value`` returns of a fraction what ``wording.rounded_text`` does."""
        return self.decimals is None and not (self.labels or self.unit or self.plain_digits)

    def labelled(self, values: Sequence[float | str]) -> list[float | str]:
        """Return values for a list in a sentence: their labels, and those that have none as they are."""
        return list(dict.fromkeys(self.labels.get(value, value) for value in values) if self.labels else values)

    def truth(self, *, value: bool) -> str:
        """Return the word for true or false."""
        return self.labels.get(value) or (wording.YES if value else wording.NO)

    def value(self, value: float | str | None) -> str:
        """Return a value of a row in words: its label, a number in few digits, a truth value as yes or no."""
        if type(value) is float and self.decimals is None and not self.labels:  # as by far the most are
            text = wording.rounded_text(value)
            return self.with_unit(text) if self.unit or self.plain_digits else text
        if value is None or isinstance(value, bool):
            return wording.MISSING if value is None else self.truth(value=value)
        if (label := self.labels.get(value)) is not None:
            return wording.value_text(label)
        if isinstance(value, str):
            return wording.value_text(value)
        if self.decimals is None or not isfinite(value):
            return self.with_unit(wording.rounded_text(value))
        return self.with_unit(wording.number_text(round(value, self.decimals) + 0.0))

    def exact_value(self, value: float | str | None) -> str:
        """Return a value in words as ``value`` does, but with all decimals that it has in six digits."""
        return replace(self, decimals=None).value(value)

    def instead_of(self, to: float | str | None, value: float | str | None) -> str:
        """Return a change in words: ``16.8 mm instead of 16.84 mm``, where ``decimals`` would have both alike, too."""
        after, before = self.exact_value(to), self.value(value)
        return f"{after} instead of {self.exact_value(value) if before == after else before}"


class ColumnPhrases(Protocol):
    """The words for conditions on one column, where its name and numbers would not do."""

    @property
    def is_boolean(self) -> bool:
        """Whether the column is either true (1) or false (0)."""

    @property
    def words(self) -> ColumnWords | None:
        """What the column and its values are called; ``None`` where that is made up from case to case."""

    def mention(self, name: str) -> str:
        """Return the column's name as the object of a sentence."""

    def sentence(self, interval: Interval) -> str | None:
        """Return the description of rows whose values lie in an interval; ``None`` where its name and numbers do."""

    def question(self, interval: Interval) -> str | None:
        """Return the question that is answered by yes where they do; ``None``: the sentence will do."""

    def states_absence(self, interval: Interval) -> bool:
        """Return whether the sentence says that there is not something: its opposite is easier to read."""


Phrases = Mapping[str, ColumnPhrases]
"""By column. Columns that are not in it are described by names and numbers."""


@dataclass(frozen=True, slots=True)
class BooleanPhrases:
    """A boolean column of any table: ``smoker is yes``, and not above 0.5."""

    words: ColumnWords
    is_boolean: bool = True

    @classmethod
    def of(cls, column: str) -> "BooleanPhrases":
        """Return the phrases of a column without words of its own."""
        return cls(ColumnWords(column))

    def mention(self, name: str) -> str:  # as of ``ColumnPhrases``
        """Return what the column is called."""
        del name
        return self.words.name

    def sentence(self, interval: Interval) -> str | None:
        """Return ``smoker is no (missing allowed)``; ``None`` where both values are meant, or neither."""
        if interval.admits(0) == interval.admits(1):
            return None
        value = self.words.truth(value=interval.admits(1))
        return f"{self.words.name} is {value}{wording.MISSING_ALLOWED if interval.or_missing else ''}"

    def question(self, interval: Interval) -> str | None:  # as of ``ColumnPhrases``
        """Return nothing: the sentence will do."""
        return None

    def states_absence(self, interval: Interval) -> bool:
        """Return false: a column may be called by what it is not."""
        return False


@dataclass(frozen=True, slots=True)
class CategoryPhrases:
    """A column of categories: its conditions compare no numbers, so that it has no sentences about intervals."""

    words: ColumnWords
    is_boolean: bool = False

    def mention(self, name: str) -> str:  # as of ``ColumnPhrases``
        """Return what the column is called."""
        del name
        return self.words.name

    def sentence(self, interval: Interval) -> str | None:  # as of ``ColumnPhrases``
        """Return nothing: the words and the categories will do."""
        return None

    def question(self, interval: Interval) -> str | None:  # as of ``ColumnPhrases``
        """Return nothing: the sentence will do."""
        return None

    def states_absence(self, interval: Interval) -> bool:
        """Return false: a column may be called by what it is not."""
        return False
