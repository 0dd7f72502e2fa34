"""Leaves that rows in a box can possibly reach, and what is the worst of them for a class, tree by tree."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, inlined
from .forests import Forest, Left

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


class _Way(NamedTuple):
    """The way down to a node, and what was left of the feature that each node on it asks about."""

    nodes: NDArray[np.int64]  # (depth,)
    n_sides: NDArray[np.int64]  # (depth,) sides already gone to
    intervals: NDArray[np.int64]  # (depth, 3)
    sets: Flags  # (depth, n_bins of the largest set)


@compiled
def reached_leaves(forest: Forest, bins: NDArray[Any]) -> NDArray[np.int64]:
    """Return the leaf that rows of these bins, (n_features, n_rows), reach in each tree, (n_rows, n_trees).

    It is not how predictions are made: it shows whether questions are read as the model means them.
    """
    n_rows, n_trees = bins.shape[1], len(forest.roots)
    reached = np.empty((n_rows, n_trees), np.int64)
    for row in range(n_rows):
        for tree in range(n_trees):
            node = np.int64(forest.roots[tree])
            while forest.leaf[node] < 0:
                own = np.int64(bins[forest.feature[node], row])
                node = np.int64(forest.left[node] if _goes_left(forest, node, own) else forest.right[node])
            reached[row, tree] = forest.leaf[node]
    return reached


@inlined
def _goes_left(forest: Forest, node: np.int64, own: np.int64) -> Any:  # noqa: ANN401  # numba's own bool
    if forest.cut[node] < 0:
        return forest.goes_left[own - 1 - forest.cut[node]]
    feature = forest.feature[node]
    if own == forest.starts[feature + 1] - forest.starts[feature] - 1:
        return forest.missing_left[node]
    return (own < forest.cut[node]) == forest.low_left[node]


@inlined
def _may_go(forest: Forest, node: np.int64, own: int, side: np.int64) -> Any:  # noqa: ANN401  # numba's own bool
    """Return whether some value of a bin goes to a side, 0 for left."""
    if forest.cut[node] < 0:
        at = own - 1 - forest.cut[node]
        return forest.may_right[at] if side else forest.may_left[at]
    feature = forest.feature[node]
    if own == forest.starts[feature + 1] - forest.starts[feature] - 1:
        return forest.missing_both[node] or forest.missing_left[node] == (side == 0)
    return own < forest.low_end[node] if forest.low_left[node] == (side == 0) else own >= forest.greater_from[node]


@compiled
def worst_leads(
    forest: Forest, left: Left, values: Floats, offsets: Floats, wanted: int, witnesses: NDArray[np.int64]
) -> Floats:
    """Return by how much each class may lead the wanted one at most.

    Parameters
    ----------
    forest
        All trees.
    left
        The box, as ``left_of`` gives it; afterwards it is of no more use.
    values : (n_leaves, n_classes)
        What each leaf adds to the score of each class.
    offsets : (n_classes,)
        By how much each class leads the wanted one before any leaf is added.
    wanted
        The class that the others are compared with.
    witnesses : (n_rows, n_trees)
        The leaves of some rows of the box, so that boxes in which some class may lead are known early. None are needed.

    Returns
    -------
    (n_classes,) float64
        The largest lead among the leaves that rows of the box can possibly reach in a tree, tree by tree, summed. A
        leaf can be reached where no feature's bins are all taken away by the questions on the way to it. Where with
        witnesses some class is known to lead by 0 or more, what is known so far: that class leads by no less.
    """
    known = _leads_of_witnesses(values, wanted, witnesses)
    so_far: Floats = offsets + known.sum(axis=0)
    totals: Floats = offsets.copy()
    depth, n_bins = forest.room
    places = np.zeros((2, depth), np.int64)
    way = _Way(places[0], places[1], np.empty((depth, 3), np.int64), np.empty((depth, n_bins), np.bool_))
    for tree in range(known.shape[0]):
        if _is_led(so_far, wanted):
            return so_far
        so_far -= known[tree]
        worst = _worst_of_tree(forest, tree, left, way, values, wanted, so_far)
        so_far += worst
        totals += worst
    if _is_led(so_far, wanted):
        return so_far
    return totals


@compiled
def _leads_of_witnesses(values: Floats, wanted: int, witnesses: NDArray[np.int64]) -> Floats:
    """Return by how much each class leads the wanted one at least in some row, (n_trees, n_classes)."""
    n_rows, n_trees = witnesses.shape
    known = np.full((n_trees, values.shape[1]), -np.inf)
    for row in range(n_rows):
        for tree in range(n_trees):
            leaf = witnesses[row, tree]
            for label in range(values.shape[1]):
                known[tree, label] = max(known[tree, label], values[leaf, label] - values[leaf, wanted])
    return known


@inlined
def _is_led(leads: Floats, wanted: int) -> Any:  # noqa: ANN401  # numba's own bool
    found = False
    for label in range(len(leads)):
        found |= label != wanted and leads[label] >= 0
    return found


@compiled
def _worst_of_tree(  # noqa: PLR0913, PLR0917
    forest: Forest, tree: int, left: Left, way: _Way, values: Floats, wanted: int, others: Floats
) -> Floats:
    """Go to every leaf of a tree that can be reached; what is left of the box is the same afterwards.

    Unless, with the leads of all ``others`` trees, some class is seen to lead: that ends the walk.
    """
    worst = np.full(values.shape[1], -np.inf)
    way.nodes[0], way.n_sides[0] = forest.roots[tree], 0
    at = 0
    while at >= 0:
        node, side = way.nodes[at], way.n_sides[at]
        leaf = forest.leaf[node]
        if leaf >= 0:
            for label in range(len(worst)):
                worst[label] = max(worst[label], values[leaf, label] - values[leaf, wanted])
            if _is_led(worst + others, wanted):
                return worst
            at -= 1
            continue
        if side == 0:
            _keep(forest, node, left, way.intervals[at], way.sets[at])
        else:
            _bring_back(forest, node, left, way.intervals[at], way.sets[at])
        way.n_sides[at] += 1
        if side > 1:
            at -= 1
        elif _narrow(forest, node, side, left):
            at += 1
            way.nodes[at], way.n_sides[at] = forest.left[node] if side == 0 else forest.right[node], 0
    return worst


@inlined
def _keep(forest: Forest, node: np.int64, left: Left, interval: NDArray[np.int64], kept: Flags) -> None:
    feature = forest.feature[node]
    if forest.is_set[feature]:
        start, end = forest.set_starts[feature], forest.set_starts[feature + 1]
        kept[: end - start] = left.sets[start:end]
    else:
        interval[0], interval[1], interval[2] = left.low[feature], left.high[feature], left.missing[feature]


@inlined
def _bring_back(forest: Forest, node: np.int64, left: Left, interval: NDArray[np.int64], kept: Flags) -> None:
    feature = forest.feature[node]
    if forest.is_set[feature]:
        start, end = forest.set_starts[feature], forest.set_starts[feature + 1]
        left.sets[start:end] = kept[: end - start]
    else:
        left.low[feature], left.high[feature], left.missing[feature] = interval[0], interval[1], interval[2] != 0


@inlined
def _narrow(forest: Forest, node: np.int64, side: np.int64, left: Left) -> Any:  # noqa: ANN401  # numba's own bool
    """Take away the bins that do not go to a side; return whether any is left."""
    feature = forest.feature[node]
    if forest.is_set[feature]:
        some, start = False, forest.set_starts[feature]
        for own in range(forest.set_starts[feature + 1] - start):
            left.sets[start + own] &= _may_go(forest, node, own, side)
            some |= left.sets[start + own]
        return some
    if forest.low_left[node] == (side == 0):
        left.high[feature] = min(left.high[feature], forest.low_end[node] - 1)
    else:
        left.low[feature] = max(left.low[feature], forest.greater_from[node])
    left.missing[feature] &= forest.missing_both[node] or forest.missing_left[node] == (side == 0)
    return left.low[feature] <= left.high[feature] or left.missing[feature]
