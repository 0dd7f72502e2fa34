"""Decisions on audited labels: what people said about rows, one entry after the other; none is ever changed."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from .contract import OBJECT, Contract, CreatedAt, Lines, RowId, RowIndex

Decision = Literal["accept", "keep", "relabel", "unsure"]
DecisionEntry = Literal["accept", "keep", "relabel", "unsure", "withdrawn"]
DecisionExportFormat = Literal["csv", "parquet", "json", "html"]
_DECISION = (
    "`accept`: the suggested label is right; `keep`: the row's own label is right; `relabel`: another label is right, "
    "which is named; `unsure`: nobody can say, and the row keeps its label."
)
_NEW_LABEL = "Label that the row has with this decision."
Note = Annotated[Lines, StringConstraints(max_length=500)]


class LabelDecisionRequest(Contract):
    """What a person decided about the label of a row."""

    decision: Decision = Field(description=_DECISION, examples=["relabel"])
    label: str | None = Field(
        default=None,
        description="The right label, one of the audit's classes; for `relabel` alone.",
        examples=["virginica"],
    )
    note: Note | None = Field(
        default=None,
        description="Reason, for later readers: at most 500 characters.",
        examples=["seen under a lens"],
    )


class LabelDecision(Contract):
    """An entry in the record of decisions; the newest one of a row is in force."""

    object: Annotated[Literal["label_decision"], OBJECT] = "label_decision"
    id: str = Field(description="Id of the entry; in double quotes it is the entity tag, for `If-Match`.")
    label_audit: str = Field(description="Id of the audit.")
    row: RowIndex
    row_id: RowId
    decision: DecisionEntry = Field(description=f"{_DECISION} `withdrawn`: the entry before is not in force any more.")
    label: str = Field(description="Label of the row in the dataset's target.")
    new_label: str = Field(description=_NEW_LABEL)
    note: str | None = Field(description="Reason; null without one.")
    replaces: str | None = Field(description="Id of the row's entry before this one; null for its first.")
    is_latest: bool = Field(description="Whether it is the row's newest entry.")
    key: str | None = Field(description="Id of the API key that decided; null where none was required.")
    created_at: CreatedAt


class DecisionCounts(Contract):
    """How far the review of an audit has come."""

    object: Annotated[Literal["decision_counts"], OBJECT] = "decision_counts"
    label_audit: str = Field(description="Id of the audit.")
    n_suggested: int = Field(description="Number of rows for which another label is suggested.")
    n_suggested_decided: int = Field(description="Number of these with a decision in force.")
    n_decided: int = Field(description="Number of rows with a decision in force.")
    n_accepted: int = Field(description="Number of rows whose suggested label was accepted.")
    n_kept: int = Field(description="Number of rows that keep their label because it is right.")
    n_relabelled: int = Field(description="Number of rows that were given another label than the suggested one.")
    n_unsure: int = Field(description="Number of rows that nobody is sure of.")


class DecidedRow(Contract):
    """A row of the export: its label before and after the review."""

    row: RowIndex
    row_id: RowId
    label: str = Field(description="Label of the row in the dataset's target.")
    new_label: str = Field(description="Label after the review; the same where no decision changed it.")
    decision: Decision | None = Field(description="The decision in force; null without one.")
    note: str | None = Field(description="Reason; null without one.")
    key: str | None = Field(description="Id of the API key that decided; null without one.")
    decided_at: CreatedAt | None = Field(description="Time of the decision, in UTC (RFC 3339); null without one.")
