"""The best statement at a node that few rows reach: time goes with the rows, however many statements there are."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..questions.binned_rows import Bins, Layout
from .information_gain import Units, gain_of

Integers = NDArray[np.int64]


class NodeRows(NamedTuple):
    """The rows of a node, and what is known of them together, as compiled loops take it."""

    rows: Integers
    units: Units  # (n_own, n_classes)
    totals: Units  # (n_classes,)
    entropy: float
    least: int  # rows on each side of a test


class _Occupied(NamedTuple):
    """The rows of a node by those bins of one feature in which there are some."""

    bins: Integers  # (n_occupied,) ascending
    counts: Integers  # (n_occupied,)
    sums: Units  # (n_occupied, n_classes)


def next_cuts(layout: Layout) -> NDArray[np.int32]:
    """Return for each cut of a number the first from it on of which a missing value is not greater, and is.

    Returns
    -------
    (2, n_statements) int32
        Counted within the feature; the number of its cuts where there is none.
    """
    found = np.zeros((2, layout.n_statements), np.int32)
    for first, end in zip(layout.statement_starts[:-1], layout.statement_starts[1:], strict=True):
        for side in (0, 1):
            own = np.where(layout.missing_greater[first:end] == side, np.arange(end - first), end - first)
            found[side, first:end] = np.minimum.accumulate(own[::-1])[::-1]
    return found


@compiled
def best_of_few(layout: Layout, cuts: NDArray[np.int32], bins: Bins, node: NodeRows) -> tuple[int, float]:
    """Return the statement of the highest gain and its gain, as ``Tests.best``; ``cuts`` are those of ``next_cuts``."""
    best, highest = -1, 0.0
    for feature in range(bins.shape[0]):
        first, end = layout.statement_starts[feature], layout.statement_starts[feature + 1]
        own = _occupied(bins[feature], node)
        if layout.is_number[feature]:
            at, gain = _best_cut(cuts[:, first:end], own, node)
        else:
            answers = layout.answers[layout.answer_starts[feature] : layout.answer_starts[feature + 1]]
            n_bins = layout.bin_starts[feature + 1] - layout.bin_starts[feature]
            at, gain = _best_answer(answers.reshape(-1, n_bins), own, node)
        if gain > highest:  # ties go to the earlier statement
            best, highest = first + at, gain
    return best, highest


@compiled
def _occupied(bins: Bins, node: NodeRows) -> _Occupied:
    n_rows, n_classes = node.units.shape
    own = np.empty(n_rows, np.int64)
    for at in range(n_rows):
        own[at] = bins[node.rows[at]]
    found, counts = np.empty(n_rows, np.int64), np.zeros(n_rows, np.int64)
    sums = np.zeros((n_rows, n_classes), np.int64)
    n_found = 0
    for at in np.argsort(own):
        if n_found == 0 or found[n_found - 1] != own[at]:
            found[n_found] = own[at]
            n_found += 1
        counts[n_found - 1] += 1
        for label in range(n_classes):
            sums[n_found - 1, label] += node.units[at, label]
    return _Occupied(found[:n_found], counts[:n_found], sums[:n_found])


@compiled
def _best_cut(cuts: NDArray[np.int32], own: _Occupied, node: NodeRows) -> tuple[int, float]:
    """Return the best cut of a number: all cuts between neighbouring bins with rows part the rows alike."""
    best, highest = -1, 0.0
    n_rows, n_cuts, n_known = len(node.rows), cuts.shape[1], len(own.bins)
    has_missing = n_known > 0 and own.bins[n_known - 1] == n_cuts + 1
    n_known -= has_missing
    below, above = np.empty_like(node.totals), np.empty_like(node.totals)
    for side in range(2):
        n_below, first = 0, 0
        below[:], above[:] = 0, node.totals
        if side == 0 and has_missing:  # missing values are below
            n_below += own.counts[n_known]
            below += own.sums[n_known]
            above -= own.sums[n_known]
        for at in range(n_known + 1):
            end = min(own.bins[at], n_cuts) if at < n_known else n_cuts
            cut = cuts[side, first] if first < n_cuts else n_cuts
            if cut < end and n_below >= node.least and n_rows - n_below >= node.least:
                gain = gain_of(node.entropy, n_below, below, n_rows - n_below, above)
                if gain > highest or (gain == highest and cut < best):
                    best, highest = cut, gain
            if at < n_known:
                n_below += own.counts[at]
                below += own.sums[at]
                above -= own.sums[at]
                first = own.bins[at]
    return best, highest


@compiled
def _best_answer(answers: NDArray[np.bool_], own: _Occupied, node: NodeRows) -> tuple[int, float]:
    """Return the best statement about a category, given the answers by statement and bin."""
    best, highest = -1, 0.0
    n_rows, yes = len(node.rows), np.empty_like(node.totals)
    for statement in range(len(answers)):
        n_yes = 0
        yes[:] = 0
        for at in range(len(own.bins)):
            if answers[statement, own.bins[at]]:
                n_yes += own.counts[at]
                yes += own.sums[at]
        if n_yes >= node.least and n_rows - n_yes >= node.least:
            gain = gain_of(node.entropy, n_yes, yes, n_rows - n_yes, node.totals - yes)
            if gain > highest:
                best, highest = statement, gain
    return best, highest
