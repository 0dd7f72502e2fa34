"""ReasonHead: the beginning of a reason as JSON, and how those that were made before are kept."""

from collections.abc import Callable, Sequence
from functools import cache
from math import inf
from typing import Any, Generic, NamedTuple, TypeVar, cast

import orjson

from tree_explainers.prototype_sets.raw_units import SHARE_DIGITS

from .brief_texts import Text
from .cell_texts import CellTexts, Values

Made = TypeVar("Made")

END_OF_REASON = b"},"
"""What ends a reason behind which there is another one."""

KEPT_REASONS = 10_000
"""Of an explainer: about three quarters of a kilobyte each."""


class ReasonHead(NamedTuple):
    """The beginning of a reason in JSON, with what ends the one before it, up to the value of the row."""

    brief: bytes  # with the brief sentence
    low: float  # of values between these, the brief sentence is true
    high: float
    start: bytes  # up to the sentence
    text: Text

    @staticmethod
    def of(feature: str, text: Text) -> "ReasonHead":
        """Return the beginning of a reason of a raw feature."""
        start = b'%b{"feature":%b,"text":' % (END_OF_REASON, orjson.dumps(feature))
        if isinstance(text, str):
            return ReasonHead(b'%b%b,"value":' % (start, orjson.dumps(text)), -inf, inf, start, text)
        return ReasonHead(b'%b%b,"value":' % (start, orjson.dumps(text.brief)), *text.surely, start, text)

    @property
    def widened(self) -> str:
        """The sentence where values cannot be checked."""
        return self.text if isinstance(self.text, str) else self.text.widened

    def for_values(self, value: Any, other: Any) -> bytes:  # cells
        """Return the beginning with the brief sentence where that is true of the same of these, else the exact one."""
        if isinstance(self.text, str) or (sentence := self.text.of(value, other)) is self.text.brief:
            return self.brief
        return b'%b%b,"value":' % (self.start, orjson.dumps(sentence))


class KnownReason(NamedTuple):
    """A reason why rows are near another one."""

    feature: int | None  # None: transformed
    brief: bytes  # the beginning with the brief sentence
    low: float  # of values between these, that is true, and of the other row's
    high: float
    other_value: bytes  # as JSON, with its name
    head: ReasonHead


class OtherRow(NamedTuple):
    """Another row that many are near, with its reasons that were met before: threads may share it."""

    values: Values
    cells: CellTexts  # each behind its name
    known: dict[bytes, KnownReason]  # by what each states
    most: int  # that are kept

    def learn(self, statement: bytes, feature: int | None, head: ReasonHead) -> KnownReason:
        """Keep a reason, and return it."""
        reason = KnownReason(feature, head.brief, inf, -inf, b"", head)
        if feature is not None:
            value = self.values[feature]
            is_sure = value.__class__ is float and head.low < value < head.high
            low, high = (head.low, head.high) if is_sure else (inf, -inf)
            reason = KnownReason(feature, head.brief, low, high, self.cells[feature], head)
        if len(self.known) >= self.most:
            self.known.clear()
        self.known[statement] = reason
        return reason


class Kept(Generic[Made]):
    """What was made of reasons before, by what it was made of: different rows have many reasons in common."""

    def __init__(self) -> None:
        self._kept: dict[bytes, Made] = {}

    def of(self, keys: Sequence[bytes], make: Callable[[list[int]], list[Made]]) -> list[Made]:
        """Return what belongs to the keys; ``make`` makes that of new ones, given their indices."""
        found = list(map(self._kept.get, keys))
        if None in found:
            first_of = {key: index for index, key in reversed(list(enumerate(keys))) if found[index] is None}
            made = dict(zip(first_of, make([*first_of.values()]), strict=True))
            if len(self._kept) > KEPT_REASONS:
                self._kept.clear()
            self._kept.update(made)
            found = [made[key] if each is None else each for key, each in zip(keys, found, strict=True)]
        return cast("list[Made]", found)


@cache
def share_texts() -> tuple[bytes, ...]:
    """Return all shares of trees, by the number of their units, as ends of reasons."""
    most = 10**SHARE_DIGITS
    return tuple(b',"share_of_trees":%b' % orjson.dumps(units / most) for units in range(most + 1))
