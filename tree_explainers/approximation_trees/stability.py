"""How stable a way to grow trees is: how many different trees come of growing them again from other pseudo rows."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .trees import ApproximationTree


def count_structures(trees: Sequence[ApproximationTree]) -> NDArray[np.int64]:
    """Return how many different trees there are down to each depth, (depth of the deepest,), at least (1,).

    Element d - 1 counts the trees that differ in some question of their first d levels. It never falls with d, as trees
    that differ above a depth differ down to it. Questions are the same where feature and threshold or categories are.

    Parameters
    ----------
    trees
        One or more, grown alike from different pseudo rows.

    References
    ----------
    Zhou, Hooker (2016), "Interpreting Models via Single Tree Approximation", section 4.1, figure 3.
    """
    counts = np.full(max(1, *(tree.depth for tree in trees)), len(trees))
    for level in range(len(counts)):
        counts[level] = len({tree.structure(level + 1) for tree in trees})
        if counts[level] == len(trees):
            break  # deeper down they all differ, too
    return counts
