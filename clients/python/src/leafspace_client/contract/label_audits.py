"""Models and operations of label audits.

Written by scripts/generate_client.py from openapi.json.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ..fields import UNSET, Unset
from ..operations import Request, segment
from ..records import Record
from .literals import (
    DecidedRowDecision,
    ExportLabelDecisionsFormat,
    LabelAuditMethod,
    LabelAuditProximityKind,
    LabelAuditResultMethod,
    LabelDecisionDecision,
    ProximityKind,
    RunOn,
    Status,
)
from .models import Problem
from .prototype_sets import Caution, LeafRowsOrAuto, OutcomeText


class AuditLeafStep(Record):
    """A `min_leaf_rows` that `auto` tried."""

    min_leaf_rows: int
    """Fewest reference rows of a leaf."""
    n_trees_used: int
    """Number of trees that are left with more than one leaf and count."""
    unopposed: float
    """Share of rows that share leaves only with rows of their own label, or with none, 0 to 1."""


class AuditNeighbor(Record):
    """One of the rows nearest to an audited row."""

    row: int
    """0-based index of the row in the dataset."""
    row_id: str
    """Id of the row: its text in the dataset's row_id column, or its 0-based index without one."""
    label: str
    """Label of the row in the dataset's target."""
    predicted_label: str
    """Label that the model predicts for the row."""
    proximity: float
    """Share of the trees, by weight, in which both rows reach the same leaf: above 0, at most 1."""


class AuditedClass(Record):
    """The rows of one label."""

    label: str
    """The label."""
    n_rows: int
    """Number of audited rows that have it."""
    n_suggested: int
    """Number of these for which another label is suggested."""


class AuditedRow(Record):
    """How a row's label compares with those of the rows that vote on it."""

    rank: int
    """1-based rank; the first row is the most suspect."""
    row: int
    """0-based index of the row in the dataset."""
    row_id: str
    """Id of the row: its text in the dataset's row_id column, or its 0-based index without one."""
    label: str
    """Label of the row in the dataset's target."""
    agreement: float | None
    """Share of the votes that are for the row's label, 0 to 1: of the proximities to all other rows, or of the nearest
    rows; null if no other row shares a leaf with it.
    """
    score: float | Unset | None = UNSET
    """Probability that the model gives the row's label, 0 to 1; null where scores were not used."""
    support: float | Unset | None = UNSET
    """What rows are ranked by, lowest first, 0 to 1: `agreement` times `score`, or `agreement` where scores were not
    used (ties: the lower agreement, then more votes or more proximity to disagreeing neighbours, then the lower row);
    null if no other row shares a leaf with it, which ranks last.
    """
    n_neighbors: int | None
    """Number of nearest rows that share a leaf with it; null where all rows vote."""
    disagreeing_proximity: float
    """Sum of the proximities to the rows with another label that vote on it."""
    suggested_label: str | None
    """Label with the largest sum of proximities among the rows that vote (ties: the earlier class), where their mean
    over the rows of that label is larger than that of the row's own, too, and the row ranks no later than the estimated
    number of wrong labels (`estimated_wrong`); otherwise null.
    """
    predicted_label: str
    """Label that the model predicts for the row."""
    wrong_probability: float | Unset | None = UNSET
    """Estimated probability that the row's label is wrong, 0 to 1. It falls from rank to rank, and adds up to the
    estimated number of wrong labels before rounding; null without an estimate.
    """


class DecidedRow(Record):
    """A row of the export: its label before and after the review."""

    row: int
    """0-based index of the row in the dataset."""
    row_id: str
    """Id of the row: its text in the dataset's row_id column, or its 0-based index without one."""
    label: str
    """Label of the row in the dataset's target."""
    new_label: str
    """Label after the review; the same where no decision changed it."""
    decision: DecidedRowDecision | str | None
    """The decision in force; null without one."""
    note: str | None
    """Reason; null without one."""
    key: str | None
    """Id of the API key that decided; null without one."""
    decided_at: datetime | None
    """Time of the decision, in UTC (RFC 3339); null without one."""


class DecisionCounts(Record):
    """How far the review of an audit has come."""

    object_: Literal["decision_counts"] = "decision_counts"
    """Type of this object."""
    label_audit: str
    """Id of the audit."""
    n_suggested: int
    """Number of rows for which another label is suggested."""
    n_suggested_decided: int
    """Number of these with a decision in force."""
    n_decided: int
    """Number of rows with a decision in force."""
    n_accepted: int
    """Number of rows whose suggested label was accepted."""
    n_kept: int
    """Number of rows that keep their label because it is right."""
    n_relabelled: int
    """Number of rows that were given another label than the suggested one."""
    n_unsure: int
    """Number of rows that nobody is sure of."""


class EstimatedWrong(Record):
    """How many of the audited labels are wrong, as far as rows can say. Overlapping classes contradict labels as
    mistakes do. What is counted are labels that are contradicted where the votes of trees that did not learn from the
    row are surest, less what overlap usually leaves there.
    """

    number: int
    """Estimated number of wrong labels: the median of what is possible."""
    low: int
    """Lower end of the interval; 0: there may be none."""
    high: int
    """Upper end of the interval."""
    level: float
    """Probability with which the interval should hold the number."""
    n_rows: int
    """Number of rows that it was made from: all that have a label, or a sample."""
    n_trees: int
    """Number of trees that were grown on these rows for the estimate."""


class LabelAudit(Record):
    """A label audit, its status and, once it is ready, its result."""

    object_: Literal["label_audit"] = "label_audit"
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
    request: LabelAuditRequest
    """The request, with all defaults filled in."""
    problem: Problem | Unset | None = UNSET
    """Why the job failed; null unless it did."""
    result: LabelAuditResult | Unset | None = UNSET
    """Result of the job; null until the status is `ready`, and in lists."""


class LabelAuditRequest(Record):
    """Which dataset's labels (its target) to audit, and with which model."""

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
    method: LabelAuditMethod | str | Unset = UNSET
    """Who votes on a row's label. `all_rows`: all other rows, each with the weight of its proximity to the row.
    `neighbors`: its `n_neighbors` nearest rows, each with one vote, as in the paper. `auto`: which of both finds more
    wrong labels. All rows vote by the leaves of a forest; by those of boosting, and by coarser ones than a forest's
    own, the 50 nearest do, up to 50,000 rows. The result says which did.
    """
    use_scores: bool | Unset | None = UNSET
    """Whether rows are ranked by the share of the votes for their label times the probability that the model gives it,
    and not by the share alone. Null: wherever the model's scores are probabilities. The paper uses none.
    """
    proximity_kind: LabelAuditProximityKind | str | Unset = UNSET
    """How trees are weighted in proximities. `random_forest`: all alike (Tan et al., equation 1); `boosting`: by their
    contribution to the scores, its variance over the rows (Tan et al., definition 3); `boosting_sd`: by its standard
    deviation, the variance's square root, and `boosting_l1`: by its mean absolute deviation, both of which leave more
    weight to small trees; `auto`: by the model's `ensemble`, and `random_forest` where that is `other` or unknown
    (votes, AdaBoost, calibrated models).
    """
    n_neighbors: int | Unset | None = UNSET
    """Number of nearest rows that vote with the method `neighbors`, less than the number of rows of the dataset: 50 by
    default, or all others where they are fewer; 10 in the paper. Null with the other methods.
    """
    min_leaf_rows: LeafRowsOrAuto | Unset = UNSET
    """Fewest reference rows of a leaf, 1 or more: a tree is cut back where a split leaves fewer on either side, and
    rows are compared by the coarser leaves. 1: the trees' own leaves, as in the paper. `auto`: the smallest of 1, 2, 3,
    5, 10, 20, 30, 50, … at which at most a tenth of the rows share leaves with rows of their own label only, for which
    an audit has nothing to report; see `leaf_steps` in the result.
    """
    seed: int | Unset = UNSET
    """Seed of the trees that estimate how many labels are wrong, and of a sample of rows for them."""
    run_on: RunOn | str | Unset = UNSET
    """Where the job works on the rows: `local`, in the worker's own process; `cluster`, on the workers of a Dask
    cluster (LEAFSPACE_DASK_SCHEDULER); `auto`: on the cluster where one process would need more memory than a job may
    use, and else locally. The result is the same, and so is the id: answers always show `auto`.
    """


class LabelAuditResult(Record):
    """Statistics of the audit and its first rows; all rows are in `/content`."""

    method: LabelAuditResultMethod | str = "neighbors"
    """Who votes on a row's label. `all_rows`: all other rows, each with the weight of its proximity to the row.
    `neighbors`: its `n_neighbors` nearest rows, each with one vote, as in the paper.
    """
    use_scores: bool = False
    """Whether the model's probability of a row's label counts towards its rank."""
    proximity_kind: ProximityKind | str
    """How trees were weighted in the proximities."""
    classes: list[str]
    """Classes in the order of the model's scores; empty for regression."""
    outcome_texts: list[OutcomeText] | Unset = UNSET
    """What the dictionary calls classes and outcomes; absent where it calls none by other words."""
    n_rows: int
    """Number of rows of the dataset."""
    n_trees: int
    """Number of trees of the model; 0 of an oracle."""
    min_leaf_rows: int = 1
    """The `min_leaf_rows` that was used: trees were cut back where a split left fewer reference rows on either side; 1:
    they were not cut.
    """
    n_trees_used: int | None
    """Number of trees that count in proximities: those cut back to a single leaf do not, nor do those of boosting whose
    values do not vary. Null by plain distance (`euclidean`).
    """
    leaf_steps: list[AuditLeafStep] | Unset = UNSET
    """What `auto` tried, in this order; empty where `min_leaf_rows` was given as a number."""
    n_neighbors: int | None
    """Number of nearest rows that voted on each row at most; null where all rows did."""
    mean_agreement: float | None
    """Mean agreement of the rows that share a leaf with others, 0 to 1; null if none does."""
    n_suggested: int
    """Number of rows for which another label is suggested: at most the estimated number of wrong labels. Without an
    estimate, all rows that are more like rows of another label, which are more than are wrong.
    """
    estimated_wrong: EstimatedWrong | Unset | None = UNSET
    """How many labels are wrong, with an interval; null where fewer than 50 rows have a label, all have the same one,
    or there are thousands of labels.
    """
    by_class: list[AuditedClass]
    """The same by the rows' own labels, in the order of `classes`."""
    n_without_neighbors: int
    """Number of rows that share no leaf with any other; they rank last."""
    model_agreement: float
    """Share of rows whose label the model predicts."""
    cautions: list[Caution]
    """Reasons to read the result with care; empty where none is known."""
    rows: list[AuditedRow]
    """The first 100 rows, lowest support first."""


class LabelDecision(Record):
    """An entry in the record of decisions; the newest one of a row is in force."""

    object_: Literal["label_decision"] = "label_decision"
    """Type of this object."""
    id: str
    """Id of the entry; in double quotes it is the entity tag, for `If-Match`."""
    label_audit: str
    """Id of the audit."""
    row: int
    """0-based index of the row in the dataset."""
    row_id: str
    """Id of the row: its text in the dataset's row_id column, or its 0-based index without one."""
    decision: LabelDecisionDecision | str
    """`accept`: the suggested label is right; `keep`: the row's own label is right; `relabel`: another label is right,
    which is named; `unsure`: nobody can say, and the row keeps its label. `withdrawn`: the entry before is not in force
    any more.
    """
    label: str
    """Label of the row in the dataset's target."""
    new_label: str
    """Label that the row has with this decision."""
    note: str | None
    """Reason; null without one."""
    replaces: str | None
    """Id of the row's entry before this one; null for its first."""
    is_latest: bool
    """Whether it is the row's newest entry."""
    key: str | None
    """Id of the API key that decided; null where none was required."""
    created_at: datetime
    """Time of creation, in UTC (RFC 3339)."""


class LabelDecisionRequest(Record):
    """What a person decided about the label of a row."""

    decision: DecidedRowDecision
    """`accept`: the suggested label is right; `keep`: the row's own label is right; `relabel`: another label is right,
    which is named; `unsure`: nobody can say, and the row keeps its label.
    """
    label: str | Unset | None = UNSET
    """The right label, one of the audit's classes; for `relabel` alone."""
    note: str | Unset | None = UNSET
    """Reason, for later readers: at most 500 characters."""


class PageAuditedRow(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[AuditedRow]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class PageDecidedRow(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[DecidedRow]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class PageLabelAudit(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[LabelAudit]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class PageLabelDecision(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[LabelDecision]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class ReviewedRow(Record):
    """An audited row with the rows nearest to it, for a decision about its label."""

    rank: int
    """1-based rank; the first row is the most suspect."""
    row: int
    """0-based index of the row in the dataset."""
    row_id: str
    """Id of the row: its text in the dataset's row_id column, or its 0-based index without one."""
    label: str
    """Label of the row in the dataset's target."""
    agreement: float | None
    """Share of the votes that are for the row's label, 0 to 1: of the proximities to all other rows, or of the nearest
    rows; null if no other row shares a leaf with it.
    """
    score: float | Unset | None = UNSET
    """Probability that the model gives the row's label, 0 to 1; null where scores were not used."""
    support: float | Unset | None = UNSET
    """What rows are ranked by, lowest first, 0 to 1: `agreement` times `score`, or `agreement` where scores were not
    used (ties: the lower agreement, then more votes or more proximity to disagreeing neighbours, then the lower row);
    null if no other row shares a leaf with it, which ranks last.
    """
    n_neighbors: int | None
    """Number of nearest rows that share a leaf with it; null where all rows vote."""
    disagreeing_proximity: float
    """Sum of the proximities to the rows with another label that vote on it."""
    suggested_label: str | None
    """Label with the largest sum of proximities among the rows that vote (ties: the earlier class), where their mean
    over the rows of that label is larger than that of the row's own, too, and the row ranks no later than the estimated
    number of wrong labels (`estimated_wrong`); otherwise null.
    """
    predicted_label: str
    """Label that the model predicts for the row."""
    wrong_probability: float | Unset | None = UNSET
    """Estimated probability that the row's label is wrong, 0 to 1. It falls from rank to rank, and adds up to the
    estimated number of wrong labels before rounding; null without an estimate.
    """
    object_: Literal["audited_row"] = "audited_row"
    """Type of this object."""
    neighbors: list[AuditNeighbor]
    """The 10 nearest of the other audited rows, nearest first (ties: the lower row); fewer where fewer share a leaf
    with it. They do not depend on the `method`.
    """
    decision: LabelDecision | None
    """The decision in force; null without one."""
    latest_entry: str | None
    """Id of the row's newest entry, perhaps a withdrawal, for `If-Match`; null: it has none yet."""


def create_label_audit(*, body: LabelAuditRequest, idempotency_key: str | Unset | None = UNSET) -> Request[LabelAudit]:
    """Request the labels that look wrong; a job finds them unless they are known."""
    return Request(
        "POST", "/v1/label-audits", headers={"Idempotency-Key": idempotency_key}, body=body, answer=LabelAudit
    )


def list_label_audits(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset | None = UNSET,
    model: str | Unset | None = UNSET,
    dataset: str | Unset | None = UNSET,
    status: Status | Unset | None = UNSET,
) -> Request[PageLabelAudit]:
    """List label audits, newest first, without their results."""
    return Request(
        "GET",
        "/v1/label-audits",
        query={"limit": limit, "cursor": cursor, "model": model, "dataset": dataset, "status": status},
        answer=PageLabelAudit,
    )


def get_label_audit(label_audit_id: str, *, if_none_match: str | Unset = UNSET) -> Request[LabelAudit]:
    """Read a label audit: its status and, once it is ready, its result."""
    return Request(
        "GET",
        f"/v1/label-audits/{segment(label_audit_id)}",
        headers={"If-None-Match": if_none_match},
        answer=LabelAudit,
    )


def delete_label_audit(label_audit_id: str, *, with_decisions: bool | Unset = UNSET) -> Request[None]:
    """Delete a label audit; refused while others use it, a job makes it, or people have decided about its rows."""
    return Request("DELETE", f"/v1/label-audits/{segment(label_audit_id)}", query={"with_decisions": with_decisions})


def get_label_audit_content(
    label_audit_id: str,
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset | None = UNSET,
    label: str | Unset | None = UNSET,
    suggested_label: str | Unset | None = UNSET,
    max_agreement: float | Unset | None = UNSET,
    decided: bool | Unset | None = UNSET,
    suggested: bool | Unset | None = UNSET,
    if_none_match: str | Unset = UNSET,
) -> Request[PageAuditedRow]:
    """Read all rows as JSON, page by page, or at once as CSV or Parquet, as `Accept` says."""
    return Request(
        "GET",
        f"/v1/label-audits/{segment(label_audit_id)}/content",
        query={
            "limit": limit,
            "cursor": cursor,
            "label": label,
            "suggested_label": suggested_label,
            "max_agreement": max_agreement,
            "decided": decided,
            "suggested": suggested,
        },
        headers={"If-None-Match": if_none_match},
        answer=PageAuditedRow,
    )


def get_audited_row(label_audit_id: str, row: int) -> Request[ReviewedRow]:
    """Read an audited row with its ten nearest rows, their labels, and the decision about it."""
    return Request("GET", f"/v1/label-audits/{segment(label_audit_id)}/rows/{segment(row)}", answer=ReviewedRow)


def list_label_decisions(
    label_audit_id: str,
    *,
    row: int | Unset | None = UNSET,
    latest: bool | Unset = UNSET,
    limit: int | Unset = UNSET,
    cursor: str | Unset | None = UNSET,
) -> Request[PageLabelDecision]:
    """List what was decided, by whom and when, newest first: every entry, with those that later ones replaced."""
    return Request(
        "GET",
        f"/v1/label-audits/{segment(label_audit_id)}/decisions",
        query={"row": row, "latest": latest, "limit": limit, "cursor": cursor},
        answer=PageLabelDecision,
    )


def count_label_decisions(label_audit_id: str) -> Request[DecisionCounts]:
    """Read how far the review has come."""
    return Request("GET", f"/v1/label-audits/{segment(label_audit_id)}/decisions/counts", answer=DecisionCounts)


def export_label_decisions(
    label_audit_id: str, *, format_: ExportLabelDecisionsFormat | Unset = UNSET
) -> Request[PageDecidedRow]:
    """Export the labels of all audited rows before and after the review; as HTML, of those that were decided."""
    return Request(
        "GET",
        f"/v1/label-audits/{segment(label_audit_id)}/decisions/export",
        query={"format": format_},
        answer=PageDecidedRow,
    )


def get_label_decision(label_audit_id: str, row: int) -> Request[LabelDecision]:
    """Read the newest entry about a row; `ETag` changes with it."""
    return Request("GET", f"/v1/label-audits/{segment(label_audit_id)}/decisions/{segment(row)}", answer=LabelDecision)


def put_label_decision(
    label_audit_id: str,
    row: int,
    *,
    body: LabelDecisionRequest,
    if_match: str | Unset | None = UNSET,
    if_none_match: str | Unset | None = UNSET,
) -> Request[LabelDecision]:
    """Decide about the label of a row; earlier decisions stay in the record."""
    return Request(
        "PUT",
        f"/v1/label-audits/{segment(label_audit_id)}/decisions/{segment(row)}",
        headers={"If-Match": if_match, "If-None-Match": if_none_match},
        body=body,
        answer=LabelDecision,
    )


def withdraw_label_decision(
    label_audit_id: str, row: int, *, if_match: str | Unset | None = UNSET, if_none_match: str | Unset | None = UNSET
) -> Request[None]:
    """Take back the decision about a row, by another entry in the record."""
    return Request(
        "DELETE",
        f"/v1/label-audits/{segment(label_audit_id)}/decisions/{segment(row)}",
        headers={"If-Match": if_match, "If-None-Match": if_none_match},
    )
