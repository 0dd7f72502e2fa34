"""PartitionedTests: an ensemble's statements as tests of rows that lie in partitions, which count them bin by bin.

Gains follow from integer counts and sums over bins, which are added up over partitions: they, and ties, are those of
``OrderedTests``, however the rows are cut.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..compute.partitions import Partitions, Spread
from ..questions.binned_rows import BinnedRows, Bins, Layout
from .information_gain import GAIN, Units, highest
from .ordered_tests import OrderedTests, count_bins, fill_gains_of_bins

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PartitionedTests:
    """Statements as tests; a node with fewer rows than a partition has is counted by the caller itself."""

    here: OrderedTests
    layout: Layout
    parts: Partitions  # of bins (n_features, n_own) and units (n_own, n_classes)
    bounds: Integers  # (n_parts + 1,) the first row of each, and the number of rows

    @classmethod
    def of(
        cls,
        binned: BinnedRows,
        units: Units,
        criterion: int = GAIN,
        *,
        spread: Spread,
        most_rows: int,
    ) -> "PartitionedTests":
        """Return the statements as tests of rows that ``spread`` puts into partitions of a largest size."""
        bounds = np.append(np.arange(0, binned.n_rows, most_rows), binned.n_rows).astype(np.int64)
        slices = [slice(start, stop) for start, stop in pairwise(bounds.tolist())]
        values = [(np.ascontiguousarray(binned.bins[:, piece]), np.ascontiguousarray(units[piece])) for piece in slices]
        layout = Layout.of(binned.statements)
        return cls(OrderedTests(binned, criterion=criterion), layout, spread(values).keep(_held), bounds)

    @property
    def n_tests(self) -> int:
        """Number of statements."""
        return self.here.n_tests

    def gains(self, rows: Integers, units: Units, min_samples_leaf: int) -> NDArray[np.float64]:
        """Return the gain of each statement on some rows; see ``Tests.gains``; ``units`` are those of ``of``."""
        if len(rows) < int(self.bounds[1]):
            return self.here.gains(rows, units, min_samples_leaf)
        counts, sums = self._counted(rows, units.shape[1])
        node = self.here.node(rows, units, min_samples_leaf)
        gains = np.zeros(self.n_tests)
        fill_gains_of_bins(self.layout, counts, sums, node.sums, gains)
        return gains

    def best(self, rows: Integers, units: Units, min_samples_leaf: int) -> tuple[int, float]:
        """Return the statement of the highest gain, and its gain; see ``Tests.best``."""
        if len(rows) < int(self.bounds[1]):
            return self.here.best(rows, units, min_samples_leaf)
        return highest(self.gains(rows, units, min_samples_leaf))

    def holds(self, test: int, rows: Integers) -> NDArray[np.bool_]:
        """Return for which of these rows a statement is true, (n_own,)."""
        return self.here.holds(test, rows)

    def _counted(self, rows: Integers, n_classes: int) -> tuple[Integers, Units]:
        """Return how many rows each bin has, (n_bins,), and the sums of their units, (n_bins, n_classes)."""
        n_bins = int(self.layout.bin_starts[-1])
        counts, sums = np.zeros(n_bins, np.int64), np.zeros((n_bins, n_classes), np.int64)
        cuts = np.searchsorted(rows, self.bounds).tolist()
        rows_of_parts = [
            (rows[start:stop] - first).astype(np.int32)
            for (start, stop), first in zip(pairwise(cuts), self.bounds[:-1].tolist(), strict=True)
        ]
        for of_part in self.parts.beside_values(rows_of_parts).map(_count, self.layout.bin_starts):
            counts += of_part[0]
            sums += of_part[1]
        return counts, sums


def _held(bins: Bins, units: Units) -> tuple[Bins, Units]:
    return bins, units


def _count(held: tuple[Bins, Units], rows: NDArray[np.int32], bin_starts: Integers) -> tuple[Integers, Units]:
    bins, units = held
    n_bins, n_classes = int(bin_starts[-1]), units.shape[1]
    counts, sums = np.zeros(n_bins, np.int64), np.zeros((n_bins, n_classes), np.int64)
    count_bins(bin_starts, bins, rows.astype(np.int64), units, counts, sums)
    return counts, sums
