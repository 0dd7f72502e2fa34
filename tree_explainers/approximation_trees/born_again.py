"""Born-again trees: rows that are smeared, and the depth at which a tree on them is best."""

import numpy as np
from numpy.typing import NDArray

from ..rows import Rows
from .asked_rows import AskedRows
from .cart_trees import CartTree, fit_cart
from .heartbeat import Heartbeat
from .tree_growth import TreeLimits

REPLACED = 0.25  # probability that a value is replaced by that of another training row
N_FOLDS = 5

Floats = NDArray[np.float64]


def smeared_rows(rows: Rows, n: int, rng: np.random.Generator) -> tuple[Rows, NDArray[np.int64]]:
    """Draw training rows, some of whose values are those of other training rows.

    Returns
    -------
    Rows, (n,)
        The rows, and which training row each was made from.

    References
    ----------
    Breiman, Shang (1996), "Born Again Trees": smearing, whose probability is left to the user.
    """
    origins = rng.integers(len(rows), size=n)
    columns = []
    for values in rows.columns:
        others = rng.integers(len(rows), size=n)
        columns.append(values[np.where(rng.random(n) < REPLACED, others, origins)])
    return Rows(rows.names, tuple(columns)), origins


def best_depth(
    matrix: NDArray[np.float32], asked: AskedRows, limits: TreeLimits, seed: np.random.SeedSequence, heart: Heartbeat
) -> int:
    """Return the smallest depth whose squared error is within one standard error of the least, by cross-validation.

    Folds part the training rows that pseudo rows were made from: copies of one row are never on both sides.
    """
    rng = np.random.default_rng(seed)
    n_origins = int(asked.origins.max()) + 1
    fold_of = rng.permutation(np.arange(n_origins) % N_FOLDS)[asked.origins]
    errors = []
    for fold in range(N_FOLDS):
        heart(0.5 + fold / N_FOLDS / 3, "choosing the depth")
        held_out = fold_of == fold
        if held_out.any() and not held_out.all():
            tree = fit_cart(matrix[~held_out], asked.targets[~held_out], limits, int(rng.integers(2**31)))
            errors.append(errors_by_depth(tree, matrix[held_out], asked.targets[held_out], limits.max_depth))
    return smallest_good(np.array(errors)) if errors else limits.max_depth


def smallest_good(errors: Floats) -> int:
    """Return the first depth by the rule of one standard error, given errors of shape (n_folds, max_depth + 1)."""
    means = errors.mean(axis=0)
    least = int(np.argmin(means))
    allowed = means[least] + errors[:, least].std(ddof=1 if len(errors) > 1 else 0) / np.sqrt(len(errors))
    return max(1, int(np.argmax(means <= allowed)))


def errors_by_depth(
    tree: CartTree, matrix: NDArray[np.float32], targets: NDArray[np.float32], max_depth: int
) -> list[float]:
    """Return the mean squared error of the tree cut off at each depth from 0 on."""
    at, errors = np.zeros(len(matrix), np.int64), []
    for _ in range(max_depth + 1):
        errors.append(float(((tree.value[at, :, 0] - targets) ** 2).sum(axis=1).mean()))
        asks = np.flatnonzero(tree.children_left[at] >= 0)
        node = at[asks]
        ranks = matrix[asks, tree.feature[node]]
        goes_left = np.where(np.isnan(ranks), tree.missing_go_to_left[node] > 0, ranks <= tree.threshold[node])
        at[asks] = np.where(goes_left, tree.children_left[node], tree.children_right[node])
    return errors
