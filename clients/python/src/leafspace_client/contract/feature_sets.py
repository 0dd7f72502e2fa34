"""Models and operations of feature sets.

Written by scripts/generate_client.py from openapi.json.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, TypeAlias

from ..fields import UNSET, Unset
from ..operations import Request, segment
from ..records import Record
from .literals import (
    ComparedRowStatus,
    Direction,
    ExportFeatureSetFormat,
    FeatureAggregateFunction,
    FeatureDatasetStatus,
    Kind,
    Operator,
    Status,
    Type,
)
from .models import Problem


class FeatureAggregate(Record):
    """A value made of the rows that one relationship leads to."""

    function: FeatureAggregateFunction | str
    """`count` of the rows that satisfy `where` (0 of none); `share` of them among all rows (missing of no rows); `sum`
    (0 of none), `mean`, `min`, `max` of the column's values (missing of none); `mode`: the most frequent category
    (missing of none); `n_distinct`: the number of distinct values (0 of none).
    """
    by: str
    """Name of the relationship that is followed: `<table with the foreign key>.<its columns, parted by commas>`."""
    direction: Direction | str | Unset = UNSET
    """Way in which the relationship is followed, where both of its ends are the same table: to the rows that refer to
    this one (`children`), or to the one that it refers to (`parent`); absent elsewhere, where only one way is open.
    """
    column: str | Unset = UNSET
    """Name of the column that is read; absent for `count` and `share`."""
    parents: list[str] | Unset = UNSET
    """Names of the relationships that lead from the row to the parent whose column is read, one after the other; absent
    where the row's own column is read. Trees read parents up to 3 relationships away, generated features up to 2.
    """
    where: list[FeatureSelection] | Unset = UNSET
    """Conditions that rows satisfy together to be counted."""


class FeatureCondition(Record):
    """A condition on one variable's row, or on the example's."""

    variable: str
    """Id of the variable, or `example`."""
    column: str | Unset = UNSET
    """Name of the column; absent where an aggregate is read."""
    parents: list[str] | Unset = UNSET
    """Names of the relationships that lead from the row to the parent whose column is read, one after the other; absent
    where the row's own column is read. Trees read parents up to 3 relationships away, generated features up to 2.
    """
    aggregate: FeatureAggregate | Unset = UNSET
    """The aggregate; absent where a column is read."""
    operator: Operator | str
    """Comparison; a missing value satisfies `is_missing` alone."""
    value: ComparedValue | Unset = UNSET
    """Value to compare with: a category or boolean with `=`, a number (of single precision) with the others; absent
    with `is_missing`.
    """


class FeatureDataset(Record):
    """The dataset that a feature set makes of a relational dataset, and the job that makes it."""

    object_: Literal["feature_dataset"] = "feature_dataset"
    """Type of this object."""
    dataset: str
    """Id of the dataset, which exists once the status is `ready`."""
    status: FeatureDatasetStatus | str
    """`pending` while its job is queued or running."""
    job: str | None
    """Id of the job that makes it; null once it is ready."""


class FeatureDatasetRequest(Record):
    """The rows of which a feature set makes a dataset."""

    settings: Literal["paper"] | Unset = UNSET
    """`paper`: the fields that are left out have the values of the method's paper, as docs/methods.md lists them,
    instead of these defaults, fields of fields included; what is given, null included, stands, but for `method: auto`,
    which leaves the method to the word, too. Answers show the fields that result, so that the id is that of the same
    request in full. Absent: the defaults.
    """
    relational_dataset: str | Unset | None = UNSET
    """Id of a relational dataset that has the tables and columns of the feature set's own; null: its own."""


class FeatureMeasure(Record):
    """What a feature reads of each binding: a column, or an aggregate of the rows beside it."""

    variable: str
    """Id of the variable, or `example`."""
    column: str | Unset = UNSET
    """Name of the column; absent where an aggregate is read."""
    parents: list[str] | Unset = UNSET
    """Names of the relationships that lead from the row to the parent whose column is read, one after the other; absent
    where the row's own column is read. Trees read parents up to 3 relationships away, generated features up to 2.
    """
    aggregate: FeatureAggregate | Unset = UNSET
    """The aggregate; absent where a column is read."""


class FeatureRow(Record):
    """The values of one example's features, or why there are none."""

    object_: Literal["feature_row"] = "feature_row"
    """Type of this object."""
    row_id: str
    """Primary key of the example as text, its columns parted by commas; its 0-based index without one."""
    status: ComparedRowStatus | str
    """`error` if the example could not be read; see `problem`."""
    values: list[ComparedValue | None] | Unset | None = UNSET
    """Values of the features in their order, null where missing; null with an error."""
    problem: Problem | Unset | None = UNSET
    """Why the example could not be read; null without error."""


class FeatureRowList(Record):
    """The values of the features of several examples."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    feature_set: str
    """Id of the feature set."""
    features: list[str]
    """Names of the features, in the order of `values`."""
    data: list[FeatureRow]
    """One entry for each instance, in their order."""


class FeatureRowsRequest(Record):
    """Examples to evaluate the features of."""

    instances: list[dict[str, list[dict[str, Any]]]]
    """Examples, at most 100, with at most 100,000 rows in all."""


class FeatureSelection(Record):
    """A condition on the rows that an aggregate reads."""

    column: str
    """Name of the column."""
    parents: list[str] | Unset = UNSET
    """Names of the relationships that lead from the row to the parent whose column is read, one after the other; absent
    where the row's own column is read. Trees read parents up to 3 relationships away, generated features up to 2.
    """
    operator: Operator | str
    """Comparison; a missing value satisfies `is_missing` alone."""
    value: ComparedValue | Unset = UNSET
    """Value to compare with: a category or boolean with `=`, a number (of single precision) with the others; absent
    with `is_missing`.
    """


class FeatureSet(Record):
    """A feature set, its status and, once it is ready, its result. A listed set is ready at once, without a job."""

    object_: Literal["feature_set"] = "feature_set"
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
    request: FeatureSetRequest
    """The request, with all defaults filled in."""
    problem: Problem | Unset | None = UNSET
    """Why the job failed; null unless it did."""
    result: FeatureSetResult | Unset | None = UNSET
    """Result of the job; null until the status is `ready`, and in lists."""


class FeatureSetRequest(Record):
    """The features of a set: a list of them, or how they are generated."""

    settings: Literal["paper"] | Unset = UNSET
    """`paper`: the fields that are left out have the values of the method's paper, as docs/methods.md lists them,
    instead of these defaults, fields of fields included; what is given, null included, stands, but for `method: auto`,
    which leaves the method to the word, too. Answers show the fields that result, so that the id is that of the same
    request in full. Absent: the defaults.
    """
    relational_dataset: str
    """Id of the relational dataset."""
    features: list[RequestedFeature] | Unset | None = UNSET
    """The features; one that means the same as an earlier one is refused. Null where they are generated and in answers:
    the result has them.
    """
    generate: GeneratedFeatures | Unset | None = UNSET
    """Each column of the example, and every aggregate along one or two relationships, with and without one selection,
    at most 2,000, the shortest first; null where `features` are listed.
    """


class FeatureSetResult(Record):
    """The features of a set."""

    n_features: int
    """Number of features."""
    n_left_out: int = 0
    """Number of features that were generated beyond the limit, and are not in the set."""
    features: list[RelationalFeature]
    """The features in the order of their columns."""


class FeatureVariable(Record):
    """A row of another table, reached from the example or from an earlier variable."""

    id: str
    """Name by which conditions and later variables refer to the row."""
    table: str
    """Name of the table that the row is of."""
    from_: str
    """`example`, or the id of an earlier variable."""
    by: str
    """Name of the relationship that is followed: `<table with the foreign key>.<its columns, parted by commas>`."""
    direction: Direction | str | Unset = UNSET
    """Way in which the relationship is followed, where both of its ends are the same table: to the rows that refer to
    this one (`children`), or to the one that it refers to (`parent`); absent elsewhere, where only one way is open.
    """


class GeneratedFeatures(Record):
    """Which features are generated."""

    depth: Literal[1, 2] | Unset = UNSET
    """Largest number of relationships between the example and the rows that are aggregated."""
    ignore_unjoined: bool | Unset = UNSET
    """Whether tables that no relationship leads to from the examples (`unused` of the relational dataset) are ignored.
    By default they are refused: where a key was not declared, what they say would be left out without a word.
    """


class PageFeatureSet(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[FeatureSet]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class RelationalFeature(Record):
    """A feature of a feature set: one column of its datasets."""

    kind: Kind | str
    """`exists`: whether some rows satisfy all conditions together; `count` of the ways in which they do; `share` of
    them among those that satisfy all conditions but the last variable's; `value`: `measure` of the example itself;
    others: of `measure` over all ways to satisfy the conditions, as in `aggregate`.
    """
    name: str
    """Name of the feature and of its column, unique in its set."""
    variables: list[FeatureVariable] | Unset = UNSET
    """Rows of other tables, each after the one it is reached from."""
    conditions: list[FeatureCondition] | Unset = UNSET
    """Conditions that the rows satisfy together."""
    measure: FeatureMeasure | Unset = UNSET
    """What is read of each way to satisfy the conditions; absent for `exists`, `count` and `share`."""
    id: str
    """Hash of the query in its canonical form: features that mean the same have one id."""
    type_: Type | str
    """Type of the column: `boolean` for `exists`, which is never missing; `category` for categories."""


class RequestedFeature(Record):
    """A feature: a property of the example, found by a query about its rows and those of other tables."""

    kind: Kind | str
    """`exists`: whether some rows satisfy all conditions together; `count` of the ways in which they do; `share` of
    them among those that satisfy all conditions but the last variable's; `value`: `measure` of the example itself;
    others: of `measure` over all ways to satisfy the conditions, as in `aggregate`.
    """
    name: str | Unset | None = UNSET
    """Name of the feature, unique in its set; null: one in English is made of the query."""
    variables: list[FeatureVariable] | Unset = UNSET
    """Rows of other tables, each after the one it is reached from."""
    conditions: list[FeatureCondition] | Unset = UNSET
    """Conditions that the rows satisfy together."""
    measure: FeatureMeasure | Unset = UNSET
    """What is read of each way to satisfy the conditions; absent for `exists`, `count` and `share`."""


ComparedValue: TypeAlias = bool | float | str
"""A value of a query or of its feature: a boolean, a number or a category."""


def create_feature_set(*, body: FeatureSetRequest, idempotency_key: str | Unset | None = UNSET) -> Request[FeatureSet]:
    """Request a feature set: a list of features is kept at once; a job generates others unless they are known."""
    return Request(
        "POST", "/v1/feature-sets", headers={"Idempotency-Key": idempotency_key}, body=body, answer=FeatureSet
    )


def list_feature_sets(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset | None = UNSET,
    relational_dataset: str | Unset | None = UNSET,
    status: Status | Unset | None = UNSET,
) -> Request[PageFeatureSet]:
    """List feature sets, newest first, without their results."""
    return Request(
        "GET",
        "/v1/feature-sets",
        query={"limit": limit, "cursor": cursor, "relational_dataset": relational_dataset, "status": status},
        answer=PageFeatureSet,
    )


def get_feature_set(feature_set_id: str, *, if_none_match: str | Unset = UNSET) -> Request[FeatureSet]:
    """Read a feature set: its status and, once it is ready, its result."""
    return Request(
        "GET",
        f"/v1/feature-sets/{segment(feature_set_id)}",
        headers={"If-None-Match": if_none_match},
        answer=FeatureSet,
    )


def delete_feature_set(feature_set_id: str) -> Request[None]:
    """Delete a feature set; refused while others use it or a job makes it."""
    return Request("DELETE", f"/v1/feature-sets/{segment(feature_set_id)}")


def get_feature_set_content(feature_set_id: str, *, if_none_match: str | Unset = UNSET) -> Request[FeatureSetResult]:
    """Read the whole result as JSON, CSV or Parquet, as `Accept` says."""
    return Request(
        "GET",
        f"/v1/feature-sets/{segment(feature_set_id)}/content",
        headers={"If-None-Match": if_none_match},
        answer=FeatureSetResult,
    )


def export_feature_set(
    feature_set_id: str, *, format_: ExportFeatureSetFormat | Unset = UNSET, if_none_match: str | Unset = UNSET
) -> Request[None]:
    """Export the features as JSON, as SQL that runs on the tables themselves, or as a list in HTML."""
    return Request(
        "GET",
        f"/v1/feature-sets/{segment(feature_set_id)}/export",
        query={"format": format_},
        headers={"If-None-Match": if_none_match},
    )


def evaluate_features(feature_set_id: str, *, body: FeatureRowsRequest) -> Request[FeatureRowList]:
    """Evaluate the features of up to 100 examples, each sent with its rows of all tables."""
    return Request("POST", f"/v1/feature-sets/{segment(feature_set_id)}/rows", body=body, answer=FeatureRowList)


def request_dataset(feature_set_id: str, *, body: FeatureDatasetRequest) -> Request[FeatureDataset]:
    """Request an ordinary dataset with the features of a relational dataset's examples; a job makes it."""
    return Request("POST", f"/v1/feature-sets/{segment(feature_set_id)}/datasets", body=body, answer=FeatureDataset)
