"""Scores and effects of rows as they are printed: in few digits that add up, as numbers and as JSON.

Those of many rows are rounded and written together: one by one, that would take as long as finding them.
"""

from collections.abc import Sequence
from itertools import chain, islice
from math import floor, log10
from typing import NamedTuple

import numpy as np
import orjson

DIGITS = 7
"""Of an effect, counted from the first of the larger score."""
_FEW_NUMBERS = 100  # for which arrays would take longer
_POWERS = np.array([10.0**digits for digits in range(16)])
# Of a rounded number, in units of its last digit: beyond these, the product does not say how Python rounds.
_NEARLY_HALF, _MOST_UNITS = 0.499999, 1e9


class RoundedNumbers(NamedTuple):
    """The numbers of a row's effects, rounded."""

    score: float
    reference_score: float
    effects: list[float]  # of listed players
    points: list[float]  # the same in points of probability; empty where there are none


class NumbersOfRows(NamedTuple):
    """The numbers of the effects of several rows."""

    rows: list[RoundedNumbers]
    json: bytes  # a list: of each row the two scores, what is left of their difference, the effects, and the points


class PrintedNumbers(NamedTuple):
    """The numbers of a row's effects as they are printed."""

    rounded: RoundedNumbers
    texts: list[bytes]  # as JSON: the two scores, what is left of their difference, the effects, and the points


def rounded_numbers(
    scores: Sequence[tuple[float, float]], effects: Sequence[list[float]], points: Sequence[list[float]]
) -> NumbersOfRows:
    """Return the numbers of rows.

    Parameters
    ----------
    scores : (n_rows,)
        The raw score of each row, and that of its reference.
    effects, points : (n_rows,)
        Of the listed players of each row; either all rows have points, or none has.
    """
    digits = [_decimals(max(abs(score), abs(other))) for score, other in scores]
    in_scale, in_points = _rounded(effects, digits), _rounded(points, [DIGITS] * len(points))
    rows, numbers = [], list[float]()
    for of_row, (raw, raw_reference), parts, of_points in zip(digits, scores, in_scale, in_points, strict=True):
        score, reference = round(raw, of_row), round(raw_reference, of_row)
        # What is left by rounding is in it, too, so that the printed numbers add up.
        rest = round(score - reference - sum(parts), of_row) + 0.0
        rows.append(RoundedNumbers(score, reference, parts, of_points))
        numbers += score, reference, rest, *parts, *of_points
    return NumbersOfRows(rows, orjson.dumps(numbers))


def printed_numbers(numbers: NumbersOfRows) -> list[PrintedNumbers]:
    """Return the numbers of each row with their texts."""
    texts = iter(numbers.json[1:-1].split(b","))
    return [PrintedNumbers(row, [*islice(texts, 3 + len(row.effects) + len(row.points))]) for row in numbers.rows]


def _decimals(largest: float) -> int:
    return DIGITS if largest == 0 else max(0, DIGITS - 1 - floor(log10(largest)))


def _rounded(rows: Sequence[list[float]], digits: list[int]) -> list[list[float]]:
    """Return the values of each row rounded to its number of decimals, as Python rounds.

    A quotient of two numbers that are exact is the double that is nearest to the decimal, which Python returns, too.
    """
    if sum(map(len, rows)) < _FEW_NUMBERS:
        return [[round(value, of_row) for value in values] for values, of_row in zip(rows, digits, strict=True)]
    values, of_values = [*chain.from_iterable(rows)], np.repeat(digits, [*map(len, rows)])
    powers = _POWERS[np.minimum(of_values, len(_POWERS) - 1)]
    units = np.array(values) * powers
    whole = np.rint(units)
    rounded: list[float] = (whole / powers).tolist()
    is_sure = (np.abs(units - whole) < _NEARLY_HALF) & (np.abs(units) < _MOST_UNITS)
    is_sure &= of_values < len(_POWERS)
    for index in np.flatnonzero(~is_sure).tolist():
        rounded[index] = round(values[index], int(of_values[index]))
    parts = iter(rounded)
    return [[*islice(parts, len(values))] for values in rows]
