"""Areas under the ROC and the precision-recall curve, with intervals for rows drawn independently.

References
----------
DeLong, DeLong, Clarke-Pearson (1988), "Comparing the areas under two or more correlated receiver operating
characteristic curves", Biometrics 44: the variance of the area.
Qin, Hotilovac (2008), "Comparison of non-parametric confidence intervals for the area under the ROC curve of a
continuous-scale diagnostic test", Statistical Methods in Medical Research 17: the interval on the scale of log odds.
Newcombe (2006), "Confidence intervals for an effect size measure based on the Mann-Whitney statistic. Part 2",
Statistics in Medicine 25, method 5: areas whose variance cannot be seen in the rows.
Boyd, Eng, Page (2013), "Area under the precision-recall curve: point estimates and confidence intervals", ECML PKDD:
the interval of average precision on the scale of log odds.
"""

import math

import numpy as np

from ..share_intervals import Interval
from .cutoff_counts import CutoffCounts

_Z = 1.959963984540054  # of 95 %
_N_HALVINGS = 60  # of the range 0 to 1, after which doubles differ no more


def roc_area(counts: CutoffCounts) -> tuple[float, Interval] | None:
    """Return the probability that a row of the class has a higher score than another (ties: half), and its interval.

    Returns
    -------
    tuple or None
        None where all rows are of the class, or none is.
    """
    n_positives, n_negatives = counts.n_positives, counts.n_negatives
    if not n_positives or not n_negatives:
        return None
    true, false = counts.predicted
    # By distinct score: shares of other rows with a lower one, and of rows of the class with a higher one.
    above_negatives = (n_negatives - false + counts.negatives / 2) / n_negatives
    below_positives = (true - counts.positives / 2) / n_positives
    area = float(counts.positives @ above_negatives) / n_positives
    if min(n_positives, n_negatives) < 2:  # without a spread
        return area, newcombe_interval(area, n_positives, n_negatives)
    spread = float(counts.positives @ (above_negatives - area) ** 2) / (n_positives - 1)
    other_spread = float(counts.negatives @ (below_positives - area) ** 2) / (n_negatives - 1)
    variance = spread / n_positives + other_spread / n_negatives
    if variance == 0 or area in {0.0, 1.0}:
        return area, newcombe_interval(area, n_positives, n_negatives)
    return area, _logit_interval(area, math.sqrt(variance) / (area * (1 - area)))


def newcombe_interval(area: float, n_positives: int, n_negatives: int) -> Interval:
    """Return the areas from which this one is no further than chance explains, as far as numbers of rows say."""
    low, high = (_farthest(area, end, n_positives, n_negatives) for end in (0.0, 1.0))
    return Interval(low, high)


def _farthest(area: float, end: float, n_positives: int, n_negatives: int) -> float:
    """Return the area farthest from this one, towards an end, whose chance reaches this one; by halving."""
    near, far = area, end
    n_rows = (n_positives + n_negatives) / 2 - 1
    for _ in range(_N_HALVINGS):
        middle = (near + far) / 2
        tails = (1 - middle) / (2 - middle) + middle / (1 + middle)
        variance = middle * (1 - middle) * (1 + n_rows * tails) / (n_positives * n_negatives)
        if abs(area - middle) <= _Z * math.sqrt(variance):
            near = middle
        else:
            far = middle
    return end if far == end else near


def average_precision(counts: CutoffCounts) -> tuple[float, Interval | None] | None:
    """Return the precision at each score, weighted by the rows of the class that have it, and its interval.

    Returns
    -------
    tuple or None
        None where no row is of the class. The interval is None where the precision is 1: it says nothing there.
    """
    if not counts.n_positives:
        return None
    true, false = counts.predicted
    weighted = counts.positives * (true / np.maximum(true + false, 1))
    precision = min(1.0, float(weighted.sum()) / counts.n_positives)
    if precision == 1:
        return precision, None
    return precision, _logit_interval(precision, 1 / math.sqrt(counts.n_positives * precision * (1 - precision)))


def _logit_interval(share: float, standard_error: float) -> Interval:
    """Return the interval of a share, given the standard error of its log odds."""
    center = math.log(share / (1 - share))
    low, high = (1 / (1 + math.exp(-(center + sign * _Z * standard_error))) for sign in (-1, 1))
    return Interval(low, high)
