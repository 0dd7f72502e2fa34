"""Instances as callers send them, each explained or refused: what single answers are made of.

Answers are built as plain values and written as JSON at once; a test holds them against the contract.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from schemas.explanations import ExplanationRequest
from storage.errors import StorageError

from .documents import refusal
from .explained_rows import ExplainedRow, explanation
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
    _refuse_what_is_not_there(warm, request)
    names = row_ids_of(request.row_ids, len(request.instances))
    read = read_instances(request.instances, warm.features)
    outcome, positions, refused = run_readable(warm.session, read)
    proximities = warm.index.proximities(outcome.leaves)
    values = dict(zip(read.positions, read.values, strict=True))
    data: list[Any] = [None] * len(request.instances)
    for row, position in enumerate(positions):
        explained = ExplainedRow(outcome, row, proximities[row], values[position])
        data[position] = explanation(warm, request, names[position], explained)
    for position, error in refused.items():
        data[position] = refusal(names[position], error)
    return data


def _refuse_what_is_not_there(warm: WarmExplainer, request: ExplanationRequest) -> None:
    has = {"rules": warm.rules is not None, "approximation_path": warm.tree is not None}
    refuse_to_include(request.include, has, warm.explainer_id)


def refuse_to_include(include: Iterable[str], has: Mapping[str, bool], explainer_id: str) -> None:
    """Refuse to tell what an explainer does not have; ``has`` says so of what it may lack."""
    for part in include:
        if not has.get(part, True):
            detail = f"explainer {explainer_id!r} has {_LACKING[part]}"
            raise StorageError("validation_failed", detail, "/include")
