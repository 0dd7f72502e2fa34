"""Finding the sums above a limit by rounded weights: a few digits rule out most pairs of rows.

Weights of up to 31 digits, as boosting has them, take a mask for each digit that is set (``leaf_masks``): a dozen for
each tree. Let u_t be the weight w_t in units of 2^q, rounded. Then for rows s and m

    P(s, m) = sum over the trees that they share of w_t  <=  2^q U(s, m) + D,
    U(s, m) = sum over the trees that they share of u_t,  D = sum over all trees of max(0, w_t - 2^q u_t).

So P is above a limit only where U is above (limit - D) / 2^q. There it is added up from the codes of both rows, so that
all that is found is exact.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, inlined
from .binary_sums import NO_LIMITS, BlockLimits, PairArrays, lowest_bit
from .leaf_masks import WORDS

_LARGEST_ERROR = 1 / 20  # of all weights together; measured: less takes more masks, more leaves more pairs to compare
_NONE, _ONE = np.uint64(0), np.uint64(1)


class RoundedWeights(NamedTuple):
    """Weights in units of 2^q."""

    units: NDArray[np.int64]  # (n_trees,) u
    n_dropped: int  # q, binary digits
    left_out: int  # D, in units of weight

    def limits(self, limits: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return what U must exceed for P to exceed the limits; -1 where any pair may."""
        return np.asarray(np.maximum((limits - self.left_out) >> self.n_dropped, -1))


class Compared(NamedTuple):
    """Rows to compare: their codes, row by row, and what each tree counts."""

    block: NDArray[Any]  # (n_block, n_trees)
    targets: NDArray[Any]  # (n_targets, n_trees)
    weights: NDArray[np.uint32]  # (n_trees,)


@dataclass(frozen=True, slots=True)
class RoundedSums:
    """The proximities of some targets to a block by rounded weights; what is found is what ``ExactSums`` find."""

    digits: NDArray[np.uint64]  # (n_targets, 8 x n_lines) of U, see ``add_masks``
    n_digits: int
    weights: RoundedWeights
    rows: Compared

    def tally(self, limits: NDArray[np.int64], tallies: NDArray[np.int64]) -> None:
        """Add how many targets are above their limit, and by how much; see ``ExactSums``."""
        lines, lowest = np.ascontiguousarray(limits), self.weights.limits(limits.min(axis=0))
        _tally_above(self.digits, self.n_digits, lowest, self.rows, lines, tallies)

    def list_above(self, thresholds: NDArray[np.int64], start: int, pairs: PairArrays) -> tuple[int, int]:
        """List the pairs above the thresholds of their targets; see ``ExactSums``."""
        n_found, _, following = self.list_both(thresholds, NO_LIMITS, start, (pairs, pairs))
        return n_found, following

    def list_both(
        self, thresholds: NDArray[np.int64], limits: BlockLimits, start: int, pairs: tuple[PairArrays, PairArrays]
    ) -> tuple[int, int, int]:
        """List these pairs, and those above the limits of their rows of the block; see ``ExactSums``.

        Limits by digit are those of U.
        """
        rounded = self.weights.limits(thresholds)
        return _list_both(self.digits, self.n_digits, self.rows, (rounded, thresholds), limits, start, pairs)


def round_weights(weights: NDArray[np.int64]) -> RoundedWeights | None:
    """Return weights rounded as far as is worthwhile; ``None`` where that saves less than half of the masks."""
    total, rounded = int(weights.sum()), None
    for n_dropped in range(1, total.bit_length()):
        units = (weights + (1 << (n_dropped - 1))) >> n_dropped
        error = weights - (units << n_dropped)
        if np.abs(error).sum() > _LARGEST_ERROR * total:
            break
        rounded = RoundedWeights(units, n_dropped, int(np.maximum(error, 0).sum()))
    return rounded if rounded is not None and 2 * _n_masks(rounded.units) <= _n_masks(weights) else None


def _n_masks(weights: NDArray[np.int64]) -> int:
    return sum(weight.bit_count() for weight in weights.tolist())


def codes_by_row(codes: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[Any]:
    """Return the codes of some rows, (n_rows, n_trees), from those of all, (n_trees, n_all_rows)."""
    taken = np.empty((len(rows), len(codes)), dtype=codes.dtype)
    _take(codes, rows, taken)
    return taken


@compiled
def _take(codes: NDArray[Any], rows: NDArray[np.int64], taken: NDArray[Any]) -> None:
    for tree in range(codes.shape[0]):
        line = codes[tree]
        for index in range(len(rows)):
            taken[index, tree] = line[np.uint64(rows[index])]


@compiled
def _tally_above(
    sums: NDArray[np.uint64],
    n_digits: int,
    rounded: NDArray[np.int64],
    rows: Compared,
    limits: NDArray[np.int64],
    tallies: NDArray[np.int64],
) -> None:
    """Tally the pairs whose U exceeds the target's ``rounded`` limit, (n_targets,)."""
    above, some = np.empty(WORDS, dtype=np.uint64), np.empty(64 * WORDS, dtype=np.int64)
    n_above, excess = tallies[0], tallies[1]
    for target in range(len(rounded)):
        _find_above(sums[target], n_digits, rounded[target] + 1, above)
        n_some, codes = _rows_of_bits(above, len(rows.block), some), rows.targets[target]
        for index in range(n_some):
            row = some[index]
            proximity = _proximity(rows.block[row], codes, rows.weights)
            for line in range(len(limits)):
                over = max(0, proximity - limits[line, target])
                n_above[line, row] += int(over > 0)
                excess[line, row] += over


@compiled
def _list_both(  # noqa: PLR0917  # a loop over arrays
    sums: NDArray[np.uint64],
    n_digits: int,
    rows: Compared,
    thresholds: tuple[NDArray[np.int64], NDArray[np.int64]],
    limits: BlockLimits,
    start: int,
    pairs: tuple[PairArrays, PairArrays],
) -> tuple[int, int, int]:
    """List pairs as ``list_both`` of ``binary_sums`` does.

    ``thresholds`` are those of U and of P, (n_targets,) each; limits by digit are those of U.
    """
    above, reached = np.empty(WORDS, dtype=np.uint64), np.empty(WORDS, dtype=np.uint64)
    some, both_ways = np.empty(64 * WORDS, dtype=np.int64), len(limits.of_rows) > 0
    n_first, n_second = 0, 0
    for target in range(start, len(rows.targets)):
        if max(n_first, n_second) + 64 * WORDS > len(pairs[0][0]):
            return n_first, n_second, target
        _find_above(sums[target], n_digits, thresholds[0][target] + 1, above)
        if both_ways:
            _find_reached(sums[target], n_digits, limits.by_digit, reached)
            for w in range(WORDS):
                above[w] |= reached[w]
        for index in range(_rows_of_bits(above, len(rows.block), some)):
            row = some[index]
            proximity = _proximity(rows.block[row], rows.targets[target], rows.weights)
            if proximity > thresholds[1][target]:
                n_first = _append(pairs[0], n_first, row, target, proximity)
            if both_ways and proximity > limits.of_rows[row]:
                n_second = _append(pairs[1], n_second, row, target, proximity)
    return n_first, n_second, len(rows.targets)


@inlined
def _rows_of_bits(bits: NDArray[np.uint64], n_block: int, rows: NDArray[np.int64]) -> int:
    """Write the rows of a block whose bits are set; return how many. Where any sum may be above, there are others."""
    n_rows = 0
    for w in range(WORDS):
        left = bits[w]
        while left != _NONE:
            rows[n_rows] = 64 * w + lowest_bit(left)
            left &= left - _ONE
            n_rows += 1
    while n_rows > 0 and rows[n_rows - 1] >= n_block:
        n_rows -= 1
    return n_rows


@inlined
def _append(pairs: PairArrays, n_found: int, row: int, target: int, proximity: np.int64) -> int:
    pairs[0][n_found], pairs[1][n_found], pairs[2][n_found] = row, target, np.uint32(proximity)
    return n_found + 1


@inlined
def _find_above(digits: NDArray[np.uint64], n_digits: int, least: int, above: NDArray[np.uint64]) -> None:
    """Set the bits of the sums that are at least ``least``; all that are, where it is not positive."""
    n_words = len(above)  # a number that the compiler does not know makes wide registers, see ``AddingPlan``
    if least >> n_digits > 0:
        above[:] = _NONE
        return
    borrow = above
    borrow[:] = _NONE
    for digit in range(n_digits):
        if (least >> digit) & 1:
            for w in range(n_words):
                borrow[w] |= ~digits[WORDS * digit + w]
        else:
            for w in range(n_words):
                borrow[w] &= ~digits[WORDS * digit + w]
    for w in range(n_words):
        above[w] = ~borrow[w]


@inlined
def _find_reached(
    digits: NDArray[np.uint64], n_digits: int, limits: NDArray[np.uint64], reached: NDArray[np.uint64]
) -> None:
    """Set the bits of the sums that reach the limits of their rows."""
    borrow = reached
    borrow[:] = _NONE
    for digit in range(n_digits):
        for w in range(len(reached)):
            there, less = digits[WORDS * digit + w], limits[digit, w]
            borrow[w] = (~there & (less | borrow[w])) | (less & borrow[w])
    for w in range(len(reached)):
        reached[w] = ~borrow[w] & limits[n_digits, w]


@inlined
def _proximity(codes: NDArray[Any], others: NDArray[Any], weights: NDArray[np.uint32]) -> np.int64:
    total = np.uint32(0)
    for tree in range(len(weights)):  # as numbers of 32 bits, of which twice as many fit into a register
        total = np.uint32(total + (weights[tree] if codes[tree] == others[tree] else np.uint32(0)))
    return np.int64(total)
