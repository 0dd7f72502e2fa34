"""What chance leaves open about shares of rows: intervals of one share, and of the difference of two."""

import math
from statistics import NormalDist
from typing import NamedTuple


class Interval(NamedTuple):
    """The ends of an interval."""

    low: float
    high: float


def wilson_interval(n_counted: int, n_rows: int, confidence: float = 0.95) -> Interval:
    """Return the interval of a share that was counted on rows drawn independently.

    Parameters
    ----------
    n_counted
        Number of rows that count, 0 to ``n_rows``.
    n_rows
        Number of all rows, at least 1.
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
