"""Models and operations of proximities.

Written by scripts/generate_client.py from openapi.json.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ..fields import UNSET, Unset
from ..operations import Request, segment
from ..records import Record
from .literals import ProximitiesProximityKind, ProximitiesResultProximityKind, ReadOffMeasure, RunOn, Status
from .models import Problem


class Neighbor(Record):
    """A row near another one."""

    row: int
    """0-based index of the row in the dataset."""
    row_id: str
    """Id of the row: its text in the dataset's row_id column, or its 0-based index without one."""
    proximity: float
    """Share of trees, by weight, in which the two rows have the same leaf; with `euclidean` 1 - distance / sqrt(number
    of features), and with `gap`, `oob`, `kernel` and `graded` what these define.
    """
    distance: float
    """1 - proximity."""


class NeighborsOfRow(Record):
    """A row's nearest others, nearest first (ties: lower row), without those that share no leaf with it."""

    row: int
    """0-based index of the row in the dataset."""
    row_id: str
    """Id of the row: its text in the dataset's row_id column, or its 0-based index without one."""
    neighbors: list[Neighbor]
    """The nearest other rows, nearest first."""


class PageNeighborsOfRow(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[NeighborsOfRow]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class PageProximities(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[Proximities]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class Proximities(Record):
    """The nearest rows of every row, its status and, once it is ready, its result."""

    object_: Literal["proximities"] = "proximities"
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
    request: ProximitiesRequest
    """The request, with all defaults filled in."""
    problem: Problem | Unset | None = UNSET
    """Why the job failed; null unless it did."""
    result: ProximitiesResult | Unset | None = UNSET
    """Result of the job; null until the status is `ready`, and in lists."""


class ProximitiesRequest(Record):
    """Which dataset's rows to compare, and by which model."""

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
    proximity_kind: ProximitiesProximityKind | str | Unset = UNSET
    """How trees are weighted in proximities. `random_forest`: all alike (Tan et al., equation 1); `boosting`: by their
    contribution to the scores, its variance over the rows (Tan et al., definition 3); `boosting_sd`: by its standard
    deviation, the variance's square root, and `boosting_l1`: by its mean absolute deviation, both of which leave more
    weight to small trees; `auto`: by the model's `ensemble`, and `random_forest` where that is `other` or unknown
    (votes, AdaBoost, calibrated models). `euclidean`: no trees at all, as a baseline; 1 - distance / sqrt(number of
    features), where numbers differ by their ranks among the reference rows, 0 to 1, and categories, truth values and
    missing values by 0 or 1 (Tan et al., table 1). `kernel`: each tree's weight is shared among the rows of the leaf,
    so that all rows' proximities to a row add up to 1 and those in small leaves are nearer. `graded`: by how far two
    rows go together in each tree, twice the depth of the lowest node above both by the sum of the depths of their
    leaves, instead of all or nothing. Of forests whose `bags` are known, and their training rows in order: `gap`, the
    share that a row has in the forest's prediction for the other, over the trees that did not learn from this (Rhodes
    et al., 2023; not symmetric); `oob`, the share of the trees that learned from neither row in which both have the
    same leaf.
    """
    n_neighbors: int | Unset = UNSET
    """Number of nearest rows of each row; less than the number of rows of the dataset."""
    min_leaf_rows: int | Unset = UNSET
    """Fewest reference rows of a leaf: a tree is cut back where a split leaves fewer on either side, and rows are
    compared by the coarser leaves. 1: the trees' own leaves, as in the papers. Predictions never depend on it.
    """
    run_on: RunOn | str | Unset = UNSET
    """Where the job works on the rows: `local`, in the worker's own process; `cluster`, on the workers of a Dask
    cluster (LEAFSPACE_DASK_SCHEDULER); `auto`: on the cluster where one process would need more memory than a job may
    use, and else locally. The result is the same, and so is the id: answers always show `auto`.
    """


class ProximitiesResult(Record):
    """Statistics of all rows together; the neighbours themselves are in `/content`."""

    proximity_kind: ProximitiesResultProximityKind | str
    """How trees were weighted in the proximities; `euclidean`: rows were compared by plain distance; `gap`, `oob`,
    `kernel`: by what rows count in the leaves; `graded`: by how far they go together in trees.
    """
    n_rows: int
    """Number of rows of the dataset."""
    n_trees: int
    """Number of trees of the model; 0 of an oracle."""
    min_leaf_rows: int | None = 1
    """The `min_leaf_rows` that was used: trees were cut back where a split left fewer reference rows on either side; 1:
    they were not cut. Null with `euclidean`, which knows no leaves.
    """
    n_trees_used: int | None
    """Number of trees that count in proximities: those cut back to a single leaf do not, nor do those of boosting whose
    values do not vary. Null by plain distance (`euclidean`).
    """
    n_neighbors: int
    """Number of nearest rows of each row; less than the number of rows of the dataset."""
    n_pairs: int
    """Number of neighbours of all rows together; a row that shares leaves with few others has fewer."""
    mean_nearest_proximity: float
    """Mean over the rows of the proximity to the nearest other row."""
    share_without_neighbors: float
    """Share of rows that share no leaf with any other."""
    read_off: ReadOff | Unset | None = UNSET
    """What the proximities are worth: how well they predict the model's predictions. Null where these are the same for
    all rows.
    """


class ReadOff(Record):
    """How well the model's prediction for a row is read off its predictions for the rows nearest to it."""

    measure: ReadOffMeasure | str
    """`fidelity`: the share of rows whose predicted class is read off; `r2_of_model`: R2 of the model's value. A row
    without neighbours counts as wrong, or as the mean.
    """
    nearest: float
    """Off the nearest other row alone."""
    neighbors: float
    """Off the `n_neighbors` nearest, weighted by their proximities: the class of the largest sum (ties: the first), or
    the mean value.
    """
    constant: float
    """By one answer for all rows: the most frequent predicted class, or the mean value (0)."""


def create_proximities(
    *, body: ProximitiesRequest, idempotency_key: str | Unset | None = UNSET
) -> Request[Proximities]:
    """Request the nearest rows of every row; a job finds them unless they are there."""
    return Request(
        "POST", "/v1/proximities", headers={"Idempotency-Key": idempotency_key}, body=body, answer=Proximities
    )


def list_proximities(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset | None = UNSET,
    model: str | Unset | None = UNSET,
    dataset: str | Unset | None = UNSET,
    status: Status | Unset | None = UNSET,
) -> Request[PageProximities]:
    """List proximities, newest first, without their results."""
    return Request(
        "GET",
        "/v1/proximities",
        query={"limit": limit, "cursor": cursor, "model": model, "dataset": dataset, "status": status},
        answer=PageProximities,
    )


def get_proximities(proximities_id: str, *, if_none_match: str | Unset = UNSET) -> Request[Proximities]:
    """Read proximities: its status and, once it is ready, its result."""
    return Request(
        "GET",
        f"/v1/proximities/{segment(proximities_id)}",
        headers={"If-None-Match": if_none_match},
        answer=Proximities,
    )


def delete_proximities(proximities_id: str) -> Request[None]:
    """Delete proximities; refused while others use it or a job makes it."""
    return Request("DELETE", f"/v1/proximities/{segment(proximities_id)}")


def get_proximities_content(
    proximities_id: str,
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset | None = UNSET,
    if_none_match: str | Unset = UNSET,
) -> Request[PageNeighborsOfRow]:
    """Read all rows as JSON, page by page, or at once as CSV or Parquet, as `Accept` says."""
    return Request(
        "GET",
        f"/v1/proximities/{segment(proximities_id)}/content",
        query={"limit": limit, "cursor": cursor},
        headers={"If-None-Match": if_none_match},
        answer=PageNeighborsOfRow,
    )
