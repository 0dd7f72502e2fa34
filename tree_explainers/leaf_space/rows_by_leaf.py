"""The loops over the leaves of rows, tree by tree: counting, listing and renumbering.

Codes are those of some trees, (n_trees, n_rows); offsets are where those trees begin among all leaves.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled


@compiled
def count_rows(codes: NDArray[Any], offsets: NDArray[np.int64], sizes: NDArray[np.int64]) -> None:
    """Add the rows of each leaf to its size."""
    for tree in range(codes.shape[0]):
        for row in range(codes.shape[1]):
            sizes[offsets[tree] + codes[tree, row]] += 1


@compiled
def list_members(
    codes: NDArray[Any], offsets: NDArray[np.int64], starts: NDArray[np.int64], members: NDArray[np.int32]
) -> None:
    """Sort the rows of each tree by leaf; the leaf's sizes say where each list begins."""
    n_trees, n_rows = codes.shape
    for tree in range(n_trees):
        first = offsets[tree]
        following = starts[first : first + codes[tree].max() + 1] - starts[first]
        for row in range(n_rows):
            code = codes[tree, row]
            members[tree, following[code]] = row
            following[code] += 1


@compiled
def renumber(
    codes: NDArray[Any], n_leaves: NDArray[np.int64], rows: NDArray[np.int64], renumbered: NDArray[Any]
) -> NDArray[np.int64]:
    """Give numbers to the leaves that the rows reach, tree by tree, in the order in which they do; count them."""
    n_used = np.zeros(codes.shape[0], dtype=np.int64)
    for tree in range(codes.shape[0]):
        number = np.full(n_leaves[tree], -1, dtype=np.int64)
        for index in range(len(rows)):
            code = codes[tree, rows[index]]
            if number[code] < 0:
                number[code] = n_used[tree]
                n_used[tree] += 1
            renumbered[tree, index] = number[code]
    return n_used
