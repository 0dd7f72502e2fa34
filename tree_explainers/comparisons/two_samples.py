"""Two samples of numbers compared: how far apart their distributions are, and what chance would explain.

References
----------
Smirnov (1939); Kolmogorov (1933): the largest difference of two empirical distribution functions, and its limit.
Holm (1979), "A simple sequentially rejective multiple test procedure": p-values that hold together.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

MIN_ROWS = 50
"""Rows of either sample below which nothing is concluded: with them, distances below about 0.25 would not be seen."""

SIGNIFICANCE = 0.05
_POWER_QUANTILE = 0.8416212335729143  # of the normal distribution, of a power of 0.8
_MOST_TERMS = 100
_CERTAIN = 0.2  # scaled distance below which the probability of more is 1 in all digits

Numbers = NDArray[np.floating[Any]] | NDArray[np.integer[Any]]


class TwoSamples(NamedTuple):
    """How two samples differ."""

    distance: float  # Kolmogorov-Smirnov, 0 to 1
    p_value: float  # of that distance or more by chance, where both are drawn from one continuous distribution
    moved: float  # mean distance by which the values of one have to move to become the other's (Wasserstein)


def compare_samples(values: Numbers, other: Numbers) -> TwoSamples:
    """Return how two samples of numbers differ.

    Parameters
    ----------
    values : (n_values,)
        One or more, without NaN.
    other : (n_other,)
        One or more.

    Returns
    -------
    TwoSamples
        The p-value is that of the limit for many rows; where values are equal, it is too large rather than too small.
    """
    pooled = np.unique(np.concatenate([values, other]).astype(np.float64))
    shares = [
        np.searchsorted(np.sort(each.astype(np.float64)), pooled, side="right") / len(each) for each in (values, other)
    ]
    gaps = np.abs(shares[0] - shares[1])
    distance = float(gaps.max())
    p_value = _exceedance(distance * math.sqrt(len(values) * len(other) / (len(values) + len(other))))
    return TwoSamples(distance, p_value, float((gaps[:-1] * np.diff(pooled)).sum()))


def _exceedance(scaled: float) -> float:
    """Return the probability with which Kolmogorov's distribution exceeds a number."""
    if scaled < _CERTAIN:
        return 1.0
    terms = ((-1.0) ** (k - 1) * math.exp(-2 * k * k * scaled * scaled) for k in range(1, _MOST_TERMS))
    return min(1.0, max(0.0, 2 * sum(terms)))


def detectable_distance(n_values: int, n_other: int, n_tests: int = 1) -> float:
    """Return the least Kolmogorov-Smirnov distance that would be seen in four of five cases, or oftener.

    Seen is what has a p-value of at most 0.05, divided by the number of tests. The difference of the two empirical
    functions at the place of the largest true one varies by at most half the square root of ``1 / n + 1 / m``, and has
    to be beyond the critical distance there.
    """
    unit = math.sqrt(1 / n_values + 1 / n_other)
    critical = math.sqrt(-math.log(SIGNIFICANCE / n_tests / 2) / 2)
    return min(1.0, (critical + _POWER_QUANTILE / 2) * unit)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values that hold together: each is below a level with at most that probability that any is by chance."""
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted
