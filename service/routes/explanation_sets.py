"""/v1/explanation-sets: every row of a dataset explained."""

from functools import partial
from typing import Any

from fastapi import APIRouter, Response

from schemas.contract import Page
from schemas.explanation_sets import ExplanationSet, ExplanationSetRequest
from schemas.explanations import Explanation
from schemas.nouns import EXPLANATION_SETS

from ..app_context import Parts
from ..contract_document import text_of_many
from ..dependencies import IdempotencyKey, PageDep, PartsDep, RoomDep, RowPageDep
from ..operations import artefacts
from ..operations.artefact_tables import open_table
from ..operations.explanation_lines import list_explanations, open_lines
from ..operations.explanation_sets import ask_for_explanation_set
from ..request_class import StrictRoute
from .answers import asked_once, made_by_job, problems
from .media_types import JSON, PARQUET, Accept, choose
from .streamed_answers import StreamedAnswer, page_json, stream_file, stream_json
from .table_answers import table_answer

_PATH = "/v1/explanation-sets"
_NDJSON, _JSONL, _ZSTD = "application/x-ndjson", "application/jsonl", "application/zstd"
_WRITTEN = {
    **{media_type: media_type for media_type in (_NDJSON, _JSONL, _ZSTD, JSON, PARQUET)},
    **dict.fromkeys(("*/*", "application/*", ""), _NDJSON),
}
_BINARY = {"type": "string", "format": "binary"}
_LINES = "JSON lines: each line is one explanation."
_FORMS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "JSON lines: all explanations, one a line; zstd: the same, compressed. JSON: one page of them, "
        "as `limit` and `cursor` say. Parquet: all, a line for each row; fields are columns (`contrast_label`), lists "
        "are lists, categories are texts, and the values of features are left out: they are in the datasets.",
        "content": {
            **{kind: {"schema": text_of_many(kind, "Explanation", _LINES)} for kind in (_NDJSON, _JSONL)},
            **{media_type: {"schema": _BINARY} for media_type in (_ZSTD, PARQUET)},
        },
    }
}
router = APIRouter(prefix=_PATH, tags=["explanation sets"], route_class=StrictRoute)


@router.post("", status_code=202, response_model=ExplanationSet, responses=made_by_job(ExplanationSet))
def create_explanation_set(
    request: ExplanationSetRequest, parts: PartsDep, idempotency_key: IdempotencyKey
) -> Response:
    """Ask for every row of a dataset to be explained; a job does it unless it is done."""
    ask, show = partial(ask_for_explanation_set, parts, request), partial(artefacts.get_one, parts, EXPLANATION_SETS)
    return asked_once(parts, idempotency_key, _PATH, request, ask, show)


@router.get("", responses=problems(422, 503))
def list_explanation_sets(parts: PartsDep, page: PageDep) -> Page[ExplanationSet]:
    """List explanation sets, newest first, without what was found."""
    return artefacts.list_all(parts, EXPLANATION_SETS, page.limit, page.cursor)


@router.get("/{explanation_set_id}", response_model=ExplanationSet, responses=problems(404, 503))
async def get_explanation_set(explanation_set_id: str, parts: PartsDep, room: RoomDep) -> Response:
    """Read what is known of all rows together."""
    written = partial(artefacts.write_one, parts, EXPLANATION_SETS, explanation_set_id)
    return await stream_json(parts, room, written)


@router.get(
    "/{explanation_set_id}/content",
    response_model=Page[Explanation],
    responses=_FORMS | problems(404, 406, 409, 413, 422, 503),
)
async def get_explanations(
    explanation_set_id: str, parts: PartsDep, room: RoomDep, page: RowPageDep, accept: Accept = _NDJSON
) -> Response:
    """Read all explanations as JSON lines or Parquet, or a page of them as JSON, as `Accept` says."""
    media_type = choose(accept, _WRITTEN)
    if media_type == JSON:
        return await page_json(
            parts, room, lambda: list_explanations(parts, explanation_set_id, page.limit, page.cursor)
        )
    return await stream_file(parts, room, lambda: _whole(parts, explanation_set_id, media_type))


@router.delete("/{explanation_set_id}", status_code=204, responses=problems(404, 409, 503))
def delete_explanation_set(explanation_set_id: str, parts: PartsDep) -> None:
    """Delete an explanation set."""
    artefacts.delete_one(parts, EXPLANATION_SETS, explanation_set_id)


def _whole(parts: Parts, explanation_set_id: str, media_type: str) -> StreamedAnswer:
    if media_type == PARQUET:
        return table_answer(open_table(parts, EXPLANATION_SETS, explanation_set_id)[1], media_type)
    lines = open_lines(parts, explanation_set_id)
    if media_type == _ZSTD:
        return StreamedAnswer(lines.kept_blocks(), _ZSTD, lines.size_bytes)
    return StreamedAnswer(lines.blocks(), media_type)
