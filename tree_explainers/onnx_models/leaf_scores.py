"""How scores follow from leaves, where that is simple enough for the walker: sums or means, base values, and links.

Behind the trees there may be what turns the share of the second of two classes into those of both. What onnxruntime's
operators do beyond that (probit, other operators behind the trees) is left to onnxruntime.
"""

from collections.abc import Mapping

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto

from .description import Link, Scoring, Sums
from .graph import PASSING, first_that_computes, makers_of, tensor_array
from .interface import Outputs
from .tree_attributes import Attributes, attributes_of, class_labels, integers, numbers
from .tree_nodes import OrderedTrees

_SUM, _MEAN = (b"SUM", 1), (b"AVERAGE", 0)  # in the older operators, and as a number in the newest
_LINKS: dict[bytes | int, Link | None] = {
    b"NONE": None, 0: None, b"LOGISTIC": "logistic", b"SOFTMAX": "softmax",
}  # fmt: skip
_TOLERANCE = 1e-4  # of sums of shares in single precision
_FLOATING = (TensorProto.FLOAT, TensorProto.DOUBLE)
_OF_LABELS = frozenset({"ArgMax", "ArrayFeatureExtractor", "Gather", "ZipMap"}) | PASSING


def scoring_of(graph: GraphProto, node: NodeProto, trees: OrderedTrees, sums: Sums, outputs: Outputs) -> Scoring | None:
    """Return how the values of leaves become scores; ``None`` where the graph does more than ``Scoring`` can say.

    Parameters
    ----------
    graph, outputs
        The graph, and its outputs.
    node, trees
        Its only tree operator, and its trees.
    sums
        The precision in which the operator adds.
    """
    makers = makers_of(graph)
    last = first_that_computes(outputs.score, makers)
    if last is None or not _picks_highest(outputs, last, makers):
        return None
    scoring = _of_operator(node, trees, sums)
    if last is node:
        return scoring
    is_plain = scoring == Scoring(sums) and trees.ensemble.leaf_values.shape[1] == 1
    return (_with_base(graph, last, node, sums) or _of_both_shares(graph, last, node, sums)) if is_plain else None


def adds_alone(node: NodeProto, trees: OrderedTrees, sums: Sums) -> bool:
    """Whether an operator returns the sums of leaf values as they are, and nothing else."""
    return len(node.output) == 1 and _of_operator(node, trees, sums) == Scoring(sums)


def are_shares(node: NodeProto, trees: OrderedTrees) -> bool:
    """Whether what an operator returns is certainly from 0 to 1: by its link, or by the least and largest leaf values.

    Of two classes of which one is scored, the other has what is left of 1.
    """
    attributes = attributes_of(node)
    if _value(attributes, "post_transform", b"NONE") not in (b"NONE", 0):
        return True
    leaves = trees.ensemble
    ends = [at.reduceat(leaves.leaf_values, leaves.leaf_offsets[:-1]).sum(axis=0) for at in (np.minimum, np.maximum)]
    base = numbers(attributes, "base_values")
    if len(base) == 1 or len(base) == len(ends[0]):
        ends = [end + base for end in ends]
    if _value(attributes, "aggregate_function", 1) in _MEAN:
        ends = [end / leaves.n_trees for end in ends]
    return bool((ends[0] >= -_TOLERANCE).all() and (ends[1] <= 1 + _TOLERANCE).all())


def _of_operator(node: NodeProto, trees: OrderedTrees, sums: Sums) -> Scoring | None:
    """Return how the values of leaves become what an operator returns."""
    attributes = attributes_of(node)
    transform, aggregate = _value(attributes, "post_transform", b"NONE"), _value(attributes, "aggregate_function", 1)
    if transform not in _LINKS or aggregate not in _SUM + _MEAN:
        return None
    base = tuple(numbers(attributes, "base_values").tolist())
    link, n_outputs = _LINKS[transform], trees.ensemble.leaf_values.shape[1]
    if link is None and not base:
        return Scoring(sums, divisor=float(trees.ensemble.n_trees) if aggregate in _MEAN else None)
    if aggregate in _MEAN:
        return None
    if node.op_type == "TreeEnsembleRegressor":
        return Scoring(sums, base) if link is None and len(base) == n_outputs == 1 else None
    if node.op_type != "TreeEnsembleClassifier" or sums != "single":
        return None
    is_known = (
        _is_of_two_classes(attributes, base, link) if n_outputs == 1 else _scores_all_classes(attributes, trees, base)
    )
    return Scoring(sums, base, link) if is_known else None


def _with_base(graph: GraphProto, last: NodeProto, node: NodeProto, sums: Sums) -> Scoring | None:
    """Return how a number is added to sums of one output."""
    added, base = _inputs_of("Add", last)
    scalars = _scalars(graph)
    return Scoring(sums, (scalars[base],)) if base in scalars and makers_of(graph).get(added) is node else None


def _of_both_shares(graph: GraphProto, last: NodeProto, node: NodeProto, sums: Sums) -> Scoring | None:
    """Return how sums of the second of two classes become shares of both: ``[whole - sums, sums] / divisor``."""
    makers, scalars = makers_of(graph), _scalars(graph)
    shares, divisor = _inputs_of("Div", last)
    first, second = _inputs_of("Concat", makers.get(shares))
    whole, of_second = _inputs_of("Sub", makers.get(first))
    is_known = {divisor, whole} <= scalars.keys() and of_second == second and makers.get(second) is node
    if not is_known or [each.i for each in makers[shares].attribute] != [1]:  # side by side
        return None
    return Scoring(sums, whole=scalars[whole], divisor=scalars[divisor])


def _inputs_of(op_type: str, node: NodeProto | None) -> tuple[str, str]:
    """Return both inputs of an operator of this type; of any other, names that no tensor has."""
    if node is None or node.op_type != op_type or len(node.input) != 2:
        return "", ""
    return node.input[0], node.input[1]


def _scalars(graph: GraphProto) -> dict[str, float]:
    """Return the constants of a graph that are one number of a floating type, by name."""
    of_one = (each for each in graph.initializer if each.data_type in _FLOATING and int(np.prod(each.dims)) == 1)
    return {each.name: float(tensor_array(each).ravel()[0]) for each in of_one}


def _value(attributes: Attributes, name: str, default: bytes | int) -> bytes | int:
    return (attributes[name].s or attributes[name].i) if name in attributes else default


def _is_of_two_classes(attributes: Attributes, base: tuple[float, ...], link: Link | None) -> bool:
    """Whether a link makes probabilities of two classes of one sum.

    The operator does so where exporters give all values the first class's number. Sums of values none of which is below
    0 it takes for probabilities, whatever the link.
    """
    has_two = len(class_labels(attributes)) == 2 and not integers(attributes, "class_ids").any()
    has_negative = bool((numbers(attributes, "class_weights") < 0).any())
    return link == "logistic" and len(base) <= 1 and has_two and has_negative


def _scores_all_classes(attributes: Attributes, trees: OrderedTrees, base: tuple[float, ...]) -> bool:
    """Whether each class has a value in all leaves of some tree: a row's label is none of those that have no value."""
    values = trees.ensemble.leaf_values
    n_classes = values.shape[1]
    if n_classes == 2 or len(base) not in {0, n_classes}:  # of two, the sign of the second decides
        return False
    has_value = np.zeros(values.shape, np.bool_)
    has_value[trees.weight_leaf, integers(attributes, "class_ids")] = True
    in_all_leaves = np.logical_and.reduceat(has_value, trees.ensemble.leaf_offsets[:-1])  # (n_trees, n_classes)
    return bool(in_all_leaves.any(axis=0).all())


def _picks_highest(outputs: Outputs, last: NodeProto, makers: Mapping[str, NodeProto]) -> bool:
    """Whether nothing but picking the highest score is between the operator that makes scores and the label."""
    waiting = [outputs.label] if outputs.label else []
    while waiting:
        name = waiting.pop()
        maker = makers.get(name)
        if maker is None or maker is last:
            continue
        if maker.op_type not in _OF_LABELS and maker.op_type != "Constant":
            return False
        waiting += maker.input
    return True
