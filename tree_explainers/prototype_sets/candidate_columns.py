"""Proximities of a few candidates to all rows, held at once: for choosing again and again among the same few.

Where leaves are tried, some hundred candidates are compared with some thousand rows, in one set of leaves after the
other. All their proximities take megabytes (``widening_columns`` finds them). From them follow the choice, what it
covers, and each row's nearest prototype, and no leaves are compared again.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..compute.progress import Tick


@dataclass(frozen=True, slots=True, eq=False)
class CandidateColumns:
    """The proximity of each candidate to each row: the number of trees that count and in which they share a leaf."""

    candidates: NDArray[np.int64]  # (n_candidates,) rows, ascending
    proximities: NDArray[np.uint16]  # (n_rows, n_candidates)

    def of_rows(self, rows: NDArray[np.int64]) -> Iterator[NDArray[np.uint16]]:
        """Yield the proximities of one candidate after the other to all rows, (n_rows,); ``rows`` are candidates."""
        for index in np.searchsorted(self.candidates, rows).tolist():
            yield self.proximities[:, index].copy()

    def largest(self, rows: NDArray[np.int64]) -> NDArray[np.uint16]:
        """Return the proximity of each row to the nearest of some candidates, (n_rows,)."""
        return np.asarray(self.proximities[:, np.searchsorted(self.candidates, rows)].max(axis=1))


class ColumnCoverage:
    """g restricted to the rows of one class, as ``coverage.ClassCoverage`` has it, from proximities that are known.

    Parameters
    ----------
    columns
        Of all candidates to all rows: nothing of them is copied.
    rows, candidates : (n_rows,), (n_candidates,) int64
        The rows of the class, and the candidates that are of it.
    tick
        Called after each prototype; may raise to stop.
    """

    def __init__(
        self, columns: CandidateColumns, rows: NDArray[np.int64], candidates: NDArray[np.int64], tick: Tick
    ) -> None:
        self._proximities, self._rows, self._tick = columns.proximities, rows, tick
        self._indices = np.searchsorted(columns.candidates, candidates)
        self._covered = np.zeros(len(rows), dtype=np.uint16)
        self.n_at_once = len(candidates)

    def first_gains(self) -> NDArray[np.int64]:
        """Return each candidate's gain while there is no prototype."""
        return self.gains(np.arange(len(self._indices)))

    def gains(self, items: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return by how much g would grow if each of these candidates alone became a prototype."""
        highest = np.full_like(self._covered, np.iinfo(np.uint16).max)
        return self._losses(self._covered, highest)[items]

    def add(self, item: int, exact_items: NDArray[np.int64]) -> NDArray[np.int64]:
        """Make this candidate a prototype; return the losses of some candidates' gains."""
        near = self._proximities[self._rows, self._indices[item]]
        before, self._covered = self._covered, np.maximum(self._covered, near)
        self._tick()
        return self._losses(before, self._covered)[exact_items]

    def _losses(self, before: NDArray[np.uint16], now: NDArray[np.uint16]) -> NDArray[np.int64]:
        losses = np.zeros(self._proximities.shape[1], dtype=np.int64)
        _add_losses(self._proximities, self._rows, before, now, losses)
        return losses[self._indices]


@compiled
def _add_losses(
    proximities: NDArray[np.uint16],
    rows: NDArray[np.int64],
    before: NDArray[np.uint16],
    now: NDArray[np.uint16],
    losses: NDArray[np.int64],
) -> None:
    """Add what each candidate gains less of rows that are covered otherwise than before.

    Candidates of other classes are added up as well: leaving them out would take longer.
    """
    for index in range(len(rows)):
        if before[index] == now[index]:
            continue
        line, low, high = proximities[rows[index]], np.int32(before[index]), np.int32(now[index])
        for candidate in range(len(line)):
            losses[candidate] += min(max(np.int32(line[candidate]), low), high) - low
