"""Proximities: which rows a model sees alike."""

from typing import Literal

from pydantic import Field

from .artefacts import RESULT, ArtefactView, NeighborCount, ProximityKind
from .contract import Contract, Identifier, RowId, RowIndex
from .models import MAX_INSTANCES, Instance, InstanceRowId, RowIds
from .problems import Problem


class ProximitiesRequest(Contract):
    """Whose nearest rows, as which model sees them."""

    model: Identifier
    dataset: Identifier
    kind: ProximityKind = "auto"
    n_neighbors: NeighborCount = 10


class ProximitiesResult(Contract):
    """What is known of all rows together; the neighbours themselves are in `/content`."""

    kind: Literal["random_forest", "boosting"]
    n_rows: int
    n_trees: int
    n_neighbors: int
    n_pairs: int = Field(description="Neighbours of all rows; a row that shares leaves with few others has fewer.")
    mean_nearest_proximity: float = Field(
        ge=0, le=1, description="Mean over rows of the proximity to the nearest other row."
    )
    share_without_neighbors: float = Field(ge=0, le=1, description="Share of rows that share no leaf with any other.")


class Proximities(ArtefactView):
    """The nearest rows of every row, its status and, once it is ready, its result."""

    object: Literal["proximities"] = "proximities"
    request: ProximitiesRequest
    result: ProximitiesResult | None = Field(default=None, description=RESULT)


class Neighbor(Contract):
    """A row near another one."""

    row: RowIndex
    row_id: RowId
    proximity: float = Field(gt=0, le=1)
    distance: float = Field(ge=0, lt=1, description="1 - proximity.")


class NeighborsOfRow(Contract):
    """A row's nearest others, nearest first (ties: lower row), without those that share no leaf with it."""

    row: RowIndex
    row_id: RowId
    neighbors: list[Neighbor]


class ProximityBlockRequest(Contract):
    """Rows to compare with other rows."""

    # More than the limit is a problem of its own (413), not an invalid field.
    instances: list[Instance] = Field(min_length=1, json_schema_extra={"maxItems": MAX_INSTANCES})
    others: list[Instance] = Field(min_length=1, json_schema_extra={"maxItems": MAX_INSTANCES})
    row_ids: RowIds | None = None
    other_row_ids: RowIds | None = None
    kind: ProximityKind = "auto"
    weights_of: Identifier | None = Field(
        default=None,
        description="Proximities, a label audit or a prototype set of this model and kind: trees count as they do "
        "there. Default: as `kind` says; for `boosting`, by how much they vary over the rows of this call, instances "
        "and others together.",
    )


class ComparedRow(Contract):
    """Whether a row could be compared, or why not."""

    row_id: InstanceRowId
    status: Literal["ok", "error"]
    problem: Problem | None = None


class ProximityBlock(Contract):
    """The proximity of each instance to each of the others."""

    object: Literal["proximity_block"] = "proximity_block"
    model: str
    kind: Literal["random_forest", "boosting"]
    n_trees: int
    weights_of: str | None = Field(description="Where the weights of trees come from, if that was said.")
    instances: list[ComparedRow]
    others: list[ComparedRow]
    proximities: list[list[float | None] | None] = Field(
        description="A line for each instance, with a number in 0 to 1 for each of the others; null for bad rows."
    )
