"""Loops that score candidate tests, all constants of a family at once.

A category's levels need one pass over the bindings, in which each example counts once for each level it has. A
number needs each example's largest and smallest value, and one sort. The earlier of equal scores wins.
"""

from math import log2

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, inlined
from .tables import MISSING

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

LEAST_GAIN = 1e-9  # a test that gains no more parts nothing
TIE = 1e-12  # scores that differ by no more are equal
MOST_LOGS = 10_000_000  # logarithms that are kept
FEW = 1_000  # values that are sorted by comparing them


Targets = tuple[Ints, Floats, Floats]  # labels, weights, and the values of regression (none of classification)
# Targets, the node's totals, x log2 x of whole numbers, the least weight, and whether the gain ratio counts.
Split = tuple[Targets, Floats, Floats, float, bool]
Sample = tuple[float, np.uint64]  # the share of tests that are candidates, and the key of the family


def mixed(key: int, other: int) -> int:
    """Return a key of 64 bits made of two (the finaliser of splitmix64)."""
    value = (key * 0x9E3779B97F4A7C15 + other + 0x632BE59BD9B4E019) & _ALL_BITS
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _ALL_BITS
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _ALL_BITS
    return value ^ (value >> 31)


_ALL_BITS = (1 << 64) - 1


@inlined
def _mixed(key: np.uint64, other: np.uint64) -> np.uint64:
    """Compute ``mixed`` in compiled loops."""
    value = key * np.uint64(0x9E3779B97F4A7C15) + other + np.uint64(0x632BE59BD9B4E019)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@inlined
def _kept(sample: Sample, constant: np.uint64) -> bool:
    """Return whether a test is a candidate: its key, as a number from 0 to 1, is below the share."""
    share, key = sample
    return share >= 1.0 or float(_mixed(key, constant) >> np.uint64(11)) * 2.0**-53 < share


def logs_of(weights: Floats) -> Floats:
    """Return x log2 x for x from 0 to the sum of the weights, if all are whole numbers; else nothing."""
    if np.any(weights != np.rint(weights)) or weights.sum() > MOST_LOGS:
        return np.empty(0)
    numbers = np.arange(int(weights.sum()) + 1, dtype=np.float64)
    return numbers * np.log2(np.maximum(numbers, 1.0))


@inlined
def _bits(weight: float, logs: Floats) -> float:
    """Return x log2 x, 0 where x is 0 (or below by rounding)."""
    if len(logs) > 0:
        return float(logs[int(weight)])
    return weight * log2(weight) if weight > 0.0 else 0.0


@inlined
def _score(passed: Floats, split: Split) -> float:
    """Return the score of the test that examples of these weights pass; -1 where it is no test."""
    (_, _, values), totals, logs, min_weight, ratio = split
    if len(values) > 0:
        return _reduction(passed, totals, min_weight)
    n_passed, n_all, gain = 0.0, 0.0, 0.0
    for label in range(len(totals)):
        n_passed += passed[label]
        n_all += totals[label]
    n_failed = n_all - n_passed
    if n_passed < min_weight or n_failed < min_weight or n_passed <= 0.0 or n_failed <= 0.0:
        return -1.0
    for label in range(len(totals)):
        failed = totals[label] - passed[label]
        gain += _bits(passed[label], logs) + _bits(failed, logs) - _bits(totals[label], logs)
    shares = _bits(n_all, logs) - _bits(n_passed, logs) - _bits(n_failed, logs)
    gain = (gain + shares) / n_all
    if gain <= LEAST_GAIN:
        return -1.0
    return gain / (shares / n_all) if ratio else gain


@inlined
def _reduction(passed: Floats, totals: Floats, min_weight: float) -> float:
    """Return the reduction of the values' variance by a test; -1 where it is no test."""
    n_failed, failed = totals[0] - passed[0], totals[1] - passed[1]
    if passed[0] < min_weight or n_failed < min_weight or passed[0] <= 0.0 or n_failed <= 0.0:
        return -1.0
    between = passed[1] * passed[1] / passed[0] + failed * failed / n_failed - totals[1] * totals[1] / totals[0]
    return between / totals[0] if between / totals[0] > LEAST_GAIN else -1.0


@inlined
def _add(sums: Floats, example: int, targets: Targets, sign: int) -> None:
    """Add an example's weight to that of its class; of regression: its weight and weighted value."""
    labels, weights, values = targets
    if len(values) > 0:
        sums[0] += sign * weights[example]
        sums[1] += sign * weights[example] * values[example]
    else:
        sums[labels[example]] += sign * weights[example]


@compiled
def level_sums(examples: Ints, codes: Ints, targets: Targets, shape: tuple[int, int]) -> Floats:
    """Return the weights of the examples that have each level, (n_levels + 1, n_classes); the last: a missing one."""
    n_levels, n_sums = shape
    sums = np.zeros((n_levels + 1, n_sums))
    stamps = np.full(n_levels + 1, -1, np.int32)
    for index in range(len(examples)):
        level = codes[index] if codes[index] != MISSING else n_levels
        if stamps[level] != examples[index]:
            stamps[level] = examples[index]
            _add(sums[level], examples[index], targets, 1)
    return sums


@compiled
def best_of(sums: Floats, split: Split, sample: Sample) -> tuple[int, float]:
    """Return the index of the first best of tests that examples of these weights pass, and its score; -1: none."""
    best, best_score = -1, -1.0
    for index in range(len(sums)):
        if _kept(sample, np.uint64(index)):
            score = _score(sums[index], split)
            if score > best_score + TIE:
                best, best_score = index, score
    return best, best_score


@compiled
def best_of_groups(
    examples: Ints, values: Singles, grid: Singles, split: Split, sample: Sample
) -> tuple[int, int, float, float]:
    """Return the index of the number with the first best cut (-1: none), its sign, the cut and its score."""
    best, best_sign, best_cut, best_score = -1, 0, 0.0, -1.0
    for index in range(len(values)):
        having, largest, smallest = _extremes(examples, values[index])
        order = _order(largest)
        for sign in (1, -1):
            if sign < 0 and len(having) < len(examples):  # else an example's smallest value is its largest
                order = _order(smallest)
            ordered = (largest if sign > 0 else smallest)[order]
            of_number = (sample[0], _mixed(sample[1], np.uint64(index)))
            cut, score = _best_cut(having[order], ordered, grid, sign, split, of_number)
            if score > best_score + TIE:
                best, best_sign, best_cut, best_score = index, sign, cut, score
    return best, best_sign, best_cut, best_score


@inlined
def _order(values: Singles) -> NDArray[np.int64]:
    """Return the indices of values in ascending order: of many, by their bits, eleven at a time."""
    n = len(values)
    if n < FEW:
        return np.argsort(values)
    bits, order, turned = values.copy().view(np.uint32), np.arange(n), np.empty(n, np.int64)
    for index in range(n):  # as unsigned numbers in the order of the values
        bits[index] ^= np.uint32(0xFFFFFFFF) if bits[index] >> np.uint32(31) else np.uint32(0x80000000)
    for shift in (np.uint32(0), np.uint32(11), np.uint32(22)):
        starts = np.zeros(2049, np.int64)
        for index in range(n):
            starts[((bits[index] >> shift) & np.uint32(2047)) + 1] += 1
        starts = np.cumsum(starts)
        for index in order:  # type: ignore[assignment]  # whole numbers
            digit = int((bits[index] >> shift) & np.uint32(2047))
            turned[starts[digit]] = index
            starts[digit] += 1
        order, turned = turned, order
    return order


@inlined
def _extremes(examples: Ints, values: Singles) -> tuple[Ints, Singles, Singles]:
    """Return the examples that have a value, and their largest and smallest."""
    having = np.empty(len(examples), np.int32)
    largest, smallest = np.empty(len(examples), np.float32), np.empty(len(examples), np.float32)
    n_having = 0
    for index in range(len(examples)):
        example, value = examples[index], values[index]
        if np.isnan(value):
            continue
        if n_having == 0 or having[n_having - 1] != example:
            having[n_having], largest[n_having], smallest[n_having] = example, value, value
            n_having += 1
        else:
            largest[n_having - 1] = max(largest[n_having - 1], value)
            smallest[n_having - 1] = min(smallest[n_having - 1], value)
    return having[:n_having], largest[:n_having], smallest[:n_having]


@inlined
def _best_cut(
    examples: Ints, values: Singles, grid: Singles, sign: int, split: Split, sample: Sample
) -> tuple[float, float]:
    """Return the first best cut of values in ascending order, and its score (-1: none).

    With a sign of 1, examples pass whose value is above the cut, else those whose value is up to it.
    """
    passed = np.zeros(len(split[1]))
    for example in examples if sign > 0 else examples[:0]:
        _add(passed, example, split[0], 1)
    best, best_score = 0.0, -1.0
    for index in range(len(examples) - 1):
        _add(passed, examples[index], split[0], -sign)
        if values[index] == values[index + 1]:
            continue
        cut = _cut_between(values[index], values[index + 1], grid)
        if cut < values[index + 1] and _kept(sample, _constant(cut, sign)):
            score = _score(passed, split)
            if score > best_score + TIE:
                best, best_score = np.float64(cut), score
    return best, best_score


@inlined
def _cut_between(value: np.float32, following: np.float32, grid: Singles) -> np.float32:
    """Return the first cut from ``value`` to below ``following``; infinity where the grid has none."""
    if len(grid) > 0:
        index = np.searchsorted(grid, value)
        return grid[index] if index < len(grid) else np.float32(np.inf)
    halfway = np.float32((np.float64(value) + np.float64(following)) / 2 + 0.0)  # never -0
    return halfway if value <= halfway < following else value


@inlined
def _constant(cut: np.float32, sign: int) -> np.uint64:
    return np.uint64(np.float32(cut).view(np.uint32)) * np.uint64(2) + np.uint64(1 if sign > 0 else 0)
