"""Rows in the order of their classes, so that what concerns one class lies side by side."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..leaf_space.leaves import LeafTable
from ..leaf_space.proximity import each_column


@dataclass(frozen=True, slots=True)
class RowsByClass:
    """Rows sorted by class: those of one class have neighbouring *places*, ascending.

    Classes without rows are left out; the others are known by their position among them.
    """

    classes: NDArray[np.int64]  # (n_rows,) position of each row's class
    rows: NDArray[np.int64]  # (n_rows,) the row in each place
    bounds: NDArray[np.int64]  # (n_classes + 1,) where the places of each class begin

    @staticmethod
    def of(classes: NDArray[np.int64]) -> "RowsByClass":
        """Sort rows by class; ``classes`` is (n_rows,)."""
        _, positions, sizes = np.unique(classes, return_inverse=True, return_counts=True)
        return RowsByClass(
            positions.astype(np.int64),
            np.argsort(positions, kind="stable"),
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

    def places(self, position: int) -> slice:
        """Return the places of a class."""
        return slice(int(self.bounds[position]), int(self.bounds[position + 1]))

    def column_of(self, prototype: int, column: NDArray[np.integer]) -> tuple[slice, NDArray[np.int64]]:
        """Return the places of a row's class, and the row's proximities to them out of those to all rows."""
        places = self.places(int(self.classes[prototype]))
        return places, column[self.rows[places]].astype(np.int64)

    def coverage(
        self, table: LeafTable, weights: NDArray[np.int64], prototypes: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the proximity of each row to its nearest prototype of its own class, by place; 0 if it has none."""
        covered = np.zeros(len(self.rows), dtype=np.int64)
        columns = each_column(table, weights, table.leaves_of(prototypes))
        for prototype, column in zip(prototypes.tolist(), columns, strict=True):
            places, own = self.column_of(prototype, column)
            np.maximum(covered[places], own, out=covered[places])
        return covered
