"""How many prototypes there should be, row by row: the slow, obvious twins of row coverage and of validation."""

from fractions import Fraction
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from . import naive


def is_near(leaves: NDArray[np.int32], weights: NDArray[np.int64], row: int, prototype: int) -> bool:
    """At least 1 % of the weight, from at least 2 trees that count; from 1 where the model has no other."""
    trees = [tree for tree in range(len(weights)) if leaves[row, tree] == leaves[prototype, tree] and weights[tree] > 0]
    share = Fraction(sum(int(weights[tree]) for tree in trees), int(weights.sum()))
    return share >= Fraction(1, 100) and len(trees) >= min(2, len(weights))


def near_rows(leaves: NDArray[np.int32], weights: NDArray[np.int64], prototypes: list[int]) -> list[bool]:
    """Return whether each row is near any of the prototypes."""
    return [any(is_near(leaves, weights, row, each) for each in prototypes) for row in range(len(leaves))]


def by_coverage(
    leaves: NDArray[np.int32], weights: NDArray[np.int64], ordered: list[int], share: Fraction
) -> list[int]:
    """Return the shortest prefix of the ordered prototypes with one of which the share of rows is near."""
    for n_prototypes in range(1, len(ordered) + 1):
        if sum(near_rows(leaves, weights, ordered[:n_prototypes])) >= share * len(leaves):
            return ordered[:n_prototypes]
    return ordered


def balanced_accuracy(given: list[int], classes: list[int]) -> tuple[Fraction, float]:
    """Return the balanced accuracy, and its standard error."""
    value = naive.balanced_accuracy(np.array(given), np.array(classes))
    present = sorted(set(classes))
    variance = Fraction(0)
    for each in present:
        own = [label for label, true in zip(given, classes, strict=True) if true == each]
        share = Fraction(own.count(each), len(own))
        variance += share * (1 - share) / len(own) / len(present) ** 2
    return value, sqrt(variance)


def r2(given: list[float | None], values: list[float]) -> tuple[float, float]:
    """Return R2, with the mean for rows that are given nothing, and its standard error."""
    exact = [Fraction(value) for value in values]
    mean = sum(exact, Fraction(0)) / len(exact)
    deviations = [(value - mean) ** 2 for value in exact]
    guesses = [mean if guess is None else Fraction(guess) for guess in given]
    errors = [(value - guess) ** 2 for value, guess in zip(exact, guesses, strict=True)]
    ratio = sum(errors, Fraction(0)) / sum(deviations, Fraction(0))
    squares = [(error - ratio * deviation) ** 2 for error, deviation in zip(errors, deviations, strict=True)]
    return float(1 - ratio), sqrt(sum(squares, Fraction(0))) / float(sum(deviations, Fraction(0)))
