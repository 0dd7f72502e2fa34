"""Rows by how far they go together in each tree: a proximity by degrees where sharing a leaf is all or nothing.

``graded``: the weighted mean over trees of 2 d(c) / (d(l) + d(m)), where l and m are the leaves of two rows, c is the
lowest node above both, and d counts the splits above a node (Wu and Palmer, 1994); 1 where they share a leaf. Whole
numbers of ``TOTAL`` parts: sums are exact in any order, so that equal proximities are real ties.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..ensemble import TreeEnsemble
from ..errors import InvalidInput
from .counted_table import parts_of_trees
from .leaves import LeafTable, read_only


class Branches(NamedTuple):
    """The nodes of all trees, and their leaves from left to right; a named tuple, since compiled loops take those."""

    offsets: NDArray[np.int64]  # (n_trees + 1,) where each tree's leaves begin
    nodes: NDArray[np.int32]  # (n_leaves,) the node of each leaf, from left to right in its tree
    parents: NDArray[np.int32]  # (n_nodes,) a root is its own
    depths: NDArray[np.int32]  # (n_nodes,) splits above it
    firsts: NDArray[np.int32]  # (n_nodes,) the first leaf below it, counted from left to right within its tree
    ends: NDArray[np.int32]  # (n_nodes,) the leaf after the last
    parts: NDArray[np.int64]  # (n_trees,) what sharing a leaf counts in each tree, of ``TOTAL``


@dataclass(frozen=True, eq=False, kw_only=True)
class GradedTable(LeafTable):
    """Rows by their leaves, numbered from left to right in each tree, and what is above these.

    A ``LeafTable`` to those who ask for nearest rows; what looks at weights of trees has no meaning here.
    """

    branches: Branches

    @staticmethod
    def of(ensemble: TreeEnsemble, table: LeafTable, weights: NDArray[np.int64]) -> "GradedTable":
        """Return the table of the rows of another one.

        Parameters
        ----------
        ensemble
            The trees, whole or cut back (``CoarserLeaves.cut``).
        table
            Leaves of the rows, numbered as in the ensemble.
        weights : (n_trees,)
            What each tree counts; not negative, one at least more than 0.

        Raises
        ------
        InvalidInput
            If the table is of other trees.
        """
        if not np.array_equal(table.offsets, ensemble.leaf_offsets):
            msg = f"the table is of {table.n_trees} trees with other leaves than the ensemble's {ensemble.n_trees}"
            raise InvalidInput(msg)
        branches, positions = _branches(ensemble, table.offsets, parts_of_trees(weights))
        codes = np.empty_like(table.codes)
        for tree in range(table.n_trees):
            of_tree = positions[table.offsets[tree] : table.offsets[tree + 1]].astype(codes.dtype)
            np.take(of_tree, table.codes[tree], out=codes[tree])
        counts = np.diff(table.starts)[np.argsort(positions + np.repeat(table.offsets[:-1], np.diff(table.offsets)))]
        starts = np.concatenate([[0], np.cumsum(counts)])
        return GradedTable(read_only(codes), table.offsets, starts, branches=branches)


def _branches(
    ensemble: TreeEnsemble, offsets: NDArray[np.int64], parts: NDArray[np.int64]
) -> tuple[Branches, NDArray[np.int32]]:
    """Return what is above the leaves, and the index of each leaf from left to right in its tree, (n_leaves,)."""
    n_nodes, leaf_nodes = len(ensemble.left), ensemble.leaf_nodes.astype(np.int32)
    parents, depths, firsts, ends = (np.zeros(n_nodes, np.int32) for _ in range(4))
    _look_above(
        ensemble.offsets.astype(np.int64),
        ensemble.left.astype(np.int32),
        ensemble.right.astype(np.int32),
        leaf_nodes,
        (parents, depths, firsts, ends),
    )
    positions = firsts[leaf_nodes]
    nodes = np.empty_like(leaf_nodes)
    nodes[np.repeat(offsets[:-1], np.diff(offsets)) + positions] = leaf_nodes
    return Branches(offsets, nodes, parents, depths, firsts, ends, parts), positions


@compiled
def _look_above(
    offsets: NDArray[np.int64],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    leaf_nodes: NDArray[np.int32],
    above: tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]],
) -> None:
    """Write the parent, depth, first leaf and the leaf after the last of each node that rows come to."""
    parents, depths, firsts, ends = above
    n_leaves = np.zeros(len(left), np.int32)  # below each node, itself where it is one
    n_leaves[leaf_nodes] = 1
    for tree in range(len(offsets) - 1):
        root = offsets[tree]
        for node in range(offsets[tree + 1] - 1, root - 1, -1):  # children come after their parents
            if left[node] != node:
                n_leaves[node] = n_leaves[left[node]] + n_leaves[right[node]]
        parents[root], depths[root], firsts[root] = root, 0, 0
        for node in range(root, offsets[tree + 1]):
            ends[node] = firsts[node] + n_leaves[node]
            if left[node] != node and n_leaves[node] > 0:
                for child in (left[node], right[node]):
                    parents[child], depths[child] = node, depths[node] + 1
                firsts[left[node]] = firsts[node]
                firsts[right[node]] = firsts[node] + n_leaves[left[node]]
