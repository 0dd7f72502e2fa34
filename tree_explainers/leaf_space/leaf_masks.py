"""Proximities of rows to 512 others at once: masks of who is in a leaf, added up digit by digit.

For a block of up to 512 rows, each leaf has a mask of 512 bits that says which of them it holds. The proximity of
another row to all of the block is the weighted sum of the masks of its leaves. It is added in binary: eight words
hold one digit of all 512 sums, and a full adder on words adds three masks with a handful of logical operations
(carry-save adders, as Harley and Seal count bits with). The sums are exact, whatever the weights.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, compiled_for_loops, inlined
from ..compute.threads import in_threads

BLOCK = 512  # rows in a block: one mask is a line of the cache, and the widest registers hold it
WORDS = 8  # of 64 bits in a mask
MASKS_AT_ONCE = 16
_COUNT_DIGITS, MASKS_IN_A_COUNT = 8, 240
TARGETS_AT_ONCE = 128
_BYTES_OF_MASKS = 1 << 19  # for which the second cache has room

_NONE, _ONE = np.uint64(0), np.uint64(1)


class Targets(NamedTuple):
    """Rows of a table that are to be compared with a block."""

    codes: NDArray[Any]  # (n_trees, n_rows in the table)
    offsets: NDArray[np.int64]  # (n_trees + 1,)
    rows: NDArray[np.int64]  # (n_targets,)


class LeafMasks(NamedTuple):
    """Which rows of a block are in which leaf."""

    words: NDArray[np.uint64]  # (8 x n_masks,) the first is a mask of nobody
    positions: NDArray[np.uint32]  # (n_leaves,) where each leaf's mask begins


class AddingPlan(NamedTuple):
    """In which order masks are added: groups of trees, and in each, from the lowest digit up, trees to count."""

    n_words: int  # in a mask. A constant would be unrolled by the compiler; of a number it makes wide registers
    n_digits: int  # of the sum of all weights
    n_lines: int  # room that a sum takes, in units of ``WORDS``
    groups: NDArray[np.int64]  # (n_groups + 1,) first tree of each group
    counts: NDArray[np.int64]  # (n_groups + 1,) first count of each group
    chunks: NDArray[np.int64]  # (n_counts + 1,) first chunk of 16 trees of each count
    trees: NDArray[np.uint64]  # (16 x n_chunks,) position in the group, or the one after its last for no tree
    digits: NDArray[np.int64]  # (n_counts,) the digit that a count starts at
    ends: NDArray[np.int64]  # (n_counts,) how many digits a sum can have after adding the count


def plan_adding(weights: NDArray[np.int64], n_masks_per_tree: float) -> AddingPlan:
    """Plan the additions for weights that are not negative and sum to less than 2^32.

    ``n_masks_per_tree`` is roughly how many leaves of a tree hold rows of a block: the masks of a group of trees
    shall stay in the cache while many targets are worked through.
    """
    length = max(MASKS_AT_ONCE, int(_BYTES_OF_MASKS / (8 * WORDS * n_masks_per_tree)))
    groups = [*range(0, len(weights), length), len(weights)]
    trees: list[int] = []
    counts, chunks, digits, ends = [0], [0], [], []
    total = 0
    for first, end in pairwise(groups):
        for digit, having in _trees_by_digit(weights[first:end]):
            trees += having + [end - first] * (-len(having) % MASKS_AT_ONCE)
            total += len(having) << digit
            chunks.append(len(trees) // MASKS_AT_ONCE)
            digits.append(digit)
            ends.append(total.bit_length())
        counts.append(len(digits))
    n_lines = max([total.bit_length(), *(digit + _COUNT_DIGITS for digit in digits)])
    beginnings = [np.array(part, dtype=np.int64) for part in (groups, counts, chunks)]
    positions = np.array(trees, dtype=np.uint64)  # without a sign, they are taken for indices as they are
    of_counts = [np.array(part, dtype=np.int64) for part in (digits, ends)]
    return AddingPlan._make([WORDS, total.bit_length(), n_lines, *beginnings, positions, *of_counts])


def _trees_by_digit(weights: NDArray[np.int64]) -> Iterator[tuple[int, list[int]]]:
    """Yield trees whose weight has a digit, lowest digit first; no more at a time than a count can hold."""
    for digit in range(int(weights.max()).bit_length()):
        having = np.flatnonzero((weights >> digit) & 1).tolist()
        for first in range(0, len(having), MASKS_IN_A_COUNT):
            yield digit, having[first : first + MASKS_IN_A_COUNT]


def leaf_masks(codes: NDArray[Any], offsets: NDArray[np.int64], block: NDArray[np.int64]) -> LeafMasks:
    """Return the masks of up to 512 rows; leaves that hold none of them share one."""
    ends = 1 + np.cumsum(np.minimum(np.diff(offsets), len(block)))  # where masks of each tree end at the latest
    words = aligned_words(int(ends[-1]) * WORDS)
    words[:WORDS] = 0
    positions = np.zeros(offsets[-1], dtype=np.uint32)

    def mark(trees: slice) -> None:
        first = int(ends[trees.start - 1]) if trees.start else 1
        _mark(codes[trees], offsets[trees], block, first * WORDS, words, positions)

    in_threads(mark, len(codes), n_steps=len(codes) * len(block) + len(words))
    return LeafMasks(words, positions)


def room_for_sums(n_targets: int, plan: AddingPlan) -> NDArray[np.uint64]:
    """Return an array that ``add_masks`` can write to."""
    return aligned_words(n_targets * plan.n_lines * WORDS).reshape(n_targets, plan.n_lines * WORDS)


def aligned_words(n_words: int) -> NDArray[np.uint64]:
    """Return an array that begins where a line of the cache does: none of its masks takes two of them."""
    memory = np.empty(n_words + WORDS, dtype=np.uint64)
    first = -(memory.ctypes.data // 8) % WORDS
    return memory[first : first + n_words]


@compiled
def add_masks(targets: Targets, masks: LeafMasks, plan: AddingPlan, sums: NDArray[np.uint64]) -> None:
    """Write the proximities of each target to the rows of a block.

    Parameters
    ----------
    sums : (n_targets, 8 x n_lines) uint64
        From ``room_for_sums``. Line after line the digits of 512 sums, lowest first: bit ``i`` of word ``w`` is of row
        ``64 w + i``.
    """
    n_targets = len(targets.rows)
    memory = np.zeros(25 * WORDS, dtype=np.uint64)
    work = memory[-(memory.ctypes.data // 8) % WORDS :]  # 16 masks, and the digits of a count of them; aligned
    positions = np.zeros((TARGETS_AT_ONCE, np.diff(plan.groups).max() + 1), dtype=np.uint32)
    sums[:] = 0
    for group in range(len(plan.groups) - 1):
        n_trees = plan.groups[group + 1] - plan.groups[group]
        positions[:, n_trees] = 0  # the mask of nobody
        for first in range(0, n_targets, TARGETS_AT_ONCE):
            end = min(first + TARGETS_AT_ONCE, n_targets)
            _look_up(targets, first, end, plan.groups[group], masks, positions[:, :n_trees])
            for target in range(first, end):
                line = positions[target - first]
                for count in range(plan.counts[group], plan.counts[group + 1]):
                    work[16 * WORDS :] = 0
                    for chunk in range(plan.chunks[count], plan.chunks[count + 1]):
                        trees = plan.trees[MASKS_AT_ONCE * chunk : MASKS_AT_ONCE * (chunk + 1)]
                        for mask in range(MASKS_AT_ONCE):
                            copy_mask(masks.words, line[trees[mask]], work, mask)
                        count_masks(work, plan.n_words)
                    add_count(work, sums[target, WORDS * plan.digits[count] :], plan, count)


@compiled
def _mark(
    codes: NDArray[Any],
    offsets: NDArray[np.int64],
    block: NDArray[np.int64],
    following: int,
    words: NDArray[np.uint64],
    positions: NDArray[np.uint32],
) -> None:
    for tree in range(codes.shape[0]):
        for row in range(len(block)):
            leaf = offsets[tree] + codes[tree, block[row]]
            if positions[leaf] == 0:
                positions[leaf] = following
                words[following : following + WORDS] = 0
                following += WORDS
            words[np.int64(positions[leaf]) + row // 64] |= _ONE << np.uint64(row % 64)


@compiled_for_loops
def _look_up(
    targets: Targets, first: int, end: int, first_tree: int, masks: LeafMasks, positions: NDArray[np.uint32]
) -> None:
    for position in range(positions.shape[1]):
        tree = first_tree + position
        codes, of_tree = targets.codes[tree], masks.positions[targets.offsets[tree] : targets.offsets[tree + 1]]
        for target in range(end - first):
            row = np.uint64(targets.rows[first + target])
            positions[target, position] = of_tree[np.uint64(codes[row])]


@inlined
def copy_mask(words: NDArray[np.uint64], index: int, work: NDArray[np.uint64], line: int) -> None:
    """Copy a mask into a line of 16."""
    # All are read before any is written: only then does the compiler make one wide move of it.
    at, to = np.uint64(index), np.uint64(WORDS * line)
    a, b, c, d = words[at], words[at + np.uint64(1)], words[at + np.uint64(2)], words[at + np.uint64(3)]
    e, f, g, h = words[at + np.uint64(4)], words[at + np.uint64(5)], words[at + np.uint64(6)], words[at + np.uint64(7)]
    work[to], work[to + np.uint64(1)], work[to + np.uint64(2)], work[to + np.uint64(3)] = a, b, c, d
    work[to + np.uint64(4)], work[to + np.uint64(5)], work[to + np.uint64(6)], work[to + np.uint64(7)] = e, f, g, h


@inlined
def _add_bits(a: Any, b: Any, c: Any) -> tuple[Any, Any]:  # words
    """Add three digits in each place of a word: what stays in the digit, and what goes to the next."""
    return a ^ b ^ c, (a & b) | (c & (a | b))


@inlined
def count_masks(work: NDArray[np.uint64], n_words: int) -> None:
    """Add 16 masks, lines 0 to 15, to the count whose digits are the lines after them."""
    for w in range(n_words):
        ones, twos, fours, eights = work[128 + w], work[136 + w], work[144 + w], work[152 + w]
        ones, a = _add_bits(ones, work[w], work[8 + w])
        ones, b = _add_bits(ones, work[16 + w], work[24 + w])
        twos, c = _add_bits(twos, a, b)
        ones, a = _add_bits(ones, work[32 + w], work[40 + w])
        ones, b = _add_bits(ones, work[48 + w], work[56 + w])
        twos, d = _add_bits(twos, a, b)
        fours, e = _add_bits(fours, c, d)
        ones, a = _add_bits(ones, work[64 + w], work[72 + w])
        ones, b = _add_bits(ones, work[80 + w], work[88 + w])
        twos, c = _add_bits(twos, a, b)
        ones, a = _add_bits(ones, work[96 + w], work[104 + w])
        ones, b = _add_bits(ones, work[112 + w], work[120 + w])
        twos, d = _add_bits(twos, a, b)
        fours, f = _add_bits(fours, c, d)
        eights, carry = _add_bits(eights, e, f)
        work[128 + w], work[136 + w], work[144 + w], work[152 + w] = ones, twos, fours, eights
        for digit in range(20, 24):
            there = work[8 * digit + w]
            work[8 * digit + w] = there ^ carry
            carry &= there


@inlined
def add_count(work: NDArray[np.uint64], total: NDArray[np.uint64], plan: AddingPlan, count: int) -> None:
    """Add a count to a sum, from the digit on where it belongs."""
    for w in range(plan.n_words):
        a, carry = _add_bits(total[w], work[128 + w], _NONE)
        b, carry = _add_bits(total[8 + w], work[136 + w], carry)
        c, carry = _add_bits(total[16 + w], work[144 + w], carry)
        d, carry = _add_bits(total[24 + w], work[152 + w], carry)
        e, carry = _add_bits(total[32 + w], work[160 + w], carry)
        f, carry = _add_bits(total[40 + w], work[168 + w], carry)
        g, carry = _add_bits(total[48 + w], work[176 + w], carry)
        h, carry = _add_bits(total[56 + w], work[184 + w], carry)
        total[w], total[8 + w], total[16 + w], total[24 + w] = a, b, c, d
        total[32 + w], total[40 + w], total[48 + w], total[56 + w] = e, f, g, h
        work[w] = carry
    for digit in range(_COUNT_DIGITS, plan.ends[count] - plan.digits[count]):
        for w in range(plan.n_words):
            there = total[8 * digit + w]
            total[8 * digit + w] = there ^ work[w]
            work[w] &= there
