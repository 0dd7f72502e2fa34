"""/v1/row-counts: how many rows a dataset has."""

from schemas.row_counts import ROW_COUNTS

from ..operations.row_counts import request_row_count
from .artefact_routes import add_whole_content, artefact_router


def write(result: bytes, media_type: str) -> bytes:
    """Return the result in another form; there is none."""
    raise NotImplementedError(media_type)


router = artefact_router(ROW_COUNTS, request_row_count, "Request the number of rows of a dataset; a job counts them.")
add_whole_content(router, ROW_COUNTS, write, "The whole result.")
