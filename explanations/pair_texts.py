"""The lists of nearest prototypes in JSON lines: compared values and reasons of each pair of a row and a prototype."""

from collections.abc import Iterable

import numpy as np
import orjson
import pyarrow as pa
from numpy.typing import NDArray

from tree_explainers.prototype_sets.feature_reasons import FeatureReason

from . import documents
from .documents import PLACEHOLDER, pieces_between
from .explained_blocks import BlockExplainer, ExplainedBlock, RowBlock
from .reason_texts import HIGH, N_PIECES, ReasonTexts, number_words, sentence_codes
from .texts import Compositions, DistinctNumbers, TextPool, lines_of, number_texts, texts_of
from .warm_explainer import WarmExplainer

_N_PLACEHOLDERS = 6  # rank, proximity, distance, number of shared trees, compared features, reasons
_SHARE = b'"share_of_trees":'
_COMMA = b","


class PairTexts:
    """Composes lists of nearest prototypes."""

    def __init__(self, explainer: BlockExplainer, pool: TextPool) -> None:
        warm = explainer.warm
        self._reasons, self._values = ReasonLists(warm.reason_texts, pool), ValueTexts(pool)
        self._opening, self._closing = pool.add_pieces(b"["), pool.add_pieces(b"]")
        # The comma between two prototypes belongs to the rank of the second.
        self._commas = pool.add_pieces(b"", *[b","] * (explainer.n_prototypes - 1))
        self._ranks = pool.add_pieces(*_integers(1, explainer.n_prototypes + 1))
        self._counts = pool.add_pieces(*_integers(0, warm.index.n_trees_used + 1))
        self._pieces = pool.add_pieces(*_pieces(warm))
        self._features = np.array(warm.prototypes[0].feature_indices, dtype=np.int64)
        self._compared = pool.add_pieces(*_compared(warm))
        self._end_of_compared = pool.add_pieces(b"}" if len(self._features) else b"")

    def compose(self, explained: ExplainedBlock, pool: TextPool) -> Compositions:
        """Return the entry of each pair; the entries of a row's pairs make a list without its brackets."""
        near = explained.near
        n_pairs, n_near = len(near.prototypes), np.diff(near.bounds)
        rank = np.arange(n_pairs) - np.repeat(near.bounds[:-1], n_near)
        before, *between, after = (
            self._pieces + (_N_PLACEHOLDERS + 1) * near.prototypes + piece for piece in range(_N_PLACEHOLDERS + 1)
        )
        shares, distances = DistinctNumbers.of(explained.shares), DistinctNumbers.of(1 - explained.shares)
        compared = self._compared_texts(explained, np.repeat(np.arange(len(n_near)), n_near), pool)
        # fmt: off
        up_to_reasons = lines_of(
            n_pairs,
            self._commas + rank, before, self._ranks + rank,
            between[0], pool.add(shares.texts) + shares.index,
            between[1], pool.add(distances.texts) + distances.index,
            between[2], self._counts + near.shared.sum(axis=1),
            between[3], self._opening, compared, self._end_of_compared, self._closing,
            between[4], self._opening,
        )
        # fmt: on
        reasons = self._reasons.compose(explained, pool)
        return Compositions.side_by_side(up_to_reasons, reasons, lines_of(n_pairs, self._closing, after))

    def _compared_texts(self, explained: ExplainedBlock, row: NDArray[np.int64], pool: TextPool) -> NDArray[np.int64]:
        """Return the texts that compare the features of each pair; ``row`` is its index among the accepted rows."""
        n_pairs, n_features = len(row), len(self._features)
        values = self._values.of(explained.rows, explained.accepted, pool)[:, self._features]
        texts = np.empty((n_pairs, n_features, 2), dtype=np.int64)
        texts[:, :, 0] = self._compared + n_features * explained.near.prototypes[:, None] + np.arange(n_features)
        texts[:, :, 1] = values[row]
        return texts.reshape(n_pairs, 2 * n_features)


def _pieces(warm: WarmExplainer) -> Iterable[bytes]:
    for prototype in warm.prototypes:
        yield from pieces_between(
            documents.near_prototype(prototype, warm.index.n_trees_used, (PLACEHOLDER,) * _N_PLACEHOLDERS)
        )


def _compared(warm: WarmExplainer) -> Iterable[bytes]:
    """Yield the beginnings of compared features; each but the first ends the one before."""
    for prototype in warm.prototypes:
        for index, text in enumerate(prototype.texts):
            yield b"}," + text if index else text


def _integers(start: int, stop: int) -> Iterable[bytes]:
    return (str(number).encode() for number in range(start, stop))


class ValueTexts:
    """Finds the texts of a block's values in a pool, by their numbers."""

    def __init__(self, pool: TextPool) -> None:
        self._null = pool.add_pieces(b"null")
        self._false = pool.add_pieces(b"false", b"true")

    def of(self, block: RowBlock, rows: NDArray[np.int64], pool: TextPool) -> NDArray[np.int64]:
        """Return the texts of these rows' values, (len(rows), n_features)."""
        texts = np.empty((len(rows), len(block.columns)), dtype=np.int64)
        numbers = []
        for feature, (column, is_boolean) in enumerate(zip(block.columns, block.are_booleans, strict=True)):
            if column.dtype == object:
                texts[:, feature] = self._of_categories(column[rows], pool)
            elif is_boolean:
                texts[:, feature] = np.where(np.isnan(column[rows]), self._null, self._false + (column[rows] == 1))
            else:
                numbers.append(feature)
        values = np.array([block.columns[feature][rows] for feature in numbers]).reshape(len(numbers), len(rows))
        texts[:, numbers] = pool.add(number_texts(values.ravel())) + np.arange(values.size).reshape(values.shape).T
        return texts

    def _of_categories(self, values: NDArray[np.object_], pool: TextPool) -> NDArray[np.int64]:
        encoded = pa.array(values, pa.string()).dictionary_encode()
        first = pool.add_pieces(*map(orjson.dumps, encoded.dictionary.to_pylist()))
        missing = self._null - first
        return np.asarray(encoded.indices.fill_null(missing).to_numpy()) + first


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
        texts[:, 10] = _numbers(pool, explained.shares_of_trees)
        texts[:, 11] = self._ends + reasons.column + self._n_columns * is_last
        if reasons.others:
            self._write_others(texts, explained, is_last, pool)
        return Compositions.of_equal_length(texts).grouped(reasons.bounds)

    def _write_others(
        self, texts: NDArray[np.int64], explained: ExplainedBlock, is_last: NDArray[np.int64], pool: TextPool
    ) -> None:
        """Write the reasons about features that are not single numbers, in texts of their own."""
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
    """Add the numbers as sentences have them; return the text of each value."""
    return pool.add_pieces(*map(number_words, numbers.texts.to_pylist())) + numbers.index


def _add_ends(pool: TextPool, ends: tuple[bytes, ...]) -> int:
    """Add the ends of reasons with the comma that follows, then all of them without."""
    return pool.add(texts_of([*ends, *(end.removesuffix(_COMMA) for end in ends)]))


def _around_share(reason: FeatureReason) -> tuple[bytes, bytes]:
    """Return the texts before and after the share of trees, which differs between pairs with the same reason."""
    before, key, after = orjson.dumps({**reason, "share_of_trees": None}).rpartition(_SHARE)
    return before + key, after.removeprefix(b"null") + _COMMA
