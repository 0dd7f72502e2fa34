"""PseudoSample: the pseudo rows of one node, drawn and labelled in blocks that the cores share.

Training rows may suggest a hundred times more thresholds than there are pseudo rows to compare them. So candidates that
separate the given pseudo rows alike are merged (``MergedCandidates``): time and memory grow with the pseudo rows.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress
from ..compute.threads import in_order
from ..rows import Rows
from .candidate_splits import Candidates, FeatureCandidates
from .oracle import BLOCK_ROWS
from .split_sums import Bins, SplitSums
from .split_variances import SidedRows

_BINS_WORTH_MERGING = 2  # of a feature per pseudo row: with fewer, merging costs as much as it saves
MOST_HELD_BYTES = 256_000_000  # of bins and targets of a node
Targets = NDArray[np.float32]
_Integers = NDArray[np.int64]


@dataclass(slots=True)
class _Block:
    """Pseudo rows that can be drawn again from their seed, and what is held of them meanwhile."""

    n_before: int
    n_rows: int
    seed: np.random.SeedSequence
    held: tuple[Bins, Targets] | None = None


@dataclass(slots=True)
class PseudoSample:
    """The pseudo rows of one node, whose number can grow.

    Bins and targets are held as long as they take little memory; blocks beyond that are drawn and labelled again when
    they are needed again.
    """

    draw: Callable[[int, np.random.Generator], Rows]
    label: Callable[[Rows], Targets]  # (n_rows, n_targets) by the model
    candidates: Candidates
    seed: np.random.SeedSequence
    report: ReportProgress  # called after each block; may raise to stop
    _blocks: list[_Block] = field(default_factory=list)
    _held_bytes: int = 0
    n_at_once: int | None = None  # blocks that are drawn and labelled at once; None: one for each core

    @property
    def n_rows(self) -> int:
        """Number of pseudo rows so far."""
        return sum(block.n_rows for block in self._blocks)

    def grow(self, sums: SplitSums, n_rows: int, reference: int | None) -> None:
        """Draw more rows until there are ``n_rows``, and add the new ones to sums.

        Parameters
        ----------
        reference
            The candidate whose sides the sums distinguish; None: all rows are on side 0.
        """
        n_known = len(self._blocks)
        self._plan(n_rows)
        self._add(sums, self._blocks[n_known:], reference)

    def merged(self, n_rows: int) -> "tuple[PseudoSample, MergedCandidates] | None":
        """Draw rows until there are ``n_rows``; return them with those candidates merged that separate them alike.

        ``None`` if little would be merged, or if more rows are needed than are held: then nothing is drawn, or the
        drawn rows are kept.
        """
        features = self.candidates.features
        if sum(feature.n_bins for feature in features) <= _BINS_WORTH_MERGING * n_rows * len(features):
            return None
        n_known = len(self._blocks)
        self._plan(n_rows)
        for block, _ in self._known(self._blocks[n_known:]):
            self._report(block)
        held = [block.held for block in self._blocks if block.held is not None]
        if len(held) < len(self._blocks):
            return None
        merged = MergedCandidates.of(self.candidates, [bins for bins, _ in held], self.report)
        blocks = [
            replace(block, held=(merged.bins_of(bins), targets))
            for block, (bins, targets) in zip(self._blocks, held, strict=True)
        ]
        return replace(self, candidates=merged.candidates, _blocks=blocks, _held_bytes=0), merged

    def summed(self, n_targets: int, reference: int | None, n_rows: int | None = None) -> SplitSums:
        """Return the sums of all rows, of which more may be drawn; they distinguish the sides of a candidate."""
        self._plan(self.n_rows if n_rows is None else n_rows)
        sums = SplitSums.of(self.candidates, n_targets)
        self._add(sums, self._blocks, reference)
        return sums

    def rows(self, reference: int) -> Iterable[SidedRows]:
        """Return all rows so far in pieces, with the sides of a candidate; the result can be iterated repeatedly."""
        return _Repeatable(lambda: self._sided(self._blocks, reference))

    def keep(self, is_kept: NDArray[np.bool_]) -> None:
        """Drop the candidates that are not kept, (n_candidates,)."""
        features = self.candidates.features_of(is_kept)
        if len(features) < len(self.candidates.features):
            for block in self._blocks:
                if block.held is not None:
                    bins, targets = block.held
                    block.held = tuple(bins[feature] for feature in features), targets
        self.candidates = self.candidates.select(is_kept)
        self._held_bytes = sum(_bytes_of(block.held) for block in self._blocks if block.held is not None)

    def _plan(self, n_rows: int) -> None:
        n_before = self.n_rows
        if n_rows <= n_before:
            return
        n_blocks = max(2, -(-(n_rows - n_before) // BLOCK_ROWS))
        ends = np.linspace(n_before, n_rows, n_blocks + 1).round().astype(int)
        for start, end, seed in zip(ends[:-1], ends[1:], self.seed.spawn(n_blocks), strict=True):
            self._blocks.append(_Block(int(start), int(end - start), seed))

    def _add(self, sums: SplitSums, blocks: list[_Block], reference: int | None) -> None:
        n_before = blocks[0].n_before if blocks else 0
        for bins, targets, sides in self._sided(blocks, reference):
            sums.add(bins, targets, sides, n_before)
            n_before += len(targets)

    def _sided(self, blocks: list[_Block], reference: int | None) -> Iterator[SidedRows]:
        for block, (bins, targets) in self._known(blocks):
            sides = np.zeros(block.n_rows, np.uint8)
            if reference is not None:
                sides[self.candidates.sends_left(reference, bins)] = 1
            yield bins, targets, sides
            self._report(block)

    def _report(self, block: _Block) -> None:
        self.report((block.n_before + block.n_rows) / max(1, self.n_rows), "comparing candidates")

    def _known(self, blocks: list[_Block]) -> Iterator[tuple[_Block, tuple[Bins, Targets]]]:
        with closing(in_order(self._made, blocks, self.n_at_once)) as blocks_with_scores:
            for block, known in blocks_with_scores:
                if block.held is None and self._held_bytes + _bytes_of(known) <= MOST_HELD_BYTES:
                    block.held = known
                    self._held_bytes += _bytes_of(known)
                yield block, known

    def _made(self, block: _Block) -> tuple[Bins, Targets]:
        if block.held is not None:
            return block.held
        # From a copy of the seed: it must return the same rows again.
        rows = self.draw(block.n_rows, np.random.default_rng(block.seed))
        return self.candidates.bins_of(rows), self.label(rows)


@dataclass(frozen=True, slots=True)
class _Repeatable:
    """An iterable whose iteration can be repeated."""

    start: Callable[[], Iterator[SidedRows]]

    def __iter__(self) -> Iterator[SidedRows]:
        return self.start()


def _bytes_of(known: tuple[Bins, Targets]) -> int:
    return sum(bins.nbytes for bins in known[0]) + known[1].nbytes


@dataclass(frozen=True, slots=True)
class _MergedFeature:
    """One feature's candidates, merged."""

    candidates: FeatureCandidates  # of occupied bins, numbered from 1; bin 0 is empty
    occupied: _Integers | None  # ascending bins of known numbers that have pseudo rows; None: nothing is merged
    merged_index: NDArray[np.int32]  # (n_candidates before,) the merged candidate that represents each

    def bins_of(self, bins: NDArray[np.unsignedinteger[Any]], n_bins: int) -> NDArray[np.unsignedinteger[Any]]:
        """Return occupied bins for bins, of which there were ``n_bins`` with that of the missing value."""
        if self.occupied is None:
            return bins
        merged_bins = np.searchsorted(self.occupied, bins) + 1
        merged_bins[bins == n_bins - 1] = len(self.occupied) + 1
        return merged_bins.astype(np.min_scalar_type(len(self.occupied) + 1))


@dataclass(frozen=True, slots=True)
class MergedCandidates:
    """Candidates of which one represents all that separate given pseudo rows alike: the first, which sets the order."""

    before: Candidates
    features: tuple[_MergedFeature, ...]

    @classmethod
    def of(
        cls, candidates: Candidates, pieces: Sequence[Bins], report: ReportProgress = ignore_progress
    ) -> "MergedCandidates":
        """Merge candidates, given the pseudo rows' bins in pieces; progress is reported by feature."""
        features: list[_MergedFeature] = []
        for feature, bins in zip(candidates.features, zip(*pieces, strict=True), strict=True):
            report(len(features) / len(candidates.features), "merging candidates")
            features.append(_merge(feature, np.unique(np.concatenate(bins))))
        return cls(candidates, tuple(features))

    @property
    def candidates(self) -> Candidates:
        """The merged candidates."""
        return Candidates(tuple(feature.candidates for feature in self.features))

    def bins_of(self, bins: Bins) -> Bins:
        """Return the occupied bins of rows, given their bins."""
        pairs = zip(self.features, bins, self.before.features, strict=True)
        return tuple(merged.bins_of(feature_bins, feature.n_bins) for merged, feature_bins, feature in pairs)

    def number_of(self, candidate: int) -> int:
        """Return the merged candidate that represents a candidate."""
        feature, within = self.before.locate(candidate)
        return int(self.candidates.starts[feature]) + int(self.features[feature].merged_index[within])

    def first_of(self, candidate: int) -> int:
        """Return the first of the candidates that a merged one represents."""
        feature, within = self.candidates.locate(candidate)
        return int(self.before.starts[feature]) + int(np.argmax(self.features[feature].merged_index == within))

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return for each candidate the value of the merged one that represents it, (n_candidates before,)."""
        pieces = np.split(values, self.candidates.starts[1:-1])
        return np.concatenate([piece[each.merged_index] for each, piece in zip(self.features, pieces, strict=True)])


def _merge(feature: FeatureCandidates, bins: NDArray[Any]) -> _MergedFeature:
    if feature.categories is not None:
        return _MergedFeature(feature, None, np.arange(feature.n_candidates, dtype=np.int32))
    missing = feature.n_bins - 1
    occupied = bins[bins < missing].astype(np.int64)
    first, n_ties = _ties(feature, np.append(occupied, missing))
    order = np.argsort(first)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order))
    representatives = first[order]
    is_alone = feature.last[representatives] == missing
    last = np.searchsorted(occupied, feature.last[representatives], side="right") + is_alone
    merged = replace(
        feature,
        cuts=np.zeros(len(occupied)),  # only their number matters: rows come with their bins
        first=np.where(is_alone, last, 0),
        last=last,
        with_missing=feature.with_missing[representatives],
    )
    merged_index = np.empty(feature.n_candidates, np.int32)
    # as in ``_ties``, candidates that send the missing value left with others come last
    order = np.concatenate((np.flatnonzero(~feature.with_missing), np.flatnonzero(feature.with_missing)))
    merged_index[order] = np.repeat(rank, n_ties)
    return _MergedFeature(merged, occupied, merged_index)


def _ties(feature: FeatureCandidates, ends: _Integers) -> tuple[_Integers, _Integers]:
    """Return the first of candidates that separate the rows alike, and their number, by the missing value's branch."""
    first, n_ties = [], []
    for branch in (False, True):
        candidates = np.flatnonzero(feature.with_missing == branch)
        starts = np.unique(np.append(0, np.searchsorted(feature.last[candidates], ends)))
        starts = starts[starts < len(candidates)]
        first.append(candidates[starts])
        n_ties.append(np.diff(np.append(starts, len(candidates))))
    return np.concatenate(first), np.concatenate(n_ties)
