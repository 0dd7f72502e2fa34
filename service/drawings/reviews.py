"""The view of a review: a queue of suspect rows, and one of them beside the rows nearest to it."""

import json
from typing import Any

from leafspace_drawings import Call, Queue, ReviewContext, draw_label_review

from schemas.label_audits import LABEL_AUDITS
from storage.errors import StorageError

from ..app_context import AppContext
from ..operations.datasets import list_numbered_rows
from ..operations.label_audits import RowFilter, list_audited_rows, review_row
from ..operations.label_decisions import count_decisions
from .documents import LINKS, Json, Parameters, at, beside, column_usage, ready, to_json, view

_N_BEFORE, _N_SHOWN = 5, 20
_MOST_CELLS = 50_000  # of the row and its neighbours


@view("reviews")
def label_review(context: AppContext, label_audit_id: str, parameters: Parameters) -> str:
    """Draw a row under review, by default the first suspect one that nobody has decided about."""
    audit = ready(context, LABEL_AUDITS, label_audit_id)
    row = _row_of(context, label_audit_id, parameters)
    document = to_json(review_row(context, label_audit_id, row))
    known, dataset = beside(context, audit)
    rows = [row, *(each["row"] for each in document["neighbors"])]
    queue, values = _queue(context, document, label_audit_id), _values(context, dataset, rows)
    drawn = ReviewContext(audit, queue, values, dataset, LINKS, column_usage(context, known))
    python = f'client.label_audits.get("{label_audit_id}").review({row})'
    call = Call(f"{LABEL_AUDITS.path}/{label_audit_id}/rows/{row}", python)
    way = [(known["name"] or known["id"], LINKS.to("models", known["id"]))]
    way += [("label audit", LINKS.to("audits", label_audit_id)), (f"row {document['row_id']}", None)]
    return at(draw_label_review(document, drawn), way, call)


def _row_of(context: AppContext, label_audit_id: str, parameters: Parameters) -> int:
    if "row" in parameters:
        if not (parameters["row"].isascii() and parameters["row"].isdecimal()) or len(parameters["row"]) > len(
            str(2**31)
        ):
            raise StorageError("validation_failed", f"{parameters['row'][:80]!r} is not the index of a row", "/row")
        return int(parameters["row"])
    for chosen in (RowFilter(suggested=True, decided=False), RowFilter(suggested=True), RowFilter()):
        if suspects := _listed(context, label_audit_id, 1, 0, chosen):
            return int(suspects[0]["row"])
    raise StorageError("method_not_applicable", "the audit has no rows to review")


def _queue(context: AppContext, document: Json, label_audit_id: str) -> Queue:
    """Return the rows around one in the order of the audit, and the next suspect one that nobody has decided about."""
    start = max(0, document["rank"] - 1 - _N_BEFORE)
    rows = _listed(context, label_audit_id, _N_SHOWN, start)
    index = document["rank"] - 1 - start
    to_do = RowFilter(suggested=True, decided=False)
    others = _listed(context, label_audit_id, 2, document["rank"], to_do) or _listed(
        context, label_audit_id, 2, 0, to_do
    )
    undecided = [each["row"] for each in others if each["row"] != document["row"]]
    in_force = context.label_decisions.in_force(label_audit_id)
    return Queue(
        rows=rows,
        decisions={each["row"]: to_json(in_force[each["row"]]) for each in rows if each["row"] in in_force},
        counts=to_json(count_decisions(context, label_audit_id)),
        previous=rows[index - 1]["row"] if index > 0 else None,
        following=rows[index + 1]["row"] if index + 1 < len(rows) else None,
        undecided=undecided[0] if undecided else None,
    )


def _listed(
    context: AppContext, label_audit_id: str, n_rows: int, start: int, chosen: RowFilter | None = None
) -> list[Json]:
    page = list_audited_rows(context, label_audit_id, n_rows, str(start), chosen or RowFilter())
    rows: list[Json] = json.loads(b"".join(page))["data"]
    return rows


def _values(context: AppContext, dataset: Json, rows: list[int]) -> dict[int, Any]:
    """Return the values of some rows; none of rows that are too wide to be shown beside each other."""
    shown = [column["name"] for column in dataset["columns"]]
    if not shown or len(shown) * len(rows) > _MOST_CELLS:
        return {}
    page = json.loads(b"".join(list_numbered_rows(context, dataset["id"], shown, rows, None)))["data"]
    return {row["row"]: row for row in page}
