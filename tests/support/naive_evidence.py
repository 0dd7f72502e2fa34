"""Slow, obvious twin of evidence: rows one by one, and intervals by search along the binomial distribution."""

from collections.abc import Sequence

import numpy as np
from scipy.stats import binom


def rows_most_like(
    proximities: Sequence[float], scores: Sequence[float], score: float, n_most: int, window: float
) -> set[int]:
    likeness = {}
    for row, (proximity, other) in enumerate(zip(proximities, scores, strict=True)):
        if abs(other - score) < window and proximity > 0:
            likeness[row] = proximity * (1 - ((other - score) / window) ** 2)
    if len(likeness) <= n_most:
        return set(likeness)
    least = sorted(likeness.values(), reverse=True)[n_most - 1]
    return {row for row, value in likeness.items() if value >= least}


def clopper_pearson(n_counted: int, n_rows: int, level: float) -> tuple[float, float]:
    """The shares for which what was counted is not too rare on either side, on a grid of ten-thousandths."""
    tail = (1 - level) / 2
    grid = np.arange(10_001) / 10_000
    is_held = (binom.cdf(n_counted, n_rows, grid) >= tail) & (binom.sf(n_counted - 1, n_rows, grid) >= tail)
    return float(grid[is_held].min()), float(grid[is_held].max())
