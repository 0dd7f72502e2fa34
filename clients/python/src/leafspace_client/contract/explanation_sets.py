"""Models and operations of explanation sets.

Written by scripts/generate_client.py from openapi.json.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ..fields import UNSET, Unset
from ..operations import Request, segment
from ..records import Record
from .explainers import Explanation, NearestRowsOptions, NumberOfReasons
from .explanations import DictionaryUsed
from .literals import Detail, EffectsScale, Include, Level, RunOn, Status
from .models import Problem


class ExplanationSet(Record):
    """An explanation set, its status and, once it is ready, its result."""

    object_: Literal["explanation_set"] = "explanation_set"
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
    request: ExplanationSetRequest
    """The request, with all defaults filled in."""
    problem: Problem | Unset | None = UNSET
    """Why the job failed; null unless it did."""
    result: ExplanationSetResult | Unset | None = UNSET
    """Result of the job; null until the status is `ready`, and in lists."""


class ExplanationSetRequest(Record):
    """Which dataset to explain, and by which explainer."""

    n_prototypes: int | Unset = UNSET
    """Maximum number of nearest prototypes of each row."""
    n_reasons: NumberOfReasons | Unset = UNSET
    """Maximum number of reasons for each prototype, those that most of the shared trees test first, or `all`."""
    include: list[Include | str] | Unset = UNSET
    """Optional parts of explanations. `values`: the values of the row and of its nearest prototypes; `intervals`: the
    ends of each reason as numbers; `contrast`: the nearest prototypes of other classes, and what the trees test that
    tell the two apart; `rules`: the rules that apply, if the explainer has a rule set; `approximation_path`: the path
    in the approximation tree, if the explainer has one; `nearest_rows`: the nearest of all reference rows, if the
    explainer has them; `changes`: the smallest changes of the row that would give it another outcome; `curves`: how the
    score changes with each feature, all else as it is; `evidence`: the true classes of the reference rows most like the
    row, if the explainer has these rows; `training_rows`: the rows that the model was trained on which make its
    prediction, by their shares in a forest, or their weights in boosting by squared error, if these rows are the
    explainer's.
    """
    n_contrasts: int | Unset = UNSET
    """Maximum number of other classes in `contrasts`, where `contrast` is included: the nearest ones, each by its
    nearest prototype.
    """
    nearest_rows: NearestRowsOptions | Unset | None = UNSET
    """Which rows `nearest_rows` lists, where it is included; null: the nearest five."""
    reference: str | Unset | None = UNSET
    """What effects compare each row with. `contrast`: the nearest prototype of another class, or of the best other
    outcome; `nearest`: the nearest prototype; `prototypes:<outcome>`: the mean over the prototypes of an outcome or
    class, weighted by the rows that they represent; `rows:<outcome>`: the mean over the reference rows of an outcome or
    class; `all`: the mean over all reference rows. Null: `contrast`, or `nearest` for regression without a decision.
    """
    outcome: str | Unset | None = UNSET
    """Outcome, or class, that the question is about: effects are on its score, and `changes`, where these are included,
    aim at it. Null: effects are on the score that decides or, without a decision, on that of the predicted class;
    changes aim at the next better outcome where a decision has bands, and otherwise at the other class with the highest
    score.
    """
    max_changed_features: int | Unset = UNSET
    """How many features may change together in `changes`, at most. All changes of one and of two are searched; only
    where there is none, one of more is taken from the values of a real row.
    """
    fixed: list[str] | Unset = UNSET
    """Features that never change in `changes`, such as age; a column of a one-hot group fixes all of it. Features that
    the explainer hides are always fixed.
    """
    only_up: list[str] | Unset = UNSET
    """Features of numbers that only grow in `changes`, such as years of employment; a missing value stays missing."""
    only_down: list[str] | Unset = UNSET
    """Features of numbers that only shrink in `changes`; a missing value stays missing."""
    detail: Detail | str | Unset = UNSET
    """`full` gives everything that the explainer has: all reasons, all optional parts, and more about each prototype.
    `n_reasons` changes nothing then, and `include` only adds `changes`, `curves`, `evidence`, `training_rows`.
    """
    settings: Literal["paper"] | Unset = UNSET
    """`paper`: the fields that are left out have the values of the method's paper, as docs/methods.md lists them,
    instead of these defaults, fields of fields included; what is given, null included, stands, but for `method: auto`,
    which leaves the method to the word, too. Answers show the fields that result, so that the id is that of the same
    request in full. Absent: the defaults.
    """
    explainer: str
    """Id of the explainer."""
    dataset: str
    """Id of the dataset whose rows are explained."""
    run_on: RunOn | str | Unset = UNSET
    """Where the job works on the rows: `local`, in the worker's own process; `cluster`, on the workers of a Dask
    cluster (LEAFSPACE_DASK_SCHEDULER); `auto`: on the cluster where one process would need more memory than a job may
    use, and else locally. The result is the same, and so is the id: answers always show `auto`.
    """


class ExplanationSetResult(Record):
    """Statistics of all rows together; the explanations themselves are in `/content`."""

    model: str
    """Id of the model."""
    n_rows: int
    """Number of rows of the dataset."""
    n_explained: int
    """Number of rows that were explained."""
    n_abstained: int = 0
    """Number of these from which the explainer abstained (see its `abstain_below`)."""
    n_refused: int
    """Number of rows that the model does not accept; each has a `problem`."""
    n_unassigned: int
    """Number of explained rows that share no leaf with any prototype."""
    agreement: float | None
    """Share of the explained rows whose nearest prototype has the label that the model predicts or, where prototypes
    are of outcomes, the outcome that is decided, 0 to 1; null where there is neither, or where no row is explained.
    """
    labels: list[LabelCount]
    """Predicted labels of the explained rows, in the order of the classes; empty for regression."""
    outcomes: list[OutcomeCount] | Unset = UNSET
    """Outcomes of the explained rows, in the order of the bands; empty where the model has no decision."""
    typicality: list[LevelCount]
    """Explained rows by level of typicality; empty where all rows of the dataset are prototypes."""
    warnings: list[WarningCount] | Unset = UNSET
    """Explained rows by code of their warnings, in alphabetical order, without codes that no row has."""
    mean_proximity: float | None
    """Mean proximity of the explained rows to their nearest prototypes, 0 to 1, where unassigned rows count as 0; null
    where no row is explained.
    """
    mean_absolute_effects: list[MeanEffect] | Unset = UNSET
    """Mean size of the effects of each feature that the explainer shows, over the explained rows that have effects, the
    largest first, without features that have none. All effects count, whichever are listed.
    """
    effects_scale: EffectsScale | str | Unset | None = UNSET
    """What these are in: the `scale` of the effects; null where no row has effects."""
    dictionary: DictionaryUsed
    """The dictionary whose words the explanations have. Where it hid a feature since that they may show, `/content` is
    refused: request the set again, which makes another one in the present words.
    """
    n_bytes: ExplanationSetSizes
    """Sizes of the downloads."""


class ExplanationSetSizes(Record):
    """Sizes of the explanations in bytes."""

    json_lines: int
    """Size of the JSON lines, in bytes."""
    json_lines_compressed: int
    """Size of the JSON lines compressed by zstd, in bytes."""
    parquet: int
    """Size of the Parquet file, in bytes."""


class LabelCount(Record):
    """How often the model predicts a label."""

    label: str
    """The label."""
    n_rows: int
    """Number of explained rows for which the model predicts it."""


class LevelCount(Record):
    """How many rows are so typical."""

    level: Level | str
    """Level of `typicality`."""
    n_rows: int
    """Number of explained rows of this level."""


class MeanEffect(Record):
    """How much a feature moves the score, on average."""

    feature: str
    """Name of the feature."""
    effect: float
    """Mean of the sizes of its effects, 0 or more, to 7 digits."""


class OutcomeCount(Record):
    """How often an outcome is decided."""

    outcome: str
    """The outcome."""
    n_rows: int
    """Number of explained rows for which it is decided."""


class PageExplanationSet(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[ExplanationSet]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class PageExplanation(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[Explanation]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class WarningCount(Record):
    """How many rows have a warning."""

    code: str
    """Code of the warning, such as `unseen_category`."""
    n_rows: int
    """Number of explained rows with at least one such warning."""


def create_explanation_set(
    *, body: ExplanationSetRequest, idempotency_key: str | Unset | None = UNSET
) -> Request[ExplanationSet]:
    """Request explanations of every row of a dataset; a job makes them unless they are there."""
    return Request(
        "POST", "/v1/explanation-sets", headers={"Idempotency-Key": idempotency_key}, body=body, answer=ExplanationSet
    )


def list_explanation_sets(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset | None = UNSET,
    explainer: str | Unset | None = UNSET,
    dataset: str | Unset | None = UNSET,
    status: Status | Unset | None = UNSET,
) -> Request[PageExplanationSet]:
    """List explanation sets, newest first, without their results."""
    return Request(
        "GET",
        "/v1/explanation-sets",
        query={"limit": limit, "cursor": cursor, "explainer": explainer, "dataset": dataset, "status": status},
        answer=PageExplanationSet,
    )


def get_explanation_set(explanation_set_id: str, *, if_none_match: str | Unset = UNSET) -> Request[ExplanationSet]:
    """Read an explanation set: its status and, once it is ready, its result."""
    return Request(
        "GET",
        f"/v1/explanation-sets/{segment(explanation_set_id)}",
        headers={"If-None-Match": if_none_match},
        answer=ExplanationSet,
    )


def delete_explanation_set(explanation_set_id: str) -> Request[None]:
    """Delete an explanation set; refused while others use it or a job makes it."""
    return Request("DELETE", f"/v1/explanation-sets/{segment(explanation_set_id)}")


def get_explanation_set_content(
    explanation_set_id: str,
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset | None = UNSET,
    if_none_match: str | Unset = UNSET,
) -> Request[PageExplanation]:
    """Read all explanations as JSON lines or Parquet, or a page of them as JSON, as `Accept` says."""
    return Request(
        "GET",
        f"/v1/explanation-sets/{segment(explanation_set_id)}/content",
        query={"limit": limit, "cursor": cursor},
        headers={"If-None-Match": if_none_match},
        answer=PageExplanation,
    )
