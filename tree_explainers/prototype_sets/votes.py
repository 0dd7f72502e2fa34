"""Which prototype each row is nearest to, and how near prototypes are to rows of their own class and of others.

Each row votes for its nearest prototype of all, and is covered by its nearest prototype of its own class (ties: the
earlier one). A row that shares no leaf with any of them votes for none, or is covered by none.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress
from ..errors import InvalidInput
from ..leaf_space.leaves import LeafTable
from ..leaf_space.proximity import each_column

_NOBODY = -1


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes of rows and of prototypes, as numbers below ``n_classes``; in regression one class holds all."""

    n_classes: int
    of_rows: NDArray[np.int64]  # (n_rows,)
    of_prototypes: NDArray[np.int64]  # (n_prototypes,)

    @property
    def row_counts(self) -> NDArray[np.int64]:
        """Rows of each class, (n_classes,)."""
        return np.bincount(self.of_rows, minlength=self.n_classes)

    @property
    def prototype_counts(self) -> NDArray[np.int64]:
        """Prototypes of each class, (n_classes,)."""
        return np.bincount(self.of_prototypes, minlength=self.n_classes)


@dataclass(frozen=True, slots=True)
class Votes:
    """What the prototypes' columns of proximities show; exact, in units of weight."""

    classes: Classes
    total_weight: int  # the proximity of a row to itself
    nearest: NDArray[np.int64]  # (n_rows,) proximity to the nearest prototype
    voted: NDArray[np.int64]  # (n_rows,) that prototype, or -1
    covering: NDArray[np.int64]  # (n_rows,) the nearest prototype of the row's own class, or -1
    inside: NDArray[np.int64]  # (n_prototypes,) proximities summed over the rows of its class
    outside: NDArray[np.int64]  # (n_prototypes,) the same over all other rows

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.nearest)

    @property
    def n_prototypes(self) -> int:
        """Number of prototypes."""
        return len(self.inside)

    @property
    def is_vote(self) -> NDArray[np.bool_]:
        """Which rows vote, (n_rows,)."""
        return np.asarray(self.voted != _NOBODY)

    @property
    def is_covered(self) -> NDArray[np.bool_]:
        """Which rows are covered, (n_rows,)."""
        return np.asarray(self.covering != _NOBODY)

    @property
    def distances(self) -> NDArray[np.float64]:
        """1 - proximity of each row to its nearest prototype, (n_rows,); 1 for a row that votes for none."""
        return np.asarray((self.total_weight - self.nearest) / self.total_weight)

    def count_by_class(self) -> NDArray[np.int64]:
        """Count the votes for each prototype from rows of each class: (n_prototypes, n_classes)."""
        shape = self.n_prototypes, self.classes.n_classes
        cells = self.voted[self.is_vote] * self.classes.n_classes + self.classes.of_rows[self.is_vote]
        return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)

    def count_covered(self) -> NDArray[np.int64]:
        """Count the rows that each prototype covers: (n_prototypes,)."""
        return np.bincount(self.covering[self.is_covered], minlength=self.n_prototypes)


def count_votes(
    table: LeafTable,
    weights: NDArray[np.int64],
    prototype_leaves: NDArray[np.int32],
    classes: Classes,
    report: ReportProgress,
) -> Votes:
    """Look at each prototype's proximities to all rows of the table, once.

    Parameters
    ----------
    table, weights
        The rows, and what each tree counts.
    prototype_leaves : (n_prototypes, n_trees) int32
        Leaves of the prototypes in the order chosen, numbered as in the table.
    classes
        Of the rows and of the prototypes.
    report
        Told after each prototype; may raise to stop.

    Raises
    ------
    InvalidInput
        If classes are missing or outside 0 to ``n_classes - 1``, or there is no prototype.
    """
    _check(table, prototype_leaves, classes)
    n_prototypes = len(prototype_leaves)
    of_all, of_class = _Nearest.of_none(table.n_rows), _Nearest.of_none(table.n_rows)
    inside, outside = np.empty(n_prototypes, dtype=np.int64), np.empty(n_prototypes, dtype=np.int64)
    for rank, column in enumerate(each_column(table, weights, prototype_leaves)):
        own = np.where(classes.of_rows == classes.of_prototypes[rank], column, 0)
        of_all.offer(rank, column)
        of_class.offer(rank, own)
        inside[rank] = own.sum(dtype=np.int64)
        outside[rank] = column.sum(dtype=np.int64) - inside[rank]
        report((rank + 1) / n_prototypes, "measuring quality")
    proximity = of_all.proximity.astype(np.int64)
    return Votes(classes, int(weights.sum()), proximity, of_all.owner, of_class.owner, inside, outside)


@dataclass(frozen=True, slots=True)
class _Nearest:
    """The nearest prototype of each row so far."""

    proximity: NDArray[np.uint32]  # (n_rows,)
    owner: NDArray[np.int64]  # (n_rows,)

    @staticmethod
    def of_none(n_rows: int) -> "_Nearest":
        return _Nearest(np.zeros(n_rows, dtype=np.uint32), np.full(n_rows, _NOBODY, dtype=np.int64))

    def offer(self, prototype: int, column: NDArray[Any]) -> None:
        nearer = column > self.proximity  # an equally near prototype comes too late
        self.proximity[nearer] = column[nearer]
        self.owner[nearer] = prototype


def _check(table: LeafTable, prototype_leaves: NDArray[np.int32], classes: Classes) -> None:
    if len(prototype_leaves) == 0:
        msg = "there is no prototype to look at"
        raise InvalidInput(msg)
    wanted = {"rows": (classes.of_rows, table.n_rows), "prototypes": (classes.of_prototypes, len(prototype_leaves))}
    for name, (own, n) in wanted.items():
        if own.shape != (n,) or own.min() < 0 or own.max() >= classes.n_classes:
            msg = f"classes of {name} must be {n} numbers from 0 to {classes.n_classes - 1}"
            raise InvalidInput(msg)
