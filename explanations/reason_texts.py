"""Reasons as JSON text. A plain dict for each would take longer than finding them, and there are dozens a prototype."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from tree_explainers.prototypes.raw_units import RawReasons, RawSide
from tree_explainers.prototypes.readable import ReasonReader
from tree_explainers.prototypes.reasons import Reasons

HIGH = b',"high":'
_N_PIECES = 7  # of the text of one reason
_N_SIDES = 1 << len(RawSide)


@dataclass(frozen=True, slots=True)
class ReasonTexts:
    """Writes reasons; what does not change from row to row is written once.

    The text is that of ``FeatureReason`` as JSON, field by field; a test compares the two.
    """

    reasons: Reasons
    reader: ReasonReader
    is_shown: NDArray[np.bool_]  # (n_columns,) callers may see it
    starts: tuple[bytes, ...]  # (n_columns,) up to the lower end
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
            tuple(b'{"feature":%b,"low":' % orjson.dumps(column.name) for column in reader.columns),
            tuple(_side_text(RawSide(side)) for side in range(_N_SIDES)),
            tuple(b',"transformed":%b},' % orjson.dumps(column.transformed) for column in reader.columns),
        )

    def write(self, prototypes: NDArray[np.int64], shared: NDArray[np.bool_]) -> list[orjson.Fragment]:
        """Return why a row is like each of some prototypes as JSON lists; arguments as of ``Reasons.of``."""
        raw, others = self.reader.translate(self.reasons.of(prototypes, shared), len(prototypes))
        pieces = self._pieces(raw)
        for place, reason in others.items():
            _replace(pieces, place, orjson.dumps(reason) + b",")
        if not self.is_shown.all():
            for place in np.flatnonzero(~self.is_shown[raw.column]).tolist():
                _replace(pieces, place, b"")
        bounds = (raw.bounds * _N_PIECES).tolist()
        return [orjson.Fragment(b"[%b]" % b"".join(pieces[start:end])[:-1]) for start, end in pairwise(bounds)]

    def _pieces(self, raw: RawReasons) -> list[bytes]:
        """Return the texts of all reasons, piece by piece."""
        columns = raw.column.tolist()
        pieces = [HIGH] * (_N_PIECES * len(columns))
        pieces[0::_N_PIECES] = map(self.starts.__getitem__, columns)
        pieces[1::_N_PIECES] = _number_texts(self.reader.rounded(raw.low))
        pieces[3::_N_PIECES] = _number_texts(self.reader.rounded(raw.high))
        pieces[4::_N_PIECES] = map(self.sides.__getitem__, raw.side.tolist())
        pieces[5::_N_PIECES] = _number_texts(raw.tree_share)
        pieces[6::_N_PIECES] = map(self.ends.__getitem__, columns)
        return pieces


def _replace(pieces: list[bytes], place: int, text: bytes) -> None:
    pieces[place * _N_PIECES : (place + 1) * _N_PIECES] = [text, *[b""] * (_N_PIECES - 1)]


def _number_texts(values: NDArray[np.float32 | np.float64]) -> Sequence[bytes]:
    """Return each number as JSON, in as few digits as its precision takes; an end that is not there as null."""
    text: bytes = orjson.dumps(values, option=orjson.OPT_SERIALIZE_NUMPY)
    return text[1:-1].split(b",") if len(values) else []


def _side_text(side: RawSide) -> bytes:
    fields: dict[str, Any] = {
        "low_inclusive": RawSide.LOW_INCLUSIVE in side,
        "high_inclusive": RawSide.HIGH_INCLUSIVE in side,
        "or_missing": RawSide.OR_MISSING in side,
        "exact": RawSide.EXACT in side,
        "is_missing": False,
        "category": None,
        "not_categories": [],
    }
    return b',%b,"tree_share":' % orjson.dumps(fields)[1:-1]
