"""The slow twin of plain distance: ranks by counting, distances feature by feature, pair by pair."""

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from math import isnan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

Value = float | str | None
UNIT, TOTAL = 65_536, 1_048_576


def is_missing(value: Value) -> bool:
    return value is None or (isinstance(value, float) and isnan(value))


def rank(value: float, reference: Sequence[float]) -> Fraction:
    """Return the share of the reference values below, and half of the share of equal ones; linear between them."""
    known = sorted(each for each in reference if not isnan(each))
    if not known:
        return Fraction(0)
    if value in known:
        below, equal = sum(each < value for each in known), known.count(value)
        return Fraction(2 * below + equal, 2 * len(known))
    after = bisect_left(known, value)
    if after in {0, len(known)}:
        return rank(known[0] if after == 0 else known[-1], known)
    low, high = known[after - 1], known[after]
    share = Fraction(value - low) / Fraction(high - low)
    return rank(low, known) + share * (rank(high, known) - rank(low, known))


def squared_difference(one: Value, other: Value, *, is_ranked: bool) -> int:
    """Return what a feature adds to the square of a distance, in units of ``UNIT`` squared; numbers are ranks."""
    if is_missing(one) or is_missing(other):
        return 0 if is_missing(one) and is_missing(other) else UNIT**2
    if not is_ranked:
        return 0 if one == other else UNIT**2
    assert isinstance(one, int)
    assert isinstance(other, int)
    return (one - other) ** 2


def proximity_matrix(
    rows: Sequence[Sequence[Value]],
    others: Sequence[Sequence[Value]],
    reference: Sequence[Sequence[Value]],
    ranked: Sequence[bool],
) -> NDArray[np.int64]:
    """Return each row's proximity to each other, 1 - distance / sqrt(n_features), in units of ``TOTAL``."""
    columns = list(zip(*reference, strict=True))
    placed, others_placed = ([with_ranks(row, columns, ranked) for row in some] for some in (rows, others))
    found = np.empty((len(rows), len(others)), dtype=np.int64)
    for i, row in enumerate(placed):
        for j, other in enumerate(others_placed):
            square = sum(
                squared_difference(one, two, is_ranked=by_rank)
                for one, two, by_rank in zip(row, other, ranked, strict=True)
            )
            found[i, j] = TOTAL - round(TOTAL * sqrt(square / len(ranked)) / UNIT)
    return found


def with_ranks(row: Sequence[Value], columns: Sequence[Sequence[Any]], ranked: Sequence[bool]) -> list[Value]:
    """Return a row whose numbers in ranked columns are their ranks, in ``UNIT``s."""
    return [
        round(UNIT * rank(value, column)) if by_rank and isinstance(value, float) and not isnan(value) else value
        for value, column, by_rank in zip(row, columns, ranked, strict=True)
    ]
