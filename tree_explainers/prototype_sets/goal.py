"""The objective and the constraint of each method in exact integers, and the rows by class over which it is a sum.

Swaps and certificates measure prototypes by this goal.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import lcm
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..leaf_space.leaves import LeafTable
from ..leaf_space.partitioned_table import PartitionedTable
from ..leaf_space.proximity import each_column

Method = Literal["sm_u", "sm_a", "sm_wa", "sg", "a_pete", "k_medoids"]
Refine = Literal["none", "swap"]
ObjectiveName = Literal["coverage", "class_weighted_coverage"]
Constraint = Literal["n_prototypes", "n_prototypes_per_class"]


@dataclass(frozen=True, slots=True)
class Goal:
    """A sum over classes of scale x g of the class's rows, and the constraint that compared sets of prototypes keep.

    ``coverage`` is g itself, with scale 1. ``class_weighted_coverage`` is the sum of g / rows over the classes, made
    whole by the least common multiple of all sizes.
    """

    objective_name: ObjectiveName
    constraint: Constraint
    scales: tuple[int, ...]  # value of a unit of weight in each class
    per_weight: int  # the largest conceivable objective, for a total weight of 1

    @property
    def classes_are_apart(self) -> bool:
        """Whether the number of prototypes of each class is given."""
        return self.constraint == "n_prototypes_per_class"

    def objective(self, g_of_classes: Sequence[int]) -> int:
        """Return the objective, given g of each class."""
        return sum(scale * g for scale, g in zip(self.scales, g_of_classes, strict=True))


def goal_of(method: Method, class_sizes: list[int], *, per_class: bool = False) -> Goal:
    """Return the goal of a method; ``class_sizes`` are the numbers of rows, 1 or more, of each class.

    ``per_class`` says whether the number of prototypes of each class is given, as it always is with SM-U.
    SG maximises accuracy, not coverage; its sets are measured by coverage all the same.
    """
    constraint: Constraint = "n_prototypes_per_class" if method == "sm_u" or per_class else "n_prototypes"
    if method != "sm_wa":
        return Goal("coverage", constraint, (1,) * len(class_sizes), sum(class_sizes))
    whole = lcm(*class_sizes)
    return Goal(
        "class_weighted_coverage", constraint, tuple(whole // size for size in class_sizes), whole * len(class_sizes)
    )


def covered_classes(method: Method, classes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the classes within which prototypes cover rows, (n_rows,): one for all rows with ``k_medoids``."""
    return np.zeros(len(classes), dtype=np.int64) if method == "k_medoids" else classes.astype(np.int64)


def sum_of_largest(gains: Sequence[NDArray[np.int64]], scales: Sequence[int], n_largest: int) -> int:
    """Return the sum of the ``n_largest`` largest values of scale x gain, over the gains of several classes."""
    largest: list[int] = []
    for some, scale in zip(gains, scales, strict=True):
        n_others = max(0, len(some) - n_largest)
        best = np.partition(some, n_others)[n_others:] if 0 < n_others < len(some) else some
        largest += [scale * gain for gain in best.tolist()]
    return sum(nlargest(n_largest, largest))


@dataclass(frozen=True, slots=True)
class RowsByClass:
    """Rows in the order of their classes: those of one class lie side by side, ascending.

    Classes without rows are left out; the others are numbered by their index among them.
    """

    classes: NDArray[np.int64]  # (n_rows,) index of each row's class
    rows: NDArray[np.int64]  # (n_rows,) the rows in this order
    bounds: NDArray[np.int64]  # (n_classes + 1,) where each class begins in ``rows``

    @staticmethod
    def of(classes: NDArray[np.int64]) -> "RowsByClass":
        """Sort rows by class; ``classes`` is (n_rows,)."""
        _, class_indices, sizes = np.unique(classes, return_inverse=True, return_counts=True)
        return RowsByClass(
            class_indices.astype(np.int64),
            np.argsort(class_indices, kind="stable"),
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        )

    @property
    def n_classes(self) -> int:
        """Number of classes that have rows."""
        return len(self.bounds) - 1

    @property
    def sizes(self) -> list[int]:
        """Rows of each class."""
        return [int(size) for size in np.diff(self.bounds)]

    def slice_of(self, class_index: int) -> slice:
        """Return where the rows of a class are in ``rows``."""
        return slice(int(self.bounds[class_index]), int(self.bounds[class_index + 1]))

    def sums(self, values: NDArray[np.int64]) -> list[int]:
        """Return the sum of values, (n_rows,) in this order, over each class."""
        return [int(values[self.slice_of(class_index)].sum()) for class_index in range(self.n_classes)]

    def column_of(self, prototype: int, column: NDArray[np.integer]) -> tuple[slice, NDArray[np.int64]]:
        """Return the slice of a row's class, and the row's proximities to its rows out of those to all rows."""
        indices = self.slice_of(int(self.classes[prototype]))
        return indices, column[self.rows[indices]].astype(np.int64)

    def coverage(
        self, table: LeafTable, weights: NDArray[np.int64], prototypes: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the proximity of each row to its nearest prototype of its own class, in this order; 0 without one."""
        leaves = table.leaves_of(prototypes)
        if isinstance(table, PartitionedTable):
            parts = table.beside_rows(self.classes.astype(np.int32))
            of_parts = parts.map(_covered_in_part, weights, leaves, self.classes[prototypes])
            return np.concatenate(list(of_parts))[self.rows].astype(np.int64)
        covered = np.zeros(len(self.rows), dtype=np.int64)
        columns = each_column(table, weights, leaves)
        for prototype, column in zip(prototypes.tolist(), columns, strict=True):
            indices, proximities = self.column_of(prototype, column)
            np.maximum(covered[indices], proximities, out=covered[indices])
        return covered


def _covered_in_part(
    table: LeafTable,
    classes: NDArray[np.int32],
    weights: NDArray[np.int64],
    leaves: NDArray[np.int32],
    prototype_classes: NDArray[np.int64],
) -> NDArray[np.uint32]:
    covered = np.zeros(table.n_rows, dtype=np.uint32)
    for of_class, column in zip(prototype_classes, each_column(table, weights, leaves), strict=True):
        np.maximum(covered, column, out=covered, where=classes == of_class)
    return covered
