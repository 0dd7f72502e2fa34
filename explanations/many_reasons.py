"""The reasons of many pairs of rows, written together: compiled loops join them from texts that are kept by number."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tree_explainers.compute.byte_texts import Texts

from .cell_texts import CellTexts, SentRows, Values
from .reason_heads import END_OF_REASON, KEPT_REASONS, ReasonHead, share_texts

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class OtherRows(NamedTuple):
    """The rows that others are compared with: what does not change from call to call."""

    values: Sequence[Values]  # (n_others,)
    numbers: Floats  # (n_others, n_features) the same; NaN: a value is none, or missing
    cells: Texts  # of each row and feature, as entries of reasons

    @staticmethod
    def of(values: Sequence[Sequence[Any]], cells: Sequence[CellTexts]) -> "OtherRows":
        """Return rows whose values these are, with the same as entries of reasons."""
        numbers = [[value if type(value) is float else np.nan for value in of_row] for of_row in values]
        texts = [of_row[feature] for of_row in cells for feature in range(len(values[0]))]
        return OtherRows(values, np.array(numbers, np.float64), Texts.of(texts))


class ManyPairs(NamedTuple):
    """Pairs of a row, all of whose features are numbers and none unexpectedly missing, and another."""

    rows: Ints  # (n_pairs,) index of the row
    others: Ints  # (n_pairs,) index of the other
    sent: SentRows  # (n_rows,)
    numbers: Floats  # (n_rows, n_features) the same; NaN: it is missing
    other_rows: OtherRows


class PairedReasons(NamedTuple):
    """Reasons of pairs: each of a raw feature."""

    features: Ints  # (n_reasons,)
    heads: Ints  # (n_reasons,) by their numbers
    shares: Ints  # (n_reasons,) of trees, in units of their last decimal
    bounds: Ints  # (n_pairs + 1,) where the reasons of each pair begin
    others: dict[int, ReasonHead]  # by index, those whose head has no number
    intervals: list[bytes]  # (n_reasons,), or none where they are not included


@dataclass(frozen=True, slots=True, eq=False)
class NumberedHeads:
    """The beginnings of reasons, by number; nothing in it changes, so threads may share it."""

    numbers: dict[bytes, int]  # by what a reason states
    heads: tuple[ReasonHead, ...]
    texts: Texts  # with the brief sentence
    low: Floats  # of values between these, the brief sentence is true
    high: Floats

    def with_more(self, heads: Mapping[bytes, ReasonHead]) -> "NumberedHeads":
        """Return the same with others behind them."""
        numbers = self.numbers | {key: number for number, key in enumerate(heads, len(self.heads))}
        more = tuple(heads.values())
        low, high = (np.array([getattr(head, end) for head in more], np.float64) for end in ("low", "high"))
        texts, _ = Texts.together([self.texts, Texts.of([head.brief for head in more])])
        low, high = np.concatenate((self.low, low)), np.concatenate((self.high, high))
        return NumberedHeads(numbers, self.heads + more, texts, low, high)


_NO_HEADS = NumberedHeads({}, (), Texts.of([]), np.empty(0), np.empty(0))


class HeadTable:
    """Beginnings of reasons that were made before: different rows have many reasons in common."""

    def __init__(self) -> None:
        self._known = _NO_HEADS

    def of(self, keys: Sequence[bytes], make: Callable[[list[int]], list[ReasonHead]]) -> tuple[NumberedHeads, Ints]:
        """Return the beginnings by number, and the number of each key's; ``make`` makes new ones, by their indices."""
        known = self._known
        numbers = list(map(known.numbers.get, keys))
        if None in numbers:
            known = known if len(known.heads) <= KEPT_REASONS else _NO_HEADS
            first_of = {key: index for index, key in reversed(list(enumerate(keys))) if key not in known.numbers}
            made = make([*first_of.values()])
            known = self._known = known.with_more(dict(zip(first_of, made, strict=True)))
            numbers = list(map(known.numbers.get, keys))
        return known, np.array(numbers, np.int64)


def write_reasons(reasons: PairedReasons, heads: NumberedHeads, pairs: ManyPairs) -> list[bytes]:
    """Return the reasons of each pair, a list as JSON."""
    counts, reason = np.diff(reasons.bounds), np.arange(len(reasons.features))
    pair = np.repeat(np.arange(len(counts)), counts)
    rows, others, features = pairs.rows[pair], pairs.others[pair], reasons.features
    is_first = reason == reasons.bounds[pair]
    tables = [
        _begins(reasons, heads, pairs, (rows, others), is_first),
        (pairs.sent.texts(rows, features), reason),
        (pairs.other_rows.cells, others * pairs.numbers.shape[1] + features),
        (_shares(), reasons.shares),
    ]
    if reasons.intervals:
        tables.append((Texts.of(reasons.intervals), reason))
    ends = Texts.of([b"[]", b"[", b"}]"])
    texts, (first_end, *firsts) = Texts.together([ends, *(table for table, _ in tables)])
    bounds = np.concatenate(([0], np.cumsum(np.where(counts > 0, len(tables) * counts + 2, 1))))
    pieces = np.empty(bounds[-1], np.int64)
    pieces[bounds[1:] - 1] = first_end + 2
    pieces[bounds[:-1]] = first_end + (counts > 0)
    at = bounds[pair] + 1 + len(tables) * (reason - reasons.bounds[pair])
    for offset, (first, (_, numbers)) in enumerate(zip(firsts, tables, strict=True)):
        pieces[at + offset] = first + numbers
    return list(texts.joined(pieces, bounds))


def _begins(
    reasons: PairedReasons,
    heads: NumberedHeads,
    pairs: ManyPairs,
    of_reasons: tuple[Ints, Ints],
    is_first: NDArray[np.bool_],
) -> tuple[Texts, Ints]:
    """Return texts of beginnings, and the number of each reason's; before the first of a pair no other one ends."""
    rows, others = of_reasons
    numbers = pairs.numbers[rows, reasons.features], pairs.other_rows.numbers[others, reasons.features]
    is_sure = np.ones(len(rows), np.bool_)
    low, high = heads.low[reasons.heads], heads.high[reasons.heads]
    for values in numbers:
        is_sure &= (low < values) & (values < high)
    is_sure[list(reasons.others)] = False
    own, unsure = [], np.flatnonzero(~is_sure)
    for index in unsure.tolist():
        feature = int(reasons.features[index])
        head = reasons.others.get(index) or heads.heads[reasons.heads[index]]
        own.append(
            head.for_values(pairs.sent.values[rows[index]][feature], pairs.other_rows.values[others[index]][feature])
        )
    content, starts, stops = heads.texts.with_more(own)
    begins = reasons.heads.copy()
    begins[unsure] = len(heads.heads) + np.arange(len(unsure))
    every = Texts(content, np.concatenate((starts, starts + len(END_OF_REASON))), np.concatenate((stops, stops)))
    return every, np.where(is_first, begins + len(starts), begins)


@cache
def _shares() -> Texts:
    return Texts.of(share_texts())
