"""Choose rows of a dataset as prototypes, by any of the five methods."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import exp
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, MethodNotApplicable
from ..leaves import LeafTable
from ..progress import ReportProgress, ignore_progress
from ..submodular import Choice, Part, greedy
from .coverage import ClassCoverage, measure_coverage
from .supervised import supervised_greedy
from .sweep import Sweep

Method = Literal["sm_u", "sm_a", "sm_wa", "sg", "a_pete"]
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
class PrototypeSelection:
    """The rows chosen, in the order in which they were chosen, and what each of them brought.

    Gains and objectives are exact integers in units of weight: divide by ``total_weight`` for sums of proximities.
    """

    method: Method
    rows: NDArray[np.int64]  # (n_prototypes,)
    classes: NDArray[np.int64]  # (n_prototypes,)
    gains: NDArray[np.int64]  # (n_prototypes,) growth of g
    objectives: NDArray[np.int64]  # (n_prototypes,) g of the first 1, 2, … prototypes
    n_covered: NDArray[np.int64]  # (n_prototypes,) rows whose nearest prototype of their own class this is
    n_rows: int
    n_candidates: int  # rows that might have been chosen
    total_weight: int  # the proximity of a row to itself
    nested: bool  # the first k are the answer for k
    stopped_by: StoppedBy
    stopping_improvement: StoppingImprovement | None  # when stopped by alpha

    @property
    def objective(self) -> int:
        """Value of g for all prototypes."""
        return int(self.objectives[-1])

    @property
    def objective_mean(self) -> float:
        """Mean proximity of the rows to their nearest prototype of their own class, in [0, 1]."""
        return self.objective / (self.total_weight * self.n_rows)

    @property
    def coverage_shares(self) -> NDArray[np.float64]:
        """Share of all rows whose nearest prototype of their own class this is."""
        return np.asarray(self.n_covered / self.n_rows)


@dataclass(frozen=True, slots=True)
class _Outcome:
    rows: list[int]
    stopped_by: StoppedBy
    stopping_improvement: StoppingImprovement | None = None


def select_prototypes(  # noqa: PLR0913  # a method, its three settings, and what it works on
    table: LeafTable,
    classes: NDArray[np.int64],
    weights: NDArray[np.int64],
    method: Method,
    *,
    n_prototypes: int = 10,
    alpha: float = 0.05,
    candidates: NDArray[np.int64] | None = None,
    report: ReportProgress = ignore_progress,
) -> PrototypeSelection:
    """Choose prototypes among the rows.

    Parameters
    ----------
    table
        Leaves of the rows, all of which are to be covered.
    classes : (n_rows,) int64
        Class of each row, 0 or more, as predicted or as observed. For regression all rows are of one class.
    weights : (n_trees,) int64
        What each tree counts, see ``tree_weights``.
    method
        ``sm_a``: the row by which g grows most. ``sm_wa``: the same with growth divided by the size of the row's
        class. ``sm_u``: in each class alone, max(1, floor(n_prototypes / n_classes + 1/2)) rows, listed class by
        class; classes without rows are not counted. ``a_pete``: as ``sm_a``, until two consecutive improvements are
        alike. ``sg``: the row that raises balanced accuracy most. Ties go to the lowest row.
    n_prototypes
        How many; ``a_pete`` takes no notice. Fewer are chosen when no row would add to g, or to accuracy.
    alpha
        ``a_pete`` stops after the prototype for which |previous - improvement| / improvement <= alpha, which is kept.
        Taken as the decimal number that it is written as, and compared exactly.
    candidates : (n_candidates,) int64, optional
        Rows that may be chosen, ascending; by default all. See ``sample_candidates``.
    report
        Told how far it is several times a second; may raise to stop.

    Raises
    ------
    InvalidInput
        If there are more prototypes asked for than candidates, or an argument is outside its range.
    MethodNotApplicable
        If ``sg`` meets a single class.

    References
    ----------
    Tan, Soloviev, Hooker, Wells (2020), "Tree Space Prototypes", algorithm 1 and the section on supervised greedy.
    Karolczak, Stefanowski (2024), "A-PETE", algorithm 1, whose lines 6 and 11 cannot be run as printed: improvements
    are taken as positive and each is compared with the one before. A row that improves nothing is not kept.
    """
    eligible = np.arange(table.n_rows) if candidates is None else np.asarray(candidates, dtype=np.int64)
    _check(table, classes, method, alpha)
    _check_candidates(table, method, n_prototypes, eligible)
    task = _Task(table, classes.astype(np.int64), weights, eligible, n_prototypes, alpha, report)
    outcome = _METHODS[method](task)
    rows = np.array(outcome.rows, dtype=np.int64)
    coverage = measure_coverage(table, weights, task.classes, rows)
    return PrototypeSelection(
        method=method,
        rows=rows,
        classes=task.classes[rows],
        gains=np.diff(coverage.objectives, prepend=0),
        objectives=coverage.objectives,
        n_covered=coverage.n_covered,
        n_rows=table.n_rows,
        n_candidates=len(eligible),
        total_weight=int(weights.sum()),
        nested=method != "sm_u",
        stopped_by=outcome.stopped_by,
        stopping_improvement=outcome.stopping_improvement,
    )


def sample_candidates(classes: NDArray[np.int64], n_candidates: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw the rows that may become prototypes where there are too many to look at them all.

    Parameters
    ----------
    classes : (n_rows,) int64
        Class of each row, 0 or more.
    n_candidates
        How many; all rows if there are no more.
    rng
        Draws the rows without replacement: first one of each class that occurs, in the order of the classes, then the
        others from all rows that are left, each as likely as any other.

    Returns
    -------
    (n_candidates,) int64
        Ascending.

    Raises
    ------
    InvalidInput
        If there are more classes than candidates.
    """
    if n_candidates >= len(classes):
        return np.arange(len(classes))
    present = np.unique(classes)
    if n_candidates < len(present):
        msg = f"n_candidates must be at least {len(present)}, one for each class that has rows, got {n_candidates}"
        raise InvalidInput(msg)
    one_each = [rng.choice(np.flatnonzero(classes == value)) for value in present]
    others = np.delete(np.arange(len(classes)), one_each)
    drawn = rng.choice(others, n_candidates - len(present), replace=False)
    return np.sort(np.concatenate([one_each, drawn]))


def _check(table: LeafTable, classes: NDArray[np.int64], method: Method, alpha: float) -> None:
    if method not in _METHODS:
        msg = f"method must be one of {', '.join(_METHODS)}, got {method!r}"
        raise InvalidInput(msg)
    if classes.shape != (table.n_rows,) or classes.min() < 0:
        msg = f"classes must be {table.n_rows} numbers, 0 or more: one for each row"
        raise InvalidInput(msg)
    if method == "a_pete" and not 0 <= alpha < 1:
        msg = f"alpha must be at least 0 and less than 1, got {alpha}"
        raise InvalidInput(msg)
    if method == "sg" and classes.min() == classes.max():
        msg = "sg tells classes apart, but all rows are of one class (as in regression): use sm_a"
        raise MethodNotApplicable(msg)


def _check_candidates(table: LeafTable, method: Method, n_prototypes: int, candidates: NDArray[np.int64]) -> None:
    n_candidates = len(candidates)
    if n_candidates == 0 or candidates[0] < 0 or candidates[-1] >= table.n_rows or (np.diff(candidates) <= 0).any():
        msg = f"candidates must be distinct rows in ascending order, at least one, of 0 to {table.n_rows - 1}"
        raise InvalidInput(msg)
    if method != "a_pete" and not 1 <= n_prototypes <= n_candidates:
        noun = "rows" if n_candidates == table.n_rows else "candidates"
        msg = f"n_prototypes must be 1 to {n_candidates}, the number of {noun}, got {n_prototypes}"
        raise InvalidInput(msg)


@dataclass(frozen=True, slots=True)
class _Task:
    table: LeafTable
    classes: NDArray[np.int64]
    weights: NDArray[np.int64]
    candidates: NDArray[np.int64]
    n_prototypes: int
    alpha: float
    report: ReportProgress

    def parts(self, chosen: list[int], *, by_class_size: bool = False) -> list[Part]:
        """One objective per class that has candidates; choices made so far are told about as work goes on."""
        candidate_classes = self.classes[self.candidates]
        sweeps: list[tuple[Sweep, NDArray[np.int64]]] = []
        progress = _Progress(self, sweeps, chosen)
        for value in np.unique(candidate_classes):
            sweep = Sweep(self.table, self.weights, np.flatnonzero(self.classes == value), progress)
            sweeps.append((sweep, self.candidates[candidate_classes == value]))
        return [
            Part(
                ClassCoverage(self.table, self.weights, sweep, candidates),
                candidates,
                Fraction(1, len(sweep.targets) if by_class_size else 1),
            )
            for sweep, candidates in sweeps
        ]


class _Progress:
    """Tells how far a selection is: by what is chosen or, better early on, by how many pairs have been compared.

    How many will have to be is not known: most candidates are compared once or twice. So each round of as many pairs
    as there are is taken for the same share of what is left.
    """

    def __init__(self, task: _Task, sweeps: Sequence[tuple[Sweep, NDArray[np.int64]]], chosen: list[int]) -> None:
        self._task, self._sweeps, self._chosen = task, sweeps, chosen

    def __call__(self) -> None:
        n_pairs = sum(len(sweep.targets) * len(candidates) for sweep, candidates in self._sweeps)
        n_rounds = sum(sweep.n_compared for sweep, _ in self._sweeps) / n_pairs
        by_choices = len(self._chosen) / self._task.n_prototypes
        self._task.report(min(1, max(by_choices, 1 - exp(-n_rounds))), "choosing prototypes")


def _choose(parts: list[Part], chosen: list[int]) -> Iterator[Choice]:
    """Greedy choices, noted as they are made."""
    for choice in greedy(parts):
        chosen.append(choice.name)
        yield choice


def _sm_a(task: _Task) -> _Outcome:
    return _first_n(task)


def _sm_wa(task: _Task) -> _Outcome:
    return _first_n(task, by_class_size=True)


def _first_n(task: _Task, *, by_class_size: bool = False) -> _Outcome:
    chosen: list[int] = []
    for _ in islice(_choose(task.parts(chosen, by_class_size=by_class_size), chosen), task.n_prototypes):
        pass
    return _Outcome(chosen, "n_prototypes" if len(chosen) == task.n_prototypes else "no_gain")


def _sm_u(task: _Task) -> _Outcome:
    n_classes = len(np.unique(task.classes))
    n_each = max(1, (2 * task.n_prototypes + n_classes) // (2 * n_classes))
    chosen: list[int] = []
    for part in task.parts(chosen):
        for _ in islice(_choose([part], chosen), n_each):
            pass
    return _Outcome(chosen, "n_prototypes" if len(chosen) == n_each * n_classes else "no_gain")


def _a_pete(task: _Task) -> _Outcome:
    alpha = Fraction(repr(float(task.alpha)))
    chosen: list[int] = []
    previous: Choice | None = None
    for choice in _choose(task.parts(chosen), chosen):
        if previous is not None and abs(previous.gain - choice.gain) <= alpha * choice.gain:
            return _Outcome(chosen, "alpha", _stopping_improvement(task, len(chosen), previous, choice))
        previous = choice
    return _Outcome(chosen, "no_gain")


def _stopping_improvement(task: _Task, rank: int, previous: Choice, last: Choice) -> StoppingImprovement:
    last_class, previous_class = int(task.classes[last.name]), int(task.classes[previous.name])
    return StoppingImprovement(rank, last.gain, previous.gain, last_class, previous_class)


def _sg(task: _Task) -> _Outcome:
    best = supervised_greedy(task.table, task.weights, task.classes, task.candidates, task.report)
    chosen = list(islice(best, task.n_prototypes))
    return _Outcome(chosen, "n_prototypes" if len(chosen) == task.n_prototypes else "no_improvement")


_METHODS: dict[str, Callable[[_Task], _Outcome]] = {
    "sm_u": _sm_u,
    "sm_a": _sm_a,
    "sm_wa": _sm_wa,
    "sg": _sg,
    "a_pete": _a_pete,
}
