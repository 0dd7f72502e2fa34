"""An upper bound for prototypes chosen among all rows, where there are too many to compare them all.

It is the bound of promised coverages (``dual_bound``), with gains that are bounded without comparing pairs
(``joint_leaves``).
The candidates that it depends on, those of the largest gains, are then compared with all rows after all, as many as
there is time for.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, Tick, ignore_progress, part_of
from ..leaf_space.leaf_masks import BLOCK
from ..leaf_space.leaves import LeafTable
from .goal import Goal, RowsByClass, sum_of_largest
from .joint_leaves import gains_at_most
from .partitioned_sweep import sweep_over

_PARTS_OF_COVERAGE = ((1, 1), (6, 5), (29, 20))  # promises tried
_BLOCKS_COMPARED = 16
_STAGE = "bounding what all rows might reach"


def all_rows_bound(  # rows, prototypes among them, and what the bound is of
    table: LeafTable,
    weights: NDArray[np.int64],
    by_class: RowsByClass,
    *,
    covered: NDArray[np.int64],
    n_of_each: NDArray[np.int64],
    goal: Goal,
    report: ReportProgress = ignore_progress,
) -> int:
    """Return an upper bound of the objectives of all sets of as many rows.

    Parameters
    ----------
    table, weights
        All rows, and what each tree counts.
    by_class
        The rows by class.
    covered : (n_rows,) int64, in the order of classes
        Coverage by the prototypes at hand, on which promises are modelled.
    n_of_each : (n_classes,) int64
        How many prototypes there are of each class; only their sum matters if the goal does not fix them.
    goal
        Which objective and constraint the bound is of.
    report
        Progress callback, called several times a second; may raise to stop.
    """
    promised = np.stack([covered * part // whole for part, whole in _PARTS_OF_COVERAGE])
    promised = np.minimum(promised, int(weights.sum()))
    gains = np.empty_like(promised)
    for class_index in range(by_class.n_classes):
        own_rows, n_parts = by_class.slice_of(class_index), 2 * by_class.n_classes  # the first half of the work
        report_class = part_of(report, class_index / n_parts, (class_index + 1) / n_parts)
        gains[:, own_rows] = gains_at_most(table, weights, by_class.rows[own_rows], promised[:, own_rows], report_class)
    class_indices = np.arange(by_class.n_classes)
    parts = [class_indices[i : i + 1] for i in class_indices] if goal.classes_are_apart else [class_indices]
    bound = 0
    for done, part in enumerate(parts):
        problem = _Problem(table, weights, by_class, part, int(n_of_each[part].sum()), goal)
        bounds = [problem.bound(*some) for some in zip(promised, gains, strict=True)]
        line = bounds.index(min(bounds))
        problem.compare_best(promised[line], gains[line], partial(report, (1 + done / len(parts)) / 2, _STAGE))
        bound += problem.bound(promised[line], gains[line])
    return bound


@dataclass(frozen=True, slots=True)
class _Problem:
    """The choice of prototypes among all rows of some classes."""

    table: LeafTable
    weights: NDArray[np.int64]
    by_class: RowsByClass
    class_indices: NDArray[np.int64]
    n_prototypes: int
    goal: Goal

    def bound(self, promised: NDArray[np.int64], gains: NDArray[np.int64]) -> int:
        """Return the bound from promises and gains, both in the order of classes."""
        scales = [self.goal.scales[class_index] for class_index in self.class_indices]
        parts = [self.by_class.slice_of(class_index) for class_index in self.class_indices]
        total: int = sum(scale * int(promised[own_rows].sum()) for own_rows, scale in zip(parts, scales, strict=True))
        return total + sum_of_largest([gains[own_rows] for own_rows in parts], scales, self.n_prototypes)

    def compare_best(self, promised: NDArray[np.int64], gains: NDArray[np.int64], tick: Tick) -> None:
        """Replace the largest gains by their exact values, until those are the largest that count."""
        is_exact = np.zeros(len(gains), dtype=np.bool_)
        sweeps = [
            sweep_over(self.table, self.weights, self.by_class.rows[self.by_class.slice_of(class_index)], tick)
            for class_index in self.class_indices
        ]
        for _ in range(_BLOCKS_COMPARED):
            largest = self._largest(gains)
            if is_exact[largest[: self.n_prototypes]].all():
                return
            some = largest[~is_exact[largest]][:BLOCK]
            for class_index, sweep in zip(self.class_indices, sweeps, strict=True):
                own_rows = self.by_class.slice_of(class_index)
                of_class = some[(some >= own_rows.start) & (some < own_rows.stop)]
                gains[of_class] = sweep.gains(self.by_class.rows[of_class], promised[own_rows])
            is_exact[some] = True

    def _largest(self, gains: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows of these classes, numbered in the order of classes, those that count most first."""
        own_rows = slice(
            self.by_class.slice_of(self.class_indices[0]).start, self.by_class.slice_of(self.class_indices[-1]).stop
        )
        scales = np.array([scale / max(self.goal.scales) for scale in self.goal.scales])
        worths = gains[own_rows] * np.repeat(scales, self.by_class.sizes)[own_rows]
        return np.asarray(np.argsort(-worths, kind="stable") + own_rows.start)
