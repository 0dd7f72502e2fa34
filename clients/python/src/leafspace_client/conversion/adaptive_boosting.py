"""Adaptive boosting: the weighted votes of classifiers, or the weighted median of regressors."""

from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from .answers import Answer, Columns, Writer
from .sklearn_trees import arrays_of_votes
from .tree_operators import add_trees


def boosted_labels(writer: Writer, model: Any, columns: Columns) -> Answer:  # an estimator
    """Add classifiers that vote with weights, and the softmax of what each class got."""
    nodes, n_classes = writer.nodes, len(model.classes_)
    if n_classes == 1:
        return writer.answer(model.estimators_[0], columns)
    total = nodes.constant(np.array([model.estimator_weights_.sum()]))
    shares = nodes.add("Div", [_votes(writer, model, columns), total])
    if n_classes == 2:  # what the first got is the same with another sign
        scores = nodes.add("Softmax", [nodes.add("Concat", [nodes.add("Neg", [shares]), shares], axis=1)], axis=1)
        raw = nodes.add("Add", [shares, shares])
        return Answer(scores, lambda: nodes.is_reached(raw, 0.0, column=0, is_strict=True), raw)
    divided = nodes.add("Div", [shares, nodes.constant(np.array([n_classes - 1.0]))])
    return Answer(nodes.add("Softmax", [divided], axis=1), writer.highest(shares), shares)


def _votes(writer: Writer, model: Any, columns: Columns) -> str:  # an estimator
    """Return what each class got: the weights of its votes, less those of the others divided among them.

    Of two classes it is what the second got, (n_rows, 1).
    """
    nodes, n_classes = writer.nodes, len(model.classes_)
    weights = model.estimator_weights_[: len(model.estimators_)]
    if all(type(member) in (DecisionTreeClassifier, ExtraTreeClassifier) for member in model.estimators_):
        trees = arrays_of_votes(model.estimators_, model.classes_, weights)
        got = add_trees(nodes, writer.tensor(columns, rounds=True), trees, average=False)
        if n_classes == 2:
            return got
        others = nodes.add("Sub", [nodes.constant(np.array([weights.sum()])), got])
        return nodes.add("Sub", [got, nodes.add("Div", [others, nodes.constant(np.full(n_classes, n_classes - 1.0))])])
    parts = []
    for member, weight in zip(model.estimators_, weights.tolist(), strict=True):
        votes = _among(writer, writer.answer(member, columns), member, model.classes_)
        others = nodes.constant(np.array([-1 / (n_classes - 1) * weight]))
        parts.append(nodes.add("Where", [votes, nodes.constant(np.array([weight])), others]))
    total = writer.total(parts)
    return writer.column(total, 1) if n_classes == 2 else total


def _among(writer: Writer, answer: Answer, member: Any, classes: Any) -> str:  # an array
    """Return a member's votes among all classes, of which it may have seen some only."""
    votes = writer.votes(answer, len(member.classes_))
    if len(member.classes_) == len(classes):
        return votes
    positions = (np.asarray(member.classes_)[:, None] == classes[None, :]).astype(np.float64)
    spread = writer.nodes.add("MatMul", [writer.nodes.as_double(votes), writer.nodes.constant(positions)])
    return writer.nodes.add("Greater", [spread, writer.nodes.constant(np.array([0.5]))])


def median_of_members(writer: Writer, model: Any, columns: Columns) -> Answer:  # an estimator
    """Add regressors, and the lowest of their values that half of the weights do not exceed."""
    nodes = writer.nodes
    values = [writer.answer(member, columns).scores for member in model.estimators_]
    if len(values) == 1:
        return Answer(values[0], str)
    joined = nodes.add("Concat", values, axis=1)
    ascending, order = nodes.add_two("TopK", [joined, nodes.constant(np.array([len(values)]))], axis=1, largest=0)
    weights = nodes.add(
        "Gather", [nodes.constant(model.estimator_weights_[: len(values)].astype(float)), order], axis=0
    )
    shares = nodes.add("CumSum", [weights, nodes.constant(np.array(1))])
    half = nodes.add("Mul", [writer.column(shares, len(values) - 1), nodes.constant(np.array([0.5]))])
    reached = nodes.as_double(nodes.add("GreaterOrEqual", [shares, half]))
    position = nodes.add("ArgMax", [reached], axis=1, keepdims=1)
    return Answer(nodes.add("GatherElements", [ascending, position], axis=1), str)
