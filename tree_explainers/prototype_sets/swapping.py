"""Refine prototypes by swaps: from where they are and, while better ones cannot be ruled out, from elsewhere."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress, part_of
from ..errors import InvalidInput, MethodNotApplicable
from ..leaf_space.leaves import LeafTable
from .candidate_pairs import CandidatePairs, gather_pairs
from .dual_bound import dual_bound
from .goal import Goal, Method, covered_classes, goal_of
from .kept_sums import KeptSums
from .local_search import LocalSearch, SwappablePrototypes

_GOOD_ENOUGH = 0.999  # of what is possible at most: no other start can be better by a tenth of a percent
_MOST_COMPARISONS = 2 * 10**11  # of a row and a candidate in a tree, after which no further start is tried
_GATHERED, _SEARCHED, _BOUNDED = 0.3, 0.6, 0.7  # shares of the time after which these are done, roughly


@dataclass(frozen=True, slots=True)
class Refinement:
    """Prototypes that no swap improves any more, and what it took."""

    rows: NDArray[np.int64]  # (n_prototypes,) those that were kept are in their places
    n_swaps: int  # that led here; rows of another start that differ from the rows given count as swapped, too
    n_starts: int  # that were tried; the first are the prototypes given
    n_evaluated: int  # evaluations of a candidate
    n_compared: int  # times that it had to be compared with all rows of its class
    pairs: CandidatePairs  # close pairs of the candidates, by the coverage of the rows given


def refine_by_swaps(  # what is refined, by which measure, and how
    table: LeafTable,
    classes: NDArray[np.int64],
    weights: NDArray[np.int64],
    rows: NDArray[np.int64],
    *,
    method: Method,
    per_class: bool = False,
    candidates: NDArray[np.int64] | None = None,
    pairs: CandidatePairs | None = None,
    kept: KeptSums | None = None,
    try_other_starts: bool = True,
    report: ReportProgress = ignore_progress,
) -> Refinement:
    """Replace prototypes by other rows, one at a time, until no single replacement raises the method's objective.

    Candidates take turns in ascending order. If a candidate would raise the objective in place of some prototype, it
    replaces the one with which it raises it most (ties: the lowest rank), at once. The search ends when all
    candidates had a turn since the last swap. A row that is swapped in takes the place of the one swapped out.

    If the result is not known to be within a tenth of a percent of what is possible (``dual_bound``), up to three other
    starts are tried, which the bound suggests, as long as comparing rows does not take too long; the best result is
    taken (ties: the first). The objective is never less than that of the rows given.

    Parameters
    ----------
    table, weights
        All rows, and what each tree counts.
    classes : (n_rows,) int64
        Class of each row, as for ``select_prototypes``.
    rows : (n_prototypes,) int64
        The prototypes to begin with: distinct rows.
    method
        Whose objective: ``sm_a`` and ``a_pete`` g, with prototypes of any class replaced by rows of any class;
        ``sm_wa`` g divided by the size of the class, likewise; ``sm_u`` g, replacing prototypes by rows of their own
        class; ``k_medoids`` g of all rows as one class: with it this is the second phase of PAM.
    per_class
        Whether prototypes are replaced by rows of their own class alone.
    candidates : (n_candidates,) int64
        Rows that may become prototypes, distinct and ascending; by default all.
    pairs
        Close pairs of these candidates, if they are gathered already.
    kept
        Proximities that the choice added up, where they are not; they are let go of.
    try_other_starts
        ``False`` for the plain search from the rows given.
    report
        Progress callback, called several times a second with an estimate; may raise to stop.

    Raises
    ------
    MethodNotApplicable
        For ``sg``, whose accuracy is not a sum over rows of the proximity to the nearest prototype.
    InvalidInput
        If there are no prototypes, or a row is there twice.

    References
    ----------
    Schubert, Rousseeuw (2021), "Fast and eager k-medoids clustering: O(k) runtime improvement of the PAM, CLARA, and
    CLARANS algorithms", Information Systems 101, algorithm 3 (FasterPAM), with the distance 1 - proximity between
    rows of one class and 1 between others. The other starts are those of Lagrangian heuristics for the k-median
    problem (Beasley 1993, "Lagrangean heuristics for location problems").
    """
    _check(table, rows, method)
    classes = covered_classes(method, classes)
    if pairs is None:
        gathering = part_of(report, 0, _GATHERED)
        pairs = gather_pairs(table, classes, weights, rows, candidates=candidates, kept=kept, report=gathering)
    task = _Task(table, weights, pairs, goal_of(method, pairs.by_class.sizes, per_class=per_class), report)
    searches = [task.search(rows, _GATHERED, _SEARCHED)]
    if try_other_starts and task.may_go_on(searches):
        starts = task.other_starts(searches[0].prototypes)
        for done, start in enumerate(starts):
            if task.may_go_on(searches):
                length = (1 - _BOUNDED) / len(starts)
                searches.append(task.search(start, _BOUNDED + done * length, _BOUNDED + (done + 1) * length))
    best = max(searches, key=lambda search: search.prototypes.objective)
    return Refinement(
        rows=best.prototypes.rows if best is searches[0] else _in_places_of(rows, best.prototypes.rows),
        n_swaps=best.n_swaps + int(np.count_nonzero(~np.isin(best.start, rows))),
        n_starts=len(searches),
        n_evaluated=sum(search.n_evaluated for search in searches),
        n_compared=sum(search.n_compared for search in searches),
        pairs=pairs,
    )


def _check(table: LeafTable, rows: NDArray[np.int64], method: Method) -> None:
    if method == "sg":
        msg = "sg maximises accuracy, which swaps by coverage would lower: refine sm_a, sm_wa, sm_u or a_pete"
        raise MethodNotApplicable(msg)
    if len(rows) == 0 or len(np.unique(rows)) < len(rows) or rows.min() < 0 or rows.max() >= table.n_rows:
        msg = f"prototypes must be at least one of the rows 0 to {table.n_rows - 1}, each only once"
        raise InvalidInput(msg)


class _Task(NamedTuple):
    """The rows, their close pairs, and the goal of the search."""

    table: LeafTable
    weights: NDArray[np.int64]
    pairs: CandidatePairs
    goal: Goal
    report: ReportProgress

    def search(self, rows: NDArray[np.int64], begins: float, ends: float) -> LocalSearch:
        """Swap from some rows on, which takes this part of all the time."""
        by_class, floors = self.pairs.by_class, self.pairs.thresholds
        prototypes = SwappablePrototypes(self.table, self.weights, by_class, rows, self.goal, floors)
        search = LocalSearch(self.table, self.weights, prototypes, self.pairs, part_of(self.report, begins, ends))
        search.run()
        return search

    def may_go_on(self, done: list[LocalSearch]) -> bool:
        """Return whether searches so far were quick enough for another."""
        return self.table.n_trees * sum(search.n_pairs_compared for search in done) <= _MOST_COMPARISONS

    def other_starts(self, prototypes: SwappablePrototypes) -> list[NDArray[np.int64]]:
        """Return where better prototypes might be found: nowhere if these are surely good enough."""
        by_class, total_weight = self.pairs.by_class, int(self.weights.sum())
        n_of_each = np.bincount(prototypes.classes, minlength=by_class.n_classes)
        report_bound = part_of(self.report, _SEARCHED, _BOUNDED)
        dual = dual_bound(self.pairs, prototypes.now.nearest, n_of_each, total_weight, self.goal, report_bound)
        if prototypes.objective >= _GOOD_ENOUGH * dual.bound:
            return []
        sets = [rows for rows in dual.choices if len(rows) == len(prototypes.rows)]
        if not sets:
            return []
        values = [self._objective(rows) for rows in sets]
        some = [sets[0], sets[values.index(max(values))], sets[-1]]
        return [rows for i, rows in enumerate(some) if not any(np.array_equal(rows, other) for other in some[:i])]

    def _objective(self, rows: NDArray[np.int64]) -> int:
        by_class = self.pairs.by_class
        covered = by_class.coverage(self.table, self.weights, rows)
        return self.goal.objective(by_class.sums(covered))


def _in_places_of(before: NDArray[np.int64], after: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return rows in an order in which those that were there before are where they were."""
    rows = before.copy()
    rows[~np.isin(before, after)] = after[~np.isin(after, before)]
    return rows
