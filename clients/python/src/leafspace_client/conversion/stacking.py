"""Stacking: a model that reads what others predict."""

from typing import Any

import numpy as np

from .answers import Answer, Columns, Writer


def stacked(writer: Writer, model: Any, columns: Columns) -> Answer:  # an estimator
    """Add the members, and the model that reads what they predict, and the rows where it does."""
    n_classes = len(getattr(model, "classes_", ()))
    parts = [
        _predicted(writer, member, writer.answer(member, columns), method, n_classes)
        for member, method in zip(model.estimators_, model.stack_method_, strict=True)
    ]
    if model.passthrough:
        parts.append(writer.tensor(columns, rounds=False))
    return writer.answer(model.final_estimator_, writer.joined(parts, model.final_estimator_.n_features_in_))


def _predicted(writer: Writer, member: Any, answer: Answer, method: str, n_classes: int) -> str:
    """Return the columns that a member contributes; of two classes the score of the second."""
    if method == "decision_function":
        return answer.decision(member)
    if method == "predict_proba":
        return writer.column(answer.scores, 1) if n_classes == 2 else answer.scores
    if not n_classes:
        return answer.scores
    index = writer.nodes.add("Reshape", [answer.index(), writer.nodes.constant(np.array([-1, 1]))])
    return writer.nodes.as_double(index)
