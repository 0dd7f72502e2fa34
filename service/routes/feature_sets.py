"""/v1/feature-sets: queries about the examples of a relational dataset, as columns."""

import json
from typing import Annotated, Any

import orjson
import pyarrow as pa
from fastapi import Query, Response
from fastapi.concurrency import run_in_threadpool

from schemas.feature_sets import (
    FEATURE_SETS,
    FeatureDataset,
    FeatureDatasetRequest,
    FeatureExportFormat,
    FeatureRowList,
    FeatureRowsRequest,
)
from schemas.noun import HTML, JSON

from ..operations import artefacts
from ..operations.feature_sets import (
    evaluate_examples,
    export_features,
    find_warm_set,
    refuse_many_examples,
    request_feature_dataset,
    request_feature_set,
)
from .answers import SQL_GROWTH, problems, repeated
from .artefact_routes import add_whole_content, artefact_router
from .dependencies import ContextDep, MemoryDep
from .streamed_answers import drawn, rewritten
from .table_answers import table_as

_SQL = "application/sql"
_MEDIA_TYPES = {"json": JSON, "sql": _SQL, "html": HTML}
_EXPORTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The features; SQL is one SELECT over the tables, with a row for each example and a column for "
        "each feature.",
        "content": {JSON: {"schema": {}}, **{form: {"schema": {"type": "string"}} for form in (_SQL, HTML)}},
    }
}
_CREATION: dict[int | str, dict[str, Any]] = repeated(FeatureDataset, "The dataset is there.")


def write(result: bytes, media_type: str) -> bytes:
    """Return the features as a table in CSV or Parquet; ``query`` is JSON."""
    features = json.loads(result)["features"]
    columns = {name: [feature[name] for feature in features] for name in ("id", "name", "kind", "type")}
    queries = [json.dumps(feature, ensure_ascii=False) for feature in features]
    return table_as(pa.table({**columns, "query": queries}), media_type)


router = artefact_router(
    FEATURE_SETS,
    request_feature_set,
    "Request a feature set: a list of features is kept at once; a job generates others unless they are known.",
)
add_whole_content(router, FEATURE_SETS, write, "The whole result; CSV and Parquet have a row for each feature.")


@router.get("/{feature_set_id}/export", response_class=Response, responses=_EXPORTS | problems(404, 409, 422, 503))
async def export_feature_set(
    feature_set_id: str,
    context: ContextDep,
    memory: MemoryDep,
    form: Annotated[FeatureExportFormat, Query(alias="format", description="Format of the export.")] = "json",
) -> Response:
    """Export the features as JSON, as SQL that runs on the tables themselves, or as a list in HTML."""
    path = await run_in_threadpool(artefacts.result_path, context, FEATURE_SETS, feature_set_id)
    media_type = _MEDIA_TYPES[form]
    if form == "html":
        return await drawn(context, memory, path, FEATURE_SETS, feature_set_id)
    write_in = lambda _: export_features(context, feature_set_id, form)  # noqa: E731  # as others are written
    return await rewritten(context, memory, path, write_in, media_type, SQL_GROWTH if form == "sql" else 1)


@router.post(
    "/{feature_set_id}/rows",
    response_model=FeatureRowList,
    responses=problems(400, 404, 408, 409, 413, 415, 422, 503),
)
async def evaluate_features(feature_set_id: str, request: FeatureRowsRequest, context: ContextDep) -> Response:
    """Evaluate the features of up to 100 examples, each sent with its rows of all tables."""
    refuse_many_examples(request.instances)
    warm = await run_in_threadpool(find_warm_set, context, feature_set_id)
    return Response(await evaluate_examples(context, warm, request.instances), media_type=JSON)


@router.post(
    "/{feature_set_id}/datasets",
    status_code=202,
    response_model=FeatureDataset,
    responses=_CREATION | problems(400, 404, 408, 409, 413, 415, 422, 503, 507),
)
def request_dataset(feature_set_id: str, request: FeatureDatasetRequest, context: ContextDep) -> Response:
    """Request an ordinary dataset with the features of a relational dataset's examples; a job makes it."""
    dataset = request_feature_dataset(context, feature_set_id, request)
    body = orjson.dumps(dataset.model_dump(mode="json"))
    if dataset.job is None:
        return Response(body, 200, {"Content-Location": f"/v1/datasets/{dataset.dataset}"}, JSON)
    return Response(body, 202, {"Location": f"/v1/jobs/{dataset.job}", "Retry-After": "1"}, JSON)
