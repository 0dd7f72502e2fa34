"""From nodes that refer to each other by id to trees in order: the one place where the shape of trees is checked.

Nothing here is recursive and every step is one pass over arrays, so that a million nodes take a moment and a chain of
nodes cannot exhaust the stack.

Of infinite thresholds one test is left: whether a value is at most infinity, which holds for all numbers, infinite ones
included, and for no missing value; so scikit-learn separates these from all others. Every other comparison with an
infinity becomes one with the largest number of the tree's precision, or with its negative, that has the same answer.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..ensemble import Operator, TreeEnsemble
from ..errors import ModelRefused
from .description import ModelLimits
from .tree_attributes import NodeTable, refuse_tree

_ID_BITS = 32
_MAX_ID = 2**31
_SINGLE_BITS, _DOUBLE_BITS = 24, 53
_MAX_BINARY_PLACES = 14  # 10,000 trees at most may be averaged in the leaves
# By the sign of an infinity: the comparison with the same answers, and the sign of the largest number in its place;
# 0 stands for infinity itself.
_SAME: dict[int, dict[Operator, tuple[Operator, int]]] = {
    1: {
        Operator.LT: (Operator.LEQ, 1),
        Operator.GTE: (Operator.GT, 1),
        Operator.EQ: (Operator.GT, 1),
        Operator.NEQ: (Operator.LEQ, 1),
    },
    -1: {
        Operator.LEQ: (Operator.LT, -1),
        Operator.GT: (Operator.GTE, -1),
        Operator.LT: (Operator.GT, 0),
        Operator.GTE: (Operator.LEQ, 0),
        Operator.EQ: (Operator.LT, -1),
        Operator.NEQ: (Operator.GTE, -1),
    },
}


@dataclass(frozen=True, slots=True)
class OrderedTrees:
    """One operator's trees, and how their nodes' order came from that of the attributes."""

    ensemble: TreeEnsemble
    order: NDArray[np.int64]  # (n_nodes,) index among the attributes of each node of the ensemble
    weight_leaf: NDArray[np.int64]  # (n_weights,) row of leaf_values that each weight of the attributes went to
    depth: int  # edges on the longest path from a root to a leaf


def order_trees(table: NodeTable, n_columns: int | None, limits: ModelLimits) -> OrderedTrees:
    """Return the table's trees: each contiguous, its root first, every child after its parent.

    Trees are in the order of their ids. The nodes of a tree keep the order of their ids where every child's id is above
    its parent's, otherwise they go by depth, then id.

    Parameters
    ----------
    table
        Nodes as read.
    n_columns
        Width of the tensor that the operator reads; ``None`` where it is not known.
    limits
        Depth and number of columns accepted.

    Raises
    ------
    ModelRefused
        ``model_invalid_tree`` where the nodes do not make trees; ``model_too_complex`` beyond the limits.
    """
    ids = (table.tree, table.node, table.weight_tree, table.weight_node)
    if any(len(array) and (array.min() < 0 or array.max() >= _MAX_ID) for array in ids):
        refuse_tree("The id of a tree or of a node is negative or beyond 2^31.")
    _check_features(table, limits.max_features if n_columns is None else n_columns)
    by_id = np.argsort(_keys(table.tree, table.node), kind="stable")
    key = _keys(table.tree[by_id], table.node[by_id])
    tree = np.cumsum(np.diff(table.tree[by_id], prepend=table.tree.min()) != 0)  # 0, 1, ... in the order of their ids
    if (key[1:] == key[:-1]).any():
        refuse_tree("Two nodes of one tree have the same id.")
    is_branch = table.operator[by_id] != Operator.LEAF
    children = _children(table, by_id, key, is_branch)
    roots = _roots(tree, children, is_branch)
    depths = _depths(roots, children, is_branch, limits.max_depth)
    index = _place(tree, depths, children, is_branch)
    return _arrange(table, by_id, index, children, depths)


def _check_features(table: NodeTable, n_columns: int) -> None:
    features = table.feature[table.operator != Operator.LEAF]
    if len(features) and (features.min() < 0 or features.max() >= n_columns):
        bad = features.min() if features.min() < 0 else features.max()
        refuse_tree(f"A node tests column {bad}; the trees read {n_columns} columns (counted from 0).")


def _children(
    table: NodeTable, by_id: NDArray[np.int64], key: NDArray[np.int64], is_branch: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return the indices, in the order of ``key``, of both children; a leaf is its own child; (n_nodes, 2)."""
    children = np.repeat(np.arange(len(key))[:, None], 2, axis=1)
    branch_keys = key[is_branch]
    for side, ids in enumerate((table.true_node, table.false_node)):
        wanted_ids = ids[by_id][is_branch]
        wanted = (branch_keys >> _ID_BITS << _ID_BITS) | (wanted_ids & (_MAX_ID - 1))
        index = np.searchsorted(key, wanted).clip(max=len(key) - 1)
        wrong = (key[index] != wanted) | (wanted_ids < 0) | (wanted_ids >= _MAX_ID)
        if wrong.any():
            refuse_tree(f"A node refers to the child {wanted_ids[wrong][0]}, which its tree does not have.")
        children[is_branch, side] = index
    return children


def _roots(tree: NDArray[np.int64], children: NDArray[np.int64], is_branch: NDArray[np.bool_]) -> NDArray[np.int64]:
    n_parents = np.bincount(children[is_branch].ravel(), minlength=len(tree))
    if n_parents.max() > 1:
        refuse_tree("A node is the child of two nodes, or of one node on both sides.")
    roots = np.flatnonzero(n_parents == 0)
    if (np.bincount(tree[roots], minlength=tree[-1] + 1) != 1).any():
        refuse_tree("A tree must have exactly one root: a node that is nobody's child.")
    return roots


def _depths(
    roots: NDArray[np.int64], children: NDArray[np.int64], is_branch: NDArray[np.bool_], max_depth: int
) -> NDArray[np.int32]:
    """Return each node's distance from its root, level by level."""
    depths = np.full(len(children), -1, np.int32)
    level, depth = roots, 0
    while len(level):
        if depth > max_depth:
            raise ModelRefused("model_too_complex", f"A tree is deeper than {max_depth} splits.")
        depths[level] = depth
        level, depth = children[level[is_branch[level]]].ravel(), depth + 1
    if (depths < 0).any():
        refuse_tree("Some nodes cannot be reached from their tree's root; there is a cycle.")
    return depths


def _place(
    tree: NDArray[np.int64], depths: NDArray[np.int32], children: NDArray[np.int64], is_branch: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return the order in which nodes, by id so far, are to stand."""
    index = np.arange(len(tree))
    if (children[is_branch] > index[is_branch, None]).all():
        return index
    return np.lexsort((index, depths, tree))


def _arrange(
    table: NodeTable,
    by_id: NDArray[np.int64],
    index: NDArray[np.int64],
    children: NDArray[np.int64],
    depths: NDArray[np.int32],
) -> OrderedTrees:
    order = by_id[index]
    new_index = np.empty_like(index)
    new_index[index] = np.arange(len(index))
    is_leaf = table.operator[order] == Operator.LEAF
    operator, threshold = without_infinite_ends(
        table.operator[order], np.where(is_leaf, 0.0, table.threshold[order]), is_double=table.is_double
    )
    sides = new_index[children[index]].astype(np.int32)
    leaf_nodes = np.flatnonzero(is_leaf).astype(np.int32)
    tree = table.tree[order]
    starts = np.flatnonzero(np.diff(tree)) + 1
    offsets = np.concatenate(([0], starts, [len(tree)])).astype(np.int32)
    weight_leaf = _leaves_of_weights(table, order, leaf_nodes)
    n_leaves = len(leaf_nodes)
    columns, n_columns = _value_columns(table)
    positions = weight_leaf * n_columns + columns
    values = np.bincount(positions, weights=table.weight, minlength=n_leaves * n_columns)
    ensemble = TreeEnsemble(
        offsets=offsets,
        column=np.where(is_leaf, 0, table.feature[order]).astype(np.int32),
        operator=operator,
        threshold=threshold,
        # A missing value differs from any threshold, wherever the graph sends missing ones.
        missing_left=(table.missing_left[order] | (table.operator[order] == Operator.NEQ)) & ~is_leaf,
        left=np.ascontiguousarray(sides[:, 0]),
        right=np.ascontiguousarray(sides[:, 1]),
        leaf_nodes=leaf_nodes,
        leaf_offsets=np.searchsorted(leaf_nodes, offsets).astype(np.int32),
        leaf_values=values.reshape(n_leaves, n_columns).astype(np.float64, copy=False),
        members=table.members,
    )
    return OrderedTrees(ensemble, order, weight_leaf, int(depths.max()))


def _leaves_of_weights(table: NodeTable, order: NDArray[np.int64], leaf_nodes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the leaf, among all leaves, of each weight.

    The weights of a leaf, one for each class, mostly stand together: each run of them is looked up once.
    """
    leaf_order = order[leaf_nodes]
    keys = _keys(table.tree[leaf_order], table.node[leaf_order])
    sorted_leaves = np.argsort(keys, kind="stable")
    weight_keys = _keys(table.weight_tree, table.weight_node)
    starts = np.flatnonzero(np.diff(weight_keys, prepend=-1))
    wanted = weight_keys[starts]
    index = np.searchsorted(keys, wanted, sorter=sorted_leaves).clip(max=len(keys) - 1)
    leaf: NDArray[np.int64] = sorted_leaves[index]
    if (keys[leaf] != wanted).any():
        refuse_tree("A weight is given for a node that is not a leaf.")
    return np.repeat(leaf, np.diff(starts, append=len(weight_keys)))


def _keys(tree: NDArray[np.int64], node: NDArray[np.int64]) -> NDArray[np.int64]:
    return (tree << _ID_BITS) | node


def _value_columns(table: NodeTable) -> tuple[NDArray[np.int64], int]:
    """Return the column of each weight and how many there are: one where a binary classifier scores one class only."""
    if table.n_outputs <= 2 and len(np.unique(table.weight_output)) <= 1:  # a binary classifier
        return np.zeros_like(table.weight_output), 1
    return table.weight_output, table.n_outputs


def adds_up_exactly(ensemble: TreeEnsemble, *, is_double: bool) -> bool:
    """Whether leaf values add up without any rounding, whichever leaves are reached: shares that are 0 or 1 do."""
    bits = _DOUBLE_BITS if is_double else _SINGLE_BITS
    for n_binary_places in range(_MAX_BINARY_PLACES + 1):
        whole = ensemble.leaf_values * 2.0**n_binary_places
        if (whole == np.round(whole)).all():
            return bool(np.abs(whole).max(initial=0) * ensemble.n_trees <= 2.0**bits)
    return False


def without_infinite_ends(
    operator: NDArray[np.uint8], threshold: NDArray[np.float64], *, is_double: bool
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Return operators and thresholds, shape (n_nodes,), with equal results for all numbers of the tree's precision.

    Only ``<=`` and ``>`` are compared with an infinity, and with the positive one alone; a missing value goes where it
    went before.
    """
    if np.isfinite(threshold).all():
        return operator, threshold
    largest = float(np.finfo(np.float64 if is_double else np.float32).max)
    same_operator, same_threshold = operator.copy(), threshold.copy()
    for sign, replacements in _SAME.items():
        for original, (replacement, sign_of_largest) in replacements.items():
            nodes = (threshold == sign * np.inf) & (operator == original)
            same_operator[nodes] = replacement
            same_threshold[nodes] = sign_of_largest * largest if sign_of_largest else np.inf
    return same_operator, same_threshold
