"""Wishes: the outcome that a change should give, as a predicate over scores and labels."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.floating[Any]]
Flags = NDArray[np.bool_]


class Wish(Protocol):
    """An outcome."""

    def may_hold(self, scores: Scores, slack: float) -> Flags:
        """Return for which rows, (n_rows,), it holds or would hold if scores were off by ``slack`` or a rounding."""

    def holds(self, scores: Scores, labels: NDArray[np.int64] | None) -> Flags:
        """Return for which rows, (n_rows,), it holds by what the model itself predicts."""

    def distance(self, scores: Scores) -> NDArray[np.float64]:
        """Return how far scores are from it, (n_rows,): the search begins with what brings them nearest."""


@dataclass(frozen=True, slots=True)
class ClassWish:
    """One of the model's classes."""

    column: int  # its index among the classes
    rounding: float = 0.0  # ``ModelDescription.rounding``: which of two scores this near is higher, the model says
    labels_are_highest: bool = True  # otherwise the model alone knows which label goes with scores

    def may_hold(self, scores: Scores, slack: float) -> Flags:
        """Return for which rows the class's score is the highest, or as good as the highest."""
        if not self.labels_are_highest:
            return np.ones(len(scores), np.bool_)
        highest = scores.max(axis=1)
        near = 2 * slack + self.rounding * np.maximum(1, np.abs(highest))
        return np.asarray(scores[:, self.column] >= highest - near)

    def holds(self, scores: Scores, labels: NDArray[np.int64] | None) -> Flags:
        """Return for which rows the model predicts the class."""
        assert labels is not None
        return np.asarray(labels == self.column)

    def distance(self, scores: Scores) -> NDArray[np.float64]:
        """Return by how much the class's score is below the highest."""
        return np.asarray(scores.max(axis=1) - scores[:, self.column], np.float64)


@dataclass(frozen=True, slots=True)
class BandWish:
    """A band of a score: ``low <= score < high``; the ends may be infinite."""

    column: int  # of the scores; 0 for a regression
    low: float
    high: float

    def may_hold(self, scores: Scores, slack: float) -> Flags:
        """Return for which rows the score is in the band, or no further from it than ``slack``."""
        score = scores[:, self.column].astype(np.float64)
        return np.asarray((score >= self.low - slack) & (score < self.high + slack))

    def holds(self, scores: Scores, labels: NDArray[np.int64] | None) -> Flags:
        """Return for which rows the score is in the band."""
        return self.may_hold(scores, 0.0)

    def distance(self, scores: Scores) -> NDArray[np.float64]:
        """Return how far the score is from the band."""
        score = scores[:, self.column].astype(np.float64)
        return np.maximum(0.0, np.maximum(self.low - score, score - self.high))
