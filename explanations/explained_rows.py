"""One explanation as plain values: the prediction, the nearest prototypes and why, what they predict, the contrast."""

from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from schemas.explanations import ExplanationRequest
from tree_explainers.onnx_graph.session import Outcome

from .decimals import decimals
from .warm_explainer import WarmExplainer, WarmPrototype


class ExplainedRow(NamedTuple):
    """One row of a batch, run."""

    outcome: Outcome
    row: int  # position in the outcome
    proximities: NDArray[np.int64]  # (n_prototypes,)
    values: list[Any]  # as sent, in the order of the features


def explanation(
    warm: WarmExplainer, request: ExplanationRequest, row_id: str, explained: ExplainedRow
) -> dict[str, Any]:
    """Return the explanation of a row; ``schemas.explanations.Explanation`` says what its fields mean."""
    nearest = warm.index.nearest(explained.proximities, request.n_prototypes)
    label = _label(warm, explained)
    contrast = _contrast(warm, explained, label) if "contrast" in request.include else None
    return {
        "object": "explanation",
        "row_id": row_id,
        "status": "ok",
        "prediction": _prediction(warm, explained, label),
        "nearest_prototypes": _nearest_prototypes(warm, explained, nearest),
        "prototype_prediction": _prototype_prediction(warm, nearest, label),
        "contrast": contrast,
    }


def _label(warm: WarmExplainer, explained: ExplainedRow) -> str | None:
    labels = explained.outcome.labels
    return None if labels is None else warm.model.classes[labels[explained.row]]


def _prediction(warm: WarmExplainer, explained: ExplainedRow, label: str | None) -> dict[str, Any]:
    scores = decimals(explained.outcome.scores[explained.row])
    if label is None:
        return {"task": "regression", "label": None, "value": scores[0], "scores": []}
    named = [{"label": name, "value": score} for name, score in zip(warm.model.classes, scores, strict=True)]
    return {"task": "classification", "label": label, "value": None, "scores": named}


def _nearest_prototypes(
    warm: WarmExplainer, explained: ExplainedRow, nearest: NDArray[np.int64]
) -> list[dict[str, Any]]:
    shared = warm.index.shared_trees(explained.outcome.leaves[explained.row], nearest)
    reasons = warm.reason_texts.write(nearest, shared)
    shares = (explained.proximities[nearest] / warm.index.total_weight).tolist()
    texts = _value_texts(explained.values)
    answers = []
    for rank, (position, n_shared) in enumerate(zip(nearest.tolist(), shared.sum(axis=1).tolist(), strict=True)):
        prototype = warm.prototypes[position]
        answers.append(
            {
                "rank": rank + 1,
                "row_id": prototype.row_id,
                "label": prototype.label,
                "value": prototype.value,
                "proximity": shares[rank],
                "distance": 1 - shares[rank],
                "shared_trees": n_shared,
                "n_trees": shared.shape[1],
                "coverage": prototype.coverage,
                "features": _compared(prototype, texts),
                "similar_because": reasons[rank],
            }
        )
    return answers


def _compared(prototype: WarmPrototype, texts: list[bytes]) -> orjson.Fragment:
    """Return the prototype's values beside those of the instance, whose JSON texts are given, as a JSON list."""
    pieces = [b"},"] * (3 * len(prototype.texts))
    pieces[0::3] = prototype.texts
    pieces[1::3] = [texts[position] for position in prototype.positions]
    return orjson.Fragment(b"[%b]" % b"".join(pieces)[:-1])


def _value_texts(values: list[Any]) -> list[bytes]:
    texts: list[bytes] = orjson.dumps(values)[1:-1].split(b",")
    # A comma within a text makes more of them.
    return texts if len(texts) == len(values) else [orjson.dumps(value) for value in values]


def _prototype_prediction(warm: WarmExplainer, nearest: NDArray[np.int64], label: str | None) -> dict[str, Any]:
    if len(nearest) == 0:
        return {"status": "unassigned", "label": None, "value": None, "agrees": None}
    prototype = warm.prototypes[int(nearest[0])]
    agrees = None if label is None else prototype.label == label
    return {"status": "assigned", "label": prototype.label, "value": prototype.value, "agrees": agrees}


def _contrast(warm: WarmExplainer, explained: ExplainedRow, label: str | None) -> dict[str, Any] | None:
    """Return the nearest prototype of another class than the one predicted."""
    if label is None:
        return None
    labels = explained.outcome.labels
    position = None if labels is None else warm.index.contrast(explained.proximities, int(labels[explained.row]))
    if position is None:
        return None
    proximity = float(explained.proximities[position] / warm.index.total_weight)
    prototype = warm.prototypes[position]
    return {"row_id": prototype.row_id, "label": prototype.label, "proximity": proximity}
