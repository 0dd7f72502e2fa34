"""Selection of prototypes among the rows of a dataset, by any of the five methods, and the sampling of candidates."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress, part_of
from ..errors import InvalidInput
from ..leaf_space.leaves import LeafTable
from ..leaf_space.subset_proximities import column
from .candidate_columns import CandidateColumns
from .candidate_pairs import CandidatePairs
from .coverage import measure_coverage
from .goal import Method, Refine, covered_classes
from .kept_sums import KeptSums
from .methods import METHODS, StoppedBy, StoppingImprovement, Task
from .quotas import PerClass
from .row_coverage import CoverageGoal
from .selection_checks import check_candidates, check_rows, check_settings
from .supervised import EvaluatedRows
from .swapping import refine_by_swaps

__all__ = ["Method", "PrototypeSelection", "StoppingImprovement", "sample_candidates", "select_prototypes"]

_SHARE_BEFORE_SWAPS = 0.5


@dataclass(frozen=True, slots=True)
class PrototypeSelection:
    """The rows chosen, in the order in which they were chosen, and what each of them brought.

    Gains and objectives are exact integers in units of weight: divide by ``total_weight`` for sums of proximities.
    """

    method: Method
    rows: NDArray[np.int64]  # (n_prototypes,)
    rows_before_swaps: NDArray[np.int64]  # (n_prototypes,) what the method chose; the same rows without swaps
    classes: NDArray[np.int64]  # (n_prototypes,)
    gains: NDArray[np.int64]  # (n_prototypes,) growth of g
    objectives: NDArray[np.int64]  # (n_prototypes,) g of the first 1, 2, … prototypes
    n_covered: NDArray[np.int64]  # (n_prototypes,) rows whose nearest prototype of their own class (k_medoids: of any)
    n_rows: int
    candidates: NDArray[np.int64]  # (n_candidates,) rows that might have been chosen, ascending
    total_weight: int  # the proximity of a row to itself
    nested: bool  # the first k are the answer for k
    n_swaps: int  # prototypes replaced after the choice, by ``refine="swap"``
    stopped_by: StoppedBy  # the choice, before any swaps
    stopping_improvement: StoppingImprovement | None  # when stopped by alpha
    per_class: bool  # how many there are of each class was given, or counted out so that none is left out
    pairs: CandidatePairs | None  # close pairs, by the coverage of ``rows_before_swaps``, if swaps gathered them
    kept: KeptSums | None = None  # proximities that were added up, if they were to be kept

    def without_pairs(self) -> "PrototypeSelection":
        """Return the same without pairs and proximities, which may take hundreds of megabytes."""
        return replace(self, pairs=None, kept=None)

    @property
    def n_candidates(self) -> int:
        """Number of rows that might have been chosen."""
        return len(self.candidates)

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


def select_prototypes(  # a method, its three settings, and what it works on
    table: LeafTable,
    classes: NDArray[np.int64],
    weights: NDArray[np.int64],
    method: Method,
    *,
    n_prototypes: int = 10,
    coverage: float | None = None,
    alpha: float = 0.05,
    refine: Refine = "none",
    evaluated: EvaluatedRows | None = None,
    candidates: NDArray[np.int64] | None = None,
    agrees: NDArray[np.bool_] | None = None,
    per_class: PerClass | NDArray[np.int64] = "by_gain",
    columns: CandidateColumns | None = None,
    kept: KeptSums | None = None,
    report: ReportProgress = ignore_progress,
) -> PrototypeSelection:
    """Choose prototypes among the rows.

    Parameters
    ----------
    table
        Leaves of the rows, all of which are to be covered; or an ``EuclideanTable``, with its ``weights``.
    classes : (n_rows,) int64
        Class of each row, 0 or more, as predicted or as observed. For regression all rows are of one class.
    weights : (n_trees,) int64
        What each tree counts, see ``tree_weights``.
    method
        ``sm_a``: the row by which g grows most. ``sm_wa``: the same with growth divided by the size of the row's
        class. ``sm_u``: in each class alone, max(1, floor(n_prototypes / n_classes + 1/2)) rows, listed class by
        class; classes without rows are not counted. ``a_pete``: as ``sm_a``, until two consecutive improvements are
        alike. ``sg``: the row that raises balanced accuracy most. ``k_medoids``: as ``sm_a`` with all rows as one
        class, for which prototypes of any class count; with swaps, PAM. Ties: see ``agrees``.
    n_prototypes
        How many; ``a_pete`` takes no notice. Fewer are chosen when no row would add to g, or to accuracy.
    coverage
        For ``sm_a``, ``sm_wa`` and ``sg``: as soon as this share of the rows, in (0, 1], has at least the minimum
        proximity to a prototype (``row_coverage``), no more are chosen. Swaps may lower that share again.
    alpha
        ``a_pete`` stops after the prototype for which |previous - improvement| / improvement <= alpha, which is kept.
        Taken as the decimal number that it is written as, and compared exactly.
    refine
        ``swap``: afterwards prototypes are replaced by other candidates while that raises the objective, see
        ``refine_by_swaps``; each takes the rank of the one that it replaced.
    evaluated
        For ``sg``: the rows whose accuracy is raised, and how it is measured; by default balanced accuracy on the rows
        of the table.
    candidates : (n_candidates,) int64, optional
        Rows that may be chosen, ascending; by default all. See ``sample_candidates``.
    agrees : (n_rows,) bool, optional
        Rows that come first among equals: those whose own label is what the model predicts. Where their objective is
        the same, such a row is chosen before others, and of several the lowest. After swaps, a prototype that does not
        agree is replaced by such a row of its class with the very same leaves.
    per_class : or (n_classes,) int64
        For ``sm_a`` and ``sm_wa`` without ``coverage``: how many prototypes of each class, or by which rule; see
        ``quotas``. Swaps keep them.
    columns
        All proximities of the candidates by these leaves and weights, where they are held anyway: the choice is the
        same, and takes no comparing.
    kept
        Where to put the proximities that are added up, for a certificate of the choice.
    report
        Progress callback, called several times a second; may raise to stop.

    Raises
    ------
    InvalidInput
        If more prototypes are requested than there are candidates, or an argument is outside its range.
    MethodNotApplicable
        If ``sg`` meets a single class, or is to be refined; or for ``coverage`` or swaps by plain distance.

    References
    ----------
    Tan, Soloviev, Hooker, Wells (2020), "Tree Space Prototypes", algorithm 1 and the section on supervised greedy.
    Karolczak, Stefanowski (2024), "A-PETE", algorithm 1, whose lines 6 and 11 cannot be run as printed: improvements
    are taken as positive and each is compared with the one before. A row that improves nothing is not kept.
    """
    eligible = np.arange(table.n_rows) if candidates is None else np.asarray(candidates, dtype=np.int64)
    check_settings(method, alpha, refine, coverage, per_class)
    check_rows(table, classes, weights, method, coverage, refine)
    check_candidates(table, method, n_prototypes, eligible, columns)
    share = 1.0 if refine == "none" else _SHARE_BEFORE_SWAPS
    goal = None if coverage is None else CoverageGoal(table, weights, coverage)
    task = Task(
        table, covered_classes(method, classes), weights, eligible, n_prototypes, alpha, part_of(report, 0, share),
        goal, evaluated, agrees, per_class, columns, kept,
    )  # fmt: skip
    outcome = METHODS[method](task)
    first = rows = np.array(outcome.rows, dtype=np.int64)
    n_swaps, pairs = 0, None
    if refine == "swap":
        refined = refine_by_swaps(
            task.table,
            task.classes,
            task.weights,
            rows,
            method=method,
            per_class=outcome.per_class,
            candidates=candidates,
            kept=kept,
            report=part_of(report, share, 1),
        )
        rows, n_swaps, pairs = refined.rows, refined.n_swaps, refined.pairs  # by these pairs the swaps were chosen
        rows = rows if agrees is None else _agreeing_twins(task, rows, classes, agrees)
    tick, near = partial(report, 1, "measuring coverage"), None if columns is None else columns.of_rows(rows)
    covered = measure_coverage(table, weights, task.classes, rows, tick, near)
    return PrototypeSelection(
        method=method,
        rows=rows,
        rows_before_swaps=first,
        classes=classes.astype(np.int64)[rows],
        gains=np.diff(covered.objectives, prepend=0),
        objectives=covered.objectives,
        n_covered=covered.n_covered,
        n_rows=table.n_rows,
        candidates=eligible,
        total_weight=int(weights.sum()),
        nested=method != "sm_u" and not outcome.per_class and n_swaps == 0,
        per_class=outcome.per_class,
        n_swaps=n_swaps,
        stopped_by=outcome.stopped_by,
        stopping_improvement=outcome.stopping_improvement,
        pairs=pairs,
        kept=kept,
    )


def _agreeing_twins(
    task: Task, rows: NDArray[np.int64], classes: NDArray[np.int64], agrees: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Replace each row that does not agree by one that does, where that changes no proximity: with the same leaves."""
    chosen, total_weight = rows.copy(), int(task.weights.sum())
    for rank in np.flatnonzero(~agrees[rows]).tolist():
        row = int(rows[rank])
        is_twin = (column(task.table, task.weights, row) == total_weight) & agrees & (classes == classes[row])
        twins = np.setdiff1d(task.candidates[is_twin[task.candidates]], chosen)
        if len(twins):
            chosen[rank] = twins[0]
    return chosen


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
