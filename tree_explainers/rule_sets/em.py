"""EM: regions of the largest likelihood for each number of regions, the baseline that FAB is compared with."""

import numpy as np

from ..compute.progress import ReportProgress, ignore_progress
from ..questions.binned_rows import BinnedRows
from ..scoring import Targets
from .alternation import alternate
from .fit_steps import FitSteps, Floats, check_training_set, random_start
from .regions import FittedRegions

_STAGE = "fitting regions"


def fit_em(  # what is fitted, from where, and who listens
    binned: BinnedRows,
    targets: Targets,
    n_regions: int,
    rng: np.random.Generator,
    start: Floats | None = None,
    report: ReportProgress = ignore_progress,
) -> FittedRegions:
    """Fit so many regions to rows and what they are told as, by maximum likelihood.

    Parameters, costs and errors are those of ``fit_fab``; the bound is (16). A region whose share of rows falls below
    1e-8 is left out, which changes no likelihood.

    References
    ----------
    Hara, Hayashi (2018), appendix A, equations (15) to (17).
    """
    check_training_set(binned, targets, n_regions)
    steps = FitSteps.of(binned, targets, lambda: report(0.0, _STAGE))
    if start is None:
        start = random_start(binned.n_rows, n_regions, rng)
    return alternate(steps, start, omega=0)


def fit_em_up_to(
    binned: BinnedRows,
    targets: Targets,
    max_regions: int,
    rng: np.random.Generator,
    report: ReportProgress = ignore_progress,
) -> list[FittedRegions]:
    """Return the fits of 1, 2, ... ``max_regions`` regions, drawn from ``rng`` in turn: one restart in the paper."""
    fits = []
    for n_regions in range(1, max_regions + 1):
        fits.append(fit_em(binned, targets, n_regions, rng, report=report))
        report(n_regions / max_regions, _STAGE)
    return fits
