"""Reasons as explanations have them: in words, with the values of both rows, and in numbers where those are included.

Of each prototype only as many reasons are put into words as are shown. They are written as JSON at once, from pieces
that are prepared where they do not change from row to row: of many rows, objects would take longer than the pieces.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice, pairwise
from math import inf
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from tree_explainers import wording
from tree_explainers.column_words import ColumnPhrases, ColumnWords, Phrases
from tree_explainers.onnx_models.description import ModelColumn
from tree_explainers.printed_numbers import NumberColumn, NumberPhrases
from tree_explainers.prototype_sets.feature_reasons import FeatureReason, any_number, shown_name
from tree_explainers.prototype_sets.raw_units import RawReasons, RawSide, Wanted
from tree_explainers.prototype_sets.readable import ReasonReader
from tree_explainers.wording import Interval

from .brief_texts import BriefText, Text, interval_words
from .cell_texts import CellTexts, Values, cell_texts
from .feature_phrases import FeaturePhrases
from .many_reasons import HeadTable, ManyPairs, PairedReasons, write_reasons
from .reason_heads import END_OF_REASON, Kept, OtherRow, ReasonHead, share_texts

_DIGEST_BYTES = 16  # no two of which are alike by chance
_IS_MISSING = int(RawSide.IS_MISSING)
_SIDES = tuple(map(RawSide, range(1 << len(RawSide))))
# By side: what an ``Interval`` has behind its ends. Asking the side itself takes several times as long.
_FLAGS = tuple(
    (RawSide.LOW_INCLUSIVE in side, RawSide.HIGH_INCLUSIVE in side, RawSide.OR_MISSING in side) for side in _SIDES
)
PROTOTYPE_VALUE = b',"prototype_value":'
"""What stands in a reason before the value of the other row."""


class Compared(NamedTuple):
    """A row and others that it is compared with: the raw values of each, in the order of the model's features."""

    values: Sequence[Any]
    others: Sequence[Values]  # (n_pairs,)
    is_missing: NDArray[np.bool_] | None = None  # (n_columns,) as ``ReasonReader.group`` takes it


class PairOfRows(NamedTuple):
    """A row and another that it is near, with what their values are in JSON."""

    values: Values
    cells: CellTexts
    other_values: Values
    other_cells: CellTexts  # each behind ``PROTOTYPE_VALUE``


@dataclass(frozen=True, slots=True)
class ReasonTexts:
    """Puts reasons into words."""

    reader: ReasonReader
    is_shown: NDArray[np.bool_]  # (n_columns,) callers may see it
    names: tuple[str, ...]  # (n_columns,)
    starts: tuple[str, ...]  # (n_columns,) up to the predicate of the sentence
    features: tuple[int | None, ...]  # (n_columns,) index of the raw feature; None: transformed
    of_columns: NDArray[np.int64]  # (n_columns,) the same; -1: transformed
    after: tuple[str, ...]  # what ends a sentence, by side
    phrases: dict[int, ColumnPhrases]  # by column, of those that have words of their own, which are no numbers
    numbers: tuple[NumberPhrases, ...]  # (n_columns,) how numbers are printed
    columns: dict[str, int]  # by name, of raw features
    mentions: dict[str, str]  # by name, of these columns: ``whether it has an account``
    known_heads: Kept[ReasonHead] = field(default_factory=Kept)
    numbered_heads: HeadTable = field(default_factory=HeadTable)  # of many rows
    known_intervals: Kept[bytes] = field(default_factory=Kept)
    known_others: Kept[tuple[ReasonHead, bytes]] = field(default_factory=Kept)  # of features of several columns

    @staticmethod
    def build(
        reader: ReasonReader, shown_features: frozenset[str] | None, phrases: Phrases | None = None
    ) -> "ReasonTexts":
        """Prepare for a model; ``None`` shows all features, and columns may have words of their own, by their names.

        A reason holds the prototype's category, or an interval around its value: as good as the value itself, so it is
        shown where that is. What a transformed column depends on is not known, so it is shown with all features only.
        """
        features = tuple(map(_raw_feature, reader.columns))
        is_shown = np.array(
            [
                shown_features is None or (column.name in shown_features and not column.transformed)
                for column in reader.columns
            ],
            dtype=np.bool_,
        )
        return ReasonTexts(
            reader,
            is_shown,
            tuple(column.name for column in reader.columns),
            tuple(f"{_called(column, phrases or {})} is " for column in reader.columns),
            features,
            np.array([-1 if feature is None else feature for feature in features], np.int64),
            tuple(wording.MISSING_ALLOWED if or_missing else "" for *_, or_missing in _FLAGS),
            _by_column(reader, phrases or {}),
            tuple(_number_phrases(column, reader, phrases or {}) for column in reader.columns),
            {column.name: index for index, column in enumerate(reader.columns) if not column.transformed},
            {name: words.mention(name) for name, words in (phrases or {}).items()},
        )

    def write(
        self,
        reasons: NDArray[Any],
        compared: Compared,
        n_reasons: int | None,
        *,
        with_intervals: bool,
        hold_for_both: bool = True,
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
        hold_for_both
            Whether the reasons hold for both rows, so that ends of transformed columns may be moved outwards to few
            digits; such as part the rows keep all their digits.
        """
        cells = cell_texts(compared.values)
        others = [(other, cell_texts(other, PROTOTYPE_VALUE)) for other in compared.others]
        pairs = [PairOfRows(compared.values, cells, *other) for other in others]
        texts = self.write_pairs(
            reasons,
            pairs,
            compared.is_missing,
            n_reasons,
            with_intervals=with_intervals,
            hold_for_both=hold_for_both,
        )
        return list(map(orjson.loads, texts))

    def write_pairs(
        self,
        reasons: NDArray[Any],
        pairs: Sequence[PairOfRows],
        is_missing: NDArray[np.bool_] | None,
        n_reasons: int | None,
        *,
        with_intervals: bool,
        hold_for_both: bool = True,
    ) -> list[bytes]:
        """Return the reasons of pairs of a row and another, (n_pairs,), each with the values of both, as JSON.

        The rows are several that miss the values of the same columns unexpectedly, ``is_missing``, or none.
        """
        raw = self.reader.group(reasons, len(pairs), is_missing, self.wanted(n_reasons))
        columns, keys = raw.reasons["column"].tolist(), raw.statements()
        heads = self.known_heads.of(keys, lambda indices: self._heads(raw, indices))
        intervals = self.known_intervals.of(keys, lambda chosen: self._intervals(raw, chosen)) if with_intervals else []
        for index, (head, interval) in self._others(reasons, raw, is_missing):
            heads[index] = head
            if with_intervals:
                intervals[index] = interval
        ends = list(map(share_texts().__getitem__, raw.reasons["share_units"].tolist()))
        if with_intervals:
            ends = [share + interval for share, interval in zip(ends, intervals, strict=True)]
        of_all = zip(map(self.features.__getitem__, columns), heads, ends, strict=True)
        counts = (end - start for start, end in pairwise(raw.bounds.tolist()))
        return [_of_pair(islice(of_all, count), pair, hold_for_both) for count, pair in zip(counts, pairs, strict=True)]

    def write_row(
        self, reasons: NDArray[Any], row: tuple[Values, CellTexts], others: Sequence[OtherRow], n_reasons: int | None
    ) -> list[bytes]:
        """Return the same as ``write_pairs`` for one row that misses nothing unexpectedly, and others, (n_pairs,).

        What is the same of all rows near another one is kept there, which takes a row alone half the time.
        """
        values, cells = row
        raw, texts, shares = self.reader.group(reasons, len(others), None, self.wanted(n_reasons)), [], share_texts()
        if np.count_nonzero(raw.reasons["is_other"]):
            pairs = [PairOfRows(values, cells, other.values, other.cells) for other in others]
            return self.write_pairs(reasons, pairs, None, n_reasons, with_intervals=False)
        statements, share_units = raw.statements(), raw.reasons["share_units"].tolist()
        for other, (start, end) in zip(others, pairwise(raw.bounds.tolist()), strict=True):
            pieces, known = list[bytes](), other.known
            for index in range(start, end):
                statement, share = statements[index], shares[share_units[index]]
                if (reason := known.get(statement)) is None:
                    feature = self.features[raw.reasons["column"][index]]
                    reason = other.learn(statement, feature, self._head(raw, statement, index))
                feature, begin, low, high, other_value, head = reason
                if feature is None:
                    pieces += head.start, orjson.dumps(head.widened), share
                    continue
                value = values[feature]
                if not (value.__class__ is float and low < value < high):  # by far the most are
                    begin = head.for_values(value, other.values[feature])
                pieces += begin, cells[feature], other_value, share
            texts.append(_joined(pieces))
        return texts

    def write_many(
        self, reasons: NDArray[Any], pairs: ManyPairs, n_reasons: int | None, *, with_intervals: bool
    ) -> list[bytes] | None:
        """Return the same as ``write_pairs`` for many pairs; ``None`` where not all reasons are of raw features."""
        raw = self.reader.group(reasons, len(pairs.rows), None, self.wanted(n_reasons))
        features = self.of_columns[raw.reasons["column"]]
        if (features < 0).any():
            return None
        distinct, number_of = raw.distinct()
        keys = distinct.statements()
        heads, numbers = self.numbered_heads.of(keys, lambda indices: self._heads(distinct, indices))
        others, intervals = dict(self._others(reasons, raw, None)), list[bytes]()
        if with_intervals:
            of_distinct = self.known_intervals.of(keys, lambda chosen: self._intervals(distinct, chosen))
            intervals = list(map(of_distinct.__getitem__, number_of.tolist()))
            for index, (_, interval) in others.items():
                intervals[index] = interval
        paired = PairedReasons(
            features,
            numbers[number_of],
            raw.reasons["share_units"],
            raw.bounds,
            {index: head for index, (head, _) in others.items()},
            intervals,
        )
        return write_reasons(paired, heads, pairs)

    def wanted(self, n_reasons: int | None) -> Wanted:
        """Return which reasons are written, ``n_reasons`` of each pair at most; ``None``: all."""
        return Wanted(self.is_shown, len(self.names) if n_reasons is None else n_reasons)

    def mention(self, feature: str) -> str:
        """Return a column's name as the object of a sentence."""
        return self.mentions.get(feature, feature)

    def phrases_of(self, feature: str) -> ColumnPhrases | None:
        """Return the words of a column, by its name; ``None`` where there is none."""
        column = self.columns.get(feature)
        return None if column is None else self.phrases.get(column, self.numbers[column])

    def _head(self, raw: RawReasons, statement: bytes, index: int) -> ReasonHead:
        """Return the beginning of one reason, which states this."""
        (head,) = self.known_heads.of([statement], lambda _: self._heads(raw, [index]))
        return head

    def _heads(self, raw: RawReasons, indices: list[int]) -> list[ReasonHead]:
        """Return the beginnings of the reasons at these indices, as if all were numbers."""
        columns = raw.reasons["column"][indices].tolist()
        texts = self._texts(raw, indices)
        return [ReasonHead.of(self.names[column], text) for column, text in zip(columns, texts, strict=True)]

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
        ends, text, numbers = _ends_of(reason), reason["text"], self.numbers[column]
        printed = numbers.printed(ends)
        words = interval_words(ends, is_single=self.reader.precision is np.float32)
        if not words or words not in text or printed is None or not printed.text:
            return text
        start, _, after = text.removeprefix(self.starts[column]).partition(words)
        start = self.starts[column] + start
        brief = f"{start}{numbers.text_of(printed)}{after.removeprefix(numbers.words.with_unit(''))}"
        return BriefText.between(brief, printed.ends, ends, (start, after), numbers.column)

    def _others(
        self, reasons: NDArray[Any], raw: RawReasons, is_missing: NDArray[np.bool_] | None
    ) -> Iterator[tuple[int, tuple[ReasonHead, bytes]]]:
        """Yield the indices of those that are no single numbers, with their beginnings and intervals."""
        are_others = raw.reasons["is_other"]
        if not np.count_nonzero(are_others):  # as of most models
            return
        others = np.flatnonzero(are_others).tolist()
        context = b"" if is_missing is None else is_missing.tobytes()
        keys = [_digest(statement, context) for statement in raw.own_statements(reasons, others)]

        def make(chosen: list[int]) -> list[tuple[ReasonHead, bytes]]:
            made = []
            for index in (others[at] for at in chosen):
                reason, column = self.reader.other(reasons, raw, index, is_missing), int(raw.reasons["column"][index])
                text = self._sentence(column, reason) or self._brief_of(column, reason)
                made.append((ReasonHead.of(self.names[column], text), _interval_text(interval_of(reason))))
            return made

        yield from zip(others, self.known_others.of(keys, make), strict=True)

    def _sentence(self, column: int, reason: FeatureReason) -> str | None:
        """Return a reason in the column's own words; ``None`` where it has none, or the reason is a single number's."""
        others = reason["category"] is not None or reason["categories"] or reason["excluded_categories"]
        if column not in self.phrases or others or reason["is_missing"]:
            return None
        return self.phrases[column].sentence(_ends_of(reason))

    def _intervals(self, raw: RawReasons, indices: list[int]) -> list[bytes]:
        """Return the intervals of the reasons at these indices, as if all were numbers."""
        columns, sides, low, high = self._rounded(raw, indices)
        ends = zip(columns.tolist(), sides.tolist(), _number_texts(low), _number_texts(high), strict=True)
        return [_interval_text(self._interval(*each)) for each in ends]

    def _rounded(self, raw: RawReasons, indices: list[int]) -> tuple[NDArray[Any], ...]:
        """Return columns, sides, and low and high ends as they are written."""
        found = raw.reasons[indices]
        columns = found["column"]
        ends = (self.reader.rounded(found[end], columns) for end in ("low", "high"))
        return columns, found["side"], *ends

    def _interval(self, column: int, side: int, low: bytes, high: bytes) -> dict[str, Any]:
        is_transformed = self.reader.columns[column].transformed
        return _interval(RawSide(side), orjson.loads(low), orjson.loads(high), is_transformed=is_transformed)


def _interval_text(interval: dict[str, Any]) -> bytes:
    return b',"interval":%b' % orjson.dumps(interval)


def _of_pair(reasons: Iterable[tuple[int | None, ReasonHead, bytes]], pair: PairOfRows, hold_for_both: bool) -> bytes:
    """Return the reasons of a pair as JSON, each from its feature, its head and what ends it."""
    values, cells, other_values, other_cells = pair
    pieces = list[bytes]()
    for feature, head, end in reasons:
        brief, low, high, start, text = head
        if feature is None:
            sentence = head.widened if hold_for_both or isinstance(text, str) else text.exact
            pieces += start, orjson.dumps(sentence), end
            continue
        value, other = values[feature], other_values[feature]
        # By far the most are numbers of which the brief sentence is true.
        is_sure = value.__class__ is float is other.__class__ and low < value < high and low < other < high
        begin = brief if is_sure else head.for_values(value, other)
        pieces += begin, cells[feature], other_cells[feature], end
    return _joined(pieces)


def _joined(pieces: Sequence[bytes]) -> bytes:
    """Return reasons as a list: no other one ends before the first."""
    return b"[%b}]" % b"".join(pieces)[len(END_OF_REASON) :] if pieces else b"[]"


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


def _ends_of(reason: FeatureReason) -> Interval:
    low, high = -inf if reason["low"] is None else reason["low"], inf if reason["high"] is None else reason["high"]
    return Interval(low, high, reason["low_inclusive"], reason["high_inclusive"], reason["or_missing"])


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
    interval = _interval(side, reason["low"], reason["high"], is_transformed=reason["transformed"])
    if reason["category"] is not None:
        interval["category"] = reason["category"]
    if reason["categories"]:
        interval["categories"] = list(reason["categories"])
    if reason["excluded_categories"]:
        interval["excluded_categories"] = list(reason["excluded_categories"])
    return interval


def _interval(side: RawSide, low: float | None, high: float | None, *, is_transformed: bool) -> dict[str, Any]:
    interval: dict[str, Any] = {}
    if low is not None:
        interval |= {"low": low, "low_inclusive": RawSide.LOW_INCLUSIVE in side}
    if high is not None:
        interval |= {"high": high, "high_inclusive": RawSide.HIGH_INCLUSIVE in side}
    flags = {"or_missing": RawSide.OR_MISSING in side, "is_missing": RawSide.IS_MISSING in side}
    interval |= dict.fromkeys((name for name, holds in flags.items() if holds), True)
    if is_transformed:
        interval["transformed"] = True
    if RawSide.EXACT not in side:
        interval["exact"] = False
    return interval


def _raw_feature(column: ModelColumn) -> int | None:
    return None if column.transformed else column.raw_index


def _digest(*parts: bytes) -> bytes:
    """Return a short text of bytes that is another one for other bytes."""
    return blake2b(b"".join(parts), digest_size=_DIGEST_BYTES).digest()


def _number_of(text: bytes, none: float) -> float:
    """Return an end that is JSON, or the number of none."""
    return none if text == b"null" else float(text)


def _number_texts(values: NDArray[np.float32 | np.float64]) -> list[bytes]:
    """Return each number as JSON, in as few digits as its precision takes; a missing end as null."""
    text: bytes = orjson.dumps(values, option=orjson.OPT_SERIALIZE_NUMPY)
    return text[1:-1].split(b",") if len(values) else []
