"""write_forest_onnx: a forest over columns of numbers as an ONNX graph that decides exactly as its trees read.

One TreeEnsembleRegressor reads all columns in single precision. Its leaves hold multiples of 2^-32, in parts so short
that the sum of each part over all trees is whole in single precision, in whatever order it is made; the parts are put
together in double precision behind it. So sums are exact, equal sums tie, and the label is the first of the highest.
TreeEnsembleClassifier would round the sums, and decide labels of two classes at 0.5.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper

from ..ensemble import Operator, TreeEnsemble
from .tree_writing import GraphBuilder

_OPSETS = {"ai.onnx.ml": 3, "": 15}
_IR_VERSION = 8  # with these operator sets: what runtimes since 2021 can open
_SINGLE_BITS, _VALUE_BITS = 24, 32
_MODES: dict[int, str] = {Operator.LEAF: "LEAF", Operator.LEQ: "BRANCH_LEQ", Operator.GT: "BRANCH_GT"}
FEATURES = "features"


def rounded_values(values: NDArray[np.float64], exponent: int = 0) -> NDArray[np.float64]:
    """Return numbers of at most 2^exponent rounded to multiples of 2^(exponent - 32): their sums are exact."""
    return np.ldexp(np.round(np.ldexp(values, _VALUE_BITS - exponent)), exponent - _VALUE_BITS)


def exponent_of(values: NDArray[np.float64]) -> int:
    """Return the exponent of a power of 2 that is above all values' sizes."""
    return int(np.frexp(np.abs(values).max(initial=0.0))[1])


def write_forest_onnx(ensemble: TreeEnsemble, n_columns: int, classes: Sequence[str]) -> bytes:
    """Return the forest as a whole ONNX file.

    It has one input, ``features``, ``float`` (n_rows, n_columns), of which NaN is a missing value, and returns
    ``label``, ``string`` (n_rows,), the first of the classes with the highest score, and ``probabilities``, ``double``
    (n_rows, n_classes), the means of the leaves' values over the trees. Without classes it returns ``value``,
    ``double`` (n_rows, 1), the mean alone.

    Parameters
    ----------
    ensemble
        The trees, whose operators are LEQ and GT, whose thresholds are of single precision, and whose leaf values are
        ``rounded_values``, (n_leaves, n_classes); of regression (n_leaves, 1), with their ``exponent_of``.
    n_columns
        Number of columns, at least as many as the trees test.
    classes
        Names of the classes, in the order of the leaf values; none: regression.
    """
    graph = GraphBuilder([FEATURES])
    inputs = [helper.make_tensor_value_info(FEATURES, TensorProto.FLOAT, ["n_rows", n_columns])]
    if not classes:
        value = graph.add("Identity", [_mean_of_trees(graph, ensemble, exponent_of(ensemble.leaf_values))], "value")
        outputs = [helper.make_tensor_value_info(value, TensorProto.DOUBLE, ["n_rows", 1])]
        return graph.model(inputs, outputs, _OPSETS, _IR_VERSION)
    scores = _mean_of_trees(graph, ensemble)
    position = graph.add("ArgMax", [scores], "class_position", axis=1, keepdims=0)
    names = graph.constant(np.array(classes, dtype=object), "classes")
    label = graph.add("Gather", [names, position], "label", axis=0)
    probabilities = graph.add("Identity", [scores], "probabilities")
    outputs = [
        helper.make_tensor_value_info(label, TensorProto.STRING, ["n_rows"]),
        helper.make_tensor_value_info(probabilities, TensorProto.DOUBLE, ["n_rows", len(classes)]),
    ]
    return graph.model(inputs, outputs, _OPSETS, _IR_VERSION)


def _mean_of_trees(graph: GraphBuilder, ensemble: TreeEnsemble, exponent: int = 0) -> str:
    """Add the trees; return the tensor of the means of their leaf values, (n_rows, n_outputs).

    The trees add values divided by 2^exponent, at most 1, and the sums are multiplied by it, which is exact.
    """
    n_outputs = ensemble.leaf_values.shape[1]
    parts = _parts(np.ldexp(ensemble.leaf_values, -exponent), ensemble.n_trees)
    sums = graph.add("TreeEnsembleRegressor", [FEATURES], "parts", "ai.onnx.ml", **_attributes(ensemble, parts))
    as_double = graph.add("Cast", [sums], "parts_as_double", to=TensorProto.DOUBLE)
    together = np.tile(np.ldexp(np.eye(n_outputs), exponent), (parts.shape[1] // n_outputs, 1))
    whole = graph.add("MatMul", [as_double, graph.constant(together, "together")], "sums")
    # One divisor for each output, two at least: onnxruntime would fuse a single one with the product, and round it to
    # single precision.
    divisors = graph.constant(np.full(max(2, n_outputs), float(ensemble.n_trees)), "n_trees")
    means = graph.add("Div", [whole, divisors], "scores")
    return (
        means if n_outputs > 1 else graph.add("Gather", [means, graph.constant(np.array([0]), "first")], "mean", axis=1)
    )


def _parts(values: NDArray[np.float64], n_trees: int) -> NDArray[np.float64]:
    """Return values in parts that add up to them, side by side: (n_leaves, n_parts x n_outputs), the coarsest first."""
    bits = _SINGLE_BITS - n_trees.bit_length() - 1
    parts, rest = [], values
    for end in range(bits, _VALUE_BITS + bits, bits):
        unit = 2.0 ** -min(end, _VALUE_BITS)
        parts.append(np.floor(rest / unit) * unit)
        rest = rest - parts[-1]
    return np.hstack(parts)


def _attributes(ensemble: TreeEnsemble, parts: NDArray[np.float64]) -> dict[str, Any]:
    tree = np.repeat(np.arange(ensemble.n_trees), np.diff(ensemble.offsets))
    first = ensemble.offsets[tree]
    in_tree = np.arange(ensemble.n_nodes) - first
    is_leaf = ensemble.operator == Operator.LEAF
    # Every leaf has a weight, even one of 0: readers find leaves by them.
    leaf = np.repeat(np.arange(len(parts)), parts.shape[1])
    node = ensemble.leaf_nodes[leaf]
    return {
        "n_targets": parts.shape[1],
        "nodes_treeids": tree.tolist(),
        "nodes_nodeids": in_tree.tolist(),
        "nodes_featureids": ensemble.column.tolist(),
        "nodes_modes": [_MODES[operator] for operator in ensemble.operator.tolist()],
        "nodes_values": ensemble.threshold.tolist(),
        "nodes_truenodeids": np.where(is_leaf, 0, ensemble.left - first).tolist(),
        "nodes_falsenodeids": np.where(is_leaf, 0, ensemble.right - first).tolist(),
        "nodes_missing_value_tracks_true": ensemble.missing_left.astype(int).tolist(),
        "target_treeids": tree[node].tolist(),
        "target_nodeids": in_tree[node].tolist(),
        "target_ids": np.tile(np.arange(parts.shape[1]), len(parts)).tolist(),
        "target_weights": parts.ravel().tolist(),
    }
