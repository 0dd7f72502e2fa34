"""Comparing candidates with all rows by masks: 512 candidates for the price of one, where leaves are large."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..leaf_space.binary_sums import ExactSums
from ..leaf_space.leaf_masks import BLOCK
from ..leaf_space.leaves import LeafTable
from ..leaf_space.proximity_block_sums import Block, BlockSums
from ..leaf_space.rounded_weights import RoundedSums
from .kept_sums import KeptSums
from .pair_lists import FoundPairs, drain, drain_both
from .work_items import NANOSECONDS_PER_PIECE, Pieces

_TARGETS_BOTH_WAYS = 1024  # in a piece: what a thread finds of them stays until all are compared, 12 bytes a pair

SomeSums = Iterator[tuple[slice, ExactSums | RoundedSums]]
"""Some targets after the other, and their proximities."""


class MaskSweep:
    """Compares blocks of at most 512 candidates with rows of a table.

    ``candidate_codes``, (n_trees, n_rows), are the codes that candidates are numbered among: the table's own, or
    those of other rows. ``kept`` are proximities of the table's rows that another sweep added up, or will need.
    """

    def __init__(
        self,
        table: LeafTable,
        weights: NDArray[np.int64],
        pieces: Pieces,
        candidate_codes: NDArray[Any] | None = None,
        kept: KeptSums | None = None,
    ) -> None:
        self._table, self._pieces, self._own, self._kept = table, pieces, candidate_codes, kept
        self._sums = BlockSums(table, weights)

    @property
    def nanoseconds_per_target(self) -> float:
        """How long comparing a block with a row takes, on one core."""
        return self._sums.nanoseconds_per_target

    def tally(
        self, candidates: NDArray[np.int64], targets: NDArray[np.int64], limits: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return how many targets are above their limit, and by how much: (2, n_lines of limits, n_candidates)."""
        block = self._block(candidates)

        def tally(part: slice) -> NDArray[np.int64]:
            tallies = np.zeros((2, len(limits), BLOCK), dtype=np.int64)
            for some, sums in self._sums.of(targets[part], block):
                sums.tally(limits[:, part][:, some], tallies)
            return tallies

        total = np.zeros((2, len(limits), BLOCK), dtype=np.int64)
        for tallies in self._pieces(tally, len(targets), self._targets_per_piece, len(candidates)):
            total += tallies
        return total[:, :, : len(candidates)]

    def close_pairs(
        self, candidates: NDArray[np.int64], targets: NDArray[np.int64], thresholds: NDArray[np.int64]
    ) -> Iterator[FoundPairs]:
        """Yield the pairs whose proximity is above the target's threshold."""
        block = self._block(candidates)

        def close(part: slice) -> list[FoundPairs]:
            pairs = []
            for some, sums in self._sums.of(targets[part], block):
                find = partial(sums.list_above, thresholds[part][some])
                first = np.int32(part.start + some.start)
                pairs += [FoundPairs(c, t + first, p) for c, t, p in drain(find, some.stop - some.start, BLOCK)]
            return pairs

        return chain.from_iterable(self._pieces(close, len(targets), self._targets_per_piece, len(candidates)))

    def pairs_both_ways(
        self, rows: NDArray[np.int64], block: slice, thresholds: NDArray[np.int64]
    ) -> Iterator[tuple[FoundPairs, FoundPairs]]:
        """Yield the close pairs of a block of rows with these and all later ones; see ``PairsBothWays``."""
        limits, sums_of = self._sums.limits(thresholds[block]), self._sums_both_ways(rows, block)
        are_short = max(len(rows), self._sums.total_weight) <= np.iinfo(np.uint16).max
        number = np.uint16 if are_short else np.int32

        def close(part: slice) -> list[tuple[FoundPairs, FoundPairs]]:
            pairs = []
            for some, sums in sums_of(part):
                first, n_some = block.start + part.start + some.start, some.stop - some.start
                find = partial(sums.list_both, thresholds[first : first + n_some], limits)
                for one_way, mirrored in drain_both(find, n_some, BLOCK, are_short=are_short):
                    later = slice(int(np.searchsorted(mirrored.targets, number(max(0, block.stop - first)))), None)
                    candidates = mirrored.targets[later] + number(first)
                    members = mirrored.candidates[later] + number(block.start)
                    seen = FoundPairs(candidates, members, mirrored.proximities[later])
                    pairs.append((one_way._replace(targets=one_way.targets + number(first)), seen))
            return pairs

        n_targets, longest = len(rows) - block.start, min(_TARGETS_BOTH_WAYS, self._targets_per_piece)
        for found in self._pieces(close, n_targets, longest, block.stop - block.start):
            while found:
                yield found.pop(0)  # not held any more: callers copy what they keep

    def _sums_both_ways(self, rows: NDArray[np.int64], block: slice) -> Callable[[slice], SomeSums]:
        """Return what yields the proximities of parts of a block's rows, and of all later ones, to the block."""
        known = None if self._kept is None else self._kept.of(rows, block)
        if known is not None:
            return known.read
        of_block, n_digits, targets = self._block(rows[block]), self._sums.n_exact_digits, rows[block.start :]
        room = None if self._kept is None or n_digits is None else self._kept.room_for(rows, block, n_digits)

        def add_up(part: slice) -> SomeSums:
            for some, sums in self._sums.of(targets[part], of_block):
                if room is not None:
                    assert isinstance(sums, ExactSums)  # as there are exact digits
                    room.write(part.start + some.start, sums)
                yield some, sums

        return add_up

    @property
    def _targets_per_piece(self) -> int:
        return int(NANOSECONDS_PER_PIECE / self.nanoseconds_per_target)

    def _block(self, candidates: NDArray[np.int64]) -> Block:
        return self._sums.block(self._table.codes if self._own is None else self._own, candidates)
