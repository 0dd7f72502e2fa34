"""Models and operations of reports.

Written by scripts/generate_client.py from openapi.json.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ..fields import UNSET, Unset
from ..operations import Request, segment
from ..records import Record
from .comparisons import ShareComparison
from .literals import ReportComparisonCompared, ReportPartName, ReportParts, ReportVerificationStatus, Status
from .models import Instance, Problem


class Drift(Record):
    """Newer rows beside the reference rows: predicted labels, and proximity to the nearest prototype."""

    n_refused: int
    """Number of newer rows that the model does not accept."""
    total: DriftShare
    """All rows; its name is `all rows`."""
    by_label: list[DriftShare]
    """By outcome, in the order of the bands, or else by predicted label, in the order of the classes."""
    by_prototype: list[DriftShare]
    """By nearest prototype, in the order of their ranks; rows that share no leaf with any are in none."""
    n_comparisons: int
    """Number of shares that are compared: those of both sides that have rows. By this number, chance alone has as many
    occasions to make some differ.
    """
    summary: str
    """What these comparisons support, and what they do not see, in words."""


class DriftShare(Record):
    """A group of rows: how many there are, and how many of them are far, beside the reference rows of the group."""

    name: str
    """Outcome or label that the model predicts, or id of the nearest prototype's row."""
    n_rows: int
    """Number of newer rows in the group."""
    n_far: int
    """Number of these that are `far` by typicality, or share no leaf with a prototype."""
    n_reference_rows: int
    """Number of reference rows in the group."""
    n_reference_far: int
    """Number of these that are far."""
    far: ShareComparison
    """Share of the group's rows that are far."""
    group: ShareComparison | None
    """Share of all rows that are in the group; null of all rows."""


class FrozenDecisions(Record):
    """Decisions on a label audit, as they were at a moment; later ones change nothing in the report."""

    n_entries: int
    """Number of the audit's entries until that moment, the oldest ones."""
    sha256: str
    """SHA-256 of what these entries leave in force."""


class LabelChange(Record):
    """Rows for which two models predict different labels."""

    label: str
    """Label that the model predicts."""
    other_label: str
    """Label that the other model predicts."""
    n_rows: int
    """Number of such rows."""


class PageReport(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[Report]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class Report(Record):
    """A report, its status and, once it is ready, its result."""

    object_: Literal["report"] = "report"
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
    request: ReportRequest
    """The request, with all defaults filled in."""
    problem: Problem | Unset | None = UNSET
    """Why the job failed; null unless it did."""
    result: ReportResult | Unset | None = UNSET
    """Result of the job; null until the status is `ready`, and in lists."""


class ReportComparison(Record):
    """Two models on the same rows."""

    other_model: str
    """Id of the other model."""
    compared: ReportComparisonCompared | str
    """What is compared: the decided `outcome`, where both models decide between the same outcomes; otherwise the
    predicted `label`, or the predicted `value` of regressions.
    """
    n_rows: int
    """Number of rows that both models accept."""
    n_refused: int
    """Number of rows that one of them does not accept."""
    n_changed: int | None
    """Number of rows whose outcome or predicted label differs; null for regression."""
    changes: list[LabelChange]
    """Changes of the label by number of rows, the most frequent first, at most 20; empty for regression."""
    mean_difference: float | None
    """Mean absolute difference of the predicted values; null for classification."""
    prototypes_agreement: float | None
    """Share of the rows whose nearest prototypes have the same label, or none, 0 to 1; null for regression, and where
    those of one model are of outcomes.
    """
    rules_agreement: float | None
    """Share of the rows for which both rule sets predict the same label, 0 to 1; null for regression, and without two
    rule sets in which the first rule that holds decides.
    """
    trees_agreement: float | None
    """Share of the rows for which both approximation trees predict the same label, 0 to 1; null for regression, and
    without two trees.
    """
    prototypes_in_both: list[str]
    """Ids of rows that are prototypes of both; empty where they are of different datasets."""
    rules_in_both: list[str]
    """Texts of rules that both rule sets have."""
    tree_features_in_both: list[str]
    """Features that both approximation trees split on."""


class ReportInput(Record):
    """Something that the report shows."""

    noun: str
    """What it is, such as `prototype_sets`; `instances`: a row that was sent along."""
    id: str
    """Its id; of a dictionary that of its dataset, of a row that was sent along its name."""
    sha256: str | None
    """SHA-256 of its content: a model's or dataset's file, an artefact's result, a dictionary's words or the values of
    a row that was sent along as JSON with sorted names; null of an explainer, which is what it is made of.
    """


class ReportPart(Record):
    """A part of the file."""

    name: ReportPartName | str
    """The part."""
    sha256: str
    """SHA-256 of its HTML."""


class ReportRequest(Record):
    """What a report is about."""

    settings: Literal["paper"] | Unset = UNSET
    """`paper`: the fields that are left out have the values of the method's paper, as docs/methods.md lists them,
    instead of these defaults, fields of fields included; what is given, null included, stands, but for `method: auto`,
    which leaves the method to the word, too. Answers show the fields that result, so that the id is that of the same
    request in full. Absent: the defaults.
    """
    title: str
    """Title of the report."""
    author: str | Unset | None = UNSET
    """Who answers for the report; null: the name of the key that requests it, which is then filled in, where keys are
    required.
    """
    date: str | Unset | None = UNSET
    """Day of the report; null: the day of the request in UTC, which is then filled in."""
    verdict: str | Unset | None = UNSET
    """What the author concludes, such as `approved for one year`, at most 1,000 characters; null: the report states
    that none is given.
    """
    explainer: str
    """Id of the explainer whose model, prototypes, rules and tree are shown."""
    rule_set: str | Unset | None = UNSET
    """Id of a rule set of the same model; null: the explainer's, if it has one."""
    approximation_tree: str | Unset | None = UNSET
    """Id of an approximation tree of the same model; null: the explainer's, if it has one."""
    map_: str | Unset | None = UNSET
    """Id of a map of the same model, whose preview is shown; null: none."""
    label_audit: str | Unset | None = UNSET
    """Id of a label audit of the same model, shown with its decisions; null: none."""
    decisions: FrozenDecisions | Unset | None = UNSET
    """Decisions on the label audit; null: those in force now, which are then filled in."""
    rows: list[str] | Unset = UNSET
    """Ids of rows of the reference dataset, or of `rows_dataset`, that are explained, each once: at most 20 with those
    of `instances`.
    """
    rows_dataset: str | Unset = UNSET
    """Id of the dataset that `rows` are of, which has the model's features; absent: the reference dataset."""
    instances: list[Instance] | Unset = UNSET
    """Rows that are in no dataset and are explained, too, at most 20 with `rows`: values by feature, or in the order of
    the features. The report says that they came by their values. They are kept with the request, as values by feature,
    which have at most 65,536 bytes as JSON; answers leave out those of features that the dictionary hides. Absent:
    none.
    """
    instance_ids: list[str] | Unset = UNSET
    """What the rows of `instances` are called, in their order, each otherwise; absent: `1`, `2` and so on."""
    parts: list[ReportParts | str] | Unset = UNSET
    """Which parts about the model as a whole are shown, of `model`, `evaluation`, `prototypes`, `rules` and `tree`;
    those that there are not are left out, and those that are named by fields of their own are shown in any case.
    Absent: all of them. A report on single rows may have none (`[]`): its summary then begins with the rows.
    """
    compare_with: str | Unset | None = UNSET
    """Id of an explainer of another model, such as the version before, that is compared on the same reference rows;
    null: none.
    """
    newer_dataset: str | Unset | None = UNSET
    """Id of a dataset of newer rows: how many of them are far from every prototype, beside the reference rows; null:
    none.
    """
    comparison: str | Unset = UNSET
    """Id of a comparison of the same model with another one, in either order, or of two datasets by it, which is shown;
    absent: none.
    """
    evaluation: str | Unset = UNSET
    """Id of an evaluation of the same model, which is shown, and by which the summary says how well the model predicts;
    absent: the newest one on rows that are declared as held out, if there is one; `none`: none.
    """
    note: str | Unset | None = UNSET
    """Text of the author, at most 4,000 characters; null: none."""


class ReportResult(Record):
    """The file's digest and what it was drawn from; the file is in `/content`."""

    sha256: str
    """SHA-256 of the file."""
    n_bytes: int
    """Size of the file in bytes."""
    service: str
    """Version of the service that drew it."""
    summary: list[str]
    """What the model decides, how well and on which rows, what the report compares, and the main cautions: a few
    sentences, with which it begins.
    """
    parts: list[ReportPart]
    """Its parts in their order."""
    inputs: list[ReportInput]
    """What it shows, with digests."""
    comparison: ReportComparison | None
    """The other model beside this one; null: none was named."""
    drift: Drift | None
    """The newer rows beside the reference rows; null: none were named."""


class ReportVerification(Record):
    """A report compared with the same one, drawn again from what it shows."""

    object_: Literal["report_verification"] = "report_verification"
    """Type of this object."""
    report: str
    """Id of the report."""
    status: ReportVerificationStatus | str
    """`same`: the file is, byte for byte, what is drawn today; `different`: it is not, in the parts that
    `different_parts` names; `other_revision`: it is not, but another release of the service drew it.
    """
    digest_matches: bool
    """Whether `sha256` is that of the file that is kept."""
    different_parts: list[ReportPartName | str]
    """Parts that differ, in their order; empty if none does."""
    sha256: str
    """SHA-256 of the file, as it was recorded when it was made."""
    drawn_sha256: str
    """SHA-256 of what is drawn today."""
    service: str
    """Version of the service that drew the file."""
    present_service: str
    """Version of the service that verified it."""


def create_report(*, body: ReportRequest, idempotency_key: str | Unset | None = UNSET) -> Request[Report]:
    """Request a report on a model and what explains it; a job draws it unless it is there."""
    return Request("POST", "/v1/reports", headers={"Idempotency-Key": idempotency_key}, body=body, answer=Report)


def list_reports(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset | None = UNSET,
    explainer: str | Unset | None = UNSET,
    rule_set: str | Unset | None = UNSET,
    approximation_tree: str | Unset | None = UNSET,
    map_: str | Unset | None = UNSET,
    label_audit: str | Unset | None = UNSET,
    comparison: str | Unset | None = UNSET,
    evaluation: str | Unset | None = UNSET,
    compare_with: str | Unset | None = UNSET,
    newer_dataset: str | Unset | None = UNSET,
    rows_dataset: str | Unset | None = UNSET,
    status: Status | Unset | None = UNSET,
) -> Request[PageReport]:
    """List reports, newest first, without their results."""
    return Request(
        "GET",
        "/v1/reports",
        query={
            "limit": limit,
            "cursor": cursor,
            "explainer": explainer,
            "rule_set": rule_set,
            "approximation_tree": approximation_tree,
            "map": map_,
            "label_audit": label_audit,
            "comparison": comparison,
            "evaluation": evaluation,
            "compare_with": compare_with,
            "newer_dataset": newer_dataset,
            "rows_dataset": rows_dataset,
            "status": status,
        },
        answer=PageReport,
    )


def get_report(report_id: str, *, if_none_match: str | Unset = UNSET) -> Request[Report]:
    """Read a report: its status and, once it is ready, its result."""
    return Request("GET", f"/v1/reports/{segment(report_id)}", headers={"If-None-Match": if_none_match}, answer=Report)


def delete_report(report_id: str) -> Request[None]:
    """Delete a report; refused while others use it or a job makes it."""
    return Request("DELETE", f"/v1/reports/{segment(report_id)}")


def get_report_content(report_id: str, *, if_none_match: str | Unset = UNSET) -> Request[None]:
    """Read the report: one HTML file of at most 5 MB, without script, that needs nothing else."""
    return Request("GET", f"/v1/reports/{segment(report_id)}/content", headers={"If-None-Match": if_none_match})


def verify_report(report_id: str) -> Request[ReportVerification]:
    """Draw a report again from what it shows, and compare it byte for byte with the file that is kept."""
    return Request("POST", f"/v1/reports/{segment(report_id)}/verify", answer=ReportVerification)
