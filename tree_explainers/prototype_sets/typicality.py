"""How typical a row is: its proximity to the nearest prototype, ranked among those of other rows.

A share of leaves says little by itself: .2 may be as near as rows of a deep forest ever are, or far for shallow trees.
So a job ranks the rows of a dataset by their best proximity, and keeps 101 quantiles; a row is placed among them by one
search. But where all rows are far from their prototypes, none is near because others are farther: below a tenth of the
trees, a row has next to nothing in common with its prototype, however usual that is.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Level = Literal["close", "typical", "far", "none"]

N_QUANTILES = 101
_CLOSE_ABOVE, _TYPICAL_FROM = 75, 5  # per cent
LEAST_SHARE = Fraction(1, 10)
"""Of the weight of all trees, in which a row must share a leaf with a prototype not to be far from it."""


@dataclass(frozen=True, slots=True)
class Typicality:
    """Where a row stands among others."""

    level: Level
    percentile: int  # 0 to 100


NONE = Typicality("none", 0)
"""Of rows that share no leaf with any prototype."""


def proximity_quantiles(best: NDArray[np.int64], left_out: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Return the quantiles of some rows' proximities to their nearest prototype.

    Parameters
    ----------
    best : (n_rows,) int64
        Integer proximity of each row to the prototype nearest to it.
    left_out : (n_left_out,) int64, optional
        Rows that do not count: the prototypes, where they are among the rows, since each is nearest to itself.

    Returns
    -------
    (101,) int64
        The ``k``-th is the smallest of these proximities that at least ``k`` per cent of the rows do not exceed; the
        first is the smallest of all. Empty if no row counts.
    """
    counted = np.sort(best if left_out is None else np.delete(best, left_out))
    if len(counted) == 0:
        return counted
    # The rank of the row at which k per cent are reached, in integers: ceil(k n / 100), counted from 1.
    ranks = -(-np.arange(N_QUANTILES) * len(counted) // (N_QUANTILES - 1))
    return np.asarray(counted[np.maximum(ranks, 1) - 1], dtype=np.int64)


def least_proximity(total_weight: int) -> int:
    """Return the least integer proximity of a row that is not far, where all trees together weigh this much."""
    return ceil(LEAST_SHARE * total_weight)


def typicality(proximity: int, quantiles: NDArray[np.int64], total_weight: int) -> Typicality:
    """Return where a row stands among those whose quantiles were kept.

    Parameters
    ----------
    proximity
        Integer proximity of the row to the prototype nearest to it.
    quantiles : (101,) int64
        From ``proximity_quantiles``, in the same unit.
    total_weight
        The integer proximity of a row to itself.

    Returns
    -------
    Typicality
        The percentile is the share of the rows, in per cent and rounded down, that are no nearer to a prototype; equal
        ones count, so that what many rows have in common is never rare. ``close``: above 75. ``typical``: 5 to 75.
        ``far``: below 5, and at a proximity of less than a tenth of the total weight at whatever percentile. ``none``:
        the row shares no leaf that counts with any prototype, and its percentile is 0.
    """
    if proximity == 0:
        return NONE
    percentile = int(quantiles[1:].searchsorted(proximity, side="right"))
    return at_percentile(percentile, is_near=proximity >= least_proximity(total_weight))


def at_percentile(percentile: int, *, is_near: bool) -> Typicality:
    """Return the typicality of a row at this percentile that shares a leaf with some prototype."""
    if not is_near:
        return Typicality("far", percentile)
    if percentile > _CLOSE_ABOVE:
        return Typicality("close", percentile)
    return Typicality("typical" if percentile >= _TYPICAL_FROM else "far", percentile)
