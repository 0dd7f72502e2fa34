"""Supervised greedy selection (SG): the prototypes that classify best, one after the other.

Tan et al. (2020), "Supervised Greedy Prototype Selection", on training or on validation rows. Accuracy is not
submodular, so no candidate may be passed over. But a candidate's effect changes only through rows whose
nearest prototype changed: counts are kept for each candidate and corrected for those rows alone.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..leaf_space.euclidean_table import EuclideanTable
from ..leaf_space.leaves import LeafTable
from ..leaf_space.partitioned_table import PartitionedTable
from ..leaf_space.subset_proximities import column
from .partitioned_sweep import sweep_over
from .work_items import Count

_INFINITELY_NEAR = 2**62  # nothing is nearer: a row that does not count
_ROUNDING = 1e-9  # far above what sums of a few thousand float64 shares can be wrong by


Metric = Literal["balanced_accuracy", "accuracy"]


@dataclass(frozen=True, slots=True, eq=False)
class EvaluatedRows:
    """The rows on which prototypes are evaluated by the classes that they give."""

    classes: NDArray[np.int64]  # (n_evaluated,) the class that each row should be given, 0 or more
    table: LeafTable | None = None  # of these rows; None: they are those that prototypes are chosen from
    metric: Metric = "balanced_accuracy"


def supervised_greedy(  # rows, candidates with what is known of them, and how they are measured
    table: LeafTable,
    weights: NDArray[np.int64],
    classes: NDArray[np.int64],
    candidates: NDArray[np.int64],
    evaluated: EvaluatedRows,
    *,
    agrees: NDArray[np.bool_] | None = None,
    report_rounds: Callable[[float], None] = lambda _: None,
) -> Iterator[int]:
    """Yield the candidate that raises the accuracy of the nearest-prototype classifier most, until none does.

    The classifier gives a row the class of the nearest prototype (ties: the earlier one) and no class if it shares no
    leaf with any. Balanced accuracy is the mean, over the classes that evaluated rows have, of the share of rows given
    their own class; accuracy is the share of all evaluated rows. Ties, compared exactly, go to the row of larger gain
    in g (see ``coverage``) of the evaluated rows, then to one that agrees, then to the lowest row.

    Parameters
    ----------
    table, weights
        The rows to choose from, and what each tree counts.
    classes : (n_rows,) int64
        Class of each of them as a prototype, 0 or more.
    candidates : (n_candidates,) int64
        Rows that may be chosen, ascending.
    evaluated
        The rows whose accuracy is raised.
    agrees : (n_candidates,) bool, optional
        Candidates that come first among equals.
    report_rounds
        Called several times a second with the mean number of comparisons of a evaluated row with each candidate.
    """
    state = _Classifier(_joined(table, evaluated), weights, classes[candidates], candidates, evaluated, report_rounds)
    state.count_first()
    while (best := state.best_candidate(agrees)) is not None:
        yield int(candidates[best])
        state.add(best)


def _joined(table: LeafTable, evaluated: EvaluatedRows) -> LeafTable:
    """Return the table with the evaluated rows as its last ones."""
    if evaluated.table is None:
        return table
    if isinstance(table, PartitionedTable):
        assert isinstance(evaluated.table, PartitionedTable)  # one job, one executor
        return table.followed_by(evaluated.table)
    if isinstance(table, EuclideanTable):
        assert isinstance(evaluated.table, EuclideanTable)  # rows are compared alike
        return table.followed_by(evaluated.table)
    codes = np.concatenate([table.codes, evaluated.table.codes], axis=1)
    return LeafTable.from_codes(codes, np.diff(table.offsets))


class _Nearness(NamedTuple):
    """How near the prototypes are to each row."""

    nearest: NDArray[np.int64]  # (n_rows,) proximity to the nearest prototype
    covered: NDArray[np.int64]  # (n_rows,) proximity to the nearest prototype of the row's own class
    right: NDArray[np.bool_]  # (n_rows,) the nearest prototype has the row's class


class _Effects(NamedTuple):
    """What adding each candidate would change."""

    won: NDArray[np.int64]  # (n_candidates,) rows of the candidate's class that it would set right
    lost: NDArray[np.int64]  # (n_candidates, n_classes) rows of other classes that it would set wrong
    gains: NDArray[np.int64]  # (n_candidates,) what it would add to g


class _Classifier:
    """The nearest-prototype classifier so far, and what each candidate would change about it."""

    def __init__(
        self,
        table: LeafTable,
        weights: NDArray[np.int64],
        candidate_classes: NDArray[np.int64],
        candidates: NDArray[np.int64],
        evaluated: EvaluatedRows,
        report_rounds: Callable[[float], None],
    ) -> None:
        n, m, n_evaluated = table.n_rows, len(candidates), len(evaluated.classes)
        _, numbers = np.unique(np.concatenate([evaluated.classes, candidate_classes]), return_inverse=True)
        self._classes = np.full(n, -1, dtype=np.int64)  # of the evaluated rows, which are the last ones
        self._classes[n - n_evaluated :] = numbers[:n_evaluated]
        self._own = numbers[n_evaluated:]
        self._n_classes = int(numbers.max()) + 1
        sizes = np.bincount(numbers[:n_evaluated], minlength=self._n_classes)
        # What a row that is given its class adds to the measure: one over these.
        self._sizes = sizes if evaluated.metric == "balanced_accuracy" else np.full(self._n_classes, n_evaluated)
        self._table, self._weights, self._candidates = table, weights, candidates
        compared = Count()
        self._sweep = sweep_over(
            table, weights, np.arange(n), lambda: report_rounds(compared.n / n_evaluated / m), compared
        )
        self._now = _Nearness(np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_))
        lost = np.zeros((m, self._n_classes), dtype=np.int64)
        self._effects = _Effects(np.zeros(m, dtype=np.int64), lost, np.zeros(m, dtype=np.int64))

    def count_first(self) -> None:
        """Count what each candidate would change while there is no prototype: it wins all that share a leaf with it."""
        for value in range(self._n_classes):
            same_class, rows = np.flatnonzero(self._own == value), np.flatnonzero(self._classes == value)
            if not len(same_class) or not len(rows):
                continue
            candidates = self._candidates[same_class]
            n_near, proximities = self._sweep.tally(candidates, rows, np.zeros((1, len(rows)), dtype=np.int64))
            self._effects.won[same_class] = n_near[0]
            self._effects.gains[same_class] = proximities[0]

    def add(self, candidate: int) -> None:
        """Add a prototype, and correct all candidates' effects."""
        row = int(self._candidates[candidate])
        near = column(self._table, self._weights, row).astype(np.int64)
        before, same_class = self._now, self._classes == self._own[candidate]
        taken = near > before.nearest
        self._now = _Nearness(
            np.maximum(before.nearest, near),
            np.where(same_class, np.maximum(before.covered, near), before.covered),
            np.where(taken, same_class, before.right),
        )
        changed = taken | (before.covered != self._now.covered)
        for value in range(self._n_classes):
            rows = np.flatnonzero(changed & (self._classes == value))
            if len(rows):
                self._recount(value, rows, before)

    def _recount(self, value: int, rows: NDArray[np.int64], before: _Nearness) -> None:
        """Take out what rows of one class contributed before, and put in what they contribute now."""
        now, effects = self._now, self._effects
        same_class, others = np.flatnonzero(self._own == value), np.flatnonzero(self._own != value)
        if len(same_class):
            limits = [_limits(state, rows, right=False) for state in (now, before)]
            limits += [state.covered[rows] for state in (now, before)]
            counts, excesses = self._sweep.tally(self._candidates[same_class], rows, np.stack(limits))
            effects.won[same_class] += counts[0] - counts[1]
            effects.gains[same_class] += excesses[2] - excesses[3]
        limits = [_limits(state, rows, right=True) for state in (now, before)]
        counts, _ = self._sweep.tally(self._candidates[others], rows, np.stack(limits))
        effects.lost[others, value] += counts[0] - counts[1]

    def best_candidate(self, agrees: NDArray[np.bool_] | None) -> int | None:
        """Return the position of the candidate to add, or ``None`` if none raises the measure."""
        shares = 1 / np.maximum(self._sizes, 1)
        raised = self._effects.won * shares[self._own] - self._effects.lost @ shares
        close = np.flatnonzero(raised >= max(raised.max(), 0) - _ROUNDING)
        changes = -self._effects.lost[close]
        changes[np.arange(len(close)), self._own[close]] = self._effects.won[close]
        distinct, which = np.unique(changes, axis=0, return_inverse=True)
        exact = [self._measure(change) for change in distinct.tolist()]
        best = max(exact, default=Fraction(0))
        if best <= 0:
            return None
        tied = close[np.array([value == best for value in exact])[which.ravel()]]
        gains = self._effects.gains[tied]
        equal = tied[gains == gains.max()]
        preceding = equal if agrees is None else equal[agrees[equal]]
        return int(preceding[0] if len(preceding) else equal[0])  # the first one is the lowest row

    def _measure(self, n_right: list[int]) -> Fraction:
        """Sum of shares rather than their mean: the number of classes does not matter to a comparison."""
        sizes = self._sizes.tolist()
        return sum((Fraction(n, size) for n, size in zip(n_right, sizes, strict=True) if n), Fraction(0))


def _limits(state: _Nearness, rows: NDArray[np.int64], *, right: bool) -> NDArray[np.int64]:
    """Return how near a candidate must come to take rows that are classified right, or those that are not."""
    return np.where(state.right[rows] == right, state.nearest[rows], _INFINITELY_NEAR)
