"""One row explained: the prediction, the nearest prototypes and why, what they predict, and what was asked for."""

from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from schemas.explanations import ExplanationRequest
from tree_explainers.onnx_models.label_index import near_ties
from tree_explainers.onnx_models.session import Outcome

from . import documents
from .decimals import decimals
from .warm_explainer import WarmExplainer


class ExplainedRow(NamedTuple):
    """One row of a batch, run."""

    outcome: Outcome
    row: int  # position in the outcome
    proximities: NDArray[np.int64]  # (n_prototypes,)
    values: list[Any]  # as sent, in the order of the features


def explanation(
    warm: WarmExplainer, request: ExplanationRequest, row_id: str, explained: ExplainedRow
) -> dict[str, Any]:
    """Return the explanation of a row."""
    nearest = warm.index.nearest(explained.proximities, request.n_prototypes)
    label = _label(warm, explained)
    return documents.explanation(
        row_id,
        documents.prediction(
            warm.model.classes,
            label,
            decimals(explained.outcome.scores[explained.row]),
            _near_tie(warm, explained),
        ),
        _nearest_prototypes(warm, explained, nearest),
        documents.prototype_prediction(warm.prototypes[nearest[0]] if len(nearest) else None, label),
        documents.Included(
            _contrast(warm, explained) if "contrast" in request.include else None,
            _rules(warm, explained) if "rules" in request.include else None,
            _path(warm, explained) if "approximation_path" in request.include else None,
        ),
    )


def _label(warm: WarmExplainer, explained: ExplainedRow) -> str | None:
    labels = explained.outcome.labels
    return None if labels is None else warm.model.classes[labels[explained.row]]


def _near_tie(warm: WarmExplainer, explained: ExplainedRow) -> bool:
    scores = explained.outcome.scores[explained.row : explained.row + 1]
    return bool(near_ties(scores, warm.session.description.rounding)[0])


def _nearest_prototypes(
    warm: WarmExplainer, explained: ExplainedRow, nearest: NDArray[np.int64]
) -> list[dict[str, Any]]:
    shared = warm.index.shared_trees(explained.outcome.leaves[explained.row], nearest)
    reasons = warm.reason_texts.write(nearest, shared, warm.unexpected.of_row(explained.values))
    shares = (explained.proximities[nearest] / warm.index.total_weight).tolist()
    n_shared = shared.sum(axis=1).tolist()
    texts = _value_texts(explained.values)
    answers = []
    for place, position in enumerate(nearest.tolist()):
        prototype, share = warm.prototypes[position], shares[place]
        of_pair = (place + 1, share, 1 - share, n_shared[place], documents.compared(prototype, texts), reasons[place])
        answers.append(documents.near_prototype(prototype, shared.shape[1], of_pair))
    return answers


def _rules(warm: WarmExplainer, explained: ExplainedRow) -> orjson.Fragment | None:
    """Return the rules that hold for the row, in the order in which they are asked."""
    return None if warm.rules is None else orjson.Fragment(warm.rules.text(warm.rules.firing(explained.values)))


def _path(warm: WarmExplainer, explained: ExplainedRow) -> orjson.Fragment | None:
    """Return the row's way in the tree, and whether it leads to what the model says."""
    if warm.tree is None:
        return None
    labels = explained.outcome.labels
    label = None if labels is None else int(labels[explained.row])
    return orjson.Fragment(warm.tree.text(warm.tree.leaf_of(explained.values), label))


def _value_texts(values: list[Any]) -> list[bytes]:
    texts: list[bytes] = orjson.dumps(values)[1:-1].split(b",")
    # A comma within a text makes more of them.
    return texts if len(texts) == len(values) else [orjson.dumps(value) for value in values]


def _contrast(warm: WarmExplainer, explained: ExplainedRow) -> dict[str, Any] | None:
    """Return the nearest prototype of another class than the one predicted."""
    labels = explained.outcome.labels
    position = None if labels is None else warm.index.contrast(explained.proximities, int(labels[explained.row]))
    if position is None:
        return None
    proximity = float(explained.proximities[position] / warm.index.total_weight)
    return documents.contrast(warm.prototypes[position], proximity)
