"""Explain single predictions: the hot path. No queue, no database and no disk once the explainer is warm."""

import asyncio

import orjson

from explanations.explained_rows import explain_instances
from explanations.warm_explainer import WarmExplainer, warm_up
from schemas.explanations import ExplanationRequest
from schemas.models import MAX_INSTANCES
from storage.errors import StorageError

from ..app_context import AppContext

_QUICK_INSTANCES = 4  # more would keep the event loop from other callers for over two milliseconds


async def explain(context: AppContext, explainer_id: str, request: ExplanationRequest) -> bytes:
    """Return the explanations as JSON, in the order of the instances.

    Raises
    ------
    NotFound
        If there is no such explainer.
    StorageError
        ``too_many_rows``, ``validation_failed`` where ``row_ids`` are not one for each instance or two are equal, or
        ``unavailable`` where too many rows wait already.
    """
    warm = context.explainer_cache.find(explainer_id)
    if warm is None:
        warm = await asyncio.to_thread(warm_explainer, context, explainer_id)
    _check_size(warm, request, context.settings.max_explained_values)
    if len(request.instances) <= _QUICK_INSTANCES:
        return explain_rows(warm, request)
    return await context.batches.run(len(request.instances), lambda: explain_rows(warm, request))


def warm_explainer(context: AppContext, explainer_id: str) -> WarmExplainer:
    """Return the explainer, warmed up if need be; raise ``NotFound`` where there is none."""
    return context.explainer_cache.get(
        explainer_id, lambda: warm_up(explainer_id, context.database, context.objects, context.sessions.get)
    )


def explain_rows(warm: WarmExplainer, request: ExplanationRequest) -> bytes:
    """Return the explanations as JSON."""
    data = explain_instances(warm, request)
    document = {"object": "list", "explainer": warm.explainer_id, "data": data, "provenance": warm.provenance}
    return orjson.dumps(document)


def _check_size(warm: WarmExplainer, request: ExplanationRequest, limit: int) -> None:
    n_instances = len(request.instances)
    n_prototypes = min(request.n_prototypes, len(warm.prototypes))
    n_values = _n_values(request, len(warm.shown))
    if n_instances * n_prototypes * n_values > limit and n_instances <= MAX_INSTANCES:
        detail = (
            f"{n_instances} instances with {n_prototypes} prototypes and {n_values} reasons or values of each are more "
            f"than the {limit} values of one answer; send fewer instances, request fewer prototypes or reasons, or "
            "show fewer features"
        )
        raise StorageError("too_many_rows", detail)


def _n_values(request: ExplanationRequest, n_features: int) -> int:
    """Return how many features an explanation shows of each prototype, at most."""
    if request.detail == "full" or "values" in request.include or request.n_reasons == "all":
        return n_features
    return min(request.n_reasons, n_features)
