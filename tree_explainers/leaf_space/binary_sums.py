"""Reading sums that are kept digit by digit, 512 at a time, as ``leaf_masks`` makes them."""

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled

_WORDS = 8
_SUMMED_AT_ONCE = 1024  # 10 more digits than a sum has hold that many
_NONE, _ONE, _ALL = np.uint64(0), np.uint64(1), np.uint64(2**64 - 1)

Found = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint32]]
"""Room for pairs: rows of a block (or candidates), targets and proximities, (n_room,) each."""


@compiled
def tally_above(
    sums: NDArray[np.uint64],
    n_digits: int,
    limits: NDArray[np.int64],
    n_above: NDArray[np.int64],
    excess: NDArray[np.int64],
) -> None:
    """Add, for each row of a block, in how many targets its sum is above the target's limit, and by how much.

    Parameters
    ----------
    sums : (n_targets, 8 x n_lines)
        See ``add_masks``.
    limits : (n_targets,) int64
        Not negative.
    n_above, excess : (512,) int64
        Added to.
    """
    difference = np.zeros(64, dtype=np.uint64)
    counts, totals = np.zeros(16 * _WORDS, dtype=np.uint64), np.zeros(64 * _WORDS, dtype=np.uint64)
    here = np.zeros(len(n_above), dtype=np.int64)
    for target in range(len(limits)):
        if (limits[target] + 1) >> n_digits == 0:
            for w in range(_WORDS):
                above = _subtract(sums[target], n_digits, w, limits[target] + 1, difference)
                if above != _NONE:
                    _carry(counts, w, 0, above)
                    _add(totals, w, difference, above, n_digits)
        if (target + 1) % _SUMMED_AT_ONCE == 0 or target + 1 == len(limits):
            _take_out(counts, 11, here)
            _take_out(totals, n_digits + 10, excess)
    n_above += here
    excess += here  # one more than the limit was subtracted


@compiled
def add_excess(sums: NDArray[np.uint64], n_digits: int, limits: NDArray[np.int64], excess: NDArray[np.int64]) -> None:
    """Add by how much sums are above limits, as ``tally_above`` does."""
    tally_above(sums, n_digits, limits, np.zeros(len(excess), dtype=np.int64), excess)


@compiled
def list_above(
    sums: NDArray[np.uint64], n_digits: int, thresholds: NDArray[np.int64], start: int, found: Found
) -> tuple[int, int]:
    """List the pairs of a target and a row of a block whose sum is above the target's threshold.

    Parameters
    ----------
    sums : (n_targets, 8 x n_lines)
        See ``add_masks``.
    thresholds : (n_targets,) int64
        Not negative.
    start
        Target to begin with.
    found
        Rows of the block, targets and sums: written to, as long as there is room for 512 more.

    Returns
    -------
    (n_found, next target)
    """
    rows, targets, proximities = found
    excess = np.zeros(64, dtype=np.uint64)
    n_found = 0
    for target in range(start, len(thresholds)):
        if n_found + 64 * _WORDS > len(rows):
            return n_found, target
        if (thresholds[target] + 1) >> n_digits != 0:
            continue
        for w in range(_WORDS):
            above = _subtract(sums[target], n_digits, w, thresholds[target] + 1, excess)
            row = 64 * w
            while above != _NONE:
                if above & _ONE:
                    rows[n_found], targets[n_found] = row, target
                    proximities[n_found] = _read(sums[target], n_digits, row)
                    n_found += 1
                above >>= _ONE
                row += 1
    return n_found, len(thresholds)


@compiled
def _subtract(digits: NDArray[np.uint64], n_digits: int, w: int, amount: int, excess: NDArray[np.uint64]) -> np.uint64:
    """Subtract a number of as many digits from 64 sums; return which of them it does not exceed."""
    borrow = _NONE
    for digit in range(n_digits):
        there = digits[_WORDS * digit + w]
        less = _ALL if (amount >> digit) & 1 else _NONE
        excess[digit] = there ^ less ^ borrow
        borrow = (~there & (less | borrow)) | (less & borrow)
    return ~borrow


@compiled
def _add(totals: NDArray[np.uint64], w: int, amounts: NDArray[np.uint64], which: np.uint64, n_digits: int) -> None:
    """Add to those of 64 totals whose bits are set in a word."""
    carry = _NONE
    for digit in range(n_digits):
        there, amount = totals[_WORDS * digit + w], amounts[digit] & which
        totals[_WORDS * digit + w] = there ^ amount ^ carry
        carry = (there & amount) | (carry & (there | amount))
    _carry(totals, w, n_digits, carry)


@compiled
def _carry(totals: NDArray[np.uint64], w: int, digit: int, carry: np.uint64) -> None:
    """Add one at a digit to those of 64 totals whose bits are set in a word."""
    while carry != _NONE:
        there = totals[_WORDS * digit + w]
        totals[_WORDS * digit + w] = there ^ carry
        carry &= there
        digit += 1


@compiled
def _take_out(totals: NDArray[np.uint64], n_digits: int, numbers: NDArray[np.int64]) -> None:
    """Add the totals to plain numbers, and set them to nothing."""
    for digit in range(n_digits):
        for w in range(_WORDS):
            word = totals[_WORDS * digit + w]
            for bit in range(64):
                numbers[64 * w + bit] += np.int64((word >> np.uint64(bit)) & _ONE) << digit
    totals[:] = 0


@compiled
def _read(digits: NDArray[np.uint64], n_digits: int, row: int) -> np.uint32:
    number = np.uint32(0)
    for digit in range(n_digits):
        word = digits[_WORDS * digit + row // 64]
        number |= np.uint32((word >> np.uint64(row % 64)) & _ONE) << np.uint32(digit)
    return number
