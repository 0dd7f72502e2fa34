"""Pruning of first-order trees as TILDE does it: merging, then C4.5's pessimistic errors (Quinlan 1993, chapter 4)."""

from dataclasses import replace
from itertools import accumulate
from math import sqrt

from .tilde_trees import TildeNode, TildeTree

_CONFIDENCE = 0.25
_Z = 0.6925  # of this confidence, as C4.5's table has it, interpolated
_PREFERENCE = 0.1  # errors by which a leaf may be worse than what it replaces


def estimated_errors(tree: TildeTree) -> float:
    """Return C4.5's pessimistic estimate of the errors of a tree: the sum over its leaves, in weights of examples."""
    return sum(_leaf_errors(node) for node in tree.nodes if node.test is None)


def merge_leaves(tree: TildeTree) -> TildeTree:
    """Return the tree in which each node whose leaves all predict one class is a leaf; all predicted labels stay.

    A leaf predicts the class of the highest score, the first of equal ones.
    """
    labels: list[int | None] = [None] * len(tree.nodes)  # the one label that all leaves below say
    for index in reversed(range(len(tree.nodes))):
        node = tree.nodes[index]
        both = (labels[node.yes], labels[node.no])
        labels[index] = _label(tree, index) if node.test is None else both[0] if both[0] == both[1] else None
    return _cut_at(tree, [label is not None for label in labels])


def prune(tree: TildeTree) -> TildeTree:
    """Return the merged tree, in which a leaf replaces each subtree that it is estimated to match, from the bottom."""
    tree = merge_leaves(tree)
    errors = [0.0] * len(tree.nodes)
    cut = [False] * len(tree.nodes)
    for index in reversed(range(len(tree.nodes))):
        node = tree.nodes[index]
        as_leaf = _leaf_errors(node)
        below = as_leaf if node.test is None else errors[node.yes] + errors[node.no]
        cut[index] = node.test is not None and as_leaf <= below + _PREFERENCE
        errors[index] = as_leaf if cut[index] else below
    return _cut_at(tree, cut)


def upper_errors(n: float, errors: float) -> float:
    """Return how many errors C4.5 adds to those that a leaf of n examples makes: the upper end of an interval."""
    if errors == 0:
        return n * (1 - _CONFIDENCE ** (1 / n)) if n > 0 else 0.0
    if errors < 1:
        of_none = upper_errors(n, 0)
        return of_none + errors * (upper_errors(n, 1) - of_none)
    if errors + 0.5 >= n:
        return 0.67 * (n - errors)
    more = errors + 0.5
    square = _Z * _Z
    upper = n * (more + square / 2 + _Z * sqrt(more * (1 - more / n) + square / 4)) / (n + square)
    return upper - errors


def _leaf_errors(node: TildeNode) -> float:
    n = float(node.class_weights.sum())
    errors = n - float(node.class_weights.max())
    return errors + upper_errors(n, errors)


def _label(tree: TildeTree, index: int) -> int:
    return int(tree.leaf_scores(index).argmax())


def _cut_at(tree: TildeTree, cut: list[bool]) -> TildeTree:
    """Return the tree whose nodes at these indices are leaves, if they are not below another such index."""
    is_reached = [True] + [False] * (len(tree.nodes) - 1)
    for index, node in enumerate(tree.nodes):
        if is_reached[index] and not cut[index] and node.test is not None:
            is_reached[node.yes] = is_reached[node.no] = True
    indices = list(accumulate(is_reached, initial=0))  # of each node among those that are kept
    nodes = (
        replace(node, test=None, yes=-1, no=-1)
        if cut[index] or node.test is None
        else replace(node, yes=indices[node.yes], no=indices[node.no])
        for index, node in enumerate(tree.nodes)
        if is_reached[index]
    )
    return replace(tree, nodes=tuple(nodes))
