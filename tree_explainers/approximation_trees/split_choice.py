"""The choice of a node's question: tests on more and more pseudo rows until the best candidate is sure."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .merged_candidates import Merged
from .pseudo_samples import PseudoSample
from .sample_sizes import FIRST_SIZE, next_size
from .split_sums import Floats, SplitSums
from .split_tests import Comparison, best_split, compare_with
from .trees import Confidence

_LEAST_GAIN = 1e-12  # less is rounding of the model's answers; of 1, or of the variance of its values
_SHARE_OF_DROPPED = 0.1  # of the significance: the p-values of dropped candidates, all together


@dataclass(frozen=True, slots=True)
class Choice:
    """What the pseudo rows of a node say."""

    candidate: int | None  # its number among the sample's candidates; None where the model says the same everywhere
    gain: float
    confidence: Confidence
    mean: Floats  # (n_targets,) of all pseudo rows
    mean_right: Floats  # (n_targets,)
    mean_left: Floats  # (n_targets,)


def choose_split(sample: PseudoSample, n_targets: int, significance: float, most_rows: int) -> Choice:
    """Return the best candidate, on as many pseudo rows as it takes to be sure of it, or as are allowed.

    The sum of the p-values is compared with the significance. Candidates that are far worse (Benjamini, Hochberg, at a
    false discovery rate of the significance) are dropped, the worst first, as long as the p-values of all that were
    dropped add up to no more than a tenth of the significance; the reported sum keeps them.

    References
    ----------
    Zhou, Hooker (2016), sections 2.3 to 2.5.
    """
    search = _Search(sample, n_targets)
    size, p_dropped = min(FIRST_SIZE, most_rows), 0.0
    while True:
        sums, compared = search.compare(size)
        p_value = min(1.0, p_dropped + compared.p_value)
        is_sure = p_value <= significance or compared.gains[compared.best] <= _LEAST_GAIN
        if is_sure or size >= most_rows:
            return _choice(search.best, sums, compared, Confidence(p_value, at_cap=not is_sure))
        kept, p_more = _kept(compared, significance, _SHARE_OF_DROPPED * significance - p_dropped)
        p_dropped += p_more
        search.keep(kept)
        size = next_size(size, p_value, significance, most_rows)


@dataclass(slots=True)
class _Search:
    """The comparison of a sample's candidates, time after time on more pseudo rows."""

    sample: PseudoSample
    n_targets: int
    best: int | None = None  # among the sample's candidates
    _sums: SplitSums | None = None  # of all of them; None: merged ones were compared last
    _merged: Merged | None = None

    def compare(self, size: int) -> tuple[SplitSums, Comparison]:
        """Compare the candidates on so many pseudo rows, those that part the rows alike as one if there are many."""
        found = None if self._sums is not None else self.sample.merged(size)
        if found is not None:
            few, self._merged = found
            best = None if self.best is None else self._merged.number_of(self.best)
            sums, compared = self._compared(few, few.summed(self.n_targets, best), best)
            self.best = self._merged.first_of(compared.best)
            return sums, compared
        self._merged = None
        if self._sums is None:
            self._sums = self.sample.summed(self.n_targets, self.best, size)
        else:
            self.sample.grow(self._sums, size, self.best)
        self._sums, compared = self._compared(self.sample, self._sums, self.best)
        self.best = compared.best
        return self._sums, compared

    def keep(self, kept: NDArray[np.bool_]) -> None:
        """Forget candidates that are not kept, of those that were compared; the best is."""
        own = kept if self._merged is None else self._merged.spread(kept)
        self.sample.keep(own)
        self._sums = None if self._sums is None else self._sums.only(own)
        self.best = int(own[: self.best].sum())

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
    kept = (compared.p_values > ranked[n_dropped - 1]) | compared.like_best
    return kept, float(compared.p_values[~kept & compared.counted].sum())


def _choice(best: int | None, sums: SplitSums, compared: Comparison, confidence: Confidence) -> Choice:
    by_side = sums.totals[:, : 1 + sums.n_targets]
    right, left = (side[1:] / max(1.0, side[0]) for side in by_side)
    everything = by_side.sum(axis=0)
    gain = float(compared.gains[compared.best])
    found = best if gain > _LEAST_GAIN else None
    return Choice(found, gain, confidence, everything[1:] / everything[0], right, left)
