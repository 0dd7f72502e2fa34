"""/v1/label-audits: rows whose nearest rows have other labels."""

from functools import partial

from fastapi import APIRouter, Response

from schemas.contract import Page
from schemas.label_audits import AuditedRow, LabelAudit, LabelAuditRequest
from schemas.nouns import LABEL_AUDITS

from ..dependencies import IdempotencyKey, PageDep, PartsDep, RoomDep, RowPageDep
from ..operations import artefacts
from ..operations.artefact_tables import open_table
from ..operations.label_audits import ask_for_label_audit, list_audited_rows
from ..request_class import StrictRoute
from .answers import asked_once, made_by_job, problems
from .media_types import JSON, Accept, choose, three_forms
from .streamed_answers import page_json, stream_file, stream_json
from .table_answers import table_answer

_PATH = "/v1/label-audits"
_FORMS = three_forms(
    "JSON: one page of rows, the most suspect first, as `limit` and `cursor` say. CSV and Parquet: all rows in the "
    "same order."
)
router = APIRouter(prefix=_PATH, tags=["label audits"], route_class=StrictRoute)


@router.post("", status_code=202, response_model=LabelAudit, responses=made_by_job(LabelAudit))
def create_label_audit(request: LabelAuditRequest, parts: PartsDep, idempotency_key: IdempotencyKey) -> Response:
    """Ask which labels look wrong; a job finds out unless it is known."""
    ask, show = partial(ask_for_label_audit, parts, request), partial(artefacts.get_one, parts, LABEL_AUDITS)
    return asked_once(parts, idempotency_key, _PATH, request, ask, show)


@router.get("", responses=problems(422, 503))
def list_label_audits(parts: PartsDep, page: PageDep) -> Page[LabelAudit]:
    """List label audits, newest first, without what was found."""
    return artefacts.list_all(parts, LABEL_AUDITS, page.limit, page.cursor)


@router.get("/{label_audit_id}", response_model=LabelAudit, responses=problems(404, 503))
async def get_label_audit(label_audit_id: str, parts: PartsDep, room: RoomDep) -> Response:
    """Read a label audit with its most suspect rows."""
    written = partial(artefacts.write_one, parts, LABEL_AUDITS, label_audit_id)
    return await stream_json(parts, room, written)


@router.get(
    "/{label_audit_id}/content",
    response_model=Page[AuditedRow],
    responses=_FORMS | problems(404, 406, 409, 413, 422, 503),
)
async def get_audited_rows(
    label_audit_id: str, parts: PartsDep, room: RoomDep, page: RowPageDep, accept: Accept = JSON
) -> Response:
    """Read all rows as JSON, page by page, or at once as CSV or Parquet, as `Accept` says."""
    media_type = choose(accept)
    if media_type == JSON:
        return await page_json(parts, room, lambda: list_audited_rows(parts, label_audit_id, page.limit, page.cursor))
    return await stream_file(
        parts, room, lambda: table_answer(open_table(parts, LABEL_AUDITS, label_audit_id)[1], media_type)
    )


@router.delete("/{label_audit_id}", status_code=204, responses=problems(404, 409, 503))
def delete_label_audit(label_audit_id: str, parts: PartsDep) -> None:
    """Delete a label audit."""
    artefacts.delete_one(parts, LABEL_AUDITS, label_audit_id)
