"""/v1/explanation-sets: every row of a dataset explained."""

from typing import Any

from fastapi import Response

from schemas.contract import Page
from schemas.explanations import EXPLANATION_SETS, Explanation
from schemas.noun import JSON, JSONL, NDJSON, PARQUET, ZSTD

from ..app_context import AppContext
from ..operations.explanation_sets import list_explanations, open_lines, open_set_table, request_explanation_set
from ..web.contract_document import text_of_many
from .answers import problems
from .artefact_routes import artefact_router
from .dependencies import ContextDep, MemoryDep, RowPageDep
from .streamed_answers import StreamedAnswer, page_json, stream_file
from .table_answers import Accept, choose, table_answer

_WRITTEN = {
    **{media_type: media_type for media_type in (NDJSON, JSONL, ZSTD, JSON, PARQUET)},
    **dict.fromkeys(("*/*", "application/*", ""), NDJSON),
}
_BINARY = {"type": "string", "format": "binary"}
_LINES = "JSON lines: each line is one explanation."
_FORMS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "JSON lines: all explanations, one a line; zstd: the same, compressed. JSON: one page of them, "
        "as `limit` and `cursor` say. Parquet: all, a line for each row; fields are columns (`contrast_label`), lists "
        "are lists, categories are texts, and the values of features are left out: they are in the datasets.",
        "content": {
            **{kind: {"schema": text_of_many(kind, "Explanation", _LINES)} for kind in (NDJSON, JSONL)},
            **{media_type: {"schema": _BINARY} for media_type in (ZSTD, PARQUET)},
        },
    }
}
router = artefact_router(
    EXPLANATION_SETS,
    request_explanation_set,
    "Request explanations of every row of a dataset; a job makes them unless they are there.",
)


@router.get(
    "/{explanation_set_id}/content",
    response_model=Page[Explanation],
    responses=_FORMS | problems(404, 406, 409, 413, 422, 503),
)
async def get_explanation_set_content(
    explanation_set_id: str, context: ContextDep, memory: MemoryDep, page: RowPageDep, accept: Accept = NDJSON
) -> Response:
    """Read all explanations as JSON lines or Parquet, or a page of them as JSON, as `Accept` says."""
    media_type = choose(accept, _WRITTEN)
    if media_type == JSON:
        return await page_json(
            context, memory, lambda: list_explanations(context, explanation_set_id, page.limit, page.cursor)
        )
    return await stream_file(context, memory, lambda: _whole(context, explanation_set_id, media_type))


def _whole(context: AppContext, explanation_set_id: str, media_type: str) -> StreamedAnswer:
    if media_type == PARQUET:
        return table_answer(open_set_table(context, explanation_set_id), media_type)
    lines = open_lines(context, explanation_set_id)
    if media_type == ZSTD:
        return StreamedAnswer(lines.stored_blocks(), ZSTD, lines.size_bytes)
    return StreamedAnswer(lines.blocks(), media_type)
