"""Evaluations, slow and obvious: every pair of rows, every cut-off, every group by its own rows."""

import math
from collections.abc import Sequence
from statistics import mean, variance

Z = 1.959963984540054
Interval = tuple[float, float]


def roc_area(scores: Sequence[float], is_positive: Sequence[bool]) -> float:
    """Return the share of pairs, of a row of the class and another, in which the first is higher; of ties half."""
    kernel = _kernel(scores, is_positive)
    return mean(value for line in kernel for value in line)


def _kernel(scores: Sequence[float], is_positive: Sequence[bool]) -> list[list[float]]:
    """Return psi of DeLong et al., equation 1: of each row of the class and each other."""
    ones = [score for score, positive in zip(scores, is_positive, strict=True) if positive]
    zeros = [score for score, positive in zip(scores, is_positive, strict=True) if not positive]
    return [[1.0 if one > zero else 0.5 if one == zero else 0.0 for zero in zeros] for one in ones]


def delong_variance(scores: Sequence[float], is_positive: Sequence[bool]) -> float:
    """Return the variance of the area: of the means of the rows and of the columns of the kernel."""
    kernel = _kernel(scores, is_positive)
    by_one, by_zero = [mean(line) for line in kernel], [mean(line) for line in zip(*kernel, strict=True)]
    return float(variance(by_one) / len(by_one) + variance(by_zero) / len(by_zero))


def logit_interval(share: float, standard_error_of_log_odds: float) -> Interval:
    """Return the interval of a share that is symmetric in its log odds."""
    center = math.log(share) - math.log(1 - share)
    ends = (center - Z * standard_error_of_log_odds, center + Z * standard_error_of_log_odds)
    low, high = (1 / (1 + math.exp(-end)) for end in ends)
    return low, high


def newcombe_low(n_positives: int, n_negatives: int, n_steps: int = 200_000) -> float:
    """Return the lowest of many areas for which an area of 1 is within chance (Newcombe, 2006, method 5)."""
    n_rows = (n_positives + n_negatives) / 2 - 1
    for step in range(1, n_steps):
        area = step / n_steps
        spread = area * (1 - area) * (1 + n_rows * ((1 - area) / (2 - area) + area / (1 + area)))
        if 1 - area <= Z * math.sqrt(spread / (n_positives * n_negatives)):
            return area
    return 1.0


def rates(scores: Sequence[float], is_positive: Sequence[bool], cutoff: float) -> dict[str, tuple[int, int]]:
    """Return the shares of a cut-off, as numbers of rows that count and of all rows."""
    rows = [(score >= cutoff, positive) for score, positive in zip(scores, is_positive, strict=True)]
    return {
        "true_positive_rate": _counted([said for said, positive in rows if positive]),
        "false_positive_rate": _counted([said for said, positive in rows if not positive]),
        "precision": _counted([positive for said, positive in rows if said]),
        "predicted": _counted([said for said, _ in rows]),
        "accuracy": _counted([said == positive for said, positive in rows]),
    }


def _counted(flags: Sequence[bool]) -> tuple[int, int]:
    return sum(flags), len(flags)


def average_precision(scores: Sequence[float], is_positive: Sequence[bool]) -> float:
    """Return the mean, over the rows of the class, of the precision of their score as cut-off."""
    ones = [score for score, positive in zip(scores, is_positive, strict=True) if positive]
    counted = [rates(scores, is_positive, score)["precision"] for score in ones]
    return mean(right / said for right, said in counted)


def bins(values: Sequence[float], n_bins: int) -> list[list[int]]:
    """Return the rows of each group: a number is in the part of the ranks in which the middle of its rows is."""
    groups: list[list[int]] = [[] for _ in range(n_bins)]
    for value in sorted(set(values)):
        rows = [row for row, each in enumerate(values) if each == value]
        n_below = sum(each < value for each in values)
        middle = 2 * n_below + len(rows)
        groups[min(n_bins - 1, middle * n_bins // (2 * len(values)))] += rows
    return [group for group in groups if group]


def mean_interval(values: Sequence[float]) -> Interval:
    """Return the interval of a mean by the normal distribution."""
    half = Z * math.sqrt(variance(values) / len(values))
    return mean(values) - half, mean(values) + half


def jackknifed_r2(predicted: Sequence[float], values: Sequence[float]) -> tuple[float, float]:
    """Return R2 and its standard error by leaving out each row in turn (Efron and Stein, 1981)."""
    n_rows = len(values)
    without = [
        _r2([*predicted[:row], *predicted[row + 1 :]], [*values[:row], *values[row + 1 :]]) for row in range(n_rows)
    ]
    spread = sum((each - mean(without)) ** 2 for each in without)
    return _r2(predicted, values), math.sqrt((n_rows - 1) / n_rows * spread)


def _r2(predicted: Sequence[float], values: Sequence[float]) -> float:
    center = mean(values)
    residuals = sum((value - other) ** 2 for value, other in zip(values, predicted, strict=True))
    return 1 - residuals / sum((value - center) ** 2 for value in values)
