"""Graphs written by hand: two trees of depth 1 and 2 over four features."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from .cases import Fit

make_node: Any = helper.make_node  # whose keyword arguments are typed as its own
ML_DOMAIN = "ai.onnx.ml"


NODES: dict[str, list[Any]] = {
    "nodes_treeids": [0, 0, 0, 1, 1, 1, 1, 1],
    "nodes_nodeids": [0, 1, 2, 0, 1, 2, 3, 4],
    "nodes_featureids": [0, 0, 0, 1, 2, 0, 0, 0],
    "nodes_values": [0.1, 0.0, 0.0, -0.2, 0.3, 0.0, 0.0, 0.0],
    "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_LEQ", "BRANCH_LEQ", "LEAF", "LEAF", "LEAF"],
    "nodes_truenodeids": [1, 0, 0, 1, 3, 0, 0, 0],
    "nodes_falsenodeids": [2, 0, 0, 2, 4, 0, 0, 0],
}


LEAVES = [(0, 1), (0, 2), (1, 2), (1, 3), (1, 4)]


def with_modes(mode: str) -> dict[str, list[Any]]:
    """Return the nodes with another comparison."""
    modes = [mode if each != "LEAF" else each for each in NODES["nodes_modes"]]
    return NODES | {"nodes_modes": modes}


def regressor_node(
    values: Sequence[float], nodes: dict[str, list[Any]] = NODES, out: str = "value", **more: Any
) -> Any:
    """Return an ensemble with a weight for each leaf."""
    targets = {
        "target_treeids": [tree for tree, _ in LEAVES],
        "target_nodeids": [node for _, node in LEAVES],
        "target_ids": [0] * len(LEAVES),
        "target_weights": list(values),
    }
    return make_node("TreeEnsembleRegressor", ["X"], [out], domain=ML_DOMAIN, n_targets=1, **nodes, **targets, **more)


def classifier_node(
    weights: Sequence[Sequence[float]],
    labels: Sequence[Any] = (0, 1, 2),
    nodes: dict[str, list[Any]] = NODES,
    **more: Any,
) -> Any:
    """Return an ensemble with weights for each leaf and class."""
    pairs = [(leaf, at, weight) for leaf, row in zip(LEAVES, weights, strict=True) for at, weight in enumerate(row)]
    classes = {
        "class_treeids": [leaf[0] for leaf, _, _ in pairs],
        "class_nodeids": [leaf[1] for leaf, _, _ in pairs],
        "class_ids": [at for _, at, _ in pairs],
        "class_weights": [float(weight) for *_, weight in pairs],
    }
    named = {"classlabels_strings" if isinstance(labels[0], str) else "classlabels_int64s": list(labels)}
    return make_node(
        "TreeEnsembleClassifier", ["X"], ["label", "scores"], domain=ML_DOMAIN, **nodes, **classes, **named, **more
    )


def model_of(
    nodes: Sequence[Any],
    outputs: Sequence[tuple[str, int]],
    constants: dict[str, Any] | None = None,
    *,
    ml: int = 3,
    kind: int = TensorProto.FLOAT,
    batch: Any = None,
) -> Fit:
    """Return a fit that gives a model of these nodes."""
    inputs = [helper.make_tensor_value_info("X", kind, [batch, 4])]
    wanted = [helper.make_tensor_value_info(name, each, None) for name, each in outputs]
    known = [numpy_helper.from_array(np.asarray(value), name) for name, value in (constants or {}).items()]
    graph = helper.make_graph(list(nodes), "by hand", inputs, wanted, known)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(ML_DOMAIN, ml)]
    data = helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()
    return lambda *_: bytes(data)


def in_reverse(nodes: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Return the nodes from the last to the first."""
    return {name: values[::-1] for name, values in nodes.items()}
