"""Evidence: what happened to the reference rows that are most like a row, as shares of true outcomes with intervals.

A forest's own likeness says which rows these are: the share of trees in whose leaves both lie. Likeness alone draws
from too far at the ends of the scale, where most of the rows that are like a row have a score nearer to the middle.
So the rows are those that are like it *and* to which the model gives nearly its score. Rows that the model was trained
on are no evidence, unless the trees that learned from them are left out: their outcomes are why they have their scores.
``benchmarks/evidence.py`` holds the intervals against the outcomes of held-out rows.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidInput
from .share_intervals import Interval, clopper_pearson_interval, effective_number, wilson_interval

Floats = NDArray[np.float64]

LEVEL = 0.9
"""The probability with which an interval should hold the share among held-out rows."""

MOST_ROWS = 50
"""Rows that are counted as most like a row, ties apart."""

SCORE_WINDOW = 0.05
"""How far from a row's score, a probability, those of rows like it may be."""

_FEW_ROWS = 10.0  # effective ones, below which Wilson's interval is too narrow


@dataclass(frozen=True, slots=True)
class OutcomeShare:
    """The share of one outcome among the rows most like a row."""

    outcome: int  # its index
    share: float
    low: float  # of the interval
    high: float

    def holds(self, score: float) -> bool:
        """Whether a score, the model's own for this outcome, lies in the interval, its ends included."""
        return self.low <= score <= self.high


@dataclass(frozen=True, slots=True)
class Evidence:
    """The true outcomes of the rows most like a row."""

    n_rows: int  # that have a weight
    effective_rows: float  # Kish's effective number: as many rows of equal weight say as much
    shares: tuple[OutcomeShare, ...]  # (n_outcomes,) in the order of the outcomes; none where no row has a weight
    level: float

    def agrees(self, score: float, outcome: int) -> bool:
        """Whether the model's score, a probability, lies in the interval of its outcome."""
        return self.shares[outcome].holds(score)


def weights_of_rows_like(
    proximities: NDArray[Any],
    scores: NDArray[np.floating[Any]],
    score: float,
    *,
    n_most: int = MOST_ROWS,
    window: float = SCORE_WINDOW,
) -> Floats:
    """Return the weights of reference rows as evidence of a row: 1 for the rows most like it, and 0 for the others.

    Parameters
    ----------
    proximities : (n_rows,)
        Of each reference row to the row, in any unit, as ``leaf_space.proximity.columns`` or
        ``out_of_bag_proximities`` returns them.
    scores : (n_rows,)
        The model's score of each reference row, for the outcome that the row's is of; out of bag where that is known.
    score
        The row's.
    n_most
        Rows that have a weight: those with the largest proximity times 1 - (difference of scores / ``window``)^2;
        ties at the last are all in. Fewer where fewer share a leaf with the row and have a score this near.
    window
        In the scores' unit.

    Returns
    -------
    (n_rows,) float64
    """
    nearness = 1 - ((np.asarray(scores, np.float64) - score) / window) ** 2
    likeness = np.asarray(proximities, np.float64) * np.maximum(nearness, 0)
    if len(likeness) > n_most:
        least = np.partition(likeness, -n_most)[-n_most]
        return np.asarray((likeness >= least) & (likeness > 0), np.float64)
    return np.asarray(likeness > 0, np.float64)


def out_of_bag_proximities(
    leaves: NDArray[np.integer[Any]], codes: NDArray[np.integer[Any]], is_in_bag: NDArray[np.bool_]
) -> Floats:
    """Return for each reference row the share, of the trees that did not learn from it, in whose leaves both rows lie.

    Parameters
    ----------
    leaves : (n_trees,)
        Of the row.
    codes : (n_trees, n_rows)
        Leaves of the reference rows.
    is_in_bag : (n_trees, n_rows)
        Whether a tree learned from a row.

    Returns
    -------
    (n_rows,) float64
        0 where all trees learned from the row.
    """
    is_out = ~is_in_bag
    n_shared = ((codes == np.asarray(leaves)[:, None]) & is_out).sum(axis=0)
    return np.asarray(n_shared / np.maximum(1, is_out.sum(axis=0)), np.float64)


def gather_evidence(
    weights: Floats, outcomes: NDArray[np.integer[Any]], n_outcomes: int, *, level: float = LEVEL
) -> Evidence:
    """Return the share of each true outcome among weighted reference rows, with an interval.

    The interval is Wilson's, for the effective number of rows; Clopper and Pearson's where that is below 10.

    Parameters
    ----------
    weights : (n_rows,)
        Not negative, such as ``weights_of_rows_like`` returns.
    outcomes : (n_rows,)
        Index of each row's true outcome, 0 to ``n_outcomes - 1``.
    n_outcomes
        Number of outcomes.
    level
        Of the intervals.

    Raises
    ------
    InvalidInput
        Where a weight is negative or not finite, or an outcome is none of them.
    """
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        msg = "A weight is negative or not finite."
        raise InvalidInput(msg, field="weights")
    if len(outcomes) and not 0 <= outcomes.min() <= outcomes.max() < n_outcomes:
        msg = f"outcomes must be in 0 to {n_outcomes - 1}, got {outcomes.min()} to {outcomes.max()}"
        raise InvalidInput(msg, field="outcomes")
    total = float(weights.sum())
    if total == 0:
        return Evidence(0, 0.0, (), level)
    effective = effective_number(weights)
    sums = np.bincount(outcomes, weights, minlength=n_outcomes)
    shares = (np.clip(sums / total, 0, 1)).tolist()
    return Evidence(
        int((weights > 0).sum()),
        effective,
        tuple(OutcomeShare(at, share, *share_interval(share, effective, level)) for at, share in enumerate(shares)),
        level,
    )


def share_interval(share: float, effective_rows: float, level: float = LEVEL) -> Interval:
    """Return the interval of a share among rows like a row; see ``gather_evidence`` for the rule."""
    interval = clopper_pearson_interval if effective_rows < _FEW_ROWS else wilson_interval
    return interval(share * effective_rows, effective_rows, level)
