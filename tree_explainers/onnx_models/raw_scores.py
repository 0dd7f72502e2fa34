"""Raw scores: what trees add up before a link makes probabilities of it, as sums of leaf values.

Behind the tree operators, graphs average, weigh, shift and rearrange. Where all of this is affine up to the link, it is
evaluated for outputs of zeros and for one output of 1 at a time, which is all there is to know about it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, NodeProto

from ..ensemble import TreeEnsemble
from .description import Link, RawScores, ScoreKind, ScoreTerm
from .graph import PASSING, matrices_behind, tensor_array
from .interface import Outputs
from .tree_attributes import Attributes, attributes_of, class_labels, integers, numbers

_LINKS: dict[bytes | int, Link | None] = {b"NONE": None, 0: None, b"LOGISTIC": "logistic", b"SOFTMAX": "softmax"}
_AVERAGES = (b"AVERAGE", 0)
_MOST_CELLS = 20_000_000  # of one tensor while a graph is evaluated
_ROUNDING = 1e-12
_MOST_TERMS = 20_000  # of a description, which is kept as JSON


class TreeOperator(NamedTuple):
    """A tree operator whose leaves' values are known."""

    node: NodeProto
    ensemble: TreeEnsemble


@dataclass(frozen=True, slots=True)
class _Affine:
    """A tensor for each of the outputs that are tried; the graph applies the link to it, if any."""

    values: NDArray[np.float64]  # (n_tried, ...)
    link: Link | None = None


def raw_scores_of(graph: GraphProto, operators: Sequence[TreeOperator], outputs: Outputs) -> RawScores | None:
    """Return how raw scores are sums of leaf values; ``None`` where the graph does more than that.

    Parameters
    ----------
    graph, outputs
        The graph, and its outputs.
    operators
        All tree operators that scores depend on, in the order of their trees.
    """
    widths = [operator.ensemble.leaf_values.shape[1] for operator in operators]
    starts = np.cumsum([1, *widths])  # of each operator's units among the tried; the first of all is of zeros
    if int(starts[-1]) ** 2 * max(widths) > _MOST_CELLS:
        return None
    tensors: dict[str, _Affine] = {}
    matrices = matrices_behind(graph, [operator.node for operator in operators])
    for operator, matrix, start in zip(operators, matrices, starts.tolist(), strict=False):
        tried = np.zeros((starts[-1], operator.ensemble.leaf_values.shape[1]))
        tried[start + np.arange(tried.shape[1]), np.arange(tried.shape[1])] = 1
        if matrix is not None:
            tensors[_product_of(graph, operator.node)] = _Affine(tried)
        elif (affine := _of_operator(operator, tried)) is not None:
            is_classifier = operator.node.op_type == "TreeEnsembleClassifier"
            tensors[operator.node.output[1 if is_classifier else 0]] = affine
    scores = _evaluated(graph, tensors, outputs.score)
    scores = None if scores is None else _of_all_classes(scores, max(1, len(outputs.classes)), outputs.score_kind)
    return (
        None if scores is None else _raw_scores(scores, [operator.ensemble.n_trees for operator in operators], starts)
    )


def _raw_scores(scores: _Affine, n_trees: Sequence[int], starts: NDArray[np.int64]) -> RawScores | None:
    """Return the terms of scores; where all operators have the same ones, they are stated once."""
    offsets, factors = scores.values[0], scores.values[1:] - scores.values[0]
    if factors.shape[1] == 2 and np.allclose(factors[:, 0], -factors[:, 1], rtol=_ROUNDING, atol=0):
        factors[:, 0] = -factors[:, 1]  # as they are but for 1 - p, which was rounded
    parts = [factors[start - 1 : end - 1] for start, end in pairwise(starts.tolist())]
    if all(part.shape == parts[0].shape and (part == parts[0]).all() for part in parts):
        parts, n_trees = parts[:1], [sum(n_trees)]
    terms = tuple(
        tuple(ScoreTerm(int(at), int(score), float(part[at, score])) for at, score in np.argwhere(part != 0))
        for part in parts
    )
    if sum(map(len, terms)) > _MOST_TERMS:
        return None
    return RawScores(scores.link, tuple(offsets.tolist()), terms, tuple(n_trees))


def _of_all_classes(scores: _Affine, n_scores: int, kind: ScoreKind) -> _Affine | None:
    """Return the scores as (n_tried, n_scores); one score of two classes is the second's."""
    columns = scores.values.reshape(len(scores.values), -1)
    if columns.shape[1] == 1 and n_scores == 2:
        is_share = kind == "probability" and scores.link is None
        columns = np.hstack((1 - columns if is_share else -columns, columns))
    return replace(scores, values=columns) if columns.shape[1] == n_scores else None


def _product_of(graph: GraphProto, node: NodeProto) -> str:
    """Return the tensor in which the leaves of an operator, stored in parts, are put together."""
    tensor = node.output[0]
    while True:
        reader = next(each for each in graph.node if tensor in each.input)
        tensor = reader.output[0]
        if reader.op_type == "MatMul":
            return str(tensor)


def _of_operator(operator: TreeOperator, sums: NDArray[np.float64]) -> _Affine | None:
    """Return what an operator makes of sums of leaf values, (n_tried, n_outputs)."""
    attributes = attributes_of(operator.node)
    transform = _value(attributes, "post_transform", b"NONE")
    if transform not in _LINKS:
        return None
    if _value(attributes, "aggregate_function", 1) in _AVERAGES:
        sums = sums / operator.ensemble.n_trees
    base, link = numbers(attributes, "base_values"), _LINKS[transform]
    is_classifier = operator.node.op_type == "TreeEnsembleClassifier"
    if is_classifier and sums.shape[1] == 1 and len(class_labels(attributes)) == 2:
        return _of_two_classes(attributes, sums, base, link)
    if len(base) not in {0, sums.shape[1]}:
        return None
    return _Affine(sums + base if len(base) else sums, link)


def _of_two_classes(
    attributes: Attributes, sums: NDArray[np.float64], base: NDArray[np.float64], link: Link | None
) -> _Affine | None:
    """Return the scores of two classes of which trees score the second.

    The operator takes sums of values none of which is below 0 for shares, whatever the link.
    """
    has_negative = bool((numbers(attributes, "class_weights") < 0).any())
    if integers(attributes, "class_ids").any() or len(base) > 1 or has_negative != (link == "logistic"):
        return None
    second = sums + base if len(base) else sums
    return _Affine(np.hstack((-second if has_negative else 1 - second, second)), link)


def _value(attributes: Attributes, name: str, default: bytes | int) -> bytes | int:
    return (attributes[name].s or attributes[name].i) if name in attributes else default


def _evaluated(graph: GraphProto, tensors: dict[str, _Affine], score: str) -> _Affine | None:
    """Return a tensor of the graph; ``None`` where something on the way to it is not affine."""
    constants: dict[str, NDArray[Any]] = {tensor.name: tensor_array(tensor) for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant" and node.attribute[0].HasField("t"):
            constants[node.output[0]] = tensor_array(node.attribute[0].t)
        elif node.output and node.output[0] not in tensors:
            try:
                result = _result(node, tensors, constants)
            except (ValueError, IndexError, TypeError):  # sizes do not fit: what the graph does is found out elsewhere
                return None
            if result is not None and result.values.size <= _MOST_CELLS:
                tensors[node.output[0]] = result
    return tensors.get(score)


def _result(node: NodeProto, tensors: Mapping[str, _Affine], constants: Mapping[str, NDArray[Any]]) -> _Affine | None:
    known = [tensors.get(name, constants.get(name)) for name in node.input]
    if not any(isinstance(each, _Affine) for each in known) or any(each is None for each in known):
        return None
    links = {each.link for each in known if isinstance(each, _Affine)}
    values = [each.values if isinstance(each, _Affine) else each for each in known if each is not None]
    if node.op_type in ("Sigmoid", "Softmax") and links == {None}:
        is_of_columns = node.op_type == "Sigmoid" or (values[0].ndim == 2 and _axis(node, -1) in (1, -1))
        return _Affine(values[0], "logistic" if node.op_type == "Sigmoid" else "softmax") if is_of_columns else None
    if len(links) != 1:
        return None
    (link,) = links
    if link is not None:
        return _behind_link(node, known, link)
    operation = _OPERATIONS.get(node.op_type)
    is_affine = node.op_type not in ("Mul", "Div", "MatMul") or not isinstance(known[1], _Affine)
    if node.op_type == "Mul" and not isinstance(known[0], _Affine):
        is_affine = True
    return _Affine(np.asarray(operation(node, values), np.float64)) if operation and is_affine else None


def _behind_link(node: NodeProto, known: Sequence[Any], link: Link) -> _Affine | None:
    """Follow probabilities, which are rearranged, or subtracted from 1: that of the other class."""
    if node.op_type == "Sub" and link == "logistic" and not isinstance(known[0], _Affine):
        return _Affine(-known[1].values, link) if (np.asarray(known[0]) == 1).all() else None
    if node.op_type not in {*PASSING, "Reshape", "Concat"}:
        return None
    if link == "softmax" and node.op_type == "Concat":
        return None
    values = [each.values if isinstance(each, _Affine) else each for each in known]
    return _Affine(np.asarray(_OPERATIONS[node.op_type](node, values), np.float64), link)


def _axis(node: NodeProto, default: int) -> int:
    attributes = attributes_of(node)
    return int(attributes["axis"].i) if "axis" in attributes else default


def _axes(node: NodeProto, values: Sequence[NDArray[Any]]) -> tuple[int, ...] | None:
    if len(values) > 1:
        return tuple(values[1].ravel().tolist())
    axes = integers(attributes_of(node), "axes")
    return tuple(axes.tolist()) if len(axes) else None


def _reshaped(_: NodeProto, values: Sequence[NDArray[Any]]) -> NDArray[Any]:
    shape = [values[0].shape[at] if size == 0 else size for at, size in enumerate(values[1].ravel().tolist())]
    return values[0].reshape(shape)


def _reduced(how: Callable[..., Any]) -> Callable[[NodeProto, Sequence[NDArray[Any]]], Any]:
    def reduce(node: NodeProto, values: Sequence[NDArray[Any]]) -> Any:  # an array
        attributes = attributes_of(node)
        keeps = attributes["keepdims"].i != 0 if "keepdims" in attributes else True
        return how(values[0], axis=_axes(node, values), keepdims=keeps)

    return reduce


def _unsqueezed(node: NodeProto, values: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.expand_dims(values[0], _axes(node, values) or ())


_OPERATIONS: dict[str, Callable[[NodeProto, Sequence[NDArray[Any]]], Any]] = {
    **dict.fromkeys(PASSING, lambda _, values: values[0]),
    "Add": lambda _, values: values[0] + values[1],
    "Concat": lambda node, values: np.concatenate(values, axis=_axis(node, 1)),
    "Div": lambda _, values: values[0] / values[1],
    "MatMul": lambda _, values: values[0] @ values[1],
    "Mean": lambda _, values: sum(values) / len(values),
    "Mul": lambda _, values: values[0] * values[1],
    "Neg": lambda _, values: -values[0],
    "ReduceMean": _reduced(np.mean),
    "ReduceSum": _reduced(np.sum),
    "Reshape": _reshaped,
    "Squeeze": lambda node, values: np.squeeze(values[0], _axes(node, values)),
    "Sub": lambda _, values: values[0] - values[1],
    "Sum": lambda _, values: sum(values),
    "Unsqueeze": _unsqueezed,
}
