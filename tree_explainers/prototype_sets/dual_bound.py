"""An upper bound of what any set of prototypes can reach: the Lagrangian dual of choosing them.

Whatever coverages are promised to rows, they give a bound (``relaxation``), which is convex in them. Its least value is
that of the linear relaxation of the k-median problem (Cornuejols, Fisher, Nemhauser 1977), as a rule within a few
percent of the best set. Steps along subgradients lead down to it (Polyak 1969), from the coverage by the prototypes at
hand. Each step's bound holds, so nothing has to converge; the best of them is taken.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress
from .candidate_pairs import CandidatePairs
from .goal import Goal
from .relaxation import Promises, Relaxation

_MOST_ROUNDS, _STEPS_PER_ROUND = 12, 40
_WORTH_A_ROUND, _CLOSE = 5e-4, 1 + 1e-4
_MOST_IDLE_ROUNDS = 4
_CORE_SHARE, _CORE_PER_PROTOTYPE = 1 / 64, 5
_LOWEST_SHARE = 0.6  # of the promises at its beginning, that a round goes down to
_MEMORY = 0.9  # how much of a step's direction is kept for the next
_PATIENCE = 5  # steps without improvement before they are halved
_SHORTER = 0.7  # steps after a round without improvement


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
    """Return an upper bound of the objectives of all sets of so many prototypes among the candidates.

    Parameters
    ----------
    pairs
        The candidates' pairs. What is below the thresholds is not known, so promises are not lower.
    covered : (n_rows,) int64, by place
        Coverage by the prototypes at hand, where the search starts. Where thresholds are no higher, the bound is no
        larger than the prototypes' objective plus the k largest gains.
    n_of_each : (n_classes,) int64
        How many prototypes there are of each class; only their sum matters if the goal does not fix them.
    total_weight
        The proximity of a row to itself, in units of weight.
    goal
        Which objective and constraint the bound is of.
    report
        Told after each step; may raise to stop.
    """
    positions = np.arange(pairs.by_class.n_classes)
    problems = [positions[i : i + 1] for i in positions] if goal.classes_are_apart else [positions]
    parts = []
    for done, some in enumerate(problems):
        relaxation = Relaxation(pairs, some, int(n_of_each[some].sum()), total_weight, goal)
        parts.append(_Descent(relaxation, covered, _Share(report, done, len(problems))).result())
    longest = max(len(part.choices) for part in parts)
    choices = [np.concatenate([part.choices[min(i, len(part.choices) - 1)] for part in parts]) for i in range(longest)]
    return DualBound(sum(part.bound for part in parts), choices)


class _Share(NamedTuple):
    """Reports on one of several problems."""

    report: ReportProgress
    done_before: int
    n_problems: int

    def __call__(self, fraction: float) -> None:
        self.report((self.done_before + fraction) / self.n_problems, "bounding what is possible")


@dataclass(slots=True)
class _Descent:
    """The way down from the coverage at hand, in rounds that look at the most promising candidates only."""

    relaxation: Relaxation
    covered: NDArray[np.int64]
    report: _Share
    step: float = 1.0  # in units of what leads to the objective at hand, were the bound linear
    choices: list[NDArray[np.int64]] = field(default_factory=list)

    def result(self) -> DualBound:
        """Go down and return the lowest bound found."""
        relaxation = self.relaxation
        if relaxation.n_prototypes == 0:
            return DualBound(0, [np.empty(0, dtype=np.int64)])
        start = self.covered[relaxation.places] * relaxation.precision
        first = self._promise(np.maximum(start, relaxation.floors))
        best = self._go_down(first, float((relaxation.row_worths * start).sum()))
        return DualBound(min(relaxation.exact_bound(first), relaxation.exact_bound(best)), self.choices)

    def _promise(self, coverages: NDArray[np.int64]) -> Promises:
        promises = self.relaxation.promise(coverages)
        self.choices.append(self.relaxation.candidates[promises.best])
        return promises

    def _go_down(self, first: Promises, objective: float) -> Promises:
        best = latest = first
        core = np.zeros(self.relaxation.n_lines, dtype=np.bool_)
        n_idle = 0
        for n_done in range(_MOST_ROUNDS):
            self.report(n_done / _MOST_ROUNDS)
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
        return max(_CORE_PER_PROTOTYPE * self.relaxation.n_prototypes, int(_CORE_SHARE * self.relaxation.n_lines))

    def _round(self, coverages: NDArray[np.int64], lines: NDArray[np.int64], objective: float) -> NDArray[np.int64]:
        """Return the best promises that steps from these lead to, if there were no other candidates."""
        lowest = (coverages * _LOWEST_SHARE).astype(np.int64)
        core = self.relaxation.narrowed(lines, np.maximum(self.relaxation.floors, lowest))
        best, least, n_idle = coverages, np.inf, 0
        direction = np.zeros(len(coverages))
        for _ in range(_STEPS_PER_ROUND):
            bound, slopes = core.look(coverages)
            n_idle = 0 if bound < least else n_idle + 1
            best, least = (coverages, bound) if bound < least else (best, least)
            if n_idle == _PATIENCE:
                self.step, n_idle, coverages, direction = self.step / 2, 0, best, np.zeros(len(best))
                continue
            direction = slopes + _MEMORY * direction
            coverages = self._after_step(coverages, direction, core.floors, bound - objective)
        return best

    def _after_step(
        self, coverages: NDArray[np.int64], direction: NDArray[np.float64], floors: NDArray[np.int64], excess: float
    ) -> NDArray[np.int64]:
        free = np.where((coverages <= floors) & (direction > 0), 0, direction)
        slope = float((self.relaxation.row_worths * free**2).sum())
        length = self.step * max(excess, 0.0) / slope if slope > 0 else 0.0
        return np.clip(np.rint(coverages - length * free), floors, self.relaxation.highest).astype(np.int64)
