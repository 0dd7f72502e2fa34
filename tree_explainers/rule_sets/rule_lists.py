"""RuleList: rules in order, of which the first that covers a row decides, and what each says."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..questions.binned_rows import BinnedRows
from ..scoring import Targets
from .boxes import Box


@dataclass(frozen=True, slots=True)
class RuleList:
    """An ordered list of boxes and a default; in the arrays of outcomes the default comes last."""

    boxes: tuple[Box, ...]
    predictions: NDArray[np.int64] | NDArray[np.float64]  # (n_rules + 1,) class or value
    scores: NDArray[np.float64] | None  # (n_rules + 1, n_classes) share of each class where it decides; None for values
    n_decided: NDArray[np.int64]  # (n_rules + 1,) training rows

    @property
    def n_rules(self) -> int:
        """Number of rules beside the default."""
        return len(self.boxes)

    def fires(self, binned: BinnedRows) -> NDArray[np.bool_]:
        """Return which boxes cover each row, (n_rows, n_rules)."""
        covered = [box.covers(binned) for box in self.boxes]
        return np.array(covered, dtype=np.bool_).reshape(len(self.boxes), binned.n_rows).T


def first_firing(fires: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the first rule that covers each row, (n_rows,); where none does, the number of rules: the default."""
    none = np.ones((len(fires), 1), dtype=np.bool_)
    first: NDArray[np.int64] = np.concatenate([fires, none], axis=1).argmax(axis=1)
    return first


def fit_rule_list(boxes: Sequence[Box], binned: BinnedRows, targets: Targets) -> RuleList:
    """Return the list whose rules, default included, say what is commonest, or the mean, of the rows that they decide.

    Ties go to the lower class. What decides no row says what all rows say together.
    """
    draft = RuleList(tuple(boxes), np.empty(0, np.int64), None, np.empty(0, np.int64))
    decided_by = first_firing(draft.fires(binned))
    n_decided = np.bincount(decided_by, minlength=len(boxes) + 1)
    if targets.values is not None:
        sums = np.bincount(decided_by, weights=targets.values, minlength=len(boxes) + 1)
        means = np.where(n_decided > 0, sums / np.maximum(n_decided, 1), targets.values.mean())
        return RuleList(draft.boxes, means, None, n_decided)
    places = decided_by * targets.n_classes + targets.classes  # type: ignore[operator]  # classes are there
    counts = np.bincount(places, minlength=(len(boxes) + 1) * targets.n_classes).reshape(-1, targets.n_classes)
    counts[n_decided == 0] = counts.sum(axis=0)
    scores = counts / counts.sum(axis=1, keepdims=True)
    return RuleList(draft.boxes, counts.argmax(axis=1), scores, n_decided)
