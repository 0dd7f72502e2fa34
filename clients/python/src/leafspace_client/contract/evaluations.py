"""Models and operations of evaluations.

Written by scripts/generate_client.py from openapi.json.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ..fields import UNSET, Unset
from ..operations import Request, segment
from ..records import Record
from .comparisons import ShareInterval
from .literals import CutoffFiguresSource, Status, Task
from .models import Problem
from .prototype_sets import Caution
from .rule_sets import Condition


class BandOutcome(Record):
    """Rows of which the model's decision has one outcome."""

    outcome: str
    """The outcome."""
    low: float | None
    """Lower end of its scores; null of the first band."""
    below: float | None
    """Upper end, which belongs to the next band; null of the last band."""
    is_adverse: bool
    """Whether the outcome is adverse to the person concerned."""
    rows: MeasuredShare
    """Share of all rows that have this outcome."""
    positive: MeasuredShare | None
    """Share of these rows whose label is the class that is decided on; null of a regression."""
    mean_value: MeasuredFigure | None
    """Mean of the target of these rows; null of a classification, and where there are none."""


class Calibration(Record):
    """How far scores are the probabilities that they claim to be."""

    mean_score: float
    """Mean score of all rows, 0 to 1."""
    brier_score: MeasuredFigure
    """Mean squared difference of the score and what the label is, 1 or 0 (Brier, 1950); `constant`: of the share of the
    class as the score of every row.
    """
    calibration_error: float
    """Mean absolute difference of mean score and share of the class over the bins, by their rows, 0 to 1. It is above 0
    by chance, too.
    """
    bins: list[CalibrationBin]
    """Rows in ascending order of their scores, ten groups of about as many rows; rows of one score are in one group."""


class CalibrationBin(Record):
    """Rows of neighbouring scores."""

    low: float
    """Lowest score of the rows."""
    high: float
    """Highest score of the rows."""
    mean_score: float
    """Mean score of the rows."""
    observed: MeasuredShare
    """Share of the rows that are of the class."""


class ClassificationEvaluation(Record):
    """How often predicted classes are right."""

    n_classes: int
    """Number of classes of the model."""
    accuracy: MeasuredShare
    """Share of the rows whose label is predicted."""
    constant: str
    """The most frequent label, which is the best constant answer."""
    constant_accuracy: float
    """Accuracy of that answer, 0 to 1."""
    balanced_accuracy: MeasuredFigure
    """Mean recall of the classes that rows have, 0 to 1, with its interval from those of the recalls (Zou and Donner,
    2008).
    """
    log_loss: MeasuredFigure | None
    """Mean of the negative natural logarithm of the score of the row's label, which counts as 2.2e-16 at least; 0 or
    more. Null where scores are no probabilities.
    """
    classes: list[EvaluatedClass]
    """Classes in the model's order; of more than 50, those of the most rows."""
    confusion: list[ConfusionCell]
    """Rows by label and predicted class, the most frequent first, at most 400: all where there are at most 20 classes.
    """
    outcomes: list[OutcomeEvaluation]
    """The positive class, or each class of several, at most 10: those of the most rows."""


class ConfusionCell(Record):
    """Rows with one label for which one class is predicted."""

    label: str
    """Label of the rows."""
    predicted: str
    """Class that the model predicts."""
    n_rows: int
    """Number of such rows; above 0."""


class CurvePoint(Record):
    """A cut-off: rows with this score or a higher one are predicted to be of the class."""

    cutoff: float | None
    """The lowest score that is enough; null of the point at which none is."""
    true_positive_rate: float
    """Share of the rows of the class that are predicted, 0 to 1 (recall)."""
    false_positive_rate: float
    """Share of the other rows that are predicted, 0 to 1."""
    precision: float | None
    """Share of the predicted rows that are of the class, 0 to 1; null where none is predicted."""


class CutoffFigures(Record):
    """What a cut-off of the score does."""

    cutoff: float
    """The lowest score that is enough."""
    source: CutoffFiguresSource | str
    """`model`: from this score on the model predicts the class, for these rows; it is given where its labels follow
    from such a cut-off. `band`: the lower end of a band of its decision. `share`: the score that a twentieth, two
    twentieths, … of the rows reach.
    """
    outcome: str | None
    """Outcome of the decision from this score on; null of other cut-offs."""
    true_positive_rate: MeasuredShare
    """Rows of the class that are predicted (recall)."""
    false_positive_rate: MeasuredShare
    """Other rows that are predicted."""
    precision: MeasuredShare
    """Rows of the class among those that are predicted."""
    predicted: MeasuredShare
    """Rows that are predicted."""
    accuracy: MeasuredShare
    """Rows that are rightly predicted or not."""


class ErrorRegion(Record):
    """A rule: rows on which the model is wrong more than on others. Its figures are of rows it was not found by."""

    rank: int
    """1-based rank: the first gathers most errors."""
    text: str
    """Conditions as an English phrase, such as `income is above 1,200 and at most 3,400`. The rule is about the rows
    for which they hold and no rule before does.
    """
    conditions: list[Condition]
    """Conditions that hold together; one or more."""
    n_rows: int
    """Number of rows that it is about, of `n_rows_checked`."""
    error: float
    """Share of wrong predictions inside, 0 to 1; of a regression the mean absolute residual."""
    interval: ShareInterval
    """95 % interval: Wilson's of a share, normal of a mean."""
    error_outside: float | None
    """The same of all other checked rows; null where there are none."""
    interval_outside: ShareInterval | None
    """Its 95 % interval; null likewise."""
    share_of_errors: float
    """Share of all errors that are inside, 0 to 1."""


class EvaluatedClass(Record):
    """A class of the model."""

    label: str
    """The class."""
    n_rows: int
    """Number of rows with this label."""
    n_predicted: int
    """Number of rows for which it is predicted."""
    recall: MeasuredShare
    """Share of the rows with this label for which it is predicted."""
    precision: MeasuredShare
    """Share of the rows for which it is predicted that have this label."""


class EvaluatedColumn(Record):
    """Groups by the values of a column."""

    column: str
    """Name of the dataset's column."""
    is_feature: bool
    """Whether the model reads it."""
    groups: list[EvaluatedGroup]
    """Groups, at most 12: numbers in ascending order, texts the most frequent first; other and missing values last."""


class EvaluatedGroup(Record):
    """Rows that have a value of a column."""

    text: str
    """The group in words: a value, `20 to 34`, `missing`, or `12 other values`."""
    value: str | None
    """The value, of numbers a text such as `3` or `Infinity`; null of ranges, missing and other values."""
    low: float | None
    """Lowest number of the group; null of other groups, and where it is infinite."""
    high: float | None
    """Highest number of the group; null likewise."""
    n_rows: int
    """Number of rows that have a label."""
    errors: GroupShare | None
    """Share of wrong predictions; null of a regression."""
    true_share: GroupShare | None
    """Share of rows that are of the positive class; null without one, as in a regression."""
    predicted_share: GroupShare | None
    """Share of rows for which the positive class is predicted; null without one."""
    true_positive_rate: GroupShare | None
    """Share of the rows of the positive class for which it is predicted; null without one."""
    false_positive_rate: GroupShare | None
    """Share of the other rows for which it is predicted; null without one."""
    outcomes: list[GroupOutcome]
    """Shares of what is decided, in the order of the bands; empty where the model has no decision apart from its
    labels.
    """
    mean_absolute_error: GroupFigure | None
    """Mean absolute residual; null of a classification."""
    mean_residual: GroupFigure | None
    """Mean of target less prediction; null of a classification."""
    differs: list[str]
    """Names of the figures above that differ from the rest by more than chance would explain."""


class Evaluation(Record):
    """An evaluation, its status and, once it is ready, its result."""

    object_: Literal["evaluation"] = "evaluation"
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
    request: EvaluationRequest
    """The request, with all defaults filled in."""
    problem: Problem | Unset | None = UNSET
    """Why the job failed; null unless it did."""
    result: EvaluationResult | Unset | None = UNSET
    """Result of the job; null until the status is `ready`, and in lists."""


class EvaluationRequest(Record):
    """What is evaluated, and on which rows."""

    settings: Literal["paper"] | Unset = UNSET
    """`paper`: the fields that are left out have the values of the method's paper, as docs/methods.md lists them,
    instead of these defaults, fields of fields included; what is given, null included, stands, but for `method: auto`,
    which leaves the method to the word, too. Answers show the fields that result, so that the id is that of the same
    request in full. Absent: the defaults.
    """
    model: str
    """Id of the model."""
    dataset: str
    """Id of a dataset with a target, and with every feature that the model reads. Rows without a label are left out.
    Rows that the model was not trained on show how well it predicts others.
    """
    positive: str | Unset | None = UNSET
    """Class that cut-offs, curves and calibration are about, and rates of groups. Null: the class whose score is
    decided on, or else the second of two classes; of more classes each against the rest, at most 10. Null of a
    regression.
    """
    group_by: list[str] | Unset = UNSET
    """Columns of the dataset by whose values rates and errors are compared, features of the model or not, each once: at
    most 8. Numbers of many values are grouped by their quartiles.
    """
    max_regions: int | Unset = UNSET
    """Maximum number of rules that say where the model is wrong, 0 to 10."""
    seed: int | Unset = UNSET
    """Seed that draws the 20,000 rows, of more, among which rules are sought."""


class EvaluationResult(Record):
    """How well the model predicts these rows, and where it is wrong; all wrong rows are in `/content`."""

    summary: str
    """What was found, in words."""
    task: Task | str
    """What the model predicts."""
    n_rows: int
    """Number of rows of the dataset."""
    n_evaluated: int
    """Number of these that have a label or value: those that are evaluated."""
    held_out: bool
    """Whether the dataset declares that no model was trained on its rows. Otherwise it is not known."""
    measured_on: str
    """Which rows these are, in words."""
    positive: str | None
    """Class that rates of groups are about; null of several classes without one, and of a regression."""
    classification: ClassificationEvaluation | None
    """Of classes; null of a regression."""
    regression: RegressionEvaluation | None
    """Of values; null of a classification."""
    bands: list[BandOutcome]
    """What is decided, in the order of the bands; empty without a decision."""
    n_comparisons: int
    """Number of figures of groups that are compared with the rest."""
    groups: list[EvaluatedColumn]
    """Groups by each column of `group_by`, in its order."""
    n_rows_checked: int
    """Number of rows on which rules were checked, and not searched."""
    regions: list[ErrorRegion]
    """Where the model is wrong more than elsewhere, as rules; empty where nothing says where."""
    n_wrong: int
    """Number of rows in `/content`: wrong predictions; of a regression all rows."""
    wrong_rows: list[WrongRow]
    """The first 100 of them."""
    cautions: list[Caution]
    """Reasons to read the result with care; empty where none is known."""


class GroupFigure(Record):
    """A mean over the rows of a group, beside the same over all other rows."""

    value: float
    """The mean."""
    interval: ShareInterval | None
    """95 % interval by the normal distribution; null of one row."""
    rest: float | None
    """The same of the rows of no such group; null where there are none."""
    difference_interval: ShareInterval | None
    """Interval of the value less that of the rest, by the normal distribution (Welch), as wide as those of shares; null
    where either has fewer than two rows.
    """
    differs: bool
    """Whether that interval leaves 0 out."""


class GroupOutcome(Record):
    """How often an outcome is decided in a group."""

    outcome: str
    """The outcome."""
    rows: GroupShare
    """Share of the rows that have it."""


class GroupShare(Record):
    """A share of the rows of a group, beside the same share of all other rows."""

    share: float | None
    """The share, 0 to 1; null where there are no such rows."""
    n_counted: int
    """Number of rows that count."""
    n_rows: int
    """Number of rows that they are a share of."""
    interval: ShareInterval | None
    """95 % interval (Wilson, 1927); null where there are no rows."""
    rest: MeasuredShare
    """The same of the rows of no such group."""
    difference_interval: ShareInterval | None
    """Interval of the share less that of the rest (Newcombe, 1998, method 10), so wide that all such intervals of the
    result hold together with 95 %: each has 1 - 0.05 / `n_comparisons`. Null where either share is.
    """
    differs: bool
    """Whether that interval leaves 0 out: the shares differ by more than chance would explain."""


class MeasuredFigure(Record):
    """A figure that was measured on rows."""

    value: float
    """The figure."""
    interval: ShareInterval | None
    """95 % interval, for rows drawn independently; null where the rows leave it open."""
    constant: float | None
    """The same of the best constant answer: the most frequent class, the shares of the classes, or the mean; null where
    it says nothing.
    """


class MeasuredShare(Record):
    """A share that was counted on rows."""

    share: float | None
    """The share, 0 to 1; null where there are no such rows."""
    n_counted: int
    """Number of rows that count."""
    n_rows: int
    """Number of rows that they are a share of."""
    interval: ShareInterval | None
    """95 % interval (Wilson, 1927); null where there are no rows."""


class OutcomeEvaluation(Record):
    """A class against all others, by its score."""

    outcome: str
    """The class."""
    share: MeasuredShare
    """Share of the rows that are of the class."""
    roc_area: MeasuredFigure | None
    """Area under the ROC curve: the probability that a row of the class has a higher score than another (ties: half),
    with DeLong's interval on the scale of log odds; where the area is 0 or 1, Newcombe's. Null where all rows are of
    the class, or none.
    """
    average_precision: MeasuredFigure | None
    """Precision at each score, weighted by the rows of the class that have it: the area below the precision-recall
    curve by steps; interval on the scale of log odds (Boyd et al., 2013). Null where no row is of the class.
    """
    points: list[CurvePoint]
    """Points of both curves, from the highest score to the lowest: all that there are, or, of more, at most 200 at
    about equal steps (60 of each of several classes). Each is exact. Empty without rows of the class, or of others.
    """
    cutoffs: list[CutoffFigures]
    """Cut-offs with intervals, the highest first."""
    calibration: Calibration | None
    """Calibration; null where scores are no probabilities, such as sums of trees or shares of votes that go beyond 0 to
    1.
    """


class PageEvaluation(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[Evaluation]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class PageWrongRow(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[WrongRow]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class RegressionEvaluation(Record):
    """How far predicted values are off. A residual is the target less the prediction."""

    mean_absolute_error: MeasuredFigure
    """Mean absolute residual; `constant`: of the median."""
    root_mean_squared_error: MeasuredFigure
    """Square root of the mean squared residual; `constant`: of the mean."""
    r2: MeasuredFigure | None
    """Share of the targets' variance that is predicted, at most 1; null where all targets are equal. Its interval is by
    the delta method.
    """
    mean_residual: MeasuredFigure
    """Mean residual: above 0 where predictions are too low."""
    residual_quantiles: list[float]
    """Residuals that 5, 25, 50, 75 and 95 % do not exceed."""
    bins: list[ResidualBin]
    """Rows in ascending order of predictions, ten groups of about as many rows; rows of one prediction are in one
    group.
    """


class ResidualBin(Record):
    """Rows of neighbouring predictions. A residual is the target less the prediction."""

    low: float
    """Lowest prediction of the rows."""
    high: float
    """Highest prediction of the rows."""
    n_rows: int
    """Number of rows."""
    mean_prediction: float
    """Mean prediction of the rows."""
    mean_value: MeasuredFigure
    """Mean target of the rows."""
    mean_absolute_error: MeasuredFigure
    """Mean absolute residual of the rows."""
    residual_quantiles: list[float]
    """Residuals that 5, 25, 50, 75 and 95 % of the rows do not exceed, between neighbours by share."""


class WrongRow(Record):
    """A row with what was predicted and what is so. Of a regression, each row is one."""

    rank: int
    """1-based rank: the first is the most serious."""
    row: int
    """0-based index of the row in the dataset."""
    row_id: str
    """Id of the row: its text in the dataset's row_id column, or its 0-based index without one."""
    label: str | None
    """Label of the row in the dataset's target; null of a regression."""
    predicted: str | None
    """Label that the model predicts; null of a regression."""
    score: float | None
    """Score of the predicted label, by which wrong rows are sorted, the highest first (ties: the lower score of the
    label, then the lower row): how sure the model was. Null of a regression.
    """
    label_score: float | None
    """Score of the row's label; null of a regression."""
    value: float | None
    """Target of the row; null of a classification."""
    predicted_value: float | None
    """Value that the model predicts; null of a classification."""
    residual: float | None
    """Target less prediction, by whose size rows are sorted, the largest first (ties: the lower row); null of a
    classification.
    """


def create_evaluation(*, body: EvaluationRequest, idempotency_key: str | Unset | None = UNSET) -> Request[Evaluation]:
    """Request how well a model predicts the labels of a dataset; a job measures it unless it is known."""
    return Request(
        "POST", "/v1/evaluations", headers={"Idempotency-Key": idempotency_key}, body=body, answer=Evaluation
    )


def list_evaluations(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset | None = UNSET,
    model: str | Unset | None = UNSET,
    dataset: str | Unset | None = UNSET,
    status: Status | Unset | None = UNSET,
) -> Request[PageEvaluation]:
    """List evaluations, newest first, without their results."""
    return Request(
        "GET",
        "/v1/evaluations",
        query={"limit": limit, "cursor": cursor, "model": model, "dataset": dataset, "status": status},
        answer=PageEvaluation,
    )


def get_evaluation(evaluation_id: str, *, if_none_match: str | Unset = UNSET) -> Request[Evaluation]:
    """Read an evaluation: its status and, once it is ready, its result."""
    return Request(
        "GET", f"/v1/evaluations/{segment(evaluation_id)}", headers={"If-None-Match": if_none_match}, answer=Evaluation
    )


def delete_evaluation(evaluation_id: str) -> Request[None]:
    """Delete an evaluation; refused while others use it or a job makes it."""
    return Request("DELETE", f"/v1/evaluations/{segment(evaluation_id)}")


def get_evaluation_content(
    evaluation_id: str,
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset | None = UNSET,
    if_none_match: str | Unset = UNSET,
) -> Request[PageWrongRow]:
    """Read all rows as JSON, page by page, or at once as CSV or Parquet, as `Accept` says."""
    return Request(
        "GET",
        f"/v1/evaluations/{segment(evaluation_id)}/content",
        query={"limit": limit, "cursor": cursor},
        headers={"If-None-Match": if_none_match},
        answer=PageWrongRow,
    )
