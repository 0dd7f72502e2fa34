"""/v1/approximation-trees: one tree that stands for a whole ensemble, and asks no more than it takes."""

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from fastapi.concurrency import run_in_threadpool

from schemas.approximation_trees import (
    ApproximationTree,
    ApproximationTreeRequest,
    ApproximationTreeResult,
    TreeExportFormat,
)
from schemas.contract import Page
from schemas.next_questions import NextQuestion, NextQuestionRequest
from schemas.nouns import APPROXIMATION_TREES

from ..dependencies import IdempotencyKey, PageDep, PartsDep, RoomDep
from ..exports import MEDIA_TYPES
from ..operations import artefacts
from ..operations.approximation_trees import ask_for_approximation_tree, export_tree
from ..operations.next_questions import ask_next
from ..request_class import StrictRoute
from . import approximation_tree_formats as formats
from .answers import asked_once, made_by_job, problems
from .media_types import JSON, Accept, choose, three_forms
from .streamed_answers import rewritten, stream_json, stream_kept_file

_PATH = "/v1/approximation-trees"
_FORMS = three_forms("The whole result; CSV and Parquet have a row for each node.")
_EXPORTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The tree; SQL is one expression, Python the source of one function, `predict(row)`, ONNX a "
        "file with an input for each feature asked about.",
        "content": {
            **{media_type: {"schema": {"type": "string"}} for media_type in MEDIA_TYPES.values()},
            JSON: {"schema": {}},
            MEDIA_TYPES["onnx"]: {"schema": {"type": "string", "format": "binary"}},
        },
    }
}
router = APIRouter(prefix=_PATH, tags=["approximation trees"], route_class=StrictRoute)


@router.post("", status_code=202, response_model=ApproximationTree, responses=made_by_job(ApproximationTree))
def create_approximation_tree(
    request: ApproximationTreeRequest, parts: PartsDep, idempotency_key: IdempotencyKey
) -> Response:
    """Ask for one tree that stands for an ensemble; a job grows it unless it is known."""
    ask, show = (
        partial(ask_for_approximation_tree, parts, request),
        partial(artefacts.get_one, parts, APPROXIMATION_TREES),
    )
    return asked_once(parts, idempotency_key, _PATH, request, ask, show)


@router.get("", responses=problems(422, 503))
def list_approximation_trees(parts: PartsDep, page: PageDep) -> Page[ApproximationTree]:
    """List approximation trees, newest first, without what was found."""
    return artefacts.list_all(parts, APPROXIMATION_TREES, page.limit, page.cursor)


@router.get("/{approximation_tree_id}", response_model=ApproximationTree, responses=problems(404, 503))
async def get_approximation_tree(approximation_tree_id: str, parts: PartsDep, room: RoomDep) -> Response:
    """Read an approximation tree, with its nodes if it is ready."""
    written = partial(artefacts.write_one, parts, APPROXIMATION_TREES, approximation_tree_id)
    return await stream_json(parts, room, written)


@router.get(
    "/{approximation_tree_id}/content",
    response_model=ApproximationTreeResult,
    responses=_FORMS | problems(404, 406, 409, 503),
)
async def get_approximation_tree_content(
    approximation_tree_id: str, parts: PartsDep, room: RoomDep, accept: Accept = JSON
) -> Response:
    """Read the whole result as JSON, CSV or Parquet, as `Accept` says."""
    media_type = choose(accept)
    path = await run_in_threadpool(artefacts.result_path, parts, APPROXIMATION_TREES, approximation_tree_id)
    if media_type == JSON:
        return await stream_kept_file(parts, room, lambda: path, JSON)
    return await rewritten(parts, room, path, lambda result: formats.write(result, media_type), media_type)


@router.get(
    "/{approximation_tree_id}/export", response_class=Response, responses=_EXPORTS | problems(404, 409, 422, 503)
)
async def export_approximation_tree(
    approximation_tree_id: str,
    parts: PartsDep,
    room: RoomDep,
    form: Annotated[TreeExportFormat, Query(alias="format")] = "json",
) -> Response:
    """Export the tree as JSON, text, Graphviz, a drawing in SVG, an SQL expression, a Python function, or ONNX."""
    path = await run_in_threadpool(artefacts.result_path, parts, APPROXIMATION_TREES, approximation_tree_id)
    media_type = MEDIA_TYPES[form]
    return await rewritten(parts, room, path, lambda _: export_tree(parts, approximation_tree_id, form), media_type)


@router.post("/{approximation_tree_id}/next-question", responses=problems(400, 404, 408, 409, 413, 415, 422, 503))
def ask_next_question(approximation_tree_id: str, request: NextQuestionRequest, parts: PartsDep) -> NextQuestion:
    """Ask for as few features as it takes: the next one, given the answers so far, or what they lead to."""
    return ask_next(parts, approximation_tree_id, request)


@router.delete("/{approximation_tree_id}", status_code=204, responses=problems(404, 409, 503))
def delete_approximation_tree(approximation_tree_id: str, parts: PartsDep) -> None:
    """Delete an approximation tree that no explainer uses."""
    artefacts.delete_one(parts, APPROXIMATION_TREES, approximation_tree_id)
