"""Restarts: independent fits from random starts on all cores, of which the best on the training rows is taken."""

import time
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..progress import ReportProgress, ignore_progress
from .binned_rows import BinnedRows
from .em import fit_em_up_to
from .fab import fit_fab
from .regions import FittedRegions, RegionModel
from .targets import Targets
from .watched import Heard, watched

Method = Literal["fab", "em"]

_STAGE = "fitting regions"


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
    found = watched(training_set.fit, rng.spawn(n_restarts), report, _STAGE, n_threads)
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

    def fit(self, rng: np.random.Generator, heard: Heard) -> _Restart:
        begun = time.perf_counter()

        def report(fraction: float, stage: str) -> None:  # noqa: ARG001  # of one restart among many
            heard()

        if self.method == "fab":
            fits = [fit_fab(self.binned, self.targets, self.max_regions, rng, report=report)]
        else:
            fits = fit_em_up_to(self.binned, self.targets, self.max_regions, rng, report)
        errors = [fit.model.training_error(self.binned, self.targets) for fit in fits]
        best = int(np.argmin(errors))
        return _Restart(fits[best], errors[best], time.perf_counter() - begun)
