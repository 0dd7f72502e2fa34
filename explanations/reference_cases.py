"""Reference cases: the prototypes that effects compare rows with, and which rows may be compared with which."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tree_explainers.onnx_models.description import ModelDescription


@dataclass(frozen=True, slots=True)
class ReferenceCase:
    """A prototype that rows may be compared with."""

    row_id: str
    outcome: str | None  # its class or outcome; None of a regression
    values: Sequence[Any]  # (n_features,) in the model's order
    is_sure: bool  # its own label, where that is known, is what the model predicts
    n_covered: int = 0  # rows that it represents


def candidates_of(
    description: ModelDescription, cases: Sequence[ReferenceCase], classes: NDArray[np.int64], *, by_outcome: bool
) -> list[NDArray[np.int64]]:
    """Return the prototypes that rows may be compared with: all rows, and then those of each class or outcome."""
    are_sure = np.array([case.is_sure for case in cases])
    best_first = _best_first(description) if by_outcome else ()
    n_classes = len(description.outcomes if by_outcome else description.classes)

    def chosen(allowed: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.flatnonzero(allowed & are_sure if (allowed & are_sure).any() else allowed)

    candidates = [chosen(np.ones(len(cases), np.bool_))]
    for class_index in range(n_classes):
        others = (classes == outcome for outcome in best_first if outcome != class_index)
        best = next((allowed for allowed in others if allowed.any()), classes != class_index)
        candidates.append(chosen(best))
    return candidates


def _best_first(description: ModelDescription) -> tuple[int, ...]:
    """Return outcomes in the order of their goodness; none where none is better than another."""
    rule = description.decision
    if rule is None:
        return ()
    order = range(len(rule.outcomes))
    return tuple(order if rule.best_first else reversed(order))
