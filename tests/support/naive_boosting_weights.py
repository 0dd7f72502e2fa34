"""Slow, obvious twin of boosting weights: matrices of rows x rows, stage by stage, from the paper's definition."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def weights_of_training_targets(
    leaves: NDArray[np.integer[Any]],
    of_rows: NDArray[np.integer[Any]],
    learning_rate: float,
    penalty: float = 0.0,
    *,
    is_mean_base: bool = True,
) -> Floats:
    """Geertsema & Lu: the prediction of row x is the sum of K[x, j] * (target of j), (n_explained, n_rows).

    The matrix G[m] has the weights of all targets in the predictions of all training rows after m trees. G[0] is 1/n
    everywhere where boosting begins with the mean target, and 0 where it begins with a constant. A tree adds the mean,
    times the learning rate, of what is left of the targets, (I - G[m - 1]) y, over the rows of a leaf.
    ``leaves`` are those of the explained rows, (n_trees, n_explained), ``of_rows`` those of the training rows.
    """
    n_rows = of_rows.shape[1]
    begin = 1 / n_rows if is_mean_base else 0.0
    of_training, of_explained = np.full((n_rows, n_rows), begin), np.full((leaves.shape[1], n_rows), begin)
    for leaf, leaf_of in zip(leaves, of_rows, strict=True):
        left = np.eye(n_rows) - of_training
        of_explained = of_explained + learning_rate * _means(leaf, leaf_of, penalty) @ left
        of_training = of_training + learning_rate * _means(leaf_of, leaf_of, penalty) @ left
    return of_explained


def _means(leaf: NDArray[np.integer[Any]], leaf_of: NDArray[np.integer[Any]], penalty: float) -> Floats:
    """The matrix that takes the mean over the training rows in the same leaf; a penalty counts as rows of 0."""
    are_together = (leaf[:, None] == leaf_of[None]).astype(float)
    return np.asarray(are_together / (are_together.sum(axis=1, keepdims=True) + penalty))


def refitted_predictions(
    leaves: NDArray[np.integer[Any]],
    of_rows: NDArray[np.integer[Any]],
    targets: Sequence[float] | Floats,
    learning_rate: float,
    penalty: float = 0.0,
    base: float | None = None,
) -> Floats:
    """What boosting predicts, (n_explained,), with these trees and these targets; no base is the mean target."""
    left = np.array(targets, float)
    begin = float(left.mean()) if base is None else base
    predicted, left = np.full(leaves.shape[1], begin), left - begin
    for leaf, leaf_of in zip(leaves, of_rows, strict=True):
        values = {
            each: learning_rate * left[leaf_of == each].sum() / ((leaf_of == each).sum() + penalty)
            for each in set(leaf_of.tolist())
        }
        predicted += [values[each] for each in leaf.tolist()]
        left = left - [values[each] for each in leaf_of.tolist()]
    return predicted
