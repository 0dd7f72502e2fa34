"""The objective of SM-U, SM-A, SM-WA and A-PETE: how close each row is to its nearest prototype of its own class.

g(M) = sum over rows s of the largest proximity of s to a prototype of s's class (Tan et al. 2020, equation 4; the
phantom exemplars at distance 1 are the 0 of a row without any). A prototype matters to its own class only, so g is a
sum of one objective per class, and rows of different classes are never compared.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import Tick, no_tick
from ..leaf_space.leaf_masks import BLOCK
from ..leaf_space.leaves import LeafTable
from ..leaf_space.subset_proximities import column, proximities_to, proximity_sums
from ..submodular import Objective
from .candidate_sweeps import blocks
from .partitioned_sweep import PartitionedSweep, gains_in_part, losses_in_part
from .sweep import Sweep


def class_coverage(
    table: LeafTable, weights: NDArray[np.int64], sweep: Sweep, candidates: NDArray[np.int64]
) -> Objective:
    """Return g restricted to the rows of one class, wherever these lie; see ``ClassCoverage``."""
    if isinstance(sweep, PartitionedSweep):
        return PartitionedCoverage(table, weights, sweep, candidates)
    return ClassCoverage(table, weights, sweep, candidates)


class ClassCoverage:
    """g restricted to the rows of one class, as a function of which candidates are prototypes; exact.

    Items are the candidates, numbered in their order; gains are in units of weight.

    Parameters
    ----------
    table, weights
        All rows, and what each tree counts.
    sweep
        Over the rows of the class.
    candidates : (n_candidates,) int64
        Rows of the class that may become prototypes.
    """

    def __init__(
        self, table: LeafTable, weights: NDArray[np.int64], sweep: Sweep, candidates: NDArray[np.int64]
    ) -> None:
        self._table, self._weights, self._sweep, self._candidates = table, weights, sweep, candidates
        self._covered = np.zeros(len(sweep.targets), dtype=np.int64)  # proximity to the nearest prototype so far
        self.n_at_once = sweep.n_at_once(candidates)

    def first_gains(self) -> NDArray[np.int64]:
        """Return each candidate's gain while there is no prototype, for which no pair needs to be looked at."""
        return proximity_sums(self._table, self._weights, self._sweep.targets, self._candidates)

    def gains(self, items: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return by how much g would grow if each of these candidates alone became a prototype."""
        return self._sweep.gains(self._candidates[items], self._covered)

    def add(self, item: int, kept: NDArray[np.int64]) -> NDArray[np.int64]:
        """Make this candidate a prototype; return the losses of some candidates' gains."""
        near = proximities_to(self._table, self._weights, self._sweep.targets, int(self._candidates[item]))
        before, self._covered = self._covered, np.maximum(self._covered, near)
        return self._sweep.losses(self._candidates[kept], before, self._covered)


class PartitionedCoverage:
    """The same where rows lie in partitions, which know how well they are covered from the prototypes alone.

    Candidates' and prototypes' leaves are sent, sums of integers come back.
    """

    def __init__(
        self, table: LeafTable, weights: NDArray[np.int64], sweep: PartitionedSweep, candidates: NDArray[np.int64]
    ) -> None:
        self._table, self._weights, self._sweep, self._candidates = table, weights, sweep, candidates
        self._chosen: list[int] = []
        self._parts = sweep.beside(sweep.covered_rows())
        self.n_at_once = sweep.n_at_once(candidates)

    def first_gains(self) -> NDArray[np.int64]:
        """Return each candidate's gain while there is no prototype, for which no pair needs to be looked at."""
        return proximity_sums(self._table, self._weights, self._sweep.targets, self._candidates)

    def gains(self, items: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return by how much g would grow if each of these candidates alone became a prototype."""
        return self._sum(gains_in_part, items)

    def add(self, item: int, kept: NDArray[np.int64]) -> NDArray[np.int64]:
        """Make this candidate a prototype; return the losses of some candidates' gains."""
        self._chosen.append(int(self._candidates[item]))
        return self._sum(losses_in_part, kept)

    def _sum(self, function: Callable[..., NDArray[np.int64]], items: NDArray[np.int64]) -> NDArray[np.int64]:
        prototypes = self._table.leaves_of(np.array(self._chosen, dtype=np.int64))
        found = np.zeros(len(items), dtype=np.int64)
        for part in blocks(len(items), BLOCK):
            candidate_codes = self._sweep.codes_of(self._candidates[items[part]])
            for of_part in self._parts.map(function, self._weights, prototypes, candidate_codes):
                found[part] += of_part
            self._sweep.count(part.stop - part.start)
        return found


@dataclass(frozen=True, slots=True)
class CoverageByPrototype:
    """The coverage by a sequence of prototypes."""

    objectives: NDArray[np.int64]  # (n_prototypes,) g of the first 1, 2, … prototypes
    n_covered: NDArray[np.int64]  # (n_prototypes,) rows whose nearest prototype of their class this is


def measure_coverage(
    table: LeafTable,
    weights: NDArray[np.int64],
    classes: NDArray[np.int64],
    prototypes: NDArray[np.int64],
    tick: Tick = no_tick,
) -> CoverageByPrototype:
    """Return g after each prototype, and the number of rows that each of them represents in the end.

    Parameters
    ----------
    table, weights
        All rows, and what each tree counts.
    classes : (n_rows,) int64
        Class of each row.
    prototypes : (n_prototypes,) int64
        Rows of the table, in the order chosen.
    tick
        Called after each prototype; may raise to stop.

    Returns
    -------
    CoverageByPrototype
        A row is counted for its nearest prototype of its own class (ties: the earlier one), and for none if it shares
        no leaf with any of them.
    """
    covered = np.zeros(table.n_rows, dtype=np.int64)
    owner = np.full(table.n_rows, -1, dtype=np.int64)
    objectives = np.empty(len(prototypes), dtype=np.int64)
    for rank, prototype in enumerate(prototypes.tolist()):
        near = column(table, weights, prototype)
        nearer = (classes == classes[prototype]) & (near > covered)
        covered[nearer], owner[nearer] = near[nearer], rank
        objectives[rank] = covered.sum()
        tick()
    return CoverageByPrototype(objectives, np.bincount(owner[owner >= 0], minlength=len(prototypes)).astype(np.int64))
