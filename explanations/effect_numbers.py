"""Scores and effects of rows as they are printed: in few digits that add up, as numbers and as JSON.

Those of many rows are rounded and written together: one by one, that would take as long as finding them.
"""

from collections.abc import Sequence
from math import floor, log10
from typing import NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from tree_explainers.compute.byte_texts import Texts
from tree_explainers.compute.decimal_texts import MOST_UNITS, decimal_texts

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DIGITS = 7
"""Of an effect, counted from the first of the larger score."""
_POWERS = np.array([10.0**digits for digits in range(17)])
# Of a rounded number, in units of its last digit: beyond it, the product does not say how Python rounds.
_NEARLY_HALF = 0.499999
_NEARLY_WHOLE = 1e-9  # of a logarithm: nearer to a whole one, it does not say on which side of it the number is


class PrintedNumbers(NamedTuple):
    """The numbers of a row's effects as they are printed."""

    score: float
    reference_score: float
    effects: list[float]  # of listed players
    points: list[float]  # the same in points of probability; empty where there are none
    texts: list[bytes]  # as JSON: the two scores, what is left of their difference, the effects, and the points


class NumbersOfMany(NamedTuple):
    """The numbers of the effects of many rows, rounded, and as JSON."""

    are_sure: NDArray[np.bool_]  # (n_rows,) the numbers of the row are surely rounded as Python does
    scores: Floats  # (n_rows,)
    reference_scores: Floats  # (n_rows,)
    effects: Floats  # (n_listed,)
    points: Floats | None  # (n_listed,) the same in points of probability
    texts: Texts  # all scores, those of the references, what is left of the differences, the effects, and the points


def numbers_of_many(scores: tuple[Floats, Floats], effects: Floats, points: Floats | None, rows: Ints) -> NumbersOfMany:
    """Return the numbers of many rows as ``printed_numbers`` does.

    Parameters
    ----------
    scores : (n_rows,) each
        The raw scores of the rows, and those of their references.
    effects, points : (n_listed,)
        Of the listed players of all rows.
    rows : (n_listed,)
        Which row each is of.
    """
    n_rows, digits = len(scores[0]), _decimals_of_many(np.maximum(*map(np.abs, scores)))
    values, decimals = [*scores, effects], [digits, digits, digits[rows]]
    if points is not None:
        values, decimals = [*values, points], [*decimals, np.full(len(rows), DIGITS)]
    whole, are_sure = _whole(np.concatenate(values), np.concatenate(decimals))
    of_scores, of_references, of_effects, of_points = np.split(whole, np.cumsum([n_rows, n_rows, len(rows)]))
    # What is left by rounding is in it, too, so that the printed numbers add up.
    rest = of_scores - of_references - np.bincount(rows, of_effects, n_rows)
    row_of = np.concatenate((*(np.arange(n_rows),) * 2, rows, rows))[: len(whole)]
    are_sure_rows = (np.bincount(row_of, ~are_sure, n_rows) == 0) & (np.abs(rest) < MOST_UNITS)
    units = np.concatenate((of_scores, of_references, np.where(are_sure_rows, rest, 0) + 0.0, of_effects, of_points))
    texts = decimal_texts(
        np.abs(units).astype(np.int64), np.signbit(units), np.concatenate((digits, *decimals)), "json"
    )
    powers = _POWERS[digits]
    in_points = None if points is None else of_points / _POWERS[DIGITS]
    of_rows = of_scores / powers, of_references / powers, of_effects / powers[rows], in_points
    return NumbersOfMany(are_sure_rows, *of_rows, texts)


def _decimals_of_many(largest: Floats) -> Ints:
    """Return the decimals of rows whose largest scores these are."""
    logarithms = np.log10(np.where(largest > 0, largest, 1.0))
    decimals: Ints = np.clip(DIGITS - 1 - np.floor(logarithms), 0, len(_POWERS) - 1).astype(np.int64)
    # Beside a power of ten, or with more decimals than there are powers, the logarithm decides.
    is_unsure = (np.abs(logarithms - np.rint(logarithms)) < _NEARLY_WHOLE) | (largest == 0)
    for row in np.flatnonzero(is_unsure).tolist():
        decimals[row] = min(_decimals(float(largest[row])), len(_POWERS) - 1)
    return decimals


def _whole(values: Floats, decimals: Ints) -> tuple[Floats, NDArray[np.bool_]]:
    """Return values in units of their last decimals, 0 where Python may round them in another way; and where not."""
    units = values * _POWERS[decimals]
    whole = np.rint(units)
    are_sure = (np.abs(units - whole) < _NEARLY_HALF) & (np.abs(units) < MOST_UNITS) & (decimals < len(_POWERS) - 1)
    return np.where(are_sure, whole, 0.0), are_sure


def printed_numbers(
    score: float, reference_score: float, effects: Sequence[float], points: Sequence[float]
) -> PrintedNumbers:
    """Return the numbers of a row.

    Parameters
    ----------
    score, reference_score
        The raw score of the row, and that of its reference.
    effects, points
        Of the listed players; there may be no points.
    """
    digits = _decimals(max(abs(score), abs(reference_score)))
    score, reference_score = round(score, digits), round(reference_score, digits)
    effects, points = [round(each, digits) for each in effects], [round(each, DIGITS) for each in points]
    # What is left by rounding is in it, too, so that the printed numbers add up.
    rest = round(score - reference_score - sum(effects), digits) + 0.0
    json = orjson.dumps([score, reference_score, rest, *effects, *points])
    return PrintedNumbers(score, reference_score, effects, points, json[1:-1].split(b","))


def _decimals(largest: float) -> int:
    return DIGITS if largest == 0 else max(0, DIGITS - 1 - floor(log10(largest)))
