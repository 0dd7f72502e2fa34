"""The methods: how each chooses prototypes, and when it stops."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from heapq import merge
from itertools import islice
from math import exp, inf
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress
from ..lazy_greedy import GreedyStep, Objective, Part, greedy
from ..leaf_space.leaves import LeafTable
from .candidate_columns import CandidateColumns, ColumnCoverage
from .candidate_pairs import default_max_pairs
from .coverage import class_coverage
from .kept_sums import KeptSums
from .partitioned_sweep import sweep_over
from .quotas import PerClass, counts_by_rows, counts_with_small_classes, equal_counts
from .row_coverage import CoverageGoal
from .supervised import EvaluatedRows, supervised_greedy
from .work_items import Count

StoppedBy = Literal["n_prototypes", "coverage", "alpha", "no_gain", "no_improvement"]


@dataclass(frozen=True, slots=True)
class StoppingImprovement:
    """The two consecutive improvements of g whose similarity stopped A-PETE; units of weight."""

    rank: int  # 1-based; of the prototype that brought the later improvement
    improvement: int
    previous_improvement: int
    prototype_class: int
    previous_class: int

    @property
    def relative_change(self) -> float:
        """|previous - improvement| / improvement, which was at most alpha."""
        return abs(self.previous_improvement - self.improvement) / self.improvement


@dataclass(frozen=True, slots=True)
class MethodResult:
    """The chosen rows, and why the method stopped."""

    rows: list[int]
    stopped_by: StoppedBy
    stopping_improvement: StoppingImprovement | None = None
    per_class: bool = False  # how many are chosen of each class was given, or counted out


@dataclass(frozen=True, slots=True)
class Task:
    """The rows, the candidates, and the settings of a method."""

    table: LeafTable
    classes: NDArray[np.int64]
    weights: NDArray[np.int64]
    candidates: NDArray[np.int64]
    n_prototypes: int
    alpha: float
    report: ReportProgress
    goal: CoverageGoal | None = None  # choosing ends where it is reached
    evaluated: EvaluatedRows | None = None  # by which sg chooses; None: balanced accuracy on all rows
    agrees: NDArray[np.bool_] | None = None  # (n_rows,) rows that come first among equals; None: none does
    per_class: PerClass | NDArray[np.int64] = "by_gain"  # how many of each class, (n_classes,), or by which rule
    columns: CandidateColumns | None = None  # all proximities of the candidates, where they are known
    kept: KeptSums | None = None  # where proximities of the rows of a class go that are needed again

    def parts(self, chosen: list[int], n_wanted: float, *, by_class_size: bool = False) -> list[Part]:
        """Return one objective per class that has candidates; they report progress as ``chosen`` grows."""
        candidate_classes = self.classes[self.candidates]
        by_class = [
            (np.flatnonzero(self.classes == value), self.candidates[candidate_classes == value])
            for value in np.unique(candidate_classes)
        ]
        n_pairs = sum(len(rows) * len(candidates) for rows, candidates in by_class)
        capacity = default_max_pairs(self.table.n_rows)  # as much as certificates take later
        shares = [capacity * len(rows) * len(candidates) // n_pairs for rows, candidates in by_class]

        compared = Count()

        def tick() -> None:
            self.report_rounds(len(chosen) / n_wanted, compared.n / n_pairs, "choosing prototypes")

        def coverage(rows: NDArray[np.int64], candidates: NDArray[np.int64], max_pairs: int) -> Objective:
            if self.columns is not None:
                return ColumnCoverage(self.columns, rows, candidates, tick)
            return class_coverage(self.table, self.weights, sweep.over(rows), candidates, max_pairs)

        if self.columns is None:
            sweep = sweep_over(self.table, self.weights, np.empty(0, dtype=np.int64), tick, compared, self.kept)
        return [
            Part(
                coverage(rows, candidates, max_pairs),
                candidates,
                Fraction(1, len(rows) if by_class_size else 1),
                None if self.agrees is None else self.agrees[candidates],
            )
            for (rows, candidates), max_pairs in zip(by_class, shares, strict=True)
        ]

    def is_done_with(self, row: int) -> bool:
        """Return whether the goal is reached with this row as one more prototype."""
        return self.goal is not None and self.goal.is_reached_with(row)

    def report_rounds(self, share_chosen: float, n_rounds: float, stage: str) -> None:
        """Report progress by the share of chosen prototypes or, better early on, by the number of compared pairs.

        ``n_rounds`` is how often each pair has been, on average. How often it will have to be is not known: once or
        twice as a rule. So each round counts as the same share of the rest.
        """
        self.report(min(1.0, max(share_chosen, 1 - exp(-n_rounds))), stage)


def _choose(parts: list[Part], chosen: list[int]) -> Iterator[GreedyStep]:
    """Yield greedy steps; note the rows as they are chosen."""
    for step in greedy(parts):
        chosen.append(step.name)
        yield step


def _first_n(task: Task, *, by_class_size: bool = False) -> MethodResult:
    counts = _counts(task)
    if counts is not None:
        return _by_count(task, counts, by_class_size=by_class_size)
    chosen: list[int] = []
    parts = task.parts(chosen, task.n_prototypes, by_class_size=by_class_size)
    for step in islice(_choose(parts, chosen), task.n_prototypes):
        if task.is_done_with(step.name):
            return MethodResult(chosen, "coverage")
    if task.per_class == "auto" and task.goal is None:
        sizes, eligible = (np.bincount(rows, minlength=int(task.classes.max()) + 1) for rows in _classes(task))
        counts = counts_with_small_classes(task.classes[chosen], sizes, eligible)
        if counts is not None:
            return _by_count(task, counts, by_class_size=by_class_size)
    return MethodResult(chosen, "n_prototypes" if len(chosen) == task.n_prototypes else "no_gain")


def _classes(task: Task) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the classes of the rows, and those of the candidates."""
    return task.classes, task.classes[task.candidates]


def _counts(task: Task) -> NDArray[np.int64] | None:
    """Return how many prototypes each class gets, where that does not depend on what they gain."""
    if isinstance(task.per_class, np.ndarray):
        return task.per_class
    if task.per_class not in ("equal", "by_rows"):
        return None
    rule = equal_counts if task.per_class == "equal" else counts_by_rows
    return rule(np.bincount(task.classes[task.candidates]), task.n_prototypes)


def _by_count(task: Task, counts: NDArray[np.int64], *, by_class_size: bool) -> MethodResult:
    """Return so many rows of each class, chosen in it alone, in the order in which they gain."""
    chosen: list[int] = []
    n_wanted = int(counts.sum())

    def ranked(part: Part) -> Iterator[tuple[Fraction, bool, int]]:
        for step in islice(_choose([part], chosen), int(counts[task.classes[part.names[0]]])):
            comes_last = task.agrees is not None and not task.agrees[step.name]
            yield -step.gain * part.scale, comes_last, step.name

    chains = [list(ranked(part)) for part in task.parts(chosen, n_wanted, by_class_size=by_class_size)]
    rows = [row for _, _, row in merge(*chains, key=lambda ranked_row: ranked_row[:2])]
    return MethodResult(rows, "n_prototypes" if len(rows) == n_wanted else "no_gain", per_class=True)


def _sm_u(task: Task) -> MethodResult:
    n_classes = len(np.unique(task.classes))
    n_each = max(1, (2 * task.n_prototypes + n_classes) // (2 * n_classes))
    chosen: list[int] = []
    for part in task.parts(chosen, n_each * n_classes):
        for _ in islice(_choose([part], chosen), n_each):
            pass
    return MethodResult(chosen, "n_prototypes" if len(chosen) == n_each * n_classes else "no_gain")


def _a_pete(task: Task) -> MethodResult:
    alpha = Fraction(repr(float(task.alpha)))
    chosen: list[int] = []
    previous: GreedyStep | None = None
    for step in _choose(task.parts(chosen, inf), chosen):
        if previous is not None and abs(previous.gain - step.gain) <= alpha * step.gain:
            last_class, previous_class = int(task.classes[step.name]), int(task.classes[previous.name])
            return MethodResult(
                chosen, "alpha", StoppingImprovement(len(chosen), step.gain, previous.gain, last_class, previous_class)
            )
        previous = step
    return MethodResult(chosen, "no_gain")


def _sg(task: Task) -> MethodResult:
    chosen: list[int] = []

    def report_rounds(n_rounds: float) -> None:
        task.report_rounds(len(chosen) / task.n_prototypes, n_rounds, "comparing candidates")

    evaluated = task.evaluated or EvaluatedRows(task.classes)
    agrees = None if task.agrees is None else task.agrees[task.candidates]
    best = supervised_greedy(
        task.table, task.weights, task.classes, task.candidates, evaluated, agrees=agrees, report_rounds=report_rounds
    )
    for row in islice(best, task.n_prototypes):
        chosen.append(row)
        if task.is_done_with(row):
            return MethodResult(chosen, "coverage")
    return MethodResult(chosen, "n_prototypes" if len(chosen) == task.n_prototypes else "no_improvement")


METHODS: dict[str, Callable[[Task], MethodResult]] = {
    "sm_u": _sm_u,
    "sm_a": _first_n,
    "sm_wa": partial(_first_n, by_class_size=True),
    "sg": _sg,
    "a_pete": _a_pete,
    "k_medoids": _first_n,  # of one class
}
