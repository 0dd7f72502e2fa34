"""/v1/reports: what is known of a model, in one file that can be filed and verified."""

from pathlib import Path

from fastapi import Response

from schemas.noun import HTML
from schemas.reports import REPORTS, ReportVerification

from ..app_context import AppContext
from ..operations import reports
from .answers import problems
from .artefact_routes import artefact_router
from .dependencies import ContextDep, MemoryDep
from .streamed_answers import stream_stored_file

router = artefact_router(
    REPORTS,
    reports.request_report,
    "Request a report on a model and what explains it; a job draws it unless it is there.",
)

_NOT_THERE = problems(404, 409, 503)


@router.get(
    "/{report_id}/content",
    response_class=Response,
    responses={200: {"description": "The file.", "content": {HTML: {"schema": {"type": "string"}}}}, **_NOT_THERE},
)
async def get_report_content(report_id: str, context: ContextDep, memory: MemoryDep) -> Response:
    """Read the report: one HTML file of at most 5 MB, without script, that needs nothing else."""
    return await stream_stored_file(context, memory, lambda: _path(context, report_id), HTML)


def _path(context: AppContext, report_id: str) -> Path:
    artefact = context.artefacts.get(REPORTS.name, report_id)
    artefact.ready_result()
    return context.objects.path_of_pages(artefact.files[reports.FILE])


@router.post("/{report_id}/verify", responses=problems(404, 409, 503))
async def verify_report(report_id: str, context: ContextDep) -> ReportVerification:
    """Draw a report again from what it shows, and compare it byte for byte with the file that is kept."""
    return await reports.verify_report(context, report_id)
