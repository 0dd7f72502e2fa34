"""The choice of a node's split: the test of better split, on more and more pseudo rows until the best is reliable.

The test estimates the probability that the best candidate on these pseudo rows would not be the best on new ones. If
the probabilities of all other candidates sum to more than the significance, the sample grows.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil
from typing import Any, Literal

import numpy as np
import scipy  # which loads its parts when they are first used
from numpy.typing import NDArray

from ..questions.conditions import Condition
from .candidate_splits import Candidates
from .pseudo_samples import MergedCandidates, PseudoSample
from .split_sums import Bins, Floats, SplitSums
from .split_variances import SidedRows, sweep_gains, sweep_variances, variances_by_rows
from .trees import Confidence

FIRST_SIZE = 1_000  # pseudo rows of a node's first test
_VERY_UNSURE = 0.4  # above it a p-value is too uncertain for equation (5)
_LEAST_GROWTH, _MOST_GROWTH = 1.1, 10.0  # tests are repeated: neither tiny steps nor one leap
_LEAST_GAIN = 1e-12  # less is rounding of the model's targets; of 1, or of the variance of its values
_SHARE_OF_DROPPED = 0.1  # of the significance: the p-values of dropped candidates, all together


Compare = Literal["all", "best_two"]
"""Whose p-values are summed: of all other candidates, or of the second best alone."""
Prefer = Callable[[Sequence[Condition]], int]
"""Returns the place of the preferred one among conditions that the test cannot separate, the largest gain first."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """All candidates beside the best one, on the same pseudo rows.

    Candidates that separate the rows alike count as one, with the number of the first.
    """

    best: int  # the candidate of the largest gain; ties to the lower number
    gains: Floats  # (n_candidates,) decrease of the criterion: Gini index, or variance of a value
    variances: Floats  # (n_candidates,) V: the variance of (gain of the best - gain) is V / n_rows
    p_values: Floats  # (n_candidates,) that new rows prefer it to the best; 0 for ties with the best
    counted: NDArray[np.bool_]  # (n_candidates,) the first of those that tie, except those that tie with the best
    like_best: NDArray[np.bool_]  # (n_candidates,) those that separate the rows as the best does, including itself
    n_rows: int
    starts: NDArray[np.int64]  # (n_features + 1,) the first candidate of each feature

    @property
    def p_value(self) -> float:
        """The sum of the p-values that count, at most 1."""
        return min(1.0, float(self.p_values[self.counted].sum()))

    @property
    def p_value_of_second(self) -> float:
        """The p-value of the second best; 0 if there is none."""
        second = int(np.argmax(np.where(self.counted, self.gains, -np.inf)))
        return float(self.p_values[second]) if self.counted[second] else 0.0

    def unseparated(self, level: float) -> list[int]:
        """Return the best candidate of each feature that ``discarded`` leaves, the largest gain first."""
        starts, allowed = self.starts, np.where(self.counted & ~self.discarded(level), self.gains, -np.inf)
        allowed[self.best] = self.gains[self.best]
        firsts = [first + int(np.argmax(allowed[first:end])) for first, end in pairwise(starts.tolist())]
        candidates = [each for each in firsts if allowed[each] > -np.inf]
        return sorted(candidates, key=lambda each: (-self.gains[each], each))

    def discarded(self, level: float) -> NDArray[np.bool_]:
        """Return which candidates are far worse than the best, (n_candidates,): see ``benjamini_hochberg``.

        Candidates that separate the rows alike are treated alike; the best and its ties are never returned.
        """
        is_rejected = np.zeros(len(self.gains), np.bool_)
        is_rejected[self.counted] = benjamini_hochberg(self.p_values[self.counted], level)
        threshold = self.p_values[is_rejected].max(initial=-1.0)
        return np.asarray((self.p_values <= threshold) & ~self.like_best, np.bool_)


def compare_splits(targets: NDArray[np.floating[Any]], bins: Bins, candidates: Candidates) -> Comparison:
    """Compare all candidates with the best one.

    With theta the mean targets of a side, the gain is the sum over both sides of (share of the rows) |theta|^2, less
    |mean of all|^2. Its influence function is psi_i = |theta|^2 - 2 theta . Y_i with theta of the side that row i is
    on, up to sign and a constant; so the difference of two gains has the variance Var(psi_best - psi_other) / n. The
    probability that n new rows prefer the other one is Phi(-difference / sqrt(2 V / n)), with the factor 2 of
    equation (4).

    Parameters
    ----------
    targets : (n_rows, n_targets)
        The model's targets of pseudo rows: shares of classes, or a value.
    bins
        Their bins, as of ``candidates.bins_of``.
    candidates
        At least one.

    References
    ----------
    Zhou, Hooker (2016), sections 2.1 to 2.4, with another variance: the paper's display takes the share of rows on a
    side as known and lacks a factor; ``docs/methods.md`` derives this one.
    """
    centred = targets - targets.mean(axis=0, dtype=np.float64)
    sums = SplitSums.of(candidates, targets.shape[1])
    sums.add(bins, centred, np.zeros(len(targets), np.uint8))
    best = best_split(sums)
    sums = SplitSums.of(candidates, targets.shape[1])
    sides = candidates.sends_left(best, bins).astype(np.uint8)
    sums.add(bins, centred, sides)
    return compare_with(sums, best, [(bins, centred, sides)])


def best_split(sums: SplitSums) -> int:
    """Return the candidate of the largest gain, whatever the reference candidate; see ``Comparison.best``."""
    fingerprints = sums.left_fingerprints()
    largest = int(np.argmax(_gains(sums)))
    return int(np.argmax(fingerprints == fingerprints[largest]))


def compare_with(sums: SplitSums, best: int, rows: Iterable[SidedRows]) -> Comparison:
    """Compare all candidates with the best one, which is the reference candidate of the sums.

    ``rows`` are the same pseudo rows, iterated (several times) only if the sums have no products.
    """
    fingerprints, gains = sums.left_fingerprints(), _gains(sums)
    _, first = np.unique(fingerprints, return_index=True)
    counted = np.zeros(len(fingerprints), np.bool_)
    counted[first] = True
    like_best = fingerprints == fingerprints[best]
    variances = _variances(sums) if sums.has_products else variances_by_rows(sums, _means_of_sides(sums), rows)
    n_rows = int(sums.totals[:, 0].sum())
    # the p-value is the probability that new rows reverse a difference of gains; 1/2 if nothing is known of it
    differences = gains[best] - gains
    spread = np.sqrt(2 * (variances / n_rows))
    away = np.divide(differences, spread, out=np.where(differences > 0, np.inf, 0.0), where=spread > 0)
    p_values = np.asarray(scipy.special.ndtr(-away), np.float64)
    variances[like_best], p_values[like_best] = 0, 0
    counted &= ~like_best
    return Comparison(best, gains, variances, p_values, counted, like_best, n_rows, sums.candidates.starts)


def benjamini_hochberg(p_values: Floats, level: float) -> NDArray[np.bool_]:
    """Return which hypotheses are rejected at a false discovery rate, (n,).

    With the p-values in ascending order, all up to the last one that is at most level * rank / n.

    References
    ----------
    Benjamini, Hochberg (1995), "Controlling the False Discovery Rate", section 3.1.
    """
    ranked = np.sort(p_values)
    below = np.flatnonzero(ranked <= level * np.arange(1, len(ranked) + 1) / max(1, len(ranked)))
    return p_values <= (ranked[below[-1]] if len(below) else -1.0)


def _gains(sums: SplitSums) -> Floats:
    """Return the gain of each candidate, (n_candidates,)."""
    starts, gains = sums.candidates.starts, np.empty(sums.candidates.n_candidates)
    for index, (feature, by_bin) in enumerate(zip(sums.candidates.features, sums.by_bin, strict=True)):
        both = by_bin[:, :, : 1 + sums.n_targets].sum(axis=1, keepdims=True)
        sweep_gains(both, feature.sends, gains[starts[index] : starts[index + 1]])
    return gains


def _variances(sums: SplitSums) -> Floats:
    """Return Var(psi_best - psi) of each candidate, (n_candidates,), from the sums of products."""
    totals, of_best, variances = sums.totals, _means_of_sides(sums), []
    for feature, by_bin in zip(sums.candidates.features, sums.by_bin, strict=True):
        with_missing = np.concatenate((by_bin, by_bin[-1:]))
        running = np.zeros_like(totals)
        variances.append(sweep_variances(with_missing, 0, running, (totals, of_best), feature.sends))
    return np.concatenate(variances)


def _means_of_sides(sums: SplitSums) -> Floats:
    """Return the mean targets on the right and on the left of the best, (2, n_targets); 0 for a side without rows."""
    totals = sums.totals[:, : 1 + sums.n_targets]
    return totals[:, 1:] / np.maximum(totals[:, :1], 1)


def next_size(n: int, p_value: float, significance: float, most: int) -> int:
    """Return the size of the sample that the next test takes.

    Twice as many if the p-value is above 0.4; otherwise equation (5), n (z_significance / z_p)^2, but at least 1.1
    times and at most 10 times as many.

    Parameters
    ----------
    n
        Size of the last sample.
    p_value
        The summed p-value of the last test, above the significance.
    significance
        In (0, 1): the p-value at which the choice counts as reliable.
    most
        The cap, above n.

    References
    ----------
    Zhou, Hooker (2016), section 2.3, and section 2.4 for the summed p-value instead of that of one pair.
    """
    if p_value > _VERY_UNSURE:
        return min(most, 2 * n)
    growth = float(scipy.special.ndtri(significance) / scipy.special.ndtri(p_value)) ** 2
    return min(most, ceil(n * min(max(growth, _LEAST_GROWTH), _MOST_GROWTH)))


@dataclass(frozen=True, slots=True)
class SplitChoice:
    """The best candidate on the pseudo rows of a node."""

    candidate: int | None  # its number among the sample's candidates; None if the model predicts the same everywhere
    gain: float
    confidence: Confidence
    mean: Floats  # (n_targets,) of all pseudo rows
    mean_right: Floats  # (n_targets,)
    mean_left: Floats  # (n_targets,)


def choose_split(
    sample: PseudoSample,
    n_targets: int,
    significance: float,
    most_rows: int,
    *,
    compare: Compare = "all",
    prefer: Prefer | None = None,
) -> SplitChoice:
    """Return the best candidate, on as many pseudo rows as its choice needs to be significant, at most ``most_rows``.

    The sum of the p-values is compared with the significance. Candidates that are far worse (Benjamini, Hochberg, at a
    false discovery rate of the significance) are dropped, the worst first, as long as the p-values of all dropped ones
    sum to at most a tenth of the significance; the reported sum includes them.

    Parameters
    ----------
    sample
        The pseudo rows of a node, which grow.
    n_targets
        Number of the model's targets.
    significance
        In (0, 1).
    most_rows
        The cap.
    compare
        ``best_two``: only the p-value of the second best is compared (section 2.4, the alternative).
    prefer
        Chooses where the cap is reached without significance: among the candidates that Benjamini & Hochberg's
        procedure does not find worse on these rows, the best of each feature. ``None``: that of the largest gain.

    References
    ----------
    Zhou, Hooker (2016), sections 2.3 to 2.5.
    """
    search = _Search(sample, n_targets)
    size, p_dropped = min(FIRST_SIZE, most_rows), 0.0
    while True:
        sums, compared = search.compare(size)
        of_all = min(1.0, p_dropped + compared.p_value)
        p_value = compared.p_value_of_second if compare == "best_two" else of_all
        is_significant = p_value <= significance or compared.gains[compared.best] <= _LEAST_GAIN
        if is_significant or size >= most_rows:
            if prefer is not None and not is_significant:
                sums, compared = search.preferred(compared, significance, prefer)
            return _choice(search.best, sums, compared, Confidence(p_value, at_cap=not is_significant))
        is_kept, p_more = _kept(compared, significance, _SHARE_OF_DROPPED * significance - p_dropped)
        p_dropped += p_more
        search.keep(is_kept)
        size = next_size(size, p_value, significance, most_rows)


@dataclass(slots=True)
class _Search:
    """Repeated comparison of a sample's candidates, on more and more pseudo rows."""

    sample: PseudoSample
    n_targets: int
    best: int | None = None  # among the sample's candidates
    _sums: SplitSums | None = None  # of all candidates; None: merged ones were compared last
    _merged: MergedCandidates | None = None
    _few: PseudoSample | None = None  # the sample with merged candidates

    def compare(self, size: int) -> tuple[SplitSums, Comparison]:
        """Compare the candidates on ``size`` pseudo rows, merged if there are many."""
        merged = None if self._sums is not None else self.sample.merged(size)
        if merged is not None:
            self._few, self._merged = merged
            best = None if self.best is None else self._merged.number_of(self.best)
            sums, compared = self._compared(self._few, self._few.summed(self.n_targets, best), best)
            self.best = self._merged.first_of(compared.best)
            return sums, compared
        self._merged, self._few = None, None
        if self._sums is None:
            self._sums = self.sample.summed(self.n_targets, self.best, size)
        else:
            self.sample.grow(self._sums, size, self.best)
        self._sums, compared = self._compared(self.sample, self._sums, self.best)
        self.best = compared.best
        return self._sums, compared

    def preferred(self, compared: Comparison, level: float, prefer: Prefer) -> tuple[SplitSums, Comparison]:
        """Make one of the candidates that the last comparison could not separate the best."""
        unseparated = compared.unseparated(level)
        candidates = unseparated if self._merged is None else [self._merged.first_of(each) for each in unseparated]
        index = prefer([self.sample.candidates.condition(each) for each in candidates]) if len(unseparated) > 1 else 0
        self.best = candidates[index]
        sums = (self.sample if self._few is None else self._few).summed(self.n_targets, unseparated[index])
        return sums, replace(compared, best=unseparated[index])

    def keep(self, is_compared: NDArray[np.bool_]) -> None:
        """Drop the compared candidates that are not kept; the best is always kept."""
        is_kept = is_compared if self._merged is None else self._merged.spread(is_compared)
        self.sample.keep(is_kept)
        self._sums = None if self._sums is None else self._sums.select(is_kept)
        self.best = int(is_kept[: self.best].sum())

    def _compared(self, sample: PseudoSample, sums: SplitSums, reference: int | None) -> tuple[SplitSums, Comparison]:
        best = best_split(sums)
        if best != reference:
            sums = sample.summed(self.n_targets, best)
        return sums, compare_with(sums, best, sample.rows(best))


def _kept(compared: Comparison, significance: float, p_allowed: float) -> tuple[NDArray[np.bool_], float]:
    """Return which candidates are kept, and the sum of the p-values of those that are not."""
    ranked = np.sort(compared.p_values[compared.discarded(significance) & compared.counted])
    n_dropped = int(np.searchsorted(np.cumsum(ranked), p_allowed, side="right"))
    if n_dropped == 0:
        return np.ones(len(compared.p_values), np.bool_), 0.0
    is_kept = (compared.p_values > ranked[n_dropped - 1]) | compared.like_best
    return is_kept, float(compared.p_values[~is_kept & compared.counted].sum())


def _choice(best: int | None, sums: SplitSums, compared: Comparison, confidence: Confidence) -> SplitChoice:
    by_side = sums.totals[:, : 1 + sums.n_targets]
    right, left = (side[1:] / max(1.0, side[0]) for side in by_side)
    everything = by_side.sum(axis=0)
    gain = float(compared.gains[compared.best])
    candidate = best if gain > _LEAST_GAIN else None
    return SplitChoice(candidate, gain, confidence, everything[1:] / everything[0], right, left)
