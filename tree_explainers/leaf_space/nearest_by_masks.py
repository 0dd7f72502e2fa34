"""The nearest other row of every row of a table, by masks: each pair of rows is compared once, 512 pairs at a time.

Rows are taken in blocks of 512. The proximities of a later row to a block are added up digit by digit
(``leaf_masks``), and serve both sides: the largest of them is the row's nearest in the block, and each of them may be
nearer to its row of the block than all before. Both are found digit by digit as well, without writing out a single
proximity. Where the nearest within groups of rows are known already, only rows of different groups are compared.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, compiled_for_loops
from ..compute.threads import in_order
from .binary_sums import lowest_bit
from .leaf_masks import BLOCK, WORDS, AddingPlan, LeafMasks, Targets, add_masks, leaf_masks, plan_adding, room_for_sums
from .leaves import LeafTable
from .nearest_by_codes import key_of, row_and_proximity

_NONE, _ONE, _ALL = np.uint64(0), np.uint64(1), np.uint64(2**64 - 1)

# Measured on one busy core of a 2025 server; they affect speed only.
_NANOSECONDS_PER_MASK = 1.5
_NANOSECONDS_PER_LOOKUP = 1.5
_NANOSECONDS_PER_TARGET = 1000.0


class NearestWithin(NamedTuple):
    """What is known of the nearest other rows in groups of rows, such as classes."""

    groups: NDArray[np.int64]  # (n_rows,) 0 or more
    rows: NDArray[np.int64]  # (n_rows,) the nearest other row of the row's group (ties: the lowest); -1: not known
    proximities: NDArray[np.int64]  # (n_rows,) to it; 0 where it is not known

    @property
    def is_known(self) -> NDArray[np.bool_]:
        """Which rows' nearest are known, (n_rows,)."""
        return np.asarray(self.rows >= 0)


class NearestOfAll:
    """Finds the nearest other row of every row.

    Parameters
    ----------
    table
        The rows.
    weights : (n_trees,) int64
        What each tree counts; not negative, summing to less than 2^32.
    within
        The nearest in groups of rows: rows of one group are not compared then. For a row whose nearest is not known
        there, the nearest row of the other groups is found.
    """

    def __init__(self, table: LeafTable, weights: NDArray[np.int64], within: NearestWithin | None = None) -> None:
        self._table, self._within = table, within
        self._plan = plan_adding(weights, table.n_leaves_of_block)

    @property
    def nanoseconds(self) -> float:
        """How long it takes, on one core."""
        per_target = len(self._plan.trees) * _NANOSECONDS_PER_MASK + self._table.n_trees * _NANOSECONDS_PER_LOOKUP
        n_targets = sum(len(block) + len(others) for block, others in self._blocks())
        return float(n_targets * (per_target + _NANOSECONDS_PER_TARGET))

    def find(self, report: Callable[[float], None]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the nearest row of each (ties: the lowest) and its integer proximity, which can be 0: (n_rows,) each.

        ``report`` is called with the share of the pairs that were compared, and may raise to stop.
        """
        keys = self._first_keys()
        blocks = list(self._blocks())
        n_targets = max(1, sum(len(others) for _, others in blocks))
        n_done = 0
        for block, others in blocks:
            self._compare(block, others, keys)
            n_done += len(others)
            report(n_done / n_targets)
        return row_and_proximity(keys)

    def _first_keys(self) -> NDArray[np.int64]:
        """Return the key of the nearest row known, or else of the lowest other row at proximity 0."""
        lowest = np.zeros(self._table.n_rows, dtype=np.int64)
        lowest[0] = 1
        keys = key_of(lowest, np.zeros_like(lowest))
        if self._within is None:
            return keys
        known = key_of(self._within.rows, self._within.proximities)
        return np.where(self._within.is_known, np.maximum(keys, known), keys)

    def _blocks(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield blocks of rows and the rows to compare each with, both ascending; each pair occurs once."""
        n_rows = self._table.n_rows
        if self._within is None:
            for first in range(0, n_rows, BLOCK):
                yield np.arange(first, min(first + BLOCK, n_rows)), np.arange(first, n_rows)
            return
        groups, sizes = np.unique(self._within.groups, return_counts=True)
        later = np.ones(n_rows, dtype=np.bool_)
        for group in groups[np.argsort(-sizes, kind="stable")]:  # blocks of the largest groups are full
            members = np.flatnonzero(self._within.groups == group)
            later[members] = False
            others = np.flatnonzero(later)
            for first in range(0, len(members) if len(others) else 0, BLOCK):
                yield members[first : first + BLOCK], others

    def _compare(self, block: NDArray[np.int64], others: NDArray[np.int64], keys: NDArray[np.int64]) -> None:
        """Compare a block with rows, the first of which may be the block itself; raise keys to those of nearer rows."""
        table = self._table
        masks = leaf_masks(table.codes, table.offsets, block)

        def compare(targets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
            return _compared(table, targets, masks, self._plan, block)

        pieces = (others[start : start + BLOCK] for start in range(0, len(others), BLOCK))
        with closing(in_order(compare, pieces)) as compared:
            for targets, (of_targets, of_block) in compared:
                keys[targets] = np.maximum(keys[targets], of_targets)
                keys[block] = np.maximum(keys[block], of_block[: len(block)])


def _compared(
    table: LeafTable, targets: NDArray[np.int64], masks: LeafMasks, plan: AddingPlan, block: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the key of each target's nearest row in the block, and of each row of the block its nearest target."""
    sums = room_for_sums(len(targets), plan)
    add_masks(Targets(table.codes, table.offsets, targets), masks, plan, sums)
    nearest, of_block = np.empty((2, len(targets)), dtype=np.int64), np.full((2, BLOCK), -1, dtype=np.int64)
    is_block = targets[0] == block[0]  # and each of its rows is a target, too
    excluded = np.arange(len(targets)) if is_block else np.full(len(targets), -1, dtype=np.int64)
    _largest_of_targets(sums, plan.n_digits, excluded, len(block), *nearest)
    if not is_block:
        _largest_of_block(sums, plan.n_digits, targets, *of_block)
    keys = [key_of(rows, proximities) for rows, proximities in ((block[nearest[0]], nearest[1]), of_block)]
    return keys[0], np.where(of_block[1] > 0, keys[1], 0)


@compiled
def _largest_of_targets(
    sums: NDArray[np.uint64],
    n_digits: int,
    excluded: NDArray[np.int64],
    n_block: int,
    rows: NDArray[np.int64],
    proximities: NDArray[np.int64],
) -> None:
    """Write the row of the block with the largest sum for each target (ties: the lowest), and that sum.

    ``excluded``, (n_targets,), is which row of the block a target is, and not compared with; another number for none.
    """
    left, agreeing = np.empty(WORDS, dtype=np.uint64), np.empty(WORDS, dtype=np.uint64)
    for target in range(len(excluded)):
        _all_but(excluded[target], n_block, left)
        line, largest = sums[target], np.int64(0)
        for digit in range(n_digits - 1, -1, -1):
            some = _NONE
            for w in range(WORDS):
                agreeing[w] = left[w] & line[WORDS * digit + w]
                some |= agreeing[w]
            if some != _NONE:
                largest |= np.int64(1) << digit
                left[:] = agreeing
        rows[target], proximities[target] = _first_bit(left), largest


@compiled_for_loops
def _all_but(excluded: int, n_block: int, bits: NDArray[np.uint64]) -> None:
    """Set the bit of each row of the block but one."""
    for w in range(len(bits)):
        n_bits = min(max(n_block - 64 * w, 0), 64)
        bits[w] = _ALL if n_bits == 64 else (_ONE << np.uint64(n_bits)) - _ONE  # bits of a word
    if 0 <= excluded < n_block:
        bits[excluded // 64] &= ~(_ONE << np.uint64(excluded % 64))


@compiled_for_loops
def _first_bit(bits: NDArray[np.uint64]) -> int:
    for w in range(len(bits)):
        if bits[w] != _NONE:
            return 64 * w + lowest_bit(bits[w])
    return 0


@compiled
def _largest_of_block(
    sums: NDArray[np.uint64],
    n_digits: int,
    targets: NDArray[np.int64],
    rows: NDArray[np.int64],
    proximities: NDArray[np.int64],
) -> None:
    """Write the target with the largest sum for each row of the block (ties: the lowest), and that sum, if not 0."""
    best = np.zeros(WORDS * n_digits, dtype=np.uint64)
    for target in range(len(targets)):
        line = sums[target]
        for w in range(WORDS):
            greater, equal = _NONE, _ALL
            for digit in range(n_digits - 1, -1, -1):
                digit_of_sum, so_far = line[WORDS * digit + w], best[WORDS * digit + w]
                greater |= equal & digit_of_sum & ~so_far
                equal &= ~(digit_of_sum ^ so_far)
            if greater != _NONE:
                for digit in range(n_digits):
                    index = WORDS * digit + w
                    best[index] = (best[index] & ~greater) | (line[index] & greater)
                for bit in range(64):
                    if (greater >> np.uint64(bit)) & _ONE:
                        rows[64 * w + bit] = targets[target]
    for row in range(len(rows)):
        largest = np.int64(0)
        for digit in range(n_digits):
            largest |= np.int64((best[WORDS * digit + row // 64] >> np.uint64(row % 64)) & _ONE) << digit
        proximities[row] = largest
