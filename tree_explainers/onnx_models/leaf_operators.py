"""Tree operators that answer with leaves: one target per tree, each leaf's weight its index within its tree."""

import numpy as np
from numpy.typing import NDArray
from onnx import AttributeProto, NodeProto, helper, numpy_helper

from ..ensemble import Operator, TreeEnsemble

_MODES: dict[int, bytes] = {
    Operator.LEAF: b"LEAF",
    Operator.LEQ: b"BRANCH_LEQ",
    Operator.LT: b"BRANCH_LT",
    Operator.GTE: b"BRANCH_GTE",
    Operator.GT: b"BRANCH_GT",
    Operator.EQ: b"BRANCH_EQ",
    Operator.NEQ: b"BRANCH_NEQ",
}
_MODES_5 = (
    Operator.LEQ,
    Operator.LT,
    Operator.GTE,
    Operator.GT,
    Operator.EQ,
    Operator.NEQ,
    Operator.MEMBER,
)


def leaf_regressor(trees: TreeEnsemble, tensor: str, output: str, *, is_double: bool) -> NodeProto:
    """Return a TreeEnsembleRegressor with one target per tree; for opset 1 to 4, without MEMBER nodes."""
    tree_of_node = np.repeat(np.arange(trees.n_trees), np.diff(trees.offsets))
    node_in_tree = np.arange(trees.n_nodes) - trees.offsets[tree_of_node]
    is_leaf = trees.operator == Operator.LEAF
    first = trees.offsets[tree_of_node]
    integers = {
        "nodes_treeids": tree_of_node,
        "nodes_nodeids": node_in_tree,
        "nodes_featureids": trees.column,
        "nodes_truenodeids": np.where(is_leaf, 0, trees.left - first),
        "nodes_falsenodeids": np.where(is_leaf, 0, trees.right - first),
        "nodes_missing_value_tracks_true": trees.missing_left,
        "target_treeids": tree_of_node[is_leaf],
        "target_nodeids": node_in_tree[is_leaf],
        "target_ids": tree_of_node[is_leaf],
    }
    node = helper.make_node("TreeEnsembleRegressor", [tensor], [output], domain="ai.onnx.ml", n_targets=trees.n_trees)
    for name, values in integers.items():
        node.attribute.add(name=name, type=AttributeProto.INTS, ints=values.astype(np.int64).tolist())
    modes = [_MODES[operator] for operator in trees.operator.tolist()]
    node.attribute.add(name="nodes_modes", type=AttributeProto.STRINGS, strings=modes)
    _add_numbers(node, "nodes_values", trees.threshold, is_double=is_double)
    _add_numbers(node, "target_weights", _leaf_index(trees), is_double=is_double)
    return node


def _add_numbers(node: NodeProto, name: str, values: NDArray[np.generic], *, is_double: bool) -> None:
    if is_double:
        tensor = numpy_helper.from_array(values.astype(np.float64), name)
        node.attribute.add(name=f"{name}_as_tensor", type=AttributeProto.TENSOR, t=tensor)
    else:
        node.attribute.add(name=name, type=AttributeProto.FLOATS, floats=values.astype(np.float32).tolist())


def _leaf_index(trees: TreeEnsemble) -> NDArray[np.int64]:
    """Return each leaf's index within its tree."""
    return np.arange(len(trees.leaf_nodes)) - np.repeat(trees.leaf_offsets[:-1], trees.n_leaves)


def leaf_ensemble_5(trees: TreeEnsemble, tensor: str, output: str, *, is_double: bool) -> NodeProto:
    """Return a TreeEnsemble (opset 5) with one target per tree."""
    is_leaf = trees.operator == Operator.LEAF
    lonely = trees.offsets[:-1][is_leaf[trees.offsets[:-1]]]  # trees that are one leaf are wrapped into a branch
    branches = np.append(np.flatnonzero(~is_leaf), lonely)
    position = np.cumsum(is_leaf) - 1  # among the leaves, tree by tree
    position[branches] = np.where(is_leaf[branches], position[branches], np.arange(len(branches)))
    root_position = position.copy()
    root_position[lonely] = np.arange(len(branches) - len(lonely), len(branches))
    real = np.dtype(np.float64 if is_double else np.float32)
    integers = {
        "tree_roots": root_position[trees.offsets[:-1]],
        "nodes_featureids": trees.column[branches],
        "nodes_truenodeids": position[trees.left[branches]],
        "nodes_trueleafs": is_leaf[trees.left[branches]],
        "nodes_falsenodeids": position[trees.right[branches]],
        "nodes_falseleafs": is_leaf[trees.right[branches]],
        "nodes_missing_value_tracks_true": trees.missing_left[branches],
        "leaf_targetids": np.repeat(np.arange(trees.n_trees), trees.n_leaves),
    }
    mode_of = {operator: mode for mode, operator in enumerate(_MODES_5)} | {Operator.LEAF: 0}
    sets = [np.append(trees.members[int(trees.threshold[node])], np.nan) for node in _member_nodes(trees)]
    tensors = {
        "nodes_modes": np.array([mode_of[Operator(operator)] for operator in trees.operator[branches]], np.uint8),
        "nodes_splits": trees.threshold[branches].astype(real),
        "leaf_weights": _leaf_index(trees).astype(real),
        **({"membership_values": np.concatenate(sets).astype(real)} if sets else {}),
    }
    node = helper.make_node("TreeEnsemble", [tensor], [output], domain="ai.onnx.ml", n_targets=trees.n_trees)
    for name, values in integers.items():
        node.attribute.add(name=name, type=AttributeProto.INTS, ints=values.astype(np.int64).tolist())
    for name, array in tensors.items():
        node.attribute.add(name=name, type=AttributeProto.TENSOR, t=numpy_helper.from_array(array, name))
    return node


def _member_nodes(trees: TreeEnsemble) -> list[int]:
    return np.flatnonzero(trees.operator == Operator.MEMBER).tolist()
