"""What each cut-off of a score does: how many rows of a class, and of others, have this score or a higher one.

Rows of equal scores cannot be separated, so that all curves and areas follow from the counts at distinct scores.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CutoffCounts:
    """Rows of a class (positive) and of others (negative) at each distinct score, in descending order."""

    scores: Floats  # (n_distinct,) descending
    positives: Counts  # (n_distinct,) rows of the class with exactly this score
    negatives: Counts  # (n_distinct,) other rows with it

    @classmethod
    def of(cls, scores: NDArray[np.floating[Any]], is_positive: NDArray[np.bool_]) -> Self:
        """Count rows at each distinct score.

        Parameters
        ----------
        scores : (n_rows,)
            Finite scores; higher ones are for the class.
        is_positive : (n_rows,)
            Which rows are of the class.
        """
        distinct, indices = np.unique(scores, return_inverse=True)
        n_rows = np.bincount(indices, minlength=len(distinct))
        positives = np.bincount(indices[is_positive], minlength=len(distinct))
        descending = slice(None, None, -1)
        return cls(distinct.astype(np.float64)[descending], positives[descending], (n_rows - positives)[descending])

    @property
    def n_positives(self) -> int:
        """Number of rows of the class."""
        return int(self.positives.sum())

    @property
    def n_negatives(self) -> int:
        """Number of other rows."""
        return int(self.negatives.sum())

    @property
    def predicted(self) -> tuple[Counts, Counts]:
        """Rows of the class, and others, with each score or a higher one: true and false positives, (n_distinct,)."""
        return np.cumsum(self.positives), np.cumsum(self.negatives)

    def at(self, cutoff: float) -> tuple[int, int]:
        """Return the true and the false positives of a cut-off: rows whose score is as high, or higher."""
        n_distinct = int(np.searchsorted(-self.scores, -cutoff, side="right"))
        return int(self.positives[:n_distinct].sum()), int(self.negatives[:n_distinct].sum())

    def reached_by(self, shares: Floats) -> Floats:
        """Return the highest cut-off that each share of the rows reaches at least, (n_shares,)."""
        predicted = np.cumsum(self.positives + self.negatives)
        reached: Floats = self.scores[np.searchsorted(predicted, shares * predicted[-1], side="left")]
        return reached

    def spaced(self, most: int) -> Counts:
        """Return the indices of at most this number of distinct scores, 2 or more: the first, the last, and others.

        Points are kept at about equal steps along the ROC curve, by the sum of both rates; of points that neighbour on
        a step, the one that is first beyond it.
        """
        true, false = self.predicted
        if len(true) <= most:
            return np.arange(len(true))
        along = true / max(true[-1], 1) + false / max(false[-1], 1)
        steps = np.linspace(along[0], along[-1], most)
        return np.unique(np.minimum(np.searchsorted(along, steps - 1e-12), len(along) - 1))
