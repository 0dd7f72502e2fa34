"""The slow, obvious twin of the estimate of wrong labels: every level, overlap and decay one at a time, row by row."""

from collections.abc import Sequence
from itertools import product
from math import exp, log

import numpy as np
from numpy.typing import NDArray

LEVELS = [exp(log(5e-4) + step * (log(0.5) - log(5e-4)) / 40) for step in range(41)]
OVERLAPS = [0.05 * step for step in range(1, 16)]
DECAYS = [exp(step * log(30) / 20) for step in range(21)]


def likelihoods(sureness: Sequence[float], contradicted: Sequence[bool], n_bins: int) -> list[float]:
    """Return how likely each level makes what is contradicted, overlaps and decays weighed; up to a common factor."""
    bins: dict[int, list[int]] = {}
    for row, value in enumerate(sureness):
        bins.setdefault(min(int(value * n_bins), n_bins - 1), []).append(row)
    mean_of = {row: float(np.mean([sureness[each] for each in rows])) for rows in bins.values() for row in rows}
    found = []
    for level in LEVELS:
        total = 0.0
        for overlap, decay in product(OVERLAPS, DECAYS):
            logarithm = -(((log(decay) - log(3)) / 0.7) ** 2) / 2
            for row, is_contradicted in enumerate(contradicted):
                share = level + (1 - 2 * level) * overlap * (1 - mean_of[row]) ** decay
                share = min(max(share, 1e-6), 1 - 1e-6)
                logarithm += log(share) if is_contradicted else log(1 - share)
            total += exp(logarithm)
        found.append(total)
    return found


def expected_levels(of_groups: Sequence[Sequence[float]]) -> list[float]:
    """Return the expected level of each group, given how likely each level is in each group."""
    expected = [0.0] * len(of_groups)
    weights = 0.0
    for common in LEVELS:
        closeness = [1 / (1 + ((log(level) - log(common)) / 0.3) ** 2) for level in LEVELS]
        prior = [each / sum(closeness) for each in closeness]
        posteriors = [[p * likely for p, likely in zip(prior, group, strict=True)] for group in of_groups]
        weight = float(np.prod([sum(group) for group in posteriors]))
        weights += weight
        for number, group in enumerate(posteriors):
            mean = sum(p * level for p, level in zip(group, LEVELS, strict=True)) / sum(group)
            expected[number] += weight * mean
    return [each / weights for each in expected]


def falling(values: Sequence[float]) -> NDArray[np.float64]:
    """Return the nearest falling sequence by least squares: the minimum over starts of the maximum over ends."""
    n = len(values)
    fitted = [
        min(max(float(np.mean(values[start : end + 1])) for end in range(index, n)) for start in range(index + 1))
        for index in range(n)
    ]
    return np.array(fitted)
