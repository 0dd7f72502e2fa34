"""Comparing candidates with rows by masks of who is in a leaf: 512 candidates for the price of one."""

from collections.abc import Iterator
from functools import partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ..leaf_space.binary_sums import list_above, tally_above
from ..leaf_space.leaf_masks import BLOCK, LeafMasks, Targets, add_masks, leaf_masks, plan_adding, room_for_sums
from ..leaf_space.leaves import LeafTable
from .close_pairs import FoundPairs, drain
from .pieces import Pieces, blocks

# Measured on one core of a server of 2024; they decide which way is taken, not what comes out.
_NANOSECONDS_PER_MASK = 1.5
_NANOSECONDS_PER_LOOKUP = 1.5
_NANOSECONDS_PER_TARGET = 500.0
_NANOSECONDS_PER_PIECE = 1e8
_TARGETS_AT_ONCE, _TARGETS_AT_ONCE_IN_GROUPS = 512, 2048  # groups of trees are for working through many targets


class MaskSweep:
    """Compares blocks of at most 512 candidates with rows, all given as rows of one table."""

    def __init__(self, table: LeafTable, weights: NDArray[np.int64], pieces: Pieces) -> None:
        self._table, self._pieces = table, pieces
        self._plan = plan_adding(weights, _n_masks_per_tree(table))
        self.nanoseconds_per_target = (
            len(self._plan.trees) * _NANOSECONDS_PER_MASK
            + table.n_trees * _NANOSECONDS_PER_LOOKUP
            + _NANOSECONDS_PER_TARGET
        )

    def tally(
        self, candidates: NDArray[np.int64], targets: NDArray[np.int64], limits: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return how many targets are above their limit, and by how much: (2, n_lines of limits, n_candidates)."""
        masks = self._masks(candidates)

        def tally(part: slice) -> NDArray[np.int64]:
            found = np.zeros((2, len(limits), BLOCK), dtype=np.int64)
            for some, sums in self._sums(targets[part], masks):
                for line, its_limits in enumerate(limits[:, part]):
                    tally_above(sums, self._plan.n_digits, its_limits[some], *found[:, line])
            return found

        total = np.zeros((2, len(limits), BLOCK), dtype=np.int64)
        for found in self._pieces(tally, len(targets), self._targets_per_piece, len(candidates)):
            total += found
        return total[:, :, : len(candidates)]

    def close_pairs(
        self, candidates: NDArray[np.int64], targets: NDArray[np.int64], thresholds: NDArray[np.int64]
    ) -> Iterator[FoundPairs]:
        """Yield the pairs whose proximity is above the target's threshold."""
        masks = self._masks(candidates)

        def close(part: slice) -> list[FoundPairs]:
            found = []
            for some, sums in self._sums(targets[part], masks):
                find = partial(list_above, sums, self._plan.n_digits, thresholds[part][some])
                first = np.int32(part.start + some.start)
                found += [FoundPairs(c, t + first, p) for c, t, p in drain(find, len(sums), BLOCK)]
            return found

        return chain.from_iterable(self._pieces(close, len(targets), self._targets_per_piece, len(candidates)))

    @property
    def _targets_per_piece(self) -> int:
        return int(_NANOSECONDS_PER_PIECE / self.nanoseconds_per_target)

    def _masks(self, candidates: NDArray[np.int64]) -> LeafMasks:
        return leaf_masks(self._table.codes, self._table.offsets, candidates)

    def _sums(self, targets: NDArray[np.int64], masks: LeafMasks) -> Iterator[tuple[slice, NDArray[np.uint64]]]:
        """Yield some of the targets after the other and their proximities to a block, digit by digit."""
        in_groups = len(self._plan.counts) > 2  # noqa: PLR2004  # beginnings and an end
        at_once = min(_TARGETS_AT_ONCE_IN_GROUPS if in_groups else _TARGETS_AT_ONCE, len(targets))
        room = room_for_sums(at_once, self._plan)
        for part in blocks(len(targets), at_once):
            sums = room[: part.stop - part.start]
            add_masks(Targets(self._table.codes, self._table.offsets, targets[part]), masks, self._plan, sums)
            yield part, sums


def _n_masks_per_tree(table: LeafTable) -> float:
    """Return how many leaves of a tree, on average, hold rows of a block drawn from all rows."""
    shares = table.leaf_sizes / table.n_rows
    return float((1 - (1 - shares) ** BLOCK).sum() / table.n_trees)
