"""OrderedTests: an ensemble's statements, whose gains at a node are read off sums over bins, feature by feature."""

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..compute.threads import in_threads
from ..questions.binned_rows import BinnedRows, Bins, Layout
from .few_rows import NodeRows, best_of_few, next_cuts
from .information_gain import Units, entropy, gain_of, highest

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
