"""The region model: regions as Bernoulli patterns over statements, and the two-step prediction.

Both of its sums over statements, the shares ``eta`` of the M-step and the log-likelihoods of rows, are computed without
the matrix of rows and statements. The statements about a number are nested, so a sum over all of them depends only on
the bin of the value: it is one cumulative sum over cuts, looked up at the bin.

References
----------
Hara, Hayashi (2018), "Making Tree Ensembles Interpretable: A Bayesian Model Selection Approach", AISTATS, equations
(6) to (11).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, compiled_for_loops
from ..compute.pairwise_sums import BlockSum
from ..questions.binned_rows import BinnedRows, Bins, Layout
from .row_parts import RowParts, RowsPart, sum_of_squares

Floats = NDArray[np.float64]

FLOOR = 1e-10  # smaller probabilities are replaced by this before the logarithm
FITTING = "fitting regions"  # the stage that progress reports name


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
        tables = BinTables.of(self, Layout.of(binned.statements))
        return log_joint(tables, binned.bins, slice(0, binned.n_rows))

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

    def training_error(self, rows: RowParts) -> float:
        """Return the mean error of the two-step MAP: share of other classes, or mean squared error (section 5.2)."""
        tables = BinTables.of(self, Layout.of(rows.statements))
        return float(rows.sums(_errors, tables, self.predictions())[0]) / rows.n_rows


@dataclass(frozen=True, slots=True)
class FittedRegions:
    """A model, and the lower bound after each iteration of its fit."""

    model: RegionModel
    lower_bounds: Floats  # (n_iterations,) of the log-likelihood, after each iteration; never decreasing


@dataclass(frozen=True, slots=True)
class BinTables:
    """What a model says of rows, by the bins that these are in: all that partitions need to know of it."""

    bin_starts: NDArray[np.int64]  # (n_features + 1,)
    sums: Floats  # (n_regions, n_bins) log p of the statements about a feature, in each of its bins
    log_shares: Floats  # (n_regions,)

    @staticmethod
    def of(model: RegionModel, layout: Layout) -> "BinTables":
        """Return the tables of a model."""
        sums = np.empty((model.n_regions, int(layout.bin_starts[-1])))
        for region, eta in enumerate(model.eta):
            sums[region] = _table(layout, _log(eta.copy()), _log(1 - eta))
        return BinTables(layout.bin_starts, sums, _log(model.shares.copy()))

    @property
    def n_regions(self) -> int:
        """Number of regions."""
        return len(self.log_shares)

    def __sizeof__(self) -> int:
        """Return the bytes of the tables: those who send them to partitions reckon with these."""
        return self.sums.nbytes + self.bin_starts.nbytes


def log_joint(tables: BinTables, bins: Bins, rows: slice) -> Floats:
    """Return what ``RegionModel.log_joint`` does, for some of the rows in bins, (n_features, n_rows)."""
    sums = np.zeros((tables.n_regions, rows.stop - rows.start))
    for region_sums, table in zip(sums, tables.sums, strict=True):
        _add_from_table(tables.bin_starts, bins, rows.start, table, region_sums)
    by_row = np.ascontiguousarray(sums.T)
    by_row += tables.log_shares
    return by_row


def nearest_regions(part: RowsPart, tables: BinTables) -> NDArray[np.int64]:
    """Return the most probable region of each row of a part, (n_rows,); ties go to the lower region."""
    regions = np.empty(part.n_rows, np.int64)
    for rows in part.blocks():
        regions[rows] = log_joint(tables, part.binned.bins, rows).argmax(axis=1)
    return regions


def count_regions(part: RowsPart, tables: BinTables) -> NDArray[np.int64]:
    """Return of how many rows of a part each region is the most probable, (n_regions,)."""
    return np.bincount(nearest_regions(part, tables), minlength=tables.n_regions)


def _errors(part: RowsPart, tables: BinTables, predictions: NDArray[np.int64] | Floats) -> list[BlockSum]:
    """Return the number of rows that get another class, or the sum of squared errors."""
    targets = part.targets.classes_or_values

    def of_block(rows: slice) -> Floats:
        predicted = predictions[log_joint(tables, part.binned.bins, rows).argmax(axis=1)]
        if part.targets.is_regression:
            return np.array([sum_of_squares(targets[rows] - predicted, 0.0)])
        return np.array([np.count_nonzero(predicted != targets[rows])], np.float64)

    return part.sums(of_block)


def _log(probabilities: Floats) -> Floats:
    """Floor probabilities and replace them by their logarithms, in place."""
    np.maximum(probabilities, FLOOR, out=probabilities)
    return np.log(probabilities, out=probabilities)


@compiled
def add_to_bins(bin_starts: NDArray[np.int64], bins: Bins, first: int, weights: Floats, sums: Floats) -> None:
    """Add the weight of rows to their bin in each feature.

    Parameters
    ----------
    bin_starts : (n_features + 1,)
        Of each feature's bins.
    bins : (n_features, n_rows), contiguous
        As in ``BinnedRows``.
    first
        The row of the first weight.
    weights : (n,), contiguous
        Of rows that follow each other; not negative.
    sums : (n_bins,)
        What they are added to.
    """
    for feature in range(bins.shape[0]):
        feature_sums = sums[bin_starts[feature] : bin_starts[feature + 1]]
        for at in range(len(weights)):
            feature_sums[bins[feature, first + at]] += weights[at]


@compiled
def _add_from_table(bin_starts: NDArray[np.int64], bins: Bins, first: int, table: Floats, sums: Floats) -> None:
    """Add to rows, from ``first`` on, the table's entry for their bin in each feature."""
    for feature in range(bins.shape[0]):
        feature_table = table[bin_starts[feature] : bin_starts[feature + 1]]
        for at in range(len(sums)):
            sums[at] += feature_table[bins[feature, first + at]]


@compiled
def share_by_statement(layout: Layout, sums: Floats) -> Floats:
    """Return for each statement the share of the rows' weight for which it is true.

    Parameters
    ----------
    layout
        Of the statements.
    sums : (n_bins,)
        The weight of the rows in each bin, with a positive sum for each feature.

    Returns
    -------
    (n_statements,) float64
        In [0, 1]; exactly 0 or 1 where a statement is true for no row of positive weight, or for all.
    """
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


@compiled_for_loops
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


@compiled_for_loops
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
        feature_table = table[layout.bin_starts[feature] : layout.bin_starts[feature + 1]]
        if layout.is_number[feature]:
            _table_of_number(
                layout.missing_greater[first:end], when_true[first:end], when_false[first:end], feature_table
            )
        else:
            answers = layout.answers[layout.answer_starts[feature] : layout.answer_starts[feature + 1]]
            _table_of_category(answers, when_true[first:end], when_false[first:end], feature_table)
    return table


@compiled_for_loops
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


@compiled_for_loops
def _table_of_category(answers: NDArray[np.bool_], when_true: Floats, when_false: Floats, table: Floats) -> None:
    n_bins = len(table)
    for statement in range(len(when_true)):
        for index in range(n_bins):
            table[index] += when_true[statement] if answers[statement * n_bins + index] else when_false[statement]
