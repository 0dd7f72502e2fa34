"""Coarser leaves: trees cut back to nodes that hold enough rows, so that rows share leaves with others at all.

In a fully grown tree nearly every reference row has a leaf of its own, and two rows have next to nothing in common. A
tree is cut back where a split leaves fewer than ``min_leaf_rows`` reference rows on either side: the node above becomes
the leaf, as it would have with ``min_samples_leaf``. The leaves of a cut tree partition the rows into boxes, as the
tree's own do; so weights, proximities, prototypes, certificates and reasons are the same mathematics on fewer leaves.
Predictions never come from cut trees.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count, takewhile
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled
from ..compute.threads import in_threads
from ..ensemble import Operator, TreeEnsemble
from ..errors import InvalidInput
from .leaves import LeafTable, ProximityKind, smallest_dtype, tree_weights
from .partitioned_table import PartitionedTable

_FIRST_STEPS = (1, 2, 3, 5)


def steps_of_min_leaf_rows(n_rows: int) -> Iterator[int]:
    """Yield 1, 2, 3, 5, 10, 20, 30, 50, 100 and so on, as far as a split could leave as many rows on both sides."""
    all_steps = (step * 10**power for power in count() for step in _FIRST_STEPS)
    return takewhile(lambda step: step == 1 or 2 * step <= n_rows, all_steps)


@dataclass(frozen=True, slots=True, eq=False)
class CoarserLeaves:
    """The leaves of the trees of an ensemble after they were cut back; each is made of leaves of the uncut tree.

    Coarser leaves are numbered within their tree in the order of their nodes.
    """

    min_leaf_rows: int  # 1: the trees are not cut
    codes: NDArray[Any]  # (n_leaves,) the coarser leaf of each leaf, tree after tree; uint8, uint16 or int32
    offsets: NDArray[np.int64]  # (n_trees + 1,) where each tree's leaves begin in ``codes``
    nodes: NDArray[np.int32]  # (n_coarser_leaves,) the node of each coarser leaf, tree after tree
    node_offsets: NDArray[np.int64]  # (n_trees + 1,) where each tree's coarser leaves begin in ``nodes``

    @property
    def n_leaves(self) -> NDArray[np.int64]:
        """Coarser leaves of each tree, (n_trees,)."""
        return np.diff(self.node_offsets)

    def of(self, leaves: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the coarser leaf of each row in each tree: for leaves and result (n_rows, n_trees) int32."""
        return leaves if self.min_leaf_rows == 1 else map_leaves(self.codes, self.offsets, leaves)

    def table(self, table: LeafTable) -> LeafTable:
        """Return the table of the same rows with their coarser leaves; the table itself if trees are not cut."""
        if self.min_leaf_rows == 1:
            return table
        if isinstance(table, PartitionedTable):
            return table.keep(_coarser_table, self.n_leaves, self)
        codes = np.empty(table.codes.shape, dtype=smallest_dtype(int(self.n_leaves.max())))

        def map_trees(trees: slice) -> None:
            for tree in range(*trees.indices(table.n_trees)):
                of_tree = self.codes[self.offsets[tree] : self.offsets[tree + 1]].astype(codes.dtype)
                np.take(of_tree, table.codes[tree], out=codes[tree])

        in_threads(map_trees, table.n_trees)
        return LeafTable.from_sizes(codes, self._sizes(table), self.n_leaves)

    def values(self, table: LeafTable, leaf_values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the value of each coarser leaf: the mean of its rows' own leaf values; 0 without rows.

        Parameters
        ----------
        table
            The uncut leaves of the reference rows.
        leaf_values : (n_leaves, n_outputs) float64
            Value of each leaf, tree by tree.

        Returns
        -------
        (n_coarser_leaves, n_outputs) float64
            Tree by tree.
        """
        positions, sizes = self._positions(), table.leaf_sizes
        sums = [
            np.bincount(positions, sizes * np.where(sizes > 0, column, 0.0), len(self.nodes))
            for column in leaf_values.T
        ]
        return np.stack(sums, axis=1) / np.maximum(self._sizes(table), 1)[:, None]

    def _positions(self) -> NDArray[np.int64]:
        """Return the coarser leaf of each leaf, (n_leaves,), numbered over all trees."""
        positions: NDArray[np.int64] = np.repeat(self.node_offsets[:-1], np.diff(self.offsets)) + self.codes
        return positions

    def _sizes(self, table: LeafTable) -> NDArray[np.int64]:
        """Return how many rows of a table of uncut leaves are in each coarser leaf, (n_coarser_leaves,)."""
        sums = np.bincount(self._positions(), table.leaf_sizes, len(self.nodes))  # exact: far below 2^53
        return sums.astype(np.int64)

    def weights(
        self, kind: ProximityKind, table: LeafTable, leaf_values: NDArray[np.float64] | None = None
    ) -> NDArray[np.int64]:
        """Return what each cut tree counts in a proximity, as ``tree_weights`` does.

        A tree cut to a single leaf would hold every two rows for alike, so it counts nothing. The trees of boosting
        count by the variance of their coarser leaves' ``values``.

        Parameters
        ----------
        kind, leaf_values
            As for ``tree_weights``; the values are those of the uncut leaves.
        table
            The uncut leaves of the reference rows.

        Returns
        -------
        (n_trees,) int64
            Exactly those of ``tree_weights`` if trees are not cut.

        Raises
        ------
        InvalidInput
            If no tree is left that counts.
        """
        if self.min_leaf_rows == 1:
            return tree_weights(kind, table, leaf_values)
        if kind == "random_forest":
            weights = tree_weights(kind, table)
        else:
            own_values = None if leaf_values is None else self.values(table, leaf_values)
            weights = tree_weights(kind, self.table(table), own_values)
        weights[self.n_leaves == 1] = 0
        if not weights.any():
            msg = (
                f"no tree has a split with {self.min_leaf_rows} of the {table.n_rows} reference rows on both sides: "
                "take a smaller min_leaf_rows, or more rows"
            )
            raise InvalidInput(msg)
        return weights

    def cut(self, ensemble: TreeEnsemble) -> TreeEnsemble:
        """Return the ensemble with its trees cut back, for the boxes of its leaves; it has no leaf values.

        The nodes below the coarser leaves are still there, where no row comes.
        """
        left, right, operator = ensemble.left.copy(), ensemble.right.copy(), ensemble.operator.copy()
        left[self.nodes] = right[self.nodes] = self.nodes
        operator[self.nodes] = Operator.LEAF
        return replace(
            ensemble,
            left=left,
            right=right,
            operator=operator,
            leaf_nodes=self.nodes,
            leaf_offsets=self.node_offsets.astype(np.int32),
            leaf_values=np.empty((len(self.nodes), 0)),
        )


def _coarser_table(table: LeafTable, leaves: CoarserLeaves) -> LeafTable:
    return leaves.table(table)


def coarser_leaves(ensemble: TreeEnsemble, table: LeafTable, min_leaf_rows: int) -> CoarserLeaves:
    """Cut each tree back to the nodes whose children both hold enough rows.

    Parameters
    ----------
    ensemble
        The trees.
    table
        Leaves of the reference rows, numbered as in the ensemble.
    min_leaf_rows
        The fewest reference rows of a leaf that a split made, 1 or more. With 1 nothing is cut, not even leaves without
        any reference row.

    Raises
    ------
    InvalidInput
        If ``min_leaf_rows`` is less than 1 or the table is of other trees.
    """
    if min_leaf_rows < 1:
        msg = f"min_leaf_rows must be at least 1, got {min_leaf_rows}"
        raise InvalidInput(msg)
    if not np.array_equal(table.offsets, ensemble.leaf_offsets):
        msg = f"the table is of {table.n_trees} trees with other leaves than the ensemble's {ensemble.n_trees}"
        raise InvalidInput(msg)
    # Each split leaves at least 0 rows on both sides.
    n_needed = 0 if min_leaf_rows == 1 else min_leaf_rows
    codes = np.empty(len(ensemble.leaf_nodes), dtype=np.int32)
    nodes = np.empty(len(ensemble.leaf_nodes), dtype=np.int32)
    trees = _Trees(
        _int32(ensemble.offsets),
        _int32(ensemble.left),
        _int32(ensemble.right),
        _int32(ensemble.leaf_nodes),
        table.offsets,
    )
    n_coarser = _cut(trees, table.leaf_sizes, n_needed, codes, nodes)
    node_offsets = np.concatenate([[0], np.cumsum(n_coarser)]).astype(np.int64)
    dtype = smallest_dtype(int(n_coarser.max()))
    return CoarserLeaves(min_leaf_rows, codes.astype(dtype), table.offsets, nodes[: node_offsets[-1]], node_offsets)


def map_leaves(codes: NDArray[Any], offsets: NDArray[np.integer[Any]], leaves: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the coarser leaf of each row in each tree.

    Parameters
    ----------
    codes : (n_leaves,)
        The coarser leaf of each leaf, tree after tree.
    offsets : (n_trees + 1,)
        Where each tree's leaves begin among them.
    leaves : (n_rows, n_trees) int32
        Leaf of each row in each tree.

    Returns
    -------
    (n_rows, n_trees) int32
    """
    coarser: NDArray[np.int32] = codes[offsets[:-1] + leaves].astype(np.int32)
    return coarser


def _int32(array: NDArray[Any]) -> NDArray[np.int32]:
    """Return the array as the loop is compiled for it: loaded ones may be read-only."""
    return np.require(array, dtype=np.int32, requirements=["C", "W"])


class _Trees(NamedTuple):
    offsets: NDArray[np.int32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    leaf_nodes: NDArray[np.int32]
    leaf_offsets: NDArray[np.int64]


@compiled
def _cut(
    trees: _Trees, leaf_sizes: NDArray[np.int64], n_needed: int, codes: NDArray[np.int32], nodes: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Write the coarser leaf of each leaf, and the nodes of the coarser leaves; return how many each tree has."""
    offsets, left, right, leaf_nodes, leaf_offsets = trees
    n_coarser = np.zeros(len(offsets) - 1, dtype=np.int64)
    n_rows = np.zeros(len(left), dtype=np.int64)  # of each node
    code = np.full(len(left), -1, dtype=np.int32)  # of the coarser leaf that a node is or lies below; -1: above all
    end = 0
    for leaf in range(len(leaf_nodes)):
        n_rows[leaf_nodes[leaf]] = leaf_sizes[leaf]
    for tree in range(len(n_coarser)):
        for node in range(offsets[tree + 1] - 1, offsets[tree] - 1, -1):  # children come after their parents
            if left[node] != node:
                n_rows[node] = n_rows[left[node]] + n_rows[right[node]]
        for node in range(offsets[tree], offsets[tree + 1]):
            is_leaf = left[node] == node
            if code[node] < 0 and (is_leaf or min(n_rows[left[node]], n_rows[right[node]]) < n_needed):
                code[node] = n_coarser[tree]
                nodes[end] = node
                n_coarser[tree] += 1
                end += 1
            if not is_leaf and code[node] >= 0:
                code[left[node]] = code[right[node]] = code[node]
        for leaf in range(leaf_offsets[tree], leaf_offsets[tree + 1]):
            codes[leaf] = code[leaf_nodes[leaf]]
    return n_coarser
