"""The region model: regions as Bernoulli patterns over statements, and the two-step prediction.

Both of its sums over statements, the shares ``eta`` of the M-step and the log-likelihoods of rows, are computed without
the matrix of rows and statements. The statements about a number are nested, so a sum over all of them depends only on
the bin of the value: it is one cumulative sum over cuts, looked up at the bin.

References
----------
Hara, Hayashi (2018), "Making Tree Ensembles Interpretable: A Bayesian Model Selection Approach", AISTATS, equations
(6) to (11).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..compute.progress import ReportProgress, ignore_progress
from ..questions.binned_rows import BinnedRows, Bins, Layout
from ..scoring import Targets

Floats = NDArray[np.float64]

FLOOR = 1e-10  # smaller probabilities are replaced by this before the logarithm
FITTING = "fitting regions"  # the stage that progress reports name
_LOOKUPS_PER_REPORT = 100_000_000  # of a row's bin in a feature: a tenth of a second or two


@dataclass(frozen=True, slots=True)
class RegionModel:
    """K regions of the probabilistic model, equation (9).

    Regions of a classification have ``scores``, regions of a regression have ``means`` and ``precisions``.
    """

    eta: Floats  # (n_regions, n_statements) share of the region for which a statement is true; not floored
    shares: Floats  # (n_regions,) share of rows, alpha; sums to 1
    scores: Floats | None = None  # (n_regions, n_classes) share of each class, gamma
    means: Floats | None = None  # (n_regions,) mu
    precisions: Floats | None = None  # (n_regions,) lambda

    @property
    def n_regions(self) -> int:
        """Number of regions, K."""
        return len(self.shares)

    def log_joint(self, binned: BinnedRows) -> Floats:
        """Return log p(s | k) + log alpha_k for each row and region, (n_rows, n_regions), equation (6).

        Probabilities below 1e-10 are replaced by 1e-10 before the logarithm, so that a row which no region allows still
        has a nearest one.
        """
        return log_joint(self, Layout.of(binned.statements), binned, ignore_progress)

    def map_regions(self, binned: BinnedRows) -> NDArray[np.int64]:
        """Return the most probable region of each row, equation (10), (n_rows,); ties go to the lower region."""
        regions: NDArray[np.int64] = self.log_joint(binned).argmax(axis=1)
        return regions

    def predictions(self) -> NDArray[np.int64] | Floats:
        """Return each region's prediction: its commonest class (ties: the lower) or its mean, equation (11)."""
        return self.means if self.scores is None else self.scores.argmax(axis=1)  # type: ignore[return-value]

    def predict(self, binned: BinnedRows) -> NDArray[np.int64] | Floats:
        """Return the two-step MAP prediction, equations (10) and (11): a class or a value for each row, (n_rows,)."""
        return self.predictions()[self.map_regions(binned)]

    def training_error(self, binned: BinnedRows, targets: Targets) -> float:
        """Return the mean error of the two-step MAP: share of other classes, or mean squared error (section 5.2)."""
        predicted = self.predict(binned)
        if targets.values is not None:
            return float(np.mean((predicted - targets.values) ** 2))
        return float(np.mean(predicted != targets.classes))


@dataclass(frozen=True, slots=True)
class FittedRegions:
    """A model, and the lower bound after each iteration of its fit."""

    model: RegionModel
    lower_bounds: Floats  # (n_iterations,) of the log-likelihood, after each iteration; never decreasing


def log_joint(model: RegionModel, layout: Layout, binned: BinnedRows, report: ReportProgress) -> Floats:
    """Return what ``RegionModel.log_joint`` does, with reports between blocks of rows."""
    sums = np.empty((model.n_regions, binned.n_rows))
    for region, eta in enumerate(model.eta):
        when_true, when_false = _log(eta.copy()), _log(1 - eta)
        sums[region] = sum_by_row(layout, binned.bins, when_true, when_false, report)
    by_row = np.ascontiguousarray(sums.T)
    by_row += _log(model.shares.copy())
    return by_row


def _log(probabilities: Floats) -> Floats:
    """Floor probabilities and replace them by their logarithms, in place."""
    np.maximum(probabilities, FLOOR, out=probabilities)
    return np.log(probabilities, out=probabilities)


def share_by_statement(layout: Layout, bins: Bins, weights: Floats, report: ReportProgress) -> Floats:
    """Return for each statement the share of the rows' weight for which it is true.

    Parameters
    ----------
    layout
        Of the statements.
    bins : (n_features, n_rows), contiguous
        As in ``BinnedRows``.
    weights : (n_rows,), contiguous
        Not negative, with a positive sum.
    report
        Called between blocks of rows; may raise to stop.

    Returns
    -------
    (n_statements,) float64
        In [0, 1]; exactly 0 or 1 where a statement is true for no row of positive weight, or for all.
    """
    sums = np.zeros(int(layout.bin_starts[-1]))
    for first, end in _row_blocks(bins):
        report(0.0, FITTING)
        _add_to_bins(layout.bin_starts, bins, first, end, weights, sums)
    return _shares(layout, sums)


def sum_by_row(layout: Layout, bins: Bins, when_true: Floats, when_false: Floats, report: ReportProgress) -> Floats:
    """Return for each row the sum over all statements of one term where it is true and another where it is false.

    Parameters
    ----------
    layout, bins, report
        As for ``share_by_statement``.
    when_true, when_false : (n_statements,) float64, contiguous
        Each statement's terms.

    Returns
    -------
    (n_rows,) float64
        Summed forwards over true statements and backwards over false ones, never as a difference.
    """
    table = _table(layout, when_true, when_false)
    sums = np.zeros(bins.shape[1])
    for first, end in _row_blocks(bins):
        report(0.0, FITTING)
        _add_from_table(layout.bin_starts, bins, first, end, table, sums)
    return sums


def _row_blocks(bins: Bins) -> Iterator[tuple[int, int]]:
    n_features, n_rows = bins.shape
    length = max(1, _LOOKUPS_PER_REPORT // max(1, n_features))
    return ((first, min(first + length, n_rows)) for first in range(0, n_rows, length))


@compiled
def _add_to_bins(  # compiled code takes arrays
    bin_starts: NDArray[np.int64], bins: Bins, first: int, end: int, weights: Floats, sums: Floats
) -> None:
    """Add the weight of each row from ``first`` to ``end`` to its bin in each feature."""
    for feature in range(bins.shape[0]):
        own = sums[bin_starts[feature] : bin_starts[feature + 1]]
        for row in range(first, end):
            own[bins[feature, row]] += weights[row]


@compiled
def _add_from_table(  # compiled code takes arrays
    bin_starts: NDArray[np.int64], bins: Bins, first: int, end: int, table: Floats, sums: Floats
) -> None:
    """Add to each row the table's entry for its bin in each feature."""
    for feature in range(bins.shape[0]):
        own = table[bin_starts[feature] : bin_starts[feature + 1]]
        for row in range(first, end):
            sums[row] += own[bins[feature, row]]


@compiled
def _shares(layout: Layout, sums: Floats) -> Floats:
    """Return the share of the bins' weight for which each statement is true."""
    shares = np.empty(layout.statement_starts[-1])
    for feature in range(len(layout.is_number)):
        first, end = layout.statement_starts[feature], layout.statement_starts[feature + 1]
        weights = sums[layout.bin_starts[feature] : layout.bin_starts[feature + 1]]
        if layout.is_number[feature]:
            _shares_of_number(layout.missing_greater[first:end], weights, shares[first:end])
        else:
            answers = layout.answers[layout.answer_starts[feature] : layout.answer_starts[feature + 1]]
            _shares_of_category(answers, weights, shares[first:end])
    return shares


@compiled
def _shares_of_number(missing_greater: NDArray[np.bool_], weights: Floats, shares: Floats) -> None:
    n_cuts = len(shares)
    missing = weights[n_cuts + 1]
    above = 0.0
    for cut in range(n_cuts - 1, -1, -1):
        above += weights[cut + 1]
        shares[cut] = above
    below = 0.0
    for cut in range(n_cuts):
        below += weights[cut]
        inside = shares[cut] + (missing if missing_greater[cut] else 0.0)
        outside = below + (0.0 if missing_greater[cut] else missing)
        shares[cut] = inside / (inside + outside)


@compiled
def _shares_of_category(answers: NDArray[np.bool_], weights: Floats, shares: Floats) -> None:
    n_bins = len(weights)
    for statement in range(len(shares)):
        inside, outside = 0.0, 0.0
        for index in range(n_bins):
            if answers[statement * n_bins + index]:
                inside += weights[index]
            else:
                outside += weights[index]
        shares[statement] = inside / (inside + outside)


@compiled
def _table(layout: Layout, when_true: Floats, when_false: Floats) -> Floats:
    """Return for each bin the sum of its feature's statements' terms there."""
    table = np.zeros(layout.bin_starts[-1])
    for feature in range(len(layout.is_number)):
        first, end = layout.statement_starts[feature], layout.statement_starts[feature + 1]
        own = table[layout.bin_starts[feature] : layout.bin_starts[feature + 1]]
        if layout.is_number[feature]:
            _table_of_number(layout.missing_greater[first:end], when_true[first:end], when_false[first:end], own)
        else:
            answers = layout.answers[layout.answer_starts[feature] : layout.answer_starts[feature + 1]]
            _table_of_category(answers, when_true[first:end], when_false[first:end], own)
    return table


@compiled
def _table_of_number(missing_greater: NDArray[np.bool_], when_true: Floats, when_false: Floats, table: Floats) -> None:
    n_cuts = len(when_true)
    running, missing = 0.0, 0.0
    for cut in range(n_cuts):  # true in the bins above
        running += when_true[cut]
        table[cut + 1] = running
        missing += when_true[cut] if missing_greater[cut] else when_false[cut]
    table[n_cuts + 1] = missing
    running = 0.0
    for cut in range(n_cuts - 1, -1, -1):  # false in the bins up to it
        running += when_false[cut]
        table[cut] += running


@compiled
def _table_of_category(answers: NDArray[np.bool_], when_true: Floats, when_false: Floats, table: Floats) -> None:
    n_bins = len(table)
    for statement in range(len(when_true)):
        for index in range(n_bins):
            table[index] += when_true[statement] if answers[statement * n_bins + index] else when_false[statement]
