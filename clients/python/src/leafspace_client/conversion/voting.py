"""Voting: the mean of several models' scores, or the shares of their votes, written in double precision."""

from typing import Any

import numpy as np
from sklearn.ensemble import VotingRegressor

from .answers import Answer, Columns, Writer


def vote_shares(model: Any, rows: Any) -> Any:  # an estimator, arrays
    """Return the share of the votes, weighted, that each class gets in hard voting, (n_rows, n_classes)."""
    votes, weights = model.transform(rows), _weights(model)
    classes = np.arange(len(model.classes_))
    counts = sum(weight * (vote[:, None] == classes) for vote, weight in zip(votes.T, weights, strict=True))
    return counts / weights.sum()


def vote(writer: Writer, model: Any, columns: Columns) -> Answer:  # an estimator
    """Add the members, and the weighted mean of what they answer."""
    nodes, weights = writer.nodes, _weights(model)
    n_outputs = len(getattr(model, "classes_", [None]))
    is_hard = getattr(model, "voting", None) == "hard"
    answers = [writer.answer(member, columns) for member in model.estimators_]
    tensors = [nodes.as_double(writer.votes(each, n_outputs)) if is_hard else each.scores for each in answers]
    pairs = zip(tensors, weights.tolist(), strict=True)
    weighted = [each if weight == 1 else nodes.add("Mul", [each, nodes.constant(weight)]) for each, weight in pairs]
    mean = nodes.add("Div", [writer.total(weighted), nodes.constant(np.full(n_outputs, weights.sum()))])
    return Answer(mean, str if isinstance(model, VotingRegressor) else writer.highest(mean))


def _weights(model: Any) -> Any:  # an estimator, an array
    weights = model._weights_not_none  # noqa: SLF001  # of the members that were not dropped
    return np.ones(len(model.estimators_)) if weights is None else np.asarray(weights, np.float64)
