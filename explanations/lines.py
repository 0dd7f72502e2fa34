"""Explained blocks as JSON lines: byte for byte what a call for each row answers."""

from collections.abc import Iterator

import numpy as np
import orjson
import pyarrow as pa
from numpy.typing import NDArray

from . import documents
from .documents import PLACEHOLDER, pieces_between
from .explained_blocks import BlockExplainer, ExplainedBlock
from .pair_texts import PairTexts
from .texts import Compositions, DistinctNumbers, TextPool, lines_of, number_texts
from .warm_explainer import WarmExplainer

_AGREEMENTS = 2  # texts of a prototype's or a tree's prediction: it disagrees with the model, or it agrees
_LABEL_PIECE = 1  # the piece of an explanation that names the label


class LineWriter:
    """Writes explained blocks; what does not change from row to row is written once. Several threads may share it."""

    def __init__(self, explainer: BlockExplainer) -> None:
        warm = explainer.warm
        labels: list[str | None] = [*warm.model.classes] or [None]
        pool = TextPool()
        self._pairs = PairTexts(explainer, pool)
        self._opening, self._closing, self._newline = (pool.add_pieces(text) for text in (b"[", b"]", b"\n"))
        pieces = [_pieces(warm, label) for label in labels]
        self._n_scores = len(labels)
        self._pieces = pool.add_pieces(*pieces[0])
        self._after_ties = self._pieces + _LABEL_PIECE + 1 + self._n_scores
        self._labels = pool.add_pieces(*(own[_LABEL_PIECE] for own in pieces))
        self._unassigned = pool.add_pieces(orjson.dumps(documents.prototype_prediction(None, None)))
        self._predictions = pool.add_pieces(*_predictions(warm))
        self._null = pool.add_pieces(b"null", b"", b"")
        self._truths = pool.add_pieces(b"false", b"true")
        self._contrasts = pool.add_pieces(*_contrasts(warm))
        self._rules = warm.rules
        # Two for each leaf of the tree: the model disagrees, or it agrees.
        self._paths = pool.add_pieces(*(text for texts in (warm.tree.texts if warm.tree else ()) for text in texts))
        self._texts = pool.texts()

    def write(self, explained: ExplainedBlock) -> pa.Buffer:
        """Return the lines of a block, each with a line feed at its end."""
        (lines,) = self.write_parts(explained, len(explained.rows))
        return lines

    def write_parts(self, explained: ExplainedBlock, n_part_rows: int) -> Iterator[pa.Buffer]:
        """Yield the lines of a block, ``n_part_rows`` rows at a time."""
        pool = TextPool(self._texts)
        lines = self._compose(explained, pool)
        texts, n_rows = pool.texts(), len(explained.rows)
        for start in range(0, n_rows, n_part_rows):
            yield lines.part(start, min(start + n_part_rows, n_rows)).write(texts)

    def _compose(self, explained: ExplainedBlock, pool: TextPool) -> Compositions:
        """Return the pieces that each line is composed of."""
        n_rows = len(explained.rows)
        pairs = self._pairs.compose(explained, pool).grouped(explained.near.bounds)
        parts = [self._heads(explained, pool), pairs, self._tails(explained, pool)]
        spread = [part.spread(explained.accepted, n_rows) for part in parts]
        return Compositions.side_by_side(*spread, self._refusals(explained, pool))

    def _heads(self, explained: ExplainedBlock, pool: TextPool) -> Compositions:
        """Return the beginnings of accepted rows' lines, up to their nearest prototypes."""
        n_accepted, labels = len(explained.accepted), explained.outcome.labels
        row_ids = pool.add_pieces(*(orjson.dumps(row_id) for row_id in explained.rows.row_ids))
        first = pool.add(number_texts(explained.scores.ravel()))
        texts = first + np.arange(n_accepted * self._n_scores).reshape(n_accepted, self._n_scores)
        label = self._labels + (np.zeros(n_accepted, dtype=np.int64) if labels is None else labels)
        after_scores = np.broadcast_to(self._pieces + _LABEL_PIECE + 1 + np.arange(self._n_scores), texts.shape)
        named_scores = np.stack((texts, after_scores), axis=2).reshape(n_accepted, 2 * self._n_scores)
        ties = self._truths + explained.near_ties
        head = (self._pieces, row_ids + explained.accepted, label, named_scores, ties, self._after_ties)
        return lines_of(n_accepted, *head, self._opening)

    def _tails(self, explained: ExplainedBlock, pool: TextPool) -> Compositions:
        """Return the ends of accepted rows' lines, after their nearest prototypes."""
        first = self._after_ties + 1
        shares = DistinctNumbers.of(explained.contrast_shares)
        has_none = explained.contrasts < 0
        contrast = np.where(has_none, self._null, self._contrasts + 2 * explained.contrasts)
        share = np.where(has_none, self._null + 1, pool.add(shares.texts) + shares.index)
        end = np.where(has_none, self._null + 2, self._contrasts + 2 * explained.contrasts + 1)
        assigned = self._predictions + _AGREEMENTS * explained.nearest + explained.agrees
        predictions = np.where(explained.nearest < 0, self._unassigned, assigned)
        return lines_of(
            len(explained.accepted),
            *(self._closing, first, predictions, first + 1, contrast, share, end, first + 2),
            *(self._rule_texts(explained, pool), first + 3, self._path_texts(explained), first + 4, self._newline),
        )

    def _rule_texts(self, explained: ExplainedBlock, pool: TextPool) -> int | NDArray[np.int64]:
        """Return the texts of the rules that hold for each row: there are few different combinations."""
        if self._rules is None or explained.fires is None:
            return self._null
        combinations, index = np.unique(explained.fires, axis=0, return_inverse=True)
        texts = [self._rules.text(np.flatnonzero(combination).tolist()) for combination in combinations]
        return pool.add_pieces(*texts) + index.reshape(-1)

    def _path_texts(self, explained: ExplainedBlock) -> int | NDArray[np.int64]:
        if explained.reached is None:
            return self._null
        return self._paths + _AGREEMENTS * explained.reached + explained.tree_agrees

    def _refusals(self, explained: ExplainedBlock, pool: TextPool) -> Compositions:
        rows = np.array(list(explained.refusals), dtype=np.int64)
        first = pool.add_pieces(*(orjson.dumps(refusal) + b"\n" for refusal in explained.refusals.values()))
        return lines_of(len(rows), first + np.arange(len(rows))).spread(rows, len(explained.rows))


def _pieces(warm: WarmExplainer, label: str | None) -> list[bytes]:
    scores = [PLACEHOLDER] * max(1, len(warm.model.classes))
    prediction = documents.prediction(warm.model.classes, label, scores, PLACEHOLDER)
    included = documents.Included(PLACEHOLDER, PLACEHOLDER, PLACEHOLDER)
    return pieces_between(documents.explanation(PLACEHOLDER, prediction, PLACEHOLDER, PLACEHOLDER, included))


def _predictions(warm: WarmExplainer) -> list[bytes]:
    found = []
    for prototype in warm.prototypes:
        # For a regression both are the same.
        labels = (None, None) if prototype.label is None else ("not " + prototype.label, prototype.label)
        found += [orjson.dumps(documents.prototype_prediction(prototype, label)) for label in labels]
    return found


def _contrasts(warm: WarmExplainer) -> list[bytes]:
    return [
        piece for prototype in warm.prototypes for piece in pieces_between(documents.contrast(prototype, PLACEHOLDER))
    ]
