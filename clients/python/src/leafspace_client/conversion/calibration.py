"""Calibration: scores corrected by a sigmoid, by steps and lines (isotonic), or by a temperature."""

from typing import Any

import numpy as np

from .answers import Answer, Columns, Writer
from .double_precision import Nodes, along_lines, with_complement

_SMALLEST = 1e-12  # which scikit-learn adds to a probability before it takes the logarithm


def calibrated(writer: Writer, model: Any, columns: Columns) -> Answer:  # an estimator
    """Add the mean of the corrected scores of one or several classifiers."""
    parts = [_corrected(writer, each, columns) for each in model.calibrated_classifiers_]
    total = writer.total(parts)
    divisors = writer.nodes.constant(np.full(len(model.classes_), float(len(parts))))
    scores = writer.nodes.add("Div", [total, divisors])
    return Answer(scores, writer.highest(scores))


def _corrected(writer: Writer, part: Any, columns: Columns) -> str:  # scikit-learn's own
    answer = writer.answer(part.estimator, columns)
    by_decision = hasattr(part.estimator, "decision_function")
    is_binary = len(part.estimator.classes_) == 2  # of which the second is corrected
    if by_decision:
        predictions = answer.decision(part.estimator)
    else:
        predictions = writer.column(answer.scores, 1) if is_binary else answer.scores
    if part.method == "temperature":
        return _by_temperature(writer.nodes, part, predictions, is_decision=by_decision)
    return _by_class(writer, part, predictions)


def _by_class(writer: Writer, part: Any, predictions: str) -> str:  # scikit-learn's own
    """Return the scores of all classes, each corrected by itself, then made to add up to 1."""
    nodes, n_classes = writer.nodes, len(part.classes)
    corrected = [
        _CORRECTIONS[part.method](nodes, calibrator, writer.column(predictions, at))
        for at, calibrator in enumerate(part.calibrators)
    ]
    if n_classes == 2:
        return with_complement(nodes, corrected[0])
    positions = np.searchsorted(part.classes, part.estimator.classes_)[: len(corrected)]
    joined = nodes.add("Concat", corrected, axis=1) if len(corrected) > 1 else corrected[0]
    if len(corrected) < n_classes:
        joined = nodes.add("MatMul", [joined, nodes.constant(np.eye(n_classes)[positions])])
    total = nodes.add("ReduceSum", [joined, nodes.constant(np.array([1]))], keepdims=1)
    is_zero = nodes.add("Equal", [total, nodes.constant(np.array([0.0]))])
    divided = nodes.add("Div", [joined, nodes.add("Where", [is_zero, nodes.constant(np.array([1.0])), total])])
    return nodes.add("Where", [is_zero, nodes.constant(np.full(n_classes, 1 / n_classes)), divided])


def _by_sigmoid(nodes: Nodes, calibrator: Any, score: str) -> str:  # scikit-learn's own
    slope, shift = (nodes.constant(np.array([float(each)])) for each in (calibrator.a_, calibrator.b_))
    return nodes.add("Sigmoid", [nodes.add("Neg", [nodes.add("Add", [nodes.add("Mul", [score, slope]), shift])])])


def _by_steps(nodes: Nodes, calibrator: Any, score: str) -> str:  # scikit-learn's own
    """Return what isotonic regression makes of a score: lines between points, and constants outside them."""
    is_single = calibrator.X_thresholds_.dtype == np.float32
    points, values = (np.asarray(each, np.float64) for each in (calibrator.X_thresholds_, calibrator.y_thresholds_))
    return along_lines(nodes, nodes.as_rounded(score) if is_single else score, points, values)


def _by_temperature(nodes: Nodes, part: Any, predictions: str, *, is_decision: bool) -> str:
    is_binary = len(part.estimator.classes_) == 2
    if is_decision:
        logits = (
            nodes.add("Concat", [nodes.add("Neg", [predictions]), predictions], axis=1) if is_binary else predictions
        )
    else:
        shares = with_complement(nodes, predictions) if is_binary else predictions
        logits = nodes.add("Log", [nodes.add("Add", [shares, nodes.constant(np.array([_SMALLEST]))])])
    scaled = nodes.add("Mul", [logits, nodes.constant(np.array([float(part.calibrators[0].beta_)]))])
    return nodes.add("Softmax", [scaled], axis=1)


_CORRECTIONS = {"sigmoid": _by_sigmoid, "isotonic": _by_steps}
