"""What the model says of the rows explained, kept for the jobs after: an explanation set may be the first on a pair."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tree_explainers.leaf_space.leaves import smallest_dtype
from tree_explainers.onnx_models.session import Outcome

from ...runtime.context import JobContext
from ..leaf_tables import CodedOutcome, keep, place_of, room_for_codes


class LearnedOutcomes:
    """Collects outcomes block by block; they are kept if the model takes every row.

    Parameters
    ----------
    context
        Whose workspace holds the codes; where the disk is too full for them, nothing is collected.
    n_leaves : (n_trees,)
        Leaves of each tree.
    n_rows
        Of the dataset.
    """

    def __init__(self, context: JobContext, n_leaves: NDArray[np.integer[Any]], n_rows: int) -> None:
        self._context = context
        room, self._path = room_for_codes(context, (len(n_leaves), n_rows), smallest_dtype(int(n_leaves.max())))
        self._codes: NDArray[Any] | None = room if self._path else None
        self._scores: list[NDArray[np.floating[Any]]] = []
        self._labels: list[NDArray[np.int64]] = []

    def add(self, rows: slice, outcome: Outcome) -> None:
        """Take in what the model says of the next rows; a block with a refused row ends the collecting."""
        if self._codes is None:
            return
        if len(outcome.leaves) < rows.stop - rows.start:
            self._forget()
            return
        self._codes[:, rows] = outcome.leaves.T
        self._scores.append(outcome.scores)
        if outcome.labels is not None:
            self._labels.append(outcome.labels)

    def keep(self, model_id: str, dataset_id: str) -> None:
        """Keep what was collected, if that is everything."""
        if self._codes is None or self._path is None:
            return
        labels = np.concatenate(self._labels) if self._labels else None
        outcome = CodedOutcome(self._codes, np.concatenate(self._scores), labels)
        keep(self._context, place_of(model_id, dataset_id), outcome, self._path)

    def _forget(self) -> None:
        self._codes, self._scores, self._labels = None, [], []
        if self._path is not None:
            self._path.unlink(missing_ok=True)
