"""Label audit: rows ranked by how far the rows nearest to them disagree with their label."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compute.progress import ReportProgress, ignore_progress
from .errors import InvalidInput
from .leaf_space.leaves import LeafTable
from .leaf_space.neighborhoods import each_neighborhood


@dataclass(frozen=True, slots=True)
class LabelAudit:
    """The labels of each row's nearest rows beside its own; all arrays but ``ranking`` are by row."""

    ranking: NDArray[np.int64]  # (n_rows,) rows, the most suspect first
    n_neighbors: NDArray[np.int64]  # (n_rows,) nearest rows that vote: fewer than requested where fewer share a leaf
    agreement: NDArray[np.float64]  # (n_rows,) share of them with the row's own label; NaN without any
    disagreeing: NDArray[np.int64]  # (n_rows,) summed integer proximity of those with another label
    suggested: NDArray[np.int64]  # (n_rows,) class that they support more than the row's own; -1: none


def audit_labels(
    table: LeafTable,
    weights: NDArray[np.int64],
    classes: NDArray[np.int64],
    n_neighbors: int,
    report: ReportProgress = ignore_progress,
) -> LabelAudit:
    """Rank rows by the share of their nearest rows that have their label, smallest first.

    A row's nearest rows are the ``n_neighbors`` others of largest proximity (ties: lowest row), without those that
    share no leaf with it at all: they have no bearing on it. Equal shares: the larger summed proximity of the
    neighbours that disagree first, then the lower row. Rows without neighbours come last.

    A class is suggested where the neighbours' proximities, summed by class, support it more than the row's own;
    ties between such classes go to the earlier one.

    Parameters
    ----------
    table
        Leaves of the rows.
    weights : (n_trees,) int64
        What each tree counts.
    classes : (n_rows,) int64
        Class of each row, 0 or more: the labels to be audited.
    n_neighbors
        In 1 to ``n_rows - 1``.
    report
        Progress callback; may raise to stop.

    Raises
    ------
    InvalidInput
        If there are not as many other rows, or not as many classes as rows.

    References
    ----------
    Tan, Soloviev, Hooker, Wells (2020), "Tree Space Prototypes", section "Fixing Mislabeled Points", which uses 10
    neighbours, and leaves open how ties are broken and which label is the right one. Leaves that a tree has fitted to
    wrong labels hold other rows with the same ones: a forest grown until its leaves are pure gives less clear results.
    """
    if classes.shape != (table.n_rows,) or classes.min(initial=0) < 0:
        msg = f"one class of 0 or more is needed for each of {table.n_rows} rows, got shape {classes.shape}"
        raise InvalidInput(msg)
    n_classes = int(classes.max()) + 1
    blocks = [
        _evaluate(classes[block.rows], classes[block.neighbors], block.proximities, n_classes)
        for block in each_neighborhood(table, weights, n_neighbors, report, n_cells_a_row=n_classes)
    ]
    n_used, agreement, disagreeing, suggested = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return LabelAudit(_ranking(agreement, disagreeing), n_used, agreement, disagreeing, suggested)


def share_unopposed(table: LeafTable, weights: NDArray[np.int64], classes: NDArray[np.int64]) -> float:
    """Return the share of rows that share leaves only with rows of their own class, or with none.

    An audit cannot suspect these. Trees grown on all rows until leaves are pure (extremely randomised trees as a rule)
    leave no others; with coarser leaves there are some. Parameters are those of ``audit_labels``; trees that count
    nothing are left out.
    """
    is_opposed = np.zeros(table.n_rows, dtype=np.bool_)
    some_class = np.empty(int(np.diff(table.offsets).max()), dtype=np.int64)
    for tree in np.flatnonzero(weights > 0):
        codes = table.codes[tree]
        some_class[codes] = classes  # of each leaf, that of one of its rows
        is_mixed = np.zeros(len(some_class), dtype=np.bool_)
        is_mixed[codes[some_class[codes] != classes]] = True
        is_opposed |= is_mixed[codes]
    return float(1 - is_opposed.mean())


def _evaluate(
    own: NDArray[np.int64], others: NDArray[np.int64], proximities: NDArray[np.int64], n_classes: int
) -> tuple[NDArray[Any], ...]:
    """Return the four arrays of a block of rows: classes (n_rows,), their neighbours' (n_rows, n_neighbors)."""
    n_used = (proximities > 0).sum(axis=1)
    agrees = (others == own[:, None]) & (proximities > 0)
    agreement = np.full(len(own), np.nan)
    np.divide(agrees.sum(axis=1), n_used, out=agreement, where=n_used > 0)
    support = _support(others, proximities, n_classes)
    of_own = support[np.arange(len(own)), own]
    best = support.argmax(axis=1)
    suggested = np.where(support.max(axis=1) > of_own, best, -1)
    return n_used, agreement, support.sum(axis=1) - of_own, suggested


def _support(others: NDArray[np.int64], proximities: NDArray[np.int64], n_classes: int) -> NDArray[np.int64]:
    """Return the neighbours' proximities summed by class, (n_rows, n_classes)."""
    cells = np.arange(len(others))[:, None] * n_classes + others
    # Sums of 1,000 proximities of at most 2^32 are whole numbers that float64 holds.
    sums = np.bincount(cells.ravel(), proximities.ravel(), minlength=len(others) * n_classes)
    return sums.astype(np.int64).reshape(len(others), n_classes)


def _ranking(agreement: NDArray[np.float64], disagreeing: NDArray[np.int64]) -> NDArray[np.int64]:
    # NaN sorts last; the sort is stable, so that rows stay in order where all else is equal.
    return np.lexsort((-disagreeing, agreement)).astype(np.int64)
