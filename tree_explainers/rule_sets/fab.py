"""Fits of region models: by FAB inference or EM, from random starts, of which the best is chosen.

FAB (factorised asymptotic Bayesian inference) finds the number of regions as well as the regions, by raising a lower
bound of the marginal likelihood. EM, the baseline that the paper compares it with, fits every number of regions by
maximum likelihood. The loop that both share is in ``em.py``.

References
----------
Hara, Hayashi (2018), "Making Tree Ensembles Interpretable: A Bayesian Model Selection Approach", AISTATS, section 5.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.parallel import run_in_threads
from ..compute.partitions import Spread
from ..compute.progress import ReportProgress, ignore_progress
from ..errors import InvalidInput
from .em import MAX_ROUNDS, EMSteps, Floats, maximise_bound, random_parameters, responsibilities_of_random_eta
from .regions import FITTING, FittedRegions
from .responsibilities import DrawnStart
from .row_parts import RowParts, reporting

Method = Literal["fab", "em"]
Start = Literal["responsibilities", "eta", "algorithm_1"]
STARTS: tuple[Start, ...] = ("responsibilities", "eta", "algorithm_1")


@dataclass(frozen=True, slots=True)
class FitSettings:
    """What one fit is begun with, what a region costs, and how soon parameters follow responsibilities."""

    start: Start = "responsibilities"
    omega: float | None = None  # None: ``omega_of``; EM knows no cost
    max_rounds: int = MAX_ROUNDS  # of an E-step of FAB; in the paper it converges


_DEFAULT = FitSettings()

# What restarts take in turn by default. With one round regions are many, with two as few as the data allow: neither is
# best on all data (benchmarks/results/defrag_starts.md), and the training error decides.
ROUNDS_IN_TURN = (1, 2)
IN_TURN = tuple(FitSettings(start, max_rounds=rounds) for rounds in ROUNDS_IN_TURN for start in STARTS)


def fit_fab(  # the training set, how to begin, and the callback
    rows: RowParts,
    max_regions: int,
    rng: np.random.Generator,
    start: Floats | None = None,
    *,
    report: ReportProgress = ignore_progress,
    settings: FitSettings = _DEFAULT,
) -> FittedRegions:
    """Fit regions to rows and their targets; the fit itself finds the number of regions.

    One iteration costs O(K (N D + L)) for K regions, N rows, D features and L statements, plus O(K N) for each round of
    the E-step, and memory O(K (N + L)): the matrix of rows and statements is never built.

    Parameters
    ----------
    rows
        The training rows and their targets.
    max_regions
        Regions at the start, 1 or more, K_max in the paper.
    rng
        Draws the start, unless one is given.
    start : (n_rows, n_regions)
        Initial responsibilities, not negative; each row is divided by its sum. Parameters follow from them.
    report
        Called many times in each iteration, with fraction 0, since the number of iterations is not known. May raise to
        stop.
    settings
        How the start is drawn, unless one is given: ``responsibilities`` are drawn, and parameters follow from them;
        ``eta`` is drawn, with all else alike in all regions, and responsibilities and then parameters follow from it;
        ``algorithm_1`` draws all parameters and the responsibilities. And what a region costs, by default ``omega_of``.

    Returns
    -------
    FittedRegions
        Its bound is (12), after each iteration. Where a feature's probability is below 1e-10, 1e-10 is used under the
        logarithm; the variance of a region's values is at least 1e-10 of the variance of all values.

    Raises
    ------
    InvalidInput
        If there are no rows, if there are no regions, or if ``start`` has another shape.

    References
    ----------
    Hara, Hayashi (2018), section 5.1, equations (12) to (14), algorithm 1, with delta = 1e-8. Its first line draws
    parameters and responsibilities (``algorithm_1``).
    """
    steps = EMSteps.of(rows, max_regions, report, settings.max_rounds)
    omega = omega_of(rows) if settings.omega is None else settings.omega
    return _fit(steps, max_regions, rng, start, settings.start, omega)


def _fit(  # the training set, and how to begin
    steps: EMSteps, n_regions: int, rng: np.random.Generator, start: Floats | None, kind: Start, omega: float
) -> FittedRegions:
    if start is not None:
        return maximise_bound(steps, start, omega)
    if kind == "eta":
        return maximise_bound(steps, responsibilities_of_random_eta(steps, n_regions, rng), omega)
    first_model = random_parameters(steps, n_regions, rng) if kind == "algorithm_1" else None
    return maximise_bound(steps, DrawnStart.of(steps.rows.n_rows, n_regions, rng), omega, first_model)


def omega_of(rows: RowParts) -> float:
    """Return half the number of parameters of one region: 2 or C for its targets, L for its statements, 1 share."""
    n_target_parameters = 2 if rows.is_regression else rows.n_classes
    return (n_target_parameters + rows.statements.n_statements + 1) / 2


def fit_em(  # as for ``fit_fab``
    rows: RowParts,
    n_regions: int,
    rng: np.random.Generator,
    start: Floats | None = None,
    *,
    report: ReportProgress = ignore_progress,
    settings: FitSettings = _DEFAULT,
) -> FittedRegions:
    """Fit ``n_regions`` regions to rows and their targets, by maximum likelihood.

    Parameters, costs and errors are those of ``fit_fab``; the bound is (16). A region whose share of rows falls below
    1e-8 is removed, which does not change the likelihood. A region costs nothing, whatever the settings say.

    References
    ----------
    Hara, Hayashi (2018), appendix A, equations (15) to (17).
    """
    return _fit(EMSteps.of(rows, n_regions, report), n_regions, rng, start, settings.start, omega=0)


def fit_em_up_to(
    rows: RowParts,
    max_regions: int,
    rng: np.random.Generator,
    report: ReportProgress = ignore_progress,
    settings: FitSettings = _DEFAULT,
) -> list[FittedRegions]:
    """Return the fits of 1, 2, ... ``max_regions`` regions, drawn from ``rng`` in turn: one restart in the paper."""
    fits = []
    for n_regions in range(1, max_regions + 1):
        fits.append(fit_em(rows, n_regions, rng, report=report, settings=settings))
        report(n_regions / max_regions, FITTING)
    return fits


@dataclass(frozen=True, slots=True)
class Restart:
    """Figures of one restart, without its model: the models of many restarts would take gigabytes."""

    start: Start
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


def fit_restarts(  # the training set, the settings, and the callback
    method: Method,
    rows: RowParts,
    max_regions: int,
    n_restarts: int,
    rng: np.random.Generator,
    *,
    settings: Sequence[FitSettings] = (_DEFAULT,),
    report: ReportProgress = ignore_progress,
    n_threads: int | None = None,
    spread: Spread | None = None,
) -> Restarts:
    """Fit from several random starts, and choose by the training error of the two-step MAP prediction.

    Each restart draws from its own generator, spawned from ``rng``, so that the result does not depend on the number of
    threads. A restart of ``em`` fits 1, 2, ... ``max_regions`` regions and keeps the fit with the smallest training
    error (ties: fewer regions).

    Parameters
    ----------
    method
        ``fab`` or ``em``.
    rows, max_regions
        As for ``fit_fab``.
    n_restarts
        1 or more; the paper has 20.
    rng
        Spawns the restarts' generators.
    settings
        Of the restarts, which take them in turn.
    report
        Called five times a second, by the calling thread, with the share of restarts that are done. Whatever it raises
        stops the running restarts within a step, a second or so, and leaves nothing running.
    n_threads
        Fits at once, each of which has partitions keep 8 bytes for each row and region; by default one for each core.
    spread
        Where restarts are run as partitions, each of which is sent all rows; by default in threads of this process.

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
    fab_input = _Given(method, rows, max_regions)
    restarts = [
        _NumberedRestart(index, generator, settings[index % len(settings)])
        for index, generator in enumerate(rng.spawn(n_restarts))
    ]
    best = _Best()
    if spread is None:

        def run(restart: _NumberedRestart, tick: ReportProgress) -> Restart:
            with reporting(tick, FITTING):
                return best.of(restart, *_run(restart, fab_input, tick))

        done = run_in_threads(run, restarts, report, FITTING, n_threads)
    else:
        done = []
        report(0.0, FITTING)
        for restart, fit in zip(restarts, spread([(each,) for each in restarts]).map(_run, fab_input), strict=True):
            done.append(best.of(restart, *fit))
            report(len(done) / n_restarts, FITTING)
    assert best.fit is not None  # for the type checker: there is at least one restart
    return Restarts(tuple(done), best.rank[1], best.fit)


class _NumberedRestart(NamedTuple):
    number: int
    rng: np.random.Generator
    settings: FitSettings


class _Given(NamedTuple):
    """What all restarts fit."""

    method: Method
    rows: RowParts
    max_regions: int


def _run(
    restart: _NumberedRestart, fab_input: _Given, report: ReportProgress = ignore_progress
) -> tuple[Restart, FittedRegions]:
    """Run a restart; return its figures and its fit."""
    _, rng, settings = restart
    method, rows, max_regions = fab_input
    started = time.perf_counter()
    if method == "fab":
        fits = [fit_fab(rows, max_regions, rng, report=report, settings=settings)]
    else:
        fits = fit_em_up_to(rows, max_regions, rng, report, settings)
    errors = [fit.model.training_error(rows) for fit in fits]
    best = int(np.argmin(errors))
    seconds = time.perf_counter() - started
    figures = Restart(settings.start, fits[best].model.n_regions, fits[best].lower_bounds, errors[best], seconds)
    return figures, fits[best]


class _Best:
    """Keeps only the best fit of those that several threads bring: of equal ones the first restart's."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.rank = (np.inf, 0)  # training error, number of the restart
        self.fit: FittedRegions | None = None

    def of(self, restart: _NumberedRestart, figures: Restart, fit: FittedRegions) -> Restart:
        """Look at a restart's fit; return its figures."""
        with self._lock:
            rank = (figures.training_error, restart.number)
            if self.fit is None or rank < self.rank:
                self.rank, self.fit = rank, fit
        return figures
