"""Proximities of a row to 512 others at once: masks of who is in a leaf, added up digit by digit.

For a block of up to 512 rows, each leaf has a mask of 512 bits that says which of them it holds. The proximity of
another row to all of the block is the weighted sum of the masks of its leaves. It is added in binary: eight words
hold one digit of all 512 sums, and a full adder on words adds three masks with a handful of logical operations
(carry-save adders, as counting networks of Harley and Seal use them to count bits). The sums are exact for any weights.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compiled import compiled, inlined

BLOCK = 512  # rows in a block: one mask is a cache line, and the widest registers hold it
_WORDS = 8
_MASKS_AT_ONCE = 16
_COUNT_DIGITS = 8
_CHUNKS_PER_COUNT = 15  # 240 masks at most, which 8 digits hold
_TARGETS_AT_ONCE = 128
_TARGETS_PER_SUM = 1024  # 10 more digits than a proximity has hold the sum of that many

_NONE, _ONE, _ALL = np.uint64(0), np.uint64(1), np.uint64(2**64 - 1)


class AddingPlan(NamedTuple):
    """In which order masks are added: counts of trees whose weight has a digit, lowest digit first."""

    n_words: int  # in a mask. A constant would be unrolled by the compiler; a number it makes wide registers of
    n_digits: int  # of the sum of all weights
    trees: NDArray[np.int64]  # (16 x n_chunks,) trees to count, n_trees where there is none
    starts: NDArray[np.int64]  # (n_counts + 1,) where the chunks of 16 of each count begin
    digits: NDArray[np.int64]  # (n_counts,) digit that a count starts at
    ends: NDArray[np.int64]  # (n_counts,) digits of the sum after adding a count


class LeafMasks(NamedTuple):
    """Which rows of a block are in which leaf."""

    words: NDArray[np.uint64]  # (8 x n_masks,) first of them a mask of nobody
    places: NDArray[np.uint32]  # (n_leaves,) where each leaf's mask begins


class Rows(NamedTuple):
    """Rows of a table, in the order of which they are told about."""

    codes: NDArray[Any]  # (n_trees, n_rows in the table)
    offsets: NDArray[np.int64]  # (n_trees + 1,)
    rows: NDArray[np.int64]  # (n_targets,)


def plan_adding(weights: NDArray[np.int64]) -> AddingPlan:
    """Plan the additions for weights that are not negative and sum to less than 2^32."""
    trees: list[int] = []
    starts, digits, ends = [0], [], []
    total = 0
    for digit in range(int(weights.max(initial=0)).bit_length()):
        having = np.flatnonzero((weights >> digit) & 1).tolist()
        for first in range(0, len(having), _CHUNKS_PER_COUNT * _MASKS_AT_ONCE):
            counted = having[first : first + _CHUNKS_PER_COUNT * _MASKS_AT_ONCE]
            trees += counted + [len(weights)] * (-len(counted) % _MASKS_AT_ONCE)
            total += len(counted) << digit
            starts.append(len(trees) // _MASKS_AT_ONCE)
            digits.append(digit)
            ends.append(total.bit_length())
    parts = (np.array(part, dtype=np.int64) for part in (trees, starts, digits, ends))
    return AddingPlan(_WORDS, total.bit_length(), *parts)


def leaf_masks(codes: NDArray[Any], offsets: NDArray[np.int64], block: NDArray[np.int64]) -> LeafMasks:
    """Return the masks of up to 512 rows; leaves that hold none of them share one."""
    n_masks = 1 + int(np.minimum(np.diff(offsets), len(block)).sum())
    words = np.empty(n_masks * _WORDS, dtype=np.uint64)
    places = np.zeros(offsets[-1], dtype=np.uint32)
    _mark(codes, offsets, block, words, places)
    return LeafMasks(words, places)


@compiled
def add_gains(
    targets: Rows, covered: NDArray[np.int64], masks: LeafMasks, plan: AddingPlan, gains: NDArray[np.int64]
) -> None:
    """Add, for each row of the block, by how much its proximity to each target exceeds what covers the target.

    Parameters
    ----------
    targets, covered
        Rows, and the proximity of each to what covers it: not negative.
    gains : (512,) int64
        Added to.
    """
    n_targets = len(targets.rows)
    work, total, lines = _room(targets, plan)
    excess = np.zeros(64, dtype=np.uint64)
    sums = np.zeros(64 * _WORDS, dtype=np.uint64)
    for first in range(0, n_targets, _TARGETS_AT_ONCE):
        end = min(first + _TARGETS_AT_ONCE, n_targets)
        _look_up(targets, first, end, masks, lines)
        for target in range(first, end):
            if covered[target] >> plan.n_digits == 0:
                _add_masks(masks, lines[target - first], plan, work, total)
                _add_excess(total, plan.n_digits, covered[target], excess, sums)
            if (target + 1) % _TARGETS_PER_SUM == 0 or target + 1 == n_targets:
                _take_out(sums, plan.n_digits + 10, gains)


@compiled
def list_close(
    targets: Rows,
    thresholds: NDArray[np.int64],
    masks: LeafMasks,
    plan: AddingPlan,
    start: int,
    found: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint32]],
) -> tuple[int, int]:
    """List the pairs of a target and a row of the block that are closer than the target's threshold.

    Parameters
    ----------
    start
        Target to begin with.
    found
        Rows of the block, targets and proximities: written to, as long as there is room for another target.

    Returns
    -------
    (n_found, next target)
    """
    n_targets = len(targets.rows)
    work, total, lines = _room(targets, plan)
    n_found = 0
    for first in range(start, n_targets, _TARGETS_AT_ONCE):
        end = min(first + _TARGETS_AT_ONCE, n_targets)
        _look_up(targets, first, end, masks, lines)
        for target in range(first, end):
            if n_found + BLOCK > len(found[0]):
                return n_found, target
            if (thresholds[target] + 1) >> plan.n_digits == 0:
                _add_masks(masks, lines[target - first], plan, work, total)
                n_found = _list_closer(total, plan.n_digits, thresholds[target], target, found, n_found)
    return n_found, n_targets


@compiled
def _room(targets: Rows, plan: AddingPlan) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint32]]:
    """Return room for masks and the digits of a count, for the digits of a sum, and for where masks are."""
    work = np.zeros((_MASKS_AT_ONCE + _COUNT_DIGITS) * _WORDS, dtype=np.uint64)
    total = np.zeros((plan.n_digits + _COUNT_DIGITS) * _WORDS, dtype=np.uint64)
    lines = np.zeros((_TARGETS_AT_ONCE, len(targets.codes) + 1), dtype=np.uint32)  # the last is the mask of nobody
    return work, total, lines


@compiled
def _mark(
    codes: NDArray[Any],
    offsets: NDArray[np.int64],
    block: NDArray[np.int64],
    words: NDArray[np.uint64],
    places: NDArray[np.uint32],
) -> None:
    words[:_WORDS] = 0
    following = _WORDS
    for tree in range(codes.shape[0]):
        for lane in range(len(block)):
            leaf = offsets[tree] + codes[tree, block[lane]]
            if places[leaf] == 0:
                places[leaf] = following
                words[following : following + _WORDS] = 0
                following += _WORDS
            words[np.int64(places[leaf]) + lane // 64] |= _ONE << np.uint64(lane % 64)


@compiled
def _look_up(targets: Rows, first: int, end: int, masks: LeafMasks, lines: NDArray[np.uint32]) -> None:
    for tree in range(targets.codes.shape[0]):
        offset = targets.offsets[tree]
        for target in range(first, end):
            lines[target - first, tree] = masks.places[offset + targets.codes[tree, targets.rows[target]]]


@compiled
def _add_masks(
    masks: LeafMasks, line: NDArray[np.uint32], plan: AddingPlan, work: NDArray[np.uint64], total: NDArray[np.uint64]
) -> None:
    total[:] = 0
    for count in range(len(plan.digits)):
        work[_MASKS_AT_ONCE * _WORDS :] = 0
        for chunk in range(plan.starts[count], plan.starts[count + 1]):
            for mask in range(_MASKS_AT_ONCE):
                _copy_mask(masks.words, line[plan.trees[_MASKS_AT_ONCE * chunk + mask]], work, mask)
            _count_masks(work, plan.n_words)
        _add_count(work, total, plan, count)


@inlined
def _copy_mask(words: NDArray[np.uint64], place: int, work: NDArray[np.uint64], line: int) -> None:
    # All are read before any is written: only then does the compiler make one wide move of it.
    at, to = np.uint64(place), np.uint64(_WORDS * line)
    a, b, c, d = words[at], words[at + np.uint64(1)], words[at + np.uint64(2)], words[at + np.uint64(3)]
    e, f, g, h = words[at + np.uint64(4)], words[at + np.uint64(5)], words[at + np.uint64(6)], words[at + np.uint64(7)]
    work[to], work[to + np.uint64(1)], work[to + np.uint64(2)], work[to + np.uint64(3)] = a, b, c, d
    work[to + np.uint64(4)], work[to + np.uint64(5)], work[to + np.uint64(6)], work[to + np.uint64(7)] = e, f, g, h


@inlined
def _add_bits(a: Any, b: Any, c: Any) -> tuple[Any, Any]:  # noqa: ANN401  # words
    """Add three digits in each place of a word: what stays in the digit, and what goes to the next."""
    return a ^ b ^ c, (a & b) | (c & (a | b))


@inlined
def _count_masks(work: NDArray[np.uint64], n_words: int) -> None:
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
def _add_count(work: NDArray[np.uint64], total: NDArray[np.uint64], plan: AddingPlan, count: int) -> None:
    """Add a count to a sum, at the digit where it belongs."""
    digits = total[_WORDS * plan.digits[count] :]  # numbered from 0, indices are known not to be negative
    for w in range(plan.n_words):
        a, carry = _add_bits(digits[w], work[128 + w], _NONE)
        b, carry = _add_bits(digits[8 + w], work[136 + w], carry)
        c, carry = _add_bits(digits[16 + w], work[144 + w], carry)
        d, carry = _add_bits(digits[24 + w], work[152 + w], carry)
        e, carry = _add_bits(digits[32 + w], work[160 + w], carry)
        f, carry = _add_bits(digits[40 + w], work[168 + w], carry)
        g, carry = _add_bits(digits[48 + w], work[176 + w], carry)
        h, carry = _add_bits(digits[56 + w], work[184 + w], carry)
        digits[w], digits[8 + w], digits[16 + w], digits[24 + w] = a, b, c, d
        digits[32 + w], digits[40 + w], digits[48 + w], digits[56 + w] = e, f, g, h
        work[w] = carry
    for digit in range(8, plan.ends[count] - plan.digits[count]):
        for w in range(plan.n_words):
            there = digits[8 * digit + w]
            digits[8 * digit + w] = there ^ work[w]
            work[w] &= there


@compiled
def _add_excess(
    total: NDArray[np.uint64], n_digits: int, covered: int, excess: NDArray[np.uint64], sums: NDArray[np.uint64]
) -> None:
    """Add to the sums by how much each total exceeds a number."""
    for w in range(_WORDS):
        borrow = _NONE
        for digit in range(n_digits):
            there = total[_WORDS * digit + w]
            less = _ALL if (covered >> digit) & 1 else _NONE
            excess[digit] = there ^ less ^ borrow
            borrow = (~there & (less | borrow)) | (less & borrow)
        exceeds = ~borrow
        if exceeds == _NONE:
            continue
        carry = _NONE
        for digit in range(n_digits):
            here = _WORDS * digit + w
            sums[here], carry = _add_bits(sums[here], excess[digit] & exceeds, carry)
        digit = n_digits
        while carry != _NONE:
            there = sums[_WORDS * digit + w]
            sums[_WORDS * digit + w] = there ^ carry
            carry &= there
            digit += 1


@compiled
def _take_out(sums: NDArray[np.uint64], n_digits: int, gains: NDArray[np.int64]) -> None:
    """Add the sums to plain numbers, and set them to nothing."""
    for digit in range(n_digits):
        for w in range(_WORDS):
            word = sums[_WORDS * digit + w]
            for lane in range(64):
                gains[64 * w + lane] += np.int64((word >> np.uint64(lane)) & _ONE) << digit
    sums[:] = 0


@compiled
def _list_closer(
    total: NDArray[np.uint64],
    n_digits: int,
    threshold: int,
    target: int,
    found: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint32]],
    n_found: int,
) -> int:
    lanes, targets, proximities = found
    for w in range(_WORDS):
        borrow = _NONE
        for digit in range(n_digits):
            there = total[_WORDS * digit + w]
            less = _ALL if ((threshold + 1) >> digit) & 1 else _NONE
            borrow = (~there & (less | borrow)) | (less & borrow)
        closer = ~borrow
        for lane in range(64):
            if closer == _NONE:
                break
            if closer & _ONE:
                proximity = np.uint32(0)
                for digit in range(n_digits):
                    proximity |= np.uint32((total[_WORDS * digit + w] >> np.uint64(lane)) & _ONE) << np.uint32(digit)
                lanes[n_found], targets[n_found], proximities[n_found] = 64 * w + lane, target, proximity
                n_found += 1
            closer >>= _ONE
    return n_found
