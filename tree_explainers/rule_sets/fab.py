"""FAB inference: how many regions there are, and what they are, by raising a bound of the marginal likelihood."""

import numpy as np

from ..compute.progress import ReportProgress, ignore_progress
from ..questions.binned_rows import BinnedRows
from ..scoring import Targets
from .alternation import alternate
from .fit_steps import FitSteps, Floats, check_training_set, random_start
from .regions import FittedRegions

_STAGE = "fitting regions"


def fit_fab(  # what is fitted, from where, and who listens
    binned: BinnedRows,
    targets: Targets,
    max_regions: int,
    rng: np.random.Generator,
    start: Floats | None = None,
    report: ReportProgress = ignore_progress,
) -> FittedRegions:
    """Fit regions to rows and what they are told as; how many are left is found on the way.

    One iteration costs O(K (N D + L)) for K regions, N rows, D features and L statements, plus O(K N) for each round of
    the E-step, and memory O(K (N + L)): the matrix of rows and statements is never built.

    Parameters
    ----------
    binned, targets
        The training rows.
    max_regions
        Regions to begin with, 1 or more, K_max in the paper.
    rng
        Draws the start, unless there is one.
    start : (n_rows, n_regions)
        Responsibilities to begin with, not negative; each row is divided by its sum. Parameters follow from them.
    report
        Called many times in each iteration, with fraction 0: nobody knows how many there will be. May raise to stop.

    Returns
    -------
    FittedRegions
        Its bound is (12), after each iteration. Where a feature's probability is below 1e-10 it counts as that under
        the logarithm; the variance of a region's values is at least 1e-10 of that of all values.

    Raises
    ------
    InvalidInput
        If there are no rows, not as many targets, no regions, or ``start`` is not of its shape.

    References
    ----------
    Hara, Hayashi (2018), "Making Tree Ensembles Interpretable: A Bayesian Model Selection Approach", AISTATS,
    section 5.1, equations (12) to (14), algorithm 1, with delta = 1e-8. The paper begins with random parameters and
    responsibilities; here parameters are those of the random responsibilities.
    """
    check_training_set(binned, targets, max_regions)
    steps = FitSteps.of(binned, targets, lambda: report(0.0, _STAGE))
    if start is None:
        start = random_start(binned.n_rows, max_regions, rng)
    return alternate(steps, start, omega_of(binned, targets))


def omega_of(binned: BinnedRows, targets: Targets) -> float:
    """Return half the number of parameters of one region: 2 or C of its targets, L of its statements, 1 share."""
    n_target_parameters = 2 if targets.is_regression else targets.n_classes
    return (n_target_parameters + binned.statements.n_statements + 1) / 2
