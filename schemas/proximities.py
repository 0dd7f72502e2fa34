"""Proximities: which rows a model treats alike."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from .artefacts import (
    REQUEST,
    RESULT,
    ArtefactView,
    LeafRows,
    NeighborCount,
    ReferenceDataset,
    RequestedKind,
    RequestedKindOfNeighbors,
    RequestedModel,
    RunOn,
    TreesUsed,
    UsedKind,
    UsedKindOfNeighbors,
    UsedLeafRowsOrNull,
)
from .contract import OBJECT, Contract, Identifier, RowId, RowIndex, RowsOfDataset, TreesOfModel
from .models import INSTANCES, MAX_INSTANCES, ROW_IDS, Instance, InstanceRowId, RowIds
from .noun import TABLE, Noun, Product
from .paper_settings import MethodRequest
from .problems import Problem


class ProximitiesRequest(MethodRequest):
    """Which dataset's rows to compare, and by which model."""

    of_papers: ClassVar[Mapping[str, Mapping[str, Any]]] = {"": {"min_leaf_rows": 1}}

    model: RequestedModel
    dataset: ReferenceDataset
    proximity_kind: RequestedKindOfNeighbors = "auto"
    n_neighbors: NeighborCount = 10
    min_leaf_rows: LeafRows = 1
    run_on: RunOn = "auto"


class ReadOff(Contract):
    """How well the model's prediction for a row is read off its predictions for the rows nearest to it."""

    measure: Literal["fidelity", "r2_of_model"] = Field(
        description="`fidelity`: the share of rows whose predicted class is read off; `r2_of_model`: R2 of the model's "
        "value. A row without neighbours counts as wrong, or as the mean."
    )
    nearest: float = Field(le=1, description="Off the nearest other row alone.")
    neighbors: float = Field(
        le=1,
        description="Off the `n_neighbors` nearest, weighted by their proximities: the class of the largest sum (ties: "
        "the first), or the mean value.",
    )
    constant: float = Field(
        le=1, description="By one answer for all rows: the most frequent predicted class, or the mean value (0)."
    )


class ProximitiesResult(Contract):
    """Statistics of all rows together; the neighbours themselves are in `/content`."""

    proximity_kind: UsedKindOfNeighbors
    n_rows: RowsOfDataset
    n_trees: TreesOfModel
    min_leaf_rows: UsedLeafRowsOrNull = 1
    n_trees_used: TreesUsed
    n_neighbors: NeighborCount
    n_pairs: int = Field(
        description="Number of neighbours of all rows together; a row that shares leaves with few others has fewer."
    )
    mean_nearest_proximity: float = Field(
        ge=0, le=1, description="Mean over the rows of the proximity to the nearest other row."
    )
    share_without_neighbors: float = Field(ge=0, le=1, description="Share of rows that share no leaf with any other.")
    read_off: ReadOff | None = Field(
        default=None,
        description="What the proximities are worth: how well they predict the model's predictions. Null where "
        "these are the same for all rows.",
    )


class Proximities(ArtefactView):
    """The nearest rows of every row, its status and, once it is ready, its result."""

    object: Annotated[Literal["proximities"], OBJECT] = "proximities"
    request: Annotated[ProximitiesRequest, REQUEST]
    result: ProximitiesResult | None = Field(default=None, description=RESULT)


class Neighbor(Contract):
    """A row near another one."""

    row: RowIndex
    row_id: RowId
    proximity: float = Field(
        gt=0,
        le=1,
        description="Share of trees, by weight, in which the two rows have the same leaf; with `euclidean` 1 - "
        "distance / sqrt(number of features), and with `gap`, `oob`, `kernel` and `graded` what these define.",
    )
    distance: float = Field(ge=0, lt=1, description="1 - proximity.")


class NeighborsOfRow(Contract):
    """A row's nearest others, nearest first (ties: lower row), without those that share no leaf with it."""

    row: RowIndex
    row_id: RowId
    neighbors: list[Neighbor] = Field(description="The nearest other rows, nearest first.")


class ProximityBlockRequest(Contract):
    """Rows to compare with other rows."""

    # More than the limit is a problem of its own (413), not an invalid field.
    instances: list[Instance] = Field(
        min_length=1, description=INSTANCES, json_schema_extra={"maxItems": MAX_INSTANCES}
    )
    others: list[Instance] = Field(
        min_length=1,
        description="Raw rows to compare the instances with, written like these; at most 1,000.",
        json_schema_extra={"maxItems": MAX_INSTANCES},
    )
    row_ids: RowIds | None = Field(default=None, description=ROW_IDS)
    other_row_ids: RowIds | None = Field(
        default=None, description="Ids of `others`, which must be unique; default: their 0-based indices as text."
    )
    proximity_kind: RequestedKind = "auto"
    weights_of: Identifier | None = Field(
        default=None,
        description="Id of proximities, a label audit or a prototype set of this model and kind whose tree weights are "
        "used, and its coarser leaves where its `min_leaf_rows` is more than 1. Null: the trees' own leaves, and "
        "weights by `proximity_kind`, where `boosting` measures the trees' contributions on the rows of this request, "
        "instances and others together.",
    )


class ComparedRow(Contract):
    """Whether a row could be compared, or why not."""

    row_id: InstanceRowId
    status: Literal["ok", "error"] = Field(description="`error` if the row could not be compared; see `problem`.")
    problem: Problem | None = Field(default=None, description="Why the row could not be compared; null without error.")


class ProximityBlock(Contract):
    """The proximity of each instance to each of the others."""

    object: Annotated[Literal["proximity_block"], OBJECT] = "proximity_block"
    model: str = Field(description="Id of the model.")
    proximity_kind: UsedKind
    n_trees: TreesOfModel
    weights_of: str | None = Field(
        description="Id of the artefact whose tree weights were used; null if none was requested."
    )
    instances: list[ComparedRow] = Field(description="The instances, in the order of the request.")
    others: list[ComparedRow] = Field(description="The other rows, in the order of the request.")
    proximities: list[list[float | None] | None] = Field(
        description="One list for each instance, with its proximity to each of the others, 0 to 1; null for rows with "
        "an error."
    )


PROXIMITIES = Noun(
    name="proximities",
    singular="proximities",
    position=60,
    id_prefix="prx_",
    description="For every row of a dataset, the rows that the model sees as most alike.",
    making="by_job",
    made_from={"model": "models", "dataset": "datasets"},
    request=ProximitiesRequest,
    summary=Proximities,
    view=Proximities,
    result=ProximitiesResult,
    arrays=("weights",),
    files=("table",),
    products=(Product(name="content", media_types=TABLE, row=NeighborsOfRow),),
)
