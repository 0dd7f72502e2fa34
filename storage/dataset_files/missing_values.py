"""MissingValues: what the sender writes where a value is missing, such as ``?`` or ``-999``."""

from collections.abc import Collection
from dataclasses import dataclass
from math import isnan

import pyarrow as pa
import pyarrow.compute as pc

from schemas.json_numbers import number_of

_BLANKS = " \t\r\n\f\v"
_NUMBER = r"^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$"


@dataclass(frozen=True, slots=True)
class MissingValues:
    """Texts that stand for a missing value; those that are spelled as numbers do so by their value, too."""

    texts: frozenset[str]
    numbers: frozenset[float]

    @classmethod
    def of(cls, texts: Collection[str]) -> "MissingValues":
        """Return the missing values that are declared as texts."""
        numbers = (_number(text) for text in texts)
        return cls(frozenset(texts), frozenset(number for number in numbers if number is not None))

    def __bool__(self) -> bool:
        return bool(self.texts)

    def holds(self, value: object) -> bool:
        """Return whether a value of JSON stands for a missing one."""
        if isinstance(value, str):
            return value in self.texts or number_of(value) in self.numbers
        return isinstance(value, int | float) and not isinstance(value, bool) and value in self.numbers

    def removed(self, values: pa.Array) -> pa.Array:
        """Return texts or doubles with null where one stands for a missing value; booleans as they are."""
        if pa.types.is_string(values.type) and self.texts:
            is_missing = pc.is_in(pc.ascii_trim(values, _BLANKS), pa.array(sorted(self.texts), pa.string()))
        elif pa.types.is_floating(values.type) and self.numbers:
            is_missing = pc.is_in(values, pa.array(sorted(self.numbers), pa.float64()))
        else:
            return values
        return pc.if_else(is_missing, pa.scalar(None, values.type), values)

    def removed_by_value(self, cells: pa.Array) -> pa.Array:
        """Return texts as ``removed`` does, and with null where a cell is another spelling (``-999.0``) of a number."""
        cells = self.removed(cells)
        if not self.numbers:
            return cells
        plain = pc.ascii_trim(cells, _BLANKS)
        is_number = pc.match_substring_regex(plain, _NUMBER)
        numbers = pc.cast(pc.if_else(is_number, plain, pa.scalar(None, pa.string())), pa.float64())
        is_missing = pc.is_in(numbers, pa.array(sorted(self.numbers), pa.float64()))
        return pc.if_else(is_missing, pa.scalar(None, pa.string()), cells)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return None if isnan(number) or "_" in text else number
