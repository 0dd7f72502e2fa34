"""Models and operations of maps.

Written by scripts/generate_client.py from openapi.json.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ..fields import UNSET, Unset
from ..operations import Request, segment
from ..records import Record
from .literals import ComparedRowStatus, LabelAuditProximityKind, ProximityKind, Status, Task
from .models import Instance, Problem
from .prototype_sets import Caution


class Map(Record):
    """A map, its status and, once it is ready, its result."""

    object_: Literal["map"] = "map"
    """Type of this object."""
    id: str
    """Id of the artefact, derived from its request: equal requests have equal ids."""
    status: Status | str
    """`pending` while its job is queued or running; `ready` with a result; `failed` with a `problem`; `cancelled` if a
    caller cancelled the job.
    """
    job: str | None
    """Id of the job that makes or made it; null if that job is no longer kept."""
    reused: bool = False
    """Whether this request found an artefact that had been requested before."""
    created_at: datetime
    """Time of creation, in UTC (RFC 3339)."""
    request: MapRequest
    """The request, with all defaults filled in."""
    problem: Problem | Unset | None = UNSET
    """Why the job failed; null unless it did."""
    result: MapResult | Unset | None = UNSET
    """Result of the job; null until the status is `ready`, and in lists."""


class MapPreview(Record):
    """Some of the map's rows, for a small picture: lists of the same length, an item for each row."""

    rows: list[int]
    """0-based indices of rows in the dataset: all prototypes, and others evenly."""
    x: list[float]
    """Places from left to right, to three decimals."""
    y: list[float]
    """Places from bottom to top, to three decimals."""
    class_indices: list[int | None]
    """What is decided of each row, or else its label in the dataset's target, or what the model predicts where there is
    none, as an index into `classes` of the result; null for regression.
    """
    values: list[float | None]
    """Value that the model predicts; null for classification."""
    prototype_ranks: list[int | None]
    """Rank of the prototype that the row is; null: it is none."""


class MapRequest(Record):
    """Which dataset's rows to lay out, and by which model."""

    settings: Literal["paper"] | Unset = UNSET
    """`paper`: the fields that are left out have the values of the method's paper, as docs/methods.md lists them,
    instead of these defaults, fields of fields included; what is given, null included, stands, but for `method: auto`,
    which leaves the method to the word, too. Answers show the fields that result, so that the id is that of the same
    request in full. Absent: the defaults.
    """
    model: str
    """Id of the model."""
    dataset: str
    """Id of the reference dataset, which has every feature that the model reads."""
    prototype_set: str | Unset | None = UNSET
    """Id of a prototype set of this model and dataset, whose prototypes are all on the map; null: none."""
    proximity_kind: LabelAuditProximityKind | str | Unset = UNSET
    """How trees are weighted in proximities. `random_forest`: all alike (Tan et al., equation 1); `boosting`: by their
    contribution to the scores, its variance over the rows (Tan et al., definition 3); `boosting_sd`: by its standard
    deviation, the variance's square root, and `boosting_l1`: by its mean absolute deviation, both of which leave more
    weight to small trees; `auto`: by the model's `ensemble`, and `random_forest` where that is `other` or unknown
    (votes, AdaBoost, calibrated models).
    """
    n_rows: int | Unset = UNSET
    """Number of rows on the map, at most: of a larger dataset they are drawn by `seed`."""
    n_neighbors: int | Unset = UNSET
    """Number of nearest rows that hold each row in its place, less than the number of rows on the map; a third of it is
    the perplexity. More show the whole rather than what lies side by side.
    """
    min_leaf_rows: int | Unset = UNSET
    """Fewest reference rows of a leaf: a tree is cut back where a split leaves fewer on either side, and rows are
    compared by the coarser leaves. 1: the trees' own leaves, as in the papers. Predictions never depend on it.
    """
    seed: int | Unset = UNSET
    """Seed of the drawn rows and the layout."""


class MapResult(Record):
    """How the map was made, and how far it can be trusted; its rows are in `/content`."""

    proximity_kind: ProximityKind | str
    """How trees were weighted in the proximities."""
    task: Task | str
    """What the model predicts."""
    classes: list[str]
    """Classes in the order of the model's scores; empty for regression."""
    n_rows: int
    """Number of rows of the dataset."""
    n_trees: int
    """Number of trees of the model; 0 of an oracle."""
    min_leaf_rows: int
    """The `min_leaf_rows` that was used: trees were cut back where a split left fewer reference rows on either side; 1:
    they were not cut.
    """
    n_trees_used: int | None
    """Number of trees that count in proximities: those cut back to a single leaf do not, nor do those of boosting whose
    values do not vary. Null by plain distance (`euclidean`).
    """
    n_rows_shown: int
    """Number of rows on the map."""
    n_prototypes: int
    """Number of prototypes on the map."""
    n_neighbors: int
    """Number of nearest rows that hold each row in its place."""
    neighbors_kept: float | None
    """Mean share of a row's ten nearest in leaf space that are among its ten nearest on the map; null if no row shares
    a leaf with another.
    """
    trustworthiness: float
    """How few of a row's ten nearest on the map are far from it in leaf space (Venna and Kaski, 2001), 0 to 1: 1 where
    none is. Rows of equal proximity share the best rank; see `trustworthiness_by_chance`.
    """
    neighbors_kept_by_chance: float | None
    """`neighbors_kept` of the same rows when the places are shuffled among the rows; null likewise."""
    trustworthiness_by_chance: float
    """`trustworthiness` of the same rows when the places are shuffled among the rows, 0 to 1: far above 0.5 where many
    rows are equally near in leaf space, as in forests with small leaves.
    """
    n_rows_evaluated: int
    """Number of rows on which these figures were measured."""
    preview: MapPreview
    """Some 1,500 rows of the map, or all."""
    cautions: list[Caution]
    """Reasons to read the result with care; empty where none is known."""


class MapRow(Record):
    """A row on the map."""

    row: int
    """0-based index of the row in the dataset."""
    row_id: str
    """Id of the row: its text in the dataset's row_id column, or its 0-based index without one."""
    x: float
    """Place from left to right; lengths on a map have no unit."""
    y: float
    """Place from bottom to top."""
    label: str | None
    """Label of the row in the dataset's target; null without one."""
    predicted_label: str | None
    """Label that the model predicts; null for regression."""
    outcome: str | Unset | None = UNSET
    """What is decided of the row; null where the model has no decision of its own."""
    target: float | None
    """Target of the row in a regression; null without one."""
    value: float | None
    """Value that the model predicts in a regression; null for classification."""
    prototype_rank: int | None
    """Rank of the prototype that the row is; null: it is none."""


class PageMapRow(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[MapRow]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class PageMap(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[Map]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class PlaceList(Record):
    """Places of new rows: the mean of their ten nearest rows of the map, weighted by proximity."""

    object_: Literal["place_list"] = "place_list"
    """Type of this object."""
    map_: str
    """Id of the map."""
    data: list[PlacedRow]
    """The rows, in the order of the request."""


class PlacedRow(Record):
    """Where a new row stands on the map."""

    row_id: str
    """Id of the row: the caller's or, without one, the default of the request's `row_ids`."""
    status: ComparedRowStatus | str
    """`error` if the row could not be read; see `problem`."""
    x: float | None
    """Place from left to right; null for a row that shares no leaf with the map's."""
    y: float | None
    """Place from bottom to top; null likewise."""
    proximity: float | None
    """Proximity to the nearest row of the map, 0 to 1; null with an error."""
    problem: Problem | Unset | None = UNSET
    """Why the row has no place; null without error."""


class PlacesRequest(Record):
    """New rows to be placed on a map."""

    instances: list[Instance]
    """Raw rows, at most 1,000. Each row has values by feature name, or in the order of the features."""
    row_ids: list[str] | Unset | None = UNSET
    """Ids of the rows in their order, which must be unique; default: their 0-based indices as text."""


def create_map(*, body: MapRequest, idempotency_key: str | Unset | None = UNSET) -> Request[Map]:
    """Request a map; a job makes it unless it is there."""
    return Request("POST", "/v1/maps", headers={"Idempotency-Key": idempotency_key}, body=body, answer=Map)


def list_maps(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset | None = UNSET,
    model: str | Unset | None = UNSET,
    dataset: str | Unset | None = UNSET,
    prototype_set: str | Unset | None = UNSET,
    status: Status | Unset | None = UNSET,
) -> Request[PageMap]:
    """List maps, newest first, without their results."""
    return Request(
        "GET",
        "/v1/maps",
        query={
            "limit": limit,
            "cursor": cursor,
            "model": model,
            "dataset": dataset,
            "prototype_set": prototype_set,
            "status": status,
        },
        answer=PageMap,
    )


def get_map(map_id: str, *, if_none_match: str | Unset = UNSET) -> Request[Map]:
    """Read a map: its status and, once it is ready, its result."""
    return Request("GET", f"/v1/maps/{segment(map_id)}", headers={"If-None-Match": if_none_match}, answer=Map)


def delete_map(map_id: str) -> Request[None]:
    """Delete a map; refused while others use it or a job makes it."""
    return Request("DELETE", f"/v1/maps/{segment(map_id)}")


def get_map_content(
    map_id: str, *, limit: int | Unset = UNSET, cursor: str | Unset | None = UNSET, if_none_match: str | Unset = UNSET
) -> Request[PageMapRow]:
    """Read all rows as JSON, page by page, or at once as CSV or Parquet, as `Accept` says."""
    return Request(
        "GET",
        f"/v1/maps/{segment(map_id)}/content",
        query={"limit": limit, "cursor": cursor},
        headers={"If-None-Match": if_none_match},
        answer=PageMapRow,
    )


def place_rows_on_map(map_id: str, *, body: PlacesRequest) -> Request[PlaceList]:
    """Place new rows on a map: each at the mean of its ten nearest rows, weighted by proximity."""
    return Request("POST", f"/v1/maps/{segment(map_id)}/places", body=body, answer=PlaceList)
