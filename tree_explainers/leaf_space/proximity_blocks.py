"""Proximity of a few rows to a few others, while somebody waits: compiled beforehand, on one thread."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled_ahead
from ..errors import InvalidInput

_ROWS_AT_ONCE = 8  # whose sums stay in the first cache, while one line of leaves serves them all


def proximity_block(
    leaves: NDArray[np.int32], others: NDArray[np.int32], weights: NDArray[np.int64]
) -> NDArray[np.uint32]:
    """Return the integer proximity of each row to each other row.

    A block of 1,000 x 1,000 rows in 1,000 trees takes about 0.15 s.

    Parameters
    ----------
    leaves, others : (n_rows, n_trees), (n_others, n_trees) int32
        Leaves, numbered alike.
    weights : (n_trees,) int64
        What each tree counts; not negative, summing to less than 2^32.

    Returns
    -------
    (n_rows, n_others) uint32
        In 0 to ``weights.sum()``. Beware of overflow when calculating with them.

    Raises
    ------
    InvalidInput
        If the number of trees differs.
    """
    if leaves.shape[1:] != others.shape[1:] or weights.shape != leaves.shape[1:]:
        msg = f"leaves of shapes {leaves.shape} and {others.shape} and {len(weights)} weights do not fit together"
        raise InvalidInput(msg)
    shared = np.zeros((len(leaves), len(others)), dtype=np.uint32)
    _add_shared(_by_tree(leaves), _by_tree(others), weights.astype(np.uint32), _ROWS_AT_ONCE, shared)
    return shared


def _by_tree(leaves: NDArray[np.int32]) -> NDArray[np.int32]:
    return np.array(leaves.T, dtype=np.int32, order="C")


@compiled_ahead("void(int32[:, ::1], int32[:, ::1], uint32[::1], int64, uint32[:, ::1])")
def _add_shared(
    leaves: NDArray[np.int32],
    others: NDArray[np.int32],
    weights: NDArray[np.uint32],
    n_rows_at_once: int,
    shared: NDArray[Any],
) -> None:
    """Compare the leaves of some rows with those of all others, tree by tree; both are (n_trees, n_rows)."""
    n_trees, n_rows = leaves.shape
    for first in range(0, n_rows, n_rows_at_once):
        for tree in range(n_trees):
            line, weight = others[tree], weights[tree]
            for row in range(first, min(first + n_rows_at_once, n_rows)):
                sums = shared[row]
                leaf = leaves[tree, row]
                for other in range(line.shape[0]):
                    sums[other] += weight if line[other] == leaf else 0
