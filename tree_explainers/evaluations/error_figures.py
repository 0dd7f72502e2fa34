"""Figures of predictions that are means over rows or classes, with intervals for rows drawn independently.

References
----------
Zou, Donner (2008), "Construction of confidence limits about effect measures: a general approach", Statistics in
Medicine 27: limits of a sum from the limits of its terms, for the mean of recalls.
"""

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..share_intervals import Interval, wilson_interval

Floats = NDArray[np.float64]
LEAST_SCORE = float(np.finfo(np.float64).eps)
"""Score that a class has at least in the log loss, so that one row cannot make it infinite."""


class Figure(NamedTuple):
    """A figure with what chance leaves open about it."""

    value: float
    interval: Interval | None  # None where the rows leave it open


def mean_figure(values: Floats, confidence: float = 0.95) -> Figure:
    """Return the mean of some numbers, one at least, with its interval by the normal distribution."""
    mean = float(values.mean())
    variance = float(values.var(ddof=1)) if len(values) > 1 else 0.0
    return Figure(mean, mean_interval(len(values), mean, variance, confidence))


def loss_figure(losses: Floats) -> Figure:
    """Return the same of losses, which are not negative: nor are the ends of the interval."""
    mean, interval = mean_figure(losses)
    return Figure(mean, None if interval is None else Interval(max(0.0, interval.low), interval.high))


def mean_interval(n_rows: int, mean: float, variance: float, confidence: float = 0.95) -> Interval | None:
    """Return the same interval, given number, mean and variance; None of a single row."""
    if n_rows == 1:
        return None
    half = NormalDist().inv_cdf((1 + confidence) / 2) * math.sqrt(variance / n_rows)
    return Interval(mean - half, mean + half)


def difference_of_means(
    one: tuple[int, float, float], other: tuple[int, float, float], confidence: float
) -> Interval | None:
    """Return the interval of a mean less another (Welch, by the normal distribution); None with fewer than two rows.

    Parameters
    ----------
    one, other
        Number of rows, mean and variance of each.
    confidence
        Probability with which such an interval covers the true difference.
    """
    if min(one[0], other[0]) < 2:  # without a spread
        return None
    half = NormalDist().inv_cdf((1 + confidence) / 2) * math.sqrt(one[2] / one[0] + other[2] / other[0])
    difference = one[1] - other[1]
    return Interval(difference - half, difference + half)


def balanced_accuracy(n_right: NDArray[np.int64], n_rows: NDArray[np.int64]) -> Figure:
    """Return the mean recall of the classes that have rows, with limits from those of the recalls.

    Parameters
    ----------
    n_right, n_rows : (n_classes,)
        Number of rows of each class that are predicted, and of all its rows; one class at least has some.
    """
    has_rows = n_rows > 0
    pairs = list(zip(n_right[has_rows].tolist(), n_rows[has_rows].tolist(), strict=True))
    recalls = [right / of_class for right, of_class in pairs]
    intervals = [wilson_interval(*pair) for pair in pairs]
    mean = math.fsum(recalls) / len(pairs)
    below = math.hypot(*(recall - each.low for recall, each in zip(recalls, intervals, strict=True)))
    above = math.hypot(*(each.high - recall for recall, each in zip(recalls, intervals, strict=True)))
    return Figure(mean, Interval(mean - below / len(pairs), mean + above / len(pairs)))


def log_losses(label_scores: NDArray[np.floating]) -> Floats:
    """Return the negative natural logarithm of the score of each row's label, (n_rows,)."""
    losses: Floats = -np.log(np.clip(label_scores.astype(np.float64), LEAST_SCORE, 1.0))
    return losses


def entropy(n_rows: NDArray[np.int64]) -> float:
    """Return the log loss of the classes' shares as everybody's scores, given the rows of each, (n_classes,)."""
    shares = n_rows[n_rows > 0] / n_rows.sum()
    return float(-(shares * np.log(shares)).sum())


def root_mean_squared_error(residuals: Floats) -> Figure:
    """Return the root of the mean squared residual; its limits are the roots of those of the mean."""
    mean, interval = loss_figure(residuals**2)
    ends = None if interval is None else Interval(math.sqrt(interval.low), math.sqrt(interval.high))
    return Figure(math.sqrt(mean), ends)


def r2_figure(predicted: Floats, values: Floats) -> Figure | None:
    """Return the share of the variance that is predicted; None where all values are equal.

    The standard error is that of the ratio of two means, of squared residuals and squared deviations (delta method).
    """
    deviations, residuals = (values - values.mean()) ** 2, (values - predicted) ** 2
    spread = float(deviations.mean())
    if spread == 0:
        return None
    r2 = 1 - float(residuals.mean()) / spread
    influences = (residuals - (1 - r2) * deviations) / spread
    half = mean_figure(influences).interval
    assert half is not None  # two values differ
    width = (half.high - half.low) / 2
    return Figure(r2, Interval(r2 - width, min(1.0, r2 + width)))
