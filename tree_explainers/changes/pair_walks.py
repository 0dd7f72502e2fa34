"""The loops behind changes of two features: trees are walked with two features left open, and a grid is added up."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled_ahead
from .open_walks import OpenFeatures, WalkedTrees, next_node, turn_of, types_of_model

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def _types_of_walk(n: Any) -> list[Any]:
    return [n.int64[:, ::1](*types_of_model(n), n.float64[::1], n.int64, n.int64)]


@compiled_ahead(_types_of_walk)
def walk_pair(trees: WalkedTrees, features: OpenFeatures, row: Floats, first: int, second: int) -> Ints:
    """Walk all trees with two axes left open.

    Parameters
    ----------
    trees, features
        Of the model.
    row : (n_columns,)
        What the trees compare.
    first, second
        Two axes.

    Returns
    -------
    (n_rectangles, 6) int64
        Bins of the first axis from and to, of the second from and to, ends excluded; tree; and the leaf that a row with
        these values reaches in it.
    """
    rectangles = np.empty((1_024, 6), np.int64)
    n_rectangles = 0
    waiting = np.empty((64, 5), np.int64)  # node, and the bins
    for tree in range(len(trees.roots)):
        n_waiting = 1
        waiting[0, 0] = trees.roots[tree]
        waiting[0, 1], waiting[0, 2] = 0, features.n_bins[first]
        waiting[0, 3], waiting[0, 4] = 0, features.n_bins[second]
        while n_waiting:
            n_waiting -= 1
            node = waiting[n_waiting, 0]
            low, high = waiting[n_waiting, 1], waiting[n_waiting, 2]
            left, right = waiting[n_waiting, 3], waiting[n_waiting, 4]
            while trees.leaf[node] < 0:
                column = trees.column[node]
                axis = features.axis[column]
                if axis != first and axis != second:  # noqa: PLR1714  # numba would make a tuple
                    node = next_node(trees, node, row[column])
                    continue
                if n_waiting == len(waiting):
                    larger = np.empty((2 * len(waiting), 5), np.int64)
                    larger[:n_waiting] = waiting
                    waiting = larger
                start, end = (low, high) if axis == first else (left, right)
                turn = turn_of(trees, features, node, start, end)
                if turn < end:
                    waiting[n_waiting, 0] = node
                    waiting[n_waiting, 1], waiting[n_waiting, 2] = (turn, high) if axis == first else (low, high)
                    waiting[n_waiting, 3], waiting[n_waiting, 4] = (left, right) if axis == first else (turn, right)
                    n_waiting += 1
                    if axis == first:
                        high = turn
                    else:
                        right = turn
                node = next_node(trees, node, features.compared[features.starts[column] + start])
            if n_rectangles == len(rectangles):
                more = np.empty((2 * len(rectangles), 6), np.int64)
                more[:n_rectangles] = rectangles
                rectangles = more
            rectangles[n_rectangles, 0], rectangles[n_rectangles, 1] = low, high
            rectangles[n_rectangles, 2], rectangles[n_rectangles, 3] = left, right
            rectangles[n_rectangles, 4], rectangles[n_rectangles, 5] = tree, trees.leaf[node]
            n_rectangles += 1
    return rectangles[:n_rectangles].copy()


def _types_of_grid(n: Any) -> list[Any]:
    whole = n.int64[::1]
    return [
        n.float64[:, :, ::1](n.int64[:, ::1], whole, whole, whole, values)
        for values in (n.float32[:, ::1], n.float64[:, ::1])
    ]


@compiled_ahead(_types_of_grid)
def sum_rectangles(
    rectangles: Ints, rows: Ints, columns: Ints, leaf_starts: Ints, values: NDArray[Any]
) -> NDArray[np.float64]:
    """Return the sums of leaf values of all cells of a grid, in double precision.

    Each rectangle adds its value at one corner and takes it back at the others; sums along both axes spread it.

    Parameters
    ----------
    rectangles : (n_rectangles, 6)
        As ``walk_pair`` returns them, with places in the grid for bins.
    rows, columns
        How many rows and columns the grid has: arrays of one number each.
    leaf_starts : (n_trees,)
        The first leaf of each tree among all.
    values : (n_leaves, n_outputs)
        Of all leaves.

    Returns
    -------
    (n_rows, n_columns, n_outputs)
    """
    n_outputs = values.shape[1]
    sums = np.zeros((rows[0] + 1, columns[0] + 1, n_outputs))
    for at in range(len(rectangles)):
        low, high, left, right, tree, leaf = rectangles[at]
        for output in range(n_outputs):
            value = np.float64(values[leaf_starts[tree] + leaf, output])
            sums[low, left, output] += value
            sums[low, right, output] -= value
            sums[high, left, output] -= value
            sums[high, right, output] += value
    for row in range(rows[0]):
        for column in range(columns[0]):
            for output in range(n_outputs):
                if row:
                    sums[row, column, output] += sums[row - 1, column, output]
    for row in range(rows[0]):
        for column in range(1, columns[0]):
            for output in range(n_outputs):
                sums[row, column, output] += sums[row, column - 1, output]
    return sums[:-1, :-1].copy()
