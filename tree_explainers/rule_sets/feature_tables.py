"""Sums over statements, feature by feature: what of a row is known by its bins alone is looked up in small tables.

The statements of a number are nested, so a sum over all of them depends on nothing but the bin of the value: it is one
cumulative sum over cuts, read at the bin. A matrix of rows and statements is never needed.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..questions.binned_rows import Bins, Layout

Floats = NDArray[np.float64]
Watch = Callable[[], None]  # called every few tenths of a second; may raise to stop

_LOOKUPS_AT_ONCE = 100_000_000  # of a row's bin in a feature: a tenth of a second or two


def share_by_statement(layout: Layout, bins: Bins, weights: Floats, watch: Watch) -> Floats:
    """Return for each statement the share of the rows' weight for which it is true.

    Parameters
    ----------
    layout
        Of the statements.
    bins : (n_features, n_rows), contiguous
        As in ``BinnedRows``.
    weights : (n_rows,), contiguous
        Not negative, with a positive sum.
    watch
        Called between blocks of rows.

    Returns
    -------
    (n_statements,) float64
        In [0, 1]; exactly 0 or 1 where a statement is true of no row of positive weight, or of all.
    """
    sums = np.zeros(int(layout.bin_starts[-1]))
    for first, end in _row_blocks(bins):
        watch()
        _add_to_bins(layout.bin_starts, bins, first, end, weights, sums)
    return _shares(layout, sums)


def sum_by_row(layout: Layout, bins: Bins, when_true: Floats, when_false: Floats, watch: Watch) -> Floats:
    """Return for each row the sum over all statements of what each is worth, true or false as it is of the row.

    Parameters
    ----------
    layout, bins, watch
        As for ``share_by_statement``.
    when_true, when_false : (n_statements,) float64, contiguous
        What each statement is worth.

    Returns
    -------
    (n_rows,) float64
        Summed forwards over true statements and backwards over false ones, never as a difference.
    """
    table = _table(layout, when_true, when_false)
    sums = np.zeros(bins.shape[1])
    for first, end in _row_blocks(bins):
        watch()
        _add_from_table(layout.bin_starts, bins, first, end, table, sums)
    return sums


def _row_blocks(bins: Bins) -> Iterator[tuple[int, int]]:
    n_features, n_rows = bins.shape
    length = max(1, _LOOKUPS_AT_ONCE // max(1, n_features))
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
    """Add what the table says of each row's bin in each feature to the row."""
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
        told = shares[cut] + (missing if missing_greater[cut] else 0.0)
        others = below + (0.0 if missing_greater[cut] else missing)
        shares[cut] = told / (told + others)


@compiled
def _shares_of_category(answers: NDArray[np.bool_], weights: Floats, shares: Floats) -> None:
    n_bins = len(weights)
    for statement in range(len(shares)):
        told, others = 0.0, 0.0
        for at in range(n_bins):
            if answers[statement * n_bins + at]:
                told += weights[at]
            else:
                others += weights[at]
        shares[statement] = told / (told + others)


@compiled
def _table(layout: Layout, when_true: Floats, when_false: Floats) -> Floats:
    """Return for each bin the sum over its feature's statements of what each is worth there."""
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
    so_far, missing = 0.0, 0.0
    for cut in range(n_cuts):  # true of the bins above
        so_far += when_true[cut]
        table[cut + 1] = so_far
        missing += when_true[cut] if missing_greater[cut] else when_false[cut]
    table[n_cuts + 1] = missing
    so_far = 0.0
    for cut in range(n_cuts - 1, -1, -1):  # false of the bins up to it
        so_far += when_false[cut]
        table[cut] += so_far


@compiled
def _table_of_category(answers: NDArray[np.bool_], when_true: Floats, when_false: Floats, table: Floats) -> None:
    n_bins = len(table)
    for statement in range(len(when_true)):
        for at in range(n_bins):
            table[at] += when_true[statement] if answers[statement * n_bins + at] else when_false[statement]
