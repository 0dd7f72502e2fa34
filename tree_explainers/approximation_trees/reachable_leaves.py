"""The leaves that rows in a box can possibly reach, tree by tree."""

from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, inlined
from ..ensemble import Operator, TreeEnsemble
from ..questions.statements import Statements
from .bin_boxes import BinBox, Span, possible_bins, whole_span
from .node_questions import NodeQuestions

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


class Forest(NamedTuple):
    """An ensemble's trees and what their nodes ask."""

    roots: NDArray[np.int32]  # (n_trees,)
    left: NDArray[np.int32]  # (n_nodes,)
    right: NDArray[np.int32]  # (n_nodes,)
    leaf: NDArray[np.int32]  # (n_nodes,) its position among all leaves; -1: it asks something
    feature: NDArray[np.int32]  # these as in ``NodeQuestions``
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
    is_set: Flags  # (n_features,) what is left of it is no interval: it is kept bin by bin
    set_starts: NDArray[np.int64]  # (n_features + 1,) where the bins of each such feature begin among those of them all
    spans: NDArray[np.int64]  # (2, n_features) the first and the last bin of each number that hold values
    sets: Flags  # (n_bins of features that are kept bin by bin,) bins that hold values
    room: NDArray[np.int64]  # (2,) the depth of the deepest tree, and the bins of the largest set

    @staticmethod
    def of(ensemble: TreeEnsemble, questions: NodeQuestions, statements: Statements) -> "Forest":
        """Put together what is walked through."""
        is_leaf = ensemble.operator == Operator.LEAF
        is_set = np.array([not feature.is_number for feature in statements.features], np.bool_)
        is_set[questions.feature[(questions.cut < 0) & ~is_leaf]] = True
        n_bins = np.where(is_set, np.diff(statements.bin_starts), 0)
        spans = [whole_span(feature) for feature in statements.features]
        depths = _depths(ensemble.left, ensemble.right)
        return Forest(
            ensemble.offsets[:-1],
            ensemble.left,
            ensemble.right,
            np.where(is_leaf, np.cumsum(is_leaf) - 1, -1).astype(np.int32),
            questions.feature,
            questions.cut,
            questions.low_end,
            questions.greater_from,
            questions.low_left,
            questions.missing_left,
            questions.missing_both,
            questions.goes_left,
            questions.may_left,
            questions.may_right,
            statements.bin_starts,
            is_set,
            np.cumsum(np.append(0, n_bins)),
            np.array([(span.low, span.high) for span in spans], np.int64).reshape(-1, 2).T.copy(),
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


class Left(NamedTuple):
    """What is left of a box on the way down a tree."""

    low: NDArray[np.int64]  # (n_features,) the first bin of an interval
    high: NDArray[np.int64]  # (n_features,) and the last
    missing: Flags  # (n_features,) beside it, the missing value
    sets: Flags  # as in ``Forest``


def left_of(forest: Forest, box: BinBox) -> Left:
    """Return a box as it is before any question of a tree."""
    (low, high), missing = forest.spans.copy(), np.ones(len(forest.is_set), np.bool_)
    sets = forest.sets.copy()
    for feature, known in box.left.items():
        own = sets[forest.set_starts[feature] : forest.set_starts[feature + 1]]
        if not isinstance(known, Span):
            own &= known
            continue
        low[feature], high[feature], missing[feature] = known.low, known.high, known.missing
        if forest.is_set[feature]:
            own[: known.low] = own[known.high + 1 : -1] = False
            own[-1] &= known.missing
    return Left(low, high, missing, sets)


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
