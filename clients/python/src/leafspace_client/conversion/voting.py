"""Voting: the mean of several models' scores, or the shares of their votes, written in double precision."""

from typing import Any

import numpy as np
from skl2onnx._supported_operators import sklearn_operator_name_map
from skl2onnx.common.data_types import Int64TensorType
from sklearn.ensemble import VotingClassifier, VotingRegressor

from ..errors import CannotConvert
from .double_precision import Nodes, graph_labels


def is_voting(model: Any) -> bool:  # noqa: ANN401  # an estimator
    """Whether a model is scikit-learn's vote of several."""
    return type(model) in (VotingClassifier, VotingRegressor)


def vote_shares(model: Any, rows: Any) -> Any:  # noqa: ANN401  # an estimator, arrays
    """Return the share of the votes, weighted, that each class gets in hard voting, (n_rows, n_classes)."""
    votes, weights = model.transform(rows), _weights(model)
    classes = np.arange(len(model.classes_))
    counts = sum(weight * (vote[:, None] == classes) for vote, weight in zip(votes.T, weights, strict=True))
    return counts / weights.sum()


def write_voting(scope: Any, operator: Any, container: Any) -> None:  # noqa: ANN401  # skl2onnx's own
    """Add the members, and the weighted mean of what they answer.

    Raises
    ------
    CannotConvert
        Naming a member that is no model by itself.
    """
    nodes, model = Nodes(scope, container), operator.raw_operator
    weights = _weights(model)
    answers = [_answer(scope, operator, nodes, member) for member in model.estimators_]
    pairs = zip(answers, weights.tolist(), strict=True)
    weighted = [
        answer if weight == 1 else nodes.add("Mul", [answer, nodes.constant(weight)]) for answer, weight in pairs
    ]
    total = weighted[0]
    for each in weighted[1:]:
        total = nodes.add("Add", [total, each])
    n_outputs = len(getattr(model, "classes_", [None]))
    mean = nodes.add("Div", [total, nodes.constant(np.full(n_outputs, weights.sum()))])
    outputs = [each.full_name for each in operator.outputs]
    if isinstance(model, VotingClassifier):
        nodes.add_classifier(mean, graph_labels(model.classes_), outputs)
    else:
        nodes.add("Identity", [mean], outputs[0])


def _weights(model: Any) -> Any:  # noqa: ANN401  # an estimator, an array
    weights = model._weights_not_none  # noqa: SLF001  # of the members that were not dropped
    return np.ones(len(model.estimators_)) if weights is None else np.asarray(weights, np.float64)


def _answer(scope: Any, operator: Any, nodes: Nodes, member: Any) -> str:  # noqa: ANN401  # skl2onnx's own
    """Add a member, and return the tensor of its scores, its votes, or its value."""
    if type(member) not in sklearn_operator_name_map:
        detail = (
            f"{type(operator.raw_operator).__name__} has a {type(member).__name__} among its members, which is not "
            "converted there; put steps before the vote, and let models of trees vote"
        )
        raise CannotConvert("cannot_convert", detail)
    own = scope.declare_local_operator(sklearn_operator_name_map[type(member)], member)
    own.inputs = operator.inputs
    kind = operator.outputs[-1].type.__class__
    if isinstance(operator.raw_operator, VotingRegressor):
        own.outputs.append(scope.declare_local_variable("value", kind()))
        return nodes.as_double(own.outputs[0].full_name)
    own.outputs.append(scope.declare_local_variable("label", Int64TensorType()))
    own.outputs.append(scope.declare_local_variable("scores", kind()))
    if operator.raw_operator.voting == "soft":
        return nodes.as_double(own.outputs[1].full_name)
    label = nodes.add("Reshape", [own.outputs[0].full_name, nodes.constant(np.array([-1, 1]))])
    classes = nodes.constant(np.arange(len(operator.raw_operator.classes_)).reshape(1, -1))
    return nodes.as_double(nodes.add("Equal", [label, classes]))
