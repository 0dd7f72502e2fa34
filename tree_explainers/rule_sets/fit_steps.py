"""The steps that FAB and EM share: what regions are, given their rows, and how likely rows are, given the regions."""

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..questions.binned_rows import BinnedRows, Layout
from ..scoring import Targets
from .feature_tables import Watch, share_by_statement
from .regions import FLOOR, RegionModel, log_joint

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FitSteps:
    """The steps for one training set."""

    binned: BinnedRows
    targets: Targets
    layout: Layout
    least_variance: float  # of a region's values: 1e-10 of that of all, so that no likelihood is infinite
    watch: Watch  # called every few tenths of a second; raises to stop

    @classmethod
    def of(cls, binned: BinnedRows, targets: Targets, watch: Watch) -> "FitSteps":
        """Prepare for a training set."""
        spread = 0.0 if targets.values is None else float(np.var(targets.values))
        return cls(binned, targets, Layout.of(binned.statements), FLOOR * (spread or 1.0), watch)

    def maximise(self, responsibilities: Floats) -> RegionModel:
        """Return the parameters that make the rows likeliest, equation (14).

        Parameters
        ----------
        responsibilities : (n_rows, n_regions)
            The share of each region in each row, q in the paper; each row sums to 1, no column to 0.
        """
        eta = np.empty((responsibilities.shape[1], self.layout.n_statements))
        for region, own in enumerate(np.ascontiguousarray(responsibilities.T)):
            eta[region] = share_by_statement(self.layout, self.binned.bins, own, self.watch)
        weights = responsibilities.sum(axis=0)
        shares = weights / weights.sum()
        if self.targets.values is None:
            return RegionModel(eta, shares, scores=self._class_sums(responsibilities) / weights[:, None])
        means = np.einsum("n,nk->k", self.targets.values, responsibilities) / weights
        squares = (self.targets.values[:, None] - means) ** 2
        variances = np.maximum(np.einsum("nk,nk->k", responsibilities, squares) / weights, self.least_variance)
        return RegionModel(eta, shares, means=means, precisions=1 / variances)

    def log_likelihoods(self, model: RegionModel) -> Floats:
        """Return log p(y | k) p(s | k) alpha_k for each row and region, (n_rows, n_regions): log f in the paper."""
        likelihoods = log_joint(model, self.layout, self.binned, self.watch)
        likelihoods += self._log_targets(model)
        return likelihoods

    def _class_sums(self, responsibilities: Floats) -> Floats:
        """Return the weight of each class in each region, (n_regions, n_classes)."""
        classes, sums = self.targets.classes, np.empty((responsibilities.shape[1], self.targets.n_classes))
        for region, own in enumerate(responsibilities.T):
            sums[region] = np.bincount(cast("NDArray[np.int64]", classes), own, self.targets.n_classes)
        return sums

    def _log_targets(self, model: RegionModel) -> Floats:
        if model.scores is not None:
            by_class: Floats = np.log(np.maximum(model.scores.T, FLOOR))[self.targets.classes]
            return by_class
        values, means, precisions = (
            cast("Floats", each) for each in (self.targets.values, model.means, model.precisions)
        )
        half_log: Floats = 0.5 * (np.log(precisions / (2 * np.pi)) - precisions * (values[:, None] - means) ** 2)
        return half_log


def check_training_set(binned: BinnedRows, targets: Targets, n_regions: int) -> None:
    """Refuse what nothing can be fitted to.

    Raises
    ------
    InvalidInput
        If there are no rows, not as many targets, or no regions.
    """
    if not binned.n_rows or binned.n_rows != targets.n_rows:
        msg = f"there must be rows, and as many targets, got {binned.n_rows} and {targets.n_rows}"
        raise InvalidInput(msg)
    if n_regions < 1:
        msg = f"at least one region is needed, got {n_regions}"
        raise InvalidInput(msg)


def random_start(n_rows: int, n_regions: int, rng: np.random.Generator) -> Floats:
    """Return random responsibilities, (n_rows, n_regions): uniform in [0, 1], each row divided by its sum."""
    start = rng.random((n_rows, n_regions))
    start /= start.sum(axis=1, keepdims=True)
    return start
