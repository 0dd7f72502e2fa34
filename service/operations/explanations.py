"""Explain single predictions: the hot path. No queue, no database and no disk once the explainer is warm."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

import orjson

from explanations.explained_rows import explain_instances
from explanations.warm_explainer import WarmExplainer, warm_up
from schemas.explanation_sets import NearestRowsOptions
from schemas.explanations import ExplanationRequest
from schemas.models import MAX_INSTANCES
from storage.errors import StorageError
from storage.explainer_names import no_such_name

from ..app_context import AppContext

Result = TypeVar("Result")

_QUICK_INSTANCES = 4  # more would keep the event loop from other callers for over two milliseconds
_QUICK_SECONDS = 1e-3  # of searching for the nearest reference rows


async def explain(context: AppContext, explainer: str, request: ExplanationRequest) -> bytes:
    """Return the explanations as JSON, in the order of the instances.

    Parameters
    ----------
    context
        What operations use in this process.
    explainer
        Its id, or a name that it has.
    request
        The rows, and what to return of them.

    Raises
    ------
    NotFound
        If there is no such explainer.
    StorageError
        ``too_many_rows``, ``validation_failed`` where ``row_ids`` are not one for each instance or two are equal, or
        ``unavailable`` where too many rows wait already, or where it cannot be known what the name means.
    """
    # Ids have an underscore, and names have none.
    name = explainer if "_" not in explainer else None
    warm = await find_warm(context, explainer if name is None else await explainer_named(context, name))
    check_size(context, warm, request)
    is_quick = await search_is_quick(warm, request)
    return await run_rows(context, len(request.instances), lambda: explain_rows(warm, request, name), is_quick=is_quick)


async def find_warm(context: AppContext, explainer_id: str) -> WarmExplainer:
    """Return the explainer, warmed up in a thread if need be; raise ``NotFound`` where there is none."""
    warm = context.explainer_cache.find(explainer_id)
    return await asyncio.to_thread(warm_explainer, context, explainer_id) if warm is None else warm


async def run_rows(context: AppContext, n_rows: int, work: Callable[[], Result], *, is_quick: bool = True) -> Result:
    """Return the result of ``work``: of a few rows that are quick at once, of others when their turn has come."""
    return work() if is_quick and n_rows <= _QUICK_INSTANCES else await context.batches.run(n_rows, work)


async def explainer_named(context: AppContext, name: str) -> str:
    """Return the id of the explainer that a name means now; raise ``NotFound`` where there is none."""
    if context.directory.is_stale():
        await asyncio.to_thread(context.directory.renew)
    found = context.directory.find(name)
    if found is None:
        raise no_such_name(name)
    return found


async def search_is_quick(warm: WarmExplainer, request: ExplanationRequest) -> bool:
    """Return whether the nearest of all reference rows, if requested, are found quickly; open their file if need be."""
    if warm.reference is None or not _n_reference_rows(warm, request):
        return True
    if not warm.reference.is_open:
        await asyncio.to_thread(warm.reference.open)
    options = request.nearest_rows or NearestRowsOptions()
    return warm.reference.seconds(options, len(request.instances)) <= _QUICK_SECONDS


def warm_explainer(context: AppContext, explainer_id: str) -> WarmExplainer:
    """Return the explainer, warmed up if need be; raise ``NotFound`` where there is none."""
    return context.explainer_cache.get(
        explainer_id, lambda: warm_up(explainer_id, context.database, context.objects, context.sessions.get)
    )


def explain_rows(warm: WarmExplainer, request: ExplanationRequest, name: str | None = None) -> bytes:
    """Return the explanations as JSON; ``name`` is the one that the explainer was called by."""
    data = explain_instances(warm, request)
    called = {} if name is None else {"explainer_name": name}
    document = {"object": "list", "explainer": warm.explainer_id, **called, "data": data, "provenance": warm.provenance}
    return orjson.dumps(document)


def check_size(context: AppContext, warm: WarmExplainer, request: ExplanationRequest) -> None:
    """Refuse rows and prototypes that are too many values for one answer."""
    limit = context.settings.max_explained_values
    n_instances = len(request.instances)
    n_prototypes = min(request.n_prototypes, len(warm.prototypes)) + _n_reference_rows(warm, request)
    n_values = _n_values(request, len(warm.shown))
    if n_instances * n_prototypes * n_values > limit and n_instances <= MAX_INSTANCES:
        detail = (
            f"{n_instances} instances with {n_prototypes} prototypes or rows and {n_values} reasons or values of each "
            f"are more than the {limit} values of one answer; send fewer instances, request fewer of these, or show "
            "fewer features"
        )
        raise StorageError("too_many_rows", detail)


def _n_reference_rows(warm: WarmExplainer, request: ExplanationRequest) -> int:
    """Return how many of all reference rows an explanation lists, at most."""
    if warm.reference is None or not (request.detail == "full" or "nearest_rows" in request.include):
        return 0
    return (request.nearest_rows or NearestRowsOptions()).n_rows


def _n_values(request: ExplanationRequest, n_features: int) -> int:
    """Return how many features an explanation shows of each prototype, at most."""
    if request.detail == "full" or "values" in request.include or request.n_reasons == "all":
        return n_features
    return min(request.n_reasons, n_features)
