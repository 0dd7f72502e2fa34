"""In which leaves prototypes predict best: the slow, obvious twin, row by row and in rationals."""

from fractions import Fraction
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from . import naive


def nearest_of(leaves: NDArray[np.int32], weights: NDArray[np.int64], prototypes: list[int]) -> list[int | None]:
    """Return the row of each row's nearest prototype (ties: the earlier), or None where none shares a leaf."""
    proximity = naive.proximity_matrix(leaves, weights)
    found = [max(prototypes, key=lambda other: int(proximity[row, other])) for row in range(len(leaves))]
    return [other if proximity[row, other] else None for row, other in enumerate(found)]


def errors_of(nearest: list[int | None], outcomes: list[int] | list[float]) -> list[tuple[Fraction, Fraction]]:
    """Return the error of each row's nearest prototype, and that of a constant guess; of values they are squares."""
    if isinstance(outcomes[0], int):
        return [
            (Fraction(other is None or outcomes[other] != own), Fraction(1))
            for other, own in zip(nearest, outcomes, strict=True)
        ]
    values = [Fraction(value) for value in outcomes]
    mean = sum(values, Fraction(0)) / len(values)
    guesses = [mean if other is None else values[other] for other in nearest]
    return [((guess - value) ** 2, (mean - value) ** 2) for guess, value in zip(guesses, values, strict=True)]


def score(errors: list[tuple[Fraction, Fraction]], prototypes: list[int]) -> float:
    """Return 1 less the errors in parts of those of a constant guess, of the rows that are no prototypes."""
    others = [error for row, error in enumerate(errors) if row not in prototypes]
    return float(1 - sum(error for error, _ in others) / sum(scale for _, scale in others))


def gain(
    errors: list[tuple[Fraction, Fraction]], before: list[tuple[Fraction, Fraction]], prototypes: set[int]
) -> tuple[float, float]:
    """Return by how much fewer errors there are than before, of rows that are no prototypes, and its standard error."""
    pairs = [
        (old - new, scale)
        for row, ((new, scale), (old, _)) in enumerate(zip(errors, before, strict=True))
        if row not in prototypes
    ]
    total = sum((scale for _, scale in pairs), Fraction(0))
    value = sum((difference for difference, _ in pairs), Fraction(0)) / total
    squares = sum(((difference - value * scale) ** 2 for difference, scale in pairs), Fraction(0))
    return float(value), sqrt(squares) / float(total)
