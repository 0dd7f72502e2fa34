"""Where trees part two rows, by going down each tree with both in plain Python."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tests.support.naive import goes_left, path_to_leaf
from tree_explainers.ensemble import TreeEnsemble

Partings = dict[int, tuple[int, bool]]


def partings(ensemble: TreeEnsemble, leaves: NDArray[np.int32], other: NDArray[np.int32]) -> Partings:
    """Return, for each tree in which two rows are in different leaves, the node and the way of the other row there."""
    found = {}
    for tree in range(ensemble.n_trees):
        ways = dict(path_to_leaf(ensemble, tree, int(leaves[tree])))
        for node, is_left in path_to_leaf(ensemble, tree, int(other[tree])):
            if ways.get(node) is not is_left:
                found[tree] = node, is_left
                break
    return found


def shares_by_column(ensemble: TreeEnsemble, found: Partings, weights: list[int]) -> dict[int, Fraction]:
    """Return the share that each column has, by weight, among the splits at which trees part the rows."""
    total = sum(weights[tree] for tree in found)
    shares: dict[int, Fraction] = {}
    for tree, (node, _) in found.items():
        column = int(ensemble.column[node])
        shares[column] = shares.get(column, Fraction(0)) + Fraction(weights[tree], total)
    return {column: share for column, share in shares.items() if share}


def goes_with_the_other(ensemble: TreeEnsemble, found: Partings, column: int, value: float) -> bool:
    """Return whether a value goes the other row's way at every split on the column at which trees part the rows."""
    return all(
        goes_left(ensemble, node, value) == is_left
        for node, is_left in found.values()
        if ensemble.column[node] == column
    )
