"""/v1/prototype-sets: a handful of real rows that represent each class."""

import json
from functools import partial
from typing import Annotated, Any

import pyarrow as pa
from fastapi import Query, Response
from fastapi.concurrency import run_in_threadpool

from schemas.contract import Page
from schemas.noun import JSON
from schemas.prototype_classifiers import ClassifierExportFormat
from schemas.prototype_sets import PROTOTYPE_SETS, RepresentedRow

from ..exports import CLASSIFIER_MEDIA_TYPES
from ..operations import artefacts
from ..operations import prototype_sets as operations
from ..operations.prototype_sets import classifier_file, export_classifier, request_prototype_set
from .answers import problems
from .artefact_routes import add_whole_content, artefact_router
from .dependencies import ContextDep, MemoryDep, PlainInteger, RowPageDep
from .streamed_answers import drawn, page_json, rewritten, stream_stored_file
from .table_answers import table_as

_SQL_GROWTH = 40  # bytes of SQL for each byte of the document that it is written from, at most about
_EXPORTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The nearest-prototype classifier; SQL is one expression over the features, Python the source "
        "of `predict(row)` and `nearest_prototype(row)`, ONNX a file with the model's own inputs and the outputs "
        "`label` (or `value`), `nearest_prototype` and `proximity`; HTML a drawing of the prototypes, in a file of its "
        "own.",
        "content": {
            JSON: {"schema": {}},
            CLASSIFIER_MEDIA_TYPES["sql"]: {"schema": {"type": "string"}},
            CLASSIFIER_MEDIA_TYPES["python"]: {"schema": {"type": "string"}},
            CLASSIFIER_MEDIA_TYPES["html"]: {"schema": {"type": "string"}},
            CLASSIFIER_MEDIA_TYPES["onnx"]: {"schema": {"type": "string", "format": "binary"}},
        },
    }
}


def write(result: bytes, media_type: str) -> bytes:
    """Return the prototypes as a table in CSV or Parquet."""
    rows = [_flat(prototype) for prototype in json.loads(result)["prototypes"]]
    return table_as(pa.Table.from_pylist(rows), media_type)


def _flat(prototype: dict[str, Any]) -> dict[str, Any]:
    plain = {name: value for name, value in prototype.items() if name not in {"coverage", "quality", "features"}}
    measures = {part: prototype[part] for part in ("coverage", "quality")}
    nested = {f"{part}_{name}": value for part, values in measures.items() for name, value in values.items()}
    return plain | nested | {f"feature:{cell['name']}": cell["value"] for cell in prototype["features"]}


router = artefact_router(
    PROTOTYPE_SETS, request_prototype_set, "Request a prototype set; a job makes it unless it is there."
)
add_whole_content(router, PROTOTYPE_SETS, write, "The whole result; CSV and Parquet have a row for each prototype.")


@router.get(
    "/{prototype_set_id}/rows", response_model=Page[RepresentedRow], responses=problems(404, 409, 413, 422, 503)
)
async def list_represented_rows(
    prototype_set_id: str,
    context: ContextDep,
    memory: MemoryDep,
    page: RowPageDep,
    rank: Annotated[PlainInteger, Query(ge=1, description="1-based rank of the prototype.", examples=[3])],
) -> Response:
    """Read the rows that a prototype represents, the nearest first."""
    read = partial(operations.list_represented_rows, context, prototype_set_id, rank, page.limit, page.cursor)
    return await page_json(context, memory, read)


@router.get("/{prototype_set_id}/export", response_class=Response, responses=_EXPORTS | problems(404, 409, 422, 503))
async def export_prototype_set(
    prototype_set_id: str,
    context: ContextDep,
    memory: MemoryDep,
    form: Annotated[
        ClassifierExportFormat, Query(alias="format", description="Format of the exported classifier.")
    ] = "json",
) -> Response:
    """Export the classifier by the nearest prototype as JSON, SQL, Python, or ONNX; or the prototypes as HTML."""
    media_type = CLASSIFIER_MEDIA_TYPES[form]
    if form == "html":
        result = await run_in_threadpool(artefacts.result_path, context, PROTOTYPE_SETS, prototype_set_id)
        return await drawn(context, memory, result, PROTOTYPE_SETS, prototype_set_id)
    if form == "json" or form == "onnx":  # noqa: PLR1714  # so that type checkers know the others
        find = lambda: classifier_file(context, prototype_set_id, form)  # noqa: E731  # as others are found
        return await stream_stored_file(context, memory, find, media_type)
    path = await run_in_threadpool(classifier_file, context, prototype_set_id, form)
    write_in = lambda document: export_classifier(document, form)  # noqa: E731  # as others are written
    return await rewritten(context, memory, path, write_in, media_type, _SQL_GROWTH if form == "sql" else 2)
