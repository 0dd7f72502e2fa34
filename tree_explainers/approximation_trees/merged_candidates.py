"""Merged candidates: of those about a number that part given pseudo rows alike, the first stands for all.

Training rows may tell apart a hundred times more thresholds than there are pseudo rows that could tell which is best:
what is summed and compared should grow with the pseudo rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .candidates import Candidates, FeatureCandidates
from .split_sums import Bins

_Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class MergedFeature:
    """One feature's candidates, merged."""

    candidates: FeatureCandidates  # about places among the occupied bins; the first place is of no bin, and empty
    occupied: _Integers | None  # ascending bins of known numbers in which pseudo rows are; None: nothing is merged
    stands_for: NDArray[np.int32]  # (n_candidates before,) the merged candidate by which each is stood for

    def bins_of(self, bins: NDArray[np.unsignedinteger[Any]], n_bins: int) -> NDArray[np.unsignedinteger[Any]]:
        """Return places in place of bins, of which there were so many with that of the missing value."""
        if self.occupied is None:
            return bins
        places = np.searchsorted(self.occupied, bins) + 1
        places[bins == n_bins - 1] = len(self.occupied) + 1
        return places.astype(np.min_scalar_type(len(self.occupied) + 1))


@dataclass(frozen=True, slots=True)
class Merged:
    """Candidates of all features, merged by where pseudo rows are. Their order is that of the first of each."""

    before: Candidates
    features: tuple[MergedFeature, ...]

    @classmethod
    def of(cls, candidates: Candidates, pieces: Sequence[Bins], beat: Callable[[], None] = lambda: None) -> "Merged":
        """Merge candidates that part pseudo rows alike, whose bins come in pieces; a feature takes a ``beat``."""
        features = []
        for feature, found in zip(candidates.features, zip(*pieces, strict=True), strict=True):
            beat()
            features.append(_merged(feature, np.unique(np.concatenate(found))))
        return cls(candidates, tuple(features))

    @property
    def candidates(self) -> Candidates:
        """The merged candidates."""
        return Candidates(tuple(feature.candidates for feature in self.features))

    def bins_of(self, bins: Bins) -> Bins:
        """Return the places of rows in place of their bins."""
        pairs = zip(self.features, bins, self.before.features, strict=True)
        return tuple(merged.bins_of(own, feature.n_bins) for merged, own, feature in pairs)

    def number_of(self, candidate: int) -> int:
        """Return the merged candidate that stands for one."""
        feature, within = self.before.place(candidate)
        return int(self.candidates.starts[feature]) + int(self.features[feature].stands_for[within])

    def first_of(self, candidate: int) -> int:
        """Return the first of the candidates for which a merged one stands."""
        feature, within = self.candidates.place(candidate)
        return int(self.before.starts[feature]) + int(np.argmax(self.features[feature].stands_for == within))

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return for each candidate what is said of the merged one that stands for it, (n_candidates before,)."""
        pieces = np.split(values, self.candidates.starts[1:-1])
        return np.concatenate([own[each.stands_for] for each, own in zip(self.features, pieces, strict=True)])


def _merged(feature: FeatureCandidates, found: NDArray[Any]) -> MergedFeature:
    if feature.categories is not None:
        return MergedFeature(feature, None, np.arange(feature.n_candidates, dtype=np.int32))
    missing = feature.n_bins - 1
    occupied = found[found < missing].astype(np.int64)
    first, n_alike = _alike(feature, np.append(occupied, missing))
    order = np.argsort(first)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order))
    kept = first[order]
    is_alone = feature.last[kept] == missing
    places = np.searchsorted(occupied, feature.last[kept], side="right") + is_alone
    merged = replace(
        feature,
        cuts=np.zeros(len(occupied)),  # nothing but their number counts: bins are told already
        first=np.where(is_alone, places, 0),
        last=places,
        with_missing=feature.with_missing[kept],
    )
    stands_for = np.empty(feature.n_candidates, np.int32)
    stands_for[_by_side(feature)] = np.repeat(rank, n_alike)
    return MergedFeature(merged, occupied, stands_for)


def _by_side(feature: FeatureCandidates) -> _Integers:
    """Return candidates in order, but those last that send the missing left with others."""
    return np.concatenate((np.flatnonzero(~feature.with_missing), np.flatnonzero(feature.with_missing)))


def _alike(feature: FeatureCandidates, ends: _Integers) -> tuple[_Integers, _Integers]:
    """Return the first candidate of those that part the rows alike, and their number, in the order of ``_by_side``."""
    first, n_alike = [], []
    for side in (False, True):
        own = np.flatnonzero(feature.with_missing == side)
        starts = np.unique(np.append(0, np.searchsorted(feature.last[own], ends)))
        starts = starts[starts < len(own)]
        first.append(own[starts])
        n_alike.append(np.diff(np.append(starts, len(own))))
    return np.concatenate(first), np.concatenate(n_alike)
