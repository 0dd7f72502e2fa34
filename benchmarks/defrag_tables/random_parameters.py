"""Starts from random parameters, as the paper's text has them; the service begins with random responsibilities."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from tree_explainers.compute.threads import n_cores
from tree_explainers.rule_sets.fab import FitSettings, fit_fab
from tree_explainers.rule_sets.regions import RegionModel
from tree_explainers.rule_sets.row_parts import RowParts


def best_from_random_parameters(
    rows: RowParts, max_regions: int, n_restarts: int, rng: np.random.Generator
) -> RegionModel:
    """Return the regions of FAB with the least training error, each restart beginning with random parameters."""

    def fit(own: np.random.Generator) -> RegionModel:
        return fit_fab(rows, max_regions, own, settings=FitSettings("eta")).model

    with ThreadPoolExecutor(n_cores()) as pool:
        models = list(pool.map(fit, rng.spawn(n_restarts)))
    return min(models, key=lambda model: model.training_error(rows))
