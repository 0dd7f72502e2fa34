"""Training rows: which rows a forest's prediction is made of, and by which share of it each.

A leaf of a forest predicts the mean target of the rows that its tree drew and that lie in it, and the forest the mean
of its trees. So each prediction is a weighted mean of the targets of training rows, and the weights are known exactly:
the mean over trees of how often a tree drew a row, divided by what it drew into the leaf, where the row lies in that
leaf. This holds where leaves have means, which is checked leaf by leaf and never taken for granted.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .leaf_space.counted_rows import CountedRows
from .share_intervals import effective_number

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEVEL = 0.9
"""The probability with which an interval should hold the value of a row like those of training."""

_ROUNDING = 1e-12  # of sums of shares


@dataclass(frozen=True, slots=True, eq=False)
class TrainingRows(CountedRows):
    """The rows that trees drew into each leaf, and how often they drew them.

    Leaves are numbered over all trees: ``leaf_offsets[t] + code`` is a leaf of tree ``t``.
    """

    def shares(self, leaves: NDArray[np.integer[Any]], counted: NDArray[np.bool_] | None = None) -> Floats:
        """Return the share of each training row in the prediction of a row, (n_rows,); they add up to 1.

        Parameters
        ----------
        leaves : (n_trees,)
            Of the row, numbered within their trees.
        counted : (n_trees,)
            Trees whose mean the prediction is, one at least; ``None``: all. The trees that did not draw a training row
            give its out-of-bag prediction.
        """
        trees = np.arange(self.n_trees) if counted is None else np.flatnonzero(counted)
        of_row = self.leaf_offsets[trees] + np.asarray(leaves, np.int64)[trees]
        firsts, sizes = self.starts[of_row], self.starts[of_row + 1] - self.starts[of_row]
        entries = np.repeat(firsts - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
        weights = self.counts[entries] / np.repeat(self.totals[of_row] * len(trees), sizes)
        return np.asarray(np.bincount(self.rows[entries], weights, minlength=self.n_rows), np.float64)

    def is_out_of_bag(self, row: int, leaves: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Return which trees did not draw a training row, (n_trees,), from its leaves, numbered within their trees."""
        of_row = self.leaf_offsets[:-1] + np.asarray(leaves, np.int64)
        is_out = np.ones(self.n_trees, np.bool_)
        for tree, leaf in enumerate(of_row.tolist()):
            rows = self.rows[self.starts[leaf] : self.starts[leaf + 1]]
            index = np.searchsorted(rows, row)
            is_out[tree] = index == len(rows) or rows[index] != row
        return is_out

    def largest_difference(self, values: Floats, targets: Floats) -> float:
        """Return the most by which a leaf's value differs from the mean target of its rows.

        Parameters
        ----------
        values : (n_leaves,)
            What each leaf predicts, as its tree alone would.
        targets : (n_rows,)
            Of the training rows.

        Returns
        -------
        float
            Infinite where a leaf has no row.
        """
        if not (self.totals > 0).all():
            return float("inf")
        largest = 0.0
        for first, end in zip(self.leaf_offsets[:-1].tolist(), self.leaf_offsets[1:].tolist(), strict=True):
            starts = self.starts[first : end + 1]
            entries = slice(int(starts[0]), int(starts[-1]))
            sums = np.add.reduceat(self.counts[entries] * targets[self.rows[entries]], starts[:-1] - starts[0])
            largest = max(largest, float(np.abs(sums / self.totals[first:end] - values[first:end]).max()))
        return largest


@dataclass(frozen=True, slots=True)
class Concentration:
    """How many rows a prediction is made of."""

    n_rows: int  # that have a share
    effective_rows: float  # Kish's effective number: as many rows of equal share say as much
    n_half: int  # the fewest rows whose shares add up to one half


def concentration(shares: Floats) -> Concentration:
    """Return how many rows a prediction is made of, from their shares, (n_rows,), which add up to 1."""
    descending = np.sort(shares[shares > 0])[::-1]
    n_half = int(np.searchsorted(np.cumsum(descending), 0.5 - _ROUNDING)) + 1
    return Concentration(len(descending), effective_number(descending), n_half)


def largest_shares(shares: Floats, n_most: int) -> Ints:
    """Return the rows with the largest shares, largest first (ties: the lower row); rows without a share are none."""
    least = np.partition(shares, -n_most)[-n_most] if len(shares) > n_most else 0.0
    rows = np.flatnonzero((shares >= least) & (shares > 0))  # ascending, ties at the last included
    return np.asarray(rows[np.argsort(-shares[rows], kind="stable")[:n_most]], np.int64)


def prediction_interval(targets: Floats, shares: Floats, level: float = LEVEL) -> tuple[float, float]:
    """Return the interval between two quantiles of the targets, weighted by shares, which leave out equal tails.

    Parameters
    ----------
    targets : (n_rows,)
        Values of the training rows.
    shares : (n_rows,)
        Of them; they add up to 1.
    level
        Of the interval, 0 to 1.

    References
    ----------
    Meinshausen (2006), "Quantile Regression Forests", Journal of Machine Learning Research 7, equation 6: a quantile is
    the lowest target at which the shares of all targets up to it add up to its level.
    """
    has_share = np.flatnonzero(shares > 0)
    ascending = has_share[np.argsort(targets[has_share], kind="stable")]
    cumulated = np.cumsum(shares[ascending])
    tails = np.array([(1 - level) / 2, (1 + level) / 2]) * cumulated[-1] - _ROUNDING
    low, high = targets[ascending[np.searchsorted(cumulated, tails)]].tolist()
    return low, high


def interval_coverage(
    training: TrainingRows, codes: NDArray[np.integer[Any]], targets: Floats, rows: NDArray[np.integer[Any]]
) -> float | None:
    """Return how many training rows have their target in the interval by the trees that did not learn from them.

    Parameters
    ----------
    training
        The rows of each leaf.
    codes : (n_trees, n_rows)
        Leaf of each training row in each tree, numbered within its tree.
    targets : (n_rows,)
        Values of the training rows.
    rows
        Indices of the training rows that are counted; those that all trees learned from are left out.

    Returns
    -------
    float
        As a share, 0 to 1; ``None`` where all trees learned from all of them.
    """
    are_held = []
    for row in rows.tolist():
        is_out = training.is_out_of_bag(row, codes[:, row])
        if is_out.any():
            low, high = prediction_interval(targets, training.shares(codes[:, row], is_out))
            are_held.append(low <= targets[row] <= high)
    return float(np.mean(are_held)) if are_held else None
