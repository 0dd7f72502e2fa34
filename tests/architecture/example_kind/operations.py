"""Request row counts."""

from schemas.row_counts import RowCount, RowCountRequest

from schemas.nouns import ROW_COUNTS

from ..app_context import Parts
from .artefacts import MadeFrom, ask_for


def ask_for_row_count(parts: Parts, request: RowCountRequest) -> RowCount:
    """Return the row count if it is made or being made; otherwise begin to make it."""
    model, dataset = parts.models.get(request.model).view, parts.datasets.get(request.dataset)
    return ask_for(parts, ROW_COUNTS, request, MadeFrom(model, dataset))
