"""Certificates: the objective of prototypes, and an upper bound on that of any set of as many prototypes."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress, part_of
from ..errors import InvalidInput
from ..leaf_space.leaves import LeafTable
from ..leaf_space.nearest_by_masks import NearestWithin
from .all_rows_bound import all_rows_bound
from .candidate_pairs import CandidatePairs, gather_pairs, nearest_in_pairs
from .dual_bound import dual_bound
from .goal import Constraint, Goal, Method, ObjectiveName, covered_classes, goal_of
from .kept_sums import KeptSums

Scope = Literal["all_rows", "candidates"]

_GREEDY_METHODS = ("sm_u", "sm_a", "sm_wa", "a_pete", "k_medoids")


@dataclass(frozen=True, slots=True)
class Certificate:
    """The objective of prototypes, and an upper bound on that of sets of as many; exact integers.

    The bound holds for all sets that keep the constraint, whichever method chose these prototypes: ``n_prototypes``
    of any classes, or ``n_prototypes_per_class``, as many of each class as there are here. Divided by ``unit``,
    objective and bounds are mean proximities in [0, 1]: of all rows, or for the class-weighted coverage of the rows of
    each class, averaged over classes. ``nearest`` is what the close pairs, which the bound is found from, show of each
    row's nearest other row.
    """

    objective_name: ObjectiveName
    constraint: Constraint
    scope: Scope  # the sets for which ``upper_bound`` holds: of any rows, or of the sampled candidates
    n_prototypes: int
    objective: int
    upper_bound: int
    all_rows_upper_bound: int | None  # where candidates are a sample: the looser bound for sets of any rows
    unit: int
    nearest: NearestWithin | None = field(compare=False, repr=False)  # in classes, if all rows are candidates

    @property
    def certificate(self) -> float:
        """Share of the best possible objective that is surely reached, in (0, 1]."""
        return self.objective / self.upper_bound

    @property
    def all_rows_certificate(self) -> float:
        """The same among all rows, in (0, 1]."""
        return self.objective / (self.upper_bound if self.all_rows_upper_bound is None else self.all_rows_upper_bound)


def certify(  # what is certified, and among which sets
    table: LeafTable,
    classes: NDArray[np.int64],
    weights: NDArray[np.int64],
    rows: NDArray[np.int64],
    *,
    method: Method,
    per_class: bool = False,
    greedy_rows: NDArray[np.int64] | None = None,
    candidates: NDArray[np.int64] | None = None,
    pairs: CandidatePairs | None = None,
    kept: KeptSums | None = None,
    report: ReportProgress = ignore_progress,
) -> Certificate:
    """Bound the objective of any set of as many prototypes, and compare.

    The bound is the lowest of

    - that of promised coverages (``dual_bound.Relaxation``), which holds for any set, at the coverage by these
      prototypes and after going down from there;
    - the same from the coverage by ``greedy_rows``;
    - for what a greedy method chose, its objective / (1 - (1 - 1/k)^k).

    None of them is about the set that it was found from: each bounds all sets that keep the same constraint by the
    same objective. So what was found before swaps holds after them, and swaps, which never lower the objective, never
    lower the certificate.

    Parameters
    ----------
    table, weights
        All rows, and what each tree counts.
    classes : (n_rows,) int64
        Class of each row, as for ``select_prototypes``.
    rows : (n_prototypes,) int64
        The prototypes: distinct rows.
    method
        Determines objective and constraint: ``sm_wa`` coverage divided by the size of the class, the others coverage;
        ``sm_u`` as many prototypes of each class, the others as many in all; ``k_medoids`` coverage by prototypes of
        any class. ``sg`` does not maximise coverage, but is measured by it.
    per_class
        Whether the number of prototypes of each class was given: bounds are of sets with as many of each class.
    greedy_rows : (n_prototypes,) int64
        What ``select_prototypes`` chose by this method among these candidates, before swaps made ``rows`` of it; the
        same rows where there were none.
    candidates : (n_candidates,) int64
        Rows that might have been chosen, distinct and ascending; by default all.
    pairs
        Close pairs of these candidates, if they are gathered already, for any prototypes. Swaps gather what would be
        gathered here.
    kept
        Proximities that the choice added up, where there are no such pairs; they are let go of.
    report
        Progress callback, called several times a second; may raise to stop.

    Raises
    ------
    InvalidInput
        If there are no prototypes, or one is there twice or is not among the candidates, or if the greedy choice has
        another number of them (for ``sm_u``: in some class).

    References
    ----------
    Nemhauser, Wolsey, Fisher (1978), "An analysis of approximations for maximizing submodular set functions", section
    4. Cornuejols, Fisher, Nemhauser (1977), "Location of bank accounts to optimize float", section 3.
    """
    _check(table, rows, candidates)
    starts = [rows] if greedy_rows is None or np.array_equal(greedy_rows, rows) else [greedy_rows, rows]
    is_sampled = candidates is not None and len(candidates) < table.n_rows
    n_parts = 1 + len(starts) * (2 if is_sampled else 1)
    parts = iter([part_of(report, part / n_parts, (part + 1) / n_parts) for part in range(n_parts)])
    gathering = next(parts)
    if pairs is None:
        of_classes = covered_classes(method, classes)
        pairs = gather_pairs(table, of_classes, weights, starts[0], candidates=candidates, kept=kept, report=gathering)
    task = _Task(table, weights, pairs, goal_of(method, pairs.by_class.sizes, per_class=per_class))
    sets = [task.reached_by(start) for start in starts]
    # a greedy choice of another size has a bound that does not hold for the prototypes
    counts = [each.n_of_each.tolist() if task.goal.classes_are_apart else int(each.n_of_each.sum()) for each in sets]
    if counts[0] != counts[-1]:
        msg = f"swaps keep the number of prototypes: {counts[0]} were chosen, and there are {counts[-1]}"
        raise InvalidInput(msg)
    upper_bound = min(task.bound(each, next(parts)) for each in sets)
    if greedy_rows is not None and method in _GREEDY_METHODS:
        upper_bound = min(upper_bound, _greedy_bound(sets[0], task.goal))
    all_rows = min(task.all_rows_bound(each, next(parts)) for each in sets) if is_sampled else None
    return Certificate(
        objective_name=task.goal.objective_name,
        constraint=task.goal.constraint,
        scope="candidates" if is_sampled else "all_rows",
        n_prototypes=len(rows),
        objective=task.goal.objective(sets[-1].g_of_classes),
        upper_bound=upper_bound if all_rows is None else min(upper_bound, all_rows),
        all_rows_upper_bound=all_rows,
        unit=task.goal.per_weight * int(weights.sum()),
        nearest=None if is_sampled else nearest_in_pairs(pairs),
    )


class _Reached(NamedTuple):
    """The coverage by some prototypes."""

    covered: NDArray[np.int64]  # (n_rows,) in the order of classes
    g_of_classes: list[int]
    n_of_each: NDArray[np.int64]  # (n_classes,) prototypes


class _Task(NamedTuple):
    """The rows, their close pairs, and the goal of which bounds are found."""

    table: LeafTable
    weights: NDArray[np.int64]
    pairs: CandidatePairs
    goal: Goal

    def reached_by(self, rows: NDArray[np.int64]) -> _Reached:
        by_class = self.pairs.by_class
        covered = by_class.coverage(self.table, self.weights, rows)
        return _Reached(
            covered, by_class.sums(covered), np.bincount(by_class.classes[rows], minlength=by_class.n_classes)
        )

    def bound(self, start: _Reached, report: ReportProgress) -> int:
        """Return a bound for sets of candidates, found from the coverage by a set."""
        total_weight = int(self.weights.sum())
        return dual_bound(self.pairs, start.covered, start.n_of_each, total_weight, self.goal, report).bound

    def all_rows_bound(self, start: _Reached, report: ReportProgress) -> int:
        """Return a bound for sets of any rows, found from the coverage by a set."""
        return all_rows_bound(
            self.table,
            self.weights,
            self.pairs.by_class,
            covered=start.covered,
            n_of_each=start.n_of_each,
            goal=self.goal,
            report=report,
        )


def _check(table: LeafTable, rows: NDArray[np.int64], candidates: NDArray[np.int64] | None) -> None:
    if len(rows) == 0 or len(np.unique(rows)) < len(rows) or rows.min() < 0 or rows.max() >= table.n_rows:
        msg = f"prototypes must be at least one of the rows 0 to {table.n_rows - 1}, each only once"
        raise InvalidInput(msg)
    if candidates is not None and not np.isin(rows, candidates).all():
        msg = "prototypes must be among the candidates, or no bound for those would hold for them"
        raise InvalidInput(msg)


def _greedy_bound(chosen: _Reached, goal: Goal) -> int:
    """Return a bound from the greedy choice, whose objective is at least 1 - (1 - 1/k)^k of the best."""
    n_of_each = chosen.n_of_each.tolist()
    if goal.classes_are_apart:
        return sum(
            _best_after_greedy(scale * g_of_class, n)
            for scale, g_of_class, n in zip(goal.scales, chosen.g_of_classes, n_of_each, strict=True)
        )
    return _best_after_greedy(goal.objective(chosen.g_of_classes), sum(n_of_each))


def _best_after_greedy(objective: int, k: int) -> int:
    """Return objective / (1 - (1 - 1/k)^k), rounded down, as objectives are whole."""
    return objective * k**k // (k**k - (k - 1) ** k) if k > 0 else 0
