"""Models and operations of comparisons.

Written by scripts/generate_client.py from openapi.json.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ..fields import UNSET, Unset
from ..operations import Request, segment
from ..records import Record
from .literals import ComparisonEffectsScale, DatasetDriftConclusion, ModelChangeComparedBy, Status
from .models import Problem
from .prototype_sets import Caution
from .rule_sets import Condition


class ChangedPrototype(Record):
    """A row that represents others that changed."""

    row: int
    """0-based index of the row in the dataset."""
    row_id: str
    """Id of the row: its text in the dataset's row_id column, or its 0-based index without one."""
    outcome: str | None
    """Outcome by `model`; null where values are compared."""
    other_outcome: str | None
    """Outcome by `other_model`; null where values are compared."""
    value: float | None
    """Value that `model` predicts; null where outcomes are compared."""
    other_value: float | None
    """Value that `other_model` predicts; null likewise."""
    difference: float | None
    """How far the predictions are apart, 0 or more: the absolute difference of values, or the largest difference of a
    score of an outcome; null where the scores of the two models are of different kinds.
    """
    represents: float
    """Share of the changed rows that were looked at whose nearest prototype this is, 0 to 1."""


class ChangedRegion(Record):
    """A rule: rows that changed more than others. Figures are of rows that the search for rules did not see."""

    rank: int
    """1-based rank: the first gathers most change."""
    text: str
    """Conditions as an English phrase, such as `income is above 1,200 and at most 3,400`. The rule is about the rows
    for which they hold and no rule before does.
    """
    conditions: list[Condition]
    """Conditions that hold together; one or more."""
    n_rows: int
    """Number of rows that it is about, of `n_rows_checked`."""
    changed: float
    """Share of these that have another outcome, 0 to 1; of values their mean absolute difference."""
    interval: ShareInterval
    """95 % interval of `changed`: Wilson's of a share, by the normal distribution of a mean."""
    share_of_change: float
    """Share of all change that is here, 0 to 1: of the changed rows, or of the sum of the differences."""


class ChangedRow(Record):
    """A row with what both models predict."""

    row: int
    """0-based index of the row in the dataset."""
    row_id: str
    """Id of the row: its text in the dataset's row_id column, or its 0-based index without one."""
    outcome: str | None
    """Outcome by `model`; null where values are compared."""
    other_outcome: str | None
    """Outcome by `other_model`; null where values are compared."""
    value: float | None
    """Value that `model` predicts; null where outcomes are compared."""
    other_value: float | None
    """Value that `other_model` predicts; null likewise."""
    difference: float | None
    """How far the predictions are apart, 0 or more: the absolute difference of values, or the largest difference of a
    score of an outcome; null where the scores of the two models are of different kinds.
    """


class Comparison(Record):
    """A comparison, its status and, once it is ready, its result."""

    object_: Literal["comparison"] = "comparison"
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
    request: ComparisonRequest
    """The request, with all defaults filled in."""
    problem: Problem | Unset | None = UNSET
    """Why the job failed; null unless it did."""
    result: ComparisonResult | Unset | None = UNSET
    """Result of the job; null until the status is `ready`, and in lists."""


class ComparisonRequest(Record):
    """What is compared: with `other_model` two models on the rows of `dataset`, with `other_dataset` two datasets."""

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
    other_model: str | Unset | None = UNSET
    """Id of the model that is compared with `model`, of the same task, such as the one that is to replace it. It may
    read other features: `dataset` has those of both. Null with `other_dataset`.
    """
    other_dataset: str | Unset | None = UNSET
    """Id of the dataset that is compared with `dataset` by `model`, such as newer rows. Null with `other_model`."""
    max_regions: int | Unset = UNSET
    """Maximum number of rules that say where two models differ, 1 to 10; of two datasets none are made."""
    seed: int | Unset = UNSET
    """Seed that draws the rows of which more than predictions is compared."""


class ComparisonResult(Record):
    """Where two models, or two sets of rows, differ."""

    summary: str
    """What was found, in words."""
    n_rows: int
    """Number of rows of `dataset`."""
    n_other_rows: int | None
    """Number of rows of `other_dataset`; null of two models."""
    models: ModelChange | None
    """The two models; null where datasets are compared."""
    datasets: DatasetDrift | None
    """The two datasets; null where models are compared."""
    effects: list[EffectChange]
    """Effects that moved, the largest move first, at most 20, each against the mean of the same rows of `dataset`. Of
    two models: features that have any. Of two datasets: those that have 1 % or more of all mean absolute effects on
    either.
    """
    effects_scale: ComparisonEffectsScale | str | None
    """What effects are in; `share`: of all mean absolute effects, where the two models have different scales; null
    without effects.
    """
    cautions: list[Caution]
    """Reasons to read the result with care; empty where none is known."""


class DatasetDrift(Record):
    """One model on two sets of rows."""

    conclusion: DatasetDriftConclusion | str
    """`differs`: by more than chance would explain, at 95 % for all that is compared. `no_difference_seen`: none was,
    which does not show that there is none. `too_few_rows`: either side has fewer rows than `min_rows`; nothing is
    concluded.
    """
    min_rows: int
    """Number of rows of each dataset below which nothing is concluded."""
    n_sampled: int
    """Number of rows of `dataset` whose typicality is compared."""
    n_other_sampled: int
    """Number of rows of `other_dataset` whose typicality is compared."""
    typicality: TypicalityDrift
    """Proximity to the nearest reference row."""
    outcomes: list[OutcomeDrift]
    """Outcomes in the model's order; empty of a plain regression."""
    values: SampleDistance | None
    """Predicted values of a plain regression; null otherwise."""
    features_moved: list[str]
    """Features whose effects differ by more than chance would explain, those that moved most first."""


class EffectChange(Record):
    """The effects of a feature on the score, by two models or on two sets of rows."""

    feature: str
    """Name of the dataset's column, or of a column that the model makes of several."""
    mean_effect: float
    """Of two models: mean absolute effect by `model`. Of two datasets: mean effect on the rows of `dataset`."""
    other_mean_effect: float
    """The same by `other_model`, or on the rows of `other_dataset`."""
    moved: float
    """What features are listed by. Of two models: mean absolute difference of a row's effects, or, where the models'
    effects have different scales, the difference of the feature's shares of all mean absolute effects. Of two datasets:
    mean distance by which the effects of one have to move to be those of the other (Wasserstein).
    """
    distance: float | None
    """Kolmogorov-Smirnov distance of the effects on the two sets of rows, 0 to 1; null of two models."""
    p_value: float | None
    """Probability of such a distance by chance, adjusted for all distances of the result (Holm); null of two models."""


class ModelChange(Record):
    """Two models on the same rows."""

    compared_by: ModelChangeComparedBy | str
    """`outcomes`: what is decided, where both models declare decisions, or else the predicted class. `values`: of
    regressions without decisions.
    """
    n_changed: int | None
    """Number of rows with another outcome; null where values are compared."""
    share_changed: float | None
    """Their share, 0 to 1; null likewise."""
    interval: ShareInterval | None
    """95 % interval of that share (Wilson, 1927), for rows drawn independently; null likewise."""
    changes: list[OutcomeChange]
    """Changed rows by both outcomes, the most frequent pair first, at most 20."""
    mean_difference: float | None
    """Mean of the other model's value less that of `model`; null where outcomes are compared."""
    mean_absolute_difference: float | None
    """Mean absolute difference of the values; null likewise."""
    n_rows_checked: int
    """Number of rows on which rules were checked, and not searched."""
    regions: list[ChangedRegion]
    """Where rows changed more than elsewhere, as rules; empty where nothing says where."""
    prototypes: list[ChangedPrototype]
    """Rows that represent the changed ones in the space of `model`, at most 5; where values are compared, for the tenth
    of the rows that changed most.
    """
    neighbors: NeighborAgreement | None
    """Agreement on the nearest rows; null where fewer than two rows have neighbours in both models."""
    rows: list[ChangedRow]
    """The rows that changed most, at most 20: with another outcome, by `difference`."""


class NeighborAgreement(Record):
    """How far both models agree on which rows are alike."""

    n_neighbors: int
    """Number of nearest rows that are compared."""
    n_rows: int
    """Number of rows whose nearest are compared."""
    share: float
    """Mean share of the nearest rows that both models have in common, 0 to 1."""
    by_chance: float
    """The same share of the nearest rows of two different rows, 0 to 1."""


class OutcomeChange(Record):
    """Rows that have one outcome by the first model and another by the other."""

    outcome: str
    """Outcome by `model`."""
    other_outcome: str
    """Outcome by `other_model`."""
    n_rows: int
    """Number of such rows."""


class OutcomeDrift(Record):
    """How frequent an outcome is among the rows of both datasets."""

    outcome: str
    """Outcome that is decided, or class that is predicted."""
    rows: ShareComparison
    """`share` of the rows of `other_dataset`, `reference_share` of `dataset`."""


class PageComparison(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[Comparison]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class SampleDistance(Record):
    """How far two distributions are apart."""

    distance: float
    """Kolmogorov-Smirnov distance, 0 to 1."""
    p_value: float
    """Probability of such a distance by chance, adjusted for all distances of the result (Holm, 1979)."""
    detectable_distance: float
    """Distance that would be found in four of five cases with as many rows and distances; smaller ones may go unseen.
    """


class ShareComparison(Record):
    """A share of the newer rows beside the same share of the reference rows, as if both were drawn independently."""

    share: float | None
    """Share of the newer rows, 0 to 1; null where there are none."""
    interval: ShareInterval | None
    """Its 95 % interval (Wilson, 1927); null likewise."""
    reference_share: float | None
    """Share of the reference rows, 0 to 1; null where there are none."""
    reference_interval: ShareInterval | None
    """Its 95 % interval; null likewise."""
    difference_interval: ShareInterval | None
    """Interval of `share` less `reference_share` (Newcombe, 1998, method 10), so wide that all such intervals of the
    result hold together with 95 %: each has 1 - 0.05 / `n_comparisons`. Null where either share is.
    """
    differs: bool
    """Whether `difference_interval` leaves 0 out: the shares differ by more than chance would explain."""


class ShareInterval(Record):
    """What chance leaves open about a share, or about the difference of two."""

    low: float
    """Lower end."""
    high: float
    """Upper end."""


class TypicalityDrift(Record):
    """Proximity of rows to the nearest row of `dataset`, another than themselves."""

    distance: float
    """Kolmogorov-Smirnov distance, 0 to 1."""
    p_value: float
    """Probability of such a distance by chance, adjusted for all distances of the result (Holm, 1979)."""
    detectable_distance: float
    """Distance that would be found in four of five cases with as many rows and distances; smaller ones may go unseen.
    """
    median: float
    """Median proximity of the rows of `dataset`, 0 to 1."""
    other_median: float
    """Median proximity of the rows of `other_dataset`, 0 to 1."""
    unreachable: ShareComparison
    """Share of rows that share no leaf that counts with any row of `dataset`: `share` of `other_dataset`,
    `reference_share` of `dataset`.
    """


def create_comparison(*, body: ComparisonRequest, idempotency_key: str | Unset | None = UNSET) -> Request[Comparison]:
    """Request a comparison; a job makes it unless it is there."""
    return Request(
        "POST", "/v1/comparisons", headers={"Idempotency-Key": idempotency_key}, body=body, answer=Comparison
    )


def list_comparisons(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset | None = UNSET,
    model: str | Unset | None = UNSET,
    dataset: str | Unset | None = UNSET,
    other_model: str | Unset | None = UNSET,
    other_dataset: str | Unset | None = UNSET,
    status: Status | Unset | None = UNSET,
) -> Request[PageComparison]:
    """List comparisons, newest first, without their results."""
    return Request(
        "GET",
        "/v1/comparisons",
        query={
            "limit": limit,
            "cursor": cursor,
            "model": model,
            "dataset": dataset,
            "other_model": other_model,
            "other_dataset": other_dataset,
            "status": status,
        },
        answer=PageComparison,
    )


def get_comparison(comparison_id: str, *, if_none_match: str | Unset = UNSET) -> Request[Comparison]:
    """Read a comparison: its status and, once it is ready, its result."""
    return Request(
        "GET", f"/v1/comparisons/{segment(comparison_id)}", headers={"If-None-Match": if_none_match}, answer=Comparison
    )


def delete_comparison(comparison_id: str) -> Request[None]:
    """Delete a comparison; refused while others use it or a job makes it."""
    return Request("DELETE", f"/v1/comparisons/{segment(comparison_id)}")


def get_comparison_content(comparison_id: str, *, if_none_match: str | Unset = UNSET) -> Request[ComparisonResult]:
    """Read the whole result as JSON."""
    return Request(
        "GET",
        f"/v1/comparisons/{segment(comparison_id)}/content",
        headers={"If-None-Match": if_none_match},
        answer=ComparisonResult,
    )
