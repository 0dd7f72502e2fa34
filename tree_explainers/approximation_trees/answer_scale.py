"""AnswerScale: answers as few centred numbers that splits are compared by."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AnswerScale:
    """A shift and a rotation of answers, which change neither a gain nor what is compared of it.

    Shares of C classes sum to 1, so C - 1 numbers say all: the coordinates in an orthonormal basis of the vectors that
    sum to 0. The share of a lone class is always 1, and stays one number, which parts nothing. A value is divided by
    the spread of the model's values on the training rows, which changes gains by one factor. Centred on what the model
    says of a node's training rows, few digits are lost in single precision.
    """

    basis: Floats  # (n_scores, n_targets)
    scale: float  # 1 for classification
    is_classifier: bool

    @classmethod
    def of(cls, answers: Floats, *, is_classifier: bool) -> Self:
        """Return the scale for a model, given what it says of the training rows, (n_rows, n_scores)."""
        n_scores = answers.shape[1]
        if n_scores == 1:
            spread = 1.0 if is_classifier else float(answers.std())
            return cls(np.ones((1, 1)), spread or 1.0, is_classifier)
        # Helmert: a class against the mean of those before it.
        basis = np.zeros((n_scores, n_scores - 1))
        for column in range(n_scores - 1):
            basis[: column + 1, column], basis[column + 1, column] = 1, -(column + 1)
        return cls(basis / np.linalg.norm(basis, axis=0), 1.0, is_classifier)

    @property
    def n_targets(self) -> int:
        """Numbers that say all of an answer."""
        return int(self.basis.shape[1])

    def targets(self, answers: Floats, center: Floats) -> NDArray[np.float32]:
        """Return the numbers for answers of shape (n_rows, n_scores), (n_rows, n_targets)."""
        return ((answers - center) @ (self.basis / self.scale)).astype(np.float32)

    def scores(self, mean: Floats, center: Floats) -> Floats:
        """Return the mean answer whose numbers are ``mean``, (n_scores,)."""
        scores = center + self.basis @ mean * self.scale
        return np.clip(scores, 0, 1) if self.is_classifier else scores
