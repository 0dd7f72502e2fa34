"""Instances as callers send them, each explained or refused: what single answers are made of.

Answers are built as plain values and written as JSON at once; a test holds them against the contract.
"""

from collections.abc import Sequence
from typing import Any

from schemas.explanations import ExplanationRequest
from storage.errors import StorageError

from .documents import refusal
from .explained_rows import ExplainedRow, explanation
from .instances import read_instances, run_readable
from .warm_explainer import WarmExplainer


def explain_instances(warm: WarmExplainer, request: ExplanationRequest) -> list[dict[str, Any]]:
    """Return an explanation or a refusal for each instance, in their order.

    Raises
    ------
    StorageError
        ``too_many_rows``, or ``validation_failed`` where ``row_ids`` are not one for each instance, or the explainer
        has no rules to include.
    """
    _refuse_rules_that_are_not_there(warm, request)
    names = _row_ids(request)
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


def _refuse_rules_that_are_not_there(warm: WarmExplainer, request: ExplanationRequest) -> None:
    if warm.rules is None and "rules" in request.include:
        detail = f"explainer {warm.explainer_id!r} has no rules to include; register one with a rule_set"
        raise StorageError("validation_failed", detail, "/include")


def _row_ids(request: ExplanationRequest) -> Sequence[str]:
    n_instances = len(request.instances)
    if request.row_ids is None:
        return [str(position) for position in range(n_instances)]
    if len(request.row_ids) != n_instances:
        detail = f"{len(request.row_ids)} row_ids for {n_instances} instances; send one for each, or none at all"
        raise StorageError("validation_failed", detail, "/row_ids")
    return request.row_ids
