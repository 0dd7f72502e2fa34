"""/v1/approximation-trees: one tree that represents a whole ensemble, and needs few features."""

import json
from typing import Annotated, Any

import pyarrow as pa
from fastapi import Query, Response
from fastapi.concurrency import run_in_threadpool

from schemas.approximation_trees import APPROXIMATION_TREES, TreeExportFormat
from schemas.next_questions import NextQuestion, NextQuestionRequest
from schemas.noun import JSON

from ..exports import TREE_MEDIA_TYPES
from ..operations import artefacts
from ..operations.approximation_trees import export_tree, next_question, request_approximation_tree
from .answers import SQL_GROWTH, SqlSourceParameter, problems
from .artefact_routes import add_whole_content, artefact_router
from .dependencies import ContextDep, MemoryDep
from .streamed_answers import drawn, rewritten
from .table_answers import table_as

_TYPES = {
    "id": pa.int64(),
    "depth": pa.int64(),
    "feature": pa.string(),
    "column": pa.string(),
    "operator": pa.string(),
    "value": pa.string(),
    "or_missing": pa.bool_(),
    "text": pa.string(),
    "question": pa.string(),
    "left": pa.int64(),
    "right": pa.int64(),
    "n_samples": pa.int64(),
    "n_pseudo_samples": pa.int64(),
    "p_value": pa.float64(),
    "at_cap": pa.bool_(),
    "settled": pa.bool_(),
}
_EXPORTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The tree; SQL is one expression over the features, or one SELECT over tables; "
        "Python the source of one function, `predict(row)`, ONNX a "
        "file with an input for each feature that it tests.",
        "content": {
            **{media_type: {"schema": {"type": "string"}} for media_type in TREE_MEDIA_TYPES.values()},
            JSON: {"schema": {}},
            TREE_MEDIA_TYPES["onnx"]: {"schema": {"type": "string", "format": "binary"}},
        },
    }
}


def write(result: bytes, media_type: str) -> bytes:
    """Return the nodes as a table in CSV or Parquet; ``value`` is a text, which is JSON where it is a list."""
    return table_as(_table(json.loads(result)), media_type)


def _table(content: dict[str, Any]) -> pa.Table:
    classes, nodes = content["classes"], content["nodes"]
    fields = [*_TYPES.items(), ("prediction", pa.string() if classes else pa.float64())]
    rows = [{**node, "value": _text(node["value"])} for node in nodes]
    columns = {name: pa.array([row.get(name) for row in rows], kind) for name, kind in fields}
    for index, label in enumerate(classes):
        columns[f"score:{label}"] = pa.array([node["scores"][index]["value"] for node in nodes], pa.float64())
    return pa.table(columns)


def _text(value: float | str | list[str] | None) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


router = artefact_router(
    APPROXIMATION_TREES,
    request_approximation_tree,
    "Request one tree that represents an ensemble; a job grows it unless it is known.",
)
add_whole_content(router, APPROXIMATION_TREES, write, "The whole result; CSV and Parquet have a row for each node.")


@router.get(
    "/{approximation_tree_id}/export", response_class=Response, responses=_EXPORTS | problems(404, 409, 422, 503)
)
async def export_approximation_tree(
    approximation_tree_id: str,
    context: ContextDep,
    memory: MemoryDep,
    form: Annotated[TreeExportFormat, Query(alias="format", description="Format of the exported tree.")] = "json",
    over: SqlSourceParameter = None,
) -> Response:
    """Export the tree as JSON, text, Graphviz, a drawing in SVG or HTML, SQL, a Python function, or ONNX."""
    path = await run_in_threadpool(artefacts.result_path, context, APPROXIMATION_TREES, approximation_tree_id)
    media_type = TREE_MEDIA_TYPES[form]
    if form == "html":
        return await drawn(context, memory, path, APPROXIMATION_TREES, approximation_tree_id)
    write_in = lambda _: export_tree(context, approximation_tree_id, form, over)  # noqa: E731  # as others are written
    return await rewritten(context, memory, path, write_in, media_type, SQL_GROWTH if form == "sql" else 1)


@router.post("/{approximation_tree_id}/next-question", responses=problems(400, 404, 408, 409, 413, 415, 422, 503))
def get_next_question(approximation_tree_id: str, request: NextQuestionRequest, context: ContextDep) -> NextQuestion:
    """Return the next feature that the tree needs, given the answers so far, or the prediction that they determine."""
    return next_question(context, approximation_tree_id, request)
