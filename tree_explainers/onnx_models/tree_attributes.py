"""The attributes of one tree operator, whichever its form, as arrays with one entry per node and per leaf weight.

Lengths and ranges are checked here; whether the nodes make trees is for ``tree_nodes`` to find out.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import AttributeProto, NodeProto

from ..ensemble import Operator
from ..errors import ModelRefused
from .graph import tensor_array

Attributes = dict[str, AttributeProto]

_MODES = {
    b"LEAF": Operator.LEAF,
    b"BRANCH_LEQ": Operator.LEQ,
    b"BRANCH_LT": Operator.LT,
    b"BRANCH_GTE": Operator.GTE,
    b"BRANCH_GT": Operator.GT,
    b"BRANCH_EQ": Operator.EQ,
    b"BRANCH_NEQ": Operator.NEQ,
}


@dataclass(frozen=True, slots=True)
class NodeTable:
    """Nodes of one operator in the order of its attributes; a node is known by its tree and its id."""

    tree: NDArray[np.int64]  # (n_nodes,)
    node: NDArray[np.int64]  # (n_nodes,)
    operator: NDArray[np.uint8]  # (n_nodes,)
    feature: NDArray[np.int64]  # (n_nodes,)
    threshold: NDArray[np.float64]  # (n_nodes,)
    missing_left: NDArray[np.bool_]  # (n_nodes,)
    true_node: NDArray[np.int64]  # (n_nodes,)
    false_node: NDArray[np.int64]  # (n_nodes,)
    weight_tree: NDArray[np.int64]  # (n_weights,)
    weight_node: NDArray[np.int64]  # (n_weights,)
    weight_output: NDArray[np.int64]  # (n_weights,)
    weight: NDArray[np.float64]  # (n_weights,)
    n_outputs: int
    is_double: bool  # thresholds are compared in float64
    members: tuple[NDArray[np.float64], ...] = ()  # the sets of MEMBER nodes; their threshold is the index into it


def attributes_of(node: NodeProto) -> Attributes:
    """Return a node's attributes by name."""
    return {attribute.name: attribute for attribute in node.attribute}


def integers(attributes: Attributes, name: str) -> NDArray[np.int64]:
    """Return an attribute's integers; empty where it is absent."""
    values = attributes[name].ints if name in attributes else ()
    return np.fromiter(values, np.int64, len(values))


def numbers(attributes: Attributes, name: str) -> NDArray[np.float64]:
    """Return an attribute's numbers, from its floats or from the tensor that may stand in their place."""
    tensor_name = f"{name}_as_tensor"
    if tensor_name in attributes:
        return tensor_array(attributes[tensor_name].t).astype(np.float64).ravel()
    values = attributes[name].floats if name in attributes else ()
    return np.fromiter(values, np.float64, len(values))


def class_labels(attributes: Attributes) -> tuple[int | str, ...]:
    """Return the class labels of a classifier or a ZipMap, integers or texts; empty where there are none."""
    for name in ("classlabels_int64s", "classlabels_ints"):
        if name in attributes:
            return tuple(attributes[name].ints)
    for name in ("classlabels_strings", "classlabels_strings_tensor"):
        if name in attributes:
            return tuple(text.decode("utf-8", "replace") for text in attributes[name].strings)
    return ()


def refuse_tree(detail: str) -> None:
    """Raise ``model_invalid_tree``."""
    raise ModelRefused("model_invalid_tree", detail)


def read_node_table(node: NodeProto) -> NodeTable:
    """Return the nodes and leaf weights of a TreeEnsembleClassifier or TreeEnsembleRegressor (opset 1 to 3).

    Raises
    ------
    ModelRefused
        ``model_invalid_tree`` for lengths, modes and targets that cannot be; ``model_non_finite`` for weights or base
        values that are.
    """
    attributes = attributes_of(node)
    prefix = "class" if node.op_type == "TreeEnsembleClassifier" else "target"
    table = NodeTable(
        tree=integers(attributes, "nodes_treeids"),
        node=integers(attributes, "nodes_nodeids"),
        operator=_operators(attributes),
        feature=integers(attributes, "nodes_featureids"),
        threshold=numbers(attributes, "nodes_values"),
        missing_left=_missing_left(attributes),
        true_node=integers(attributes, "nodes_truenodeids"),
        false_node=integers(attributes, "nodes_falsenodeids"),
        weight_tree=integers(attributes, f"{prefix}_treeids"),
        weight_node=integers(attributes, f"{prefix}_nodeids"),
        weight_output=integers(attributes, f"{prefix}_ids"),
        weight=numbers(attributes, f"{prefix}_weights"),
        n_outputs=_n_outputs(node.op_type, attributes),
        is_double=_is_double(attributes),
    )
    check_lengths(table)
    if len(numbers(attributes, "nodes_hitrates")) not in (0, len(table.node)):
        refuse_tree("The node attributes of a tree ensemble differ in length.")
    values = numbers(attributes, "base_values")
    if len(values) not in (0, 1, table.n_outputs):
        refuse_tree(f"A tree ensemble has {len(values)} base values for {table.n_outputs} outputs.")
    check_values(table, values)
    return table


def _operators(attributes: Attributes) -> NDArray[np.uint8]:
    modes = attributes["nodes_modes"].strings if "nodes_modes" in attributes else ()
    try:
        return np.fromiter((_MODES[mode] for mode in modes), np.uint8, len(modes))
    except KeyError as error:
        refuse_tree(f"A node has the mode {error.args[0][:40]!a}; known are {', '.join(_names())}.")
        raise


def _names() -> list[str]:
    return [mode.decode() for mode in _MODES]


def _missing_left(attributes: Attributes) -> NDArray[np.bool_]:
    tracks = integers(attributes, "nodes_missing_value_tracks_true")
    n_nodes = len(integers(attributes, "nodes_nodeids"))
    return tracks.astype(np.bool_) if len(tracks) else np.zeros(n_nodes, np.bool_)


def _n_outputs(op_type: str, attributes: Attributes) -> int:
    if op_type == "TreeEnsembleClassifier":
        return len(class_labels(attributes))
    return int(attributes["n_targets"].i) if "n_targets" in attributes else 0


def _is_double(attributes: Attributes) -> bool:
    tensor: Any = attributes.get("nodes_values_as_tensor")
    return tensor is not None and tensor_array(tensor.t).dtype == np.float64


def check_lengths(table: NodeTable) -> None:
    """Refuse arrays of unequal length, and an operator without nodes or outputs."""
    n_nodes = len(table.node)
    of_nodes = (table.tree, table.operator, table.feature, table.threshold, table.missing_left)
    if any(len(array) != n_nodes for array in (*of_nodes, table.true_node, table.false_node)):
        refuse_tree("The node attributes of a tree ensemble differ in length.")
    of_weights = (table.weight_tree, table.weight_node, table.weight_output, table.weight)
    if len({len(array) for array in of_weights}) > 1:
        refuse_tree("The leaf weight attributes of a tree ensemble differ in length.")
    if not n_nodes or table.n_outputs < 1:
        refuse_tree("A tree ensemble has no nodes, or no classes or targets.")


def check_values(table: NodeTable, base_values: NDArray[np.float64]) -> None:
    """Refuse targets out of range and numbers that are not finite."""
    outputs = table.weight_output
    if len(outputs) and (outputs.min() < 0 or outputs.max() >= table.n_outputs):
        refuse_tree(f"A leaf weight is for output {outputs.max()}; there are {table.n_outputs} (counted from 0).")
    if np.isnan(table.threshold[table.operator != Operator.LEAF]).any():
        raise ModelRefused("model_non_finite", "A threshold of a tree ensemble is NaN.")
    for what, values in (("leaf weight", table.weight), ("base value", base_values)):
        if not np.isfinite(values).all():
            raise ModelRefused("model_non_finite", f"A {what} of a tree ensemble is NaN or infinite.")
