"""What is decided of rows, by their scores."""

from typing import Any

from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.onnx_models.session import Outcome, Predictions

from .documents import decimals

_FEW_SCORES = 64  # for which numpy takes longer to choose among them than to return them all


def decisions_of(description: ModelDescription, predictions: Outcome | Predictions) -> list[dict[str, Any]] | None:
    """Return what is decided of each row, in the plain values of ``Decided``; ``None`` of a plain regression.

    Without a declared decision the outcome is the predicted class, and the score is that of this class.
    """
    scores = predictions.scores
    indices = description.outcome_indices(scores, predictions.labels)
    if indices is None:
        return None
    rule, outcomes = description.decision, description.outcomes
    if rule is None:
        chosen = indices.tolist()
        if scores.size <= _FEW_SCORES:
            of_outcomes = [row[index] for row, index in zip(map(decimals, scores), chosen, strict=True)]
        else:
            of_outcomes = decimals(scores[range(len(scores)), indices])
        return [{"outcome": outcomes[index], "score": score} for index, score in zip(chosen, of_outcomes, strict=True)]
    shared = {"bands": rule.bands()}
    of = {} if rule.score_of is None else {"score_of": rule.score_of}
    return [
        {"outcome": outcomes[index], **of, "score": score, **shared}
        for index, score in zip(indices.tolist(), decimals(scores[:, rule.column]), strict=True)
    ]
