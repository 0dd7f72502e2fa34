"""What is decided of rows, by their scores."""

from typing import Any

from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.onnx_models.session import Outcome, Predictions

from .documents import decimals


def decisions_of(
    description: ModelDescription, predictions: Outcome | Predictions, scores: list[list[float]] | None = None
) -> list[dict[str, Any]] | None:
    """Return what is decided of each row, in the plain values of ``Decided``; ``None`` of a plain regression.

    Without a declared decision the outcome is the predicted class, and the score is that of this class.

    Parameters
    ----------
    scores : (n_rows, n_classes or 1)
        The scores as decimals, where they are known already.
    """
    indices = description.outcome_indices(predictions.scores, predictions.labels)
    if indices is None:
        return None
    written = decimals(predictions.scores) if scores is None else scores
    rule, outcomes = description.decision, description.outcomes
    decided = zip(indices.tolist(), written, strict=True)
    if rule is None:
        return [{"outcome": outcomes[index], "score": of_row[index]} for index, of_row in decided]
    shared = {"bands": rule.bands()}
    of = {} if rule.score_of is None else {"score_of": rule.score_of}
    return [{"outcome": outcomes[index], **of, "score": of_row[rule.column], **shared} for index, of_row in decided]
