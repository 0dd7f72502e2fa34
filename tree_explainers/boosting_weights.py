"""Boosting weights: by which weight each training target counts in a prediction of boosting by squared error.

With squared error, a leaf's value is the learning rate times the sum of its rows' residuals, divided by their number
and the L2 penalty. While the structure of the trees is held fixed, residuals are sums of targets, and so is each
prediction: ``constant + weights @ targets``. Weights may be negative: a later tree takes back what earlier ones added.

Nothing is taken for granted: ``fitted_weights`` refits all leaves from the targets and compares their values with the
model's.

References
----------
Geertsema & Lu (2023), "AXIL: Exact Instance Attribution for Gradient Boosting", arXiv 2301.01864: the weights, and the
backward operator, which takes O(trees x rows) of a prediction, and no matrix of rows x rows.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compute.compiled import compiled_ahead

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

_PENALTIES = (0.0, 1.0)  # that are tried before others: defaults of LightGBM and scikit-learn, and of XGBoost
_FEW = 8  # rows that are explained at a time: fewer are quicker one by one
_ROUNDING = 1e-6  # of sums in single precision, in parts of the largest target
_MOST_ERROR = 1e-3  # of all leaves' values, root mean square, in parts of theirs
_DIGITS = 4  # of learning rates and penalties that are tried before others, since people write such


@dataclass(frozen=True, slots=True, eq=False)
class BoostingWeights:
    """How the leaves of boosting by squared error follow from training targets."""

    codes: Codes  # (n_trees, n_rows) leaf of each training row in each tree, numbered within its tree
    leaf_offsets: NDArray[np.int64]  # (n_trees + 1,) where the leaves of each tree begin among all
    factors: Floats  # (n_leaves,) by which the sum of a leaf's residuals is multiplied
    learning_rate: float
    l2_penalty: float
    base: float  # what is predicted before the first tree
    is_mean_base: bool  # whether that is the mean target; else it is a constant

    @property
    def n_rows(self) -> int:
        """Number of training rows."""
        return int(self.codes.shape[1])

    def weights(self, leaves: NDArray[np.integer[Any]]) -> Floats:
        """Return the weight of each training target in the predictions of rows, (n_explained, n_rows).

        They take 8 bytes a row and explained row, twice while they are found. Where the base is the mean target, the
        weights of a prediction add up to 1.

        Parameters
        ----------
        leaves : (n_explained, n_trees)
            Of these rows, numbered within their trees.
        """
        of_explained, codes = np.asarray(leaves, np.int32), self.codes.view(np.uint32)  # below 0 is none
        of_rows = np.zeros((len(of_explained), self.n_rows))
        if len(of_explained) < _FEW:
            for of_row, weights in zip(np.ascontiguousarray(of_explained), of_rows, strict=True):
                _go_back_from_one(codes, self.leaf_offsets, self.factors, of_row, weights)
        else:
            columns = np.zeros((self.n_rows, len(of_explained)))
            _go_back(codes, self.leaf_offsets, self.factors, np.ascontiguousarray(of_explained.T), columns)
            of_rows[:] = columns.T
        if self.is_mean_base:  # added up along rows, so that a row's weights are the same in any company
            of_rows += (1 - of_rows.sum(axis=1, keepdims=True)) / self.n_rows
        return of_rows

    def constant(self, weights: Floats) -> float:
        """Return what a prediction has besides its weighted sum of targets, from its weights, (n_rows,)."""
        return 0.0 if self.is_mean_base else float(self.base * (1 - weights.sum()))

    def refitted(self, targets: Floats) -> Floats:
        """Return the values that leaves have with other targets, (n_leaves,), by the same trees."""
        base = float(targets.mean()) if self.is_mean_base else self.base
        return _refitted(self.codes, self.leaf_offsets, self.factors, targets - base)


def fitted_weights(
    codes: NDArray[np.integer[Any]],
    leaf_offsets: NDArray[np.integer[Any]],
    values: Floats,
    offset: float,
    targets: Floats,
) -> BoostingWeights | None:
    """Return how the leaves' values follow from the targets, or ``None`` where they do not.

    The learning rate and the penalty are those by which the leaves' values differ least from the targets'. All leaves
    are then refitted from the targets, and each value must be the model's, up to sums in single precision.

    Parameters
    ----------
    codes : (n_trees, n_rows)
        Leaf of each training row in each tree, numbered within its tree.
    leaf_offsets : (n_trees + 1,)
        Where the leaves of each tree begin among all.
    values : (n_leaves,)
        What each leaf adds to the prediction.
    offset
        What is added to all predictions. Libraries that have none add the base to all leaves of the first tree.
    targets : (n_rows,)
        Of the training rows.
    """
    offsets, of_rows = np.asarray(leaf_offsets, np.int64), np.ascontiguousarray(codes, np.int32)
    sizes = _sums(of_rows, offsets, np.ones(of_rows.shape[1]))
    if not (sizes > 0).all():
        return None
    for base, is_mean in _bases(offset, targets):
        own = values.copy()
        own[: offsets[1]] -= base - offset
        residuals = _residual_sums(of_rows, offsets, own, targets - base)
        for rate, penalty in _rates(own, sizes, residuals):
            fitted = BoostingWeights(of_rows, offsets, rate / (sizes + penalty), rate, penalty, base, is_mean)
            if _are_alike(own, fitted.refitted(targets), rate, targets):
                return fitted
    return None


def _bases(offset: float, targets: Floats) -> Iterator[tuple[float, bool]]:
    """Yield what may be predicted before the first tree, and whether it is the mean target."""
    mean = float(targets.mean())
    is_mean = offset != 0 and abs(offset - mean) <= _ROUNDING * float(np.abs(targets).max())
    yield (mean, True) if is_mean else (offset, False)
    if not is_mean:
        yield mean, True  # which the leaves of the first tree have


def _rates(values: Floats, sizes: Floats, residuals: Floats) -> Iterator[tuple[float, float]]:
    """Yield learning rates and L2 penalties: ``values * (sizes + penalty) = rate * residuals``, by least squares."""
    squares = float(residuals @ residuals)
    if squares == 0:
        return
    fitted = float(np.linalg.lstsq(np.stack([residuals, -values], axis=1), values * sizes)[0][1])
    for penalty in (*_PENALTIES, *((_rounded(fitted), fitted) if fitted > 0 else ())):
        rate = float((values * (sizes + penalty)) @ residuals) / squares
        if rate > 0:
            yield _rounded(rate), penalty
            yield rate, penalty


def _rounded(number: float) -> float:
    return float(f"{number:.{_DIGITS}g}")


def _are_alike(values: Floats, refitted: Floats, rate: float, targets: Floats) -> bool:
    """Whether leaves have the values that they are refitted to: each of them, and all together."""
    differences = np.abs(values - refitted)
    most = _ROUNDING * (abs(rate) * float(np.abs(targets).max()) + float(np.abs(values).max()))
    squares = float(differences @ differences), float(values @ values)
    return bool(differences.max() <= most) and squares[0] <= _MOST_ERROR**2 * squares[1]


def _sums(codes: Codes, leaf_offsets: NDArray[np.int64], numbers: Floats) -> Floats:
    """Return the sum of the rows' numbers in each leaf, (n_leaves,)."""
    n_leaves = np.diff(leaf_offsets).tolist()
    return np.concatenate([np.bincount(of_tree, numbers, n) for of_tree, n in zip(codes, n_leaves, strict=True)])


def _residual_sums(codes: Codes, leaf_offsets: NDArray[np.int64], values: Floats, targets: Floats) -> Floats:
    """Return the sum in each leaf of what earlier trees leave of the targets, (n_leaves,)."""
    residuals, sums = targets.copy(), np.empty(len(values))
    for of_tree, first, end in zip(codes, leaf_offsets[:-1], leaf_offsets[1:], strict=True):
        sums[first:end] = np.bincount(of_tree, residuals, end - first)
        residuals -= values[first:end][of_tree]
    return sums


def _refitted(codes: Codes, leaf_offsets: NDArray[np.int64], factors: Floats, targets: Floats) -> Floats:
    """Return the values of the leaves, (n_leaves,), that follow from targets without their base."""
    residuals, values = targets.copy(), np.empty(len(factors))
    for of_tree, first, end in zip(codes, leaf_offsets[:-1], leaf_offsets[1:], strict=True):
        values[first:end] = np.bincount(of_tree, residuals, end - first) * factors[first:end]
        residuals -= values[first:end][of_tree]
    return values


@compiled_ahead("void(u4[:, ::1], i8[::1], f8[::1], i4[::1], f8[::1])")
def _go_back_from_one(
    codes: NDArray[np.uint32], leaf_offsets: NDArray[np.int64], factors: Floats, leaves: Codes, weights: Floats
) -> None:
    """Fill in the weights of targets without their base, (n_rows,), of one row, as ``_go_back`` does, bit by bit."""
    n_rows = len(weights)
    for tree in range(len(codes) - 1, -1, -1):
        first, of_tree = leaf_offsets[tree], codes[tree]
        counts = np.zeros(leaf_offsets[tree + 1] - first)
        counts[leaves[tree]] = 1.0
        for row in range(n_rows):
            counts[of_tree[row]] -= weights[row]
        for leaf in range(len(counts)):
            counts[leaf] *= factors[first + leaf]
        for row in range(n_rows):
            weights[row] += counts[of_tree[row]]


@compiled_ahead("void(u4[:, ::1], i8[::1], f8[::1], i4[:, ::1], f8[:, ::1])")
def _go_back(
    codes: NDArray[np.uint32], leaf_offsets: NDArray[np.int64], factors: Floats, of_explained: Codes, weights: Floats
) -> None:
    """Fill in the weights of targets without their base, (n_rows, n_explained), from the last tree to the first.

    A leaf's value counts once where the explained row lies in it, and is taken back by each later tree, with the
    weights that its rows have there.
    """
    n_rows, n_explained = weights.shape
    for tree in range(len(codes) - 1, -1, -1):
        first, end = leaf_offsets[tree], leaf_offsets[tree + 1]
        counts = np.zeros((end - first, n_explained))
        for explained in range(n_explained):
            counts[of_explained[tree, explained], explained] = 1.0
        for row in range(n_rows):
            leaf = codes[tree, row]
            for explained in range(n_explained):
                counts[leaf, explained] -= weights[row, explained]
        for leaf in range(end - first):
            for explained in range(n_explained):
                counts[leaf, explained] *= factors[first + leaf]
        for row in range(n_rows):
            leaf = codes[tree, row]
            for explained in range(n_explained):
                weights[row, explained] += counts[leaf, explained]
