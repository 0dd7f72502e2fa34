"""The attributes of TreeEnsemble, the one operator of opset 5, in the form of the older ones.

There nodes and leaves are two lists, trees are known by their roots, and a tree that is one leaf only is written as a
node both of whose children are that leaf.
"""

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto

from ..ensemble import Operator
from ..errors import ModelRefused
from .description import ModelLimits
from .graph import tensor_array
from .tree_attributes import Attributes, NodeTable, attributes_of, check_lengths, check_values, integers, refuse_tree

_Number = TypeVar("_Number", bound=np.generic)

_MODES = (
    Operator.LEQ,
    Operator.LT,
    Operator.GTE,
    Operator.GT,
    Operator.EQ,
    Operator.NEQ,
    Operator.MEMBER,
)


def read_node_table_5(node: NodeProto, limits: ModelLimits) -> NodeTable:
    """Return the nodes and leaf weights of a TreeEnsemble; see ``read_node_table`` for what is refused.

    Leaf ``j`` gets the id ``n_branches + j``; the tree of a node is the number of its root.
    """
    attributes = attributes_of(node)
    targets, weights = integers(attributes, "leaf_targetids"), _tensor(attributes, "leaf_weights")
    branches = _branches(attributes, len(targets))
    children = np.column_stack((branches.true_node, branches.false_node))
    n_nodes = len(children) + len(targets)
    tree = _trees(integers(attributes, "tree_roots"), children, n_nodes, limits.max_depth)

    # Where a branch only wraps a leaf, it represents the leaf from here on.
    wrapped = np.flatnonzero(children[:, 0] == children[:, 1])
    leaf_node = np.arange(len(children), n_nodes)
    leaf_node[children[wrapped, 0] - len(children)] = wrapped
    unwrapped = np.setdiff1d(np.arange(n_nodes), children[wrapped, 0])
    operator = _padded(branches.operator, n_nodes)
    operator[wrapped] = Operator.LEAF

    table = NodeTable(
        tree=tree[unwrapped],
        node=unwrapped,
        operator=operator[unwrapped],
        feature=_padded(branches.feature, n_nodes)[unwrapped],
        threshold=_padded(branches.threshold, n_nodes)[unwrapped],
        missing_left=_padded(branches.missing_left, n_nodes)[unwrapped],
        true_node=_padded(branches.true_node, n_nodes)[unwrapped],
        false_node=_padded(branches.false_node, n_nodes)[unwrapped],
        weight_tree=tree[leaf_node],
        weight_node=leaf_node,
        weight_output=targets,
        weight=weights.astype(np.float64),
        n_outputs=int(attributes["n_targets"].i) if "n_targets" in attributes else 0,
        is_double=weights.dtype == np.float64,
        members=branches.members,
    )
    check_lengths(table)
    check_values(table, np.concatenate((*branches.members, [0.0])))
    return table


@dataclass(frozen=True, slots=True)
class _Branches:
    """The list of branches, children already by id."""

    operator: NDArray[np.uint8]  # (n_branches,)
    feature: NDArray[np.int64]  # (n_branches,)
    threshold: NDArray[np.float64]  # (n_branches,)
    missing_left: NDArray[np.bool_]  # (n_branches,)
    true_node: NDArray[np.int64]  # (n_branches,)
    false_node: NDArray[np.int64]  # (n_branches,)
    members: tuple[NDArray[np.float64], ...]


def _branches(attributes: Attributes, n_leaves: int) -> _Branches:
    operator = _operators(attributes)
    n_branches = len(operator)
    tracks = integers(attributes, "nodes_missing_value_tracks_true")
    threshold = _tensor(attributes, "nodes_splits").astype(np.float64)
    feature = integers(attributes, "nodes_featureids")
    if {len(threshold), len(feature), len(tracks) or n_branches} != {n_branches}:
        refuse_tree("The node attributes of a tree ensemble differ in length.")
    members = _members(attributes, int((operator == Operator.MEMBER).sum()))
    threshold[operator == Operator.MEMBER] = np.arange(len(members))
    missing_left = tracks.astype(np.bool_) if len(tracks) else np.zeros(n_branches, np.bool_)
    true_node, false_node = (_children(attributes, side, n_branches, n_leaves) for side in ("true", "false"))
    return _Branches(operator, feature, threshold, missing_left, true_node, false_node, members)


def _tensor(attributes: Attributes, name: str) -> NDArray[Any]:
    return tensor_array(attributes[name].t).ravel() if name in attributes else np.zeros(0)


def _operators(attributes: Attributes) -> NDArray[np.uint8]:
    modes = _tensor(attributes, "nodes_modes")
    if modes.dtype != np.uint8 or (len(modes) and modes.max() >= len(_MODES)):
        refuse_tree(f"The modes of the nodes must be unsigned bytes from 0 to {len(_MODES) - 1}.")
    operators: NDArray[np.uint8] = np.array(_MODES, np.uint8)[modes]
    return operators


def _children(attributes: Attributes, side: str, n_branches: int, n_leaves: int) -> NDArray[np.int64]:
    """Return the ids of the children on one side."""
    child = integers(attributes, f"nodes_{side}nodeids")
    is_leaf = integers(attributes, f"nodes_{side}leafs").astype(np.bool_)
    if not len(child) == len(is_leaf) == n_branches:
        refuse_tree("The node attributes of a tree ensemble differ in length.")
    if ((child < 0) | (child >= np.where(is_leaf, n_leaves, n_branches))).any():
        refuse_tree("A node refers to a child that does not exist.")
    return child + n_branches * is_leaf


def _members(attributes: Attributes, n_sets: int) -> tuple[NDArray[np.float64], ...]:
    """Return the set of each MEMBER node; in the attribute a NaN ends each of them."""
    values = _tensor(attributes, "membership_values").astype(np.float64)
    ends = np.flatnonzero(np.isnan(values))
    if len(ends) != n_sets or (n_sets and ends[-1] != len(values) - 1):
        refuse_tree(f"{n_sets} nodes test membership; {len(ends)} sets of values are given.")
    return tuple(part[~np.isnan(part)] for part in np.split(values, ends[:-1] + 1)) if n_sets else ()


def _trees(roots: NDArray[np.int64], children: NDArray[np.int64], n_nodes: int, max_depth: int) -> NDArray[np.int64]:
    """Return the tree of each node, walking down from all roots at once, level by level."""
    if not len(roots) or roots.min() < 0 or roots.max() >= len(children):
        refuse_tree("The roots of a tree ensemble are none of its nodes.")
    tree = np.full(n_nodes, -1)
    level, owner, depth = roots, np.arange(len(roots)), 0
    while len(level):
        if (tree[level] >= 0).any() or len(np.unique(level)) < len(level):
            refuse_tree("A node is the child of two nodes, or its own descendant.")
        if depth > max_depth:
            raise ModelRefused("model_too_complex", f"A tree is deeper than {max_depth} splits.")
        tree[level] = owner
        is_branch = level < len(children)
        below = children[level[is_branch]]
        is_wrapped = below[:, 0] == below[:, 1]
        tree[below[is_wrapped, 0]] = owner[is_branch][is_wrapped]
        level, owner = below[~is_wrapped].ravel(), np.repeat(owner[is_branch][~is_wrapped], 2)
        depth += 1
    if (tree < 0).any():
        refuse_tree("Some nodes cannot be reached from any root.")
    return tree


def _padded(values: NDArray[_Number], n_nodes: int) -> NDArray[_Number]:
    """Return the branches' values followed by zeros for the leaves."""
    return np.concatenate((values, np.zeros(n_nodes - len(values), values.dtype)))
