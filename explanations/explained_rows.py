"""Instances as callers send them, each explained or refused.

An explanation has the prediction, the nearest prototypes and why they are near, their own prediction, and the parts
that the request includes. It is built as plain values, which takes less time than pydantic objects; a test compares it
with the contract.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from schemas.explanations import ExplanationRequest
from storage.errors import StorageError
from tree_explainers.onnx_models.label_index import near_ties
from tree_explainers.onnx_models.session import Outcome

from . import documents
from .instances import read_instances, row_ids_of, run_readable
from .warm_explainer import WarmExplainer

_LACKING = {
    "rules": "no rules to include; register one with a rule_set",
    "approximation_path": "no tree to lead a row; register one with an approximation_tree",
}


def explain_instances(warm: WarmExplainer, request: ExplanationRequest) -> list[dict[str, Any]]:
    """Return an explanation or a refusal for each instance, in their order.

    Raises
    ------
    StorageError
        ``too_many_rows``, or ``validation_failed`` where ``row_ids`` are not one for each instance or two are equal, or
        the explainer has no rules or no tree to include.
    """
    has = {"rules": warm.rules is not None, "approximation_path": warm.tree is not None}
    refuse_to_include(request.include, has, warm.explainer_id)
    row_ids = row_ids_of(request.row_ids, len(request.instances))
    read = read_instances(request.instances, warm.features)
    outcome, indices, refused = run_readable(warm.session, read)
    leaves = warm.leaves(outcome)
    proximities = warm.index.proximities(leaves)
    values = dict(zip(read.indices, read.values, strict=True))
    data: list[Any] = [None] * len(request.instances)
    for row, index in enumerate(indices):
        explained = ExplainedRow(outcome, row, leaves[row], proximities[row], values[index])
        data[index] = _explanation(warm, request, row_ids[index], explained)
    for index, error in refused.items():
        data[index] = documents.refusal(row_ids[index], error)
    return data


def refuse_to_include(include: Iterable[str], has: Mapping[str, bool], explainer_id: str) -> None:
    """Refuse to include a part that an explainer does not have.

    Parameters
    ----------
    include
        The parts that a request includes.
    has
        For each part that an explainer may lack, whether this one has it.
    """
    for part in include:
        if not has.get(part, True):
            detail = f"explainer {explainer_id!r} has {_LACKING[part]}"
            raise StorageError("validation_failed", detail, "/include")


class ExplainedRow(NamedTuple):
    """One row of a batch, run."""

    outcome: Outcome
    row: int  # index in the outcome
    leaves: NDArray[np.int32]  # (n_trees,) by which it is compared with prototypes
    proximities: NDArray[np.int64]  # (n_prototypes,)
    values: list[Any]  # as sent, in the order of the features


def _explanation(
    warm: WarmExplainer, request: ExplanationRequest, row_id: str, explained: ExplainedRow
) -> dict[str, Any]:
    nearest = warm.index.nearest(explained.proximities, request.n_prototypes)
    labels, scores = explained.outcome.labels, explained.outcome.scores
    label = None if labels is None else warm.model.classes[labels[explained.row]]
    near_tie = bool(near_ties(scores[explained.row : explained.row + 1], warm.session.description.rounding)[0])
    return documents.explanation(
        row_id,
        documents.prediction(warm.model.classes, label, documents.decimals(scores[explained.row]), near_tie),
        _nearest_prototypes(warm, explained, nearest),
        documents.prototype_prediction(warm.prototypes[nearest[0]] if len(nearest) else None, label),
        documents.Included(
            _contrast(warm, explained) if "contrast" in request.include else None,
            _rules(warm, explained) if "rules" in request.include else None,
            _path(warm, explained) if "approximation_path" in request.include else None,
        ),
    )


def _nearest_prototypes(
    warm: WarmExplainer, explained: ExplainedRow, nearest: NDArray[np.int64]
) -> list[dict[str, Any]]:
    shared = warm.index.shared_trees(explained.leaves, nearest)
    reasons = warm.reason_texts.write(nearest, shared, warm.unexpected.of_row(explained.values))
    shares = (explained.proximities[nearest] / warm.index.total_weight).tolist()
    n_shared = shared.sum(axis=1).tolist()
    texts = _value_texts(explained.values)
    entries = []
    for index, number in enumerate(nearest.tolist()):
        prototype, share = warm.prototypes[number], shares[index]
        of_pair = (index + 1, share, 1 - share, n_shared[index], documents.compared(prototype, texts), reasons[index])
        entries.append(documents.near_prototype(prototype, warm.index.n_trees_used, of_pair))
    return entries


def _value_texts(values: list[Any]) -> list[bytes]:
    texts: list[bytes] = orjson.dumps(values)[1:-1].split(b",")
    # A comma within a text makes more of them.
    return texts if len(texts) == len(values) else [orjson.dumps(value) for value in values]


def _contrast(warm: WarmExplainer, explained: ExplainedRow) -> dict[str, Any] | None:
    """Return the nearest prototype of another class than the one predicted."""
    labels = explained.outcome.labels
    index = None if labels is None else warm.index.contrast(explained.proximities, int(labels[explained.row]))
    if index is None:
        return None
    proximity = float(explained.proximities[index] / warm.index.total_weight)
    return documents.contrast(warm.prototypes[index], proximity)


def _rules(warm: WarmExplainer, explained: ExplainedRow) -> orjson.Fragment | None:
    """Return the rules that hold for the row, in the order of the rule set."""
    return None if warm.rules is None else orjson.Fragment(warm.rules.text(warm.rules.firing(explained.values)))


def _path(warm: WarmExplainer, explained: ExplainedRow) -> orjson.Fragment | None:
    """Return the row's path in the approximation tree, and whether the tree agrees with the model."""
    if warm.tree is None:
        return None
    labels = explained.outcome.labels
    label = None if labels is None else int(labels[explained.row])
    return orjson.Fragment(warm.tree.text(warm.tree.leaf_of(explained.values), label))
