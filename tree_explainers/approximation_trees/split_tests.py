"""The test of better split: how sure it is that the best candidate would be best among new pseudo rows, too."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from .candidate_sweeps import sweep_gains, sweep_variances
from .candidates import Candidates
from .row_variances import SidedRows, variances_by_rows
from .split_sums import Bins, Floats, SplitSums


@dataclass(frozen=True, slots=True)
class Comparison:
    """All candidates beside the best one, on the same pseudo rows.

    Candidates that part the rows alike count as one, whose number is that of the first.
    """

    best: int  # the candidate of the largest gain; ties to the lower number
    gains: Floats  # (n_candidates,) by how much the criterion falls: Gini, or the variance of a value
    variances: Floats  # (n_candidates,) V: that of (gain of the best - gain) is V / n_rows
    p_values: Floats  # (n_candidates,) that new rows prefer it to the best; 0 for what parts the rows as the best does
    counted: NDArray[np.bool_]  # (n_candidates,) the first of those that part the rows alike, but for the best's
    like_best: NDArray[np.bool_]  # (n_candidates,) those that part the rows as the best does, itself among them
    n_rows: int

    @property
    def p_value(self) -> float:
        """The sum of the p-values that count, at most 1."""
        return min(1.0, float(self.p_values[self.counted].sum()))

    def discarded(self, level: float) -> NDArray[np.bool_]:
        """Return which candidates are far worse than the best, (n_candidates,): see ``benjamini_hochberg``.

        Those that part the rows alike go together; the best and its like stay.
        """
        found = np.zeros(len(self.gains), np.bool_)
        found[self.counted] = benjamini_hochberg(self.p_values[self.counted], level)
        threshold = self.p_values[found].max(initial=-1.0)
        return np.asarray((self.p_values <= threshold) & ~self.like_best, np.bool_)


def compare_splits(answers: NDArray[np.floating[Any]], bins: Bins, candidates: Candidates) -> Comparison:
    """Compare all candidates with the best one.

    With theta the mean answers of a side, the gain is the sum over both sides of (share of the rows) |theta|^2, less
    |mean of all|^2. Its influence function is psi_i = |theta|^2 - 2 theta . Y_i with theta of the side that row i is
    on, up to sign and a constant; so the difference of two gains has the variance Var(psi_best - psi_other) / n. That
    new rows, as many, prefer the other one has the probability Phi(-difference / sqrt(2 V / n)), with the factor 2 of
    equation (4).

    Parameters
    ----------
    answers : (n_rows, n_targets)
        What the model says of pseudo rows: shares of classes, or a value.
    bins
        What ``candidates.bins_of`` says of them.
    candidates
        At least one.

    References
    ----------
    Zhou, Hooker (2016), sections 2.1 to 2.4, with another variance: the paper's display takes the share of rows on a
    side as known and misses a factor; ``docs/methods.md`` derives this one.
    """
    centred = answers - answers.mean(axis=0, dtype=np.float64)
    sums = SplitSums.of(candidates, answers.shape[1])
    sums.add(bins, centred, np.zeros(len(answers), np.uint8))
    best = best_split(sums)
    sums = SplitSums.of(candidates, answers.shape[1])
    sides = candidates.sends_left(best, bins).astype(np.uint8)
    sums.add(bins, centred, sides)
    return compare_with(sums, best, [(bins, centred, sides)])


def best_split(sums: SplitSums) -> int:
    """Return the candidate of the largest gain, whatever the reference question; see ``Comparison.best``."""
    prints = sums.left_prints()
    largest = int(np.argmax(_gains(sums)))
    return int(np.argmax(prints == prints[largest]))


def compare_with(sums: SplitSums, best: int, rows: Iterable[SidedRows]) -> Comparison:
    """Compare all candidates with the best one, which the sums have as their reference question.

    ``rows`` are the pseudo rows again, gone through (several times) only where the sums have no products.
    """
    prints, gains = sums.left_prints(), _gains(sums)
    _, first = np.unique(prints, return_index=True)
    counted = np.zeros(len(prints), np.bool_)
    counted[first] = True
    like_best = prints == prints[best]
    variances = _variances(sums) if sums.has_products else variances_by_rows(sums, _means_of_sides(sums), rows)
    n_rows = int(sums.totals[:, 0].sum())
    p_values = _p_values(gains[best] - gains, variances / n_rows)
    variances[like_best], p_values[like_best] = 0, 0
    return Comparison(best, gains, variances, p_values, counted & ~like_best, like_best, n_rows)


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
    for at, (feature, by_bin) in enumerate(zip(sums.candidates.features, sums.by_bin, strict=True)):
        both = by_bin[:, :, : 1 + sums.n_targets].sum(axis=1, keepdims=True)
        sweep_gains(both, feature.sends, gains[starts[at] : starts[at + 1]])
    return gains


def _variances(sums: SplitSums) -> Floats:
    """Return Var(psi_best - psi) of each candidate, (n_candidates,), from the sums of products."""
    totals, of_best, found = sums.totals, _means_of_sides(sums), []
    for feature, by_bin in zip(sums.candidates.features, sums.by_bin, strict=True):
        with_missing = np.concatenate((by_bin, by_bin[-1:]))
        running = np.zeros_like(totals)
        found.append(sweep_variances(with_missing, 0, running, (totals, of_best), feature.sends))
    return np.concatenate(found)


def _means_of_sides(sums: SplitSums) -> Floats:
    """Return the mean answers on the right and on the left of the best, (2, n_targets); 0 where there are no rows."""
    totals = sums.totals[:, : 1 + sums.n_targets]
    return totals[:, 1:] / np.maximum(totals[:, :1], 1)


def _p_values(differences: Floats, variances: Floats) -> Floats:
    """Return the probability that new rows turn a difference of gains round; 1/2 where nothing is known of it."""
    spread = np.sqrt(2 * variances)
    away = np.divide(differences, spread, out=np.where(differences > 0, np.inf, 0.0), where=spread > 0)
    return np.asarray(ndtr(-away), np.float64)
