"""An upper bound on the objective of any set of prototypes: the Lagrangian dual of choosing them, in exact integers.

Let row s be promised a coverage λ_s of 0 or more. A prototype m of its class raises that by max(0, P(s, m) - λ_s), and
several prototypes by no more than the sum. So for each set M of k prototypes, however it was chosen,

    sum over s of max over m in M of P(s, m)  <=  sum over s of λ_s  +  sum over m in M of G(m),
    G(m) = sum over the rows s of m's class of max(0, P(s, m) - λ_s),

and no M has more of the last sum than the k candidates of largest G. With the coverage by a set as λ this is the bound
of Nemhauser, Wolsey and Fisher (1978): the set's objective plus the k largest gains.

The bound is convex in λ. Its least value is that of the linear relaxation of the k-median problem (Cornuejols, Fisher,
Nemhauser 1977), as a rule within a few percent of the best set. Steps along subgradients lead down to it (Polyak 1969),
from the coverage by the prototypes at hand. Each step's bound holds, so nothing has to converge; the best is taken.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..compute.progress import ReportProgress, ignore_progress, part_of
from ..compute.threads import in_threads
from .candidate_pairs import CandidatePairs
from .goal import Goal, sum_of_largest
from .swap_gains import Pairs, sum_gains

_UNITS = 2**20  # the unit of promises is at most this part of a proximity of 1
_PAIRS_WORTH_A_THREAD = 4_000_000
_MOST_ROUNDS, _STEPS_PER_ROUND = 12, 40
_WORTH_A_ROUND, _CLOSE = 5e-4, 1 + 1e-4
_MOST_IDLE_ROUNDS = 4
_CORE_SHARE, _CORE_PER_PROTOTYPE = 1 / 64, 5
_LOWEST_SHARE = 0.6  # of the promises at its beginning, that a round goes down to
_MEMORY = 0.9  # how much of a step's direction is kept for the next
_PATIENCE = 5  # steps without improvement before they are halved
_SHORTER = 0.7  # steps after a round without improvement


class Promises(NamedTuple):
    """Promised coverages, the gains of candidates over them, and the bound."""

    coverages: NDArray[np.int64]  # (n_rows,) λ
    gains: NDArray[np.int64]  # (n_candidates,) G
    best: NDArray[np.int64]  # (n_prototypes,) indices of the largest gains, ascending
    bound: float  # of the objective, in units of the class whose rows count most; rounded, so only for comparisons


class Relaxation:
    """The choice of prototypes for the rows of some classes, where only pairs above a row's floor are known.

    Coverages and gains are in units finer than those of weight. Candidates are numbered among those of
    the classes, rows in the order of classes from the first of these classes on.

    Parameters
    ----------
    pairs
        The candidates' pairs; their thresholds are the floors, below which no promise may be.
    class_indices
        Neighbouring classes.
    n_prototypes
        How many prototypes may be chosen for these classes together.
    total_weight
        The proximity of a row to itself, in units of weight.
    goal
        Which objective the bounds are of.
    """

    def __init__(
        self, pairs: CandidatePairs, class_indices: NDArray[np.int64], n_prototypes: int, total_weight: int, goal: Goal
    ) -> None:
        bounds, candidate_classes = pairs.by_class.bounds, pairs.by_class.classes[pairs.candidates]
        indices = np.flatnonzero(np.isin(candidate_classes, class_indices))
        self.candidates = pairs.candidates[indices]
        self.row_slice = slice(int(bounds[class_indices[0]]), int(bounds[class_indices[-1] + 1]))
        self.n_candidates, self.n_prototypes = len(indices), min(n_prototypes, len(indices))
        self.precision = max(1, _UNITS // total_weight)
        self.highest = total_weight * self.precision
        self.floors = pairs.thresholds[self.row_slice] * self.precision
        self._pairs = Pairs(pairs.starts[indices], pairs.ends[indices], pairs.members, pairs.proximities)
        self._candidate_classes, self._classes = candidate_classes[indices], class_indices
        self._bounds, self._scales = bounds - self.row_slice.start, goal.scales
        # Scales may be too large for a float64; their ratio to the largest is not.
        worths = np.array([scale / max(goal.scales) for scale in goal.scales])
        self._candidate_worths = worths[self._candidate_classes]
        self.row_worths = np.repeat(worths, np.diff(bounds))[self.row_slice]

    def promise(self, coverages: NDArray[np.int64]) -> Promises:
        """Evaluate promises over all candidates."""
        gains = self.gains(self._pairs, coverages)
        best = np.sort(best_of(gains * self._candidate_worths, self.n_prototypes))
        return Promises(coverages, gains, best, self.bound(coverages, gains[best], self._candidate_worths[best]))

    def most_promising(self, promises: Promises, n_candidates: int) -> NDArray[np.int64]:
        """Return the candidates whose gains count most."""
        return best_of(promises.gains * self._candidate_worths, n_candidates)

    def narrowed(self, indices: NDArray[np.int64], floors: NDArray[np.int64]) -> "Core":
        """Return some of the candidates, with their pairs above these floors."""
        pairs = _pairs_above(self._pairs, indices, self.row_slice.start, self.precision, floors)
        return Core(self, pairs, self._candidate_worths[indices], floors)

    def bound(
        self, coverages: NDArray[np.int64], gains: NDArray[np.int64], candidate_worths: NDArray[np.float64]
    ) -> float:
        """Return the bound from promises and the gains of the best candidates, rounded."""
        # Sums rather than dot products, for which some libraries start threads that wait for each other.
        return float((self.row_worths * coverages).sum() + (candidate_worths * gains).sum())

    def gains(self, pairs: Pairs, coverages: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return by how much candidates raise what is promised, summed over rows."""
        gains = np.empty(len(pairs.starts), dtype=np.int64)

        def add(part: slice) -> None:
            some = Pairs(pairs.starts[part], pairs.ends[part], pairs.members, pairs.proximities)
            sum_gains(some, self.row_slice.start, self.precision, coverages, gains[part])

        n_pairs = int((pairs.ends - pairs.starts).sum())
        in_threads(add, len(gains), None if n_pairs > _PAIRS_WORTH_A_THREAD else 1)
        return gains

    def exact_bound(self, promises: Promises) -> int:
        """Return the bound in units of the goal, where objectives are whole, so it is rounded down."""
        scales = [self._scales[class_index] for class_index in self._classes]
        gains = [promises.gains[self._candidate_classes == class_index] for class_index in self._classes]
        promised = sum(
            self._scales[class_index]
            * int(promises.coverages[self._bounds[class_index] : self._bounds[class_index + 1]].sum())
            for class_index in self._classes
        )
        return int(promised + sum_of_largest(gains, scales, self.n_prototypes)) // self.precision


@dataclass(frozen=True, slots=True)
class Core:
    """The same with few candidates and high floors: its values are no bounds, but quick to find."""

    whole: Relaxation
    pairs: Pairs
    candidate_worths: NDArray[np.float64]
    floors: NDArray[np.int64]

    def evaluate(self, coverages: NDArray[np.int64]) -> tuple[float, NDArray[np.int64]]:
        """Return the bound if there were no other candidates, and its slope: by how much it grows with each promise."""
        gains = self.whole.gains(self.pairs, coverages)
        best = best_of(gains * self.candidate_worths, self.whole.n_prototypes)
        slopes = np.ones(len(coverages), dtype=np.int64)
        _lessen_slopes(self.pairs, best, self.whole.row_slice.start, self.whole.precision, coverages, slopes)
        return self.whole.bound(coverages, gains[best], self.candidate_worths[best]), slopes


def best_of(worths: NDArray[np.float64], n_best: int) -> NDArray[np.int64]:
    """Return the indices of the ``n_best`` largest, in no particular order."""
    if n_best >= len(worths):
        return np.arange(len(worths))
    return np.argpartition(-worths, n_best)[:n_best]


@compiled
def _lessen_slopes(
    pairs: Pairs,
    indices: NDArray[np.int64],
    first_row: int,
    precision: int,
    coverages: NDArray[np.int64],
    slopes: NDArray[np.int64],
) -> None:
    for candidate in indices:
        for pair in range(pairs.starts[candidate], pairs.ends[candidate]):
            row = pairs.members[pair] - first_row
            slopes[row] -= int(np.int64(pairs.proximities[pair]) * precision > coverages[row])


@compiled
def _pairs_above(
    pairs: Pairs, indices: NDArray[np.int64], first_row: int, precision: int, floors: NDArray[np.int64]
) -> Pairs:
    most = (pairs.ends[indices] - pairs.starts[indices]).sum()
    starts, ends = np.empty(len(indices), dtype=np.int64), np.empty(len(indices), dtype=np.int64)
    members, proximities = np.empty(most, pairs.members.dtype), np.empty(most, pairs.proximities.dtype)
    n_pairs = 0
    for index in range(len(indices)):
        starts[index] = n_pairs
        for pair in range(pairs.starts[indices[index]], pairs.ends[indices[index]]):
            if np.int64(pairs.proximities[pair]) * precision > floors[pairs.members[pair] - first_row]:
                members[n_pairs], proximities[n_pairs] = pairs.members[pair], pairs.proximities[pair]
                n_pairs += 1
        ends[index] = n_pairs
    return Pairs(starts, ends, members, proximities)


@compiled
def _turn(
    slopes: NDArray[np.int64],
    direction: NDArray[np.float64],
    coverages: NDArray[np.int64],
    floors: NDArray[np.int64],
    row_worths: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the next direction, what of it is free (none goes below a floor), and the squares of that, weighed."""
    turned, free, squares = np.empty_like(direction), np.empty_like(direction), np.empty_like(direction)
    for row in range(len(slopes)):
        turned[row] = slopes[row] + _MEMORY * direction[row]
        free[row] = 0.0 if coverages[row] <= floors[row] and turned[row] > 0 else turned[row]
        squares[row] = row_worths[row] * (free[row] * free[row])
    return turned, free, squares


@compiled
def _move(
    coverages: NDArray[np.int64], length: float, free: NDArray[np.float64], floors: NDArray[np.int64], highest: int
) -> NDArray[np.int64]:
    """Return promises that are so much further against the direction."""
    moved = np.empty_like(coverages)
    for row in range(len(coverages)):
        rounded = np.rint(coverages[row] - length * free[row])
        moved[row] = np.int64(min(max(rounded, np.float64(floors[row])), np.float64(highest)))
    return moved


@dataclass(frozen=True, slots=True)
class DualBound:
    """The lowest bound found, and what led there."""

    bound: int  # in units of the goal
    choices: list[NDArray[np.int64]]  # for each round's promises, the rows of largest gains: sets that may be good


def dual_bound(  # pairs, a set to start from, and what the bound is of
    pairs: CandidatePairs,
    covered: NDArray[np.int64],
    n_of_each: NDArray[np.int64],
    total_weight: int,
    goal: Goal,
    report: ReportProgress = ignore_progress,
) -> DualBound:
    """Return an upper bound of the objectives of all sets of as many prototypes among the candidates.

    Parameters
    ----------
    pairs
        The candidates' pairs. Proximities below the thresholds are not known, so promises are not lower.
    covered : (n_rows,) int64, in the order of classes
        Coverage by the prototypes at hand, where the search starts. Where thresholds are no higher, the bound is no
        larger than the prototypes' objective plus the k largest gains.
    n_of_each : (n_classes,) int64
        How many prototypes there are of each class; only their sum matters if the goal does not fix them.
    total_weight
        The proximity of a row to itself, in units of weight.
    goal
        Which objective and constraint the bound is of.
    report
        Progress callback; may raise to stop.
    """
    class_indices = np.arange(pairs.by_class.n_classes)
    problems = [class_indices[i : i + 1] for i in class_indices] if goal.classes_are_apart else [class_indices]
    parts = []
    for done, some in enumerate(problems):
        relaxation = Relaxation(pairs, some, int(n_of_each[some].sum()), total_weight, goal)
        parts.append(
            _Descent(relaxation, covered, part_of(report, done / len(problems), (done + 1) / len(problems))).result()
        )
    longest = max(len(part.choices) for part in parts)
    choices = [np.concatenate([part.choices[min(i, len(part.choices) - 1)] for part in parts]) for i in range(longest)]
    return DualBound(sum(part.bound for part in parts), choices)


@dataclass(slots=True)
class _Descent:
    """The descent from the coverage at hand, in rounds that consider the most promising candidates only."""

    relaxation: Relaxation
    covered: NDArray[np.int64]
    report: ReportProgress
    step: float = 1.0  # in units of what leads to the objective at hand, were the bound linear
    choices: list[NDArray[np.int64]] = field(default_factory=list)

    def result(self) -> DualBound:
        """Go down and return the lowest bound found."""
        relaxation = self.relaxation
        if relaxation.n_prototypes == 0:
            return DualBound(0, [np.empty(0, dtype=np.int64)])
        start = self.covered[relaxation.row_slice] * relaxation.precision
        first = self._promise(np.maximum(start, relaxation.floors))
        best = self._go_down(first, float((relaxation.row_worths * start).sum()))
        return DualBound(min(relaxation.exact_bound(first), relaxation.exact_bound(best)), self.choices)

    def _promise(self, coverages: NDArray[np.int64]) -> Promises:
        promises = self.relaxation.promise(coverages)
        self.choices.append(self.relaxation.candidates[promises.best])
        return promises

    def _go_down(self, first: Promises, objective: float) -> Promises:
        best = latest = first
        core = np.zeros(self.relaxation.n_candidates, dtype=np.bool_)
        n_idle = 0
        for n_done in range(_MOST_ROUNDS):
            self.report(n_done / _MOST_ROUNDS, "bounding what is possible")
            if best.bound <= objective * _CLOSE:
                break
            core[self.relaxation.most_promising(latest, self._n_promising)] = True
            latest = self._promise(self._round(best.coverages, np.flatnonzero(core), objective))
            gained = 1 - latest.bound / best.bound
            best = min(best, latest, key=lambda promises: promises.bound)
            n_idle = n_idle + 1 if gained <= 0 else 0
            if 0 < gained < _WORTH_A_ROUND or n_idle == _MOST_IDLE_ROUNDS:
                break
            if gained <= 0:
                self.step *= _SHORTER
        return best

    @property
    def _n_promising(self) -> int:
        return max(_CORE_PER_PROTOTYPE * self.relaxation.n_prototypes, int(_CORE_SHARE * self.relaxation.n_candidates))

    def _round(self, coverages: NDArray[np.int64], indices: NDArray[np.int64], objective: float) -> NDArray[np.int64]:
        """Return the best promises that steps from these reach, as if there were no other candidates."""
        lowest = (coverages * _LOWEST_SHARE).astype(np.int64)
        core = self.relaxation.narrowed(indices, np.maximum(self.relaxation.floors, lowest))
        best, least, n_idle = coverages, np.inf, 0
        direction = np.zeros(len(coverages))
        for _ in range(_STEPS_PER_ROUND):
            bound, slopes = core.evaluate(coverages)
            n_idle = 0 if bound < least else n_idle + 1
            best, least = (coverages, bound) if bound < least else (best, least)
            if n_idle == _PATIENCE:
                self.step, n_idle, coverages, direction = self.step / 2, 0, best, np.zeros(len(best))
                continue
            direction, free, squares = _turn(slopes, direction, coverages, core.floors, self.relaxation.row_worths)
            slope = float(squares.sum())
            length = self.step * max(bound - objective, 0.0) / slope if slope > 0 else 0.0
            coverages = _move(coverages, length, free, core.floors, self.relaxation.highest)
        return best
