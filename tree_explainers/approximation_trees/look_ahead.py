"""Look-ahead: which of some splits leads to the more faithful tree below them.

A split that parts the pseudo rows best by itself may leave less to the splits below it. So below each candidate a tree
is grown on some fresh pseudo rows and measured on others.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..questions.conditions import Condition
from ..rows import Rows
from .cart_trees import CartTree, RankTable, fit_cart
from .generators import Draw
from .node_boxes import NodeBox
from .oracle import Floats, TargetTransform
from .tree_growth import TreeLimits

MOST_SPLITS = 5  # that are compared
N_ROWS = 3_000  # pseudo rows from which trees are grown, and again as many on which they are measured
_CERTAINTY = 2.0  # standard errors by which another split must be ahead of the first


@dataclass(frozen=True, slots=True)
class LookAhead:
    """Compares splits of one node by the trees below them."""

    draw: Draw  # pseudo rows of the node
    predict: Callable[[Rows], Floats]  # the model's scores
    transform: TargetTransform
    missing_texts: Mapping[str, str]
    limits: TreeLimits  # of the trees below the split, in pseudo rows
    seed: np.random.SeedSequence

    def prefer(self, splits: Sequence[Condition]) -> int:
        """Return the place of the split with the most faithful tree below it; the first, unless one is surely ahead.

        The error is the share of fresh pseudo rows with another label than the model's, or the squared error of values.
        A side from which no tree can be grown, as no row is there, predicts as if there were no split.
        Another split is taken if its error is less by two standard errors of the difference.
        """
        rows = self.draw(2 * N_ROWS, np.random.default_rng(self.seed))
        scores = self.predict(rows)
        table = RankTable.of(rows, self.missing_texts)
        errors = np.array([self._errors(rows, table, scores, split) for split in splits[:MOST_SPLITS]])
        ahead = errors[0] - errors
        spread = np.maximum(ahead.std(axis=1) / np.sqrt(ahead.shape[1]), 1e-12)
        surely = np.where(ahead.mean(axis=1) / spread > _CERTAINTY, ahead.mean(axis=1), 0.0)
        return int(np.argmax(surely))

    def _errors(self, rows: Rows, table: RankTable, scores: Floats, split: Condition) -> Floats:
        """Return the error of each row that measures, (N_ROWS,)."""
        holds = NodeBox(self.missing_texts).below(split, holds=True).contains(rows)
        is_measured = np.arange(len(rows)) >= N_ROWS
        center = scores.mean(axis=0)
        targets = self.transform.targets(scores, center)
        errors = np.zeros(len(rows))
        for side in (holds, ~holds):
            grown, measured = np.flatnonzero(side & ~is_measured), np.flatnonzero(side & is_measured)
            if not len(measured):
                continue
            tree = None
            if not len(grown):
                grown = np.flatnonzero(~is_measured)
            elif self.limits.max_depth:
                tree = fit_cart(table.matrix[grown], targets[grown], self.limits, 0)
            errors[measured] = self._unlike(tree, table.matrix, scores, grown, measured)
        return errors[is_measured]

    def _unlike(
        self,
        tree: CartTree | None,
        matrix: NDArray[np.float32],
        scores: Floats,
        grown: NDArray[np.int64],
        measured: NDArray[np.int64],
    ) -> Floats:
        of_grown, of_measured = (
            np.zeros(len(sample), np.int64) if tree is None else tree.apply(matrix[sample])
            for sample in (grown, measured)
        )
        n_leaves = 1 if tree is None else int(tree.node_count)
        counts = np.maximum(1, np.bincount(of_grown, minlength=n_leaves))
        means = np.stack([np.bincount(of_grown, sample, n_leaves) / counts for sample in scores[grown].T], axis=1)
        if self.transform.is_classifier:
            differs: Floats = (means[of_measured].argmax(axis=1) != scores[measured].argmax(axis=1)).astype(np.float64)
            return differs
        squared: Floats = ((means[of_measured] - scores[measured]) ** 2).sum(axis=1)
        return squared
