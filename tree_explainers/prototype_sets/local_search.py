"""A set of prototypes on its way to a local optimum: FasterPAM on proximities, never n x n.

Candidates take turns, again and again. What is known of one beforehand are its closest pairs (``candidate_pairs``); a
candidate that would not help even if its other proximities were as large as they can be is passed over. The others are
compared with all rows of their class, so that the swaps are those of the plain search.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, Tick
from ..leaf_space.leaves import LeafTable
from ..leaf_space.subset_proximities import proximities_to
from .candidate_pairs import CandidatePairs
from .goal import Goal, RowsByClass
from .swap_gains import (
    Pairs,
    SwapGains,
    SwapSweep,
    empty_nearest_two,
    find_nearest_two,
    find_swap_gains,
)
from .work_items import Count

_OUT_OF_REACH = 2**62
_FEW, _MANY = 64, 512  # candidates compared with all rows at once
_WINDOW = 1024  # candidates evaluated at once, at first


class SwappablePrototypes:
    """A list of prototypes, numbered by rank, with the proximities of each to the rows of its class.

    Parameters
    ----------
    table, weights
        All rows, and what each tree counts.
    by_class
        The rows by class.
    rows : (n_prototypes,) int64
        The prototypes to begin with.
    goal
        The objective by which replacements are measured.
    floors : (n_rows,) int64, in the order of classes
        Coverage that ``at_most`` assumes all rows to have beside their prototypes.
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
        self.now = empty_nearest_two(table.n_rows, len(rows), by_class.n_classes)
        self.at_most = empty_nearest_two(table.n_rows, len(rows), by_class.n_classes)
        self.floors_suffice = np.zeros(by_class.n_classes, dtype=np.bool_)  # nothing below them matters to the class
        self._table, self._weights, self._by_class, self._goal = table, weights, by_class, goal
        self._floors = floors
        self._columns = [self._columns_of(class_index) for class_index in range(by_class.n_classes)]
        for class_index in range(by_class.n_classes):
            self._update_nearest_two(class_index)
        self._compare_losses()

    @property
    def objective(self) -> int:
        """Value of the goal for the prototypes."""
        return self._goal.objective(self._by_class.sums(self.now.nearest))

    def replace(self, rank: int, row: int) -> None:
        """Put a row in the place of a prototype."""
        before, after = int(self.classes[rank]), int(self._by_class.classes[row])
        column, rank_in_class = self._column(row), self._rank_in_class(rank)
        self.rows[rank], self.classes[rank] = row, after
        if before == after:
            self._columns[after][rank_in_class] = column
        else:
            self._columns[before] = np.delete(self._columns[before], rank_in_class, axis=0)
            self._columns[after] = np.insert(self._columns[after], self._rank_in_class(rank), column, axis=0)
        for class_index in {before, after}:
            self._update_nearest_two(class_index)
        self._compare_losses()

    def may_improve(
        self, classes: NDArray[np.int64], additions: NDArray[np.int64], swaps: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Return which candidates, of these classes and with at most these gains, may improve the goal."""
        return (swaps > 0) | (additions > self._losses_elsewhere[classes])

    def best_replaced(self, class_index: int, addition: int, swap: int, replaced: int) -> int:
        """Return the rank of the prototype that a candidate of a class, with exactly these gains, replaces best."""
        scale, elsewhere = self._goal.scales[class_index], self._smallest_loss_elsewhere(class_index)
        swaps = [(scale * swap, -replaced)] if replaced >= 0 else []
        if elsewhere is not None:
            swaps.append((scale * addition - self._scaled_loss(elsewhere), -elsewhere))
        return -max(swaps)[1]

    def _columns_of(self, class_index: int) -> NDArray[np.uint32]:
        """Return the proximities of a class's prototypes to its rows."""
        prototypes = self.rows[self.classes == class_index]
        columns = np.empty((len(prototypes), self._by_class.sizes[class_index]), dtype=np.uint32)
        for column, row in zip(columns, prototypes.tolist(), strict=True):
            column[:] = self._column(row)
        return columns

    def _column(self, row: int) -> NDArray[np.uint32]:
        class_rows = self._by_class.rows[self._by_class.slice_of(int(self._by_class.classes[row]))]
        return proximities_to(self._table, self._weights, class_rows, row).astype(np.uint32)

    def _rank_in_class(self, rank: int) -> int:
        """Return the rank of a prototype among those of its class."""
        return int(np.count_nonzero(self.classes[:rank] == self.classes[rank]))

    def _update_nearest_two(self, class_index: int) -> None:
        class_slice, ranks = self._by_class.slice_of(class_index), np.flatnonzero(self.classes == class_index)
        floors = self._floors[class_slice]
        for nearest_two, assumed in ((self.now, np.zeros_like(floors)), (self.at_most, floors)):
            find_nearest_two(self._columns[class_index], ranks, assumed, class_slice.start, class_index, nearest_two)
        self.floors_suffice[class_index] = bool((floors <= self.now.second[class_slice]).all())
        self.versions[class_index] += 1

    def _compare_losses(self) -> None:
        """Find what a candidate of each class must add to be worth the removal of a prototype of another class."""
        self._by_loss = sorted(range(len(self.rows)), key=lambda rank: (self._scaled_loss(rank), rank))
        limits = []
        for class_index, scale in enumerate(self._goal.scales):
            elsewhere = self._smallest_loss_elsewhere(class_index)
            limits.append(_OUT_OF_REACH if elsewhere is None else self._scaled_loss(elsewhere) // scale)
        self._losses_elsewhere = np.array(limits, dtype=np.int64)  # in units of the class that would gain

    def _smallest_loss_elsewhere(self, class_index: int) -> int | None:
        """Return the rank of the prototype of another class of smallest removal loss, if candidates may replace it."""
        if self._goal.classes_are_apart:
            return None
        return next((rank for rank in self._by_loss if self.classes[rank] != class_index), None)

    def _scaled_loss(self, rank: int) -> int:
        return self._goal.scales[int(self.classes[rank])] * int(self.now.removal_losses[rank])


class LocalSearch:
    """Swaps prototypes for candidates, which are numbered by their index among all of them.

    Parameters
    ----------
    table, weights
        All rows, and what each tree counts.
    prototypes
        Where to begin; they are changed.
    pairs
        Close pairs of the candidates.
    report
        Progress callback, called several times a second with an estimate; may raise to stop.
    """

    def __init__(
        self,
        table: LeafTable,
        weights: NDArray[np.int64],
        prototypes: SwappablePrototypes,
        pairs: CandidatePairs,
        report: ReportProgress,
    ) -> None:
        self.n_swaps, self.n_compared = 0, 0
        self.n_pairs_compared = 0
        self.start = prototypes.rows.copy()
        self._candidates, self._classes = pairs.candidates, pairs.by_class.classes[pairs.candidates]
        self._pairs = Pairs(pairs.starts, pairs.ends, pairs.members, pairs.proximities)
        self.prototypes = prototypes
        self._evaluated, self._tick = _progress(len(self._candidates), report)
        # Exact gains, where they are known.
        self._known = SwapGains(*(np.zeros(len(self._candidates), dtype=np.int64) for _ in SwapGains._fields))
        self._known_since = np.zeros(len(self._candidates), dtype=np.int64)  # version of the class's prototypes
        self._sweeps = []
        for class_index in range(pairs.by_class.n_classes):
            class_slice = pairs.by_class.slice_of(class_index)
            self._sweeps.append(
                SwapSweep(table, weights, pairs.by_class.rows[class_slice], class_slice.start, self._tick)
            )

    @property
    def n_evaluated(self) -> int:
        """How often a candidate had its turn."""
        return self._evaluated.n

    def run(self) -> None:
        """Swap until every candidate had its turn since the last swap."""
        n_candidates = len(self._candidates)
        candidate, n_left, window = 0, n_candidates, _WINDOW
        while n_left > 0:
            candidates = np.arange(candidate, min(candidate + window, candidate + n_left, n_candidates))
            helpful = self._first_helpful(candidates)
            if helpful is None:
                n_left, candidate, window = n_left - len(candidates), candidate + len(candidates), 2 * window
            else:
                addition, swap, replaced = (int(part[helpful]) for part in self._known)
                best = self.prototypes.best_replaced(int(self._classes[helpful]), addition, swap, replaced)
                self.prototypes.replace(best, int(self._candidates[helpful]))
                self.n_swaps += 1
                n_left, candidate, window = n_candidates, helpful + 1, _WINDOW
            candidate %= n_candidates
            self._tick()

    def _first_helpful(self, candidates: NDArray[np.int64]) -> int | None:
        """Return the first of these candidates that raises the objective; its gains are known exactly then."""
        self._evaluated.n += len(candidates)
        promising = candidates[self._may_help(candidates, self._at_most(candidates))]
        n_at_once = _FEW
        while len(promising):
            some, promising = promising[:n_at_once], promising[n_at_once:]
            self._compare(some[~self._is_known(some)])
            helpful = some[self._may_help(some, _of(self._known, some))]
            if len(helpful):
                return int(helpful[0])
            n_at_once = _MANY
        return None

    def _is_known(self, candidates: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.asarray(self._known_since[candidates] == self.prototypes.versions[self._classes[candidates]])

    def _at_most(self, candidates: NDArray[np.int64]) -> SwapGains:
        """Return upper bounds of the gains of candidates, and remember those that are exact."""
        nearest_two, classes = self.prototypes.at_most, self.prototypes.classes
        gains = find_swap_gains(self._pairs, candidates, self._classes[candidates], classes, nearest_two)
        exact = self.prototypes.floors_suffice[self._classes[candidates]]
        self._remember(candidates[exact], _of(gains, exact))
        known = self._is_known(candidates)
        return SwapGains(
            *(np.where(known, part[candidates], bound) for part, bound in zip(self._known, gains, strict=True))
        )

    def _compare(self, candidates: NDArray[np.int64]) -> None:
        """Find the exact gains of candidates."""
        self.n_compared += len(candidates)
        for class_index in np.unique(self._classes[candidates]).tolist():
            some = candidates[self._classes[candidates] == class_index]
            nearest_two, classes = self.prototypes.now, self.prototypes.classes
            self._remember(
                some, self._sweeps[class_index].gains(self._candidates[some], class_index, classes, nearest_two)
            )
            self.n_pairs_compared += len(some) * self._sweeps[class_index].n_rows

    def _remember(self, candidates: NDArray[np.int64], gains: SwapGains) -> None:
        for known, part in zip(self._known, gains, strict=True):
            known[candidates] = part
        self._known_since[candidates] = self.prototypes.versions[self._classes[candidates]]

    def _may_help(self, candidates: NDArray[np.int64], gains: SwapGains) -> NDArray[np.bool_]:
        """Return which candidates, with at most these gains, may raise the objective."""
        is_prototype = np.isin(self._candidates[candidates], self.prototypes.rows)
        return self.prototypes.may_improve(self._classes[candidates], gains.additions, gains.swaps) & ~is_prototype


def _progress(n_candidates: int, report: ReportProgress) -> tuple[Count, Tick]:
    """Return a count of evaluated candidates, and what reports progress by it: as if each round were half as likely."""
    evaluated = Count()

    def tick() -> None:
        report(1 - 0.5 ** (evaluated.n / max(1, n_candidates)), "swapping prototypes")

    return evaluated, tick


def _of(gains: SwapGains, which: NDArray[Any]) -> SwapGains:
    return SwapGains(*(part[which] for part in gains))
