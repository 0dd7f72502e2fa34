"""Restarts: independent fits from random starts on all cores, of which the best on the training rows is taken."""

import time
from dataclasses import dataclass
from threading import Lock
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress
from ..errors import InvalidInput
from ..questions.binned_rows import BinnedRows
from ..scoring import Targets
from .em import fit_em_up_to
from .fab import fit_fab
from .regions import FittedRegions
from .watched import Heard, watched

Method = Literal["fab", "em"]

_STAGE = "fitting regions"


@dataclass(frozen=True, slots=True)
class Restart:
    """What one restart came to, without its model: of many restarts all models would take gigabytes."""

    n_regions: int
    lower_bounds: NDArray[np.float64]  # (n_iterations,) see FittedRegions
    training_error: float  # of the two-step MAP, see RegionModel.training_error
    seconds: float  # it took


@dataclass(frozen=True, slots=True)
class Restarts:
    """What each restart came to, in their order, and the best fit."""

    all: tuple[Restart, ...]
    chosen: int  # the first of those with the smallest training error
    best: FittedRegions  # its fit

    @property
    def training_errors(self) -> NDArray[np.float64]:
        """Training error of each restart, (n_restarts,)."""
        return np.array([each.training_error for each in self.all])

    def followed_by(self, fit: FittedRegions, restart: Restart) -> "Restarts":
        """Return these with one more at the end, which is the best where its training error is smaller."""
        is_better = restart.training_error < self.all[self.chosen].training_error
        chosen, best = (len(self.all), fit) if is_better else (self.chosen, self.best)
        return Restarts((*self.all, restart), chosen, best)


def fit_restarts(  # noqa: PLR0913  # what is fitted, how often, and who listens
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
    """Fit again and again, and choose by the training error of the two-step MAP prediction.

    Each restart draws from a generator of its own, spawned from ``rng``, so that the answer does not depend on the
    number of threads. A restart of ``em`` fits 1, 2, ... ``max_regions`` regions, and is the one of these fits with the
    smallest training error (ties: fewer regions).

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
        Told five times a second, by the calling thread, how many restarts are done. Whatever it raises stops those
        under way within a step, a second or so, and leaves nothing running.
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
    found = watched(fitting.run, generators, report, _STAGE, n_threads)
    assert fitting.best is not None  # noqa: S101  # for the type checker: there is at least one restart
    (_, chosen), best = fitting.best
    return Restarts(tuple(found), chosen, best)


class _Fitting:
    """Restarts under way in several threads, which keep the best fit so far alone."""

    def __init__(self, method: Method, binned: BinnedRows, targets: Targets, max_regions: int) -> None:
        self._method, self._binned, self._targets, self._max_regions = method, binned, targets, max_regions
        self._lock = Lock()
        self.best: tuple[tuple[float, int], FittedRegions] | None = None  # its training error, and which restart it is

    def run(self, numbered: tuple[int, np.random.Generator], heard: Heard) -> Restart:
        """Return what the restart of this number comes to."""
        place, rng = numbered
        begun = time.perf_counter()
        fits = self._fits(rng, heard)
        errors = [fit.model.training_error(self._binned, self._targets) for fit in fits]
        best = int(np.argmin(errors))
        self._offer((errors[best], place), fits[best])
        seconds = time.perf_counter() - begun
        return Restart(fits[best].model.n_regions, fits[best].lower_bounds, errors[best], seconds)

    def _fits(self, rng: np.random.Generator, heard: Heard) -> list[FittedRegions]:
        def report(fraction: float, stage: str) -> None:  # noqa: ARG001  # of one restart among many
            heard()

        if self._method == "fab":
            return [fit_fab(self._binned, self._targets, self._max_regions, rng, report=report)]
        return fit_em_up_to(self._binned, self._targets, self._max_regions, rng, report)

    def _offer(self, rank: tuple[float, int], fit: FittedRegions) -> None:
        """Keep a fit if none is better; of equal ones the first, whichever comes in first."""
        with self._lock:
            if self.best is None or rank < self.best[0]:
                self.best = rank, fit
