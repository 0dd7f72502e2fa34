"""ISM leaf by leaf and test by test, from the paper alone: slow, obvious twins."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, log2

import numpy as np
from numpy.typing import NDArray

from tree_explainers.ensemble import Operator, TreeEnsemble

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class NaiveTree:
    """A tree of the ensemble by its leaves: their coverlists over the training rows, and their scores of classes."""

    coverlists: Flags  # (n_leaves, n_rows)
    shares: Floats  # (n_leaves, n_classes)


def class_shares(trees: Sequence[NaiveTree], given: Flags) -> Floats:
    """Return P_E(C|A): equation 4 of each tree, averaged; A is given by the training rows that fulfil it."""
    n_given = given.sum()
    of_trees = []
    for tree in trees:
        shares_of_leaves = (tree.coverlists & given).sum(axis=1) / n_given  # P(Y|A)
        of_trees.append(shares_of_leaves @ tree.shares)  # P(C|Y,A) = P(C|Y)
    return np.asarray(np.mean(of_trees, axis=0))


def entropy(shares: Floats) -> float:
    """Return equation 3."""
    return float(sum(-share * log2(share) for share in shares.tolist() if share > 0))


def gain(trees: Sequence[NaiveTree], test: Flags, node: Flags) -> float:
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


def grow(trees: Sequence[NaiveTree], tests: Sequence[Flags], node: Flags, n_levels: int, least: int) -> NaiveNode:
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


def naive_trees(leaves: NDArray[np.int32], ensemble: TreeEnsemble, shares: Floats) -> list[NaiveTree]:
    """Return each tree, from the leaves that training rows reach, (n_rows, n_trees), counted in their tree."""
    bounds = pairwise(ensemble.leaf_offsets.tolist())
    return [
        NaiveTree(np.arange(end - first)[:, None] == reached, shares[first:end])
        for reached, (first, end) in zip(leaves.T, bounds, strict=True)
    ]


def independent_scores(ensemble: TreeEnsemble, rows: Floats, shares: Floats, box: Intervals) -> Floats:
    """Return P_E(C|A) of a box, where tests that it does not decide are independent of it.

    ``rows`` are the training rows, (n_rows, n_columns), and ``shares`` those of classes in each leaf.
    """
    leaf_of = {int(node): leaf for leaf, node in enumerate(ensemble.leaf_nodes)}

    def scores(node: int, here: Floats) -> Floats:
        if node in leaf_of:
            return np.asarray(shares[leaf_of[node]])
        column, operator = int(ensemble.column[node]), Operator(ensemble.operator[node])
        assert operator is Operator.LEQ
        cut = float(np.float32(ensemble.threshold[node]))
        (low, high), is_low = box.get(column, (-inf, inf)), here[:, column] <= cut
        share = 1.0 if high <= cut else 0.0 if low >= cut else is_low.mean() if len(here) else 0.5
        sides = (share, ensemble.left[node], here[is_low]), (1 - share, ensemble.right[node], here[~is_low])
        return np.asarray(sum(weight * scores(int(child), own) for weight, child, own in sides if weight))

    return np.asarray(np.mean([scores(int(root), rows) for root in ensemble.offsets[:-1]], axis=0))
