"""The graph that is run: the model's own predictions, and beside them the leaf of each row in each tree.

The leaves come from the runtime itself. For each tensor that tree operators read, one more tree operator reads it: the
same nodes, one target per tree, and as each leaf's weight its index within its tree. float32 holds these integers
exactly up to 2^24. So nothing walks trees beside onnxruntime, and leaves cannot disagree with predictions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from onnx import AttributeProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

from tree_explainers.ensemble import Operator, TreeEnsemble
from tree_explainers.errors import ModelRefused

from .constants import tensor_array

LEAF_OUTPUT = "leafspace_leaves"
_MAX_EXACT_FLOAT32 = 2**24
_MAX_PROTOBUF_BYTES = 2**31 - 1
_DEFAULT_OPSET = 9  # imported where a graph of tree operators alone does not name one

_MODES: dict[int, bytes] = {
    Operator.LEAF: b"LEAF",
    Operator.LEQ: b"BRANCH_LEQ",
    Operator.LT: b"BRANCH_LT",
    Operator.GTE: b"BRANCH_GTE",
    Operator.GT: b"BRANCH_GT",
    Operator.EQ: b"BRANCH_EQ",
    Operator.NEQ: b"BRANCH_NEQ",
}


@dataclass(frozen=True, slots=True)
class TreesOfTensor:
    """Consecutive tree operators that read one tensor, together."""

    tensor: str
    ensemble: TreeEnsemble
    is_double: bool  # thresholds are compared in float64
    is_integer: bool  # the tensor holds integers


def build_leaf_graph(model: ModelProto, parts: Sequence[TreesOfTensor], outputs: Sequence[str]) -> bytes:
    """Return the graph cut down to what ``outputs`` need, with the leaf output added.

    Parameters
    ----------
    model
        The checked graph. It is changed: its nodes are cut down.
    parts
        Trees by the tensor they read; the leaf output holds their trees in this order.
    outputs
        The tensors that predictions are read from.

    Raises
    ------
    ModelRefused
        ``model_too_complex`` where the result is beyond what protobuf can hold.
    """
    graph = model.graph
    leaf_nodes = _leaf_nodes(parts)
    _keep_what_is_needed(model, {*outputs, *(part.tensor for part in parts)})
    graph.node.extend(leaf_nodes)
    del graph.output[:], graph.value_info[:], graph.quantization_annotation[:]
    # Names alone: exporters sometimes declare shapes that are wrong, and types follow from the operators.
    graph.output.extend(ValueInfoProto(name=name) for name in (*outputs, LEAF_OUTPUT))
    if not any(opset.domain in ("", "ai.onnx") for opset in model.opset_import):
        model.opset_import.append(helper.make_opsetid("", _DEFAULT_OPSET))
    if model.ByteSize() > _MAX_PROTOBUF_BYTES:
        raise ModelRefused("model_too_complex", "The model with its leaf outputs is larger than 2 GiB.")
    return bytes(model.SerializeToString())


def put_in_order(node: NodeProto, order: NDArray[np.int64]) -> None:
    """Change a tree operator so that its nodes stand in ``order``.

    onnxruntime takes the first node of each run of nodes with one tree id for a root; where the nodes stand otherwise,
    it would answer with parts of trees.
    """
    for attribute in node.attribute:
        if attribute.name.startswith("nodes_"):
            _permute(attribute, order)


def _permute(attribute: AttributeProto, order: NDArray[np.int64]) -> None:
    if attribute.HasField("t"):
        values = tensor_array(attribute.t).ravel()
        if len(values):
            attribute.t.CopyFrom(numpy_helper.from_array(values[order], attribute.t.name))
        return
    for field in (attribute.ints, attribute.floats, attribute.strings):
        if len(field):
            listed = list(field)
            field[:] = [listed[position] for position in order]


def _keep_what_is_needed(model: ModelProto, wanted: set[str]) -> None:
    """Drop nodes and constants that do not lead to a wanted tensor."""
    kept = []
    for node in reversed(model.graph.node):
        if wanted.intersection(node.output):
            wanted.update(node.input)
            kept.append(node)
    constants = [tensor for tensor in model.graph.initializer if tensor.name in wanted]
    del model.graph.node[:], model.graph.initializer[:]
    model.graph.node.extend(reversed(kept))
    model.graph.initializer.extend(constants)


def _leaf_nodes(parts: Sequence[TreesOfTensor]) -> list[NodeProto]:
    nodes: list[NodeProto] = []
    for index, part in enumerate(parts):
        _append_leaf_nodes(nodes, part, f"{LEAF_OUTPUT}_{index}")
    names = [f"{LEAF_OUTPUT}_{index}" for index in range(len(parts))]
    nodes.append(helper.make_node("Concat", names, [f"{LEAF_OUTPUT}_all"], axis=1))
    nodes.append(helper.make_node("Cast", [f"{LEAF_OUTPUT}_all"], [LEAF_OUTPUT], to=TensorProto.INT32))
    return nodes


def _append_leaf_nodes(nodes: list[NodeProto], part: TreesOfTensor, output: str) -> None:
    if part.ensemble.n_leaves.max() > _MAX_EXACT_FLOAT32:
        raise ModelRefused("model_too_complex", "A tree has more than 2^24 leaves.")
    tensor = part.tensor
    if part.is_integer:
        tensor = f"{output}_input"
        nodes.append(helper.make_node("Cast", [part.tensor], [tensor], to=TensorProto.FLOAT))
    nodes.append(_leaf_regressor(part, tensor, output))


def _leaf_regressor(part: TreesOfTensor, tensor: str, output: str) -> NodeProto:
    trees = part.ensemble
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
    leaf_index = np.arange(len(trees.leaf_nodes)) - np.repeat(trees.leaf_offsets[:-1], trees.n_leaves)
    _add_numbers(node, "nodes_values", trees.threshold, is_double=part.is_double)
    _add_numbers(node, "target_weights", leaf_index, is_double=part.is_double)
    return node


def _add_numbers(node: NodeProto, name: str, values: NDArray[np.generic], *, is_double: bool) -> None:
    if is_double:
        tensor = numpy_helper.from_array(values.astype(np.float64), name)
        node.attribute.add(name=f"{name}_as_tensor", type=AttributeProto.TENSOR, t=tensor)
    else:
        node.attribute.add(name=name, type=AttributeProto.FLOATS, floats=values.astype(np.float32).tolist())
