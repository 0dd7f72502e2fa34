"""Sums over statements, feature by feature: what of a row is known by its bins alone is looked up in small tables.

The statements of a number are nested, so a sum over all of them depends on nothing but the bin of the value: it is one
cumulative sum over cuts, read at the bin. A matrix of rows and statements is never needed.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compiled import compiled
from .statements import Statements

Floats = NDArray[np.float64]
Bins = NDArray[np.unsignedinteger[Any]]
Watch = Callable[[], None]  # called every few tenths of a second; may raise to stop

_LOOKUPS_AT_ONCE = 50_000_000  # of a row's bin in a feature for one region: a tenth of a second


class Layout(NamedTuple):
    """Where each feature's statements and bins are, laid one after the other, as compiled loops take it."""

    statement_starts: NDArray[np.int64]  # (n_features + 1,)
    bin_starts: NDArray[np.int64]  # (n_features + 1,)
    is_number: NDArray[np.bool_]  # (n_features,)
    missing_greater: NDArray[np.bool_]  # (n_statements,) of numbers
    answers: NDArray[np.bool_]  # of categories: statement by statement, (n_statements, n_bins) flattened
    answer_starts: NDArray[np.int64]  # (n_features + 1,)

    @property
    def n_statements(self) -> int:
        """Number of statements of all features."""
        return int(self.statement_starts[-1])

    @staticmethod
    def of(statements: Statements) -> "Layout":
        """Lay out an ensemble's statements."""
        features = statements.features
        none, no_answers = np.empty(0, np.bool_), np.empty((0, 0), np.bool_)
        answers = [no_answers if feature.answers is None else feature.answers for feature in features]
        sides = [
            feature.missing_greater if feature.is_number else np.zeros(feature.n_statements, np.bool_)
            for feature in features
        ]
        return Layout(
            statements.statement_starts,
            statements.bin_starts,
            np.array([feature.is_number for feature in features], dtype=np.bool_),
            np.concatenate([none, *sides]),
            np.concatenate([none, *(each.ravel() for each in answers)]),
            np.cumsum([0, *(each.size for each in answers)], dtype=np.int64),
        )


def sum_by_statement(layout: Layout, bins: Bins, weights: Floats, watch: Watch) -> Floats:
    """Return the share of each column's weight that lies on rows of which a statement is true.

    Parameters
    ----------
    layout
        Of the statements.
    bins : (n_features, n_rows)
        As in ``BinnedRows``.
    weights : (n_rows, n_regions)
        Not negative, with a positive sum in each column.
    watch
        Called between blocks of rows.

    Returns
    -------
    (n_statements, n_regions) float64
        In [0, 1]; exactly 0 or 1 where no row or every row of positive weight is told by the statement.
    """
    sums = np.zeros((int(layout.bin_starts[-1]), weights.shape[1]))
    for rows in _row_blocks(bins, weights.shape[1]):
        watch()
        _add_to_bins(layout.bin_starts, bins[:, rows], weights[rows], sums)
    return _shares(layout, sums)


def sum_by_row(layout: Layout, bins: Bins, when_true: Floats, when_false: Floats, watch: Watch) -> Floats:
    """Return for each row the sum over all statements of what each is worth, true or false as it is of the row.

    Parameters
    ----------
    layout, bins, watch
        As for ``sum_by_statement``.
    when_true, when_false : (n_statements, n_regions) float64
        What each statement is worth.

    Returns
    -------
    (n_rows, n_regions) float64
        Summed forwards over true statements and backwards over false ones, never as a difference.
    """
    tables = _tables(layout, when_true, when_false)
    sums = np.zeros((bins.shape[1], when_true.shape[1]))
    for rows in _row_blocks(bins, when_true.shape[1]):
        watch()
        _add_from_tables(layout.bin_starts, bins[:, rows], tables, sums[rows])
    return sums


def _row_blocks(bins: Bins, n_regions: int) -> list[slice]:
    n_features, n_rows = bins.shape
    length = max(1, _LOOKUPS_AT_ONCE // max(1, n_features * n_regions))
    return [slice(start, min(start + length, n_rows)) for start in range(0, n_rows, length)]


@compiled
def _add_to_bins(bin_starts: NDArray[np.int64], bins: Bins, weights: Floats, sums: Floats) -> None:
    """Add each row's weights to its bin in each feature."""
    for feature in range(bins.shape[0]):
        start = bin_starts[feature]
        for row in range(bins.shape[1]):
            at = start + np.int64(bins[feature, row])
            for region in range(weights.shape[1]):
                sums[at, region] += weights[row, region]


@compiled
def _add_from_tables(bin_starts: NDArray[np.int64], bins: Bins, tables: Floats, sums: Floats) -> None:
    """Add what tables say of a row's bin in each feature to the row."""
    for feature in range(bins.shape[0]):
        start = bin_starts[feature]
        for row in range(bins.shape[1]):
            at = start + np.int64(bins[feature, row])
            for region in range(sums.shape[1]):
                sums[row, region] += tables[at, region]


@compiled
def _shares(layout: Layout, sums: Floats) -> Floats:
    """Return the share of the bins' weight for which each statement is true."""
    n_regions = sums.shape[1]
    shares = np.empty((layout.statement_starts[-1], n_regions))
    for feature in range(len(layout.is_number)):
        own = shares[layout.statement_starts[feature] : layout.statement_starts[feature + 1]]
        weights = sums[layout.bin_starts[feature] : layout.bin_starts[feature + 1]]
        if layout.is_number[feature]:
            sides = layout.missing_greater[layout.statement_starts[feature] : layout.statement_starts[feature + 1]]
            _shares_of_number(sides, weights, own)
        else:
            answers = layout.answers[layout.answer_starts[feature] : layout.answer_starts[feature + 1]]
            _shares_of_category(answers, weights, own)
    return shares


@compiled
def _shares_of_number(missing_greater: NDArray[np.bool_], weights: Floats, shares: Floats) -> None:
    n_cuts, n_regions = shares.shape
    missing = weights[n_cuts + 1]
    above = np.zeros(n_regions)
    for cut in range(n_cuts - 1, -1, -1):
        for region in range(n_regions):
            above[region] += weights[cut + 1, region]
            shares[cut, region] = above[region] + (missing[region] if missing_greater[cut] else 0.0)
    below = np.zeros(n_regions)
    for cut in range(n_cuts):
        for region in range(n_regions):
            below[region] += weights[cut, region]
            others = below[region] + (0.0 if missing_greater[cut] else missing[region])
            shares[cut, region] /= shares[cut, region] + others


@compiled
def _shares_of_category(answers: NDArray[np.bool_], weights: Floats, shares: Floats) -> None:
    n_bins, n_regions = weights.shape
    for statement in range(len(shares)):
        for region in range(n_regions):
            told, others = 0.0, 0.0
            for at in range(n_bins):
                if answers[statement * n_bins + at]:
                    told += weights[at, region]
                else:
                    others += weights[at, region]
            shares[statement, region] = told / (told + others)


@compiled
def _tables(layout: Layout, when_true: Floats, when_false: Floats) -> Floats:
    """Return for each bin the sum over its feature's statements of what each is worth there."""
    tables = np.zeros((layout.bin_starts[-1], when_true.shape[1]))
    for feature in range(len(layout.is_number)):
        first, end = layout.statement_starts[feature], layout.statement_starts[feature + 1]
        table = tables[layout.bin_starts[feature] : layout.bin_starts[feature + 1]]
        if layout.is_number[feature]:
            _table_of_number(layout.missing_greater[first:end], when_true[first:end], when_false[first:end], table)
        else:
            answers = layout.answers[layout.answer_starts[feature] : layout.answer_starts[feature + 1]]
            _table_of_category(answers, when_true[first:end], when_false[first:end], table)
    return tables


@compiled
def _table_of_number(missing_greater: NDArray[np.bool_], when_true: Floats, when_false: Floats, table: Floats) -> None:
    n_cuts, n_regions = when_true.shape
    so_far = np.zeros(n_regions)
    for cut in range(n_cuts):  # true of the bins above
        for region in range(n_regions):
            so_far[region] += when_true[cut, region]
            table[cut + 1, region] = so_far[region]
            table[n_cuts + 1, region] += when_true[cut, region] if missing_greater[cut] else when_false[cut, region]
    so_far[:] = 0.0
    for cut in range(n_cuts - 1, -1, -1):  # false of the bins up to it
        for region in range(n_regions):
            so_far[region] += when_false[cut, region]
            table[cut, region] += so_far[region]


@compiled
def _table_of_category(answers: NDArray[np.bool_], when_true: Floats, when_false: Floats, table: Floats) -> None:
    n_bins, n_regions = table.shape
    for statement in range(len(when_true)):
        for at in range(n_bins):
            for region in range(n_regions):
                told = answers[statement * n_bins + at]
                table[at, region] += when_true[statement, region] if told else when_false[statement, region]
