"""Explain single predictions: the hot path. No queue, no database and no disk once the explainer is warm."""

import asyncio

import orjson

from explanations.dataset_rows import DatasetRows
from explanations.explained_rows import explain_instances, n_values_shown
from explanations.instances import ReadInstances, read_instances, row_ids_of
from explanations.warm_explainer import WarmExplainer, warm_up
from schemas.explanations import ExplanationRequest
from schemas.models import MAX_INSTANCES
from schemas.problems import FieldProblem
from storage.dataset_files import DatasetFile
from storage.errors import EveryRowFailed, StorageError
from storage.feature_matching import match_features
from tree_explainers.errors import RowRefused

from ..app_context import AppContext

_QUICK_INSTANCES = 4  # more would keep the event loop from other callers for over two milliseconds
_WHICH_ROWS = "send either `instances`, or `dataset` with the `row_ids` of those of its rows that are to be explained"


async def explain(context: AppContext, explainer_id: str, request: ExplanationRequest) -> bytes:
    """Return the explanations as JSON, in the order of the rows.

    Raises
    ------
    NotFound
        If there is no such explainer, or no such dataset.
    EveryRowFailed
        If none of the rows could be explained.
    StorageError
        ``too_many_rows``, ``validation_failed`` where ``row_ids`` are not one for each instance or two are equal,
        ``schema_mismatch`` where the dataset does not fit the model, or ``unavailable`` where too many rows wait
        already.
    """
    warm = context.explainer_cache.find(explainer_id)
    if warm is None:
        warm = await asyncio.to_thread(warm_explainer, context, explainer_id)
    n_rows = _n_rows(request)
    _check_size(warm, request, n_rows, context.settings.max_explained_values)
    if request.dataset is not None:
        return await context.batches.run(
            n_rows, lambda: explain_rows(warm, request, _read_rows(context, warm, request))
        )
    if n_rows <= _QUICK_INSTANCES:
        return explain_rows(warm, request)
    return await context.batches.run(n_rows, lambda: explain_rows(warm, request))


def warm_explainer(context: AppContext, explainer_id: str) -> WarmExplainer:
    """Return the explainer, warmed up if need be; raise ``NotFound`` where there is none."""
    return context.explainer_cache.get(
        explainer_id, lambda: warm_up(explainer_id, context.database, context.objects, context.sessions.get)
    )


def explain_rows(warm: WarmExplainer, request: ExplanationRequest, read: ReadInstances | None = None) -> bytes:
    """Return the explanations as JSON; ``read`` are the rows where the request has none of its own."""
    data = explain_instances(warm, request, read)
    if all(row["status"] == "error" for row in data):
        rows = "instances" if request.dataset is None else "row_ids"
        problems = [row["problem"] for row in data]
        raise EveryRowFailed(
            [
                FieldProblem(pointer=f"/{rows}/{index}", detail=problem["detail"], code=problem["code"])
                for index, problem in enumerate(problems)
            ]
        )
    document = {"object": "list", "explainer": warm.explainer_id, "data": data, "provenance": warm.provenance}
    return orjson.dumps(document)


def _n_rows(request: ExplanationRequest) -> int:
    """Return the number of rows; refuse a request that does not say which they are."""
    if (request.instances is None) == (request.dataset is None):
        raise StorageError("validation_failed", _WHICH_ROWS, "/instances")
    rows = request.row_ids if request.instances is None else request.instances
    if rows is None:
        raise StorageError("validation_failed", _WHICH_ROWS, "/row_ids")
    return len(rows)


def _check_size(warm: WarmExplainer, request: ExplanationRequest, n_rows: int, limit: int) -> None:
    n_prototypes = min(request.n_prototypes, len(warm.prototypes))
    n_values = n_values_shown(request, len(warm.shown))
    if n_rows * n_prototypes * n_values > limit and n_rows <= MAX_INSTANCES:
        detail = (
            f"{n_rows} rows with {n_prototypes} prototypes and {n_values} reasons or values of each are more than the "
            f"{limit} values of one answer; send fewer rows, request fewer prototypes or reasons, or show fewer "
            "features"
        )
        raise StorageError("too_many_rows", detail)


def _read_rows(context: AppContext, warm: WarmExplainer, request: ExplanationRequest) -> ReadInstances:
    """Return the rows of a registered dataset that a request names; those that there are not are refused."""
    stored = context.datasets.get(request.dataset or "")
    columns = match_features(warm.model, stored.view)
    row_ids = row_ids_of(request.row_ids, len(request.row_ids or ()))
    with DatasetFile(context.objects.path_of_pages(stored.content)) as file:
        found = file.find_rows(row_ids)
        places = [place for place, row_id in enumerate(row_ids) if row_id in found]
        instances = DatasetRows(file, columns).take(
            [found[row_ids[place]] for place in places], context.settings.max_json_bytes
        )
    unknown = {
        place: _unknown_row(row_id, stored.view.id) for place, row_id in enumerate(row_ids) if row_id not in found
    }
    return read_instances(instances, warm.features).among(places, unknown)


def _unknown_row(row_id: str, dataset: str) -> RowRefused:
    return RowRefused("not_found", f"dataset {dataset!r} has no row with the id {row_id[:80]!r}")
