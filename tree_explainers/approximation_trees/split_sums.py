"""SplitSums: sums over pseudo rows, bin by bin, from which every candidate's gain and its variance follow.

A candidate's side is a difference of prefix sums over bins: no loop over pairs of rows and candidates.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, inlined
from ..compute.threads import in_threads
from .candidate_splits import Candidates, FeatureCandidates

Floats = NDArray[np.float64]
Bins = Sequence[NDArray[np.unsignedinteger[Any]]]  # by feature, each (n_rows,)

MOST_BYTES = 256_000_000  # of the sums of a node
_FEW_TARGETS = 32  # whose products take next to no time
_WORTH_THREADS = 10_000_000  # additions: some hundredths of a second, compared with which starting threads is cheap


def is_projected(candidates: Candidates, n_targets: int) -> bool:
    """Whether it takes less time to project targets on each candidate's means than to sum their products, bin by bin.

    A row has ``n_targets ** 2 / 2`` products for each feature, and ``4 * n_targets`` additions for each candidate. The
    first are added one by one to sums that no cache holds; the second are products of matrices, about 30 times as fast.
    """
    return n_targets >= _FEW_TARGETS and 4 * n_targets * len(candidates.features) > candidates.n_candidates


@dataclass(frozen=True, slots=True)
class SplitSums:
    """Sums over pseudo rows, for each feature, bin and side of one reference candidate.

    The terms are 1, Y and the lower half of Y Y', with Y the row's targets. Side 1 holds the rows that the reference
    candidate sends left. Targets should be centred, so that little precision is lost when sums are subtracted. If the
    products Y Y' would take too much memory (very many bins) or too long (many classes), they are left out.

    Each row also has a random key of 64 bits. The sum of the keys of a side (modulo 2^64) is a fingerprint of the side:
    two candidates with equal fingerprints separate the rows alike, but for a chance of 2^-64.
    """

    candidates: Candidates
    n_targets: int
    by_bin: tuple[Floats, ...]  # by feature, (n_bins, 2, n_terms)
    fingerprints: tuple[NDArray[np.uint64], ...]  # by feature, (n_bins,)

    @classmethod
    def of(cls, candidates: Candidates, n_targets: int, most_bytes: int | None = None) -> Self:
        """Return the sums over no rows, with products if they take at most ``most_bytes`` (``MOST_BYTES``)."""
        n_terms = 1 + n_targets + n_targets * (n_targets + 1) // 2
        n_bins = sum(feature.n_bins for feature in candidates.features)
        is_large = 16 * n_bins * n_terms > (MOST_BYTES if most_bytes is None else most_bytes)
        if is_large or is_projected(candidates, n_targets):
            n_terms = 1 + n_targets
        by_bin = tuple(np.zeros((feature.n_bins, 2, n_terms)) for feature in candidates.features)
        fingerprints = tuple(np.zeros(feature.n_bins, np.uint64) for feature in candidates.features)
        return cls(candidates, n_targets, by_bin, fingerprints)

    @property
    def has_products(self) -> bool:
        """Whether Y Y' is summed, too."""
        return bool(self.by_bin[0].shape[2] > 1 + self.n_targets)

    def add(self, bins: Bins, targets: NDArray[np.floating[Any]], sides: NDArray[np.uint8], n_before: int = 0) -> None:
        """Add pseudo rows; where there is much to add, features are shared among threads.

        Parameters
        ----------
        bins
            By feature of the candidates, each (n_rows,).
        targets : (n_rows, n_targets)
            The model's targets of them.
        sides : (n_rows,)
            1 if the reference candidate sends the row left, else 0.
        n_before
            Number of rows added before these: a row's key is computed from its number.
        """
        # each row number has a key of 64 random bits (splitmix64)
        mixed = np.arange(n_before + 1, n_before + len(targets) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        keys = mixed ^ (mixed >> np.uint64(31))

        def work(features: slice) -> None:
            for feature_bins, by_bin, fingerprints in zip(
                bins[features], self.by_bin[features], self.fingerprints[features], strict=True
            ):
                _add_rows(feature_bins, targets, sides, by_bin)
                _add_keys(feature_bins, keys, fingerprints)

        n_additions = len(targets) * sum(by_bin.shape[-1] for by_bin in self.by_bin)
        in_threads(work, len(self.by_bin), None if n_additions > _WORTH_THREADS else 1)

    def select(self, is_kept: NDArray[np.bool_]) -> "SplitSums":
        """Return the sums for the candidates that are kept, (n_candidates,), with their new numbers."""
        features, candidates = self.candidates.features_of(is_kept), self.candidates.select(is_kept)
        n_terms = 1 + self.n_targets if is_projected(candidates, self.n_targets) else None
        return SplitSums(
            candidates,
            self.n_targets,
            tuple(np.ascontiguousarray(self.by_bin[feature][:, :, :n_terms]) for feature in features),
            tuple(self.fingerprints[feature] for feature in features),
        )

    @property
    def totals(self) -> Floats:
        """The terms summed over all rows, by side of the reference candidate, (2, n_terms)."""
        summed: Floats = self.by_bin[0].sum(axis=0)
        return summed

    def left(self) -> Floats:
        """Return the terms summed over the rows that each candidate sends left, (n_candidates, 2, n_terms)."""
        pairs = zip(self.candidates.features, self.by_bin, strict=True)
        return np.concatenate([left_of(feature, by_bin) for feature, by_bin in pairs])

    def left_fingerprints(self) -> NDArray[np.uint64]:
        """Return the fingerprint of each candidate's two sides, whichever is the left one, (n_candidates,)."""
        pairs = zip(self.candidates.features, self.fingerprints, strict=True)
        left = np.concatenate([left_of(feature, fingerprints) for feature, fingerprints in pairs])
        return np.asarray(np.minimum(left, self.fingerprints[0].sum(dtype=np.uint64) - left), np.uint64)


def left_of(feature: FeatureCandidates, by_bin: NDArray[Any]) -> NDArray[Any]:
    """Add up the bins that candidates of one feature send left, (n_candidates, ...)."""
    ends = np.concatenate((np.zeros_like(by_bin[:1]), np.cumsum(by_bin, axis=0, dtype=by_bin.dtype)))
    left: NDArray[Any] = ends[feature.last + 1] - ends[feature.first]
    left[feature.with_missing] += by_bin[-1]
    return left


@compiled
def add_rows_between(
    bins: NDArray[np.unsignedinteger[Any]],
    targets: NDArray[np.floating[Any]],
    sides: NDArray[np.uint8],
    bounds: tuple[int, int],
    by_bin: Floats,
) -> None:
    """Add the rows of some consecutive bins, and those of the missing value's bin.

    Parameters
    ----------
    bins, targets, sides
        As in ``SplitSums.add``, of one feature.
    bounds
        The first of the bins, and the bin of the missing value.
    by_bin : (n_bins + 1, 2, n_terms)
        The terms of these bins, products among them, then those of the missing value; added to.
    """
    first, missing_bin = bounds
    n_bins = len(by_bin) - 1
    for row in range(len(bins)):
        bin_ = np.int64(bins[row])
        if first <= bin_ < first + n_bins:
            _add_row(by_bin[bin_ - first, sides[row]], targets[row])
        if bin_ == missing_bin:
            _add_row(by_bin[n_bins, sides[row]], targets[row])


@inlined
def _add_row(sums: Floats, targets: NDArray[np.floating[Any]]) -> None:
    n_targets = len(targets)
    sums[0] += 1.0
    for one in range(n_targets):
        sums[1 + one] += targets[one]
    if len(sums) == 1 + n_targets:
        return
    term = 1 + n_targets
    for one in range(n_targets):
        value = np.float64(targets[one])
        for other in range(one + 1):
            sums[term] += value * targets[other]
            term += 1


@compiled
def _add_rows(
    bins: NDArray[np.unsignedinteger[Any]],
    targets: NDArray[np.floating[Any]],
    sides: NDArray[np.uint8],
    by_bin: Floats,
) -> None:
    for row in range(len(bins)):
        _add_row(by_bin[bins[row], sides[row]], targets[row])


@compiled
def _add_keys(
    bins: NDArray[np.unsignedinteger[Any]], keys: NDArray[np.uint64], fingerprints: NDArray[np.uint64]
) -> None:
    for row in range(len(bins)):
        fingerprints[bins[row]] += keys[row]
