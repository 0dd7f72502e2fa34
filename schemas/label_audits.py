"""Label audits: rows whose nearest rows have other labels."""

from typing import Literal

from pydantic import Field

from .artefacts import RESULT, ArtefactView, NeighborCount, ProximityKind
from .contract import Contract, Identifier, RowId, RowIndex

N_ROWS_SHOWN = 100


class LabelAuditRequest(Contract):
    """Whose labels (the dataset's target), as which model sees the rows."""

    model: Identifier
    dataset: Identifier
    kind: ProximityKind = "auto"
    n_neighbors: NeighborCount = 10


class AuditedRow(Contract):
    """What a row's nearest rows say of its label."""

    rank: int = Field(description="1: the most suspect.")
    row: RowIndex
    row_id: RowId
    label: str
    agreement: float | None = Field(
        description="Share of the row's nearest rows that have its label; null where none shares a leaf with it."
    )
    n_neighbors: int = Field(description="Nearest rows that were asked: those among them that share a leaf with it.")
    disagreeing_proximity: float = Field(description="Summed over those that have another label.")
    suggested_label: str | None = Field(
        description="The label that the nearest rows' summed proximities speak for (ties: the earlier class); null "
        "where none is ahead of the row's own: nothing speaks for a change."
    )
    predicted_label: str = Field(description="What the model itself says.")


class LabelAuditResult(Contract):
    """What was found; all rows are in `/content`."""

    kind: Literal["random_forest", "boosting"]
    classes: list[str]
    n_rows: int
    n_trees: int
    n_neighbors: int
    mean_agreement: float | None = Field(description="Over rows that have neighbours.")
    n_suggested: int = Field(description="Rows for which another label is suggested.")
    n_without_neighbors: int = Field(description="Rows that share no leaf with any other; they rank last.")
    model_agreement: float = Field(ge=0, le=1, description="Share of rows whose label is what the model predicts.")
    caution: str | None = Field(description="Why the ranking may be weaker than it could be.")
    rows: list[AuditedRow] = Field(description=f"The first {N_ROWS_SHOWN}, lowest agreement first.")


class LabelAudit(ArtefactView):
    """A label audit, its status and, once it is ready, its result."""

    object: Literal["label_audit"] = "label_audit"
    request: LabelAuditRequest
    result: LabelAuditResult | None = Field(default=None, description=RESULT)
