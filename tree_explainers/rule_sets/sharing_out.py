"""The E-step: each row shared out among regions, where a region is the dearer the fewer rows it has."""

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from .feature_tables import Watch

Floats = NDArray[np.float64]

_MOST_ROUNDS = 100
_SETTLED = 1e-9  # change of a region's share of rows at which rounds end


def share_out(log_likelihoods: Floats, weights: Floats, omega: float, watch: Watch) -> Floats:
    """Return the responsibilities that raise the bound, equation (13) round by round until regions' weights stay.

    Parameters
    ----------
    log_likelihoods : (n_rows, n_regions)
        Log f of each row and region.
    weights : (n_regions,)
        Summed responsibilities to begin with.
    omega
        How dear a region is; 0 for EM, whose one round is equation (17).
    watch
        Called between rounds.

    Returns
    -------
    (n_rows, n_regions) float64
        Each row sums to 1. After 100 rounds they are taken as they are; every round raises the bound.
    """
    responsibilities = np.empty_like(log_likelihoods)
    for _ in range(_MOST_ROUNDS if omega else 1):
        watch()
        before = weights
        weights = _share(log_likelihoods, omega / (weights + 1), responsibilities)
        if np.abs(weights - before).max() <= _SETTLED * len(responsibilities):
            break
    return responsibilities


def without_light_regions(responsibilities: Floats, least_share: float) -> Floats:
    """Return the columns whose share of all rows is not below ``least_share``, each row divided by what is left of it.

    The largest region always stays.
    """
    shares = responsibilities.mean(axis=0)
    stays = shares >= min(least_share, shares.max())
    if stays.all():
        return responsibilities
    kept = np.ascontiguousarray(responsibilities[:, stays])
    kept /= kept.sum(axis=1, keepdims=True)
    return kept


def lower_bound(log_likelihoods: Floats, responsibilities: Floats, omega: float) -> float:
    """Return the bound (12) of the marginal log-likelihood; with ``omega`` 0 it is (16)."""
    return _expected(log_likelihoods, responsibilities) - omega * float(np.log1p(responsibilities.sum(axis=0)).sum())


@compiled
def _share(log_likelihoods: Floats, penalties: Floats, responsibilities: Floats) -> Floats:
    """Write each row's responsibilities for these penalties; return their sums by region."""
    n_rows, n_regions = log_likelihoods.shape
    weights = np.zeros(n_regions)
    for row in range(n_rows):
        best = -np.inf
        for region in range(n_regions):
            best = max(best, log_likelihoods[row, region] - penalties[region])
        total = 0.0
        for region in range(n_regions):
            behind = log_likelihoods[row, region] - penalties[region] - best
            value = np.exp(behind) if behind > _NOTHING else 0.0
            responsibilities[row, region] = value
            total += value
        for region in range(n_regions):
            responsibilities[row, region] /= total
            weights[region] += responsibilities[row, region]
    return weights


_NOTHING = -745.2  # its exponential is 0 in float64


@compiled
def _expected(log_likelihoods: Floats, responsibilities: Floats) -> float:
    """Return the expected log-likelihood, and the entropy of the responsibilities."""
    total = 0.0
    for row in range(responsibilities.shape[0]):
        for region in range(responsibilities.shape[1]):
            share = responsibilities[row, region]
            if share > 0:
                total += share * (log_likelihoods[row, region] - np.log(share))
    return total
