"""Which rows vote for a prototype, and which it covers, wherever the rows lie.

Each row votes for its nearest prototype of all, and is covered by its nearest prototype of its own class (ties: the
earlier one). A row that shares no leaf with any of them votes for none, or is covered by none.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress
from ..errors import InvalidInput
from ..leaf_space.leaves import LeafTable
from ..leaf_space.partitioned_table import PartitionedTable
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
    """Count votes and coverage from each prototype's proximities to all rows.

    Parameters
    ----------
    table, weights
        The rows, and what each tree counts.
    prototype_leaves : (n_prototypes, n_trees) int32
        Leaves of the prototypes in the order chosen, numbered as in the table.
    classes
        Of the rows and of the prototypes.
    report
        Progress callback, called after each prototype; may raise to stop.

    Raises
    ------
    InvalidInput
        If classes are missing or outside 0 to ``n_classes - 1``, or there is no prototype.
    """
    _check(table, prototype_leaves, classes)
    if isinstance(table, PartitionedTable):
        return _votes_in_parts(table, weights, prototype_leaves, classes, report)
    n_prototypes = len(prototype_leaves)
    of_all, of_class = _Nearest.of_none(table.n_rows), _Nearest.of_none(table.n_rows)
    inside, outside = np.empty(n_prototypes, dtype=np.int64), np.empty(n_prototypes, dtype=np.int64)
    for rank, column in enumerate(each_column(table, weights, prototype_leaves)):
        in_class = np.where(classes.of_rows == classes.of_prototypes[rank], column, 0)
        of_all.offer(rank, column)
        of_class.offer(rank, in_class)
        inside[rank] = in_class.sum(dtype=np.int64)
        outside[rank] = column.sum(dtype=np.int64) - inside[rank]
        report((rank + 1) / n_prototypes, "measuring quality")
    proximity = of_all.proximity.astype(np.int64)
    return Votes(classes, int(weights.sum()), proximity, of_all.owner, of_class.owner, inside, outside)


def _votes_in_parts(
    table: PartitionedTable,
    weights: NDArray[np.int64],
    prototype_leaves: NDArray[np.int32],
    classes: Classes,
    report: ReportProgress,
) -> Votes:
    """Join the votes of all partitions."""
    parts, found = table.beside_rows(classes.of_rows.astype(np.int32)), []
    for votes in parts.map(_votes_in_part, weights, prototype_leaves, classes.n_classes, classes.of_prototypes):
        found.append(votes)
        report(len(found) / len(parts), "measuring quality")
    *of_rows, inside, outside = zip(*found, strict=True)
    nearest, voted, covering = (np.concatenate(each).astype(np.int64) for each in of_rows)
    return Votes(classes, int(weights.sum()), nearest, voted, covering, np.sum(inside, axis=0), np.sum(outside, axis=0))


def _votes_in_part(
    table: LeafTable,
    of_rows: NDArray[np.int32],
    weights: NDArray[np.int64],
    prototype_leaves: NDArray[np.int32],
    n_classes: int,
    of_prototypes: NDArray[np.int64],
) -> tuple[NDArray[Any], ...]:
    """Return a partition's part of the last five fields of ``Votes``."""
    classes = Classes(n_classes, of_rows.astype(np.int64), of_prototypes)
    votes = count_votes(table, weights, prototype_leaves, classes, ignore_progress)
    owners = votes.voted.astype(np.int32), votes.covering.astype(np.int32)
    return votes.nearest.astype(np.uint32), *owners, votes.inside, votes.outside


def nearest_of_own_class(
    table: LeafTable, weights: NDArray[np.int64], prototype_leaves: NDArray[np.int32], classes: Classes
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the nearest prototype of each row's own class, (n_rows,), and its proximity in units of weight, (n_rows,).

    Ties go to the earlier prototype; a row that shares no leaf with any of them has -1 and 0. Parameters are those of
    ``count_votes``.
    """
    _check(table, prototype_leaves, classes)
    if isinstance(table, PartitionedTable):
        parts = table.beside_rows(classes.of_rows.astype(np.int32))
        found = list(parts.map(_own_class_in_part, weights, prototype_leaves, classes.n_classes, classes.of_prototypes))
        owners, proximities = (np.concatenate(each).astype(np.int64) for each in zip(*found, strict=True))
        return owners, proximities
    nearest = _Nearest.of_none(table.n_rows)
    for rank, column in enumerate(each_column(table, weights, prototype_leaves)):
        nearest.offer(rank, np.where(classes.of_rows == classes.of_prototypes[rank], column, 0))
    return nearest.owner, nearest.proximity.astype(np.int64)


def _own_class_in_part(
    table: LeafTable,
    of_rows: NDArray[np.int32],
    weights: NDArray[np.int64],
    prototype_leaves: NDArray[np.int32],
    n_classes: int,
    of_prototypes: NDArray[np.int64],
) -> tuple[NDArray[np.int32], NDArray[np.uint32]]:
    classes = Classes(n_classes, of_rows.astype(np.int64), of_prototypes)
    owner, proximity = nearest_of_own_class(table, weights, prototype_leaves, classes)
    return owner.astype(np.int32), proximity.astype(np.uint32)


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
    for name, (numbers, n) in wanted.items():
        if numbers.shape != (n,) or numbers.min() < 0 or numbers.max() >= classes.n_classes:
            msg = f"classes of {name} must be {n} numbers from 0 to {classes.n_classes - 1}"
            raise InvalidInput(msg)
