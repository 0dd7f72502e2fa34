"""The objective of SM-U, SM-A, SM-WA and A-PETE: how close each row is to its nearest prototype of its own class.

g(M) = sum over rows s of the largest proximity of s to a prototype of s's class (Tan et al. 2020, equation 4; the
phantom exemplars at distance 1 are the 0 of a row without any). A prototype matters to its own class only, so g is a
sum of one objective per class, and rows of different classes are never compared.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import Tick, no_tick
from ..lazy_greedy import Objective
from ..leaf_space.leaf_masks import BLOCK
from ..leaf_space.leaves import LeafTable
from ..leaf_space.partitioned_table import PartitionedTable
from ..leaf_space.proximity import each_column
from ..leaf_space.subset_proximities import proximities_to, proximity_sums
from .candidate_pairs import PairStore
from .euclidean_sweep import EuclideanSweep
from .pair_lists import blocks
from .partitioned_sweep import PartitionedSweep, gains_in_part, losses_in_part
from .swap_gains import sum_gains
from .sweep import Sweep

_PAIRS_AT_ONCE = 2**22
_FEWEST_CLOSER = 32  # one pair of as many is taken to be close at least: with less room, listing is not tried


def class_coverage(
    table: LeafTable, weights: NDArray[np.int64], sweep: Sweep, candidates: NDArray[np.int64], max_pairs: int
) -> Objective:
    """Return g restricted to the rows of one class, wherever these lie; see ``ClassCoverage``."""
    if isinstance(sweep, PartitionedSweep):
        return PartitionedCoverage(table, weights, sweep, candidates)
    if isinstance(sweep, EuclideanSweep):
        return EuclideanCoverage(table, weights, sweep, candidates, max_pairs)
    return ClassCoverage(table, weights, sweep, candidates, max_pairs)


class ClassCoverage:
    """g restricted to the rows of one class, as a function of which candidates are prototypes; exact.

    Items are the candidates, numbered in their order; gains are in units of weight.

    Where 512 candidates are compared for the price of one, nearly all are, again and again. But only pairs that are
    closer than what covers the row can add to a gain. As soon as there is room for these, they are listed, and no rows
    are compared any more.

    Parameters
    ----------
    table, weights
        All rows, and what each tree counts.
    sweep
        Over the rows of the class.
    candidates : (n_candidates,) int64
        Rows of the class that may become prototypes.
    max_pairs
        How many pairs may be listed.
    """

    def __init__(
        self,
        table: LeafTable,
        weights: NDArray[np.int64],
        sweep: Sweep,
        candidates: NDArray[np.int64],
        max_pairs: int,
    ) -> None:
        self._table, self._weights, self._sweep, self._candidates = table, weights, sweep, candidates
        self._covered = np.zeros(len(sweep.targets), dtype=np.int64)  # proximity to the nearest prototype so far
        self.n_at_once = sweep.n_at_once(candidates)
        self._max_pairs = max_pairs if self.n_at_once > 1 else 0
        self._pairs: PairStore | None = None  # those closer than what covered the row when they were listed
        self._n_chosen, self._next_listing = 0, 1  # prototypes, and with how many of them to list pairs

    def first_gains(self) -> NDArray[np.int64]:
        """Return each candidate's gain while there is no prototype, for which no pair needs to be looked at."""
        return self._first_gains_of(np.arange(len(self._candidates)))

    def gains(self, items: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return by how much g would grow if each of these candidates alone became a prototype."""
        if self._n_chosen >= self._next_listing:
            self._next_listing = 2 * self._n_chosen
            self._list_pairs()
        if self._pairs is None:
            return self._sweep.gains(self._candidates[items], self._covered)
        return _gains_from(self._pairs, items, self._covered)

    def add(self, item: int, exact_items: NDArray[np.int64]) -> NDArray[np.int64]:
        """Make this candidate a prototype; return the losses of some candidates' gains."""
        near = proximities_to(self._table, self._weights, self._sweep.targets, int(self._candidates[item]))
        before, self._covered = self._covered, np.maximum(self._covered, near)
        self._n_chosen += 1
        self._sweep.tick()
        if self._n_chosen == 1:  # what has been gained without prototypes is known, and takes no comparing
            return self._first_gains_of(exact_items) - self.gains(exact_items)
        if self._pairs is None:
            return self._sweep.losses(self._candidates[exact_items], before, self._covered)
        return _gains_from(self._pairs, exact_items, before) - _gains_from(self._pairs, exact_items, self._covered)

    def _first_gains_of(self, items: NDArray[np.int64]) -> NDArray[np.int64]:
        return proximity_sums(self._table, self._weights, self._sweep.targets, self._candidates[items])

    def _list_pairs(self) -> None:
        """List the pairs that are closer than what covers the row, or drop others, as far as there is room."""
        if self._pairs is not None:
            self._pairs.drop(self._covered)
            return
        n_candidates = len(self._candidates)
        if n_candidates * len(self._covered) > _FEWEST_CLOSER * self._max_pairs:
            return
        store = PairStore(n_candidates, self._max_pairs, (len(self._covered), int(self._weights.sum())))
        is_of_all = n_candidates == len(self._covered)
        mirrored = self._sweep.pairs_of_targets(self._covered) if is_of_all else None
        for pairs in mirrored or self._sweep.close_pairs(self._candidates, self._covered, _PAIRS_AT_ONCE):
            n_added = store.add(pairs, 0, self._covered)
            if n_added < len(pairs.candidates) or store.n_pairs * n_candidates > self._max_pairs * store.n_added:
                return
        self._pairs = store


def _gains_from(store: PairStore, items: NDArray[np.int64], covered: NDArray[np.int64]) -> NDArray[np.int64]:
    gains = np.empty(len(items), dtype=np.int64)
    sum_gains(store.pairs_of(items), 0, 1, covered, gains)
    return gains


class EuclideanCoverage(ClassCoverage):
    """The same by plain distance, by which the first gains take a look at all pairs."""

    def _first_gains_of(self, items: NDArray[np.int64]) -> NDArray[np.int64]:
        return self._sweep.gains(self._candidates[items], np.zeros_like(self._covered))


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

    def add(self, item: int, exact_items: NDArray[np.int64]) -> NDArray[np.int64]:
        """Make this candidate a prototype; return the losses of some candidates' gains."""
        self._chosen.append(int(self._candidates[item]))
        return self._sum(losses_in_part, exact_items)

    def _sum(self, function: Callable[..., NDArray[np.int64]], items: NDArray[np.int64]) -> NDArray[np.int64]:
        prototypes = self._table.leaves_of(np.array(self._chosen, dtype=np.int64))
        sums = np.zeros(len(items), dtype=np.int64)
        for part in blocks(len(items), BLOCK):
            candidate_codes = self._sweep.codes_of(self._candidates[items[part]])
            for of_part in self._parts.map(function, self._weights, prototypes, candidate_codes):
                sums[part] += of_part
            self._sweep.count(part.stop - part.start)
        return sums


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
    columns: Iterable[NDArray[Any]] | None = None,
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
    columns
        The proximities of each prototype to all rows, (n_rows,), if they are known already.

    Returns
    -------
    CoverageByPrototype
        A row is counted for its nearest prototype of its own class (ties: the earlier one), and for none if it shares
        no leaf with any of them.
    """
    prototype_classes = classes[prototypes]
    if columns is not None:
        return _coverage_by(columns, classes, prototype_classes, tick)
    leaves = table.leaves_of(prototypes)
    if isinstance(table, PartitionedTable):
        objectives, n_covered = (np.zeros(len(prototypes), dtype=np.int64) for _ in range(2))
        parts = table.beside_rows(classes.astype(np.int32))
        for of_part in parts.map(_coverage_in_part, weights, leaves, prototype_classes):
            objectives += of_part.objectives
            n_covered += of_part.n_covered
            tick()
        return CoverageByPrototype(objectives, n_covered)
    return _coverage_by(each_column(table, weights, leaves), classes, prototype_classes, tick)


def _coverage_in_part(
    table: LeafTable,
    classes: NDArray[np.int32],
    weights: NDArray[np.int64],
    leaves: NDArray[np.int32],
    prototype_classes: NDArray[np.int64],
) -> CoverageByPrototype:
    return _coverage_by(each_column(table, weights, leaves), classes, prototype_classes, no_tick)


def _coverage_by(
    columns: Iterable[NDArray[Any]],
    classes: NDArray[np.integer],
    prototype_classes: NDArray[np.int64],
    tick: Tick,
) -> CoverageByPrototype:
    covered = np.zeros(len(classes), dtype=np.int64)
    owner = np.full(len(classes), -1, dtype=np.int64)
    objectives = np.empty(len(prototype_classes), dtype=np.int64)
    for rank, (of_class, near) in enumerate(zip(prototype_classes, columns, strict=True)):
        nearer = (classes == of_class) & (near > covered)
        covered[nearer], owner[nearer] = near[nearer], rank
        objectives[rank] = covered.sum()
        tick()
    n_covered = np.bincount(owner[owner >= 0], minlength=len(prototype_classes)).astype(np.int64)
    return CoverageByPrototype(objectives, n_covered)
