"""Gains of candidates and variances of their differences: one sweep over the bins of each feature.

The sweeps need the sums of ``SplitSums`` only. If these have no products of targets, which would take too much memory,
``variances_by_rows`` sums the products for some bins at a time, in several passes over the pseudo rows. Of many targets
it sums no products: ``variances_by_projections`` computes what each row adds, in one pass.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, inlined
from ..compute.threads import in_threads
from .candidate_splits import Candidates, FeatureCandidates
from .split_sums import MOST_BYTES, Bins, SplitSums, add_rows_between, is_projected, left_of

_PROJECTED_ROWS = 2_048  # that are projected at once
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Sends = tuple[Integers, Integers, NDArray[np.bool_]]
"""The bins that each candidate sends left: the first, the last (ascending), whether the missing value is added."""


@inlined
def _send_left(  # compiled code takes arrays
    running: Floats,
    in_bin: Floats,
    missing: Floats,
    with_missing: np.bool_,
    is_alone: np.bool_,
    left: Floats,
) -> None:
    """Fill in the terms that a candidate sends left, all (2, n_terms)."""
    for side in range(left.shape[0]):
        for term in range(left.shape[1]):
            value = in_bin[side, term] if is_alone else running[side, term]
            left[side, term] = value + (missing[side, term] if with_missing else 0.0)


@compiled
def sweep_gains(by_bin: Floats, sends: Sends, gains: Floats) -> None:
    """Fill in the gains of a feature's candidates.

    Parameters
    ----------
    by_bin : (n_bins, 1, 1 + n_targets)
        Rows in each bin, and the sums of their targets; the last bin is the missing value.
    """
    first, last, with_missing = sends
    n_bins, n_targets = by_bin.shape[0], by_bin.shape[2] - 1
    total, running, left = np.zeros((3, 1, 1 + n_targets))
    for bin_ in range(n_bins):
        total += by_bin[bin_]
    n_rows, candidate = total[0, 0], 0
    for bin_ in range(n_bins):
        running += by_bin[bin_]
        while candidate < len(first) and last[candidate] == bin_:
            is_alone = first[candidate] > 0
            _send_left(running, by_bin[bin_], by_bin[n_bins - 1], with_missing[candidate], is_alone, left)
            n_left, gain = left[0, 0], 0.0
            for one in range(1, 1 + n_targets):
                on_left, all_rows = left[0, one], total[0, one]
                gain -= all_rows * all_rows / n_rows
                gain += on_left * on_left / n_left if n_left > 0 else 0.0
                gain += (all_rows - on_left) ** 2 / (n_rows - n_left) if n_left < n_rows else 0.0
            gains[candidate] = max(0.0, gain / n_rows)
            candidate += 1


@compiled
def sweep_variances(
    by_bin: Floats, n_before: int, running: Floats, sums: tuple[Floats, Floats], sends: Sends
) -> Floats:
    """Return Var(psi_best - psi) of the candidates whose last bin is among the given ones, in their order.

    On the rows of one side of both, the difference is a - 2 d . Y with constants a and d: its sum and the sum of its
    squares follow from those of 1, Y and Y Y'. There is no cancellation for a candidate close to the best.

    Parameters
    ----------
    by_bin : (n_bins + 1, 2, n_terms)
        The terms of some consecutive bins, by side of the best; then those of the missing value.
    n_before
        Number of bins before them.
    running : (2, n_terms)
        The terms of all bins before them; those of these bins are added.
    sums
        The terms of all rows, (2, n_terms), and the means of the best's sides, (2, n_targets).
    """
    (first, last, with_missing), (totals, of_best) = sends, sums
    n_bins, n_targets = len(by_bin) - 1, of_best.shape[1]
    variances, n_found = np.empty(len(first)), 0
    left, shift = np.empty_like(running), np.empty(n_targets)
    candidate = np.searchsorted(last, n_before)
    for bin_ in range(n_bins):
        running += by_bin[bin_]
        while candidate < len(first) and last[candidate] == n_before + bin_:
            is_alone = first[candidate] > 0
            _send_left(running, by_bin[bin_], by_bin[n_bins], with_missing[candidate], is_alone, left)
            variances[n_found] = _variance(left, totals, of_best, shift)
            n_found += 1
            candidate += 1
    return variances[:n_found]


@inlined
def _variance(left: Floats, totals: Floats, of_best: Floats, shift: Floats) -> Any:  # inlined
    n_targets = len(shift)
    n_rows = totals[0, 0] + totals[1, 0]
    n_left = left[0, 0] + left[1, 0]
    total, squares = 0.0, 0.0
    for side in range(2):
        n_side = n_left if side == 1 else n_rows - n_left
        sign, offset = (1.0, 0.0) if side == 1 else (-1.0, 1.0)
        for best_side in range(2):
            count = offset * totals[best_side, 0] + sign * left[best_side, 0]
            if count <= 0:
                continue
            constant, linear, quadratic = 0.0, 0.0, 0.0
            for one in range(n_targets):
                everything, on_left = totals[0, 1 + one] + totals[1, 1 + one], left[0, 1 + one] + left[1, 1 + one]
                mean = (offset * everything + sign * on_left) / n_side
                shift[one] = of_best[best_side, one] - mean
                constant += of_best[best_side, one] ** 2 - mean**2
                linear += shift[one] * (offset * totals[best_side, 1 + one] + sign * left[best_side, 1 + one])
            term = 1 + n_targets
            for one in range(n_targets):
                row = 0.0
                for other in range(one):
                    row += shift[other] * (offset * totals[best_side, term] + sign * left[best_side, term])
                    term += 1
                diagonal = offset * totals[best_side, term] + sign * left[best_side, term]
                quadratic += shift[one] * (2 * row + shift[one] * diagonal)
                term += 1
            total += constant * count - 2 * linear
            squares += constant * constant * count - 4 * constant * linear + 4 * quadratic
    return max(0.0, squares / n_rows - (total / n_rows) ** 2)


SidedRows = tuple[Bins, NDArray[np.floating[Any]], NDArray[np.uint8]]
"""Pseudo rows: bins by feature, targets (n_rows, n_targets), and 1 if the best candidate sends a row left."""


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Some consecutive bins of one feature."""

    feature: int
    first: int  # bin
    by_bin: Floats  # (n_bins + 1, 2, n_terms) with products; the last is the missing value's


def variances_by_rows(sums: SplitSums, of_best: Floats, rows: Iterable[SidedRows]) -> Floats:
    """Return Var(psi_best - psi) of each candidate, (n_candidates,).

    Parameters
    ----------
    of_best : (2, n_targets)
        Mean targets on the right and on the left of the best.
    rows
        All pseudo rows in pieces, iterated several times: each time products are summed for as many bins as take at
        most ``MOST_BYTES``.
    """
    if is_projected(sums.candidates, sums.n_targets):
        return variances_by_projections(sums, of_best, rows)
    totals = _totals(sums.n_targets, rows)
    running = np.zeros((len(sums.by_bin), *totals.shape))
    variances: list[list[Floats]] = [[] for _ in sums.by_bin]
    for stretches in _stretches(sums, totals.size):
        for piece in rows:
            in_threads(partial(_add, sums.candidates, stretches, piece), len(stretches))
        for each in stretches:
            sends = sums.candidates.features[each.feature].sends
            variances[each.feature].append(
                sweep_variances(each.by_bin, each.first, running[each.feature], (totals, of_best), sends)
            )
    return np.concatenate(list(chain.from_iterable(variances)))


def _totals(n_targets: int, rows: Iterable[SidedRows]) -> Floats:
    """Return the terms of all rows by side of the best, (2, n_terms)."""
    products, lower = np.zeros((2, n_targets + 1, n_targets + 1)), np.tril_indices(n_targets)
    for _, targets, sides in rows:
        with_one = np.column_stack((np.ones(len(targets)), targets))
        for side in (0, 1):
            products_of_side = with_one[sides == side]
            products[side] += products_of_side.T @ products_of_side
    return np.array(
        [np.concatenate((products_of_side[0], products_of_side[1:, 1:][lower])) for products_of_side in products]
    )


def _stretches(sums: SplitSums, n_numbers: int) -> Iterator[list[_Stretch]]:
    """Divide the bins of all features into stretches; yield as many at a time as the memory limit allows."""
    most, used, together = max(1, MOST_BYTES // (8 * n_numbers)), 0, list[_Stretch]()
    shape = (2, n_numbers // 2)
    for index, feature in enumerate(sums.candidates.features):
        for first in range(0, feature.n_bins, most):
            length = min(most, feature.n_bins - first)
            if together and used + length > most:
                yield together
                used, together = 0, []
            together.append(_Stretch(index, first, np.zeros((length + 1, *shape))))
            used += length
    yield together


def _add(candidates: Candidates, stretches: list[_Stretch], piece: SidedRows, some: slice) -> None:
    bins, targets, sides = piece
    for each in stretches[some]:
        missing_bin = candidates.features[each.feature].n_bins - 1
        add_rows_between(bins[each.feature], targets, sides, (each.first, missing_bin), each.by_bin)


def variances_by_projections(sums: SplitSums, of_best: Floats, rows: Iterable[SidedRows]) -> Floats:
    """Return Var(psi_best - psi) of each candidate, (n_candidates,), from the difference in each row.

    The parameters are those of ``variances_by_rows``. Time grows with rows times candidates times targets, and not with
    the square of the targets.
    """
    means = [_means_of_sides(*each) for each in zip(sums.candidates.features, sums.by_bin, strict=True)]
    added = np.zeros((2, sums.candidates.n_candidates))  # sums of the differences, and of their squares
    n_rows = 0
    for piece in chain.from_iterable(map(_blocks, rows)):
        _, targets, sides = piece
        influences = _influences(targets, of_best)[np.arange(len(targets)), sides]
        add = partial(_add_differences, sums.candidates, means, piece, influences, added)
        in_threads(add, len(means), n_steps=targets.size * sums.candidates.n_candidates)
        n_rows += len(targets)
    total, squares = added / n_rows
    return np.asarray(np.maximum(0.0, squares - total**2), np.float64)


def _add_differences(
    candidates: Candidates, means: list[Floats], piece: SidedRows, of_best: Floats, added: Floats, some: slice
) -> None:
    """Add what rows contribute to the differences of some features' candidates from the best."""
    bins, targets, _ = piece
    starts = candidates.starts
    for index in range(*some.indices(len(means))):
        feature = candidates.features[index]
        first, last, with_missing = feature.sends
        row_bins = bins[index][:, None].astype(np.int64)
        is_between = (row_bins >= first) & (row_bins <= last)
        goes_left = np.asarray(is_between | ((row_bins == feature.n_bins - 1) & with_missing), np.bool_)
        right, left = (_influences(targets, of_side) for of_side in means[index])
        differences = of_best[:, None] - np.where(goes_left, left, right)
        columns = slice(starts[index], starts[index + 1])
        added[:, columns] += differences.sum(axis=0), np.square(differences).sum(axis=0)


def _blocks(rows: SidedRows) -> Iterator[SidedRows]:
    """Yield some rows at a time, with targets in double precision."""
    bins, targets, sides = rows
    for start in range(0, len(targets), _PROJECTED_ROWS):
        some = slice(start, start + _PROJECTED_ROWS)
        yield [each[some] for each in bins], targets[some].astype(np.float64), sides[some]


def _means_of_sides(feature: FeatureCandidates, by_bin: Floats) -> Floats:
    """Return the mean targets on the right and on the left of each candidate, (2, n_candidates, n_targets)."""
    of_bins = by_bin.sum(axis=1)
    left = left_of(feature, of_bins)
    both = np.stack((of_bins.sum(axis=0) - left, left))
    return np.asarray(both[:, :, 1:] / np.maximum(both[:, :, :1], 1), np.float64)


def _influences(targets: NDArray[np.floating[Any]], means: Floats) -> Floats:
    """Return |theta|^2 - 2 theta . Y of each row and mean, (n_rows, n_means)."""
    return np.asarray(np.square(means).sum(axis=1) - 2 * (targets @ means.T), np.float64)
