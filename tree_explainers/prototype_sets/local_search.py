"""A set of prototypes on its way to a local optimum: FasterPAM on proximities, never n x n.

Candidates take turns, again and again. What is known of one beforehand are its closest pairs (``candidate_pairs``); a
candidate that would not help even if its other proximities were as large as they can be is passed over. The others are
compared with all rows of their class, so that the swaps are those of the plain search.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress
from ..leaf_space.leaves import LeafTable
from ..leaf_space.subset_proximities import proximities_to
from .candidate_pairs import CandidatePairs
from .goal import Goal, RowsByClass
from .swap_gains import Judgement, Pairs, SwapSweep, empty_standing, judge, no_judgement, stand

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


_FEW, _MANY = 64, 512  # candidates compared with all rows at once
_WINDOW = 1024  # candidates judged at once, at first


class LocalSearch:
    """Swaps prototypes for candidates, which are known by their line among all of them.

    Parameters
    ----------
    table, weights
        All rows, and what each tree counts.
    prototypes
        Where to begin; they are changed.
    pairs
        Close pairs of the candidates.
    report
        Told several times a second how far it is, by a guess; may raise to stop.
    """

    def __init__(
        self,
        table: LeafTable,
        weights: NDArray[np.int64],
        prototypes: SwappablePrototypes,
        pairs: CandidatePairs,
        report: ReportProgress,
    ) -> None:
        self.n_swaps, self.n_judged, self.n_compared = 0, 0, 0
        self.n_pairs_compared = 0
        self.start = prototypes.rows.copy()
        self._candidates, self._classes = pairs.candidates, pairs.by_class.classes[pairs.candidates]
        self._pairs = Pairs(pairs.starts, pairs.ends, pairs.members, pairs.proximities)
        self.prototypes, self._report = prototypes, report
        self._known = no_judgement(len(self._candidates))  # exactly
        self._known_since = np.zeros(len(self._candidates), dtype=np.int64)  # version of the class's prototypes
        self._sweeps = []
        for position in range(pairs.by_class.n_classes):
            places = pairs.by_class.places(position)
            rows = pairs.by_class.rows[places]
            self._sweeps.append(SwapSweep(table, weights, rows, places.start, self._tick))

    def run(self) -> None:
        """Swap until every candidate had its turn since the last swap."""
        n_candidates = len(self._candidates)
        line, n_left, window = 0, n_candidates, _WINDOW
        while n_left > 0:
            lines = np.arange(line, min(line + window, line + n_left, n_candidates))
            helpful = self._first_helpful(lines)
            if helpful is None:
                n_left, line, window = n_left - len(lines), line + len(lines), 2 * window
            else:
                self._swap_in(helpful)
                n_left, line, window = n_candidates, helpful + 1, _WINDOW
            line %= n_candidates
            self._tick()

    def _tick(self) -> None:
        """Tell how far it is, as if each further round of all candidates were half as likely."""
        n_rounds = self.n_judged / max(1, len(self._candidates))
        self._report(1 - 0.5**n_rounds, "swapping prototypes")

    def _first_helpful(self, lines: NDArray[np.int64]) -> int | None:
        """Return the first of these candidates that raises the objective; what it brings is known exactly then."""
        self.n_judged += len(lines)
        promising = lines[self._may_help(lines, self._at_most(lines))]
        n_at_once = _FEW
        while len(promising):
            some, promising = promising[:n_at_once], promising[n_at_once:]
            self._compare(some[~self._is_known(some)])
            helpful = some[self._may_help(some, _of(self._known, some))]
            if len(helpful):
                return int(helpful[0])
            n_at_once = _MANY
        return None

    def _swap_in(self, line: int) -> None:
        gain, change, rank = (int(part[line]) for part in self._known)
        best = self.prototypes.best_replaced(int(self._classes[line]), gain, change, rank)
        self.prototypes.replace(best, int(self._candidates[line]))
        self.n_swaps += 1

    def _is_known(self, lines: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.asarray(self._known_since[lines] == self.prototypes.versions[self._classes[lines]])

    def _at_most(self, lines: NDArray[np.int64]) -> Judgement:
        """Return what candidates bring at most, and remember it where it is exact."""
        standing, classes = self.prototypes.at_most, self.prototypes.classes
        judged = judge(self._pairs, lines, self._classes[lines], classes, standing)
        exact = self.prototypes.floors_suffice[self._classes[lines]]
        self._remember(lines[exact], _of(judged, exact))
        known = self._is_known(lines)
        return Judgement(*(np.where(known, part[lines], most) for part, most in zip(self._known, judged, strict=True)))

    def _compare(self, lines: NDArray[np.int64]) -> None:
        """Find out exactly what candidates bring."""
        self.n_compared += len(lines)
        for own in np.unique(self._classes[lines]).tolist():
            some = lines[self._classes[lines] == own]
            standing, classes = self.prototypes.now, self.prototypes.classes
            self._remember(some, self._sweeps[own].judge(self._candidates[some], own, classes, standing))
            self.n_pairs_compared += len(some) * self._sweeps[own].n_rows

    def _remember(self, lines: NDArray[np.int64], judged: Judgement) -> None:
        for known, part in zip(self._known, judged, strict=True):
            known[lines] = part
        self._known_since[lines] = self.prototypes.versions[self._classes[lines]]

    def _may_help(self, lines: NDArray[np.int64], judged: Judgement) -> NDArray[np.bool_]:
        """Tell which candidates, bringing no more than this, may raise the objective."""
        is_prototype = np.isin(self._candidates[lines], self.prototypes.rows)
        return self.prototypes.may_gain_by(self._classes[lines], judged.gains, judged.changes) & ~is_prototype


def _of(judged: Judgement, which: NDArray[Any]) -> Judgement:
    return Judgement(*(part[which] for part in judged))
