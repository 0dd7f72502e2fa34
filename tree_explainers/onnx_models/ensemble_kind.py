"""Whether trees are averaged or added, where the graph shows it beyond doubt."""

from collections.abc import Mapping, Sequence

import numpy as np
from onnx import ModelProto, NodeProto

from .description import Ensemble
from .graph import first_that_computes, makers_of
from .tree_attributes import Attributes, attributes_of, numbers
from .tree_nodes import OrderedTrees

_LINKS = (b"LOGISTIC", b"SOFTMAX", b"SOFTMAX_ZERO", b"PROBIT")
_AVERAGE = 0  # of opset 5's numbers for aggregate functions
_TOLERANCE = 1e-4  # of float32 weights added up


def infer_ensemble(
    model: ModelProto, score: str, operators: Sequence[tuple[NodeProto, OrderedTrees]]
) -> Ensemble | None:
    """Return the kind of ensemble from its tree operators; ``None`` where it is not certain.

    Certain are: boosting where one operator's sums go through a link function, where CatBoost wrote the graph, and
    where a regressor by skl2onnx has a base value; a random forest where trees are averaged, where the leaf weights of
    one operator are shares that add up to 1 over the trees, where a regressor by skl2onnx has no base value, and where
    several such operators are averaged.
    """
    if model.producer_name == "CatBoost":
        return "boosting"
    makers = makers_of(model.graph)
    maker = first_that_computes(score, makers)
    if maker is None:
        return None
    kinds = {_kind_of_operator(node, trees, model.producer_name) for node, trees in operators}
    nodes = [node for node, _ in operators]
    if maker in nodes:
        return kinds.pop() if len(nodes) == 1 else None
    return "random_forest" if kinds == {"random_forest"} and _averages(maker, makers, nodes) else None


def _averages(maker: NodeProto, makers: Mapping[str, NodeProto], trees: Sequence[NodeProto]) -> bool:
    """Whether an operator is the mean of all tree operators."""
    if maker.op_type not in ("ReduceMean", "Mean"):
        return False
    tensors = list(maker.input) if maker.op_type == "Mean" else [maker.input[0]]
    stacked = makers.get(tensors[0])
    if stacked is not None and stacked.op_type == "Concat":
        tensors = list(stacked.input)
    return all(first_that_computes(tensor, makers) in trees for tensor in tensors) and len(tensors) == len(trees)


def _kind_of_operator(node: NodeProto, trees: OrderedTrees, producer: str) -> Ensemble | None:
    attributes = attributes_of(node)
    if _is_average(attributes):
        return "random_forest"
    if (attributes["post_transform"].s if "post_transform" in attributes else b"NONE") in _LINKS:
        return "boosting"
    if node.op_type == "TreeEnsembleClassifier":
        has_base = len(numbers(attributes, "base_values")) > 0
        return "random_forest" if not has_base and _leaves_hold_shares(trees) else None
    if producer == "skl2onnx" and node.op_type == "TreeEnsembleRegressor":
        return "boosting" if len(numbers(attributes, "base_values")) else "random_forest"
    return None


def _is_average(attributes: Attributes) -> bool:
    aggregate = attributes.get("aggregate_function")
    if aggregate is None:
        return False
    return aggregate.s == b"AVERAGE" or ("tree_roots" in attributes and aggregate.i == _AVERAGE)


def _leaves_hold_shares(trees: OrderedTrees) -> bool:
    """Whether each leaf that has weights holds shares of the classes, divided by the number of trees."""
    values = trees.ensemble.leaf_values
    if not len(trees.weight_leaf) or (values < 0).any():
        return False
    is_given = np.zeros(len(values), np.bool_)
    is_given[trees.weight_leaf] = True
    sums = values.sum(axis=1)[is_given] * trees.ensemble.n_trees
    is_one_of_two = values.shape[1] == 1  # only one of two classes is scored
    return bool((sums <= 1 + _TOLERANCE).all() and (is_one_of_two or (sums >= 1 - _TOLERANCE).all()))
