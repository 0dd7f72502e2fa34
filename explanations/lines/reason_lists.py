"""The lists of reasons of pairs, as texts."""

import numpy as np
import orjson
from numpy.typing import NDArray

from tree_explainers.prototype_sets.feature_reasons import FeatureReason

from ..explained_blocks import ExplainedBlock
from ..reason_texts import HIGH, N_PIECES, ReasonTexts, number_words, sentence_codes
from ..texts import Compositions, DistinctNumbers, TextPool, texts_of

_SHARE = b'"tree_share":'
_COMMA = b","


class ReasonLists:
    """Composes reasons as ``ReasonTexts`` writes them."""

    def __init__(self, texts: ReasonTexts, pool: TextPool) -> None:
        self._starts, self._sides = pool.add_pieces(*texts.starts), pool.add_pieces(*texts.sides)
        parts = texts.sentences
        self._before_low = pool.add_pieces(*parts.before_low)
        self._before_high, self._after = pool.add_pieces(*parts.before_high), pool.add_pieces(*parts.after)
        self._high, self._nothing = pool.add_pieces(HIGH), pool.add_pieces(b"")
        self._ends = _add_ends(pool, texts.ends)
        self._n_columns = len(texts.ends)

    def compose(self, explained: ExplainedBlock, pool: TextPool) -> Compositions:
        """Return the reasons of each pair, with commas between them."""
        reasons, lows, highs = explained.reasons, explained.lows, explained.highs
        is_last = np.zeros(len(reasons.column), dtype=np.int64)
        is_last[reasons.bounds[1:][np.diff(reasons.bounds) > 0] - 1] = 1
        codes = sentence_codes(reasons.side, lows.decimals, highs.decimals)
        texts = np.empty((len(reasons.column), N_PIECES), dtype=np.int64)
        texts[:, 0] = self._starts + reasons.column
        texts[:, 1] = self._before_low + codes
        texts[:, 2] = _words(pool, lows)
        texts[:, 3] = self._before_high + codes
        texts[:, 4] = _words(pool, highs)
        texts[:, 5] = self._after + codes
        texts[:, 6] = _numbers(pool, lows)
        texts[:, 7] = self._high
        texts[:, 8] = _numbers(pool, highs)
        texts[:, 9] = self._sides + reasons.side
        texts[:, 10] = _numbers(pool, explained.tree_shares)
        texts[:, 11] = self._ends + reasons.column + self._n_columns * is_last
        if reasons.others:
            self._tell_others(texts, explained, is_last, pool)
        return Compositions.of_equal_length(texts).grouped(reasons.bounds)

    def _tell_others(
        self, texts: NDArray[np.int64], explained: ExplainedBlock, is_last: NDArray[np.int64], pool: TextPool
    ) -> None:
        """Tell the features that are not single numbers in texts of their own."""
        others = explained.reasons.others
        is_other = explained.reasons.other >= 0
        other = explained.reasons.other[is_other]
        around = [_around_share(reason) for reason in others]
        texts[is_other, 0] = pool.add_pieces(*(start for start, _ in around)) + other
        texts[is_other, 1:10] = self._nothing
        texts[is_other, 11] = _add_ends(pool, tuple(end for _, end in around)) + other + len(others) * is_last[is_other]


def _numbers(pool: TextPool, numbers: DistinctNumbers) -> NDArray[np.int64]:
    return pool.add(numbers.texts) + numbers.index


def _words(pool: TextPool, numbers: DistinctNumbers) -> NDArray[np.int64]:
    """Return the numbers as sentences have them."""
    return pool.add_pieces(*map(number_words, numbers.texts.to_pylist())) + numbers.index


def _add_ends(pool: TextPool, ends: tuple[bytes, ...]) -> int:
    """Take in the ends of reasons with the comma that follows, then all of them without."""
    return pool.add(texts_of([*ends, *(end.removesuffix(_COMMA) for end in ends)]))


def _around_share(reason: FeatureReason) -> tuple[bytes, bytes]:
    """Return what is written before and after the share of trees, which is not the same for all who share a reason."""
    before, key, after = orjson.dumps({**reason, "tree_share": None}).rpartition(_SHARE)
    return before + key, after.removeprefix(b"null") + _COMMA
