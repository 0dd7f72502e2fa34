"""Prototypes that are replaced one at a time, and what rows have of them."""

import numpy as np
from numpy.typing import NDArray

from ..leaf_space.leaves import LeafTable
from .goal import Goal
from .row_subsets import proximities_to
from .rows_by_class import RowsByClass
from .standing import empty_standing, stand

_OUT_OF_REACH = 2**62


class SwappablePrototypes:
    """A list of prototypes, known by rank, with the proximities of each to the rows of its class.

    Parameters
    ----------
    table, weights
        All rows, and what each tree counts.
    by_class
        The rows by class.
    rows : (n_prototypes,) int64
        The prototypes to begin with.
    goal
        By what replacements are measured.
    floors : (n_rows,) int64, by place
        What ``at_most`` assumes that all rows have beside their prototypes.
    """

    def __init__(  # rows, prototypes among them, and two measures
        self,
        table: LeafTable,
        weights: NDArray[np.int64],
        by_class: RowsByClass,
        rows: NDArray[np.int64],
        goal: Goal,
        floors: NDArray[np.int64],
    ) -> None:
        self.rows, self.classes = np.array(rows, dtype=np.int64), by_class.classes[rows]
        self.versions = np.zeros(by_class.n_classes, dtype=np.int64)  # how often each class's prototypes changed
        self.now = empty_standing(table.n_rows, len(rows), by_class.n_classes)
        self.at_most = empty_standing(table.n_rows, len(rows), by_class.n_classes)
        self.floors_suffice = np.zeros(by_class.n_classes, dtype=np.bool_)  # nothing below them matters to the class
        self._table, self._weights, self._by_class, self._goal = table, weights, by_class, goal
        self._floors = floors
        self._columns = [self._columns_of(position) for position in range(by_class.n_classes)]
        for position in range(by_class.n_classes):
            self._stand(position)
        self._compare_losses()

    @property
    def objective(self) -> int:
        """What the prototypes reach of the goal."""
        places = [self._by_class.places(position) for position in range(self._by_class.n_classes)]
        return self._goal.objective([int(self.now.nearest[own].sum()) for own in places])

    def replace(self, rank: int, row: int) -> None:
        """Put a row in the place of a prototype."""
        before, after = int(self.classes[rank]), int(self._by_class.classes[row])
        column, line = self._column(row), self._line(rank)
        self.rows[rank], self.classes[rank] = row, after
        if before == after:
            self._columns[after][line] = column
        else:
            self._columns[before] = np.delete(self._columns[before], line, axis=0)
            self._columns[after] = np.insert(self._columns[after], self._line(rank), column, axis=0)
        for position in {before, after}:
            self._stand(position)
        self._compare_losses()

    def may_gain_by(
        self, own: NDArray[np.int64], gains: NDArray[np.int64], changes: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Tell for which rows, of these classes and bringing no more than this, a prototype may be given up."""
        return (changes > 0) | (gains > self._losses_elsewhere[own])

    def best_replaced(self, own: int, gain: int, change: int, rank_in_class: int) -> int:
        """Return the rank of the prototype that a row of a class, bringing exactly this, replaces best."""
        scale, elsewhere = self._goal.scales[own], self._missed_least_elsewhere(own)
        swaps = [(scale * change, -rank_in_class)] if rank_in_class >= 0 else []
        if elsewhere is not None:
            swaps.append((scale * gain - self._scaled_loss(elsewhere), -elsewhere))
        return -max(swaps)[1]

    def _columns_of(self, position: int) -> NDArray[np.uint32]:
        """Return the proximities of a class's prototypes to its rows."""
        own = self.rows[self.classes == position]
        columns = np.empty((len(own), self._by_class.sizes[position]), dtype=np.uint32)
        for line, row in zip(columns, own.tolist(), strict=True):
            line[:] = self._column(row)
        return columns

    def _column(self, row: int) -> NDArray[np.uint32]:
        own = self._by_class.rows[self._by_class.places(int(self._by_class.classes[row]))]
        return proximities_to(self._table, self._weights, own, row).astype(np.uint32)

    def _line(self, rank: int) -> int:
        """Return where a prototype is among those of its class."""
        return int(np.count_nonzero(self.classes[:rank] == self.classes[rank]))

    def _stand(self, position: int) -> None:
        places, ranks = self._by_class.places(position), np.flatnonzero(self.classes == position)
        floors = self._floors[places]
        for standing, under in ((self.now, np.zeros_like(floors)), (self.at_most, floors)):
            stand(self._columns[position], ranks, under, places.start, position, standing)
        self.floors_suffice[position] = bool((floors <= self.now.second[places]).all())
        self.versions[position] += 1

    def _compare_losses(self) -> None:
        """Find out what a row of each class must bring to be worth a prototype of another class."""
        self._missed_least = sorted(range(len(self.rows)), key=lambda rank: (self._scaled_loss(rank), rank))
        limits = []
        for own, scale in enumerate(self._goal.scales):
            elsewhere = self._missed_least_elsewhere(own)
            limits.append(_OUT_OF_REACH if elsewhere is None else self._scaled_loss(elsewhere) // scale)
        self._losses_elsewhere = np.array(limits, dtype=np.int64)  # in units of the class that would gain

    def _missed_least_elsewhere(self, own: int) -> int | None:
        """Return the rank of the prototype of another class that is missed least, if rows may replace it."""
        if self._goal.classes_are_apart:
            return None
        return next((rank for rank in self._missed_least if self.classes[rank] != own), None)

    def _scaled_loss(self, rank: int) -> int:
        return self._goal.scales[int(self.classes[rank])] * int(self.now.losses[rank])
