"""WalkedRows: the predictions and leaves of rows, by the trees that the effects of these rows walk, too.

It is for models of which the walker has been seen to agree with onnxruntime (``engine_comparison``): the same leaves,
and the same scores to the last digit. A row goes down all trees in a fraction of the time that onnxruntime takes, which
walks them twice, for scores and for leaves.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled_ahead
from ..ensemble import TreeEnsemble
from ..errors import RowRefused
from ..onnx_models.encoding import Feeds
from ..onnx_models.session import ModelSession, Outcome
from ..onnx_models.tail_session import TailSession
from ..onnx_models.tree_inputs import TreeColumns
from ..onnx_models.walked_parts import WalkedParts
from ..rows import Rows
from .ranked_trees import RankedTrees


@dataclass(frozen=True, slots=True, eq=False)
class WalkedRows:
    """A model whose rows are walked; nothing in it changes: threads may share it."""

    session: ModelSession
    columns: TreeColumns
    trees: RankedTrees
    first_leaves: NDArray[np.int32]  # (n_trees,) the first leaf of each tree among all
    values: NDArray[Any]  # (n_leaves, n_outputs) float32 or float64, as onnxruntime adds them
    tail: TailSession | None  # what makes predictions of the sums; None: these are scores, as ``Scoring`` says

    @classmethod
    def of(
        cls,
        session: ModelSession,
        columns: TreeColumns,
        trees: RankedTrees,
        ensemble: TreeEnsemble,
        parts: WalkedParts,
    ) -> "WalkedRows | None":
        """Return the rows of an open model, by its trees; ``None`` where onnxruntime has to predict them."""
        engine, scoring = session.description.engine, session.description.scoring
        tail = parts.tail if scoring is None and engine.has_tail else None
        if engine.name != "walker" or (scoring is None and tail is None):
            return None
        sums = scoring.sums if scoring is not None else tail.sums if tail is not None else None
        values = np.array(ensemble.leaf_values, np.float32 if sums == "single" else np.float64, order="C")
        first_leaves = ensemble.leaf_offsets[:-1].astype(np.int32)
        opened = None if tail is None else TailSession(tail, session)
        return cls(session, columns, trees, first_leaves, values, opened)

    def outcome(self, rows: Rows | NDArray[np.floating[Any]]) -> Outcome | None:
        """Return the outcome of rows, the same as ``ModelSession.run_rows`` returns.

        It is ``None`` where a row is refused: onnxruntime has to say which, and to predict the others.
        """
        try:
            ranks = self._ranks(rows)
            leaves = self.trees.leaves(ranks)
            sums = np.zeros((len(rows), self.values.shape[1]), self.values.dtype)
            _sum_values(leaves, self.first_leaves, self.values, sums)
            if self.tail is None:
                predicted = self.session.predictions_of_sums(sums, partial(self._encoded, rows))
            else:
                predicted = self.tail.predictions(sums)
        except RowRefused:
            return None
        return Outcome(predicted.scores, predicted.labels, leaves, ranks=ranks)

    def _ranks(self, rows: Rows | NDArray[np.floating[Any]]) -> NDArray[np.uint16]:
        precision = self.columns.precision
        if precision is not None and isinstance(rows, np.ndarray) and rows.dtype == np.float64:
            ranks = self.trees.ranks_of_finite(np.ascontiguousarray(rows), is_single=precision == "single")
            if ranks is not None:
                return ranks
        return self.trees.ranks(self.columns.of_feeds(self._encoded(rows), len(rows)))

    def _encoded(self, rows: Rows | NDArray[np.floating[Any]]) -> Feeds:
        return self.session.encode(rows) if isinstance(rows, Rows) else self.session.encode_matrix(rows)


def _types(n: Any) -> list[Any]:
    leaves = n.int32[:, ::1], n.int32[::1]
    return [n.void(*leaves, values[:, ::1], values[:, ::1]) for values in (n.float32, n.float64)]


@compiled_ahead(_types)
def _sum_values(
    leaves: NDArray[np.int32], first_leaves: NDArray[np.int32], values: NDArray[Any], sums: NDArray[Any]
) -> None:
    """Add the values of each row's leaves among all, (n_rows, n_trees), to its sums, in the order of the trees.

    From then on leaves are those within their trees.
    """
    for row in range(leaves.shape[0]):
        for tree in range(leaves.shape[1]):
            leaf = leaves[row, tree]
            for output in range(sums.shape[1]):
                sums[row, output] += values[leaf, output]
            leaves[row, tree] = leaf - first_leaves[tree]
