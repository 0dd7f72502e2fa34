"""What a method maximises and what it is bound to, in exact integers: the measure for swaps and certificates."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import lcm
from typing import Literal

import numpy as np
from numpy.typing import NDArray

ObjectiveName = Literal["coverage", "class_weighted_coverage"]
Constraint = Literal["n_prototypes", "n_prototypes_per_class"]


@dataclass(frozen=True, slots=True)
class Goal:
    """A sum over classes of scale x g of the class's rows, and what sets of prototypes are compared.

    ``coverage`` is g itself, with scale 1. ``class_weighted_coverage`` is the sum of g / rows over the classes, made
    whole by the least common multiple of all sizes.
    """

    objective_name: ObjectiveName
    constraint: Constraint
    scales: tuple[int, ...]  # what a unit of weight counts in each class
    per_weight: int  # what the largest conceivable objective is, for a total weight of 1

    @property
    def classes_are_apart(self) -> bool:
        """Whether the number of prototypes of each class is given."""
        return self.constraint == "n_prototypes_per_class"

    def objective(self, reached: Sequence[int]) -> int:
        """Return the objective for what is reached of g in each class."""
        return sum(scale * own for scale, own in zip(self.scales, reached, strict=True))


def goal_of(method: str, class_sizes: list[int]) -> Goal:
    """Return what a method is measured by; ``class_sizes`` are the numbers of rows, 1 or more, of each class.

    SG maximises accuracy, not coverage; its sets are measured by coverage all the same.
    """
    constraint: Constraint = "n_prototypes_per_class" if method == "sm_u" else "n_prototypes"
    if method != "sm_wa":
        return Goal("coverage", constraint, (1,) * len(class_sizes), sum(class_sizes))
    whole = lcm(*class_sizes)
    return Goal(
        "class_weighted_coverage", constraint, tuple(whole // size for size in class_sizes), whole * len(class_sizes)
    )


def sum_of_largest(gains: Sequence[NDArray[np.int64]], scales: Sequence[int], n_largest: int) -> int:
    """Return the sum of the so many largest of scale x gain; there are gains of several classes with their scales."""
    largest: list[int] = []
    for some, scale in zip(gains, scales, strict=True):
        n_others = max(0, len(some) - n_largest)
        best = np.partition(some, n_others)[n_others:] if 0 < n_others < len(some) else some
        largest += [scale * gain for gain in best.tolist()]
    return sum(nlargest(n_largest, largest))
