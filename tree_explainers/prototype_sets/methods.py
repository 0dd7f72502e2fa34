"""How each method chooses prototypes, and when it stops."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import exp, inf
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress
from ..leaf_space.leaves import LeafTable
from ..submodular import Choice, Part, greedy
from .coverage import ClassCoverage
from .supervised import supervised_greedy
from .sweep import Sweep

StoppedBy = Literal["n_prototypes", "alpha", "no_gain", "no_improvement"]


@dataclass(frozen=True, slots=True)
class StoppingImprovement:
    """The two consecutive improvements of g whose likeness stopped A-PETE; units of weight."""

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
class Outcome:
    """What was chosen, and why no more."""

    rows: list[int]
    stopped_by: StoppedBy
    stopping_improvement: StoppingImprovement | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """What to choose from, and how much."""

    table: LeafTable
    classes: NDArray[np.int64]
    weights: NDArray[np.int64]
    candidates: NDArray[np.int64]
    n_prototypes: int
    alpha: float
    report: ReportProgress

    def parts(self, chosen: list[int], n_wanted: float, *, by_class_size: bool = False) -> list[Part]:
        """Return one objective per class that has candidates; they tell how far it is as ``chosen`` grows."""
        own = self.classes[self.candidates]
        by_class = [(np.flatnonzero(self.classes == value), self.candidates[own == value]) for value in np.unique(own)]
        n_pairs = sum(len(rows) * len(candidates) for rows, candidates in by_class)

        def tick() -> None:
            self.tell(len(chosen) / n_wanted, sweep.n_compared / n_pairs, "choosing prototypes")

        sweep = Sweep(self.table, self.weights, np.empty(0, dtype=np.int64), tick)
        return [
            Part(
                ClassCoverage(self.table, self.weights, sweep.over(rows), candidates),
                candidates,
                Fraction(1, len(rows) if by_class_size else 1),
            )
            for rows, candidates in by_class
        ]

    def tell(self, share_chosen: float, n_rounds: float, stage: str) -> None:
        """Report how far it is: by what is chosen or, better early on, by how many pairs have been compared.

        ``n_rounds`` is how often each pair has been, on average. How often it will have to be is not known: once or
        twice as a rule. So each round is taken for the same share of what is left.
        """
        self.report(min(1.0, max(share_chosen, 1 - exp(-n_rounds))), stage)


def _choose(parts: list[Part], chosen: list[int]) -> Iterator[Choice]:
    """Greedy choices, noted as they are made."""
    for choice in greedy(parts):
        chosen.append(choice.name)
        yield choice


def _sm_a(task: Task) -> Outcome:
    return _first_n(task)


def _sm_wa(task: Task) -> Outcome:
    return _first_n(task, by_class_size=True)


def _first_n(task: Task, *, by_class_size: bool = False) -> Outcome:
    chosen: list[int] = []
    parts = task.parts(chosen, task.n_prototypes, by_class_size=by_class_size)
    for _ in islice(_choose(parts, chosen), task.n_prototypes):
        pass
    return Outcome(chosen, "n_prototypes" if len(chosen) == task.n_prototypes else "no_gain")


def _sm_u(task: Task) -> Outcome:
    n_classes = len(np.unique(task.classes))
    n_each = max(1, (2 * task.n_prototypes + n_classes) // (2 * n_classes))
    chosen: list[int] = []
    for part in task.parts(chosen, n_each * n_classes):
        for _ in islice(_choose([part], chosen), n_each):
            pass
    return Outcome(chosen, "n_prototypes" if len(chosen) == n_each * n_classes else "no_gain")


def _a_pete(task: Task) -> Outcome:
    alpha = Fraction(repr(float(task.alpha)))
    chosen: list[int] = []
    previous: Choice | None = None
    for choice in _choose(task.parts(chosen, inf), chosen):
        if previous is not None and abs(previous.gain - choice.gain) <= alpha * choice.gain:
            return Outcome(chosen, "alpha", _stopping_improvement(task, len(chosen), previous, choice))
        previous = choice
    return Outcome(chosen, "no_gain")


def _stopping_improvement(task: Task, rank: int, previous: Choice, last: Choice) -> StoppingImprovement:
    last_class, previous_class = int(task.classes[last.name]), int(task.classes[previous.name])
    return StoppingImprovement(rank, last.gain, previous.gain, last_class, previous_class)


def _sg(task: Task) -> Outcome:
    chosen: list[int] = []

    def report_rounds(n_rounds: float) -> None:
        task.tell(len(chosen) / task.n_prototypes, n_rounds, "comparing candidates")

    best = supervised_greedy(task.table, task.weights, task.classes, task.candidates, report_rounds)
    for row in islice(best, task.n_prototypes):
        chosen.append(row)  # one after the other: progress is told in between  # noqa: PERF402
    return Outcome(chosen, "n_prototypes" if len(chosen) == task.n_prototypes else "no_improvement")


METHODS: dict[str, Callable[[Task], Outcome]] = {
    "sm_u": _sm_u,
    "sm_a": _sm_a,
    "sm_wa": _sm_wa,
    "sg": _sg,
    "a_pete": _a_pete,
}
