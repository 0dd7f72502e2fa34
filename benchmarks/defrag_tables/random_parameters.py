"""Starts from random parameters, as the paper's text has them; the service begins with random responsibilities."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from tree_explainers.compute.threads import n_cores
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.rule_sets.fab import fit_fab
from tree_explainers.rule_sets.regions import RegionModel
from tree_explainers.scoring import Targets

_LEAST = 1e-12  # responsibility, so that no row is lost to rounding


def best_from_random_parameters(
    binned: BinnedRows, targets: Targets, max_regions: int, n_restarts: int, rng: np.random.Generator
) -> RegionModel:
    """Return the regions of FAB with the least training error, each restart beginning with random parameters."""

    def fit(own: np.random.Generator) -> RegionModel:
        return fit_fab(binned, targets, max_regions, own, _start(binned, max_regions, own)).model

    with ThreadPoolExecutor(n_cores()) as pool:
        models = list(pool.map(fit, rng.spawn(n_restarts)))
    return min(models, key=lambda model: model.training_error(binned, targets))


def _start(binned: BinnedRows, n_regions: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the responsibilities that follow: eta uniform between 0 and 1, and all else alike in all regions."""
    eta = rng.random((n_regions, binned.statements.n_statements))
    model = RegionModel(eta, np.full(n_regions, 1 / n_regions), means=np.zeros(n_regions))
    start: NDArray[np.float64] = softmax(model.log_joint(binned), axis=1) + _LEAST
    return start
