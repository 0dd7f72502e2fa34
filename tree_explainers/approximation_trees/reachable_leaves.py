"""The leaves that rows in a box can possibly reach, and the worst of them for a class, tree by tree.

A forest is flattened into arrays for compiled loops. Going down a tree, each node narrows the box; a leaf is reachable
if every feature keeps a bin. The walk is exact: conditions are evaluated on bins, which is all that an ensemble reads.
"""

from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, compiled_for_loops, inlined
from ..ensemble import Operator, TreeEnsemble
from ..questions.node_conditions import NodeConditions
from ..questions.statements import Statements
from .bin_boxes import BinBox, BinRange, all_bins, possible_bins

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


class Forest(NamedTuple):
    """An ensemble's trees and the conditions of their nodes."""

    roots: NDArray[np.int32]  # (n_trees,)
    left: NDArray[np.int32]  # (n_nodes,)
    right: NDArray[np.int32]  # (n_nodes,)
    leaf: NDArray[np.int32]  # (n_nodes,) its index among all leaves; -1: an inner node
    feature: NDArray[np.int32]  # these as in ``NodeConditions``
    cut: NDArray[np.int32]
    low_end: NDArray[np.int32]
    greater_from: NDArray[np.int32]
    low_left: Flags
    missing_left: Flags
    missing_both: Flags
    goes_left: Flags
    may_left: Flags
    may_right: Flags
    starts: NDArray[np.int64]  # (n_features + 1,) where each feature's bins begin
    is_set: Flags  # (n_features,) its remaining bins need not be an interval: they are stored bin by bin
    set_starts: NDArray[np.int64]  # (n_features + 1,) where the bins of each such feature begin in ``sets``
    ranges: NDArray[np.int64]  # (2, n_features) the first and the last bin of each number that hold values
    sets: Flags  # (n_bins of features stored bin by bin,) bins that hold values
    room: NDArray[np.int64]  # (2,) the depth of the deepest tree, and the bins of the largest set

    @staticmethod
    def of(ensemble: TreeEnsemble, conditions: NodeConditions, statements: Statements) -> "Forest":
        """Flatten an ensemble and the conditions of its nodes."""
        is_leaf = ensemble.operator == Operator.LEAF
        is_set = np.array([not feature.is_number for feature in statements.features], np.bool_)
        is_set[conditions.feature[(conditions.cut < 0) & ~is_leaf]] = True
        n_bins = np.where(is_set, np.diff(statements.bin_starts), 0)
        ranges = [all_bins(feature) for feature in statements.features]
        depths = _depths(ensemble.left, ensemble.right)
        return Forest(
            ensemble.offsets[:-1],
            ensemble.left,
            ensemble.right,
            np.where(is_leaf, np.cumsum(is_leaf) - 1, -1).astype(np.int32),
            conditions.feature,
            conditions.cut,
            conditions.low_end,
            conditions.greater_from,
            conditions.low_left,
            conditions.missing_left,
            conditions.missing_both,
            conditions.goes_left,
            conditions.may_left,
            conditions.may_right,
            statements.bin_starts,
            is_set,
            np.cumsum(np.append(0, n_bins)),
            np.array([(bins.low, bins.high) for bins in ranges], np.int64).reshape(-1, 2).T.copy(),
            np.concatenate([np.empty(0, np.bool_), *map(possible_bins, compress(statements.features, is_set))]),
            np.array([depths.max() + 1, n_bins.max(initial=1)]),
        )


@compiled
def _depths(left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.int64]:
    depths = np.zeros(len(left), np.int64)
    for node in range(len(left)):  # every child comes after its parent
        if left[node] != node:
            depths[left[node]] = depths[right[node]] = depths[node] + 1
    return depths


class RemainingBins(NamedTuple):
    """The bins of a box that remain on the path down a tree."""

    low: NDArray[np.int64]  # (n_features,) the first bin of an interval
    high: NDArray[np.int64]  # (n_features,) and the last
    missing: Flags  # (n_features,) beside it, the missing value
    sets: Flags  # as in ``Forest``


def remaining_in(forest: Forest, box: BinBox) -> RemainingBins:
    """Return the bins of a box, before any condition of a tree."""
    (low, high), missing = forest.ranges.copy(), np.ones(len(forest.is_set), np.bool_)
    sets = forest.sets.copy()
    for feature, known in box.remaining.items():
        flags = sets[forest.set_starts[feature] : forest.set_starts[feature + 1]]
        if not isinstance(known, BinRange):
            flags &= known
            continue
        low[feature], high[feature], missing[feature] = known.low, known.high, known.missing
        if forest.is_set[feature]:
            flags[: known.low] = flags[known.high + 1 : -1] = False
            flags[-1] &= known.missing
    return RemainingBins(low, high, missing, sets)


class _Path(NamedTuple):
    """The path down to a node, and the bins that remained of each node's feature before it."""

    nodes: NDArray[np.int64]  # (depth,)
    n_sides: NDArray[np.int64]  # (depth,) sides already visited
    intervals: NDArray[np.int64]  # (depth, 3)
    sets: Flags  # (depth, n_bins of the largest set)


@compiled
def reached_leaves(forest: Forest, bins: NDArray[Any]) -> NDArray[np.int64]:
    """Return the leaf that rows of these bins, (n_features, n_rows), reach in each tree, (n_rows, n_trees).

    Predictions are not made this way: it verifies that conditions are read as the model evaluates them.
    """
    n_rows, n_trees = bins.shape[1], len(forest.roots)
    reached = np.empty((n_rows, n_trees), np.int64)
    for row in range(n_rows):
        for tree in range(n_trees):
            node = np.int64(forest.roots[tree])
            while forest.leaf[node] < 0:
                bin_ = np.int64(bins[forest.feature[node], row])
                node = np.int64(forest.left[node] if _goes_left(forest, node, bin_) else forest.right[node])
            reached[row, tree] = forest.leaf[node]
    return reached


@inlined
def _goes_left(forest: Forest, node: np.int64, bin_: np.int64) -> Any:  # numba's own bool
    if forest.cut[node] < 0:
        return forest.goes_left[bin_ - 1 - forest.cut[node]]
    feature = forest.feature[node]
    if bin_ == forest.starts[feature + 1] - forest.starts[feature] - 1:
        return forest.missing_left[node]
    return (bin_ < forest.cut[node]) == forest.low_left[node]


@inlined
def may_go(forest: Forest, node: np.int64, bin_: int, side: np.int64) -> Any:  # numba's own bool
    """Return whether some value of a bin goes to a side (0: left)."""
    if forest.cut[node] < 0:
        index = bin_ - 1 - forest.cut[node]
        return forest.may_right[index] if side else forest.may_left[index]
    feature = forest.feature[node]
    if bin_ == forest.starts[feature + 1] - forest.starts[feature] - 1:
        return forest.missing_both[node] or forest.missing_left[node] == (side == 0)
    return bin_ < forest.low_end[node] if forest.low_left[node] == (side == 0) else bin_ >= forest.greater_from[node]


@compiled
def worst_leads(
    forest: Forest, remaining: RemainingBins, values: Floats, offsets: Floats, wanted: int, witnesses: NDArray[np.int64]
) -> Floats:
    """Return the largest possible lead of each class over a given one.

    Parameters
    ----------
    forest
        All trees.
    remaining
        The box, as ``remaining_in`` returns it; it is modified.
    values : (n_leaves, n_classes)
        The contribution of each leaf to the score of each class.
    offsets : (n_classes,)
        The lead of each class over the given one before any leaf is added.
    wanted
        The given class.
    witnesses : (n_rows, n_trees)
        The leaves of some rows of the box, from which boxes in which another class leads are known early. May be empty.

    Returns
    -------
    (n_classes,) float64
        The largest lead among the leaves that rows of the box can possibly reach in a tree, tree by tree, summed. A
        leaf can be reached if the conditions on the path to it leave every feature some bin. If a class is known to
        lead by 0 or more, the leads known so far are returned: that class leads by no less.
    """
    known = _leads_of_witnesses(values, wanted, witnesses)
    so_far: Floats = offsets + known.sum(axis=0)
    totals: Floats = offsets.copy()
    depth, n_bins = forest.room
    positions = np.zeros((2, depth), np.int64)
    path = _Path(positions[0], positions[1], np.empty((depth, 3), np.int64), np.empty((depth, n_bins), np.bool_))
    for tree in range(known.shape[0]):
        if _is_led(so_far, wanted):
            return so_far
        so_far -= known[tree]
        worst = _worst_of_tree(forest, tree, remaining, path, values, wanted, so_far)
        so_far += worst
        totals += worst
    if _is_led(so_far, wanted):
        return so_far
    return totals


@compiled_for_loops
def _leads_of_witnesses(values: Floats, wanted: int, witnesses: NDArray[np.int64]) -> Floats:
    """Return the largest lead of each class over the wanted one in some row, (n_trees, n_classes)."""
    n_rows, n_trees = witnesses.shape
    known = np.full((n_trees, values.shape[1]), -np.inf)
    for row in range(n_rows):
        for tree in range(n_trees):
            leaf = witnesses[row, tree]
            for label in range(values.shape[1]):
                known[tree, label] = max(known[tree, label], values[leaf, label] - values[leaf, wanted])
    return known


@inlined
def _is_led(leads: Floats, wanted: int) -> Any:  # numba's own bool
    is_led = False
    for label in range(len(leads)):
        is_led |= label != wanted and leads[label] >= 0
    return is_led


@compiled_for_loops
def _worst_of_tree(  # noqa: PLR0917
    forest: Forest, tree: int, remaining: RemainingBins, path: _Path, values: Floats, wanted: int, others: Floats
) -> Floats:
    """Visit every reachable leaf of a tree, and restore the box afterwards.

    The walk ends early, without restoring, once some class leads with the leads of all ``others`` trees.
    """
    worst = np.full(values.shape[1], -np.inf)
    path.nodes[0], path.n_sides[0] = forest.roots[tree], 0
    depth = 0
    while depth >= 0:
        node, side = path.nodes[depth], path.n_sides[depth]
        leaf = forest.leaf[node]
        if leaf >= 0:
            for label in range(len(worst)):
                worst[label] = max(worst[label], values[leaf, label] - values[leaf, wanted])
            if _is_led(worst + others, wanted):
                return worst
            depth -= 1
            continue
        if side == 0:
            _save(forest, node, remaining, path.intervals[depth], path.sets[depth])
        else:
            _restore(forest, node, remaining, path.intervals[depth], path.sets[depth])
        path.n_sides[depth] += 1
        if side > 1:
            depth -= 1
        elif _narrow(forest, node, side, remaining):
            depth += 1
            path.nodes[depth], path.n_sides[depth] = forest.left[node] if side == 0 else forest.right[node], 0
    return worst


@inlined
def _save(forest: Forest, node: np.int64, remaining: RemainingBins, interval: NDArray[np.int64], saved: Flags) -> None:
    feature = forest.feature[node]
    if forest.is_set[feature]:
        start, end = forest.set_starts[feature], forest.set_starts[feature + 1]
        saved[: end - start] = remaining.sets[start:end]
    else:
        interval[0], interval[1], interval[2] = (
            remaining.low[feature],
            remaining.high[feature],
            remaining.missing[feature],
        )


@inlined
def _restore(
    forest: Forest, node: np.int64, remaining: RemainingBins, interval: NDArray[np.int64], saved: Flags
) -> None:
    feature = forest.feature[node]
    if forest.is_set[feature]:
        start, end = forest.set_starts[feature], forest.set_starts[feature + 1]
        remaining.sets[start:end] = saved[: end - start]
    else:
        remaining.low[feature], remaining.high[feature], remaining.missing[feature] = (
            interval[0],
            interval[1],
            interval[2] != 0,
        )


@inlined
def _narrow(forest: Forest, node: np.int64, side: np.int64, remaining: RemainingBins) -> Any:  # numba's own bool
    """Remove the bins that do not go to a side; return whether any remains."""
    feature = forest.feature[node]
    if forest.is_set[feature]:
        some, start = False, forest.set_starts[feature]
        for bin_ in range(forest.set_starts[feature + 1] - start):
            remaining.sets[start + bin_] &= may_go(forest, node, bin_, side)
            some |= remaining.sets[start + bin_]
        return some
    if forest.low_left[node] == (side == 0):
        remaining.high[feature] = min(remaining.high[feature], forest.low_end[node] - 1)
    else:
        remaining.low[feature] = max(remaining.low[feature], forest.greater_from[node])
    remaining.missing[feature] &= forest.missing_both[node] or forest.missing_left[node] == (side == 0)
    return remaining.low[feature] <= remaining.high[feature] or remaining.missing[feature]
