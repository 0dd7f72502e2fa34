"""EM for each number of regions: how long one restart takes, and how well the best of several does."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from tree_explainers.compute.threads import n_cores
from tree_explainers.rule_sets.fab import fit_em_up_to
from tree_explainers.rule_sets.regions import RegionModel
from tree_explainers.rule_sets.row_parts import RowParts


@dataclass(frozen=True, slots=True)
class EmCurve:
    """What some restarts of EM came to."""

    best: tuple[RegionModel, ...]  # of 1, 2, … regions: of all restarts the one with the least training error
    seconds: tuple[float, ...]  # of each restart, which fits all these numbers


def em_curve(rows: RowParts, max_regions: int, n_restarts: int, rng: np.random.Generator) -> EmCurve:
    """Fit 1, 2, ... ``max_regions`` regions from several starts, on all cores."""

    def fit(own: np.random.Generator) -> tuple[list[RegionModel], float]:
        begun = time.perf_counter()
        models = [each.model for each in fit_em_up_to(rows, max_regions, own)]
        return models, time.perf_counter() - begun

    with ThreadPoolExecutor(n_cores()) as pool:
        found = list(pool.map(fit, rng.spawn(n_restarts)))
    by_number = zip(*(models for models, _ in found), strict=True)
    return EmCurve(tuple(_least(by_number, rows)), tuple(seconds for _, seconds in found))


def _least(by_number: Iterator[tuple[RegionModel, ...]], rows: RowParts) -> Iterator[RegionModel]:
    for models in by_number:
        yield min(models, key=lambda model: model.training_error(rows))
