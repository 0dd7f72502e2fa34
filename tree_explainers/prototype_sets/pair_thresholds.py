"""How close pairs of candidates and rows must be to be kept: closer than a share of what covers the row."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..leaf_space.leaves import LeafTable
from ..leaf_space.partitioned_table import PartitionedTable
from ..leaf_space.proximity import each_column
from .goal import RowsByClass

_STEPS = 16  # a row's threshold is a multiple of this fraction of its coverage
_HIGHEST_STEP = 256
_SAMPLED_CANDIDATES = 32


class Thresholds:
    """What a proximity must exceed: a share of each row's coverage, which can be raised."""

    def __init__(self, covered: NDArray[np.int64], total_weight: int) -> None:
        self._reference = np.where(covered > 0, covered, max(1, int(covered.mean())))
        self._total_weight = total_weight
        self.raise_to(0)

    def raise_to(self, step: int) -> None:
        """Set thresholds to ``step`` sixteenths of the coverage, and no higher than a proximity can be."""
        self._step = step
        self.values = np.minimum(self._reference * step // _STEPS, self._total_weight)

    def raise_by_little(self) -> None:
        """Raise thresholds by a sixteenth of the coverage, or by a quarter of their values."""
        self.raise_to(self._step + max(1, self._step // 4))

    def guess(
        self,
        table: LeafTable,
        weights: NDArray[np.int64],
        by_class: RowsByClass,
        candidates: NDArray[np.int64],
        n_pairs: float,
    ) -> None:
        """Set thresholds that leave about ``n_pairs``, estimated from a few candidates."""
        step = max(1, -(-len(candidates) // _SAMPLED_CANDIDATES))
        some = candidates[step // 2 :: step]
        counts = np.zeros(_HIGHEST_STEP + 2, dtype=np.int64)
        for of_some in self._counts(table, weights, by_class, some):
            counts += of_some
        n_close = counts[::-1].cumsum()[::-1][1:]  # pairs above the thresholds of each step
        fits = n_close * (len(candidates) / max(1, len(some))) <= n_pairs
        self.raise_to(int(fits.argmax()) if fits.any() else _HIGHEST_STEP)

    def _counts(
        self, table: LeafTable, weights: NDArray[np.int64], by_class: RowsByClass, some: NDArray[np.int64]
    ) -> Iterator[NDArray[np.int64]]:
        """Yield how many pairs of some candidates are too close for fewer steps than 0, 1, …, of a part of all."""
        leaves = table.leaves_of(some)
        if isinstance(table, PartitionedTable):
            classes_and_references = np.empty((2, table.n_rows), dtype=np.uint32)
            classes_and_references[0], classes_and_references[1, by_class.rows] = by_class.classes, self._reference
            parts = table.beside_rows(classes_and_references)
            yield from parts.map(_count_steps_in_part, weights, leaves, by_class.classes[some])
            return
        for row, column in zip(some.tolist(), each_column(table, weights, leaves), strict=True):
            own_rows, proximities = by_class.column_of(row, column)
            yield _count_steps(proximities, self._reference[own_rows])


def _count_steps_in_part(
    table: LeafTable,
    classes_and_references: NDArray[np.uint32],
    weights: NDArray[np.int64],
    leaves: NDArray[np.int32],
    candidate_classes: NDArray[np.int64],
) -> NDArray[np.int64]:
    classes, references = classes_and_references.astype(np.int64)
    counts = np.zeros(_HIGHEST_STEP + 2, dtype=np.int64)
    for of_class, column in zip(candidate_classes, each_column(table, weights, leaves), strict=True):
        own_rows = classes == of_class
        counts += _count_steps(column[own_rows].astype(np.int64), references[own_rows])
    return counts


def _count_steps(proximities: NDArray[np.int64], references: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count pairs by the first number of steps at which the row's threshold is not below the proximity."""
    first_too_high = -(-_STEPS * proximities // references)
    return np.bincount(np.minimum(first_too_high, _HIGHEST_STEP + 1), minlength=_HIGHEST_STEP + 2)
