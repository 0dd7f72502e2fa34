"""Reasons as explanations have them: in words, with the values of both rows, and in numbers where those are included.

Of each prototype only as many reasons are put into words as are shown. What does not change from row to row is
prepared.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from math import inf
from typing import Any, Generic, NamedTuple, TypeVar, cast

import numpy as np
import orjson
from numpy.typing import NDArray

from tree_explainers import wording
from tree_explainers.onnx_models.description import ModelColumn
from tree_explainers.prototype_sets.feature_reasons import FeatureReason, any_number, shown_name
from tree_explainers.prototype_sets.raw_units import RawReasons, RawSide, Wanted
from tree_explainers.prototype_sets.readable import ReasonReader
from tree_explainers.wording import ColumnPhrases, Interval, Phrases

_N_SIDES = 1 << len(RawSide)
_SHARE_DIGITS = 4  # more would be read by nobody, and an explanation has dozens of shares
_HAS_LOW, _HAS_HIGH = _N_SIDES, 2 * _N_SIDES  # beside a side: there is an end
_KEPT_NUMBERS = 100_000
_KEPT_REASONS = 10_000  # of an explainer: about half a kilobyte each
Made = TypeVar("Made")


class Compared(NamedTuple):
    """A row and others that it is compared with: the raw values of each, in the order of the model's features."""

    values: Sequence[Any]
    others: Sequence[Sequence[Any]]  # (n_pairs,)
    is_missing: NDArray[np.bool_] | None = None  # (n_columns,) as ``ReasonReader.group`` takes it


class _Kept(Generic[Made]):
    """What was made of reasons before, by what it was made of: different rows have many reasons in common."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, ...], Made] = {}

    def of(self, keys: Sequence[tuple[int, ...]], make: Callable[[list[int]], list[Made]]) -> list[Made]:
        """Return what belongs to the keys; ``make`` makes that of new ones, given their places."""
        found = [self._kept.get(key) for key in keys]
        if None in found:
            places = [place for place, each in enumerate(found) if each is None]
            if len(self._kept) > _KEPT_REASONS:
                self._kept.clear()
            for place, made in zip(places, make(places), strict=True):
                found[place] = self._kept[keys[place]] = made
        return cast("list[Made]", found)


@dataclass(frozen=True, slots=True)
class ReasonTexts:
    """Puts reasons into words."""

    reader: ReasonReader
    is_shown: NDArray[np.bool_]  # (n_columns,) callers may see it
    names: tuple[str, ...]  # (n_columns,)
    starts: tuple[str, ...]  # (n_columns,) up to the predicate of the sentence
    features: tuple[int | None, ...]  # (n_columns,) index of the raw feature; None: transformed
    before_low: tuple[str, ...]  # the words around the numbers of a sentence, by ``_sentence_codes``
    before_high: tuple[str, ...]
    after: tuple[str, ...]
    phrases: dict[int, ColumnPhrases]  # by column, of those that have words of their own
    mentions: dict[str, str]  # by name, of these columns: ``whether it has an account``
    known_texts: _Kept[str] = field(default_factory=_Kept)
    known_intervals: _Kept[dict[str, Any]] = field(default_factory=_Kept)

    @staticmethod
    def build(
        reader: ReasonReader, shown_features: frozenset[str] | None, phrases: Phrases | None = None
    ) -> "ReasonTexts":
        """Prepare for a model; ``None`` shows all features, and columns may have words of their own, by their names.

        A reason holds the prototype's category, or an interval around its value: as good as the value itself, so it is
        shown where that is. What a transformed column depends on is not known, so it is shown with all features only.
        """
        is_shown = np.array(
            [
                shown_features is None or (column.name in shown_features and not column.transformed)
                for column in reader.columns
            ],
            dtype=np.bool_,
        )
        codes = [
            (RawSide(code % _N_SIDES), bool(code & _HAS_LOW), bool(code & _HAS_HIGH)) for code in range(4 * _N_SIDES)
        ]
        return ReasonTexts(
            reader,
            is_shown,
            tuple(column.name for column in reader.columns),
            tuple(f"{shown_name(column)} is " for column in reader.columns),
            tuple(map(_raw_feature, reader.columns)),
            tuple(_before_low(*code) for code in codes),
            tuple(_before_high(*code) for code in codes),
            tuple(wording.MISSING_ALLOWED if RawSide.OR_MISSING in side else "" for side, _, _ in codes),
            _by_column(reader, phrases or {}),
            {name: words.mention(name) for name, words in (phrases or {}).items()},
        )

    def write(
        self, reasons: NDArray[Any], compared: Compared, n_reasons: int | None, *, with_intervals: bool
    ) -> list[list[dict[str, Any]]]:
        """Return the reasons why a row is near each of some others.

        Parameters
        ----------
        reasons : (n_reasons,) REASON
            From ``Reasons.of``.
        compared
            The row and the others, whose order is that of the pairs.
        n_reasons
            Maximum number for each pair; ``None``: all.
        with_intervals
            Whether to add the ends in numbers.
        """
        wanted = Wanted(self.is_shown, len(self.names) if n_reasons is None else n_reasons)
        raw = self.reader.group(reasons, len(compared.others), compared.is_missing, wanted)
        columns = raw.column.tolist()
        keys = list(zip(columns, raw.side.tolist(), _bits(raw.low), _bits(raw.high), strict=True))
        texts = self.known_texts.of(keys, lambda places: self._texts(raw, places))
        intervals = self.known_intervals.of(keys, lambda places: self._intervals(raw, places)) if with_intervals else []
        for place in np.flatnonzero(raw.is_other).tolist() if np.count_nonzero(raw.is_other) else ():
            found = self.reader.other(reasons, raw, place, compared.is_missing)
            texts[place] = self._said(columns[place], found) or found["text"]
            if with_intervals:
                intervals[place] = interval_of(found)
        shares = [round(share, _SHARE_DIGITS) for share in raw.share_of_trees.tolist()]
        found_reasons = _Found(columns, texts, shares, intervals)
        bounds = pairwise(raw.bounds.tolist())
        return [
            self._of_pair(found_reasons, start, end, compared.values, other)
            for (start, end), other in zip(bounds, compared.others, strict=True)
        ]

    def mention(self, feature: str) -> str:
        """Return a column's name as the object of a sentence."""
        return self.mentions.get(feature, feature)

    def phrases_of(self, feature: str) -> ColumnPhrases | None:
        """Return the words of a column, by its name; ``None`` where it has none of its own."""
        return next((words for column, words in self.phrases.items() if self.names[column] == feature), None)

    def _of_pair(
        self, found: "_Found", start: int, end: int, values: Sequence[Any], other: Sequence[Any]
    ) -> list[dict[str, Any]]:
        written: list[dict[str, Any]] = []
        for place in range(start, end):
            column = found.columns[place]
            reason: dict[str, Any] = {"feature": self.names[column], "text": found.texts[place]}
            feature = self.features[column]
            if feature is not None:
                reason["value"], reason["prototype_value"] = values[feature], other[feature]
            reason["share_of_trees"] = found.shares[place]
            if found.intervals:
                reason["interval"] = found.intervals[place]
            written.append(reason)
        return written

    def _texts(self, raw: RawReasons, places: list[int]) -> list[str]:
        """Return the texts of the reasons at these places, as if all were numbers."""
        columns, sides, low, high = self._rounded(raw, places)
        codes = (sides + _HAS_LOW * np.isfinite(low) + _HAS_HIGH * np.isfinite(high)).tolist()
        ends = zip(columns.tolist(), codes, _number_texts(low), _number_texts(high), strict=True)
        texts = [
            f"{self.starts[column]}{self.before_low[code]}{_words(low)}{self.before_high[code]}{_words(high)}{self.after[code]}"
            for column, code, low, high in ends
        ]
        for place, column in enumerate(columns.tolist() if self.phrases else ()):
            if column in self.phrases and not sides[place] & RawSide.IS_MISSING:
                interval = _interval_between(float(low[place]), float(high[place]), RawSide(int(sides[place])))
                texts[place] = self.phrases[column].sentence(interval) or texts[place]
        return texts

    def _said(self, column: int, reason: FeatureReason) -> str | None:
        """Return what a column's own words say of a reason that is not a single number's; ``None`` without any."""
        others = reason["category"] is not None or reason["categories"] or reason["excluded_categories"]
        if column not in self.phrases or others or reason["is_missing"]:
            return None
        low, high = -inf if reason["low"] is None else reason["low"], inf if reason["high"] is None else reason["high"]
        interval = Interval(low, high, reason["low_inclusive"], reason["high_inclusive"], reason["or_missing"])
        return self.phrases[column].sentence(interval)

    def _intervals(self, raw: RawReasons, places: list[int]) -> list[dict[str, Any]]:
        """Return the intervals of the reasons at these places, as if all were numbers."""
        columns, sides, low, high = self._rounded(raw, places)
        ends = zip(columns.tolist(), sides.tolist(), _number_texts(low), _number_texts(high), strict=True)
        return [self._interval(*each) for each in ends]

    def _rounded(self, raw: RawReasons, places: list[int]) -> tuple[NDArray[Any], ...]:
        """Return columns, sides, and low and high ends as they are written."""
        columns = raw.column[places]
        ends = (self.reader.rounded(of[places], columns) for of in (raw.low, raw.high))
        return columns, raw.side[places], *ends

    def _interval(self, column: int, side: int, low: bytes, high: bytes) -> dict[str, Any]:
        is_transformed = self.reader.columns[column].transformed
        return _interval(RawSide(side), orjson.loads(low), orjson.loads(high), is_transformed=is_transformed)


class _Found(NamedTuple):
    """Reasons of all pairs, one after the other."""

    columns: list[int]
    texts: list[str]
    shares: list[float]
    intervals: list[dict[str, Any]]  # empty: they are not included


def _by_column(reader: ReasonReader, phrases: Phrases) -> dict[int, ColumnPhrases]:
    columns = enumerate(reader.columns)
    return {at: phrases[each.name] for at, each in columns if each.name in phrases and not each.transformed}


def _interval_between(low: float, high: float, side: RawSide) -> Interval:
    inclusive = RawSide.LOW_INCLUSIVE in side, RawSide.HIGH_INCLUSIVE in side
    return Interval(low, high, *inclusive, or_missing=RawSide.OR_MISSING in side)


def _bits(ends: NDArray[np.float64]) -> list[int]:
    """Return numbers as integers that are equal only where they are written alike: 0 and -0 are not."""
    found: list[int] = ends.view(np.int64).tolist()
    return found


def interval_of(reason: FeatureReason) -> dict[str, Any]:
    """Return a reason in numbers and categories, with what applies to it."""
    sides = (
        (RawSide.LOW_INCLUSIVE, reason["low_inclusive"]),
        (RawSide.HIGH_INCLUSIVE, reason["high_inclusive"]),
        (RawSide.OR_MISSING, reason["or_missing"]),
        (RawSide.IS_MISSING, reason["is_missing"]),
        (RawSide.EXACT, reason["exact"]),
    )
    side = RawSide(sum(flag for flag, holds in sides if holds))
    found = _interval(side, reason["low"], reason["high"], is_transformed=reason["transformed"])
    if reason["category"] is not None:
        found["category"] = reason["category"]
    if reason["categories"]:
        found["categories"] = list(reason["categories"])
    if reason["excluded_categories"]:
        found["excluded_categories"] = list(reason["excluded_categories"])
    return found


def _interval(side: RawSide, low: float | None, high: float | None, *, is_transformed: bool) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if low is not None:
        found |= {"low": low, "low_inclusive": RawSide.LOW_INCLUSIVE in side}
    if high is not None:
        found |= {"high": high, "high_inclusive": RawSide.HIGH_INCLUSIVE in side}
    flags = {"or_missing": RawSide.OR_MISSING in side, "is_missing": RawSide.IS_MISSING in side}
    found |= dict.fromkeys((name for name, holds in flags.items() if holds), True)
    if is_transformed:
        found["transformed"] = True
    if RawSide.EXACT not in side:
        found["exact"] = False
    return found


def _raw_feature(column: ModelColumn) -> int | None:
    return None if column.transformed else column.raw_index


def _before_low(side: RawSide, has_low: bool, has_high: bool) -> str:  # noqa: FBT001
    if RawSide.IS_MISSING in side:
        return wording.MISSING
    if not has_low and not has_high:
        return any_number(side)
    return wording.lower_end(inclusive=RawSide.LOW_INCLUSIVE in side) if has_low else ""


def _before_high(side: RawSide, has_low: bool, has_high: bool) -> str:  # noqa: FBT001
    between = " and " if has_low else ""
    return between + wording.upper_end(inclusive=RawSide.HIGH_INCLUSIVE in side) if has_high else ""


@lru_cache(maxsize=_KEPT_NUMBERS)
def _words(number: bytes) -> str:
    """Return a number that is JSON as sentences have it; an empty text for null."""
    return "" if number == b"null" else wording.number_text(float(number))


def _number_texts(values: NDArray[np.float32 | np.float64]) -> list[bytes]:
    """Return each number as JSON, in as few digits as its precision takes; a missing end as null."""
    text: bytes = orjson.dumps(values, option=orjson.OPT_SERIALIZE_NUMPY)
    return text[1:-1].split(b",") if len(values) else []
