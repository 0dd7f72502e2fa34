"""Models without trees: fitted by scikit-learn and exported by skl2onnx, and graphs that are wrong in some way."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, helper, numpy_helper
from skl2onnx import to_onnx
from sklearn.base import is_classifier
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from .tree_graphs import graph_of

_OPSETS = {"": 18, "ai.onnx.ml": 3}
_MODELS: dict[str, tuple[Any, Any]] = {
    "network": (lambda: MLPClassifier((16,), max_iter=60, random_state=0), load_breast_cancer),
    "network_of_3_classes": (lambda: MLPClassifier((8,), max_iter=60, random_state=0), load_iris),
    "logistic": (LogisticRegression, load_breast_cancer),
    "logistic_of_3_classes": (LogisticRegression, load_iris),
    "bayes": (GaussianNB, load_iris),
    "vectors": (SVC, load_breast_cancer),
    "vectors_with_probabilities": (lambda: SVC(probability=True, random_state=0), load_iris),
    "network_of_values": (lambda: MLPRegressor(hidden_layer_sizes=(8,), max_iter=100, random_state=0), load_diabetes),
    "linear_values": (LinearRegression, load_diabetes),
    "vectors_of_values": (lambda: SVR(C=100), load_diabetes),
}
ORACLES = tuple(_MODELS)


@dataclass(frozen=True, slots=True)
class FittedOracle:
    """A fitted pipeline of a scaler and a model without trees."""

    estimator: Any
    onnx: bytes
    features: NDArray[np.float32]
    target: NDArray[Any]


@cache
def fitted_oracle(name: str) -> FittedOracle:
    """Return a model by its name among ``ORACLES``."""
    build, load = _MODELS[name]
    features, target = load(return_X_y=True)
    features = features.astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few iterations are enough
        estimator = make_pipeline(StandardScaler(), build()).fit(features, target)
    options = {id(estimator): {"zipmap": False}} if is_classifier(estimator) else None
    onnx = to_onnx(estimator, features[:1], target_opset=_OPSETS, options=options).SerializeToString()
    return FittedOracle(estimator, onnx, features, target)


def layers(n_layers: int, n_units: int) -> ModelProto:
    """Return a network of three features that takes ``n_layers * n_units^2`` products a row; layers share weights."""
    rng = np.random.default_rng(0)
    shapes = {"first": (3, n_units), "inner": (n_units, n_units), "last": (n_units, 1)}
    weights = {name: rng.normal(0, 1, shape).astype(np.float32) for name, shape in shapes.items()}
    names = ["first", *(["inner"] * n_layers), "last"]
    tensors = ["X", *(f"h{at}" for at in range(n_layers + 1)), "Y"]
    nodes = []
    for at, (name, (before, after)) in enumerate(zip(names, pairwise(tensors), strict=True)):
        nodes.append(helper.make_node("MatMul", [before, name], [f"p{at}"]))
        nodes.append(helper.make_node("Tanh", [f"p{at}"], [after]))
    return with_constants(nodes, weights)


def with_constants(nodes: Sequence[NodeProto], constants: Mapping[str, NDArray[Any]]) -> ModelProto:
    """Return a graph of three features that answers ``Y``."""
    model = graph_of(nodes)
    model.graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in constants.items())
    return model


def hostile_oracles() -> dict[str, tuple[bytes, str]]:
    """Return graphs that must not become oracles, with the code that refuses each."""
    body = helper.make_graph([], "b", [], [])
    first = helper.make_node("ReduceSum", ["X", "axis_1"], ["s"], keepdims=1)
    into = helper.make_node("Add", ["s", "k"], ["Y"])
    axes = {f"axis_{axis}": np.array([axis]) for axis in (0, 1)}
    refused = {
        "loop": helper.make_node("Loop", ["X"], ["k"], body=body),
        "scan": helper.make_node("Scan", ["X"], ["k"], body=body, num_scan_inputs=1),
        "if": helper.make_node("If", ["X"], ["k"], then_branch=body, else_branch=body),
        "einsum": helper.make_node("Einsum", ["X", "X"], ["k"], equation="ij,kj->ik"),
        "convolution": helper.make_node("Conv", ["X", "X"], ["k"]),
        "random": helper.make_node("RandomNormalLike", ["X"], ["k"]),
        "expanded": helper.make_node("Expand", ["X", "X"], ["k"]),
        "microsoft": helper.make_node("CDist", ["X", "X"], ["k"], domain="com.microsoft"),
    }
    graphs = {
        name: (with_constants([first, node, into], axes), "model_op_not_allowed") for name, node in refused.items()
    }
    function = helper.make_function(
        "f", "F", ["x"], ["y"], [helper.make_node("Identity", ["x"], ["y"])], [helper.make_opsetid("", 17)]
    )
    with_function = layers(1, 4)
    with_function.functions.append(function)
    graphs["function"] = with_function, "model_op_not_allowed"
    nan = with_constants([helper.make_node("MatMul", ["X", "w"], ["Y"])], {"w": np.full((3, 1), np.nan, np.float32)})
    graphs["not_finite"] = nan, "model_non_finite"
    graphs["too_large"] = _doubled(16), "model_too_complex"
    graphs["too_many_operators"] = _long_chain(7_000), "model_too_complex"
    for name, nodes in _mixing_rows().items():
        graphs[name] = with_constants(nodes, axes), "model_invalid_graph"
    graphs["cyclic_tree"] = _with_cyclic_tree(), "model_invalid_tree"
    return {name: (bytes(model.SerializeToString()), code) for name, (model, code) in graphs.items()}


def _doubled(n_times: int) -> ModelProto:
    """Return a small graph whose rows become 3 * 2^n_times numbers."""
    names = ["X", *(f"k{at}" for at in range(n_times))]
    nodes = [helper.make_node("Concat", [a, a], [b], axis=1) for a, b in pairwise(names)]
    nodes.append(helper.make_node("ReduceMax", [names[-1]], ["Y"], axes=[1], keepdims=1))
    return graph_of(nodes)


def _long_chain(n_operators: int) -> ModelProto:
    names = ["X", *(f"k{at}" for at in range(n_operators)), "Y"]
    return graph_of([helper.make_node("Neg", [a], [b]) for a, b in pairwise(names)])


def _mixing_rows() -> dict[str, list[NodeProto]]:
    """Return operators whose answer for a row depends on the rows beside it."""
    total = helper.make_node("ReduceSum", ["X", "axis_1"], ["s"], keepdims=1)
    mean = [total, helper.make_node("ReduceMean", ["s"], ["m"], axes=[0]), helper.make_node("Sub", ["s", "m"], ["Y"])]
    running = [total, helper.make_node("CumSum", ["s", "axis_0"], ["Y"])]
    return {"minus_the_mean_of_all_rows": mean, "sum_of_rows_so_far": running}


def _with_cyclic_tree() -> ModelProto:
    """Return a network beside a tree whose root is its own child."""
    attributes = {
        "n_targets": 1,
        "nodes_treeids": [0, 0, 0],
        "nodes_nodeids": [0, 1, 2],
        "nodes_modes": ["BRANCH_LEQ", "BRANCH_LEQ", "LEAF"],
        "nodes_featureids": [0, 0, 0],
        "nodes_values": [0.0, 0.0, 0.0],
        "nodes_truenodeids": [1, 0, 0],
        "nodes_falsenodeids": [2, 2, 0],
        "target_treeids": [0],
        "target_nodeids": [2],
        "target_ids": [0],
        "target_weights": [1.0],
    }
    tree = helper.make_node("TreeEnsembleRegressor", ["X"], ["t"], domain="ai.onnx.ml", **attributes)
    return graph_of([tree, helper.make_node("Tanh", ["t"], ["Y"])])
