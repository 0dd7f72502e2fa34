"""The objective of SM-U, SM-A, SM-WA and A-PETE: how close each row is to its nearest prototype of its own class.

g(M) = sum over rows s of the largest proximity of s to a prototype of s's class (Tan et al. 2020, equation 4; the
phantom exemplars at distance 1 are the 0 of a row without any). A prototype matters to its own class only, so g is a
sum of one objective per class, and rows of different classes are never compared.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..leaves import LeafTable, sum_over_leaves
from ..proximity import columns, each_column, rows_per_block


class ClassCoverage:
    """g restricted to the rows of one class, which are numbered 0 to n - 1; gains in units of weight, exact."""

    def __init__(self, table: LeafTable, weights: NDArray[np.int64]) -> None:
        self._table = table  # of the rows of this class alone
        self._weights = weights
        self._covered = np.zeros(table.n_rows, dtype=np.int64)  # proximity to the nearest prototype so far

    def first_gains(self) -> NDArray[np.int64]:
        """Return each row's gain while there is no prototype: its proximities summed over the class, without pairs."""
        return sum_over_leaves(self._table, self._weights)

    def gains(self, items: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return by how much g would grow if each of these rows alone became a prototype."""
        block = rows_per_block(self._table.n_rows)
        parts = [self._covered_with_each(items[start : start + block]) for start in range(0, len(items), block)]
        return np.asarray(np.concatenate(parts) - self._covered.sum())

    def add(self, item: int) -> None:
        """Make this row a prototype."""
        column = columns(self._table, self._weights, self._table.leaves_of(np.array([item])))[0]
        np.maximum(self._covered, column, out=self._covered)

    def _covered_with_each(self, items: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return what g would be with each of these rows as one more prototype."""
        shared = columns(self._table, self._weights, self._table.leaves_of(items))
        nearest = np.maximum(shared, self._covered.astype(shared.dtype), out=shared)
        return np.asarray(nearest.sum(axis=1, dtype=np.int64))


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a sequence of prototypes covers."""

    objectives: NDArray[np.int64]  # (n_prototypes,) g of the first 1, 2, … prototypes
    n_covered: NDArray[np.int64]  # (n_prototypes,) rows whose nearest prototype of their class this is


def measure_coverage(
    table: LeafTable, weights: NDArray[np.int64], classes: NDArray[np.int64], prototypes: NDArray[np.int64]
) -> Coverage:
    """Return g after each prototype, and how many rows each of them stands for in the end.

    Parameters
    ----------
    table, weights
        All rows, and what each tree counts.
    classes : (n_rows,) int64
        Class of each row.
    prototypes : (n_prototypes,) int64
        Rows of the table, in the order chosen.

    Returns
    -------
    Coverage
        A row is counted for its nearest prototype of its own class (ties: the earlier one), and for none if it shares
        no leaf with any of them.
    """
    covered = np.zeros(table.n_rows, dtype=np.int64)
    owner = np.full(table.n_rows, -1, dtype=np.int64)
    objectives = np.empty(len(prototypes), dtype=np.int64)
    for rank, column in enumerate(each_column(table, weights, table.leaves_of(prototypes))):
        nearer = (classes == classes[prototypes[rank]]) & (column > covered)
        covered[nearer], owner[nearer] = column[nearer], rank
        objectives[rank] = covered.sum()
    return Coverage(objectives, np.bincount(owner[owner >= 0], minlength=len(prototypes)).astype(np.int64))
