"""Reasons as explanations have them: in words, with the values of both rows, and in numbers where those are included.

Of each prototype only as many reasons are put into words as are shown. What does not change from row to row is
prepared.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from tree_explainers import wording
from tree_explainers.onnx_models.description import ModelColumn
from tree_explainers.prototype_sets.feature_reasons import FeatureReason, any_number, shown_name
from tree_explainers.prototype_sets.raw_units import RawReasons, RawSide
from tree_explainers.prototype_sets.readable import ReasonReader

_N_SIDES = 1 << len(RawSide)
_HAS_LOW, _HAS_HIGH = _N_SIDES, 2 * _N_SIDES  # beside a side: there is an end
_KEPT_NUMBERS = 100_000


class Compared(NamedTuple):
    """A row and others that it is compared with: the raw values of each, in the order of the model's features."""

    values: Sequence[Any]
    others: Sequence[Sequence[Any]]  # (n_pairs,)
    is_missing: NDArray[np.bool_] | None = None  # (n_columns,) as ``ReasonReader.group`` takes it


@dataclass(frozen=True, slots=True)
class ReasonTexts:
    """Puts reasons into words."""

    reader: ReasonReader
    is_shown: NDArray[np.bool_]  # (n_columns,) callers may see it
    shows_all: bool
    names: tuple[str, ...]  # (n_columns,)
    starts: tuple[str, ...]  # (n_columns,) up to the predicate of the sentence
    features: tuple[int | None, ...]  # (n_columns,) index of the raw feature; None: transformed
    before_low: tuple[str, ...]  # the words around the numbers of a sentence, by ``_sentence_codes``
    before_high: tuple[str, ...]
    after: tuple[str, ...]

    @staticmethod
    def build(reader: ReasonReader, shown_features: frozenset[str] | None) -> "ReasonTexts":
        """Prepare for a model; ``None`` shows all features.

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
            bool(is_shown.all()),
            tuple(column.name for column in reader.columns),
            tuple(f"{shown_name(column)} is " for column in reader.columns),
            tuple(map(_raw_feature, reader.columns)),
            tuple(_before_low(*code) for code in codes),
            tuple(_before_high(*code) for code in codes),
            tuple(wording.MISSING_ALLOWED if RawSide.OR_MISSING in side else "" for side, _, _ in codes),
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
        raw = self.reader.group(reasons, len(compared.others), compared.is_missing)
        places = [self._shown(raw, start, end)[:n_reasons] for start, end in pairwise(raw.bounds.tolist())]
        chosen = [place for own in places for place in own]
        columns, texts, shares, intervals = self._in_words(raw, chosen, with_intervals=with_intervals)
        if raw.is_other.any():
            for index, place in enumerate(chosen):
                if raw.is_other[place]:
                    found = self.reader.other(reasons, raw, place, compared.is_missing)
                    texts[index], intervals[index] = found["text"], interval_of(found) if with_intervals else None
        written, end = [], 0
        for other, own in zip(compared.others, places, strict=True):
            start, end = end, end + len(own)
            of_pair = zip(columns[start:end], texts[start:end], shares[start:end], intervals[start:end], strict=True)
            written.append([self._reason(*reason, compared.values, other) for reason in of_pair])
        return written

    def _shown(self, raw: RawReasons, start: int, end: int) -> Sequence[int]:
        if self.shows_all:
            return range(start, end)
        found: list[int] = (start + np.flatnonzero(self.is_shown[raw.column[start:end]])).tolist()
        return found

    def _in_words(
        self, raw: RawReasons, chosen: list[int], *, with_intervals: bool
    ) -> tuple[list[int], list[str], list[float], list[dict[str, Any] | None]]:
        """Return column, text, share of trees and interval of the reasons at these places, as if all were numbers."""
        column, side = raw.column[chosen], raw.side[chosen]
        low, high = self.reader.rounded(raw.low[chosen], column), self.reader.rounded(raw.high[chosen], column)
        lows, highs = _number_texts(low), _number_texts(high)
        codes = (side + _HAS_LOW * np.isfinite(low) + _HAS_HIGH * np.isfinite(high)).tolist()
        columns = column.tolist()
        texts = [
            f"{self.starts[of]}{self.before_low[code]}{_words(low)}{self.before_high[code]}{_words(high)}{self.after[code]}"
            for of, code, low, high in zip(columns, codes, lows, highs, strict=True)
        ]
        intervals: list[dict[str, Any] | None] = [None] * len(columns)
        if with_intervals:
            ends = zip(side.tolist(), lows, highs, columns, strict=True)
            intervals = [self._interval(*each) for each in ends]
        return columns, texts, raw.share_of_trees[chosen].tolist(), intervals

    def _interval(self, side: int, low: bytes, high: bytes, column: int) -> dict[str, Any]:
        is_transformed = self.reader.columns[column].transformed
        return _interval(RawSide(side), orjson.loads(low), orjson.loads(high), is_transformed=is_transformed)

    def _reason(
        self,
        column: int,
        text: str,
        share_of_trees: float,
        interval: dict[str, Any] | None,
        values: Sequence[Any],
        others: Sequence[Any],
    ) -> dict[str, Any]:
        found: dict[str, Any] = {"feature": self.names[column], "text": text}
        feature = self.features[column]
        if feature is not None:
            found["value"], found["prototype_value"] = values[feature], others[feature]
        found["share_of_trees"] = share_of_trees
        if interval is not None:
            found["interval"] = interval
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
