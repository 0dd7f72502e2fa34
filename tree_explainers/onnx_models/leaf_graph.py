"""The graph that is run: the model's own predictions, and beside them the leaf of each row in each tree.

The leaves come from the runtime itself. For each tensor that tree operators read, one more tree operator reads it: the
same nodes, one target per tree, and as each leaf's weight its index within its tree. float32 holds these integers
exactly up to 2^24. So nothing but onnxruntime walks trees, and leaves cannot disagree with predictions. Many nodes are
shared among several operators, since the runtime takes all rows through one operator before it begins the next.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from google.protobuf.message import EncodeError  # type: ignore[import-untyped]  # ships no types
from numpy.typing import NDArray
from onnx import AttributeProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

from ..ensemble import Operator, TreeEnsemble
from ..errors import ModelRefused
from .checking import opset_version

LEAF_OUTPUT = "leafspace_leaves"
_MAX_EXACT_FLOAT32 = 2**24
_MAX_PROTOBUF_BYTES = 2**31 - 1
# A node takes 24 bytes in the runtime: this number of nodes stays in the second cache of a core, which makes
# leaves of many rows two to three times faster. Fewer would cost a row that comes alone more than they give.
_MAX_OPERATOR_NODES = 40_000
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
_MODES_5 = (
    Operator.LEQ,
    Operator.LT,
    Operator.GTE,
    Operator.GT,
    Operator.EQ,
    Operator.NEQ,
    Operator.MEMBER,
)


@dataclass(frozen=True, slots=True)
class TreesOfTensor:
    """Consecutive tree operators that read one tensor, together."""

    tensor: str
    ensemble: TreeEnsemble
    is_double: bool  # thresholds are compared in float64
    is_integer: bool  # the tensor holds integers


@dataclass(frozen=True, slots=True)
class BuiltGraphs:
    """What is made of a model's graph."""

    leaf_graph: bytes  # predictions and leaves
    front_graph: bytes  # the tensors that trees read, where they are computed; empty where they are all inputs
    prediction_graph: bytes  # predictions alone; empty where nobody needs it


def build_graphs(
    model: ModelProto, parts: Sequence[TreesOfTensor], outputs: Sequence[str], *, with_predictions: bool
) -> BuiltGraphs:
    """Return the graph cut down to what ``outputs`` need, with the leaf output added, and parts of it.

    Parameters
    ----------
    model
        The checked graph. It is changed: its nodes are cut down.
    parts
        Trees by the tensor they read; the leaf output holds their trees in this order.
    outputs
        The tensors that predictions are read from.
    with_predictions
        Whether the graph of predictions alone is wanted.

    Raises
    ------
    ModelRefused
        ``model_too_complex`` where the result is beyond what protobuf can hold.
    """
    leaf_nodes = _leaf_nodes(parts, opset_version(model, "ai.onnx.ml") or 1)
    keep_what_is_needed(model, {*outputs, *(part.tensor for part in parts)})
    graph = model.graph
    del graph.output[:], graph.value_info[:], graph.quantization_annotation[:]
    _import_default_operators(model)
    computed = {part.tensor for part in parts} - {value.name for value in graph.input}
    front_graph = serialized(_front(model, computed)) if computed else b""
    # Names alone: exporters sometimes declare shapes that are wrong, and types follow from the operators.
    graph.output.extend(ValueInfoProto(name=name) for name in outputs)
    prediction_graph = serialized(model) if with_predictions else b""
    graph.node.extend(leaf_nodes)
    graph.output.append(ValueInfoProto(name=LEAF_OUTPUT))
    return BuiltGraphs(serialized(model), front_graph, prediction_graph)


def build_prediction_graph(model: ModelProto, outputs: Sequence[str]) -> bytes:
    """Return the graph cut down to what ``outputs`` need, without leaves; otherwise as ``build_graphs``."""
    keep_what_is_needed(model, {*outputs})
    graph = model.graph
    del graph.output[:], graph.value_info[:], graph.quantization_annotation[:]
    graph.output.extend(ValueInfoProto(name=name) for name in outputs)
    _import_default_operators(model)
    return serialized(model)


def _import_default_operators(model: ModelProto) -> None:
    if not any(opset.domain in ("", "ai.onnx") for opset in model.opset_import):
        model.opset_import.append(helper.make_opsetid("", _DEFAULT_OPSET))


def _front(model: ModelProto, tensors: set[str]) -> ModelProto:
    """Return a graph of these tensors alone."""
    graph, wanted = model.graph, set(tensors)
    nodes = []
    for node in reversed(graph.node):
        if wanted.intersection(node.output):
            wanted.update(node.input)
            nodes.append(node)
    front = ModelProto(ir_version=model.ir_version, opset_import=model.opset_import)
    front.graph.name = "front"
    front.graph.input.extend(graph.input)
    front.graph.node.extend(reversed(nodes))
    front.graph.initializer.extend(tensor for tensor in graph.initializer if tensor.name in wanted)
    front.graph.output.extend(ValueInfoProto(name=name) for name in sorted(tensors))
    return front


def keep_what_is_needed(model: ModelProto, wanted: set[str]) -> None:
    """Drop nodes and constants that do not lead to a wanted tensor; what stays is not copied, it may be large."""
    graph = model.graph
    for at in reversed(range(len(graph.node))):
        if wanted.intersection(graph.node[at].output):
            wanted.update(graph.node[at].input)
        else:
            del graph.node[at]
    for at in reversed(range(len(graph.initializer))):
        if graph.initializer[at].name not in wanted:
            del graph.initializer[at]


def serialized(model: ModelProto) -> bytes:
    """Return the bytes of a graph; refuse one that is larger than protobuf can hold."""
    try:
        data = bytes(model.SerializeToString())
    except (EncodeError, ValueError):
        data = None
    if data is None or len(data) > _MAX_PROTOBUF_BYTES:
        raise ModelRefused("model_too_complex", "The model with its leaf outputs is larger than 2 GiB.")
    return data


def _leaf_nodes(parts: Sequence[TreesOfTensor], ml_version: int) -> list[NodeProto]:
    nodes: list[NodeProto] = []
    pieces = [piece for part in parts for piece in _pieces(part)]
    names = [f"{LEAF_OUTPUT}_{index}" for index in range(len(pieces))]
    for piece, name in zip(pieces, names, strict=True):
        _append_leaf_nodes(nodes, piece, name, ml_version)
    nodes.append(helper.make_node("Concat", names, [f"{LEAF_OUTPUT}_all"], axis=1))
    nodes.append(helper.make_node("Cast", [f"{LEAF_OUTPUT}_all"], [LEAF_OUTPUT], to=TensorProto.INT32))
    return nodes


def _pieces(part: TreesOfTensor) -> Iterator[TreesOfTensor]:
    """Yield consecutive trees, as many together as one operator shall hold; one tree at least."""
    ends = part.ensemble.offsets[1:]
    first = 0
    while first < part.ensemble.n_trees:
        most = part.ensemble.offsets[first] + _MAX_OPERATOR_NODES
        end = max(first + 1, int(np.searchsorted(ends, most, side="right")))
        yield replace(part, ensemble=part.ensemble.trees(first, end))
        first = end


def _append_leaf_nodes(nodes: list[NodeProto], part: TreesOfTensor, output: str, ml_version: int) -> None:
    if part.ensemble.n_leaves.max() > _MAX_EXACT_FLOAT32:
        raise ModelRefused("model_too_complex", "A tree has more than 2^24 leaves.")
    tensor = part.tensor
    if part.is_integer:
        tensor = f"{output}_input"
        nodes.append(helper.make_node("Cast", [part.tensor], [tensor], to=TensorProto.FLOAT))
    # From opset 5 on there is one tree operator only, of another form.
    build = leaf_ensemble_5 if ml_version >= 5 else leaf_regressor
    nodes.append(build(part.ensemble, tensor, output, is_double=part.is_double))


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
    index = np.cumsum(is_leaf) - 1  # among the leaves, tree by tree
    index[branches] = np.where(is_leaf[branches], index[branches], np.arange(len(branches)))
    root_index = index.copy()
    root_index[lonely] = np.arange(len(branches) - len(lonely), len(branches))
    real = np.dtype(np.float64 if is_double else np.float32)
    integers = {
        "tree_roots": root_index[trees.offsets[:-1]],
        "nodes_featureids": trees.column[branches],
        "nodes_truenodeids": index[trees.left[branches]],
        "nodes_trueleafs": is_leaf[trees.left[branches]],
        "nodes_falsenodeids": index[trees.right[branches]],
        "nodes_falseleafs": is_leaf[trees.right[branches]],
        "nodes_missing_value_tracks_true": trees.missing_left[branches],
        "leaf_targetids": np.repeat(np.arange(trees.n_trees), trees.n_leaves),
    }
    mode_of = {operator: mode for mode, operator in enumerate(_MODES_5)} | {Operator.LEAF: 0}
    sets = [
        np.append(trees.members[int(trees.threshold[node])], np.nan)
        for node in np.flatnonzero(trees.operator == Operator.MEMBER).tolist()
    ]
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
