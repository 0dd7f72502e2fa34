"""Reasons as explanations have them: in words, with the values of both rows, and in numbers where those are included.

Of each prototype only as many reasons are put into words as are shown. They are written as JSON at once, from pieces
that are prepared where they do not change from row to row: of many rows, objects would take longer than the pieces.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice, pairwise
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from tree_explainers.column_words import ColumnPhrases, Phrases
from tree_explainers.onnx_models.description import ModelColumn
from tree_explainers.prototype_sets.raw_units import RawReasons, Wanted
from tree_explainers.prototype_sets.readable import ReasonReader

from .cell_texts import CellTexts, Values, cell_texts
from .many_reasons import HeadTable, ManyPairs, PairedReasons, write_reasons
from .reason_heads import END_OF_REASON, Kept, OtherRow, ReasonHead, share_texts
from .reason_words import ReasonWords

_DIGEST_BYTES = 16  # no two of which are alike by chance
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
    features: tuple[int | None, ...]  # (n_columns,) index of the raw feature; None: transformed
    of_columns: NDArray[np.int64]  # (n_columns,) the same; -1: transformed
    words: ReasonWords
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
            features,
            np.array([-1 if feature is None else feature for feature in features], np.int64),
            ReasonWords.of(reader, phrases or {}),
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
        heads = self.known_heads.of(keys, lambda indices: self.words.heads(raw, indices))
        intervals = (
            self.known_intervals.of(keys, lambda chosen: self.words.intervals(raw, chosen)) if with_intervals else []
        )
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
        heads, numbers = self.numbered_heads.of(keys, lambda indices: self.words.heads(distinct, indices))
        others, intervals = dict(self._others(reasons, raw, None)), list[bytes]()
        if with_intervals:
            of_distinct = self.known_intervals.of(keys, lambda chosen: self.words.intervals(distinct, chosen))
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
        return Wanted(self.is_shown, len(self.features) if n_reasons is None else n_reasons)

    def mention(self, feature: str) -> str:
        """Return a column's name as the object of a sentence."""
        return self.mentions.get(feature, feature)

    def phrases_of(self, feature: str) -> ColumnPhrases | None:
        """Return the words of a column, by its name; ``None`` where there is none."""
        column = self.columns.get(feature)
        return None if column is None else self.words.of_column(column)

    def _head(self, raw: RawReasons, statement: bytes, index: int) -> ReasonHead:
        """Return the beginning of one reason, which states this."""
        (head,) = self.known_heads.of([statement], lambda _: self.words.heads(raw, [index]))
        return head

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
                made.append(self.words.other(column, reason))
            return made

        yield from zip(others, self.known_others.of(keys, make), strict=True)


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


def _raw_feature(column: ModelColumn) -> int | None:
    return None if column.transformed else column.raw_index


def _digest(*parts: bytes) -> bytes:
    """Return a short text of bytes that is another one for other bytes."""
    return blake2b(b"".join(parts), digest_size=_DIGEST_BYTES).digest()
