"""Reasons as JSON text. A plain dict for each would take longer than finding them, and there are dozens a prototype."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from tree_explainers import wording
from tree_explainers.onnx_models.description import ModelColumn
from tree_explainers.prototype_sets.feature_reasons import any_number, shown_name
from tree_explainers.prototype_sets.raw_units import RawReasons, RawSide
from tree_explainers.prototype_sets.readable import ReasonReader
from tree_explainers.prototype_sets.reasons import Reasons

HIGH = b',"high":'
N_PIECES = 12  # of the text of one reason
_N_SIDES = 1 << len(RawSide)
_HAS_LOW, _HAS_HIGH = _N_SIDES, 2 * _N_SIDES  # beside a side: there is an end
_KEPT_NUMBERS = 100_000


@dataclass(frozen=True, slots=True)
class SentenceParts:
    """The texts around the numbers of a sentence, by ``sentence_codes``."""

    before_low: tuple[bytes, ...]
    before_high: tuple[bytes, ...]
    after: tuple[bytes, ...]  # up to the lower end's own field

    @staticmethod
    def build() -> "SentenceParts":
        """Write all of them down."""
        codes = [
            (RawSide(code % _N_SIDES), bool(code & _HAS_LOW), bool(code & _HAS_HIGH)) for code in range(4 * _N_SIDES)
        ]
        return SentenceParts(
            tuple(_before_low(*code).encode() for code in codes),
            tuple(_before_high(*code).encode() for code in codes),
            tuple(b'%b","low":' % _ending(code[0]).encode() for code in codes),
        )


def sentence_codes(side: NDArray[np.int64], low: NDArray[Any], high: NDArray[Any]) -> NDArray[np.int64]:
    """Return the index of each sentence's parts; the ends are rounded to the model's precision."""
    codes: NDArray[np.int64] = side + _HAS_LOW * np.isfinite(low) + _HAS_HIGH * np.isfinite(high)
    return codes


@lru_cache(maxsize=_KEPT_NUMBERS)
def number_words(number: bytes) -> bytes:
    """Return a number that is JSON as sentences have it; an empty text for null."""
    return b"" if number == b"null" else wording.number_text(float(number)).encode()


def _before_low(side: RawSide, has_low: bool, has_high: bool) -> str:  # noqa: FBT001
    if RawSide.IS_MISSING in side:
        return wording.MISSING
    if not has_low and not has_high:
        return any_number(side)
    return wording.lower_end(inclusive=RawSide.LOW_INCLUSIVE in side) if has_low else ""


def _before_high(side: RawSide, has_low: bool, has_high: bool) -> str:  # noqa: FBT001
    between = " and " if has_low else ""
    return between + wording.upper_end(inclusive=RawSide.HIGH_INCLUSIVE in side) if has_high else ""


def _ending(side: RawSide) -> str:
    return wording.MISSING_ALLOWED if RawSide.OR_MISSING in side else ""


@dataclass(frozen=True, slots=True)
class ReasonTexts:
    """Writes reasons; the parts that do not change from row to row are written once.

    The text is that of ``FeatureReason`` as JSON, field by field; a test compares the two.
    """

    reasons: Reasons
    reader: ReasonReader
    is_shown: NDArray[np.bool_]  # (n_columns,) callers may see it
    starts: tuple[bytes, ...]  # (n_columns,) up to the predicate of the sentence
    sentences: SentenceParts
    sides: tuple[bytes, ...]  # by RawSide: from the upper end to the share of trees
    ends: tuple[bytes, ...]  # (n_columns,) after the share of trees

    @staticmethod
    def build(reasons: Reasons, reader: ReasonReader, shown_features: frozenset[str] | None) -> "ReasonTexts":
        """Prepare for a model; ``None`` shows all features.

        A reason holds the prototype's category, or an interval around its value: as good as the value itself, so it is
        shown where that is. What a transformed column depends on is not known, so it is shown with all features only.
        """
        is_shown = [
            shown_features is None or (column.name in shown_features and not column.transformed)
            for column in reader.columns
        ]
        return ReasonTexts(
            reasons,
            reader,
            np.array(is_shown),
            tuple(map(_start, reader.columns)),
            SentenceParts.build(),
            tuple(_side_text(RawSide(side)) for side in range(_N_SIDES)),
            tuple(b',"transformed":%b},' % orjson.dumps(column.transformed) for column in reader.columns),
        )

    def write(
        self, prototypes: NDArray[np.int64], shared: NDArray[np.bool_], is_missing: NDArray[np.bool_] | None = None
    ) -> list[orjson.Fragment]:
        """Return the reasons why a row is similar to each of some prototypes, as JSON lists.

        Arguments are those of ``Reasons.of`` and of ``ReasonReader.translate``.
        """
        raw, others = self.reader.translate(self.reasons.of(prototypes, shared), len(prototypes), is_missing)
        pieces = self._pieces(raw)
        for index, reason in others.items():
            _replace(pieces, index, orjson.dumps(reason) + b",")
        if not self.is_shown.all():
            for index in np.flatnonzero(~self.is_shown[raw.column]).tolist():
                _replace(pieces, index, b"")
        bounds = (raw.bounds * N_PIECES).tolist()
        return [orjson.Fragment(b"[%b]" % b"".join(pieces[start:end])[:-1]) for start, end in pairwise(bounds)]

    def _pieces(self, raw: RawReasons) -> list[bytes]:
        """Return the texts of all reasons, piece by piece."""
        columns, sides = raw.column.tolist(), raw.side.tolist()
        low, high = self.reader.rounded(raw.low, raw.column), self.reader.rounded(raw.high, raw.column)
        lows, highs = _number_texts(low), _number_texts(high)
        codes = sentence_codes(raw.side, low, high).tolist()
        pieces = [HIGH] * (N_PIECES * len(columns))
        pieces[0::N_PIECES] = map(self.starts.__getitem__, columns)
        pieces[1::N_PIECES] = map(self.sentences.before_low.__getitem__, codes)
        pieces[2::N_PIECES] = map(number_words, lows)
        pieces[3::N_PIECES] = map(self.sentences.before_high.__getitem__, codes)
        pieces[4::N_PIECES] = map(number_words, highs)
        pieces[5::N_PIECES] = map(self.sentences.after.__getitem__, codes)
        pieces[6::N_PIECES] = lows
        pieces[8::N_PIECES] = highs
        pieces[9::N_PIECES] = map(self.sides.__getitem__, sides)
        pieces[10::N_PIECES] = _number_texts(raw.share_of_trees)
        pieces[11::N_PIECES] = map(self.ends.__getitem__, columns)
        return pieces


def _start(column: ModelColumn) -> bytes:
    return b'{"feature":%b,"text":%b' % (orjson.dumps(column.name), orjson.dumps(f"{shown_name(column)} is ")[:-1])


def _replace(pieces: list[bytes], index: int, text: bytes) -> None:
    pieces[index * N_PIECES : (index + 1) * N_PIECES] = [text, *[b""] * (N_PIECES - 1)]


def _number_texts(values: NDArray[np.float32 | np.float64]) -> Sequence[bytes]:
    """Return each number as JSON, in as few digits as its precision takes; a missing end as null."""
    text: bytes = orjson.dumps(values, option=orjson.OPT_SERIALIZE_NUMPY)
    return text[1:-1].split(b",") if len(values) else []


def _side_text(side: RawSide) -> bytes:
    fields: dict[str, Any] = {
        "low_inclusive": RawSide.LOW_INCLUSIVE in side,
        "high_inclusive": RawSide.HIGH_INCLUSIVE in side,
        "or_missing": RawSide.OR_MISSING in side,
        "exact": RawSide.EXACT in side,
        "is_missing": RawSide.IS_MISSING in side,
        "category": None,
        "excluded_categories": [],
    }
    return b',%b,"share_of_trees":' % orjson.dumps(fields)[1:-1]
