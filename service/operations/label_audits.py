"""Request label audits, and read their rows page by page."""

from collections.abc import Generator, Iterator

import orjson
import pyarrow as pa

from schemas.label_audits import LabelAudit, LabelAuditRequest
from schemas.nouns import LABEL_AUDITS
from storage.errors import StorageError

from ..app_context import AppContext
from .artefact_tables import open_table
from .artefacts import MadeFrom, request_artefact
from .json_pages import PARQUET_ADVICE, Rows, first_row_of, page_blocks
from .request_checks import check_neighbors

_ROWS_PER_BLOCK = 64
_NEIGHBORS_OF_PAPER = 10


def request_label_audit(context: AppContext, request: LabelAuditRequest) -> LabelAudit:
    """Return the label audit if it is made or being made; otherwise begin to make it.

    Raises
    ------
    StorageError
        What in the request cannot be done; no job is made then.
    """
    complete, model, dataset = check_neighbors(context, _with_neighbors(request))
    if model.task == "regression":
        detail = f"model {model.id!r} predicts numbers, but an audit compares labels; take a classifier"
        raise StorageError("method_not_applicable", detail, "/model")
    if dataset.view.target is None:
        detail = f"dataset {dataset.view.id!r} has no target to audit; name it in the dataset's metadata"
        raise StorageError("schema_mismatch", detail, "/dataset")
    return request_artefact(context, LABEL_AUDITS, complete, MadeFrom(model, dataset))


def _with_neighbors(request: LabelAuditRequest) -> LabelAuditRequest:
    """Return the request with its number of neighbours, where such vote."""
    if request.method == "neighbors":
        n_neighbors = _NEIGHBORS_OF_PAPER if request.n_neighbors is None else request.n_neighbors
        return request.model_copy(update={"n_neighbors": n_neighbors})
    if request.n_neighbors is not None:
        detail = (
            f"n_neighbors is {request.n_neighbors}, but all rows vote with method 'all_rows'; request method "
            "'neighbors', or leave n_neighbors out"
        )
        raise StorageError("validation_failed", detail, "/n_neighbors")
    return request


def list_audited_rows(context: AppContext, label_audit_id: str, limit: int, cursor: str | None) -> Generator[bytes]:
    """Return one page of rows as JSON, the most suspect first: a ``Page`` of ``AuditedRow``.

    The cursor is how many rows come before.
    """
    start = first_row_of(cursor)
    with open_table(context, LABEL_AUDITS, label_audit_id)[1] as table:
        n_rows = table.n_rows
        rows = table.read(start, min(start + limit, n_rows))
    return page_blocks(Rows(_encoded(rows), start, n_rows, PARQUET_ADVICE))


def _encoded(rows: pa.Table) -> Iterator[bytes]:
    for first in range(0, rows.num_rows, _ROWS_PER_BLOCK):
        yield from map(orjson.dumps, rows.slice(first, _ROWS_PER_BLOCK).to_pylist())
