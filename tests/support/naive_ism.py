"""ISM leaf by leaf and test by test, from the paper alone: slow, obvious twins."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tree_explainers.ensemble import Operator, TreeEnsemble

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class NaiveLeaf:
    """A leaf of a tree of the ensemble: which training rows it covers (its coverlist), and its scores of classes."""

    covers: Flags  # (n_rows,)
    shares: Floats  # (n_classes,)


Tree = Sequence[NaiveLeaf]


def class_shares(trees: Sequence[Tree], given: Flags) -> Floats:
    """Return P_E(C|A): equation 4 of each tree, averaged; A is given by the training rows that fulfil it."""
    of_trees = []
    for leaves in trees:
        total = np.zeros(len(leaves[0].shares))
        for leaf in leaves:
            share_of_leaf = (leaf.covers & given).sum() / given.sum()  # P(Y|A)
            total += leaf.shares * share_of_leaf  # P(C|Y,A) = P(C|Y)
        of_trees.append(total)
    return np.asarray(np.mean(of_trees, axis=0))


def entropy(shares: Floats) -> float:
    """Return equation 3."""
    return float(sum(-share * log2(share) for share in shares.tolist() if share > 0))


def gain(trees: Sequence[Tree], test: Flags, node: Flags) -> float:
    """Return equation 2 for a test in a node, both given by the training rows for which they succeed."""
    share = (test & node).sum() / node.sum()
    if share in {0, 1}:
        return 0.0
    both = (share, class_shares(trees, node & test)), (1 - share, class_shares(trees, node & ~test))
    return float(entropy(class_shares(trees, node)) - sum(weight * entropy(shares) for weight, shares in both))


def gain_ratio(scores: Floats, test: Flags) -> float:
    """Return Quinlan's ratio for a test of rows with these scores, (n_rows, n_classes); both sides have some."""
    share = test.mean()
    parts = share * entropy(scores[test].mean(axis=0)) + (1 - share) * entropy(scores[~test].mean(axis=0))
    return (entropy(scores.mean(axis=0)) - float(parts)) / entropy(np.array([share, 1 - share]))


def variance_decrease(values: Floats, test: Flags) -> float:
    """Return how much less the values, (n_rows,), vary on both sides of a test, each weighted by its share."""
    return float(values.var() - test.mean() * values[test].var() - (~test).mean() * values[~test].var())


@dataclass(frozen=True)
class NaiveNode:
    """A node of ISM's tree."""

    rows: Flags
    test: int | None
    yes: "NaiveNode | None" = None
    no: "NaiveNode | None" = None


def grow(trees: Sequence[Tree], tests: Sequence[Flags], node: Flags, n_levels: int, least: int) -> NaiveNode:
    """Grow a tree, the first of the best tests in each node; gains count as equal to nine decimals."""
    allowed = [
        (round(gain(trees, test, node), 9), -place)
        for place, test in enumerate(tests)
        if min((test & node).sum(), (~test & node).sum()) >= least
    ]
    best, place = max(allowed, default=(0.0, 0))
    if n_levels == 0 or best <= 0:
        return NaiveNode(node, None)
    test = tests[-place]
    yes, no = (grow(trees, tests, node & part, n_levels - 1, least) for part in (test, ~test))
    return NaiveNode(node, -place, yes, no)


Interval = tuple[float, float]  # values above the first, up to the second
Intervals = dict[int, Interval]  # by column; those that nothing is known of are lacking


def leaf_boxes(ensemble: TreeEnsemble, tree: int) -> list[tuple[int, Intervals]]:
    """Return the leaves of a tree of thresholds with the values that each column may have there."""
    found: list[tuple[int, Intervals]] = []
    leaf_of = {int(node): leaf for leaf, node in enumerate(ensemble.leaf_nodes)}

    def visit(node: int, box: Intervals) -> None:
        if node in leaf_of:
            found.append((leaf_of[node], box))
            return
        column, operator = int(ensemble.column[node]), Operator(ensemble.operator[node])
        cut = float(np.float32(ensemble.threshold[node]))
        if operator in (Operator.LT, Operator.GTE):
            cut = float(np.nextafter(np.float32(cut), np.float32(-inf)))
        low_left = operator in (Operator.LEQ, Operator.LT)
        low, high = box.get(column, (-inf, inf))
        for child, is_low in ((ensemble.left[node], low_left), (ensemble.right[node], not low_left)):
            visit(int(child), {**box, column: (low, min(high, cut)) if is_low else (max(low, cut), high)})

    visit(int(ensemble.offsets[tree]), {})
    return found


def meet(one: Intervals, other: Intervals) -> bool:
    """Return whether some row lies in two boxes."""
    columns = one.keys() | other.keys()
    whole = (-inf, inf)
    pairs = [(one.get(each, whole), other.get(each, whole)) for each in columns]
    return all(max(a[0], b[0]) < min(a[1], b[1]) for a, b in pairs)


def possible_leaves(ensemble: TreeEnsemble, box: Intervals) -> list[list[int]]:
    """Return, tree by tree, the leaves that rows in a box can possibly reach."""
    return [[leaf for leaf, own in leaf_boxes(ensemble, tree) if meet(own, box)] for tree in range(ensemble.n_trees)]


def paper_bounds(values: Floats, possible: Sequence[Sequence[int]]) -> tuple[Floats, Floats]:
    """Return P_Emin and P_Emax of section 2.4, of leaf values that are summed over trees instead of averaged."""
    smallest = sum(values[list(leaves)].min(axis=0) for leaves in possible)
    largest = sum(values[list(leaves)].max(axis=0) for leaves in possible)
    return np.asarray(smallest), np.asarray(largest)


def leaves_of_trees(leaves: NDArray[np.int32], ensemble: TreeEnsemble, shares: Floats) -> list[list[NaiveLeaf]]:
    """Return each tree's leaves, from those that training rows reach, (n_rows, n_trees), counted in their tree."""
    trees: list[list[NaiveLeaf]] = []
    for tree, reached in enumerate(leaves.T):
        first: Any = ensemble.leaf_offsets[tree]
        own = range(int(ensemble.n_leaves[tree]))
        trees.append([NaiveLeaf(reached == leaf, shares[first + leaf]) for leaf in own])
    return trees
