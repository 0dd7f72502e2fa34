"""How scores follow from leaves, where that is simple enough for the walker: sums, base values, and a link behind them.

What onnxruntime's operators do beyond that (means, probit, other operators behind the trees) is left to onnxruntime.
"""

from collections.abc import Mapping

import numpy as np
from onnx import NodeProto

from .description import Link, Scoring, Sums
from .graph import PASSING, first_that_computes
from .interface import Outputs
from .tree_attributes import Attributes, attributes_of, class_labels, integers, numbers
from .tree_nodes import OrderedTrees

_SUM = (b"SUM", 1)  # in the older operators, and as a number in the newest
_LINKS: dict[bytes | int, Link | None] = {
    b"NONE": None, 0: None, b"LOGISTIC": "logistic", b"SOFTMAX": "softmax",
}  # fmt: skip
_OF_LABELS = frozenset({"ArgMax", "ArrayFeatureExtractor", "Gather", "ZipMap"}) | PASSING


def scoring_of(
    node: NodeProto, trees: OrderedTrees, sums: Sums, outputs: Outputs, makers: Mapping[str, NodeProto]
) -> Scoring | None:
    """Return how the values of leaves become scores; ``None`` where the graph does more than ``Scoring`` can say.

    Parameters
    ----------
    node, trees
        The only tree operator of a graph, and its trees.
    sums
        The precision in which the operator adds.
    outputs, makers
        Of the graph.
    """
    attributes = attributes_of(node)
    transform = _value(attributes, "post_transform", b"NONE")
    is_plain = transform in _LINKS and _value(attributes, "aggregate_function", 1) in _SUM
    is_last = first_that_computes(outputs.score, makers) is node and _picks_highest(outputs, node, makers)
    if not (is_plain and is_last):
        return None
    base = tuple(numbers(attributes, "base_values").tolist())
    link, n_outputs = _LINKS[transform], trees.ensemble.leaf_values.shape[1]
    if link is None and not base:
        return Scoring(sums)
    if node.op_type == "TreeEnsembleRegressor":
        return Scoring(sums, base) if link is None and len(base) == n_outputs == 1 else None
    if node.op_type != "TreeEnsembleClassifier" or sums != "single":
        return None
    is_known = (
        _is_of_two_classes(attributes, base, link) if n_outputs == 1 else _scores_all_classes(attributes, trees, base)
    )
    return Scoring(sums, base, link) if is_known else None


def _value(attributes: Attributes, name: str, default: bytes | int) -> bytes | int:
    return (attributes[name].s or attributes[name].i) if name in attributes else default


def _is_of_two_classes(attributes: Attributes, base: tuple[float, ...], link: Link | None) -> bool:
    """Whether a link makes probabilities of two classes of one sum.

    The operator does so where exporters give all values the first class's number. Sums of values none of which is below
    0 it takes for probabilities, whatever the link.
    """
    has_two = len(class_labels(attributes)) == 2 and not integers(attributes, "class_ids").any()  # noqa: PLR2004
    has_negative = bool((numbers(attributes, "class_weights") < 0).any())
    return link == "logistic" and len(base) <= 1 and has_two and has_negative


def _scores_all_classes(attributes: Attributes, trees: OrderedTrees, base: tuple[float, ...]) -> bool:
    """Whether each class has a value in all leaves of some tree: a row's label is none of those that have no value."""
    values = trees.ensemble.leaf_values
    n_classes = values.shape[1]
    if n_classes == 2 or len(base) not in {0, n_classes}:  # noqa: PLR2004  # of two, the sign of the second decides
        return False
    has_value = np.zeros(values.shape, np.bool_)
    has_value[trees.weight_leaf, integers(attributes, "class_ids")] = True
    in_all_leaves = np.logical_and.reduceat(has_value, trees.ensemble.leaf_offsets[:-1])  # (n_trees, n_classes)
    return bool(in_all_leaves.any(axis=0).all())


def _picks_highest(outputs: Outputs, trees: NodeProto, makers: Mapping[str, NodeProto]) -> bool:
    """Whether nothing but picking the highest score is between the trees and the label."""
    waiting = [outputs.label] if outputs.label else []
    while waiting:
        name = waiting.pop()
        maker = makers.get(name)
        if maker is None or maker is trees:
            continue
        if maker.op_type not in _OF_LABELS and maker.op_type != "Constant":
            return False
        waiting += maker.input
    return True
