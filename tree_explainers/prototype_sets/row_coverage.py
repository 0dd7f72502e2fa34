"""Row coverage: the share of rows that are near enough to a prototype, of whatever class, to be explained by it.

Near enough is a proximity of at least 1 %, from at least 2 trees: a row that shares one leaf by chance with a prototype
has nothing in common with it. (What prototypes are selected for, g, counts every proximity; see ``coverage``.)
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..leaf_space.leaves import LeafTable
from ..leaf_space.partitioned_table import PartitionedTable
from ..leaf_space.proximity import each_column

MINIMUM_SHARE = 0.01
"""Of the weight of all trees, in which a row must share a leaf with a prototype at least."""

_MINIMUM_TREES = 2


@dataclass(frozen=True, slots=True)
class MinimumProximity:
    """What a row must share with a prototype at least."""

    weight: int  # of the trees in which they share a leaf
    n_trees: int  # that count and in which they share a leaf: 2, or 1 for a model of a single tree

    @staticmethod
    def of(weights: NDArray[np.int64]) -> "MinimumProximity":
        """Return the minimum for trees that count so much; ``weights`` is (n_trees,)."""
        return MinimumProximity(
            ceil(Fraction(repr(MINIMUM_SHARE)) * int(weights.sum())), min(_MINIMUM_TREES, len(weights))
        )

    def is_reached(self, proximities: NDArray[np.int64], n_shared: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Return where the integer proximity and the number of shared trees that count are enough."""
        return np.asarray((proximities >= self.weight) & (n_shared >= self.n_trees))

    def is_reached_by_trees(self, n_shared: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Return the same where trees count 1 or nothing, so that the proximity is the number of shared ones."""
        return np.asarray(n_shared >= max(self.weight, self.n_trees))


def each_near(
    table: LeafTable, weights: NDArray[np.int64], prototype_leaves: NDArray[np.int32]
) -> Iterator[NDArray[np.bool_]]:
    """Yield for one prototype after the other which rows have at least the minimum proximity to it.

    Parameters
    ----------
    table
        The rows.
    weights : (n_trees,) int64
        What each tree counts.
    prototype_leaves : (n_prototypes, n_trees) int32
        Leaves of the prototypes, numbered as in the table.

    Yields
    ------
    (n_rows,) bool
    """
    minimum = MinimumProximity.of(weights)
    if weights.max() == 1:  # the proximity is the number of trees
        yield from map(minimum.is_reached_by_trees, each_column(table, weights, prototype_leaves))
        return
    counts = (weights > 0).astype(np.int64)
    columns = zip(
        each_column(table, weights, prototype_leaves), each_column(table, counts, prototype_leaves), strict=True
    )
    yield from (minimum.is_reached(column, n_shared) for column, n_shared in columns)


def near_rows(table: LeafTable, weights: NDArray[np.int64], prototype_leaves: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return which rows have at least the minimum proximity to any of the prototypes, (n_rows,); see ``each_near``."""
    if isinstance(table, PartitionedTable):
        return np.concatenate(list(table.map(near_rows, weights, prototype_leaves)))
    near = np.zeros(table.n_rows, dtype=np.bool_)
    for near_one in each_near(table, weights, prototype_leaves):
        near |= near_one
    return near


class CoverageGoal:
    """A share of rows that prototypes, chosen one after the other, are to be near to.

    Parameters
    ----------
    table, weights
        The rows that the prototypes are chosen from, and what each tree counts.
    share
        In (0, 1]; taken as the decimal number that it is written as.
    """

    def __init__(self, table: LeafTable, weights: NDArray[np.int64], share: float) -> None:
        self._table, self._weights = table, weights
        self._n_needed = ceil(Fraction(repr(float(share))) * table.n_rows)
        self._near = np.zeros(table.n_rows, dtype=np.bool_)

    def is_reached_with(self, row: int) -> bool:
        """Take one more prototype into account; return whether the share is reached."""
        self._near |= near_rows(self._table, self._weights, self._table.leaves_of(np.array([row])))
        return int(self._near.sum()) >= self._n_needed
