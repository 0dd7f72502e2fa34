"""Fits of region models: by FAB inference or EM, from random starts, of which the best is chosen, or from rules.

FAB (factorised asymptotic Bayesian inference) finds the number of regions as well as the regions, by raising a lower
bound of the marginal likelihood. EM, the baseline that the paper compares it with, fits every number of regions by
maximum likelihood. The loop that both share is in ``em.py``.

References
----------
Hara, Hayashi (2018), "Making Tree Ensembles Interpretable: A Bayesian Model Selection Approach", AISTATS, section 5.
"""

import time
from dataclasses import dataclass
from threading import Lock
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..compute.parallel import run_in_threads
from ..compute.progress import ReportProgress, ignore_progress
from ..errors import InvalidInput
from ..questions.binned_rows import BinnedRows
from ..scoring import Targets
from .em import EMSteps, Floats, maximise_bound, random_start
from .regions import FITTING, FittedRegions
from .rule_lists import RuleList, first_firing

Method = Literal["fab", "em"]

_SPREAD = 0.02  # share of each row's responsibility that a start from rules spreads over all regions


def fit_fab(
    binned: BinnedRows,
    targets: Targets,
    max_regions: int,
    rng: np.random.Generator,
    start: Floats | None = None,
    report: ReportProgress = ignore_progress,
) -> FittedRegions:
    """Fit regions to rows and their targets; the fit itself finds the number of regions.

    One iteration costs O(K (N D + L)) for K regions, N rows, D features and L statements, plus O(K N) for each round of
    the E-step, and memory O(K (N + L)): the matrix of rows and statements is never built.

    Parameters
    ----------
    binned, targets
        The training rows.
    max_regions
        Regions at the start, 1 or more, K_max in the paper.
    rng
        Draws the start, unless one is given.
    start : (n_rows, n_regions)
        Initial responsibilities, not negative; each row is divided by its sum. Parameters follow from them.
    report
        Called many times in each iteration, with fraction 0, since the number of iterations is not known. May raise to
        stop.

    Returns
    -------
    FittedRegions
        Its bound is (12), after each iteration. Where a feature's probability is below 1e-10, 1e-10 is used under the
        logarithm; the variance of a region's values is at least 1e-10 of the variance of all values.

    Raises
    ------
    InvalidInput
        If there are no rows, if the number of targets differs, if there are no regions, or if ``start`` has another
        shape.

    References
    ----------
    Hara, Hayashi (2018), section 5.1, equations (12) to (14), algorithm 1, with delta = 1e-8. The paper starts from
    random parameters and responsibilities; here parameters follow from the random responsibilities.
    """
    steps = EMSteps.of(binned, targets, max_regions, report)
    if start is None:
        start = random_start(binned.n_rows, max_regions, rng)
    return maximise_bound(steps, start, omega_of(binned, targets))


def omega_of(binned: BinnedRows, targets: Targets) -> float:
    """Return half the number of parameters of one region: 2 or C for its targets, L for its statements, 1 share."""
    n_target_parameters = 2 if targets.is_regression else targets.n_classes
    return (n_target_parameters + binned.statements.n_statements + 1) / 2


def fit_em(
    binned: BinnedRows,
    targets: Targets,
    n_regions: int,
    rng: np.random.Generator,
    start: Floats | None = None,
    report: ReportProgress = ignore_progress,
) -> FittedRegions:
    """Fit ``n_regions`` regions to rows and their targets, by maximum likelihood.

    Parameters, costs and errors are those of ``fit_fab``; the bound is (16). A region whose share of rows falls below
    1e-8 is removed, which does not change the likelihood.

    References
    ----------
    Hara, Hayashi (2018), appendix A, equations (15) to (17).
    """
    steps = EMSteps.of(binned, targets, n_regions, report)
    if start is None:
        start = random_start(binned.n_rows, n_regions, rng)
    return maximise_bound(steps, start, omega=0)


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
        report(n_regions / max_regions, FITTING)
    return fits


@dataclass(frozen=True, slots=True)
class Restart:
    """Figures of one restart, without its model: the models of many restarts would take gigabytes."""

    n_regions: int
    lower_bounds: NDArray[np.float64]  # (n_iterations,) see FittedRegions
    training_error: float  # of the two-step MAP, see RegionModel.training_error
    seconds: float  # elapsed


@dataclass(frozen=True, slots=True)
class Restarts:
    """The figures of each restart, in their order, and the best fit."""

    all: tuple[Restart, ...]
    chosen: int  # the first with the smallest training error
    best: FittedRegions  # its fit

    @property
    def training_errors(self) -> NDArray[np.float64]:
        """Training error of each restart, (n_restarts,)."""
        return np.array([each.training_error for each in self.all])


def fit_restarts(  # noqa: PLR0913  # the training set, the settings, and the callback
    method: Method,
    binned: BinnedRows,
    targets: Targets,
    max_regions: int,
    n_restarts: int,
    rng: np.random.Generator,
    *,
    report: ReportProgress = ignore_progress,
    n_threads: int | None = None,
) -> Restarts:
    """Fit from several random starts, and choose by the training error of the two-step MAP prediction.

    Each restart draws from its own generator, spawned from ``rng``, so that the result does not depend on the number of
    threads. A restart of ``em`` fits 1, 2, ... ``max_regions`` regions and keeps the fit with the smallest training
    error (ties: fewer regions).

    Parameters
    ----------
    method
        ``fab`` or ``em``.
    binned, targets, max_regions
        As for ``fit_fab``.
    n_restarts
        1 or more; the paper has 20.
    rng
        Spawns the restarts' generators.
    report
        Called five times a second, by the calling thread, with the share of restarts that are done. Whatever it raises
        stops the running restarts within a step, a second or so, and leaves nothing running.
    n_threads
        By default one for each core.

    Raises
    ------
    InvalidInput
        If there are no restarts, or as for ``fit_fab``.

    References
    ----------
    Hara, Hayashi (2018), section 5.2.
    """
    if n_restarts < 1:
        msg = f"at least one restart is needed, got {n_restarts}"
        raise InvalidInput(msg)
    fitting = _Fitting(method, binned, targets, max_regions)
    generators = list(enumerate(rng.spawn(n_restarts)))
    restarts = run_in_threads(fitting.run, generators, report, FITTING, n_threads)
    assert fitting.best is not None  # noqa: S101  # for the type checker: there is at least one restart
    (_, chosen), best = fitting.best
    return Restarts(tuple(restarts), chosen, best)


class _Fitting:
    """Restarts running in several threads, which keep only the best fit so far."""

    def __init__(self, method: Method, binned: BinnedRows, targets: Targets, max_regions: int) -> None:
        self._method, self._binned, self._targets, self._max_regions = method, binned, targets, max_regions
        self._lock = Lock()
        self.best: tuple[tuple[float, int], FittedRegions] | None = None  # (training error, index of the restart), fit

    def run(self, numbered: tuple[int, np.random.Generator], report: ReportProgress) -> Restart:
        """Run the restart of this index, keep its fit if it is the best, and return its figures."""
        index, rng = numbered
        started = time.perf_counter()
        if self._method == "fab":
            fits = [fit_fab(self._binned, self._targets, self._max_regions, rng, report=report)]
        else:
            fits = fit_em_up_to(self._binned, self._targets, self._max_regions, rng, report)
        errors = [fit.model.training_error(self._binned, self._targets) for fit in fits]
        best = int(np.argmin(errors))
        with self._lock:  # of equal fits the first restart's is kept, whichever finishes first
            if self.best is None or (errors[best], index) < self.best[0]:
                self.best = (errors[best], index), fits[best]
        seconds = time.perf_counter() - started
        return Restart(fits[best].model.n_regions, fits[best].lower_bounds, errors[best], seconds)


def with_restart_from_rules(  # the restarts, the training set, and the callback
    restarts: Restarts,
    rules: RuleList,
    method: Method,
    binned: BinnedRows,
    targets: Targets,
    *,
    report: ReportProgress = ignore_progress,
) -> Restarts:
    """Return the restarts and one more, the last, which starts from a list of rules; the best is chosen among all."""
    started = time.perf_counter()
    start = start_from_rules(rules, binned)
    fit_from = fit_fab if method == "fab" else fit_em
    unused = np.random.default_rng(0)  # nothing is drawn, since a start is given
    fit = fit_from(binned, targets, start.shape[1], unused, start, report)
    seconds = time.perf_counter() - started
    error = fit.model.training_error(binned, targets)
    added = Restart(fit.model.n_regions, fit.lower_bounds, error, seconds)
    is_better = error < restarts.all[restarts.chosen].training_error
    chosen, best = (len(restarts.all), fit) if is_better else (restarts.chosen, restarts.best)
    return Restarts((*restarts.all, added), chosen, best)


def start_from_rules(rules: RuleList, binned: BinnedRows) -> NDArray[np.float64]:
    """Return responsibilities, (n_rows, n_regions), with a region for each rule, or the default, that decides some row.

    Nearly all of each row belongs to the rule that decides it, and a little to every region, so that a fit can move it.
    """
    decided_by = np.unique(first_firing(rules.fires(binned)), return_inverse=True)[1]
    n_regions = int(decided_by.max()) + 1
    start = np.full((binned.n_rows, n_regions), _SPREAD / n_regions)
    start[np.arange(binned.n_rows), decided_by] += 1 - _SPREAD
    return start
