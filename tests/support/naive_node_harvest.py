"""Node Harvest from its paper: dense matrices, and non-negative least squares with heavy rows for the equalities."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

Floats = NDArray[np.float64]
_HEAVY = 1e4


def weights(members: NDArray[np.bool_], values: Floats, root_weight: float = 0.001) -> Floats:
    """Return the weights of nodes, (n_nodes,), whose first holds all rows.

    Minimise |Y - M w| where I w = 1 and w >= 0 (the first: ``root_weight``); I are the members, (n_rows, n_nodes), and
    M is I times the nodes' means.
    """
    inside = members.astype(np.float64)
    means = (inside.T @ values) / inside.sum(axis=0)
    heavy = _HEAVY * values.std()
    lower = np.zeros(len(means))
    lower[0] = root_weight
    matrix = np.vstack([inside * means, heavy * inside])
    wanted = np.concatenate([values, np.full(len(values), heavy)]) - matrix @ lower
    found: Floats = lower + nnls(matrix, wanted, maxiter=100 * len(means))[0]
    return found


def mean_of_row(inside: list[bool], own_weights: list[float], means: list[float]) -> float:
    """Return the weighted mean over the nodes that a row is in."""
    pairs = [(w, m) for w, m, here in zip(own_weights, means, inside, strict=True) if here]
    return sum(w * m for w, m in pairs) / sum(w for w, _ in pairs)
