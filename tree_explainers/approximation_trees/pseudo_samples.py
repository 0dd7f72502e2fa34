"""PseudoSample: the pseudo rows of one node, drawn and asked in blocks by both cores."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.threads import in_order
from ..rows import Rows
from .candidates import Candidates
from .merged_candidates import Merged
from .row_variances import SidedRows
from .split_sums import SplitSums

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
