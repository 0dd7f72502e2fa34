"""Decisions about the rows of a label audit: to decide, to read what was decided, and to export the labels."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from .artefacts import ArtefactView
from .calls import Program, call_of, fetch, fetch_all
from .contract.label_audits import (
    count_label_decisions,
    export_label_decisions,
    get_audited_row,
    list_label_decisions,
    put_label_decision,
    withdraw_label_decision,
)
from .operations import Request
from .types import (
    UNSET,
    DecidedRowDecision,
    DecisionCounts,
    LabelDecision,
    LabelDecisionRequest,
    PageLabelDecision,
    ReviewedRow,
)
from .written_paths import written_path


def decide(
    self: ArtefactView[Any],
    row: int,
    decision: DecidedRowDecision,
    *,
    label: str | None = None,
    note: str | None = None,
    expected: LabelDecision | None = None,
) -> Program[LabelDecision]:
    """Decide about the label of a row; earlier decisions stay in the record.

    Parameters
    ----------
    decision
        ``accept``: the suggested label is right; ``keep``: the row's own is; ``relabel``: another one is; ``unsure``.
    label
        The right one, for ``relabel``.
    note
        Reason, at most 500 characters.
    expected
        The row's newest entry as you read it: where somebody decided meanwhile, nothing is written.

    Raises
    ------
    Conflict
        With ``expected``, if the row has another newest entry.
    """
    request = LabelDecisionRequest(decision=decision, label=label, note=note)
    tag = UNSET if expected is None else f'"{expected.id}"'
    return (yield from fetch(put_label_decision(self.id, row, body=request, if_match=tag)))


def withdraw(self: ArtefactView[Any], row: int) -> Program[None]:
    """Take back the decision about a row, by another entry in the record."""
    yield call_of(withdraw_label_decision(self.id, row))


def decisions(self: ArtefactView[Any], *, row: int | None = None, latest: bool = False) -> Program[list[LabelDecision]]:
    """Return what was decided, newest first: every entry, or with ``latest`` those in force; of one row, if wished.

    Parameters
    ----------
    row
        0-based index of a row in the dataset; default: all rows.
    latest
        Return the decision in force of each row alone.
    """

    def page_of(size: int, cursor: str | None) -> Request[PageLabelDecision]:
        return list_label_decisions(self.id, limit=size, cursor=cursor, row=row, latest=latest)

    return (yield from fetch_all(page_of))


def review(self: ArtefactView[Any], row: int) -> Program[ReviewedRow]:
    """Return an audited row, by its index in the dataset, with its ten nearest rows and the decision about it.

    Raises
    ------
    NotFound
        If the dataset has no such row.
    """
    return (yield from fetch(get_audited_row(self.id, row)))


def counts(self: ArtefactView[Any]) -> Program[DecisionCounts]:
    """Return how far the review has come."""
    return (yield from fetch(count_label_decisions(self.id)))


def export(self: ArtefactView[Any], path: str | Path, form: Literal["csv", "parquet", "json"] = "csv") -> Program[Path]:
    """Write all audited rows with their labels before and after the review to a file, and return its path.

    Parameters
    ----------
    form
        ``"csv"``, ``"parquet"`` or ``"json"``.

    Raises
    ------
    CannotWrite
        If the file cannot be written there.
    """
    target = written_path(path, form)
    yield replace(call_of(export_label_decisions(self.id, format_=form)), into=target)
    return target
