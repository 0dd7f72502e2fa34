"""SurePredictions: the predictions of sums of leaf values in one compiled loop, where none needs a second look.

A row alone takes numpy as many calls as there are steps, each longer than what it computes. What is not sure is left to
the steps themselves (``score_sums``, ``ModelSession``): scores that are refused or moved to 0 or 1, and near ties.
"""

from dataclasses import dataclass
from enum import IntFlag
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled_ahead, inlined
from .description import ModelDescription


class _Step(IntFlag):
    """What is done with sums."""

    DIVIDED = 1
    OF_WHOLE = 2  # the first of two classes has what the second leaves of a number
    OF_ONE = 4  # likewise, of 1, after all else
    SIGNED = 8  # the first of two classes has the second's score with the other sign
    SHARES = 16  # scores are from 0 to 1


_DIVIDED, _OF_WHOLE, _OF_ONE, _SHARES = int(_Step.DIVIDED), int(_Step.OF_WHOLE), int(_Step.OF_ONE), int(_Step.SHARES)


@dataclass(frozen=True, slots=True, eq=False)
class SurePredictions:
    """How scores and labels follow from sums; nothing in it changes: threads may share it."""

    rule: tuple[int, float, float, float]  # the steps, the whole, the divisor, and how near two scores tie
    n_scores: int
    has_labels: bool
    dtype: np.dtype[Any]  # of the scores

    @staticmethod
    def of(description: ModelDescription) -> "SurePredictions | None":
        """Return those of a model; ``None`` where its scores do not follow from sums, or its labels not from scores."""
        scoring, n_classes = description.scoring, len(description.classes)
        if scoring is None or n_classes == 1:
            return None
        steps = _Step.DIVIDED if scoring.divisor is not None else _Step(0)
        is_share = description.score_kind == "probability"
        steps |= _Step.SHARES if is_share else _Step(0)
        steps |= _Step.OF_WHOLE if scoring.whole is not None else _Step.OF_ONE if is_share else _Step.SIGNED
        rule = int(steps), scoring.whole or 0.0, scoring.divisor or 1.0, description.rounding
        dtype = np.dtype(np.float64 if scoring.sums == "double" else np.float32)
        return SurePredictions(rule, max(1, n_classes), n_classes > 0, dtype)

    def of_sums(self, sums: NDArray[Any]) -> tuple[NDArray[np.floating[Any]], NDArray[np.int64] | None] | None:
        """Return the scores and the labels of rows; ``None`` where a score or a label is not sure.

        Parameters
        ----------
        sums : (n_rows, n_outputs)
            With their base values, behind the link.

        Returns
        -------
        scores : (n_rows, n_scores)
            As the session returns them.
        labels : (n_rows,) int64
            The first of the highest scores, which no other score is near to; ``None`` of a regression.
        """
        if self.n_scores - sums.shape[1] not in {0, self.n_scores == 2}:  # one sum may stand for two classes
            return None
        scores = np.empty((len(sums), self.n_scores), self.dtype)
        labels = np.empty(len(sums) if self.has_labels else 0, np.int64)
        if not _are_sure(sums, self.rule, scores, labels):
            return None
        return scores, labels if self.has_labels else None


def _types(n: Any) -> list[Any]:
    rule, labels = n.Tuple((n.int64, n.float64, n.float64, n.float64)), n.int64[::1]
    kinds = ((n.float32, n.float32), (n.float64, n.float64), (n.float64, n.float32))
    return [n.boolean(sums[:, ::1], rule, scores[:, ::1], labels) for sums, scores in kinds]


@compiled_ahead(_types)
def _are_sure(
    sums: NDArray[Any], rule: tuple[int, float, float, float], scores: NDArray[Any], labels: NDArray[np.int64]
) -> bool:
    """Write scores and labels; return whether all are sure."""
    steps, rounding = rule[0], rule[3]
    whole, divisor = sums.dtype.type(rule[1]), sums.dtype.type(rule[2])
    for row in range(len(sums)):
        _write_scores(sums[row], (steps, whole, divisor), scores[row])
        best, second, label = -np.inf, -np.inf, 0
        for column in range(scores.shape[1]):
            score = np.float64(scores[row, column])
            if not -np.inf < score < np.inf or (steps & _SHARES and not 0 <= score <= 1):
                return False
            if score > best:
                best, second, label = score, best, column
            elif score > second:
                second = score
        if len(labels):
            labels[row] = label
            if best - second <= rounding * max(1.0, abs(best), abs(second)):
                return False
    return True


@inlined
def _write_scores(sums: NDArray[Any], rule: tuple[int, Any, Any], scores: NDArray[Any]) -> None:
    """Write the scores of one row; ``rule`` has the whole and the divisor in the precision of the sums."""
    steps, whole, divisor = rule
    first = len(scores) - len(sums)
    for output in range(len(sums)):
        scores[first + output] = sums[output] / divisor if steps & _DIVIDED else sums[output]
    if first and steps & _OF_WHOLE:
        left = whole - sums[0]
        scores[0] = left / divisor if steps & _DIVIDED else left
    elif first:
        scores[0] = scores.dtype.type(1) - scores[1] if steps & _OF_ONE else -scores[1]
