"""Maps: rows in two dimensions, where those that the model sees as alike lie side by side."""

from typing import Annotated, Literal

from pydantic import Field

from .artefacts import (
    REQUEST,
    RESULT,
    ArtefactView,
    LeafRows,
    ReferenceDataset,
    RequestedKind,
    RequestedModel,
    TreesUsed,
    UsedKind,
    UsedLeafRows,
)
from .cautions import CAUTIONS, Caution
from .contract import (
    OBJECT,
    ClassesOfModel,
    Contract,
    Identifier,
    RowId,
    RowIndex,
    RowsOfDataset,
    TaskOfModel,
    TreesOfModel,
)
from .models import INSTANCES, MAX_INSTANCES, ROW_IDS, Instance, InstanceRowId, RowIds
from .noun import TABLE, Noun, Product
from .paper_settings import MethodRequest
from .problems import Problem

MAX_ROWS = 20_000
N_PREVIEWED = 1_500
Horizontal = Annotated[float, Field(description="Place from left to right; lengths on a map have no unit.")]
Vertical = Annotated[float, Field(description="Place from bottom to top.")]


class MapRequest(MethodRequest):
    """Which dataset's rows to lay out, and by which model."""

    model: RequestedModel
    dataset: ReferenceDataset
    prototype_set: Identifier | None = Field(
        default=None,
        description="Id of a prototype set of this model and dataset, whose prototypes are all on the map; null: none.",
    )
    proximity_kind: RequestedKind = "auto"
    n_rows: int = Field(
        default=5_000,
        ge=3,
        le=MAX_ROWS,
        strict=True,
        description="Number of rows on the map, at most: of a larger dataset they are drawn by `seed`.",
    )
    n_neighbors: int = Field(
        default=45,
        ge=2,
        le=300,
        strict=True,
        description="Number of nearest rows that hold each row in its place, less than the number of rows on the map; "
        "a third of it is the perplexity. More show the whole rather than what lies side by side.",
    )
    min_leaf_rows: LeafRows = 1
    seed: int = Field(default=0, ge=0, le=2**31 - 1, strict=True, description="Seed of the drawn rows and the layout.")


class MapRow(Contract):
    """A row on the map."""

    row: RowIndex
    row_id: RowId
    x: Horizontal
    y: Vertical
    label: str | None = Field(description="Label of the row in the dataset's target; null without one.")
    predicted_label: str | None = Field(description="Label that the model predicts; null for regression.")
    outcome: str | None = Field(
        default=None, description="What is decided of the row; null where the model has no decision of its own."
    )
    target: float | None = Field(description="Target of the row in a regression; null without one.")
    value: float | None = Field(description="Value that the model predicts in a regression; null for classification.")
    prototype_rank: int | None = Field(description="Rank of the prototype that the row is; null: it is none.")


class MapPreview(Contract):
    """Some of the map's rows, for a small picture: lists of the same length, an item for each row."""

    rows: list[int] = Field(description="0-based indices of rows in the dataset: all prototypes, and others evenly.")
    x: list[float] = Field(description="Places from left to right, to three decimals.")
    y: list[float] = Field(description="Places from bottom to top, to three decimals.")
    class_indices: list[int | None] = Field(
        description="What is decided of each row, or else its label in the dataset's target, or what the model "
        "predicts where there is none, as an index into `classes` of the result; null for regression."
    )
    values: list[float | None] = Field(description="Value that the model predicts; null for classification.")
    prototype_ranks: list[int | None] = Field(description="Rank of the prototype that the row is; null: it is none.")


class MapResult(Contract):
    """How the map was made, and how far it can be trusted; its rows are in `/content`."""

    proximity_kind: UsedKind
    task: TaskOfModel
    classes: ClassesOfModel
    n_rows: RowsOfDataset
    n_trees: TreesOfModel
    min_leaf_rows: UsedLeafRows
    n_trees_used: TreesUsed
    n_rows_shown: int = Field(description="Number of rows on the map.")
    n_prototypes: int = Field(description="Number of prototypes on the map.")
    n_neighbors: int = Field(description="Number of nearest rows that hold each row in its place.")
    neighbors_kept: float | None = Field(
        ge=0,
        le=1,
        description="Mean share of a row's ten nearest in leaf space that are among its ten nearest on the map; null "
        "if no row shares a leaf with another.",
    )
    trustworthiness: float = Field(
        description="How few of a row's ten nearest on the map are far from it in leaf space (Venna and Kaski, 2001), "
        "0 to 1: 1 where none is. Rows of equal proximity share the best rank; see `trustworthiness_by_chance`."
    )
    neighbors_kept_by_chance: float | None = Field(
        ge=0,
        le=1,
        description="`neighbors_kept` of the same rows when the places are shuffled among the rows; null likewise.",
    )
    trustworthiness_by_chance: float = Field(
        description="`trustworthiness` of the same rows when the places are shuffled among the rows, 0 to 1: far above "
        "0.5 where many rows are equally near in leaf space, as in forests with small leaves."
    )
    n_rows_evaluated: int = Field(description="Number of rows on which these figures were measured.")
    preview: MapPreview = Field(description=f"Some {N_PREVIEWED:,} rows of the map, or all.")
    cautions: list[Caution] = Field(description=CAUTIONS)


class Map(ArtefactView):
    """A map, its status and, once it is ready, its result."""

    object: Annotated[Literal["map"], OBJECT] = "map"
    request: Annotated[MapRequest, REQUEST]
    result: MapResult | None = Field(default=None, description=RESULT)


class PlacesRequest(Contract):
    """New rows to be placed on a map."""

    # More than the limit is a problem of its own (413), not an invalid field.
    instances: list[Instance] = Field(
        min_length=1, description=INSTANCES, json_schema_extra={"maxItems": MAX_INSTANCES}
    )
    row_ids: RowIds | None = Field(default=None, description=ROW_IDS)


class PlacedRow(Contract):
    """Where a new row stands on the map."""

    row_id: InstanceRowId
    status: Literal["ok", "error"] = Field(description="`error` if the row could not be read; see `problem`.")
    x: float | None = Field(description="Place from left to right; null for a row that shares no leaf with the map's.")
    y: float | None = Field(description="Place from bottom to top; null likewise.")
    proximity: float | None = Field(description="Proximity to the nearest row of the map, 0 to 1; null with an error.")
    problem: Problem | None = Field(default=None, description="Why the row has no place; null without error.")


class PlaceList(Contract):
    """Places of new rows: the mean of their ten nearest rows of the map, weighted by proximity."""

    object: Annotated[Literal["place_list"], OBJECT] = "place_list"
    map: str = Field(description="Id of the map.")
    data: list[PlacedRow] = Field(description="The rows, in the order of the request.")


MAPS = Noun(
    name="maps",
    singular="map",
    position=90,
    id_prefix="map_",
    description="Rows of a dataset in two dimensions, where those that the model sees as alike lie side by side.",
    making="by_job",
    made_from={"model": "models", "dataset": "datasets", "prototype_set": "prototype_sets"},
    request=MapRequest,
    summary=Map,
    view=Map,
    result=MapResult,
    arrays=("weights", "leaves", "places"),
    files=("table",),
    products=(Product(name="content", media_types=TABLE, row=MapRow),),
    actions={"places": "explain"},
)
