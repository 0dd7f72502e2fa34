"""Reasons as JSON text. A plain dict for each would take longer than finding them, and there are dozens a prototype."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from tree_explainers.prototypes.readable import RawReasons, ReasonReader

_FLAGS = ("low_inclusive", "high_inclusive", "or_missing", "exact")


@dataclass(frozen=True, slots=True)
class ReasonTexts:
    """Writes reasons; what does not change from row to row is written once.

    The text is that of ``FeatureReason`` as JSON, field by field; a test compares the two.
    """

    reader: ReasonReader
    is_shown: NDArray[np.bool_]  # (n_columns,) callers may see it
    starts: tuple[bytes, ...]  # (n_columns,) up to the lower end
    flags: tuple[bytes, ...]  # by the bits of _FLAGS: from the upper end to the share of trees
    ends: tuple[bytes, ...]  # (n_columns,) after the share of trees

    @staticmethod
    def build(reader: ReasonReader, shown_features: frozenset[str] | None) -> "ReasonTexts":
        """Prepare for a model; ``None`` shows all features.

        A reason holds the prototype's category, or an interval around its value: as good as the value itself, so it is
        shown where that is. What a transformed column depends on is not known, so it is shown with all features only.
        """
        is_shown = [
            shown_features is None or (name in shown_features and not transformed)
            for name, transformed in zip(reader.names, reader.is_transformed, strict=True)
        ]
        starts = [b'{"feature":%b,"low":' % orjson.dumps(name) for name in reader.names]
        ends = [b',"transformed":%b}' % orjson.dumps(transformed) for transformed in reader.is_transformed]
        flags = [_flags_text(bits) for bits in range(1 << len(_FLAGS))]
        return ReasonTexts(reader, np.array(is_shown), tuple(starts), tuple(flags), tuple(ends))

    def write(self, reasons: NDArray[Any], n_pairs: int) -> list[orjson.Fragment]:
        """Return the reasons of each of ``n_pairs`` prototypes as a JSON list."""
        found = self.reader.translate(reasons, n_pairs)
        texts = self._number_texts(found)
        for place, reason in found.others.items():
            texts[place] = orjson.dumps(reason)
        if not self.is_shown.all():
            is_shown = self.is_shown[found.numbers["column"]].tolist()
            texts = [text if shown else b"" for text, shown in zip(texts, is_shown, strict=True)]
        return [_list_text(texts[start:end]) for start, end in pairwise(found.bounds)]

    def _number_texts(self, found: RawReasons) -> list[bytes]:
        numbers = found.numbers
        bits = np.zeros(len(numbers), dtype=np.intp)
        for position, flag in enumerate(_FLAGS):
            bits |= numbers[flag].astype(np.intp) << position
        starts, flags, ends = self.starts, self.flags, self.ends
        pieces = zip(
            numbers["column"].tolist(),
            _number_list(numbers["low"]),
            _number_list(numbers["high"]),
            bits.tolist(),
            _number_list(numbers["tree_share"]),
            strict=True,
        )
        return [
            b'%b%b,"high":%b%b%b%b' % (starts[column], low, high, flags[flag], share, ends[column])
            for column, low, high, flag, share in pieces
        ]


def _list_text(texts: list[bytes]) -> orjson.Fragment:
    return orjson.Fragment(b"[%b]" % b",".join(filter(None, texts)))


def _number_list(values: NDArray[np.float64]) -> Sequence[bytes]:
    """Return each number as JSON; infinite ones, ends that are not there, as null."""
    text: bytes = orjson.dumps(np.ascontiguousarray(values), option=orjson.OPT_SERIALIZE_NUMPY)
    return text[1:-1].split(b",") if len(values) else []


def _flags_text(bits: int) -> bytes:
    values = {flag: bool(bits >> position & 1) for position, flag in enumerate(_FLAGS)}
    text: bytes = orjson.dumps({**values, "is_missing": False, "category": None, "not_categories": []})
    return b',%b,"tree_share":' % text[1:-1]
