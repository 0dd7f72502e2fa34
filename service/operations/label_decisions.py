"""Decide about the labels that an audit suspects: each decision is an entry of its own, and none is ever changed."""

from collections.abc import Generator, Iterator

import orjson
import pyarrow as pa
import structlog

from schemas.contract import Page
from schemas.label_audits import LABEL_AUDITS, AuditedRow
from schemas.label_decisions import DecisionCounts, LabelDecision, LabelDecisionRequest
from storage.errors import NotFound, StorageError
from storage.label_decisions import NewDecision

from ..app_context import AppContext
from ..callers import CURRENT_KEY
from .artefact_tables import StoredTable, open_table
from .artefacts import get_result
from .label_audits import audited_row
from .preconditions import Precondition

_LOG = structlog.get_logger(__name__)
_MOST_NAMED = 10
EXPORT_SCHEMA = pa.schema(
    [
        ("row", pa.int64()),
        ("row_id", pa.string()),
        ("label", pa.string()),
        ("new_label", pa.string()),
        ("decision", pa.string()),
        ("note", pa.string()),
        ("key", pa.string()),
        ("decided_at", pa.timestamp("us", "UTC")),
    ]
)


def decide(
    context: AppContext, label_audit_id: str, row: int, request: LabelDecisionRequest, precondition: Precondition
) -> tuple[LabelDecision, bool]:
    """Write down what somebody decided about a row's label.

    Returns
    -------
    tuple
        The row's newest entry, and whether it is new: what is decided already, in the same words by the same caller, is
        not written again.

    Raises
    ------
    NotFound
        If there is no such audit, or it has no such row.
    PreconditionFailed
        If the row has another newest entry than the caller expects.
    StorageError
        ``validation_failed`` for a label that the decision does not take, or that the model does not know;
        ``artefact_not_ready``.
    """
    audited = audited_row(context, label_audit_id, row)
    label = _new_label(context, label_audit_id, audited, request)
    new = _entry(label_audit_id, audited, request.decision, label, request.note)
    return _append(context, new, precondition)


def withdraw(context: AppContext, label_audit_id: str, row: int, precondition: Precondition) -> None:
    """Take back the decision in force about a row, by an entry that says so; no error where there is none."""
    audited = audited_row(context, label_audit_id, row)
    _append(context, _entry(label_audit_id, audited, "withdrawn", audited.label, None), precondition)


def get_decision(context: AppContext, label_audit_id: str, row: int) -> LabelDecision:
    """Return the row's newest entry."""
    context.artefacts.get(LABEL_AUDITS.name, label_audit_id)
    decision = context.label_decisions.find(label_audit_id, row)
    if decision is None:
        raise NotFound("decision", f"{label_audit_id}/{row}", "nobody has decided about this row yet")
    return decision


def list_decisions(
    context: AppContext, label_audit_id: str, position: tuple[int, str | None], row: int | None, *, latest: bool
) -> Page[LabelDecision]:
    """Return one page of entries, newest first."""
    context.artefacts.get(LABEL_AUDITS.name, label_audit_id)
    return context.label_decisions.list(label_audit_id, *position, row=row, latest=latest)


def count_decisions(context: AppContext, label_audit_id: str) -> DecisionCounts:
    """Return how far the review has come."""
    result = orjson.loads(get_result(context, LABEL_AUDITS, label_audit_id))
    return context.label_decisions.counts(label_audit_id, result["n_suggested"])


def export_blocks(context: AppContext, label_audit_id: str) -> tuple[StoredTable, Iterator[pa.Table]]:
    """Return the audit's table, to be closed, and all rows with their labels before and after, some at a time."""
    table = open_table(context, LABEL_AUDITS, label_audit_id)[1]
    decisions = context.label_decisions.in_force(label_audit_id)
    return table, (_with_decisions(rows, decisions) for rows in table.blocks())


def export_json(table: StoredTable, blocks: Iterator[pa.Table]) -> Generator[bytes]:
    """Yield the export as one JSON list; the table is closed at its end."""
    with table:
        yield b'{"object":"list","data":['
        separator = b""
        for rows in blocks:
            lines = b",".join(orjson.dumps(row, option=orjson.OPT_UTC_Z) for row in rows.to_pylist())
            yield separator + lines
            separator = b"," if lines else separator
        yield b'],"next_cursor":null}'


def _with_decisions(rows: pa.Table, decisions: dict[int, LabelDecision]) -> pa.Table:
    decided = [decisions.get(row) for row in rows.column("row").to_pylist()]
    labels = rows.column("label").to_pylist()
    columns = {
        **{name: rows.column(name) for name in ("row", "row_id", "label")},
        "new_label": [label if each is None else each.new_label for label, each in zip(labels, decided, strict=True)],
        **{name: [getattr(each, name, None) for each in decided] for name in ("decision", "note", "key")},
        "decided_at": [None if each is None else each.created_at for each in decided],
    }
    return pa.table(columns).cast(EXPORT_SCHEMA)


def _append(context: AppContext, new: NewDecision, precondition: Precondition) -> tuple[LabelDecision, bool]:
    requested = (new.decision, new.new_label, new.note, new.caller)
    while True:
        present = context.label_decisions.find(new.label_audit, new.row)
        # Before the precondition: it may be the same request, sent again as its answer was lost (RFC 9110, 13.1.1).
        if present is not None and (present.decision, present.new_label, present.note, present.key) == requested:
            return present, False
        _check(precondition, new.row, present)
        added = context.label_decisions.add(new, present)
        if added is not None:  # otherwise another request was faster, and counts as the present state
            _LOG.info("label_decided", label_audit=new.label_audit, row=new.row, entry=added.id, key_id=new.caller)
            return added, True


def _check(precondition: Precondition, row: int, present: LabelDecision | None) -> None:
    precondition.check(
        None if present is None else present.id,
        exists=f"somebody has decided about row {row} already: read it again",
        missing=f"nobody has decided about row {row}; leave If-Match out to do so",
        changed=f"somebody decided about row {row} meanwhile: read it again",
    )


def _entry(label_audit_id: str, audited: AuditedRow, decision: str, new_label: str, note: str | None) -> NewDecision:
    return NewDecision(
        label_audit=label_audit_id,
        row=audited.row,
        row_id=audited.row_id,
        decision=decision,
        label=audited.label,
        new_label=new_label,
        is_suggested=audited.suggested_label is not None,
        note=note or None,
        caller=CURRENT_KEY.get(),
    )


def _new_label(context: AppContext, label_audit_id: str, audited: AuditedRow, request: LabelDecisionRequest) -> str:
    """Return the label that the row has with a decision."""
    if request.decision == "relabel":
        return _known_label(context, label_audit_id, request.label)
    if request.label is not None:
        detail = f"a label comes with the decision 'relabel' alone, not with {request.decision!r}; leave it out"
        raise StorageError("validation_failed", detail, "/label")
    if request.decision != "accept":
        return audited.label
    if audited.suggested_label is None:
        detail = f"no label is suggested for row {audited.row} that could be accepted; keep or relabel it"
        raise StorageError("validation_failed", detail, "/decision")
    return audited.suggested_label


def _known_label(context: AppContext, label_audit_id: str, label: str | None) -> str:
    classes = orjson.loads(get_result(context, LABEL_AUDITS, label_audit_id))["classes"]
    if label is None or label not in classes:
        complaint = "the decision 'relabel' needs a label" if label is None else f"there is no class {label[:80]!r}"
        shown = ", ".join(map(repr, classes[:_MOST_NAMED]))
        raise StorageError("validation_failed", f"{complaint}; the model's classes are {shown}", "/label")
    return label
