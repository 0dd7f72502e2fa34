"""Criticisms: rows that no prototype represents well, to be read beside the prototypes.

They go on where the prototypes end, by farthest-first traversal (Gonzalez 1985): each is the row that is farthest from
all prototypes of its class and from the criticisms of its class before it. So they differ from each other, too. Where
a prototype of any class counts for a row (``k_medoids``), all rows are of one class here. The
name is that of Kim, Khanna, Koyejo (2016), "Examples are not enough, learn to criticize!", who choose them by the
difference of two distributions.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..leaf_space.leaves import LeafTable
from ..leaf_space.proximity import each_column
from .goal import RowsByClass


@dataclass(frozen=True, slots=True)
class Criticisms:
    """Rows in the order of choice; proximities are integers in units of weight."""

    rows: NDArray[np.int64]  # (n_criticisms,)
    covered: NDArray[np.int64]  # (n_criticisms,) proximity to the nearest prototype of the row's own class; 0: to none


def find_criticisms(
    table: LeafTable,
    weights: NDArray[np.int64],
    classes: NDArray[np.int64],
    prototypes: NDArray[np.int64],
    n_criticisms: int,
) -> Criticisms:
    """Return the rows that the prototypes represent least.

    Parameters
    ----------
    table, weights
        The rows that prototypes were chosen from, and what each tree counts.
    classes : (n_rows,) int64
        Class of each row: a row is represented by prototypes of its class. All alike for regression and where
        prototypes of any class count (``k_medoids``; see ``covered_classes``).
    prototypes : (n_prototypes,) int64
        Rows of the table.
    n_criticisms
        0 or more; fewer where there are not as many other rows.

    Returns
    -------
    Criticisms
        Ties go to the lowest row. A prototype is no criticism.
    """
    by_class, nearest = RowsByClass.of(classes), np.empty(table.n_rows, dtype=np.int64)
    nearest[by_class.rows] = by_class.coverage(table, weights, prototypes)
    covered, chosen = nearest.copy(), list[int]()
    is_taken = np.zeros(table.n_rows, dtype=np.bool_)
    is_taken[prototypes] = True
    for _ in range(min(n_criticisms, table.n_rows - len(prototypes))):
        row = int(np.where(is_taken, np.iinfo(np.int64).max, nearest).argmin())
        chosen.append(row)
        is_taken[row] = True
        (column,) = each_column(table, weights, table.leaves_of(np.array([row])))
        np.maximum(nearest, column, out=nearest, where=classes == classes[row])
    rows = np.array(chosen, dtype=np.int64)
    return Criticisms(rows, covered[rows])
