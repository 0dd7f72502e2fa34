"""OrderedTests: an ensemble's statements as tests, whose gains follow from sums over bins, feature by feature.

The statements about a number are cuts in ascending order. In large nodes rows are counted into the bins between cuts,
and running sums give all gains. In small nodes the rows are sorted by bin instead: only cuts between neighbouring rows
differ, so time depends on the rows, not on the number of statements.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, compiled_for_loops
from ..compute.threads import in_threads
from ..questions.binned_rows import BinnedRows, Bins, Layout
from .information_gain import GAIN, Units, gain_of, highest, impurity

_BINS_OF_A_ROW = 4  # a node is small if it has this many bins of a feature per row
_CELLS_OF_A_THREAD = 50_000  # rows x features: about a millisecond, several times the cost of starting one

Integers = NDArray[np.int64]


class NodeSums(NamedTuple):
    """What is summed up over the rows of a node, as arguments of compiled loops."""

    n_rows: int
    totals: Units  # (n_classes,)
    impurity: float
    least: int  # rows on each side of a test
    criterion: int  # of gains

    @staticmethod
    def of(n_rows: int, totals: Units, min_samples_leaf: int, criterion: int) -> "NodeSums":
        """Return the sums of a node."""
        return NodeSums(n_rows, totals, impurity(criterion, totals), min_samples_leaf, criterion)


class NodeRows(NamedTuple):
    """The rows of a node and their sums."""

    rows: Integers
    units: Units  # (n_own, n_classes)
    sums: NodeSums


class OrderedTests:
    """The statements of an ensemble as tests of binned rows; a test is known by its index among the statements.

    For a number, all rows are counted once into the bins between its cuts; the sums on both sides of every cut follow
    from running sums. So the time for a node is proportional to rows x features + bins.
    """

    def __init__(self, binned: BinnedRows, n_threads: int | None = None, criterion: int = GAIN) -> None:
        self._binned, self._criterion = binned, criterion
        self._layout = Layout.of(binned.statements)
        self._next_cuts = next_cuts(self._layout)
        self._n_threads = n_threads

    @property
    def n_tests(self) -> int:
        """Number of statements."""
        return self._layout.n_statements

    def gains(self, rows: NDArray[np.int64], units: Units, min_samples_leaf: int) -> NDArray[np.float64]:
        """Return the gain of each statement on some rows; see ``Tests.gains``."""
        gains = np.zeros(self.n_tests)
        work = partial(self._add_gains, self.node(rows, units, min_samples_leaf), gains)
        n_features = len(self._binned.bins)
        if len(rows) * n_features < 2 * _CELLS_OF_A_THREAD:
            work(slice(0, n_features))
        else:
            in_threads(work, n_features, self._n_threads)
        return gains

    def best(self, rows: NDArray[np.int64], units: Units, min_samples_leaf: int) -> tuple[int, float]:
        """Return the statement of the highest gain, and its gain; see ``Tests.best``.

        In small nodes the time depends on the rows, not on the number of statements about numbers.
        """
        if len(rows) * len(self._binned.bins) * _BINS_OF_A_ROW >= int(self._layout.bin_starts[-1]):
            return highest(self.gains(rows, units, min_samples_leaf))
        node = self.node(rows, units, min_samples_leaf)
        best, gain = best_in_small_node(self._layout, self._next_cuts, self._binned.bins, node)
        return int(best), float(gain)

    def node(self, rows: NDArray[np.int64], units: Units, min_samples_leaf: int) -> NodeRows:
        """Return the rows of a node and their sums; see ``Tests.gains``."""
        node_units = np.ascontiguousarray(units[rows])
        return NodeRows(
            rows, node_units, NodeSums.of(len(rows), node_units.sum(axis=0), min_samples_leaf, self._criterion)
        )

    def _add_gains(self, node: NodeRows, gains: NDArray[np.float64], features: slice) -> None:
        _fill_gains(self._layout, self._binned.bins, node, features.start, features.stop, gains)

    def holds(self, test: int, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return for which of these rows a statement is true, (n_own,)."""
        feature = self.feature_of(test)
        statement = test - int(self._layout.statement_starts[feature])
        return self._binned.statements.features[feature].holds(statement, self._binned.bins[feature, rows])

    def feature_of(self, test: int) -> int:
        """Return the index of the feature that a statement is about."""
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
        binned = _binned(bins[feature], layout.bin_starts[feature + 1] - layout.bin_starts[feature], node)
        _fill_feature(layout, feature, binned, node.sums, gains)


@compiled
def fill_gains_of_bins(
    layout: Layout, counts: Integers, sums: Units, node: NodeSums, gains: NDArray[np.float64]
) -> None:
    """Write the gains of all statements, given the rows of all bins, (n_bins,), and their sums, (n_bins, n_classes)."""
    for feature in range(len(layout.is_number)):
        first, end = layout.bin_starts[feature], layout.bin_starts[feature + 1]
        _fill_feature(layout, feature, _Bins(counts[first:end], sums[first:end]), node, gains)


@compiled
def count_bins(  # compiled code takes arrays
    bin_starts: Integers, bins: Bins, rows: Integers, units: Units, counts: Integers, sums: Units
) -> None:
    """Add each of some rows to its bin of each feature: to ``counts``, (n_bins,), and to ``sums``, (n_bins, n_classes).

    ``units`` are those of all rows that ``bins``, (n_features, n_rows), are of.
    """
    for feature in range(bins.shape[0]):
        first = bin_starts[feature]
        for row in rows:
            bin_ = first + bins[feature, row]
            counts[bin_] += 1
            for label in range(units.shape[1]):
                sums[bin_, label] += units[row, label]


@compiled_for_loops
def _fill_feature(layout: Layout, feature: int, binned: _Bins, node: NodeSums, gains: NDArray[np.float64]) -> None:
    first, end = layout.statement_starts[feature], layout.statement_starts[feature + 1]
    if layout.is_number[feature]:
        _fill_number(layout.missing_greater[first:end], True, binned, node, gains[first:end])  # noqa: FBT003
        _fill_number(layout.missing_greater[first:end], False, binned, node, gains[first:end])  # noqa: FBT003
    else:
        answers = layout.answers[layout.answer_starts[feature] : layout.answer_starts[feature + 1]]
        _fill_category(answers, binned, node, gains[first:end])


@compiled_for_loops
def _binned(bins: Bins, n_bins: int, node: NodeRows) -> _Bins:
    n_classes = node.units.shape[1]
    counts, sums = np.zeros(n_bins, np.int64), np.zeros((n_bins, n_classes), np.int64)
    for row in range(len(node.rows)):
        bin_ = bins[node.rows[row]]
        counts[bin_] += 1
        for label in range(n_classes):
            sums[bin_, label] += node.units[row, label]
    return _Bins(counts, sums)


@compiled_for_loops
def _fill_number(
    missing_greater: NDArray[np.bool_],
    side: bool,  # numba takes arguments by position
    binned: _Bins,
    node: NodeSums,
    gains: NDArray[np.float64],
) -> None:
    """Write the gains of the cuts with missing values above (``side``), or of those with missing values below."""
    n_rows, missing = node.n_rows, len(gains) + 1
    below, above = np.zeros_like(node.totals), node.totals.copy()
    n_below, last, gain = 0, -1, 0.0
    if not side:
        n_below += binned.counts[missing]
        below += binned.sums[missing]
        above -= binned.sums[missing]
    for cut in range(len(gains)):
        if binned.counts[cut]:
            n_below += binned.counts[cut]
            for label in range(len(below)):
                below[label] += binned.sums[cut, label]
                above[label] -= binned.sums[cut, label]
        if missing_greater[cut] == side:
            if n_below != last:  # otherwise it separates the rows as the previous cut does
                is_allowed = n_below >= node.least and n_rows - n_below >= node.least
                gain = (
                    gain_of(node.criterion, node.impurity, n_below, below, n_rows - n_below, above)
                    if is_allowed
                    else 0.0
                )
                last = n_below
            gains[cut] = gain


@compiled_for_loops
def _fill_category(answers: NDArray[np.bool_], binned: _Bins, node: NodeSums, gains: NDArray[np.float64]) -> None:
    n_bins, n_rows = len(binned.counts), node.n_rows
    yes = np.empty_like(node.totals)
    for statement in range(len(gains)):
        n_yes = 0
        yes[:] = 0
        for index in range(n_bins):
            if answers[statement * n_bins + index]:
                n_yes += binned.counts[index]
                yes += binned.sums[index]
        if n_yes >= node.least and n_rows - n_yes >= node.least:
            gains[statement] = gain_of(node.criterion, node.impurity, n_yes, yes, n_rows - n_yes, node.totals - yes)


def next_cuts(layout: Layout) -> NDArray[np.int32]:
    """Return for each cut of a number the next one, itself included, whose missing values are below, and above.

    Returns
    -------
    (2, n_statements) int32
        Indices within the feature; the number of its cuts if there is none.
    """
    following = np.zeros((2, layout.n_statements), np.int32)
    for first, end in zip(layout.statement_starts[:-1], layout.statement_starts[1:], strict=True):
        for side in (0, 1):
            indices = np.where(layout.missing_greater[first:end] == side, np.arange(end - first), end - first)
            following[side, first:end] = np.minimum.accumulate(indices[::-1])[::-1]
    return following


class _Occupied(NamedTuple):
    """The rows of a node by the bins of one feature that have any."""

    bins: Integers  # (n_occupied,) ascending
    counts: Integers  # (n_occupied,)
    sums: Units  # (n_occupied, n_classes)


@compiled
def best_in_small_node(layout: Layout, cuts: NDArray[np.int32], bins: Bins, node: NodeRows) -> tuple[int, float]:
    """Return the statement of the highest gain and its gain, as ``Tests.best``; ``cuts`` are those of ``next_cuts``."""
    best, highest = -1, 0.0
    for feature in range(bins.shape[0]):
        first, end = layout.statement_starts[feature], layout.statement_starts[feature + 1]
        occupied = _occupied(bins[feature], node)
        if layout.is_number[feature]:
            statement, gain = _best_cut(cuts[:, first:end], occupied, node.sums)
        else:
            answers = layout.answers[layout.answer_starts[feature] : layout.answer_starts[feature + 1]]
            n_bins = layout.bin_starts[feature + 1] - layout.bin_starts[feature]
            statement, gain = _best_answer(answers.reshape(-1, n_bins), occupied, node.sums)
        if gain > highest:  # ties go to the earlier statement
            best, highest = first + statement, gain
    return best, highest


@compiled_for_loops
def _occupied(bins: Bins, node: NodeRows) -> _Occupied:
    n_rows, n_classes = node.units.shape
    node_bins = np.empty(n_rows, np.int64)
    for row in range(n_rows):
        node_bins[row] = bins[node.rows[row]]
    bins_in_use, counts = np.empty(n_rows, np.int64), np.zeros(n_rows, np.int64)
    sums = np.zeros((n_rows, n_classes), np.int64)
    n_found = 0
    for row in np.argsort(node_bins):
        if n_found == 0 or bins_in_use[n_found - 1] != node_bins[row]:
            bins_in_use[n_found] = node_bins[row]
            n_found += 1
        counts[n_found - 1] += 1
        for label in range(n_classes):
            sums[n_found - 1, label] += node.units[row, label]
    return _Occupied(bins_in_use[:n_found], counts[:n_found], sums[:n_found])


@compiled_for_loops
def _best_cut(cuts: NDArray[np.int32], occupied: _Occupied, node: NodeSums) -> tuple[int, float]:
    """Return the best cut of a number: all cuts between neighbouring occupied bins separate the rows alike."""
    best, highest = -1, 0.0
    n_rows, n_cuts, n_known = node.n_rows, cuts.shape[1], len(occupied.bins)
    has_missing = n_known > 0 and occupied.bins[n_known - 1] == n_cuts + 1
    n_known -= has_missing
    below, above = np.empty_like(node.totals), np.empty_like(node.totals)
    for side in range(2):
        n_below, first = 0, 0
        below[:], above[:] = 0, node.totals
        if side == 0 and has_missing:  # missing values are below
            n_below += occupied.counts[n_known]
            below += occupied.sums[n_known]
            above -= occupied.sums[n_known]
        for index in range(n_known + 1):
            end = min(occupied.bins[index], n_cuts) if index < n_known else n_cuts
            cut = cuts[side, first] if first < n_cuts else n_cuts
            if cut < end and n_below >= node.least and n_rows - n_below >= node.least:
                gain = gain_of(node.criterion, node.impurity, n_below, below, n_rows - n_below, above)
                if gain > highest or (gain == highest and cut < best):
                    best, highest = cut, gain
            if index < n_known:
                n_below += occupied.counts[index]
                below += occupied.sums[index]
                above -= occupied.sums[index]
                first = occupied.bins[index]
    return best, highest


@compiled_for_loops
def _best_answer(answers: NDArray[np.bool_], occupied: _Occupied, node: NodeSums) -> tuple[int, float]:
    """Return the best statement about a category, given the answers by statement and bin."""
    best, highest = -1, 0.0
    n_rows, yes = node.n_rows, np.empty_like(node.totals)
    for statement in range(len(answers)):
        n_yes = 0
        yes[:] = 0
        for index in range(len(occupied.bins)):
            if answers[statement, occupied.bins[index]]:
                n_yes += occupied.counts[index]
                yes += occupied.sums[index]
        if n_yes >= node.least and n_rows - n_yes >= node.least:
            gain = gain_of(node.criterion, node.impurity, n_yes, yes, n_rows - n_yes, node.totals - yes)
            if gain > highest:
                best, highest = statement, gain
    return best, highest
