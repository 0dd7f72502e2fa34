"""Label audits: rows whose nearest rows have other labels."""

from typing import Annotated, Literal

from pydantic import Field

from .artefacts import (
    REQUEST,
    RESULT,
    ArtefactView,
    LeafRowsOrAuto,
    NeighborCount,
    ReferenceDataset,
    RequestedKind,
    RequestedModel,
    TreesUsed,
    UsedKind,
    UsedLeafRows,
)
from .contract import OBJECT, ClassesOfModel, Contract, RowId, RowIndex, RowsOfDataset, TreesOfModel

N_ROWS_SHOWN = 100


class LabelAuditRequest(Contract):
    """Which dataset's labels (its target) to audit, and with which model."""

    model: RequestedModel
    dataset: ReferenceDataset
    proximity_kind: RequestedKind = "auto"
    n_neighbors: NeighborCount = 10
    min_leaf_rows: LeafRowsOrAuto = Field(
        default=1,
        description="Fewest reference rows of a leaf, 1 or more: a tree is cut back where a split leaves fewer on "
        "either side, and rows are compared by the coarser leaves. 1: the trees' own leaves, as in the paper. `auto`: "
        "the smallest of 1, 2, 3, 5, 10, 20, 30, 50, … at which no more than half of the rows share leaves with rows "
        "of their own label only, for which an audit has nothing to report; see `leaf_steps` in the result.",
    )


class AuditedRow(Contract):
    """How a row's label compares with those of its nearest rows."""

    rank: int = Field(description="1-based rank; the first row is the most suspect.")
    row: RowIndex
    row_id: RowId
    label: str = Field(description="Label of the row in the dataset's target.")
    agreement: float | None = Field(
        description="Share of the row's nearest rows that have its label, 0 to 1; null if none shares a leaf with it."
    )
    n_neighbors: int = Field(description="Number of nearest rows that share a leaf with it.")
    disagreeing_proximity: float = Field(description="Sum of the proximities of nearest rows with another label.")
    suggested_label: str | None = Field(
        description="Label with the largest sum of proximities among the nearest rows (ties: the earlier class); null "
        "where no label exceeds the row's own."
    )
    predicted_label: str = Field(description="Label that the model predicts for the row.")


class AuditLeafStep(Contract):
    """A `min_leaf_rows` that `auto` tried."""

    min_leaf_rows: int = Field(description="Fewest reference rows of a leaf.")
    n_trees_used: int = Field(description="Number of trees that are left with more than one leaf and count.")
    unopposed: float = Field(
        description="Share of rows that share leaves only with rows of their own label, or with none, 0 to 1."
    )


class LabelAuditResult(Contract):
    """Statistics of the audit and its first rows; all rows are in `/content`."""

    proximity_kind: UsedKind
    classes: ClassesOfModel
    n_rows: RowsOfDataset
    n_trees: TreesOfModel
    min_leaf_rows: UsedLeafRows = 1
    n_trees_used: TreesUsed = None
    leaf_steps: list[AuditLeafStep] = Field(
        default=[],
        description="What `auto` tried, in this order; empty where `min_leaf_rows` was given as a number.",
    )
    n_neighbors: NeighborCount
    mean_agreement: float | None = Field(
        description="Mean agreement of the rows that have neighbours, 0 to 1; null if none has."
    )
    n_suggested: int = Field(description="Number of rows for which another label is suggested.")
    n_without_neighbors: int = Field(description="Number of rows that share no leaf with any other; they rank last.")
    model_agreement: float = Field(ge=0, le=1, description="Share of rows whose label the model predicts.")
    caution: str | None = Field(
        description="Why the ranking may be weaker than it could be, in words; null without such a reason."
    )
    rows: list[AuditedRow] = Field(description=f"The first {N_ROWS_SHOWN} rows, lowest agreement first.")


class LabelAudit(ArtefactView):
    """A label audit, its status and, once it is ready, its result."""

    object: Annotated[Literal["label_audit"], OBJECT] = "label_audit"
    request: Annotated[LabelAuditRequest, REQUEST]
    result: LabelAuditResult | None = Field(default=None, description=RESULT)
