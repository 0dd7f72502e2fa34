"""EM for the region model, and FAB inference as the same loop with a penalty on every region.

The E-step computes the responsibilities of the regions for each row (q in the paper), the M-step the parameters of the
regions given the responsibilities; the two alternate until the lower bound of the log-likelihood stops rising. With a
penalty ``omega`` above 0, the E-step is that of FAB: regions with few rows become more expensive, lose their rows, and
are removed, so that the number of regions is found by the fit itself. With ``omega`` 0 it is plain EM.

References
----------
Hara, Hayashi (2018), "Making Tree Ensembles Interpretable: A Bayesian Model Selection Approach", AISTATS, section 5.1,
equations (12) to (14), algorithm 1; EM: appendix A, equations (15) to (17).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..compute.progress import ReportProgress
from ..errors import InvalidInput
from ..questions.binned_rows import BinnedRows, Layout
from ..scoring import Targets
from .regions import FITTING, FLOOR, FittedRegions, RegionModel, log_joint, share_by_statement

Floats = NDArray[np.float64]

LEAST_SHARE = 1e-8  # of all rows: a region with less is removed, delta in the paper
_TOLERANCE = 1e-8  # of the bound: a smaller gain ends the fit
_MAX_ITERATIONS = 1_000
_MAX_ROUNDS = 100  # of one E-step of FAB
_ROUND_TOLERANCE = 1e-9  # change of a region's share of rows at which the rounds of an E-step end
_LEAST_OF_RANDOM_ETA = 1e-12  # responsibility, so that no region loses its rows to rounding before it begins
_LOG_OF_ZERO = -745.2  # its exponential is 0 in float64


def maximise_bound(
    steps: "EMSteps", start: Floats, omega: float, first_model: RegionModel | None = None
) -> FittedRegions:
    """Alternate E-steps and M-steps until an iteration raises the bound (12) by less than 1e-8 of it.

    Parameters and errors are those of ``iterations``.
    """
    fits = iterations(steps, start, omega, first_model)
    model, bound = next(fits)
    bounds, gain = [bound], np.inf
    while gain > _TOLERANCE * abs(bounds[-1]) and len(bounds) < _MAX_ITERATIONS:
        model, bound = next(fits)
        gain = bound - bounds[-1]
        bounds.append(bound)
    return FittedRegions(model, np.array(bounds))


def iterations(
    steps: "EMSteps", start: Floats, omega: float, first_model: RegionModel | None = None
) -> Iterator[tuple[RegionModel, float]]:
    """Yield the model and the bound (12) after each iteration, without an end.

    Parameters
    ----------
    steps
        The M-step and the likelihoods of one training set.
    start : (n_rows, n_regions)
        Initial responsibilities, not negative; each row is divided by its sum.
    omega
        Penalty on each region; 0 for EM, whose bound is (16).
    first_model
        Parameters that the first E-step reads; by default those that the M-step derives from ``start``.

    Raises
    ------
    InvalidInput
        If ``start`` does not have that shape, or a row of it has no positive sum.

    References
    ----------
    Hara, Hayashi (2018), algorithm 1.
    """
    _check_start(start, steps.targets.n_rows)
    responsibilities = start / start.sum(axis=1, keepdims=True)
    if first_model is None:
        responsibilities = without_small_regions(responsibilities, LEAST_SHARE)
        first_model = steps.m_step(responsibilities)
    log_likelihoods = steps.log_likelihoods(first_model)
    while True:
        responsibilities = e_step(log_likelihoods, responsibilities.sum(axis=0), omega, steps.report)
        responsibilities = without_small_regions(responsibilities, LEAST_SHARE)
        model = steps.m_step(responsibilities)
        log_likelihoods = steps.log_likelihoods(model)
        yield model, lower_bound(log_likelihoods, responsibilities, omega)


def _check_start(start: Floats, n_rows: int) -> None:
    if start.ndim != 2 or len(start) != n_rows or not start.shape[1]:  # noqa: PLR2004  # rows by regions
        msg = f"responsibilities must have shape ({n_rows}, n_regions), got {start.shape}"
        raise InvalidInput(msg)
    if not (np.isfinite(start).all() and (start >= 0).all() and (start.sum(axis=1) > 0).all()):
        msg = "responsibilities must be finite and not negative, with at least one positive value in each row"
        raise InvalidInput(msg)


def random_start(n_rows: int, n_regions: int, rng: np.random.Generator) -> Floats:
    """Return random responsibilities, (n_rows, n_regions): uniform in [0, 1], each row divided by its sum."""
    start = rng.random((n_rows, n_regions))
    start /= start.sum(axis=1, keepdims=True)
    return start


def responsibilities_of_random_eta(steps: "EMSteps", n_regions: int, rng: np.random.Generator) -> Floats:
    """Return the responsibilities, (n_rows, n_regions), of regions that are alike in all but eta, uniform in [0, 1]."""
    model = RegionModel(rng.random((n_regions, steps.layout.n_statements)), np.full(n_regions, 1 / n_regions))
    start: Floats = log_joint(model, steps.layout, steps.binned, steps.report)
    start = np.exp(start - start.max(axis=1, keepdims=True))
    start /= start.sum(axis=1, keepdims=True)
    start += _LEAST_OF_RANDOM_ETA
    return start


def random_parameters(steps: "EMSteps", n_regions: int, rng: np.random.Generator) -> RegionModel:
    """Return a model with random parameters, as line 1 of algorithm 1 has it; the paper names no distribution.

    Eta is uniform in [0, 1], and so are shares and classes before they are divided by their sums. Means are values of
    rows drawn at random, and precisions that of all values.
    """
    targets = steps.targets
    eta, shares = rng.random((n_regions, steps.layout.n_statements)), rng.random(n_regions)
    shares /= shares.sum()
    if targets.values is not None:
        means = rng.choice(targets.values, n_regions)
        variance = max(float(np.var(targets.values)), steps.least_variance)
        return RegionModel(eta, shares, means=means, precisions=np.full(n_regions, 1 / variance))
    scores = rng.random((n_regions, targets.n_classes))
    return RegionModel(eta, shares, scores=scores / scores.sum(axis=1, keepdims=True))


def e_step(log_likelihoods: Floats, weights: Floats, omega: float, report: ReportProgress) -> Floats:
    """Return the responsibilities that raise the bound: equation (13), iterated until the weights of regions settle.

    Parameters
    ----------
    log_likelihoods : (n_rows, n_regions)
        Log f of each row and region.
    weights : (n_regions,)
        Sums of the responsibilities so far.
    omega
        Penalty on each region; 0 for EM, where one round is equation (17).
    report
        Called between rounds; may raise to stop.

    Returns
    -------
    (n_rows, n_regions) float64
        Each row sums to 1. After 100 rounds they are returned as they are; every round raises the bound.
    """
    responsibilities = np.empty_like(log_likelihoods)
    for _ in range(_MAX_ROUNDS if omega else 1):
        report(0.0, FITTING)
        before = weights
        weights = _update_responsibilities(log_likelihoods, omega / (weights + 1), responsibilities)
        if np.abs(weights - before).max() <= _ROUND_TOLERANCE * len(responsibilities):
            break
    return responsibilities


@compiled
def _update_responsibilities(log_likelihoods: Floats, penalties: Floats, responsibilities: Floats) -> Floats:
    """Write each row's responsibilities for these penalties; return their sums by region."""
    n_rows, n_regions = log_likelihoods.shape
    weights = np.zeros(n_regions)
    for row in range(n_rows):
        best = -np.inf
        for region in range(n_regions):
            best = max(best, log_likelihoods[row, region] - penalties[region])
        total = 0.0
        for region in range(n_regions):
            difference = log_likelihoods[row, region] - penalties[region] - best
            value = np.exp(difference) if difference > _LOG_OF_ZERO else 0.0
            responsibilities[row, region] = value
            total += value
        for region in range(n_regions):
            responsibilities[row, region] /= total
            weights[region] += responsibilities[row, region]
    return weights


def without_small_regions(responsibilities: Floats, least_share: float) -> Floats:
    """Return the columns whose share of all rows is at least ``least_share``, each row divided by its new sum.

    The largest region is always kept.
    """
    shares = responsibilities.mean(axis=0)
    is_kept = shares >= min(least_share, shares.max())
    if is_kept.all():
        return responsibilities
    kept = np.ascontiguousarray(responsibilities[:, is_kept])
    kept /= kept.sum(axis=1, keepdims=True)
    return kept


@dataclass(frozen=True, slots=True)
class EMSteps:
    """The M-step and the likelihoods of regions, for one training set."""

    binned: BinnedRows
    targets: Targets
    layout: Layout
    least_variance: float  # of a region's values: 1e-10 of the variance of all, so that no likelihood is infinite
    report: ReportProgress  # called every few tenths of a second; may raise to stop

    @classmethod
    def of(cls, binned: BinnedRows, targets: Targets, n_regions: int, report: ReportProgress) -> "EMSteps":
        """Prepare the steps for a training set and check that regions can be fitted to it.

        Raises
        ------
        InvalidInput
            If there are no rows, if the number of targets differs, or if there are no regions.
        """
        if not binned.n_rows or binned.n_rows != targets.n_rows:
            msg = f"there must be rows, and as many targets, got {binned.n_rows} and {targets.n_rows}"
            raise InvalidInput(msg)
        if n_regions < 1:
            msg = f"at least one region is needed, got {n_regions}"
            raise InvalidInput(msg)
        variance = 0.0 if targets.values is None else float(np.var(targets.values))
        return cls(binned, targets, Layout.of(binned.statements), FLOOR * (variance or 1.0), report)

    def m_step(self, responsibilities: Floats) -> RegionModel:
        """Return the parameters that maximise the expected log-likelihood, equation (14).

        Parameters
        ----------
        responsibilities : (n_rows, n_regions)
            The share of each region in each row, q in the paper; rows sum to 1, and no column sums to 0.
        """
        eta = np.empty((responsibilities.shape[1], self.layout.n_statements))
        for region, own in enumerate(np.ascontiguousarray(responsibilities.T)):
            eta[region] = share_by_statement(self.layout, self.binned.bins, own, self.report)
        weights = responsibilities.sum(axis=0)
        shares = weights / weights.sum()
        if self.targets.values is None:
            return RegionModel(eta, shares, scores=self._class_weights(responsibilities) / weights[:, None])
        means = np.einsum("n,nk->k", self.targets.values, responsibilities) / weights
        squares = (self.targets.values[:, None] - means) ** 2
        variances = np.maximum(np.einsum("nk,nk->k", responsibilities, squares) / weights, self.least_variance)
        return RegionModel(eta, shares, means=means, precisions=1 / variances)

    def _class_weights(self, responsibilities: Floats) -> Floats:
        """Return the weight of each class in each region, (n_regions, n_classes)."""
        classes = cast("NDArray[np.int64]", self.targets.classes)
        weights = np.empty((responsibilities.shape[1], self.targets.n_classes))
        for region, own in enumerate(responsibilities.T):
            weights[region] = np.bincount(classes, own, self.targets.n_classes)
        return weights

    def log_likelihoods(self, model: RegionModel) -> Floats:
        """Return log p(y | k) p(s | k) alpha_k for each row and region, (n_rows, n_regions): log f in the paper."""
        likelihoods = log_joint(model, self.layout, self.binned, self.report)
        if model.scores is not None:
            by_class: Floats = np.log(np.maximum(model.scores.T, FLOOR))[self.targets.classes]
            likelihoods += by_class
        else:
            values, means, precisions = (
                cast("Floats", each) for each in (self.targets.values, model.means, model.precisions)
            )
            squares = (values[:, None] - means) ** 2
            likelihoods += 0.5 * (np.log(precisions / (2 * np.pi)) - precisions * squares)
        return likelihoods


def lower_bound(log_likelihoods: Floats, responsibilities: Floats, omega: float) -> float:
    """Return the lower bound (12) of the marginal log-likelihood; with ``omega`` 0 it is (16)."""
    penalty = omega * float(np.log1p(responsibilities.sum(axis=0)).sum())
    return _expected_log_likelihood(log_likelihoods, responsibilities) - penalty


@compiled
def _expected_log_likelihood(log_likelihoods: Floats, responsibilities: Floats) -> float:
    """Return the expected log-likelihood plus the entropy of the responsibilities."""
    total = 0.0
    for row in range(responsibilities.shape[0]):
        for region in range(responsibilities.shape[1]):
            share = responsibilities[row, region]
            if share > 0:
                total += share * (log_likelihoods[row, region] - np.log(share))
    return total
