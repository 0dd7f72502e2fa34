"""Alternating maximisation: rows are shared out among regions, regions are made of their rows, until a bound stays."""

from collections.abc import Iterator

import numpy as np

from ..errors import InvalidInput
from .fit_steps import FitSteps, Floats
from .regions import FittedRegions, RegionModel
from .sharing_out import lower_bound, share_out, without_light_regions

LEAST_SHARE = 1e-8  # of all rows: a lighter region is removed, delta in the paper
_SETTLED = 1e-8  # of the bound: a smaller gain ends the fit
_MOST_ITERATIONS = 1_000


def alternate(steps: FitSteps, start: Floats, omega: float) -> FittedRegions:
    """Raise the bound (12) from some responsibilities on until an iteration adds less than 1e-8 of it.

    Parameters and errors are those of ``iterations``.
    """
    each = iterations(steps, start, omega)
    model, bound = next(each)
    bounds, gained = [bound], np.inf
    while gained > _SETTLED * abs(bounds[-1]) and len(bounds) < _MOST_ITERATIONS:
        model, bound = next(each)
        gained = bound - bounds[-1]
        bounds.append(bound)
    return FittedRegions(model, np.array(bounds))


def iterations(steps: FitSteps, start: Floats, omega: float) -> Iterator[tuple[RegionModel, float]]:
    """Yield the model and the bound (12) after each iteration, without an end.

    Parameters
    ----------
    steps
        Of the training set.
    start : (n_rows, n_regions)
        Responsibilities to begin with, not negative; each row is divided by its sum.
    omega
        How dear a region is; 0 for EM, whose bound is (16).

    Raises
    ------
    InvalidInput
        If ``start`` is not of that shape, or a row of it has no positive sum.

    References
    ----------
    Hara, Hayashi (2018), algorithm 1.
    """
    _check(start, steps.targets.n_rows)
    responsibilities = without_light_regions(start / start.sum(axis=1, keepdims=True), LEAST_SHARE)
    log_likelihoods = steps.log_likelihoods(steps.maximise(responsibilities))
    while True:
        responsibilities = share_out(log_likelihoods, responsibilities.sum(axis=0), omega, steps.watch)
        responsibilities = without_light_regions(responsibilities, LEAST_SHARE)
        model = steps.maximise(responsibilities)
        log_likelihoods = steps.log_likelihoods(model)
        yield model, lower_bound(log_likelihoods, responsibilities, omega)


def _check(start: Floats, n_rows: int) -> None:
    if start.ndim != 2 or len(start) != n_rows or not start.shape[1]:  # noqa: PLR2004  # rows by regions
        msg = f"responsibilities must have shape ({n_rows}, n_regions), got {start.shape}"
        raise InvalidInput(msg)
    if not (np.isfinite(start).all() and (start >= 0).all() and (start.sum(axis=1) > 0).all()):
        msg = "responsibilities must be finite and not negative, and of each row some must be positive"
        raise InvalidInput(msg)
