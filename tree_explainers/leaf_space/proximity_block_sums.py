"""Proximities of a table's rows to blocks of 512 others, added up by masks: by all digits of the weights, or rounded.

What is found in them is the same; ``round_weights`` decides which is quicker.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .binary_sums import BlockLimits, ExactSums, limits_by_digit
from .leaf_masks import LeafMasks, Targets, add_masks, leaf_masks, plan_adding, room_for_sums
from .leaves import LeafTable
from .rounded_weights import Compared, RoundedSums, codes_by_row, round_weights

_TARGETS_AT_ONCE, _TARGETS_AT_ONCE_IN_GROUPS = 512, 2048  # groups of trees are for working through many targets

# Measured on one core of a server of 2024; they affect speed only.
_NANOSECONDS_PER_MASK = 1.5
_NANOSECONDS_PER_LOOKUP = 1.5
_NANOSECONDS_PER_TARGET = 500.0


class Block(NamedTuple):
    """At most 512 rows."""

    masks: LeafMasks
    codes: NDArray[Any]  # (n_block, n_trees), or (0, n_trees) where masks say all


class BlockSums:
    """Adds up the proximities of rows to blocks.

    Parameters
    ----------
    table, weights
        The rows that are compared with blocks, and what each tree counts.
    """

    def __init__(self, table: LeafTable, weights: NDArray[np.int64]) -> None:
        self._table, self._weights = table, weights.astype(np.uint32)
        self._rounded = round_weights(weights)
        added = weights if self._rounded is None else self._rounded.units
        self._plan = plan_adding(added, table.n_leaves_of_block)

    @property
    def nanoseconds_per_target(self) -> float:
        """How long comparing a row with a block takes, on one core."""
        masks, lookups = len(self._plan.trees) * _NANOSECONDS_PER_MASK, self._table.n_trees * _NANOSECONDS_PER_LOOKUP
        return masks + lookups + _NANOSECONDS_PER_TARGET

    @property
    def total_weight(self) -> int:
        """The proximity of a row to itself."""
        return int(self._weights.sum(dtype=np.int64))

    @property
    def n_exact_digits(self) -> int | None:
        """How many digits sums have; ``None`` where weights are rounded, so that digits are not all there is."""
        return self._plan.n_digits if self._rounded is None else None

    def block(self, codes: NDArray[Any], rows: NDArray[np.int64]) -> Block:
        """Return a block of rows, (n_block,), whose codes are among these, (n_trees, n_rows), typed as the table's."""
        of_rows = codes_by_row(codes, rows[:0] if self._rounded is None else rows)
        return Block(leaf_masks(codes, self._table.offsets, rows), of_rows)

    def limits(self, limits: NDArray[np.int64]) -> BlockLimits:
        """Return what proximities must exceed to be listed from the side of a block's rows, (n_block,) not negative."""
        of_sums = limits if self._rounded is None else self._rounded.limits(limits)
        return BlockLimits(limits, limits_by_digit(of_sums, self._plan.n_digits))

    def of(self, targets: NDArray[np.int64], block: Block) -> Iterator[tuple[slice, ExactSums | RoundedSums]]:
        """Yield some of the targets, (n_targets,) rows of the table, after the other, and their proximities."""
        table, n_digits = self._table, self._plan.n_digits
        in_groups = len(self._plan.counts) > 2  # beginnings and an end
        at_once = min(_TARGETS_AT_ONCE_IN_GROUPS if in_groups else _TARGETS_AT_ONCE, len(targets))
        buffer = room_for_sums(at_once, self._plan)
        for start in range(0, len(targets), at_once):
            some = targets[start : start + at_once]
            part, digits = slice(start, start + len(some)), buffer[: len(some)]
            add_masks(Targets(table.codes, table.offsets, some), block.masks, self._plan, digits)
            if self._rounded is None:
                yield part, ExactSums(digits, n_digits)
            else:
                compared = Compared(block.codes, codes_by_row(table.codes, some), self._weights)
                yield part, RoundedSums(digits, n_digits, self._rounded, compared)
