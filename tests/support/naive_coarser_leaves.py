"""Trees cut back by counting the rows below every node, one by one: the slow, obvious twin of coarser leaves."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tree_explainers.ensemble import Operator, TreeEnsemble


def coarser_nodes(ensemble: TreeEnsemble, leaves: NDArray[np.int32], min_leaf_rows: int) -> list[list[int]]:
    """Return, for each tree, the node that each of its leaves becomes or is merged into.

    ``leaves``, (n_rows, n_trees), are those of the reference rows.
    """
    return [_of_tree(ensemble, tree, leaves[:, tree].tolist(), min_leaf_rows) for tree in range(ensemble.n_trees)]


def _of_tree(ensemble: TreeEnsemble, tree: int, own: list[int], min_leaf_rows: int) -> list[int]:
    first, end = int(ensemble.leaf_offsets[tree]), int(ensemble.leaf_offsets[tree + 1])
    leaf_nodes = ensemble.leaf_nodes[first:end].tolist()
    becomes: dict[int, int] = {}

    def is_leaf(node: int) -> bool:
        return bool(ensemble.operator[node] == Operator.LEAF)

    def leaves_below(node: int) -> list[int]:
        if is_leaf(node):
            return [node]
        return leaves_below(int(ensemble.left[node])) + leaves_below(int(ensemble.right[node]))

    def n_rows(node: int) -> int:
        below = leaves_below(node)
        return sum(leaf_nodes[leaf] in below for leaf in own)

    def visit(node: int) -> None:
        children = [] if is_leaf(node) else [int(ensemble.left[node]), int(ensemble.right[node])]
        if min_leaf_rows > 1 and any(n_rows(child) < min_leaf_rows for child in children):
            children = []
        if not children:
            becomes.update(dict.fromkeys(leaves_below(node), node))
        for child in children:
            visit(child)

    visit(int(ensemble.offsets[tree]))
    return [becomes[node] for node in leaf_nodes]


def coarser_codes(nodes: list[list[int]]) -> NDArray[np.int32]:
    """Return the number of each leaf's node among those of its tree, in the order of nodes; tree after tree."""
    return np.concatenate([[sorted(set(own)).index(node) for node in own] for own in nodes]).astype(np.int32)


def coarser_values(
    leaves: NDArray[np.int32], leaf_values: list[NDArray[np.float64]], nodes: list[list[int]]
) -> list[NDArray[np.float64]]:
    """Return, for each tree, the mean over the reference rows in each coarser leaf of their own leaves' values."""
    found = []
    for tree, own in enumerate(nodes):
        lines = []
        for node in sorted(set(own)):
            rows = [leaf for leaf in leaves[:, tree].tolist() if own[leaf] == node]
            sums = [sum(Fraction(float(leaf_values[tree][leaf, output])) for leaf in rows)
                    for output in range(leaf_values[tree].shape[1])]  # fmt: skip
            lines.append([float(total / len(rows)) if rows else 0.0 for total in sums])
        found.append(np.array(lines))
    return found
