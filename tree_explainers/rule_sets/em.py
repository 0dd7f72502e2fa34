"""EM for the region model, and FAB inference as the same loop with a penalty on every region.

The E-step computes the responsibilities of the regions for each row (q in the paper), the M-step the parameters of the
regions given the responsibilities; the two alternate until the lower bound of the log-likelihood stops rising. With a
penalty ``omega`` above 0, the E-step is that of FAB: regions with few rows become more expensive, lose their rows, and
are removed, so that the number of regions is found by the fit itself. With ``omega`` 0 it is plain EM.

Rows lie in partitions. The responsibilities of a row follow from a model and the penalties of regions, so these are
all that is sent, and what comes back are sums over rows: a partition keeps the log-likelihoods of its rows from one
round to the next, and computes them again where it has lost them.

References
----------
Hara, Hayashi (2018), "Making Tree Ensembles Interpretable: A Bayesian Model Selection Approach", AISTATS, section 5.1,
equations (12) to (14), algorithm 1; EM: appendix A, equations (15) to (17).
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..compute.pairwise_sums import BlockSum
from ..compute.progress import ReportProgress
from ..errors import InvalidInput
from ..questions.binned_rows import Layout
from .regions import FITTING, FLOOR, BinTables, FittedRegions, RegionModel, add_to_bins, share_by_statement
from .responsibilities import (
    EtaStart,
    GivenStart,
    Likelihoods,
    Responsibilities,
    Step,
    update_responsibilities,
    without_regions,
)
from .row_parts import RowParts, RowsPart

Floats = NDArray[np.float64]

LEAST_SHARE = 1e-8  # of all rows: a region with less is removed, delta in the paper
_TOLERANCE = 1e-8  # of the bound: a smaller gain ends the fit
_MAX_ITERATIONS = 1_000
MAX_ROUNDS = 100  # of one E-step of FAB, which nearly always settles before
_ROUND_TOLERANCE = 1e-9  # change of a region's share of rows at which the rounds of an E-step end


def maximise_bound(
    steps: "EMSteps", start: Responsibilities | Floats, omega: float, first_model: RegionModel | None = None
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
    fits.close()
    return FittedRegions(model, np.array(bounds))


def iterations(
    steps: "EMSteps", start: Responsibilities | Floats, omega: float, first_model: RegionModel | None = None
) -> Generator[tuple[RegionModel, float]]:
    """Yield the model and the bound (12) after each iteration, without an end.

    Parameters
    ----------
    steps
        The M-step and the likelihoods of one training set.
    start
        Initial responsibilities; an array is (n_rows, n_regions), not negative, and each row is divided by its sum.
    omega
        Penalty on each region; 0 for EM, whose bound is (16).
    first_model
        Parameters that the first E-step reads; by default those that the M-step derives from ``start``.

    Raises
    ------
    InvalidInput
        If an array has another shape, or a row of it has no positive sum.

    References
    ----------
    Hara, Hayashi (2018), algorithm 1.
    """
    if isinstance(start, np.ndarray):
        _check_start(start, steps.rows.n_rows)
        start = GivenStart(start)
    weights = steps.weights(start)
    if first_model is None:
        first_model, weights = steps.m_step(without_regions(start, _kept(weights, steps.rows.n_rows)))
    likelihoods, next_weights = Likelihoods.of(first_model, steps.layout), None
    try:
        while True:
            step, weights = e_step(steps, likelihoods, weights, omega, next_weights)
            left = without_regions(step, _kept(weights, steps.rows.n_rows))
            model, weights = steps.m_step(left)
            likelihoods = Likelihoods.of(model, steps.layout, likelihoods)
            expected, next_weights = steps.expectation_and_weights(left, likelihoods, _penalties(weights, omega))
            yield model, expected - omega * float(np.log1p(weights).sum())
    finally:
        steps.forget(likelihoods)


def _check_start(start: Floats, n_rows: int) -> None:
    if start.ndim != 2 or len(start) != n_rows or not start.shape[1]:  # rows by regions
        msg = f"responsibilities must have shape ({n_rows}, n_regions), got {start.shape}"
        raise InvalidInput(msg)
    if not (np.isfinite(start).all() and (start >= 0).all() and (start.sum(axis=1) > 0).all()):
        msg = "responsibilities must be finite and not negative, with at least one positive value in each row"
        raise InvalidInput(msg)


def _kept(weights: Floats, n_rows: int) -> NDArray[np.bool_]:
    """Return which regions have a share of at least 1e-8 of all rows; the largest in any case."""
    shares = weights / n_rows
    is_kept: NDArray[np.bool_] = shares >= min(LEAST_SHARE, shares.max())
    return is_kept


def _penalties(weights: Floats, omega: float) -> Floats:
    return np.asarray(omega / (weights + 1))


def responsibilities_of_random_eta(steps: "EMSteps", n_regions: int, rng: np.random.Generator) -> EtaStart:
    """Return the responsibilities of regions that are alike in all but eta, which is uniform in [0, 1]."""
    model = RegionModel(rng.random((n_regions, steps.layout.n_statements)), np.full(n_regions, 1 / n_regions))
    return EtaStart(BinTables.of(model, steps.layout))


def random_parameters(steps: "EMSteps", n_regions: int, rng: np.random.Generator) -> RegionModel:
    """Return a model with random parameters, as line 1 of algorithm 1 has it; the paper names no distribution.

    Eta is uniform in [0, 1], and so are shares and classes before they are divided by their sums. Means are values of
    rows drawn at random, and precisions that of all values.
    """
    rows = steps.rows
    eta, shares = rng.random((n_regions, steps.layout.n_statements)), rng.random(n_regions)
    shares /= shares.sum()
    if rows.is_regression:
        means = rows.targets_of(rng.integers(0, rows.n_rows, n_regions))
        variance = max(rows.squares / rows.n_rows, steps.least_variance)
        return RegionModel(eta, shares, means=means, precisions=np.full(n_regions, 1 / variance))
    scores = rng.random((n_regions, rows.n_classes))
    return RegionModel(eta, shares, scores=scores / scores.sum(axis=1, keepdims=True))


def e_step(
    steps: "EMSteps", likelihoods: Likelihoods, weights: Floats, omega: float, first: Floats | None = None
) -> tuple[Step, Floats]:
    """Return responsibilities that raise the bound: equation (13), until the weights of regions settle or rounds end.

    Parameters
    ----------
    steps
        The training set.
    likelihoods
        Log f of each row and region.
    weights : (n_regions,)
        Sums of the responsibilities so far.
    omega
        Penalty on each region; 0 for EM, where one round is equation (17).
    first : (n_regions,)
        Sums of the responsibilities after the first round, where they are known.

    Returns
    -------
    Step
        After the most rounds it is returned as it is; every round raises the bound.
    (n_regions,) float64
        Their sums.
    """
    for _ in range(steps.max_rounds if omega else 1):
        step, before = Step(likelihoods, _penalties(weights, omega)), weights
        weights, first = steps.weights(step) if first is None else first, None
        if np.abs(weights - before).max() <= _ROUND_TOLERANCE * steps.rows.n_rows:
            break
    return step, weights


@dataclass(frozen=True, slots=True)
class EMSteps:
    """What the fits of one training set need of its rows; partitions add it up."""

    rows: RowParts
    layout: Layout
    least_variance: float  # of a region's values: 1e-10 of the variance of all, so that no likelihood is infinite
    report: ReportProgress  # called before each sum over all rows; may raise to stop
    max_rounds: int = MAX_ROUNDS  # of one E-step of FAB

    @classmethod
    def of(cls, rows: RowParts, n_regions: int, report: ReportProgress, max_rounds: int = MAX_ROUNDS) -> "EMSteps":
        """Prepare the steps for a training set and check that regions can be fitted to it.

        Raises
        ------
        InvalidInput
            If there are no rows, or no regions.
        """
        if not rows.n_rows:
            msg = "there must be rows, got none"
            raise InvalidInput(msg)
        if n_regions < 1:
            msg = f"at least one region is needed, got {n_regions}"
            raise InvalidInput(msg)
        variance = rows.squares / rows.n_rows if rows.is_regression else 0.0
        return cls(rows, Layout.of(rows.statements), FLOOR * (variance or 1.0), report, max_rounds)

    def weights(self, responsibilities: Responsibilities) -> Floats:
        """Return the sums of responsibilities, (n_regions,)."""
        self.report(0.0, FITTING)
        return self.rows.sums(_weights, responsibilities)

    def m_step(self, responsibilities: Responsibilities) -> tuple[RegionModel, Floats]:
        """Return the parameters that maximise the expected log-likelihood, equation (14), and the regions' weights.

        The weights, (n_regions,), are the sums of responsibilities, of which none may be 0.
        """
        self.report(0.0, FITTING)
        n_regions = responsibilities.n_regions
        sums = self.rows.sums(_sums_by_bin, responsibilities, self.layout.bin_starts).reshape(n_regions, -1)
        n_bins = int(self.layout.bin_starts[-1])
        weights, of_targets = np.ascontiguousarray(sums[:, 0]), sums[:, n_bins + 1 :]
        eta = np.array(
            [share_by_statement(self.layout, np.ascontiguousarray(region_sums[1 : n_bins + 1])) for region_sums in sums]
        )
        shares = weights / weights.sum()
        if not self.rows.is_regression:
            return RegionModel(eta, shares, scores=of_targets / weights[:, None]), weights
        means = of_targets[:, 0] / weights
        squares = self.rows.sums(_squares, responsibilities, means)
        variances = np.maximum(squares / weights, self.least_variance)
        return RegionModel(eta, shares, means=means, precisions=1 / variances), weights

    def expectation_and_weights(
        self, responsibilities: Responsibilities, following: Likelihoods, penalties: Floats
    ) -> tuple[float, Floats]:
        """Return the expected log-likelihood under the next parameters, with the entropy, and the next round's weights.

        Parameters
        ----------
        responsibilities
            Of the E-step.
        following
            Likelihoods of the parameters that the M-step found; those before them are not needed any more.
        penalties : (n_regions,)
            Of the first round of the next E-step.
        """
        self.report(0.0, FITTING)
        sums = self.rows.sums(_expectation_and_weights, responsibilities, following, penalties)
        return float(sums[0]), sums[1:]

    def forget(self, likelihoods: Likelihoods) -> None:
        """Have partitions forget what they know of a fit that has ended with these likelihoods."""
        for _ in self.rows.map(_forget, likelihoods.of_fit[0]):
            pass


# What is done in each partition.


def _weights(part: RowsPart, responsibilities: Responsibilities) -> list[BlockSum]:
    return part.sums(lambda rows: _sum_by_region(responsibilities.of_rows(part, rows)))


def _sums_by_bin(part: RowsPart, responsibilities: Responsibilities, bin_starts: NDArray[np.int64]) -> list[BlockSum]:
    """Return for each region, one after the other, its weight, that in each bin, and that of each class or value."""
    targets, n_bins = part.targets, int(bin_starts[-1])

    def of_block(rows: slice) -> Floats:
        shares = responsibilities.of_rows(part, rows)
        sums = np.zeros((shares.shape[1], 1 + n_bins + max(1, targets.n_classes)))
        sums[:, 0] = _sum_by_region(shares)
        for region, weights in enumerate(np.ascontiguousarray(shares.T)):
            add_to_bins(bin_starts, part.binned.bins, rows.start, weights, sums[region, 1 : 1 + n_bins])
            if targets.classes is not None:
                sums[region, 1 + n_bins :] = np.bincount(targets.classes[rows], weights, targets.n_classes)
        if targets.values is not None:
            sums[:, -1] = _sum_of_values(shares, targets.values[rows])
        return sums.ravel()

    return part.sums(of_block)


def _squares(part: RowsPart, responsibilities: Responsibilities, means: Floats) -> list[BlockSum]:
    values = cast("Floats", part.targets.values)
    return part.sums(lambda rows: _sum_of_squares(responsibilities.of_rows(part, rows), values[rows], means))


def _expectation_and_weights(
    part: RowsPart, responsibilities: Responsibilities, following: Likelihoods, penalties: Floats
) -> list[BlockSum]:
    """Return the bound and the next weights; the next likelihoods are kept in place of the last."""
    likelihoods = np.empty((part.n_rows, len(penalties)))

    def of_block(rows: slice) -> Floats:
        shares = responsibilities.of_rows(part, rows)
        following.write(part, rows, likelihoods)
        bound = _expected_log_likelihood(likelihoods[rows], shares)
        return np.append(bound, update_responsibilities(likelihoods[rows], penalties, shares))

    sums = part.sums(of_block)
    part.remember(following.of_fit, likelihoods)
    return sums


def _forget(part: RowsPart, fit: int) -> None:
    part.forget(fit)


@compiled
def _sum_by_region(responsibilities: Floats) -> Floats:
    weights = np.zeros(responsibilities.shape[1])
    for row in range(responsibilities.shape[0]):
        for region in range(responsibilities.shape[1]):
            weights[region] += responsibilities[row, region]
    return weights


@compiled
def _sum_of_values(responsibilities: Floats, values: Floats) -> Floats:
    sums = np.zeros(responsibilities.shape[1])
    for row in range(responsibilities.shape[0]):
        for region in range(responsibilities.shape[1]):
            sums[region] += responsibilities[row, region] * values[row]
    return sums


@compiled
def _sum_of_squares(responsibilities: Floats, values: Floats, means: Floats) -> Floats:
    sums = np.zeros(responsibilities.shape[1])
    for row in range(responsibilities.shape[0]):
        for region in range(responsibilities.shape[1]):
            sums[region] += responsibilities[row, region] * (values[row] - means[region]) ** 2
    return sums


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
