"""What is said of the prototypes near each row, as texts."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from .. import documents
from ..explained_blocks import BlockExplainer, ExplainedBlock
from ..texts import Compositions, DistinctNumbers, TextPool, lines_of
from ..warm_explainer import WarmExplainer
from .holes import HOLE, pieces_between
from .reason_lists import ReasonLists
from .value_texts import ValueTexts

_N_HOLES = 6  # rank, proximity, distance, number of shared trees, compared features, reasons


class PairTexts:
    """Composes lists of nearest prototypes."""

    def __init__(self, explainer: BlockExplainer, pool: TextPool) -> None:
        warm = explainer.warm
        self._reasons, self._values = ReasonLists(warm.reason_texts, pool), ValueTexts(pool)
        self._opening, self._closing = pool.add_pieces(b"["), pool.add_pieces(b"]")
        # The comma between two prototypes belongs to the rank of the second.
        self._commas = pool.add_pieces(b"", *[b","] * (explainer.n_prototypes - 1))
        self._ranks = pool.add_pieces(*_integers(1, explainer.n_prototypes + 1))
        self._counts = pool.add_pieces(*_integers(0, warm.model.n_trees + 1))
        self._pieces = pool.add_pieces(*_pieces(warm))
        self._features = np.array(warm.prototypes[0].positions, dtype=np.int64)
        self._compared = pool.add_pieces(*_compared(warm))
        self._end_of_compared = pool.add_pieces(b"}" if len(self._features) else b"")

    def compose(self, explained: ExplainedBlock, pool: TextPool) -> Compositions:
        """Return what is said of each pair; all that is said of a row's pairs is a list without its brackets."""
        near = explained.near
        n_pairs, n_near = len(near.prototypes), np.diff(near.bounds)
        rank = np.arange(n_pairs) - np.repeat(near.bounds[:-1], n_near)
        before, *between, after = (
            self._pieces + (_N_HOLES + 1) * near.prototypes + hole for hole in range(_N_HOLES + 1)
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
        """Return the texts that compare the features of each pair, whose row among those taken is given."""
        n_pairs, n_features = len(row), len(self._features)
        values = self._values.of(explained.rows, explained.taken, pool)[:, self._features]
        texts = np.empty((n_pairs, n_features, 2), dtype=np.int64)
        texts[:, :, 0] = self._compared + n_features * explained.near.prototypes[:, None] + np.arange(n_features)
        texts[:, :, 1] = values[row]
        return texts.reshape(n_pairs, 2 * n_features)


def _pieces(warm: WarmExplainer) -> Iterable[bytes]:
    for prototype in warm.prototypes:
        yield from pieces_between(documents.near_prototype(prototype, warm.model.n_trees, (HOLE,) * _N_HOLES))


def _compared(warm: WarmExplainer) -> Iterable[bytes]:
    """Yield the beginnings of compared features; each but the first ends the one before."""
    for prototype in warm.prototypes:
        for place, text in enumerate(prototype.texts):
            yield b"}," + text if place else text


def _integers(start: int, stop: int) -> Iterable[bytes]:
    return (str(number).encode() for number in range(start, stop))
