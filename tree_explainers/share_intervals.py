"""What chance leaves open about shares of rows: intervals of one share, and of the difference of two."""

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Interval(NamedTuple):
    """The ends of an interval."""

    low: float
    high: float


def wilson_interval(n_counted: float, n_rows: float, confidence: float = 0.95) -> Interval:
    """Return the interval of a share that was counted on rows drawn independently.

    Parameters
    ----------
    n_counted
        Number of rows that count, 0 to ``n_rows``; of rows that have weights, an effective number.
    n_rows
        Number of all rows, above 0.
    confidence
        Probability with which such an interval covers the true share, above 0 and below 1.

    References
    ----------
    Wilson (1927), "Probable inference, the law of succession, and statistical inference".
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, z2_per_row = n_counted / n_rows, z * z / n_rows
    center = share + z2_per_row / 2
    half = z * math.sqrt(share * (1 - share) / n_rows + z2_per_row / (4 * n_rows))
    # At 0 and at 1 the ends are exact: rounding must not move them.
    low = 0.0 if n_counted == 0 else (center - half) / (1 + z2_per_row)
    high = 1.0 if n_counted == n_rows else (center + half) / (1 + z2_per_row)
    return Interval(low, high)


def clopper_pearson_interval(n_counted: float, n_rows: float, confidence: float = 0.95) -> Interval:
    """Return the interval that covers the true share with the probability ``confidence`` or more, however few the rows.

    Parameters
    ----------
    n_counted, n_rows, confidence
        As of ``wilson_interval``; numbers that are not whole are taken into the beta distributions as they are.

    References
    ----------
    Clopper and Pearson (1934), "The use of confidence or fiducial limits illustrated in the case of the binomial".
    """
    from scipy.special import betaincinv  # 30 ms, for those who need it

    tail, n_others = (1 - confidence) / 2, n_rows - n_counted
    low = float(betaincinv(n_counted, n_others + 1, tail)) if n_counted > 0 else 0.0
    high = float(betaincinv(n_counted + 1, n_others, 1 - tail)) if n_others > 0 else 1.0
    return Interval(low, high)


def difference_interval(counted: tuple[int, int], other: tuple[int, int], confidence: float = 0.95) -> Interval:
    """Return the interval of a share less another, each counted on rows of its own.

    Parameters
    ----------
    counted, other
        Number of rows that count, and of all rows, at least 1.
    confidence
        As of ``wilson_interval``.

    References
    ----------
    Newcombe (1998), "Interval estimation for the difference between independent proportions", method 10.
    """
    share, other_share = counted[0] / counted[1], other[0] / other[1]
    one, two = wilson_interval(*counted, confidence), wilson_interval(*other, confidence)
    difference = share - other_share
    return Interval(
        difference - math.hypot(share - one.low, two.high - other_share),
        difference + math.hypot(one.high - share, other_share - two.low),
    )


def effective_number(weights: NDArray[np.float64]) -> float:
    """Return how many rows of equal weight say as much as rows of these weights, (n_rows,), some above 0.

    References
    ----------
    Kish (1965), "Survey Sampling", section 11.7, on the effective number of rows with unequal weights.
    """
    return float(weights.sum()) ** 2 / float((weights**2).sum())
