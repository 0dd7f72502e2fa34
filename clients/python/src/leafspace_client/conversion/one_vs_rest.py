"""One against the rest: a classifier for each class, whose scores are made to add up to 1."""

from typing import Any

import numpy as np
from sklearn.base import is_classifier

from ..errors import CannotConvert
from .answers import Answer, Columns, Writer
from .double_precision import with_complement
from .sklearn_trees import lonely_leaf
from .tree_operators import add_trees


def one_vs_rest(writer: Writer, model: Any, columns: Columns) -> Answer:  # an estimator
    """Add a classifier for each class; the label is that of the highest decision function, or else score."""
    nodes = writer.nodes
    if not all(is_classifier(member) or _is_constant(member) for member in model.estimators_):
        detail = "OneVsRestClassifier of regressors has no scores of its classes; give it a classifier"
        raise CannotConvert("cannot_convert", detail)
    answers = [_answer(writer, member, columns) for member in model.estimators_]
    by_decision = all(hasattr(member, "decision_function") for member in model.estimators_)
    raws = [each.decision(member) for member, each in zip(model.estimators_, answers, strict=True) if by_decision]
    seconds = [writer.column(each.scores, 1) for each in answers]
    if len(answers) == 1:
        scores = with_complement(nodes, seconds[0])
        decides, threshold = (raws[0], 0.0) if by_decision else (seconds[0], 0.5)
        return Answer(scores, lambda: nodes.is_reached(decides, threshold, column=0, is_strict=True), answers[0].raw)
    joined = nodes.add("Concat", seconds, axis=1)
    total = nodes.add("ReduceSum", [joined, nodes.constant(np.array([1]))], keepdims=1)
    is_zero = nodes.add("Equal", [total, nodes.constant(np.array([0.0]))])
    scores = nodes.add("Div", [joined, nodes.add("Where", [is_zero, nodes.constant(np.array([1.0])), total])])
    raw = nodes.add("Concat", raws, axis=1) if by_decision else None
    return Answer(scores, writer.highest(raw or joined), raw)


def _is_constant(member: Any) -> bool:  # scikit-learn's own
    return type(member).__name__ == "_ConstantPredictor"


def _answer(writer: Writer, member: Any, columns: Columns) -> Answer:  # an estimator
    """Add a member; of a class that all rows are of, or none, scikit-learn keeps nothing but that."""
    if not _is_constant(member):
        return writer.answer(member, columns)
    share = float(np.ravel(member.y_)[0])
    tensor = writer.tensor(columns, rounds=False)
    raw = add_trees(writer.nodes, tensor, lonely_leaf(share), average=False)
    return Answer(with_complement(writer.nodes, raw), str, raw)
