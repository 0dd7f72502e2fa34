"""check_leaf_dependence: whether predictions depend on a row by the leaves that it reaches, and by nothing else.

Proximity counts the trees in which two rows share a leaf. That explains a model whose predictions follow from leaves:
of one ensemble by any function (links, calibrators, cut-offs), of several by sums, means and votes. It does not where
an input goes past the trees, where ensembles are multiplied or choose between each other, or where a linear model or
further trees read what trees predict.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, NoReturn

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto

from ..errors import ModelRefused
from .checking import quoted
from .graph import PASSING, makers_of, tensor_array

_LINEAR = frozenset({"LinearClassifier", "LinearRegressor"})
_PRODUCTS = frozenset({"Div", "Gemm", "MatMul", "Max", "Min", "Mod", "Mul", "Pow", "Where"})
_WITH_MATRIX = frozenset({"Gemm", "MatMul"})
_BETWEEN = PASSING | {
    "Add", "ArgMax", "Concat", "Div", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Mul", "Normalizer",
    "Scaler", "Sigmoid", "Softmax", "Sub",
}  # fmt: skip
_MOST_OPERATORS = 64  # that are followed to the one that is named
ADVICE = (
    "proximity of leaves would not be what decides. Send `oracle_only` to register the model for its predictions "
    "alone, which approximation trees can be made of."
)


class _Reads(NamedTuple):
    """What a tensor is made of."""

    trees: int  # a bit for each tree operator
    is_past_trees: bool  # an input goes into it that passed no trees


_NOTHING = _Reads(0, is_past_trees=False)


def connected_trees(graph: GraphProto, outputs: Sequence[str], trees: Sequence[NodeProto]) -> list[NodeProto]:
    """Return the tree operators that outputs depend on.

    Raises
    ------
    ModelRefused
        ``model_not_a_tree_ensemble`` where there are none.
    """
    needed = _needed(graph, outputs)
    connected = [node for node in trees if not needed.isdisjoint(node.output)]
    if not connected:
        maker = makers_of(graph).get(outputs[-1])
        _refuse(f"No ensemble of trees leads to the scores, which {_named(maker)} makes, so that")
    return connected


def check_leaf_dependence(graph: GraphProto, outputs: Sequence[str], trees: Sequence[NodeProto]) -> str | None:
    """Return the operator by which an input reaches outputs past the trees; ``None`` where there is none.

    Raises
    ------
    ModelRefused
        ``model_not_a_tree_ensemble`` where an operator makes more of several ensembles than sums, means and votes, or
        a model of its own of what trees predict.
    """
    constants = {tensor.name: tensor for tensor in graph.initializer}
    needed, index_of = _needed(graph, outputs), {node.output[0]: index for index, node in enumerate(trees)}
    reads = {value.name: _Reads(0, is_past_trees=True) for value in graph.input if value.name not in constants}
    for node in graph.node:
        if needed.isdisjoint(node.output):
            continue
        parts = [reads.get(name, _NOTHING) for name in node.input]
        if node.output[0] in index_of:
            if any(part.trees for part in parts):
                _refuse("Trees read what other trees predict, as in a stack or a chain of models, so that")
            output_reads = _Reads(1 << index_of[node.output[0]], is_past_trees=False)
        else:
            _check_operator(node, parts, constants)
            output_reads = _NOTHING if node.op_type == "Shape" else _joined(parts)
        reads.update(dict.fromkeys(node.output, output_reads))
    past = [name for name in outputs if reads.get(name, _NOTHING).is_past_trees]
    return _source(past[0], reads, makers_of(graph)) if past else None


def _needed(graph: GraphProto, outputs: Sequence[str]) -> set[str]:
    needed = set(outputs)
    for node in reversed(graph.node):
        if not needed.isdisjoint(node.output):
            needed.update(node.input)
    return needed


def _joined(parts: Sequence[_Reads]) -> _Reads:
    trees = 0
    for part in parts:
        trees |= part.trees
    return _Reads(trees, any(part.is_past_trees for part in parts))


def _check_operator(node: NodeProto, parts: Sequence[_Reads], constants: Mapping[str, TensorProto]) -> None:
    of_trees = [part.trees for part in parts if part.trees]
    if not of_trees:
        return
    if node.op_type in _LINEAR:
        _refuse(f"A linear model ({_named(node)}) reads what trees predict, so that")
    is_of_two = any(not first & second for first in of_trees for second in of_trees)
    if node.op_type in _PRODUCTS and is_of_two:
        _refuse(f"{_named(node)} makes more of two ensembles of trees than a sum, a mean or a vote, so that")
    if of_trees[0].bit_count() < 2:  # several ensembles
        return
    if node.op_type == "ReduceProd":
        _refuse(f"{_named(node)} multiplies several ensembles of trees, so that")
    matrix = constants.get(node.input[1]) if node.op_type in _WITH_MATRIX else None
    if matrix is not None and bool((tensor_array(matrix).astype(np.float64) < 0).any()):
        _refuse(f"A linear model ({_named(node)}) reads what several ensembles of trees predict, so that")


def _source(tensor: str, reads: Mapping[str, _Reads], makers: Mapping[str, NodeProto]) -> str:
    """Return the nearest operator before a tensor that makes something of an input past the trees."""
    node = makers.get(tensor)
    for _ in range(_MOST_OPERATORS):
        if node is None:
            break
        past = [name for name in node.input if reads.get(name, _NOTHING).is_past_trees]
        is_mixed = any(reads.get(name, _NOTHING).trees for name in node.output)
        maker = makers.get(past[0]) if past else None
        if maker is None or not (is_mixed or node.op_type in _BETWEEN):
            break
        node = maker
    return _named(node)


def _named(node: NodeProto | None) -> str:
    if node is None:
        return "an input of the graph"
    return f"{node.op_type}{f' {quoted(node.name)}' if node.name else ''}"


def _refuse(why: str) -> NoReturn:
    raise ModelRefused("model_not_a_tree_ensemble", f"{why} {ADVICE}")
