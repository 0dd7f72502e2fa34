"""Supervised greedy selection (SG): the prototypes that classify best, one after the other.

Tan et al. (2020), "Supervised Greedy Prototype Selection". Balanced accuracy is not submodular, so no candidate may
be passed over. But a candidate's effect changes only through rows whose nearest prototype changed: counts are kept
for each candidate and corrected for those rows alone, a block of rows against all candidates at a time.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compiled import compiled
from ..leaves import LeafTable
from ..progress import ReportProgress, ignore_progress
from ..proximity import columns, rows_per_block

_INFINITELY_NEAR = 2**62
_ROWS_BETWEEN_REPORTS = 512
_ROUNDING = 1e-9  # far above what sums of a few thousand float64 shares can be wrong by


def supervised_greedy(
    table: LeafTable,
    weights: NDArray[np.int64],
    classes: NDArray[np.int64],
    candidates: NDArray[np.int64],
    report: ReportProgress = ignore_progress,
) -> Iterator[int]:
    """Yield the row that raises the balanced accuracy of the nearest-prototype classifier most, until none does.

    The classifier gives a row the class of the nearest prototype (ties: the earlier one) and no class if it shares no
    leaf with any; balanced accuracy is the mean, over the classes that have rows, of the share of rows given their
    own class. Ties, compared exactly, go to the row of larger gain in g (see ``coverage``), then to the lowest row.

    Parameters
    ----------
    table, weights
        All rows, which are candidates as well, and what each tree counts.
    classes : (n_rows,) int64
        Class of each row, 0 or more.
    report
        Told about the rows worked through in the first, longest pass and after.
    """
    state = _Classifier(table, weights, classes, candidates)
    state.revise(np.arange(table.n_rows), report)
    while (candidate := state.best_candidate()) is not None:
        state.revise(state.add(candidate), report)
        yield candidate


class _Nearness(NamedTuple):
    """How near the prototypes are to each row."""

    nearest: NDArray[np.int64]  # (n_rows,) proximity to the nearest prototype
    covered: NDArray[np.int64]  # (n_rows,) proximity to the nearest prototype of the row's own class
    right: NDArray[np.bool_]  # (n_rows,) the nearest prototype has the row's class


class _Effects(NamedTuple):
    """What adding each candidate would change."""

    won: NDArray[np.int64]  # (n_rows,) rows of the candidate's class that it would set right
    lost: NDArray[np.int32]  # (n_rows, n_classes) rows of other classes that it would set wrong
    gains: NDArray[np.int64]  # (n_rows,) what it would add to g


class _Classifier:
    """The nearest-prototype classifier so far, and what each candidate would change about it."""

    def __init__(
        self,
        table: LeafTable,
        weights: NDArray[np.int64],
        classes: NDArray[np.int64],
        candidates: NDArray[np.int64],
    ) -> None:
        _, self._classes, self._sizes = np.unique(classes, return_inverse=True, return_counts=True)
        self._table, self._weights, self._candidates = table, weights, candidates
        n = table.n_rows
        self._now = _Nearness(np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_))
        # What the effects were counted from. No candidate is nearer than infinitely near: nothing is counted yet.
        self._counted = _Nearness(np.full(n, _INFINITELY_NEAR), np.full(n, _INFINITELY_NEAR), self._now.right.copy())
        lost = np.zeros((n, len(self._sizes)), dtype=np.int32)
        self._effects = _Effects(np.zeros(n, dtype=np.int64), lost, np.zeros(n, dtype=np.int64))

    def add(self, prototype: int) -> NDArray[np.int64]:
        """Add a prototype and return the rows for which that changed anything."""
        column = columns(self._table, self._weights, self._table.leaves_of(np.array([prototype])))[0]
        same_class = self._classes == self._classes[prototype]
        taken = column > self._now.nearest
        nearer = same_class & (column > self._now.covered)
        self._now.right[taken] = same_class[taken]
        self._now.nearest[taken] = column[taken]
        self._now.covered[nearer] = column[nearer]
        return np.flatnonzero(taken | nearer)

    def revise(self, rows: NDArray[np.int64], report: ReportProgress) -> None:
        """Correct all candidates' effects for these rows."""
        block = min(rows_per_block(self._table.n_rows), _ROWS_BETWEEN_REPORTS)
        for start in range(0, len(rows), block):
            report(start / len(rows), "comparing candidates")
            part = rows[start : start + block]
            shared = columns(self._table, self._weights, self._table.leaves_of(part))
            _recount(part, shared, self._classes, self._counted, self._now, self._effects)
            for counted, now in zip(self._counted, self._now, strict=True):
                counted[part] = now[part]

    def best_candidate(self) -> int | None:
        """Return the row to add, or ``None`` if none raises balanced accuracy."""
        shares = 1 / self._sizes
        raised = self._effects.won * shares[self._classes] - self._effects.lost @ shares
        raised = raised[self._candidates]
        close = self._candidates[raised >= max(raised.max(), 0) - _ROUNDING]
        changes = -self._effects.lost[close].astype(np.int64)
        changes[np.arange(len(close)), self._classes[close]] = self._effects.won[close]
        distinct, which = np.unique(changes, axis=0, return_inverse=True)
        exact = [self._balanced_accuracy(change) for change in distinct.tolist()]
        best = max(exact, default=Fraction(0))
        if best <= 0:
            return None
        tied = close[np.array([value == best for value in exact])[which.ravel()]]
        return int(tied[self._effects.gains[tied].argmax()])  # the first of equal ones is the lowest row

    def _balanced_accuracy(self, n_right: list[int]) -> Fraction:
        """Sum of shares rather than their mean: the number of classes does not matter to a comparison."""
        sizes = self._sizes.tolist()
        return sum((Fraction(n, size) for n, size in zip(n_right, sizes, strict=True) if n), Fraction(0))


@compiled
def _recount(
    rows: NDArray[np.int64],
    shared: NDArray[Any],
    classes: NDArray[np.int64],
    before: _Nearness,
    now: _Nearness,
    effects: _Effects,
) -> None:
    """Take out what these rows contributed to each candidate before, and put in what they contribute now."""
    for line in range(len(rows)):
        row = rows[line]
        row_class = classes[row]
        for candidate in range(shared.shape[1]):
            proximity = np.int64(shared[line, candidate])
            wins_before = proximity > before.nearest[row]
            wins_now = proximity > now.nearest[row]
            if classes[candidate] == row_class:
                effects.won[candidate] += int(wins_now and not now.right[row])
                effects.won[candidate] -= int(wins_before and not before.right[row])
                effects.gains[candidate] += max(0, proximity - now.covered[row])
                effects.gains[candidate] -= max(0, proximity - before.covered[row])
            else:
                effects.lost[candidate, row_class] += int(wins_now and now.right[row])
                effects.lost[candidate, row_class] -= int(wins_before and before.right[row])
