"""Sums of floats over blocks of rows, added pairwise in the order of blocks: the same bytes however blocks are shared.

Blocks 0 and 1 are added, then 2 and 3, then both sums, and so on; a block without a neighbour waits for the next round.
So whoever has blocks next to each other may add up whole pairs, and another adds what comes of it.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class BlockSum(NamedTuple):
    """The sum over blocks ``number * 2**level`` up to, not including, ``(number + 1) * 2**level``."""

    level: int
    number: int
    total: NDArray[np.float64]


def add_blocks(blocks: Iterable[BlockSum]) -> list[BlockSum]:
    """Return sums that follow each other with all pairs added that belong together, in their order."""
    added: list[BlockSum] = []
    for block in blocks:
        added.append(block)
        while len(added) > 1 and _are_a_pair(*added[-2:]):
            right = added.pop()
            left = added.pop()
            added.append(BlockSum(left.level + 1, left.number // 2, left.total + right.total))
    return added


def total_of(blocks: Iterable[BlockSum]) -> NDArray[Any]:
    """Return the sum over all blocks, given from block 0 on in their order; at least one."""
    remaining = [block.total for block in add_blocks(blocks)]
    total: NDArray[Any] = remaining.pop()
    while remaining:
        total = remaining.pop() + total
    return total


def _are_a_pair(left: BlockSum, right: BlockSum) -> bool:
    return left.level == right.level and left.number % 2 == 0 and right.number == left.number + 1
