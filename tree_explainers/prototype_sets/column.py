"""The proximities of all rows to one row."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..compute.threads import in_threads
from ..leaf_space.leaves import LeafTable

_ROWS_AT_ONCE = 2048  # their sums stay in the first cache


def column(table: LeafTable, weights: NDArray[np.int64], row: int) -> NDArray[np.uint32]:
    """Return the proximity of each row of a table to one of them; faster than picking the rows that matter.

    ``weights`` are not negative and sum to less than 2^32.
    """
    leaves, counted = table.codes[:, row].copy(), weights.astype(np.uint32)
    shared = np.zeros(table.n_rows, dtype=np.uint32)
    in_threads(lambda part: _compare(table.codes, part.start, leaves, counted, shared[part]), table.n_rows)
    return shared


@compiled
def _compare(
    codes: NDArray[Any], start: int, leaves: NDArray[Any], weights: NDArray[np.uint32], shared: NDArray[np.uint32]
) -> None:
    for first in range(0, len(shared), _ROWS_AT_ONCE):
        sums = shared[first : first + _ROWS_AT_ONCE]
        for tree in range(codes.shape[0]):
            line = codes[tree, start + first : start + first + len(sums)]
            leaf, weight = leaves[tree], weights[tree]
            for row in range(len(sums)):
                sums[row] += (
                    weight if line[row] == leaf else np.uint32(0)
                )  # a plain 0 would be added eight times slower
