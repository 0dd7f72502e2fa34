"""Explain single predictions: the hot path. No queue, no database and no disk once the explainer is warm.

Answers are built as plain values and written as JSON at once; a test holds them against the contract.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

import orjson

from schemas.explanations import ExplanationRequest
from schemas.models import MAX_INSTANCES
from schemas.problems import problem_for, problem_json
from storage.errors import StorageError
from tree_explainers.errors import RowRefused

from ..parts import Parts
from ..warm_explainer import WarmExplainer
from .explained_rows import ExplainedRow, explanation
from .instances import read_instances
from .predictions import run_readable
from .warming import warm_up

_QUICK_INSTANCES = 4  # more would keep the event loop from other callers for over two milliseconds


async def explain(parts: Parts, explainer_id: str, request: ExplanationRequest) -> bytes:
    """Return the explanations as JSON, in the order of the instances.

    Raises
    ------
    NotFound
        If there is no such explainer.
    StorageError
        ``too_many_rows``, or ``validation_failed`` where ``row_ids`` are not one for each instance.
    """
    warm = parts.explainer_cache.find(explainer_id)
    if warm is None:
        warm = await asyncio.to_thread(parts.explainer_cache.get, explainer_id, lambda: warm_up(parts, explainer_id))
    _check_size(warm, request, parts.settings.max_explained_values)
    if len(request.instances) <= _QUICK_INSTANCES:
        return explain_rows(warm, request)
    return await asyncio.get_running_loop().run_in_executor(parts.batches, explain_rows, warm, request)


def explain_rows(warm: WarmExplainer, request: ExplanationRequest) -> bytes:
    """Return the explanations as JSON."""
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
        data[position] = _refusal(names[position], error)
    document = {"object": "list", "explainer": warm.explainer_id, "data": data, "provenance": warm.provenance}
    return orjson.dumps(document)


def _check_size(warm: WarmExplainer, request: ExplanationRequest, limit: int) -> None:
    n_instances = len(request.instances)
    n_prototypes = min(request.n_prototypes, len(warm.prototypes))
    n_features = len(warm.prototypes[0].texts)
    if n_instances * n_prototypes * n_features > limit and n_instances <= MAX_INSTANCES:
        detail = (
            f"{n_instances} instances with {n_prototypes} prototypes of {n_features} features each are more than the "
            f"{limit} values of one answer; send fewer instances, ask for fewer prototypes, or show fewer features"
        )
        raise StorageError("too_many_rows", detail)


def _row_ids(request: ExplanationRequest) -> Sequence[str]:
    n_instances = len(request.instances)
    if request.row_ids is None:
        return [str(position) for position in range(n_instances)]
    if len(request.row_ids) != n_instances:
        detail = f"{len(request.row_ids)} row_ids for {n_instances} instances; send one for each, or none at all"
        raise StorageError("validation_failed", detail, "/row_ids")
    return request.row_ids


def _refusal(row_id: str, error: RowRefused) -> dict[str, Any]:
    problem = problem_json(problem_for(error.code, error.detail))
    return {"object": "explanation", "row_id": row_id, "status": "error", "problem": problem}
