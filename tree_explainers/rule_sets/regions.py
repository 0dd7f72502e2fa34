"""RegionModel: regions as Bernoulli patterns over statements, what each says of a row, and the two-step prediction."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..questions.binned_rows import BinnedRows, Layout
from ..scoring import Targets
from .feature_tables import Watch, sum_by_row

FLOOR = 1e-10  # the smallest probability that is taken the logarithm of


@dataclass(frozen=True, slots=True)
class RegionModel:
    """K regions of the probabilistic model, equation (9); a classification has ``scores``, a regression the rest."""

    eta: NDArray[np.float64]  # (n_regions, n_statements) share of the region of which a statement is true; not floored
    shares: NDArray[np.float64]  # (n_regions,) share of rows, alpha; sums to 1
    scores: NDArray[np.float64] | None = None  # (n_regions, n_classes) share of each class, gamma
    means: NDArray[np.float64] | None = None  # (n_regions,) mu
    precisions: NDArray[np.float64] | None = None  # (n_regions,) lambda

    @property
    def n_regions(self) -> int:
        """Number of regions, K."""
        return len(self.shares)

    def log_joint(self, binned: BinnedRows) -> NDArray[np.float64]:
        """Return log p(s | k) + log alpha_k for each row and region, (n_rows, n_regions), equation (6).

        A probability below 1e-10 counts as 1e-10 under the logarithm, so that a row which no region allows still has a
        nearest one.
        """
        return log_joint(self, Layout.of(binned.statements), binned, _go_on)

    def map_regions(self, binned: BinnedRows) -> NDArray[np.int64]:
        """Return the most probable region of each row, equation (10), (n_rows,); ties go to the earlier region."""
        regions: NDArray[np.int64] = self.log_joint(binned).argmax(axis=1)
        return regions

    def outcomes(self) -> NDArray[np.int64] | NDArray[np.float64]:
        """Return what each region says: its commonest class (ties: the earlier) or its mean, equation (11)."""
        return self.means if self.scores is None else self.scores.argmax(axis=1)  # type: ignore[return-value]

    def predict(self, binned: BinnedRows) -> NDArray[np.int64] | NDArray[np.float64]:
        """Return the two-step MAP prediction, equations (10) and (11): a class or a value for each row, (n_rows,)."""
        return self.outcomes()[self.map_regions(binned)]

    def training_error(self, binned: BinnedRows, targets: Targets) -> float:
        """Return the mean error of the two-step MAP: share of other classes, or mean squared error (section 5.2)."""
        predicted = self.predict(binned)
        if targets.values is not None:
            return float(np.mean((predicted - targets.values) ** 2))
        return float(np.mean(predicted != targets.classes))


@dataclass(frozen=True, slots=True)
class FittedRegions:
    """A model, and the bound that its fit raised step by step."""

    model: RegionModel
    lower_bounds: NDArray[np.float64]  # (n_iterations,) of the log-likelihood, after each iteration; never decreasing


def log_joint(model: RegionModel, layout: Layout, binned: BinnedRows, watch: Watch) -> NDArray[np.float64]:
    """Return what ``RegionModel.log_joint`` does, stopped by ``watch``."""
    sums = np.empty((model.n_regions, binned.n_rows))
    for region, eta in enumerate(model.eta):
        when_true, when_false = _log(eta.copy()), _log(1 - eta)
        sums[region] = sum_by_row(layout, binned.bins, when_true, when_false, watch)
    by_row = np.ascontiguousarray(sums.T)
    by_row += _log(model.shares.copy())
    return by_row


def _log(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logarithms of floored probabilities, in their place."""
    np.maximum(probabilities, FLOOR, out=probabilities)
    return np.log(probabilities, out=probabilities)


def _go_on() -> None:
    """Never stop."""
