"""Splits compared pair by pair and row by row, as Zhou & Hooker (2016), section 2, say: slow, obvious twins.

Labels are (n_rows, n_classes) shares of classes, or (n_rows, 1) values. A split is which rows go left, (n_rows,).
"""

from collections.abc import Sequence
from math import ceil, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Labels = Floats
Split = NDArray[np.bool_]


def gini(labels: Labels, goes_left: Split) -> float:
    """Return one minus the purity of the sides, weighed by their shares (2.1); less is better."""
    index = 1.0
    for side in (goes_left, ~goes_left):
        own = labels[side]
        if len(own):
            index -= len(own) / len(labels) * sum(share**2 for share in _mean(own))
    return index


def variance_within(values: Labels, goes_left: Split) -> float:
    """Return the mean squared distance of each value from the mean of its side."""
    squares = 0.0
    for side in (goes_left, ~goes_left):
        own = values[side, 0].tolist()
        squares += sum((value - sum(own) / len(own)) ** 2 for value in own)
    return squares / len(values)


def influences(labels: Labels, goes_left: Split) -> list[float]:
    """Return what one row more adds to n times the index, but for what all splits share.

    By the delta method on -|M_l|^2 / pi_l - |M_r|^2 / pi_r, where M (what labels sum to on a side) and pi (its share
    of rows) are both estimated: the paper's f holds pi fixed.
    """
    mean = {side: _mean(labels[goes_left == side]) for side in (True, False) if (goes_left == side).any()}
    of_rows = []
    for label, side in zip(labels.tolist(), goes_left.tolist(), strict=True):
        theta = mean[side]
        of_rows.append(sum(t * t for t in theta) - 2 * sum(t * y for t, y in zip(theta, label, strict=True)))
    return of_rows


def influences_with_shares_fixed(labels: Labels, goes_left: Split) -> list[float]:
    """Return the same where pi is taken as known."""
    mean = {side: _mean(labels[goes_left == side]) for side in (True, False)}
    return [
        -2 * sum(t * y for t, y in zip(mean[side], label, strict=True))
        for label, side in zip(labels.tolist(), goes_left.tolist(), strict=True)
    ]


def influences_as_printed(labels: Labels, goes_left: Split) -> list[float]:
    """Return the same by the gradient that the paper prints, 2 pi theta, which lacks the division by pi."""
    share = {side: float((goes_left == side).mean()) for side in (True, False)}
    fixed = influences_with_shares_fixed(labels, goes_left)
    return [share[side] * each for side, each in zip(goes_left.tolist(), fixed, strict=True)]


def variance_of_difference(labels: Labels, one: Split, other: Split) -> float:
    """Return V: the difference of two indices over n rows has the variance V / n."""
    differences = [a - b for a, b in zip(influences(labels, one), influences(labels, other), strict=True)]
    mean = sum(differences) / len(differences)
    return sum((each - mean) ** 2 for each in differences) / len(differences)


def probability_of_another_choice(labels: Labels, best: Split, other: Split) -> float:
    """Return the p-value of (4): how likely other pseudo rows, as many, prefer the other split."""
    ahead = gini(labels, best) - gini(labels, other)  # below 0
    spread = sqrt(2 * variance_of_difference(labels, best, other) / len(labels))
    if spread == 0:
        return 0.5 if ahead == 0 else 0.0
    return NormalDist().cdf(ahead / spread)


def parts_alike(one: Split, other: Split) -> bool:
    """Return whether two splits make the same two groups of rows, whichever is called left."""
    return bool((one == other).all() or (one != other).all())


def best_of(labels: Labels, splits: Sequence[Split]) -> int:
    """Return the split with the least index; ties to the first."""
    indices = [gini(labels, split) for split in splits]
    return indices.index(min(indices))


def p_values(labels: Labels, splits: Sequence[Split], best: int) -> list[float]:
    """Return the p-value of each split against the best; 0 for the best itself and for those that part rows alike."""
    return [
        0.0 if parts_alike(split, splits[best]) else probability_of_another_choice(labels, splits[best], split)
        for split in splits
    ]


def first_of_each(splits: Sequence[Split], best: int) -> list[int]:
    """Return the splits that count as rivals of the best: of those that part the rows alike only the first."""
    found: list[int] = []
    for number, split in enumerate(splits):
        if not any(parts_alike(split, splits[other]) for other in (best, *found)):
            found.append(number)
    return found


def next_size(n: int, p_value: float, significance: float, most: int) -> int:
    """Return how many pseudo rows (5) requires, given the p-value with n of them (2.3).

    Above 0.4, where Z is near or beyond 0, twice as many; never more than tenfold, nor less than a tenth more.
    """
    if p_value > 0.4:
        return min(most, 2 * n)
    wanted = n * (NormalDist().inv_cdf(significance) / NormalDist().inv_cdf(p_value)) ** 2
    return min(most, ceil(max(1.1 * n, min(10 * n, wanted))))


def choose(labels: Labels, splits: Sequence[Split], first: int, significance: float) -> tuple[int, float, int]:
    """Return the split that is chosen, the sum of p-values and the number of pseudo rows that it took (2.3, 2.4).

    The rows given are all that are allowed; no split is discarded.
    """
    n = min(first, len(labels))
    while True:
        own = [split[:n] for split in splits]
        best = best_of(labels[:n], own)
        of_pairs = p_values(labels[:n], own, best)
        total = min(1.0, sum(of_pairs[each] for each in first_of_each(own, best)))
        if total <= significance or n == len(labels):
            return best, total, n
        n = next_size(n, total, significance, len(labels))


def rejected(of_tests: Sequence[float], level: float) -> list[bool]:
    """Return which hypotheses Benjamini & Hochberg (1995) reject: here, which splits are not worth testing again.

    The k smallest p-values, for the largest k such that the k-th is at most k / m of the level.
    """
    in_order = sorted(of_tests)
    bound = -1.0
    for k, p_value in enumerate(in_order, 1):
        if p_value <= k / len(in_order) * level:
            bound = p_value
    return [p_value <= bound for p_value in of_tests]


def thresholds(values: Floats) -> list[float]:
    """Return the values of training rows that reach a node, and the points midway between neighbours (2.5).

    The largest is left out: nothing is above it. Missing values are no values. Points midway are round numbers.
    """
    known = np.unique(values[~np.isnan(values)])
    low, high = known[:-1], known[1:]
    has_middle = (low + high) / 2 != low
    return sorted([*low.tolist(), *rounded_midway(low, high)[has_middle].tolist()])


def rounded_midway(low: Floats, high: Floats) -> Floats:
    """Return for each gap the number of fewest decimals that is within an eighth of the gap from its middle."""
    middle = low / 2 + high / 2
    rounded = middle.copy()
    for n_decimals in reversed(range(-22, 23)):
        shorter = np.round(middle, n_decimals)
        fits = (low < shorter) & (shorter < high) & (abs(shorter - middle) <= (high - low) / 8)
        rounded[fits] = shorter[fits]
    return rounded


def _mean(labels: Labels) -> list[float]:
    return [sum(column) / len(column) for column in labels.T.tolist()]
