"""Models and operations of relational forests.

Written by scripts/generate_client.py from openapi.json.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ..fields import UNSET, Unset
from ..operations import Request, segment
from ..records import Record
from .literals import Criterion, FeatureAggregateFunction, RelationalForestMethod, RelationalForestPruning, Status, Task
from .models import Problem


class ForestEvaluation(Record):
    """How well a forest predicts, and how large it is."""

    out_of_bag: ForestScores | None
    """Scores where each example is predicted by the trees whose bootstrap samples lack it, among the examples that some
    sample lacks; null for `tilde` and where there are none.
    """
    training: ForestScores
    """Scores on the examples from which the trees were learned."""
    n_nodes: int
    """Number of tests of all trees."""
    n_leaves: int
    """Number of leaves of all trees."""


class ForestScores(Record):
    """How well predictions match the targets."""

    n_examples: int
    """Number of labelled examples that were predicted."""
    accuracy: float | None
    """Share of them with the right label, 0 to 1; null for regression."""
    balanced_accuracy: float | None
    """Mean over the classes that have examples of their share of right labels, 0 to 1; null for regression."""
    mean_squared_error: float | Unset | None = UNSET
    """Mean squared error in squared units of the target; null for classification."""
    r2: float | Unset | None = UNSET
    """Coefficient of determination, at most 1; null for classification and where all values are alike."""


class ForestWarning(Record):
    """A reason not to trust a forest."""

    code: Literal["no_better_than_constant"]
    """Stable, machine-readable name. `no_better_than_constant`: out of bag it predicts no better than one answer for
    all examples would, though it predicts those that it was learned from far better.
    """
    detail: str
    """What is wrong, and what to do."""


class PageRelationalForest(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[RelationalForest]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class QueryLanguage(Record):
    """Which queries a forest's trees may use; everything that the schema allows by default. Columns of parents count as
    a row's own, up to three relationships away.
    """

    max_variables: int | Unset = UNSET
    """Maximum number of rows of other tables in one query."""
    through_examples: bool | Unset = UNSET
    """Whether relationships may be followed to the examples' table again; refused where examples have a cutoff and
    their table no `time`, as the columns of other examples may hold what became known later.
    """
    tables: dict[str, TableLanguage] | Unset = UNSET
    """Narrower languages by table; other tables have the whole one."""
    relationships: list[str] | Unset | None = UNSET
    """Names of the relationships that are followed; null: all."""


class RelationalForest(Record):
    """A relational forest, its status and, once it is ready, its result."""

    object_: Literal["relational_forest"] = "relational_forest"
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
    request: RelationalForestRequest
    """The request, with all defaults filled in."""
    problem: Problem | Unset | None = UNSET
    """Why the job failed; null unless it did."""
    result: RelationalForestResult | Unset | None = UNSET
    """Result of the job; null until the status is `ready`, and in lists."""


class RelationalForestRequest(Record):
    """Which relational dataset to learn trees from, and how."""

    settings: Literal["paper"] | Unset = UNSET
    """`paper`: the fields that are left out have the values of the method's paper, as docs/methods.md lists them,
    instead of these defaults, fields of fields included; what is given, null included, stands, but for `method: auto`,
    which leaves the method to the word, too. Answers show the fields that result, so that the id is that of the same
    request in full. Absent: the defaults.
    """
    relational_dataset: str
    """Id of the relational dataset."""
    method: RelationalForestMethod | str | Unset = UNSET
    """`forf`: first-order random forest, in which each node tries a random share of the tests (Van Assche, Vens,
    Blockeel & Džeroski); `bagging`: trees on bootstrap samples, which try all tests; `tilde`: one tree on all labelled
    examples (Blockeel & De Raedt).
    """
    task: Task | str | Unset = UNSET
    """What the trees predict: `classification`, the target's labels; `regression`, the numbers of a numeric target,
    where tests reduce the variance, leaves hold means, and trees are not pruned. Absent: `regression` where the target
    holds more than 1,000 different numbers, else `classification`.
    """
    n_trees: int | Unset = UNSET
    """Number of trees; `tilde` makes one."""
    test_share: float | Unset = UNSET
    """Probability that a test, constants included, is tried at a node of `forf`; others try all."""
    criterion: Criterion | str | Unset = UNSET
    """Score of a test: information gain, or gain divided by the entropy of the shares of its two sides; ignored in
    regression, where it is the reduction of variance.
    """
    min_samples_leaf: int | Unset = UNSET
    """Minimum number of examples in a leaf; of a bootstrap sample, each as often as it was drawn."""
    max_depth: int | Unset | None = UNSET
    """Maximum number of tests on a path from the root to a leaf; null: 64."""
    pruning: RelationalForestPruning | str | Unset = UNSET
    """How trees are pruned: `c45`, by C4.5's estimate of errors; `none`: not at all, as always in regression."""
    aggregates: bool | Unset = UNSET
    """Whether aggregates of rows (such as counts and means) are tested."""
    ignore_unjoined: bool | Unset = UNSET
    """Whether tables that no relationship leads to from the examples (`unused` of the relational dataset) are ignored.
    By default they are refused: where a key was not declared, what they say would be left out without a word.
    """
    language: QueryLanguage | Unset = UNSET
    """Which queries trees may use."""
    seed: int | Unset = UNSET
    """Seed of bootstrap samples and of the tests to try."""


class RelationalForestResult(Record):
    """The result of a relational forest's job: what it published, and how well it predicts."""

    feature_set: str
    """Id of the feature set: all tests of the trees, in order of first use."""
    model: str
    """Id of the model, whose features are those of the feature set."""
    dataset: str
    """Id of the dataset with the features of all examples, labelled or not."""
    task: Task | str
    """What the model predicts."""
    n_features: int
    """Number of features."""
    evaluation: ForestEvaluation
    """How well the forest predicts, and how large it is."""
    trees: list[RelationalTree]
    """The trees in their order."""
    skipped: list[SkippedQuery]
    """Queries that would have had too many bindings, at most 100."""
    warnings: list[ForestWarning] | Unset = UNSET
    """Reasons not to trust the forest; empty: there are none."""
    ids_left_out: list[str] | Unset = UNSET
    """Columns, each as `<table>.<column>`, that no tree may test because nearly each row has another value there, as
    ids have; those that are named in `features` of the relational dataset's tables are tested.
    """


class RelationalTree(Record):
    """The size of one tree."""

    n_nodes: int
    """Number of tests."""
    n_leaves: int
    """Number of leaves."""
    depth: int
    """Number of tests on the longest path."""


class SkippedQuery(Record):
    """A query that was not tested, and why."""

    query: str
    """The query in English."""
    reason: str
    """Why it was not tested."""


class TableLanguage(Record):
    """Which queries trees may use about one table's rows."""

    columns: list[str] | Unset | None = UNSET
    """Names of the columns that are tested; null: all; `[]`: none."""
    bare: bool | Unset = UNSET
    """Whether trees may test if there is a row at all, without a condition on one of its columns."""
    aggregates: list[FeatureAggregateFunction | str] | Unset | None = UNSET
    """Aggregates of the table's rows that are tested; null: all; `[]`: none."""


def create_relational_forest(
    *, body: RelationalForestRequest, idempotency_key: str | Unset | None = UNSET
) -> Request[RelationalForest]:
    """Request trees learned from several tables; a job grows them unless they are known, and publishes their tests as a
    feature set, and the trees over these as an ordinary model with an ordinary dataset.
    """
    return Request(
        "POST",
        "/v1/relational-forests",
        headers={"Idempotency-Key": idempotency_key},
        body=body,
        answer=RelationalForest,
    )


def list_relational_forests(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset | None = UNSET,
    relational_dataset: str | Unset | None = UNSET,
    status: Status | Unset | None = UNSET,
) -> Request[PageRelationalForest]:
    """List relational forests, newest first, without their results."""
    return Request(
        "GET",
        "/v1/relational-forests",
        query={"limit": limit, "cursor": cursor, "relational_dataset": relational_dataset, "status": status},
        answer=PageRelationalForest,
    )


def get_relational_forest(
    relational_forest_id: str, *, if_none_match: str | Unset = UNSET
) -> Request[RelationalForest]:
    """Read a relational forest: its status and, once it is ready, its result."""
    return Request(
        "GET",
        f"/v1/relational-forests/{segment(relational_forest_id)}",
        headers={"If-None-Match": if_none_match},
        answer=RelationalForest,
    )


def delete_relational_forest(relational_forest_id: str) -> Request[None]:
    """Delete a relational forest; refused while others use it or a job makes it."""
    return Request("DELETE", f"/v1/relational-forests/{segment(relational_forest_id)}")


def get_relational_forest_content(
    relational_forest_id: str, *, if_none_match: str | Unset = UNSET
) -> Request[RelationalForestResult]:
    """Read the whole result as JSON, CSV or Parquet, as `Accept` says."""
    return Request(
        "GET",
        f"/v1/relational-forests/{segment(relational_forest_id)}/content",
        headers={"If-None-Match": if_none_match},
        answer=RelationalForestResult,
    )
