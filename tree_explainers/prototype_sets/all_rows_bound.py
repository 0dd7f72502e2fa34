"""An upper bound for prototypes chosen among all rows, where there are too many to compare them all.

It is the bound of promised coverages (``dual_bound``), with gains that are bounded without comparing pairs
(``joint_leaves``).
The candidates that it depends on, those of the largest gains, are then compared with all rows after all, as many as
there is time for.
"""

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, Tick, ignore_progress, part_of
from ..compute.threads import in_order
from ..leaf_space.leaf_masks import BLOCK
from ..leaf_space.leaves import LeafTable
from ..leaf_space.partitioned_table import MOST_REMEMBERED, PartitionedTable
from .goal import Goal, RowsByClass, sum_of_largest
from .joint_leaves import gains_at_most
from .pair_lists import blocks
from .partitioned_sweep import sweep_over
from .sweep import Sweep

_PARTS_OF_COVERAGE = ((1, 1), (6, 5), (29, 20))  # promises tried
_BLOCKS_COMPARED = 16
_COMPARED_AT_ONCE = 2  # blocks, by partitions: they begin with one while the sums of another come back
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
        if self.n_prototypes == 0:
            return
        worths = self._worths_of_gains()
        # Exact gains are no larger than bounds, so that the rows that are left stay in this order.
        order, n_exact = np.argsort(-(gains * worths)[self._own_rows], kind="stable") + self._own_rows.start, 0
        with closing(self._compared(order, promised, tick)) as compared:
            for some, exact in compared:
                gains[some] = exact
                n_exact += len(some)
                if n_exact == len(order) or self._are_exact(order[: n_exact + 1], gains * worths):
                    return

    @property
    def _own_rows(self) -> slice:
        """Where the rows of these classes are in the order of classes."""
        first, last = (self.by_class.slice_of(self.class_indices[end]) for end in (0, -1))
        return slice(first.start, last.stop)

    def _worths_of_gains(self) -> NDArray[np.float64]:
        """Return what a unit of each row's gain counts, (n_rows,) in the order of classes."""
        return np.repeat([scale / max(self.goal.scales) for scale in self.goal.scales], self.by_class.sizes)

    def _are_exact(self, order: NDArray[np.int64], worths: NDArray[np.float64]) -> bool:
        """Return whether enough rows come before the last of these, whose exact gain alone is not known."""
        exact, last = order[:-1], order[-1]
        comes_first = (worths[exact] > worths[last]) | ((worths[exact] == worths[last]) & (exact < last))
        return bool(np.count_nonzero(comes_first) >= self.n_prototypes)

    def _compared(
        self, order: NDArray[np.int64], promised: NDArray[np.int64], tick: Tick
    ) -> Generator[tuple[NDArray[np.int64], NDArray[np.int64]], None, None]:
        """Yield some rows after the others, and their exact gains; partitions compare the next ones meanwhile."""
        sweeps = [
            sweep_over(self.table, self.weights, self.by_class.rows[self.by_class.slice_of(class_index)], tick)
            for class_index in self.class_indices
        ]
        compare = partial(self._compare, sweeps, promised)
        parts = [order[part] for part in blocks(min(len(order), _BLOCKS_COMPARED * BLOCK), BLOCK)]
        if not isinstance(self.table, PartitionedTable):
            yield from ((some, compare(some)) for some in parts)
            return
        ahead = self.by_class.rows[np.concatenate(parts)]
        if len(ahead) * self.table.n_trees <= MOST_REMEMBERED:
            self.table.codes_of(ahead)  # all at once: they are remembered
        with closing(in_order(compare, parts, _COMPARED_AT_ONCE)) as compared:
            yield from compared

    def _compare(
        self, sweeps: Sequence[Sweep], promised: NDArray[np.int64], some: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the exact gains of some rows, numbered in the order of classes."""
        exact = np.empty(len(some), dtype=np.int64)
        for class_index, sweep in zip(self.class_indices, sweeps, strict=True):
            own_rows = self.by_class.slice_of(class_index)
            of_class = (some >= own_rows.start) & (some < own_rows.stop)
            exact[of_class] = sweep.gains(self.by_class.rows[some[of_class]], promised[own_rows])
        return exact
