"""Variances of differences of gains where products of answers take too much room to be summed in all bins at once."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.threads import in_threads
from .candidate_sweeps import Floats, sweep_variances
from .candidates import Candidates
from .split_sums import MOST_BYTES, Bins, SplitSums, add_rows_between

SidedRows = tuple[Bins, NDArray[np.floating[Any]], NDArray[np.uint8]]
"""Pseudo rows: bins by feature, answers (n_rows, n_targets), and 1 where the best candidate sends a row left."""


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Some bins of one feature that follow each other."""

    feature: int
    first: int  # bin
    by_bin: Floats  # (n_bins + 1, 2, n_terms) with products; the last is the missing value's


def variances_by_rows(sums: SplitSums, of_best: Floats, rows: Iterable[SidedRows]) -> Floats:
    """Return Var(psi_best - psi) of each candidate, (n_candidates,).

    Parameters
    ----------
    of_best : (2, n_targets)
        Mean answers on the right and on the left of the best.
    rows
        All pseudo rows in pieces, which are gone through several times: each time products are summed for as many bins
        as take no more than ``MOST_BYTES``.
    """
    totals = _totals(sums.n_targets, rows)
    running = np.zeros((len(sums.by_bin), *totals.shape))
    found: list[list[Floats]] = [[] for _ in sums.by_bin]
    for stretches in _stretches(sums, totals.size):
        for piece in rows:
            in_threads(partial(_add, sums.candidates, stretches, piece), len(stretches))
        for each in stretches:
            own = sums.candidates.features[each.feature].sends
            found[each.feature].append(
                sweep_variances(each.by_bin, each.first, running[each.feature], (totals, of_best), own)
            )
    return np.concatenate(list(chain.from_iterable(found)))


def _totals(n_targets: int, rows: Iterable[SidedRows]) -> Floats:
    """Return the terms of all rows by side of the best, (2, n_terms)."""
    products, lower = np.zeros((2, n_targets + 1, n_targets + 1)), np.tril_indices(n_targets)
    for _, answers, sides in rows:
        with_one = np.column_stack((np.ones(len(answers)), answers))
        for side in (0, 1):
            own = with_one[sides == side]
            products[side] += own.T @ own
    return np.array([np.concatenate((own[0], own[1:, 1:][lower])) for own in products])


def _stretches(sums: SplitSums, n_numbers: int) -> Iterator[list[_Stretch]]:
    """Cut the bins of all features into stretches, as many at a time as there is room for."""
    most, room, together = max(1, MOST_BYTES // (8 * n_numbers)), 0, list[_Stretch]()
    shape = (2, n_numbers // 2)
    for at, feature in enumerate(sums.candidates.features):
        for first in range(0, feature.n_bins, most):
            length = min(most, feature.n_bins - first)
            if together and room + length > most:
                yield together
                room, together = 0, []
            together.append(_Stretch(at, first, np.zeros((length + 1, *shape))))
            room += length
    yield together


def _add(candidates: Candidates, stretches: list[_Stretch], piece: SidedRows, some: slice) -> None:
    bins, answers, sides = piece
    for each in stretches[some]:
        missing_bin = candidates.features[each.feature].n_bins - 1
        add_rows_between(bins[each.feature], answers, sides, (each.first, missing_bin), each.by_bin)
