"""Reading sums that are kept digit by digit, 512 at a time, as ``leaf_masks`` makes them."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, compiled_for_loops, inlined

_WORDS = 8
_SUMMED_AT_ONCE = 1024  # 10 more digits than a sum has hold that many
_WORTH_READING_ALL = 24  # sums of a target; fewer are read one by one
_NONE, _ONE, _ALL = np.uint64(0), np.uint64(1), np.uint64(2**64 - 1)

# A power of two times this number has other highest six digits than any other (Leiserson, Prokop, Randall 1998).
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_PLACES = np.zeros(64, dtype=np.int64)
_PLACES[[(int(_DE_BRUIJN) << bit) % 2**64 >> 58 for bit in range(64)]] = np.arange(64)

# The bits of a byte, each in a byte of its own.
_SPREAD = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").view(np.uint64)[:, 0].copy()

PairArrays = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint32]]
"""Room for pairs: rows of a block (or candidates), targets and proximities, (n_room,) each."""


class BlockLimits(NamedTuple):
    """What sums must exceed for pairs to be listed from the side of the rows of the block, too."""

    of_rows: NDArray[np.int64]  # (n_block,) not negative; (0,) if pairs are not listed from there
    by_digit: NDArray[np.uint64]  # (n_digits + 1, 8) from ``limits_by_digit``, or (0, 8)


NO_LIMITS = BlockLimits(np.empty(0, dtype=np.int64), np.empty((0, _WORDS), dtype=np.uint64))


@dataclass(frozen=True, slots=True)
class ExactSums:
    """The proximities of some targets to a block, digit by digit."""

    digits: NDArray[np.uint64]  # (n_targets, 8 x n_lines), see ``add_masks``
    n_digits: int

    def tally(self, limits: NDArray[np.int64], tallies: NDArray[np.int64]) -> None:
        """Add how many targets are above their limit, and by how much, for each row of the block.

        ``limits`` are (n_lines, n_targets), and ``found`` (2, n_lines, 512).
        """
        for line, its_limits in enumerate(limits):
            tally_above(self.digits, self.n_digits, its_limits, *tallies[:, line])

    def list_above(self, thresholds: NDArray[np.int64], start: int, pairs: PairArrays) -> tuple[int, int]:
        """List the pairs above the thresholds of their targets, which are not negative, as long as there is room.

        ``start`` is the target to begin with. Returns how many pairs are listed, and the next target.
        """
        n_found, _, following = self.list_both(thresholds, NO_LIMITS, start, (pairs, pairs))
        return n_found, following

    def list_both(
        self, thresholds: NDArray[np.int64], limits: BlockLimits, start: int, pairs: tuple[PairArrays, PairArrays]
    ) -> tuple[int, int, int]:
        """List these pairs, and those above the limits of their rows of the block; likewise."""
        return list_both(self.digits, self.n_digits, thresholds, limits.by_digit, start, pairs)

    def write(self, numbers: NDArray[np.uint16]) -> None:
        """Write all sums, which have at most 16 digits: (n_targets, n_block)."""
        _write_all(self.digits, self.n_digits, numbers)


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


def limits_by_digit(limits: NDArray[np.int64], n_digits: int) -> NDArray[np.uint64]:
    """Return for 512 rows of a block what their sums must reach to be above limits, digit by digit: (n_digits + 1, 8).

    The last line is of rows whose limit can be exceeded at all. ``limits``, (at most 512,), are not negative.
    """
    least = np.full(64 * _WORDS, 2**n_digits, dtype=np.int64)
    least[: len(limits)] = np.minimum(limits + 1, 2**n_digits)
    bits = np.concatenate([(least >> np.arange(n_digits)[:, None]) & 1, (least < 2**n_digits)[None]])
    return np.packbits(bits.astype(np.uint8), axis=1, bitorder="little").view(np.uint64)


@compiled
def list_both(
    sums: NDArray[np.uint64],
    n_digits: int,
    thresholds: NDArray[np.int64],
    limits: NDArray[np.uint64],
    start: int,
    pairs: tuple[PairArrays, PairArrays],
) -> tuple[int, int, int]:
    """List the pairs of a target and a row of a block whose sum is above the target's threshold, or the row's limit.

    Parameters
    ----------
    sums : (n_targets, 8 x n_lines)
        See ``add_masks``.
    thresholds : (n_targets,) int64
        Not negative.
    limits : (n_digits + 1, 8)
        From ``limits_by_digit``; without lines, there are no pairs of the second kind.
    start
        Target to begin with.
    pairs
        Rows of the block, targets and sums of each kind: written to, as long as there is room for 512 more.

    Returns
    -------
    (n_first, n_second, next target)
    """
    excess, numbers = np.zeros(64, dtype=np.uint64), np.zeros((4, 64), dtype=np.uint64)
    above = np.zeros((2, _WORDS), dtype=np.uint64)
    n_first, n_second, n_before = 0, 0, 64 * _WORDS
    for target in range(start, len(thresholds)):
        if max(n_first, n_second) + 64 * _WORDS > len(pairs[0][0]):
            return n_first, n_second, target
        line = sums[target]
        can_exceed = (thresholds[target] + 1) >> n_digits == 0
        for w in range(_WORDS):
            above[0, w] = _subtract(line, n_digits, w, thresholds[target] + 1, excess) if can_exceed else _NONE
            if len(limits):
                above[1, w] = _reaches(line, n_digits, w, limits)
        are_read = n_before >= _WORTH_READING_ALL  # as many will be above as of the last target, roughly
        if are_read:
            _read_all(line.view(np.uint8), n_digits, numbers)
        of_target = _Sums(line, n_digits, numbers, are_read)
        n_before = -n_first - n_second
        n_first = _append(above[0], target, of_target, n_first, pairs[0])
        n_second = _append(above[1], target, of_target, n_second, pairs[1])
        n_before += n_first + n_second
    return n_first, n_second, len(thresholds)


@compiled
def _write_all(sums: NDArray[np.uint64], n_digits: int, into: NDArray[np.uint16]) -> None:
    numbers = np.zeros((4, 64), dtype=np.uint64)
    in_bytes = numbers.view(np.uint8)
    for target in range(len(into)):
        _read_all(sums[target].view(np.uint8), n_digits, numbers)
        line = into[target]
        for row in range(len(line)):
            line[row] = np.uint16(in_bytes[0, row]) | np.uint16(in_bytes[1, row]) << np.uint16(8)


class _Sums(NamedTuple):
    """The sums of a target and the rows of a block."""

    digits: NDArray[np.uint64]  # (8 x n_lines,)
    n_digits: int
    numbers: NDArray[np.uint64]  # (4, 64) the same from ``_read_all``
    are_read: bool  # whether the numbers are those of this target


@compiled_for_loops
def _append(above: NDArray[np.uint64], target: int, sums: _Sums, n_found: int, pairs: PairArrays) -> int:
    """List the rows whose bits are set; return how many are listed then."""
    rows, targets, proximities = pairs
    in_bytes, n_bytes = sums.numbers.view(np.uint8), (sums.n_digits + 7) // 8
    for w in range(_WORDS):
        left = above[w]
        while left != _NONE:
            row = 64 * w + lowest_bit(left)
            left &= left - _ONE
            rows[n_found], targets[n_found] = row, target
            if sums.are_read:
                number = np.uint32(in_bytes[0, row])
                for index in range(1, n_bytes):
                    number |= np.uint32(in_bytes[index, row]) << np.uint32(8 * index)
                proximities[n_found] = number
            else:
                proximities[n_found] = _read(sums.digits, sums.n_digits, row)
            n_found += 1
    return n_found


@inlined
def _reaches(digits: NDArray[np.uint64], n_digits: int, w: int, limits: NDArray[np.uint64]) -> np.uint64:
    """Return which of 64 sums reach what they must."""
    borrow = _NONE
    for digit in range(n_digits):
        there, less = digits[_WORDS * digit + w], limits[digit, w]
        borrow = (~there & (less | borrow)) | (less & borrow)
    return np.uint64(~borrow & limits[n_digits, w])


@inlined
def lowest_bit(word: np.uint64) -> int:
    """Return the index of the lowest bit that is set in a word, of which there is one."""
    return int(_PLACES[((word & (~word + _ONE)) * _DE_BRUIJN) >> np.uint64(58)])


@inlined
def _read_all(bytes_of_digits: NDArray[np.uint8], n_digits: int, numbers: NDArray[np.uint64]) -> None:
    """Write 512 sums, eight digits of each to a byte: (4, 64) words, the lowest digits first."""
    for first in range(0, n_digits, 2):
        into, shift, is_alone = numbers[first // 8], np.uint64(first % 8), first + 1 == n_digits
        digits = bytes_of_digits[64 * first : 64 * first + 64]
        following = digits if is_alone else bytes_of_digits[64 * first + 64 : 64 * first + 128]
        mask = _NONE if is_alone else _ALL
        for index in range(64):
            spread = _SPREAD[digits[index]] | (_SPREAD[following[index]] << _ONE) & mask
            into[index] = spread << shift | (into[index] if shift else _NONE)


@compiled_for_loops
def _subtract(digits: NDArray[np.uint64], n_digits: int, w: int, amount: int, excess: NDArray[np.uint64]) -> np.uint64:
    """Subtract a number of as many digits from 64 sums; return which of them it does not exceed."""
    borrow = _NONE
    for digit in range(n_digits):
        there = digits[_WORDS * digit + w]
        less = _ALL if (amount >> digit) & 1 else _NONE
        excess[digit] = there ^ less ^ borrow
        borrow = (~there & (less | borrow)) | (less & borrow)
    return ~borrow


@compiled_for_loops
def _add(totals: NDArray[np.uint64], w: int, amounts: NDArray[np.uint64], which: np.uint64, n_digits: int) -> None:
    """Add to those of 64 totals whose bits are set in a word."""
    carry = _NONE
    for digit in range(n_digits):
        there, amount = totals[_WORDS * digit + w], amounts[digit] & which
        totals[_WORDS * digit + w] = there ^ amount ^ carry
        carry = (there & amount) | (carry & (there | amount))
    _carry(totals, w, n_digits, carry)


@compiled_for_loops
def _carry(totals: NDArray[np.uint64], w: int, digit: int, carry: np.uint64) -> None:
    """Add one at a digit to those of 64 totals whose bits are set in a word."""
    while carry != _NONE:
        there = totals[_WORDS * digit + w]
        totals[_WORDS * digit + w] = there ^ carry
        carry &= there
        digit += 1


@compiled_for_loops
def _take_out(totals: NDArray[np.uint64], n_digits: int, numbers: NDArray[np.int64]) -> None:
    """Add the totals to plain numbers, and set them to nothing."""
    for digit in range(n_digits):
        for w in range(_WORDS):
            word = totals[_WORDS * digit + w]
            for bit in range(64):
                numbers[64 * w + bit] += np.int64((word >> np.uint64(bit)) & _ONE) << digit
    totals[:] = 0


@compiled_for_loops
def _read(digits: NDArray[np.uint64], n_digits: int, row: int) -> np.uint32:
    number = np.uint32(0)
    for digit in range(n_digits):
        word = digits[_WORDS * digit + row // 64]
        number |= np.uint32((word >> np.uint64(row % 64)) & _ONE) << np.uint32(digit)
    return number
