"""PseudoSample: the pseudo rows of one node, drawn and labelled in blocks by both cores."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.threads import in_order
from ..rows import Rows
from .candidates import Candidates, FeatureCandidates
from .split_sums import Bins, SplitSums
from .split_variances import SidedRows

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


_MOST_ROWS = 4_096  # in a block, so that a cancel is heard soon
_BINS_WORTH_MERGING = 2  # of a feature come upon a pseudo row: fewer are as quickly gone through as merged
_MOST_HELD_BYTES = 256_000_000  # of bins and answers of a node

Answers = NDArray[np.float32]
_Bins = Sequence[NDArray[np.unsignedinteger[Any]]]


@dataclass(slots=True)
class _Block:
    """Pseudo rows that can be drawn again from their seed, and what is held of them meanwhile."""

    n_before: int
    n_rows: int
    seed: np.random.SeedSequence
    held: tuple[_Bins, Answers] | None = None


@dataclass(slots=True)
class PseudoSample:
    """Pseudo rows of one node, of which there may be more and more.

    Bins and answers are held as long as they take little memory; blocks beyond that are drawn and asked again when they
    are needed again.
    """

    draw: Callable[[int, np.random.Generator], Rows]
    ask: Callable[[Rows], Answers]  # (n_rows, n_targets)
    candidates: Candidates
    seed: np.random.SeedSequence
    beat: Callable[[], None]  # told after each block; raises to stop
    _blocks: list[_Block] = field(default_factory=list)
    _held_bytes: int = 0

    @property
    def n_rows(self) -> int:
        """Pseudo rows so far."""
        return sum(block.n_rows for block in self._blocks)

    def grow(self, sums: SplitSums, n_rows: int, reference: int | None) -> None:
        """Draw more rows until there are ``n_rows``, and add the new ones to sums.

        Parameters
        ----------
        reference
            The candidate whose sides the sums tell apart; None: all rows are on side 0.
        """
        n_known = len(self._blocks)
        self._plan(n_rows)
        self._add(sums, self._blocks[n_known:], reference)

    def merged(self, n_rows: int) -> "tuple[PseudoSample, Merged] | None":
        """Draw rows until there are ``n_rows``; return them with those candidates merged that part them alike.

        ``None`` where little would be merged, or more rows are needed than are held: then nothing is drawn, or what is
        drawn stays.
        """
        features = self.candidates.features
        if sum(feature.n_bins for feature in features) <= _BINS_WORTH_MERGING * n_rows * len(features):
            return None
        n_known = len(self._blocks)
        self._plan(n_rows)
        for _ in self._known(self._blocks[n_known:]):
            self.beat()
        held = [block.held for block in self._blocks if block.held is not None]
        if len(held) < len(self._blocks):
            return None
        found = Merged.of(self.candidates, [bins for bins, _ in held], self.beat)
        blocks = [
            replace(block, held=(found.bins_of(bins), answers))
            for block, (bins, answers) in zip(self._blocks, held, strict=True)
        ]
        return PseudoSample(self.draw, self.ask, found.candidates, self.seed, self.beat, blocks), found

    def summed(self, n_targets: int, reference: int | None, n_rows: int | None = None) -> SplitSums:
        """Return the sums of all rows, of which there may be more now; they tell the sides of a candidate apart."""
        self._plan(self.n_rows if n_rows is None else n_rows)
        sums = SplitSums.of(self.candidates, n_targets)
        self._add(sums, self._blocks, reference)
        return sums

    def rows(self, reference: int) -> Iterable[SidedRows]:
        """Return all rows so far in pieces, with the sides of a candidate; they may be gone through again and again."""
        return _Again(lambda: self._sided(self._blocks, reference))

    def keep(self, kept: NDArray[np.bool_]) -> None:
        """Forget candidates that are not kept, (n_candidates,)."""
        places = self.candidates.places_of(kept)
        if len(places) < len(self.candidates.features):
            for block in self._blocks:
                if block.held is not None:
                    bins, answers = block.held
                    block.held = tuple(bins[place] for place in places), answers
        self.candidates = self.candidates.only(kept)
        self._held_bytes = sum(_bytes_of(block.held) for block in self._blocks if block.held is not None)

    def _plan(self, n_rows: int) -> None:
        n_before = self.n_rows
        if n_rows <= n_before:
            return
        n_blocks = max(2, -(-(n_rows - n_before) // _MOST_ROWS))
        ends = np.linspace(n_before, n_rows, n_blocks + 1).round().astype(int)
        for start, end, seed in zip(ends[:-1], ends[1:], self.seed.spawn(n_blocks), strict=True):
            self._blocks.append(_Block(int(start), int(end - start), seed))

    def _add(self, sums: SplitSums, blocks: list[_Block], reference: int | None) -> None:
        n_before = blocks[0].n_before if blocks else 0
        for bins, answers, sides in self._sided(blocks, reference):
            sums.add(bins, answers, sides, n_before)
            n_before += len(answers)

    def _sided(self, blocks: list[_Block], reference: int | None) -> Iterator[SidedRows]:
        for block, (bins, answers) in self._known(blocks):
            sides = np.zeros(block.n_rows, np.uint8)
            if reference is not None:
                sides[self.candidates.sends_left(reference, bins)] = 1
            yield bins, answers, sides
            self.beat()

    def _known(self, blocks: list[_Block]) -> Iterator[tuple[_Block, tuple[_Bins, Answers]]]:
        with closing(in_order(self._made, blocks)) as made:
            for block, known in made:
                if block.held is None and self._held_bytes + _bytes_of(known) <= _MOST_HELD_BYTES:
                    block.held = known
                    self._held_bytes += _bytes_of(known)
                yield block, known

    def _made(self, block: _Block) -> tuple[_Bins, Answers]:
        if block.held is not None:
            return block.held
        # From a copy of the seed: it must give the same rows again.
        rows = self.draw(block.n_rows, np.random.default_rng(block.seed))
        return self.candidates.bins_of(rows), self.ask(rows)


@dataclass(frozen=True, slots=True)
class _Again:
    """What can be gone through more than once."""

    start: Callable[[], Iterator[SidedRows]]

    def __iter__(self) -> Iterator[SidedRows]:
        return self.start()


def _bytes_of(known: tuple[_Bins, Answers]) -> int:
    return sum(bins.nbytes for bins in known[0]) + known[1].nbytes
