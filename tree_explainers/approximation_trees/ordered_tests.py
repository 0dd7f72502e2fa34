"""OrderedTests: the gains of an ensemble's statements."""

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..compute.threads import in_threads
from ..questions.binned_rows import BinnedRows, Bins, Layout
from .information_gain import Units, entropy, gain_of, highest

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


_BINS_OF_A_ROW = 4  # a node is small where so many bins of a feature come upon a row
_CELLS_OF_A_THREAD = 50_000  # rows x features: a millisecond or so, several times what it takes to start one


class OrderedTests:
    """The statements of an ensemble as tests of binned rows; a test is known by its place among the statements.

    Of a number, all rows are counted once into the bins between its cuts; the sums on both sides of every cut follow
    from running sums. So a node takes rows x features + bins, whatever the number of statements.
    """

    def __init__(self, binned: BinnedRows, n_threads: int | None = None) -> None:
        self._binned = binned
        self._layout = Layout.of(binned.statements)
        self._next_cuts = next_cuts(self._layout)
        self._n_threads = n_threads

    @property
    def n_tests(self) -> int:
        """How many there are."""
        return self._layout.n_statements

    def gains(self, rows: NDArray[np.int64], units: Units, min_samples_leaf: int) -> NDArray[np.float64]:
        """Return what each statement tells of the classes of some rows, in bits; see ``Tests.gains``."""
        gains = np.zeros(self.n_tests)
        own = np.ascontiguousarray(units[rows])
        totals = own.sum(axis=0)
        work = partial(self._add_gains, NodeRows(rows, own, totals, entropy(totals), min_samples_leaf), gains)
        n_features = len(self._binned.bins)
        if len(rows) * n_features < 2 * _CELLS_OF_A_THREAD:
            work(slice(0, n_features))
        else:
            in_threads(work, n_features, self._n_threads)
        return gains

    def best(self, rows: NDArray[np.int64], units: Units, min_samples_leaf: int) -> tuple[int, float]:
        """Return the statement of the highest gain, and its gain; see ``Tests.best``.

        In small nodes it takes time by the rows, not by the statements about numbers.
        """
        if len(rows) * len(self._binned.bins) * _BINS_OF_A_ROW >= int(self._layout.bin_starts[-1]):
            return highest(self.gains(rows, units, min_samples_leaf))
        own = np.ascontiguousarray(units[rows])
        totals = own.sum(axis=0)
        node = NodeRows(rows, own, totals, entropy(totals), min_samples_leaf)
        best, gain = best_of_few(self._layout, self._next_cuts, self._binned.bins, node)
        return int(best), float(gain)

    def _add_gains(self, node: NodeRows, gains: NDArray[np.float64], features: slice) -> None:
        _fill_gains(self._layout, self._binned.bins, node, features.start, features.stop, gains)

    def holds(self, test: int, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return for which of these rows a statement is true, (n_own,)."""
        feature = self.feature_of(test)
        about, own = self._binned.statements.features[feature], test - int(self._layout.statement_starts[feature])
        bins = self._binned.bins[feature, rows]
        if about.answers is not None:
            return np.asarray(about.answers[own, bins], np.bool_)
        return np.asarray(np.where(bins == about.missing_bin, about.missing_greater[own], bins > own), np.bool_)

    def feature_of(self, test: int) -> int:
        """Return the position of the feature that a statement is about."""
        return int(np.searchsorted(self._layout.statement_starts, test, side="right")) - 1


class _Bins(NamedTuple):
    """The rows of a node by the bin of one feature."""

    counts: NDArray[np.int64]  # (n_bins,)
    sums: Units  # (n_bins, n_classes)


@compiled
def _fill_gains(
    layout: Layout, bins: Bins, node: NodeRows, first_feature: int, end_feature: int, gains: NDArray[np.float64]
) -> None:
    """Write the gains of the statements of some features."""
    for feature in range(first_feature, end_feature):
        own = _binned(bins[feature], layout.bin_starts[feature + 1] - layout.bin_starts[feature], node)
        first, end = layout.statement_starts[feature], layout.statement_starts[feature + 1]
        if layout.is_number[feature]:
            _fill_number(layout.missing_greater[first:end], True, own, node, gains[first:end])  # noqa: FBT003
            _fill_number(layout.missing_greater[first:end], False, own, node, gains[first:end])  # noqa: FBT003
        else:
            answers = layout.answers[layout.answer_starts[feature] : layout.answer_starts[feature + 1]]
            _fill_category(answers, own, node, gains[first:end])


@compiled
def _binned(bins: Bins, n_bins: int, node: NodeRows) -> _Bins:
    n_classes = node.units.shape[1]
    counts, sums = np.zeros(n_bins, np.int64), np.zeros((n_bins, n_classes), np.int64)
    for at in range(len(node.rows)):
        own = bins[node.rows[at]]
        counts[own] += 1
        for label in range(n_classes):
            sums[own, label] += node.units[at, label]
    return _Bins(counts, sums)


@compiled
def _fill_number(
    missing_greater: NDArray[np.bool_],
    side: bool,  # noqa: FBT001  # numba takes arguments by position
    own: _Bins,
    node: NodeRows,
    gains: NDArray[np.float64],
) -> None:
    """Write the gains of the cuts above which missing values are (``side``), or below which they are."""
    n_rows, missing = len(node.rows), len(gains) + 1
    below, above = np.zeros_like(node.totals), node.totals.copy()
    n_below, last, gain = 0, -1, 0.0
    if not side:
        n_below += own.counts[missing]
        below += own.sums[missing]
        above -= own.sums[missing]
    for cut in range(len(gains)):
        if own.counts[cut]:
            n_below += own.counts[cut]
            for label in range(len(below)):
                below[label] += own.sums[cut, label]
                above[label] -= own.sums[cut, label]
        if missing_greater[cut] == side:
            if n_below != last:  # otherwise it parts the rows as the cut before it does
                is_allowed = n_below >= node.least and n_rows - n_below >= node.least
                gain = gain_of(node.entropy, n_below, below, n_rows - n_below, above) if is_allowed else 0.0
                last = n_below
            gains[cut] = gain


@compiled
def _fill_category(answers: NDArray[np.bool_], own: _Bins, node: NodeRows, gains: NDArray[np.float64]) -> None:
    n_bins, n_rows = len(own.counts), len(node.rows)
    yes = np.empty_like(node.totals)
    for statement in range(len(gains)):
        n_yes = 0
        yes[:] = 0
        for at in range(n_bins):
            if answers[statement * n_bins + at]:
                n_yes += own.counts[at]
                yes += own.sums[at]
        if n_yes >= node.least and n_rows - n_yes >= node.least:
            gains[statement] = gain_of(node.entropy, n_yes, yes, n_rows - n_yes, node.totals - yes)
