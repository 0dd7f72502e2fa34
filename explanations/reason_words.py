"""What reasons say: the sentence of each, as if all were numbers, and those of features of several columns."""

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from tree_explainers import wording
from tree_explainers.column_words import ColumnPhrases, ColumnWords, Phrases
from tree_explainers.onnx_models.description import ModelColumn
from tree_explainers.printed_numbers import NumberColumn, NumberPhrases
from tree_explainers.prototype_sets.feature_reasons import FeatureReason, any_number, shown_name
from tree_explainers.prototype_sets.raw_units import RawReasons, RawSide
from tree_explainers.prototype_sets.readable import ReasonReader
from tree_explainers.wording import Interval

from .brief_texts import BriefText, Text, interval_words
from .feature_phrases import FeaturePhrases
from .reason_heads import ReasonHead
from .reason_intervals import ends_of, interval_between, interval_of, interval_text

_IS_MISSING = int(RawSide.IS_MISSING)
_SIDES = tuple(map(RawSide, range(1 << len(RawSide))))
# By side: what an ``Interval`` has behind its ends. Asking the side itself takes several times as long.
_FLAGS = tuple(
    (RawSide.LOW_INCLUSIVE in side, RawSide.HIGH_INCLUSIVE in side, RawSide.OR_MISSING in side) for side in _SIDES
)


@dataclass(frozen=True, slots=True)
class ReasonWords:
    """Puts the reasons of a model's columns into words."""

    reader: ReasonReader
    names: tuple[str, ...]  # (n_columns,)
    starts: tuple[str, ...]  # (n_columns,) up to the predicate of the sentence
    after: tuple[str, ...]  # what ends a sentence, by side
    phrases: dict[int, ColumnPhrases]  # by column, of those that have words of their own, which are no numbers
    numbers: tuple[NumberPhrases, ...]  # (n_columns,) how numbers are printed

    @staticmethod
    def of(reader: ReasonReader, phrases: Phrases) -> "ReasonWords":
        """Prepare for a model, whose columns may have words of their own, by their names."""
        return ReasonWords(
            reader,
            tuple(column.name for column in reader.columns),
            tuple(f"{_called(column, phrases)} is " for column in reader.columns),
            tuple(wording.MISSING_ALLOWED if or_missing else "" for *_, or_missing in _FLAGS),
            _by_column(reader, phrases),
            tuple(_number_phrases(column, reader, phrases) for column in reader.columns),
        )

    def of_column(self, column: int) -> ColumnPhrases:
        """Return the words of a column."""
        return self.phrases.get(column, self.numbers[column])

    def heads(self, raw: RawReasons, indices: list[int]) -> list[ReasonHead]:
        """Return the beginnings of the reasons at these indices, as if all were numbers."""
        columns = raw.reasons["column"][indices].tolist()
        texts = self._texts(raw, indices)
        return [ReasonHead.of(self.names[column], text) for column, text in zip(columns, texts, strict=True)]

    def intervals(self, raw: RawReasons, indices: list[int]) -> list[bytes]:
        """Return the intervals of the reasons at these indices, as if all were numbers."""
        columns, sides, low, high = self._rounded(raw, indices)
        ends = zip(columns.tolist(), sides.tolist(), _number_texts(low), _number_texts(high), strict=True)
        return [interval_text(self._interval(*each)) for each in ends]

    def other(self, column: int, reason: FeatureReason) -> tuple[ReasonHead, bytes]:
        """Return the beginning and the interval of a reason that is no single number's."""
        text = self._sentence(column, reason) or self._brief_of(column, reason)
        return ReasonHead.of(self.names[column], text), interval_text(interval_of(reason))

    def _texts(self, raw: RawReasons, indices: list[int]) -> list[Text]:
        """Return the texts of the reasons at these indices, as if all were numbers."""
        columns, sides, low, high = self._rounded(raw, indices)
        shortest = zip(
            _number_texts(low), _number_texts(high), strict=True
        )  # of single precision 0.1, not 0.10000000149
        ends = zip(columns.tolist(), sides.tolist(), low.tolist(), high.tolist(), shortest, strict=True)
        return [self._text(column, side, (low, high), short) for column, side, low, high, short in ends]

    def _text(self, column: int, side: int, ends: tuple[float, float], shortest: tuple[bytes, bytes]) -> Text:
        start, after = self.starts[column], self.after[side]
        if side & _IS_MISSING:
            return f"{start}{wording.MISSING}{after}"
        exact = Interval(*ends, *_FLAGS[side])
        if column in self.phrases and (sentence := self.phrases[column].sentence(exact)) is not None:
            return sentence
        numbers = self.numbers[column]
        low, high = shortest
        shown = Interval(_number_of(low, -inf), _number_of(high, inf), *_FLAGS[side])
        if (printed := numbers.printed(exact)) is None:
            return f"{start}{interval_words(shown) or any_number(_SIDES[side])}{after}"
        if not printed.text:
            return f"{start}{any_number(_SIDES[side])}{after}"
        brief, after = f"{start}{numbers.text_of(printed)}{after}", f"{numbers.words.with_unit('')}{after}"
        return BriefText.between(brief, printed.ends, shown, (start, after), numbers.column)

    def _brief_of(self, column: int, reason: FeatureReason) -> Text:
        """Return the text of a feature of several columns, its ends as people write them."""
        ends, text, numbers = ends_of(reason), reason["text"], self.numbers[column]
        printed = numbers.printed(ends)
        words = interval_words(ends, is_single=self.reader.precision is np.float32)
        if not words or words not in text or printed is None or not printed.text:
            return text
        start, _, after = text.removeprefix(self.starts[column]).partition(words)
        start = self.starts[column] + start
        brief = f"{start}{numbers.text_of(printed)}{after.removeprefix(numbers.words.with_unit(''))}"
        return BriefText.between(brief, printed.ends, ends, (start, after), numbers.column)

    def _sentence(self, column: int, reason: FeatureReason) -> str | None:
        """Return a reason in the column's own words; ``None`` where it has none, or the reason is a single number's."""
        others = reason["category"] is not None or reason["categories"] or reason["excluded_categories"]
        if column not in self.phrases or others or reason["is_missing"]:
            return None
        return self.phrases[column].sentence(ends_of(reason))

    def _rounded(self, raw: RawReasons, indices: list[int]) -> tuple[NDArray[Any], ...]:
        """Return columns, sides, and low and high ends as they are written."""
        found = raw.reasons[indices]
        columns = found["column"]
        ends = (self.reader.rounded(found[end], columns) for end in ("low", "high"))
        return columns, found["side"], *ends

    def _interval(self, column: int, side: int, low: bytes, high: bytes) -> dict[str, Any]:
        is_transformed = self.reader.columns[column].transformed
        return interval_between(RawSide(side), orjson.loads(low), orjson.loads(high), is_transformed=is_transformed)


def _by_column(reader: ReasonReader, phrases: Phrases) -> dict[int, ColumnPhrases]:
    columns = enumerate(reader.columns)
    own = ((at, phrases.get(each.name)) for at, each in columns if not each.transformed)
    return {at: words for at, words in own if words is not None and not isinstance(words, NumberPhrases)}


def _called(column: ModelColumn, phrases: Phrases) -> str:
    """Return what a column is called; one that is not a raw feature by its own name, marked."""
    words = None if column.transformed or column.name not in phrases else phrases[column.name].words
    return shown_name(column) if words is None else words.name


def _number_phrases(column: ModelColumn, reader: ReasonReader, phrases: Phrases) -> NumberPhrases:
    words = phrases.get(column.name)
    words = words.numbers if isinstance(words, FeaturePhrases) else words
    if isinstance(words, NumberPhrases) and not column.transformed:
        return words
    return NumberPhrases.of(ColumnWords(column.name), NumberColumn(precision=reader.precision))


def _number_of(text: bytes, none: float) -> float:
    """Return an end that is JSON, or the number of none."""
    return none if text == b"null" else float(text)


def _number_texts(values: NDArray[np.float32 | np.float64]) -> list[bytes]:
    """Return each number as JSON, in as few digits as its precision takes; a missing end as null."""
    text: bytes = orjson.dumps(values, option=orjson.OPT_SERIALIZE_NUMPY)
    return text[1:-1].split(b",") if len(values) else []
