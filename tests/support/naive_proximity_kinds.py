"""Slow, obvious twins of the kinds of proximity that look at more than whether two rows share a leaf.

Each returns the proximity of a row to another one, as a fraction, from its definition. ``leaves`` has the leaf of a row
in each tree, ``of_rows`` the leaves of all reference rows in each tree, and ``drawn`` how often each tree drew each of
them. ``row`` is the reference row that the compared row is, ``None`` where it is none of them: then it is in no bag.
"""

from collections.abc import Sequence
from fractions import Fraction

Leaves = Sequence[int]
Trees = Sequence[Sequence[int]]


def trees_without(row: int | None, drawn: Trees) -> list[int]:
    return [tree for tree, counts in enumerate(drawn) if row is None or counts[row] == 0]


def gap(leaves: Leaves, row: int | None, other: int, of_rows: Trees, drawn: Trees) -> Fraction:
    """Rhodes, Cutler and Moon (2023), definition 3: the mean over S(i) of c_j(t) [j in J_i(t)] / |M_i(t)|."""
    trees = trees_without(row, drawn)
    total = Fraction(0)
    for tree in trees:
        if of_rows[tree][other] == leaves[tree]:
            in_leaf = [count for leaf, count in zip(of_rows[tree], drawn[tree], strict=True) if leaf == leaves[tree]]
            total += Fraction(drawn[tree][other], sum(in_leaf))
    return total / len(trees) if trees else Fraction(0)


def oob(leaves: Leaves, row: int | None, other: int, of_rows: Trees, drawn: Trees) -> Fraction:
    """The share of the trees that drew neither of two rows in which both lie in one leaf; 0 where each drew one."""
    trees = [tree for tree in trees_without(row, drawn) if drawn[tree][other] == 0]
    together = [tree for tree in trees if of_rows[tree][other] == leaves[tree]]
    return Fraction(len(together), len(trees)) if trees else Fraction(0)


def kernel(leaves: Leaves, other: int, of_rows: Trees, weights: Sequence[int]) -> Fraction:
    """The weighted mean over trees of [same leaf] / rows in the leaf: the weights of a tree's mean, row by row."""
    total = Fraction(0)
    for leaf, of_tree, weight in zip(leaves, of_rows, weights, strict=True):
        if of_tree[other] == leaf:
            total += Fraction(weight, list(of_tree).count(leaf))
    return total / sum(weights)


def graded(paths: Trees, of_other: Trees, weights: Sequence[int]) -> Fraction:
    """The weighted mean over trees of 2 d(c) / (d(l) + d(m)), for the nodes on the ways to two leaves, root first.

    l and m are the leaves, c the last node on both ways, and d the number of splits above a node (Wu and Palmer, 1994);
    1 where the leaf is the same, be it the root.
    """
    total = Fraction(0)
    for path, other, weight in zip(paths, of_other, weights, strict=True):
        n_common = sum(node == of_node for node, of_node in zip(path, other, strict=False))
        if path == other:
            total += weight
        else:
            total += weight * Fraction(2 * (n_common - 1), len(path) - 1 + len(other) - 1)
    return total / sum(weights)
