"""/v1/label-audits: rows whose label the rows like them contradict, and what people decide about them."""

from functools import partial
from typing import Annotated, Any

from fastapi import Depends, Path, Query, Response
from fastapi.concurrency import run_in_threadpool

from schemas.contract import Page
from schemas.label_audits import LABEL_AUDITS, AuditedRow, ReviewedRow
from schemas.label_decisions import (
    DecidedRow,
    DecisionCounts,
    DecisionExportFormat,
    LabelDecision,
    LabelDecisionRequest,
)
from schemas.noun import CSV, HTML, JSON, PARQUET
from storage.errors import StorageError

from ..drawings.files import export_decisions_html
from ..operations import label_decisions as decisions
from ..operations.artefact_tables import open_table
from ..operations.deletion import delete_with_objects
from ..operations.label_audits import (
    EVERY_ROW,
    RowFilter,
    list_audited_rows,
    n_bytes_to_review,
    request_label_audit,
    review_row,
)
from .answers import problems
from .artefact_routes import artefact_router
from .dependencies import ContextDep, MemoryDep, PageDep, PlainInteger, RowPageDep
from .preconditions import PreconditionDep
from .streamed_answers import BLOCK_BYTES, StreamedAnswer, drawn_by, page_json, stream_file
from .table_answers import Accept, choose, parquet_blocks, table_answer, three_forms, written_csv

router = artefact_router(
    LABEL_AUDITS,
    request_label_audit,
    "Request the labels that look wrong; a job finds them unless they are known.",
    with_delete=False,
)
AuditedRowIndex = Annotated[
    PlainInteger, Path(ge=0, le=2**31 - 1, description="0-based index of the row in the dataset.")
]
_EXPORTED: dict[DecisionExportFormat, str] = {"csv": CSV, "parquet": PARQUET, "json": JSON}
_ROW_BYTES, _CREATED, _CHANGED = 1 << 20, 201, 200
_CREATION: dict[int | str, dict[str, Any]] = {
    _CREATED: {"model": LabelDecision, "description": "The decision was written down."},
    _CHANGED: {"model": LabelDecision, "description": "It was the decision in force already; nothing was written."},
}


async def _row_filter(
    label: Annotated[
        str | None, Query(max_length=1000, pattern=r"^[^\x00]*$", description="Only rows with this label.")
    ] = None,
    suggested_label: Annotated[
        str | None,
        Query(max_length=1000, pattern=r"^[^\x00]*$", description="Only rows for which this label is suggested."),
    ] = None,
    max_agreement: Annotated[
        float | None, Query(ge=0, le=1, description="Only rows with this agreement at most, 0 to 1.")
    ] = None,
    decided: Annotated[
        bool | None, Query(description="Only rows with a decision in force (`true`), or without one (`false`).")
    ] = None,
    suggested: Annotated[
        bool | None, Query(description="Only rows for which another label is suggested (`true`), or none (`false`).")
    ] = None,
) -> RowFilter:
    return RowFilter(label, suggested_label, max_agreement, decided, suggested)


RowFilterDep = Annotated[RowFilter, Depends(_row_filter)]


@router.delete("/{label_audit_id}", status_code=204, responses=problems(404, 409, 503))
def delete_label_audit(
    label_audit_id: str,
    context: ContextDep,
    *,
    with_decisions: Annotated[
        bool, Query(description="Whether decisions about its rows may be deleted with it; without, it is refused.")
    ] = False,
) -> None:
    """Delete a label audit; refused while others use it, a job makes it, or people have decided about its rows."""
    forget = partial(context.artefacts.delete, LABEL_AUDITS.name, label_audit_id, with_decisions=with_decisions)
    delete_with_objects(context, forget)


@router.get(
    "/{label_audit_id}/content",
    response_model=Page[AuditedRow],
    responses=three_forms(
        "JSON: one page of rows, the most suspect first, as `limit` and `cursor` say: those alone that all filters "
        "name. CSV and Parquet: all rows in the same order."
    )
    | problems(404, 406, 409, 413, 422, 503),
)
async def get_label_audit_content(
    label_audit_id: str,
    context: ContextDep,
    memory: MemoryDep,
    page: RowPageDep,
    chosen: RowFilterDep,
    accept: Accept = JSON,
) -> Response:
    """Read all rows as JSON, page by page, or at once as CSV or Parquet, as `Accept` says."""
    media_type = choose(accept)
    if media_type == JSON:
        list_rows = partial(list_audited_rows, context, label_audit_id, page.limit, page.cursor, chosen)
        return await page_json(context, memory, list_rows)
    if chosen != EVERY_ROW:
        detail = "CSV and Parquet have all rows; leave the filters out, or request JSON"
        raise StorageError("validation_failed", detail)
    open_rows = partial(open_table, context, LABEL_AUDITS, label_audit_id)
    return await stream_file(context, memory, lambda: table_answer(open_rows()[1], media_type))


@router.get("/{label_audit_id}/rows/{row}", response_model=ReviewedRow, responses=problems(404, 409, 413, 422, 503))
async def get_audited_row(
    label_audit_id: str, row: AuditedRowIndex, context: ContextDep, memory: MemoryDep
) -> Response:
    """Read an audited row with its ten nearest rows, their labels, and the decision about it."""
    n_bytes = await run_in_threadpool(n_bytes_to_review, context, label_audit_id)
    review = lambda: review_row(context, label_audit_id, row).model_dump_json().encode()  # noqa: E731  # as above
    body = await memory.make_whole(context.response_memory, _ROW_BYTES, _ROW_BYTES + n_bytes, review)
    return Response(body, media_type=JSON)


@router.get("/{label_audit_id}/decisions", responses=problems(404, 422, 503))
def list_label_decisions(
    label_audit_id: str,
    context: ContextDep,
    page: PageDep,
    row: Annotated[PlainInteger | None, Query(ge=0, le=2**31 - 1, description="Only entries about this row.")] = None,
    *,
    latest: Annotated[bool, Query(description="Only decisions in force: the newest of each row.")] = False,
) -> Page[LabelDecision]:
    """List what was decided, by whom and when, newest first: every entry, with those that later ones replaced."""
    return decisions.list_decisions(context, label_audit_id, (page.limit, page.cursor), row, latest=latest)


@router.get("/{label_audit_id}/decisions/counts", responses=problems(404, 409, 503))
def count_label_decisions(label_audit_id: str, context: ContextDep) -> DecisionCounts:
    """Read how far the review has come."""
    return decisions.count_decisions(context, label_audit_id)


@router.get(
    "/{label_audit_id}/decisions/export",
    response_model=Page[DecidedRow],
    responses=three_forms(
        "All audited rows, the most suspect first, with their labels before and after the review: JSON in one page. "
        "HTML: those that were decided.",
        HTML,
    )
    | problems(404, 409, 422, 503),
)
async def export_label_decisions(
    label_audit_id: str,
    context: ContextDep,
    memory: MemoryDep,
    form: Annotated[DecisionExportFormat, Query(alias="format", description="Format of the exported rows.")] = "json",
) -> Response:
    """Export the labels of all audited rows before and after the review; as HTML, of those that were decided."""
    if form == "html":
        return await drawn_by(context, memory, lambda: export_decisions_html(context, label_audit_id))

    def make() -> StreamedAnswer:
        table, blocks = decisions.export_blocks(context, label_audit_id)
        if form == "json":
            return StreamedAnswer(decisions.export_json(table, blocks), JSON)
        write = written_csv if form == "csv" else parquet_blocks
        return StreamedAnswer(write(table, decisions.EXPORT_SCHEMA, blocks), _EXPORTED[form])

    return await stream_file(context, memory, make, 2 * BLOCK_BYTES)


@router.get("/{label_audit_id}/decisions/{row:int}", responses=problems(404, 503))
def get_label_decision(
    label_audit_id: str, row: AuditedRowIndex, context: ContextDep, response: Response
) -> LabelDecision:
    """Read the newest entry about a row; `ETag` changes with it."""
    return _tagged(decisions.get_decision(context, label_audit_id, row), response)


@router.put(
    "/{label_audit_id}/decisions/{row:int}",
    status_code=_CREATED,
    responses=_CREATION | problems(400, 404, 408, 409, 412, 413, 415, 422, 503, 507),
)
def put_label_decision(  # what the request names
    label_audit_id: str,
    row: AuditedRowIndex,
    request: LabelDecisionRequest,
    context: ContextDep,
    precondition: PreconditionDep,
    response: Response,
) -> LabelDecision:
    """Decide about the label of a row; earlier decisions stay in the record."""
    decided, is_new = decisions.decide(context, label_audit_id, row, request, precondition)
    response.status_code = _CREATED if is_new else _CHANGED
    return _tagged(decided, response)


@router.delete("/{label_audit_id}/decisions/{row:int}", status_code=204, responses=problems(404, 409, 412, 503))
def withdraw_label_decision(
    label_audit_id: str, row: AuditedRowIndex, context: ContextDep, precondition: PreconditionDep
) -> None:
    """Take back the decision about a row, by another entry in the record."""
    decisions.withdraw(context, label_audit_id, row, precondition)


def _tagged(decided: LabelDecision, response: Response) -> LabelDecision:
    response.headers["ETag"] = f'"{decided.id}"'
    return decided
