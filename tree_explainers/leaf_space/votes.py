"""What all other rows of a leaf table say about each row's class, each by its proximity: exact, from counts alone.

The proximities of a row to all others of a class add up to a sum over trees: the tree's weight times the number of rows
of the class in the row's leaf. So no row's neighbours are ever listed, and time grows with rows x trees x classes.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, inlined
from ..compute.progress import ReportProgress, ignore_progress
from ..compute.threads import in_threads
from .leaves import LeafTable
from .partitioned_table import PartitionedTable

COUNTED_CELLS = 1 << 21  # leaves x classes that are counted together: counts of 8 MiB, near the processor
SUMMED_CELLS = 1 << 24  # rows x classes that are summed up together
_MOST_CLASSES = (1 << 16) - 1  # that are summed up together: numbers of two bytes, one of them for all other classes
_BLOCK_ROWS = 8192  # of a partition, whose sums stay in the nearest cache from tree to tree
_ROWS_AT_ONCE, _TREES_AT_ONCE = 2048, 4  # so that each sum is read and written for four trees together


@dataclass(frozen=True, slots=True)
class Votes:
    """The integer proximities of each row to all others, summed by the class of these."""

    own: NDArray[np.int64]  # (n_rows,) of those of the row's own class
    total: NDArray[np.int64]  # (n_rows,) of all others
    best: NDArray[np.int64]  # (n_rows,) the class of the largest sum (ties: the row's own class, then the first)
    largest: NDArray[np.int64]  # (n_rows,) that sum


def votes_of_all_rows(
    table: LeafTable, weights: NDArray[np.int64], classes: NDArray[np.int64], report: ReportProgress = ignore_progress
) -> Votes:
    """Sum up the proximities of each row to all others, by class.

    Parameters
    ----------
    table
        Leaves of the rows.
    weights : (n_trees,) int64
        What each tree counts. Sums are exact as long as the weights' own sum times the rows is below 2^63.
    classes : (n_rows,) int64
        Class of each row, 0 or more.
    report
        Progress callback; may raise to stop.
    """
    if isinstance(table, PartitionedTable):
        return _votes_in_partitions(table, weights, classes, report)
    n_rows, n_classes = table.n_rows, int(classes.max()) + 1
    own, total = np.zeros(n_rows, dtype=np.int64), np.zeros(n_rows, dtype=np.int64)
    best, largest = np.zeros(n_rows, dtype=np.int64), np.full(n_rows, -1, dtype=np.int64)
    length = min(max(1, SUMMED_CELLS // n_rows), _MOST_CLASSES)
    for first in range(0, n_classes, length):
        some = _Part(table, weights, classes, first, min(first + length, n_classes))
        sums = some.sums(report)
        rows = np.flatnonzero((classes >= first) & (classes < some.stop))
        sums[classes[rows] - first, rows] -= weights.sum()  # a row has no vote on itself
        own[rows] = sums[classes[rows] - first, rows]
        total += sums.sum(axis=0)
        leading = sums.argmax(axis=0)
        of_leading = np.take_along_axis(sums, leading[None], axis=0)[0]
        best = np.where(of_leading > largest, first + leading, best)
        largest = np.maximum(largest, of_leading)
    return Votes(own, total, np.where(own == largest, classes, best), largest)


def _votes_in_partitions(
    table: PartitionedTable, weights: NDArray[np.int64], classes: NDArray[np.int64], report: ReportProgress
) -> Votes:
    """Add up counts per leaf and class over partitions; then each row of each partition looks its leaves up."""
    n_classes, n_leaves = int(classes.max()) + 1, int(table.offsets[-1])
    parts = table.with_rows(np.arange(table.n_rows), classes)
    worths = np.zeros((n_classes, n_leaves), dtype=np.int64)
    for n_done, counts in enumerate(parts.map(_counts_in_part, n_classes)):
        worths += counts
        report(0.5 * n_done / len(parts), "counting votes")
    worths *= np.repeat(weights, np.diff(table.offsets))
    votes = []
    for n_done, of_part in enumerate(parts.map(_votes_in_part, worths, int(weights.sum()))):
        votes.append(of_part)
        report(0.5 + 0.5 * n_done / len(parts), "counting votes")
    return Votes(*(np.concatenate(each) for each in zip(*votes, strict=True)))


def _counts_in_part(
    table: LeafTable, rows_and_classes: tuple[Any, NDArray[np.int64]], n_classes: int
) -> NDArray[np.int32]:
    """Return how many rows of each class each leaf has, (n_classes, n_leaves)."""
    _, classes = rows_and_classes
    counts = np.zeros((n_classes, int(table.offsets[-1])), dtype=np.int32)
    for first in range(0, n_classes, _MOST_CLASSES):
        numbers = _numbers_from(classes, first, min(first + _MOST_CLASSES, n_classes))
        _count(table.codes, np.arange(table.n_trees), table.offsets, numbers, counts[first : first + _MOST_CLASSES])
    return counts


def _votes_in_part(
    table: LeafTable, rows_and_classes: tuple[Any, NDArray[np.int64]], worths: NDArray[np.int64], total_weight: int
) -> tuple[NDArray[np.int64], ...]:
    """Return own, total, best and largest of ``Votes``, a block of rows after the other."""
    _, classes = rows_and_classes
    own, total, best, largest = (np.empty(table.n_rows, dtype=np.int64) for _ in range(4))
    for start in range(0, table.n_rows, _BLOCK_ROWS):
        rows = slice(start, min(start + _BLOCK_ROWS, table.n_rows))
        sums = np.zeros((len(worths), rows.stop - start), dtype=np.int64)
        for tree in range(table.n_trees):
            sums += worths[:, table.offsets[tree] + table.codes[tree, rows].astype(np.int64)]
        positions = np.arange(rows.stop - start)
        sums[classes[rows], positions] -= total_weight  # a row has no vote on itself
        own[rows], total[rows], largest[rows] = sums[classes[rows], positions], sums.sum(axis=0), sums.max(axis=0)
        best[rows] = np.where(own[rows] == largest[rows], classes[rows], sums.argmax(axis=0))
    return own, total, best, largest


@dataclass(frozen=True, slots=True)
class _Part:
    """The votes of the rows of some classes: ``first`` to ``stop - 1``."""

    table: LeafTable
    weights: NDArray[np.int64]
    classes: NDArray[np.int64]
    first: int
    stop: int

    def sums(self, report: ReportProgress) -> NDArray[np.int64]:
        """Return the summed proximities of each row to all rows of each class, itself included: (n_classes, n_rows)."""
        sums = np.zeros((self.stop - self.first, self.table.n_rows), dtype=np.int64)
        n_all = int(self.classes.max()) + 1
        for trees in self._groups():
            done = (self.first + (self.stop - self.first) * trees[0] / self.table.n_trees) / n_all
            report(done, "counting votes")
            self._add(trees, sums)
        return sums

    def _groups(self) -> list[NDArray[np.int64]]:
        """Return the trees that count, in groups as large as can be counted together, of at least one tree."""
        trees = np.flatnonzero(self.weights > 0)
        n_cells = np.cumsum(np.diff(self.table.offsets)[trees] * (self.stop - self.first))
        groups = np.split(trees, np.flatnonzero(np.diff(n_cells // COUNTED_CELLS)) + 1)
        return groups if len(trees) else []

    def _add(self, trees: NDArray[np.int64], sums: NDArray[np.int64]) -> None:
        """Add the votes in some trees to the sums."""
        offsets = np.concatenate([[0], np.cumsum(np.diff(self.table.offsets)[trees])])
        counts = np.zeros((self.stop - self.first, offsets[-1]), dtype=np.int32)
        codes, weights = self.table.codes, self.weights[trees]
        numbers = _numbers_from(self.classes, self.first, self.stop)

        def count(some: slice) -> None:
            _count(codes, trees[some], offsets[some.start : some.stop + 1], numbers, counts)

        def add(rows: slice) -> None:
            _add(_Counted(codes, trees, offsets, weights, counts), rows.start, rows.stop, sums)

        in_threads(count, len(trees))
        in_threads(add, self.table.n_rows)


def _numbers_from(classes: NDArray[np.int64], first: int, stop: int) -> NDArray[np.uint16]:
    """Return the classes of rows counted from the first of some classes; all others have the number after these."""
    is_among = (classes >= first) & (classes < stop)
    return np.where(is_among, classes - first, stop - first).astype(np.uint16)


@compiled
def _count(
    codes: NDArray[Any],
    trees: NDArray[np.int64],
    offsets: NDArray[np.int64],
    classes: NDArray[np.uint16],
    counts: NDArray[np.int32],
) -> None:
    """Count the rows of each class in each leaf, (n_classes, n_leaves); those of the class after them are left out."""
    n_classes = len(counts)
    for index in range(len(trees)):
        of_rows, leaves = codes[trees[index]], slice(offsets[index], offsets[index + 1])
        # Counting the rows of other classes, too, takes less time than asking which they are.
        in_leaves = np.zeros((n_classes + 1, leaves.stop - leaves.start), dtype=np.int32)
        for row in range(len(classes)):
            in_leaves[classes[row], of_rows[row]] += np.int32(1)
        counts[:, leaves] += in_leaves[:n_classes]


class _Counted(NamedTuple):
    """Some trees, with the rows of each class in each of their leaves."""

    codes: NDArray[Any]  # (n_all_trees, n_rows)
    trees: NDArray[np.int64]  # (n_trees,)
    offsets: NDArray[np.int64]  # (n_trees + 1,) where each tree's leaves begin in ``counts``
    weights: NDArray[np.int64]  # (n_trees,)
    counts: NDArray[np.int32]  # (n_classes, n_leaves)


@compiled
def _add(counted: _Counted, start: int, stop: int, sums: NDArray[np.int64]) -> None:
    """Add the weighted counts of each row's leaves to the sums of some rows, a block of rows after the other."""
    codes, trees, offsets, weights, counts = counted
    worths = np.empty(counts.shape, dtype=np.int64)
    for index in range(len(trees)):
        for number in range(len(counts)):
            for leaf in range(offsets[index], offsets[index + 1]):
                worths[number, leaf] = weights[index] * counts[number, leaf]
    n_in_fours = len(trees) - len(trees) % _TREES_AT_ONCE
    for first in range(start, stop, _ROWS_AT_ONCE):
        end = min(first + _ROWS_AT_ONCE, stop)
        for index in range(0, n_in_fours, _TREES_AT_ONCE):
            for number in range(len(counts)):
                _add_four(codes, trees[index:], first, offsets[index:], worths[number], sums[number, first:end])
        for index in range(n_in_fours, len(trees)):
            for number in range(len(counts)):
                of_leaves, of_class = worths[number, offsets[index] :], sums[number, first:end]
                for row in range(end - first):
                    of_class[row] += of_leaves[codes[trees[index], first + row]]


@inlined
def _add_four(
    codes: NDArray[Any],
    trees: NDArray[np.int64],
    first: int,
    offsets: NDArray[np.int64],
    worths: NDArray[np.int64],
    sums: NDArray[np.int64],
) -> None:
    """Add what four trees' leaves are worth to the sums of rows from the first one on."""
    of_a, of_b, of_c, of_d = codes[trees[0]], codes[trees[1]], codes[trees[2]], codes[trees[3]]
    a, b, c, d = worths[offsets[0] :], worths[offsets[1] :], worths[offsets[2] :], worths[offsets[3] :]
    for index in range(len(sums)):
        row = first + index
        sums[index] += a[of_a[row]] + b[of_b[row]] + c[of_c[row]] + d[of_d[row]]
