"""Restarts: independent fits from random starts on all cores, of which the best on the training rows is taken."""

import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..progress import ReportProgress, ignore_progress
from ..threads import n_cores
from .binned_rows import BinnedRows
from .em import fit_em_up_to
from .fab import fit_fab
from .regions import FittedRegions, RegionModel
from .targets import Targets

Method = Literal["fab", "em"]

_STAGE = "fitting regions"
_SECONDS_BETWEEN_REPORTS = 0.2


@dataclass(frozen=True, slots=True)
class Restarts:
    """What each restart came to, in their order."""

    fits: tuple[FittedRegions, ...]
    training_errors: NDArray[np.float64]  # (n_restarts,) of the two-step MAP, see RegionModel.training_error
    seconds: NDArray[np.float64]  # (n_restarts,) each took
    chosen: int  # the first of those with the smallest training error

    @property
    def best(self) -> FittedRegions:
        """The fit that was chosen."""
        return self.fits[self.chosen]

    @property
    def models(self) -> tuple[RegionModel, ...]:
        """The models of all restarts."""
        return tuple(fit.model for fit in self.fits)


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
    training_set = _TrainingSet(method, binned, targets, max_regions)
    found = _watched(training_set.fit, rng.spawn(n_restarts), n_threads or n_cores(), report)
    errors = np.array([each.training_error for each in found])
    seconds = np.array([each.seconds for each in found])
    return Restarts(tuple(each.fit for each in found), errors, seconds, int(errors.argmin()))


@dataclass(frozen=True, slots=True)
class _Restart:
    fit: FittedRegions
    training_error: float
    seconds: float


@dataclass(frozen=True, slots=True)
class _TrainingSet:
    method: Method
    binned: BinnedRows
    targets: Targets
    max_regions: int

    def fit(self, rng: np.random.Generator, report: ReportProgress) -> _Restart:
        begun = time.perf_counter()
        if self.method == "fab":
            fits = [fit_fab(self.binned, self.targets, self.max_regions, rng, report=report)]
        else:
            fits = fit_em_up_to(self.binned, self.targets, self.max_regions, rng, report)
        errors = [fit.model.training_error(self.binned, self.targets) for fit in fits]
        best = int(np.argmin(errors))
        return _Restart(fits[best], errors[best], time.perf_counter() - begun)


class _Stopped(Exception):
    """Somebody else ended the restarts."""


def _watched(
    fit: Callable[[np.random.Generator, ReportProgress], _Restart],
    generators: Iterable[np.random.Generator],
    n_threads: int,
    report: ReportProgress,
) -> list[_Restart]:
    """Return what is fitted with each generator; whatever ends this, nothing is left running."""
    stops = Event()

    def stop_or_go_on(fraction: float, stage: str) -> None:  # noqa: ARG001  # as a listener is called
        if stops.is_set():
            raise _Stopped

    with ThreadPoolExecutor(n_threads) as pool:
        futures = [pool.submit(fit, generator, stop_or_go_on) for generator in generators]
        try:
            _report_until_done(futures, report)
            return [future.result() for future in futures]
        finally:
            stops.set()
            for future in futures:
                future.cancel()


def _report_until_done(futures: list[Future[_Restart]], report: ReportProgress) -> None:
    """Tell how many are done, from the thread that is waiting: a listener need not be safe to call from others."""
    pending = set(futures)
    while pending:
        done, pending = wait(pending, _SECONDS_BETWEEN_REPORTS, FIRST_COMPLETED)
        for future in (each for each in futures if each in done):
            future.result()  # raises at once what went wrong
        report(1 - len(pending) / len(futures), _STAGE)
