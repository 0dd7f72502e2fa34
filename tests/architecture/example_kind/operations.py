"""Request row counts."""

from schemas.row_counts import ROW_COUNTS, RowCount, RowCountRequest

from ..app_context import AppContext
from .artefacts import MadeFrom, request_artefact
from .job_estimates import KindEstimate

ESTIMATE = KindEstimate(needs=lambda _sizes, _request: (), seconds=lambda _sizes, _request: 0.0)


def request_row_count(context: AppContext, request: RowCountRequest) -> RowCount:
    """Return the row count if it is made or being made; otherwise begin to make it."""
    model, dataset = context.models.get(request.model).view, context.datasets.get(request.dataset)
    return request_artefact(context, ROW_COUNTS, request, MadeFrom(model, dataset))
