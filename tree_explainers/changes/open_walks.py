"""The loops behind curves: trees are walked with one feature left open, and leaves are added in the model's order."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled_ahead, inlined_reader

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class WalkedTrees(NamedTuple):
    """Trees as their tests, see ``NodeTests``."""

    roots: Ints  # (n_trees,)
    column: Ints  # (n_tests,) model-side column
    cut: Floats  # (n_tests,)
    low: Ints  # (n_tests,)
    high: Ints  # (n_tests,)
    missing_low: NDArray[np.bool_]  # (n_tests,)
    leaf: Ints  # (n_tests,) counted within the tree, or -1


class OpenFeatures(NamedTuple):
    """See ``AxisArrays``."""

    axis: Ints  # (n_columns,)
    n_values: Ints  # (n_axes,)
    n_bins: Ints  # (n_axes,)
    order: Ints  # (n_columns,)
    starts: Ints  # (n_columns,)
    compared: Floats
    n_first: Ints  # (n_tests,)


def types_of_model(n: Any) -> tuple[Any, Any]:
    """Return numba's types of ``WalkedTrees`` and ``OpenFeatures``."""
    whole, numbers, flags = n.int64[::1], n.float64[::1], n.boolean[::1]
    trees = n.NamedTuple((whole, whole, numbers, whole, whole, flags, whole), WalkedTrees)
    return trees, n.NamedTuple((whole, whole, whole, whole, whole, numbers, whole), OpenFeatures)


def _types_of_walk(n: Any) -> list[Any]:
    return [n.Tuple((n.int64[::1], n.int64[:, ::1]))(*types_of_model(n), n.float64[::1])]


def _types_of_open(n: Any) -> list[Any]:
    pieces = n.int64[:, ::1]
    return [n.int64(*types_of_model(n), n.float64[::1], n.UniTuple(n.int64, 3), pieces, pieces, n.int64)]


def _types_of_turn(n: Any) -> list[Any]:
    return [n.int64(*types_of_model(n), n.int64, n.int64, n.int64)]


def _types_of_sums(n: Any) -> list[Any]:
    pieces, whole = n.int64[:, ::1], n.int64[::1]
    return [
        n.Tuple((pieces, values))(pieces, whole, whole, values) for values in (n.float32[:, ::1], n.float64[:, ::1])
    ]


@inlined_reader
def next_node(trees: WalkedTrees, node: int, value: float) -> int:
    """Return the node that follows a node for what it compares."""
    is_low = trees.missing_low[node] if value != value else value <= trees.cut[node]
    return int(trees.low[node] if is_low else trees.high[node])


@compiled_ahead(_types_of_turn)
def turn_of(trees: WalkedTrees, features: OpenFeatures, node: int, first: int, end: int) -> int:
    """Return the first bin between ``first`` and ``end`` with another answer at a node; ``end`` if there is none."""
    column = trees.column[node]
    start, n_values = features.starts[column], features.n_values[features.axis[column]]
    answer = next_node(trees, node, features.compared[start + first])
    other = first + 1
    if features.order[column] != 0 and first < n_values:
        turn = features.n_first[node]
        if first < turn < min(end, n_values):
            return int(turn)
        other = n_values
    while other < end and next_node(trees, node, features.compared[start + other]) == answer:
        other += 1
    return int(min(other, end))


@compiled_ahead(_types_of_open)
def _open(  # noqa: PLR0917  # compiled
    trees: WalkedTrees,
    features: OpenFeatures,
    row: Floats,
    start: tuple[int, int, int],
    waiting: Ints,
    pieces: Ints,
    n_pieces: int,
) -> int:
    """Write the pieces of one axis in one tree from a node on; return the number of all pieces."""
    axis, tree, first_node = start
    n_values, n_bins = features.n_values[axis], features.n_bins[axis]
    n_waiting, n_before = 0, n_pieces
    if n_bins > n_values:
        waiting[n_waiting] = first_node, n_values, n_bins
        n_waiting += 1
    if n_values:
        waiting[n_waiting] = first_node, 0, n_values
        n_waiting += 1
    while n_waiting:
        n_waiting -= 1
        node, first, end = waiting[n_waiting]
        while trees.leaf[node] < 0:
            column = trees.column[node]
            if features.axis[column] != axis:
                node = next_node(trees, node, row[column])
                continue
            turn = turn_of(trees, features, node, first, end)
            if turn < end:
                waiting[n_waiting] = node, turn, end
                n_waiting += 1
                end = turn
            node = next_node(trees, node, features.compared[features.starts[column] + first])
        leaf = trees.leaf[node]
        if n_pieces == n_before or pieces[n_pieces - 1, 3] != leaf or first == n_values:
            pieces[n_pieces] = axis, first, tree, leaf
            n_pieces += 1
    return n_pieces


@compiled_ahead(_types_of_walk)
def walk_openly(trees: WalkedTrees, features: OpenFeatures, row: Floats) -> tuple[Ints, Ints]:
    """Walk all trees for one row, and from each first test of a feature on with that feature left open.

    A feature changes nothing in a tree that does not test it on the row's own path: what is tested beside that path is
    reached by changes of other features alone.

    Parameters
    ----------
    trees, features
        Of the model.
    row : (n_columns,)
        What the trees compare; NaN where a value is missing to them.

    Returns
    -------
    (n_trees,) int64
        The row's own leaves.
    (n_pieces, 4) int64
        Axis, first bin, tree and leaf: from this bin on, up to the next piece of the axis and tree, a row with these
        values of the feature reaches this leaf. The first bin, and that of a missing value, have a piece each.
    """
    n_axes = len(features.n_bins)
    leaves = np.empty(len(trees.roots), np.int64)
    opened_in = np.full(n_axes, -1)
    most = 1
    for axis in range(n_axes):
        most = max(most, features.n_bins[axis])
    waiting = np.empty((most + 1, 3), np.int64)  # ranges of bins that are disjoint: node, first bin, end
    pieces = np.empty((1_024, 4), np.int64)
    n_pieces = 0
    for tree in range(len(trees.roots)):
        node = trees.roots[tree]
        while trees.leaf[node] < 0:
            axis = features.axis[trees.column[node]]
            if axis >= 0 and opened_in[axis] != tree:
                opened_in[axis] = tree
                while len(pieces) < n_pieces + features.n_bins[axis]:
                    larger = np.empty((2 * len(pieces), 4), np.int64)
                    larger[:n_pieces] = pieces[:n_pieces]
                    pieces = larger
                n_pieces = _open(trees, features, row, (axis, tree, node), waiting, pieces, n_pieces)
            node = next_node(trees, node, row[trees.column[node]])
        leaves[tree] = trees.leaf[node]
    return leaves, pieces[:n_pieces].copy()


@compiled_ahead(_types_of_sums)
def sum_pieces(pieces: Ints, leaves: Ints, leaf_starts: Ints, values: NDArray[Any]) -> tuple[Ints, NDArray[Any]]:
    """Return the sums of leaf values wherever some piece begins, tree by tree, in the values' precision.

    Parameters
    ----------
    pieces : (n_pieces, 4)
        As ``walk_openly`` returns them, sorted by axis and first bin.
    leaves : (n_trees,)
        The row's own.
    leaf_starts : (n_trees,)
        The first leaf of each tree among all.
    values : (n_leaves, n_outputs)
        Of all leaves.

    Returns
    -------
    (n_steps, 2) int64
        Axis and first bin.
    (n_steps, n_outputs)
        Sums from this bin on.
    """
    n_trees, n_outputs = len(leaves), values.shape[1]
    own = np.zeros((n_trees + 1, n_outputs), values.dtype)  # of the first trees
    for tree in range(n_trees):
        for output in range(n_outputs):
            own[tree + 1, output] = own[tree, output] + values[leaf_starts[tree] + leaves[tree], output]
    current, partial = leaves.copy(), own.copy()
    steps, sums = np.empty((len(pieces), 2), np.int64), np.empty((len(pieces), n_outputs), values.dtype)
    n_steps, at = 0, 0
    while at < len(pieces):
        axis, first, begin = pieces[at, 0], pieces[at, 1], at
        if begin == 0 or pieces[begin - 1, 0] != axis:
            current[:] = leaves
            partial[:] = own
        lowest = n_trees
        while at < len(pieces) and pieces[at, 0] == axis and pieces[at, 1] == first:
            tree, leaf = pieces[at, 2], pieces[at, 3]
            if current[tree] != leaf:
                current[tree] = leaf
                lowest = min(lowest, tree)
            at += 1
        for tree in range(lowest, n_trees):
            for output in range(n_outputs):
                partial[tree + 1, output] = partial[tree, output] + values[leaf_starts[tree] + current[tree], output]
        steps[n_steps, 0], steps[n_steps, 1] = axis, first
        sums[n_steps] = partial[n_trees]
        n_steps += 1
    return steps[:n_steps].copy(), sums[:n_steps].copy()
