"""Models and operations of approximation trees.

Written by scripts/generate_client.py from openapi.json.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias

from ..displays import DrawnRecord
from ..fields import UNSET, Tag, Unset
from ..operations import Request, segment
from ..records import Record
from .literals import (
    ApproximationTreeChooseBy,
    ApproximationTreeCompare,
    ApproximationTreeFittedOn,
    ApproximationTreeLeafProbabilities,
    ApproximationTreeMethod,
    ApproximationTreeResultMethod,
    ApproximationTreeSignificanceLevelOf,
    Criterion,
    EvaluatedOn,
    ExportApproximationTreeFormat,
    Over,
    RunOn,
    Status,
    Task,
    Type,
)
from .models import NumberOrText, Problem, Score
from .prototype_sets import Caution, OutcomeText
from .rule_sets import ConditionValue, RuleFeature


class AgainstTarget(Record):
    """How well predictions match a dataset's target."""

    accuracy: float | Unset | None = UNSET
    """Share of rows with the right label, 0 to 1; null for regression or without a target."""
    balanced_accuracy: float | Unset | None = UNSET
    """Mean over the classes that have rows of their share of right labels, 0 to 1; null for regression or without a
    target.
    """
    mean_squared_error: float | Unset | None = UNSET
    """Mean squared error in squared units of the target; null for classification or without a target."""
    r2: float | Unset | None = UNSET
    """Coefficient of determination, at most 1; null for classification, without a target and where all values are
    alike.
    """


class ApproximationNode(Record):
    """A node of the tree: a split by a condition on one feature of a raw row, or a leaf."""

    id: int
    """0-based index of the node in the list; the root is 0, and a left child follows its parent."""
    depth: int
    """Number of splits above it."""
    feature: str | None
    """Name of the raw feature; null at a leaf."""
    column: str | None
    """Name of the model's feature that is read: `feature` itself, except for one-hot columns that were declared as one
    feature, where `is` means a value over 0.5. Null at a leaf.
    """
    operator: str | None
    """Comparison that sends a row left: `<=` for numbers (in double precision), `is` or `is one of` for categories, or
    `is missing`; null at a leaf. Operators of rules may be added.
    """
    value: ConditionValue | None
    """Value to compare with: a list with `is one of`; null with `is missing` and at a leaf."""
    or_missing: bool | None
    """Whether missing values go left, too; null at a leaf. It is false where no row of the dataset misses the feature,
    and with `is missing`, which decides this itself.
    """
    text: str | None
    """Condition as an English phrase, such as `income is at most 3,400 (missing allowed)`; null at a leaf."""
    question: str | Unset | None = UNSET
    """Condition as a question, such as `Is there an account of kind credit?`; null where `text` serves as one, and at a
    leaf.
    """
    left: int | None
    """Id of the child for rows that satisfy the condition; null at a leaf."""
    right: int | None
    """Id of the child for all other rows; null at a leaf."""
    prediction: NumberOrText
    """Predicted label, or value for regression. Splits have one, too."""
    scores: list[Score]
    """Shares of the classes in the order of the classes; empty for regression. They are means of the model's
    probabilities; where it has none, or its labels come from a cut-off, of its labels.
    """
    n_samples: int
    """Number of the dataset's rows that reach it."""
    n_pseudo_samples: int
    """Number of pseudo-samples that were drawn to choose its split, even if `max_leaves` ended the growth before it was
    split; 0 if none were drawn.
    """
    p_value: float | None
    """Sum over the other candidate splits of the probability that new pseudo-samples would prefer them, 0 to 1; null at
    leaves and with methods without a test.
    """
    at_cap: bool | None
    """Whether the split was not significant within `max_pseudo_samples`; null where `p_value` is."""
    settled: bool | Unset | None = UNSET
    """Whether safe pruning (`ism`) has proved that the model gives every row that could reach the leaf its label, seen
    in the dataset or not; null at splits and with other methods.
    """


class ApproximationTree(Record):
    """An approximation tree, its status and, once it is ready, its result."""

    object_: Literal["approximation_tree"] = "approximation_tree"
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
    request: ApproximationTreeRequest
    """The request, with all defaults filled in."""
    problem: Problem | Unset | None = UNSET
    """Why the job failed; null unless it did."""
    result: ApproximationTreeResult | Unset | None = UNSET
    """Result of the job; null until the status is `ready`, and in lists."""


class ApproximationTreeEvaluation(Record):
    """How well the tree approximates the model, and predicts the target if there is one, on the rows of one dataset."""

    accuracy: float | Unset | None = UNSET
    """Share of rows with the right label, 0 to 1; null for regression or without a target."""
    balanced_accuracy: float | Unset | None = UNSET
    """Mean over the classes that have rows of their share of right labels, 0 to 1; null for regression or without a
    target.
    """
    mean_squared_error: float | Unset | None = UNSET
    """Mean squared error in squared units of the target; null for classification or without a target."""
    r2: float | Unset | None = UNSET
    """Coefficient of determination, at most 1; null for classification, without a target and where all values are
    alike.
    """
    n_rows: int
    """Number of rows evaluated."""
    evaluated_on: EvaluatedOn | str
    """Rows that were used: those of the reference dataset, or of `evaluation_dataset`."""
    fidelity: float | None
    """Share of rows with the label that the model predicts, 0 to 1; for regression R2 to the values that the model
    predicts, null where these are all alike.
    """
    balanced_fidelity: float | Unset | None = UNSET
    """Mean over the labels that the model predicts of the share of their rows with the same label, 0 to 1; null for
    regression.
    """
    probability_l1: float | None
    """Mean over the rows of the L1 distance between the scores of the tree and of the model, 0 to 2; null for
    regression.
    """
    mean_questions: float
    """Mean over the rows of the number of splits from the root to their leaf."""
    model: AgainstTarget | None
    """Scores of the model itself; null without a target."""
    constant: ConstantTreeScores
    """Scores of predicting the same for every row."""


class ApproximationTreeRequest(Record):
    """Which model to approximate by one tree, and on which dataset."""

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
    method: ApproximationTreeMethod | str | Unset = UNSET
    """How splits are chosen. `auto`: `ism` for classes where the dataset has a feature set, else `sta`, and the answer
    names it. `sta`: by a test on as many pseudo-samples as it needs (Zhou & Hooker); `ism`: among the ensemble's own
    splits, from its class distributions (Van Assche & Blockeel); `born_again`: CART on pseudo-samples, its depth by
    cross-validation (Breiman & Shang); `cart`: CART on pseudo-samples, or on the dataset's rows (`fitted_on`).
    """
    max_depth: DepthOrValidate | Unset = UNSET
    """Maximum number of splits on a path from the root to a leaf. `validate` (`sta` alone): the smallest depth up to 10
    whose error on fresh pseudo-samples is within one standard error of the least.
    """
    max_leaves: int | Unset | None = UNSET
    """Maximum number of leaves; the nodes that improve most are split first. With `choose_by: fidelity` (`sta`, and
    `ism` with pseudo-samples), up to three times as many are grown, and the most faithful ones stay. Null: as many as
    the depth allows, up to 1,024.
    """
    min_samples_leaf: int | Unset = UNSET
    """Minimum number of the dataset's rows in each leaf (`sta`, `ism`). `born_again` and `cart` require the same share
    of pseudo-samples instead, so that a leaf may have fewer of the dataset's rows; `ism` of all rows, if it draws some.
    Of a dataset that is sampled (`n_sampled_rows`), leaves have the same share of the sample, and one of its rows at
    least.
    """
    significance: float | Unset = UNSET
    """Significance level of `sta`: pseudo-samples are added until the p-values of the other candidate splits sum to at
    most this. Other methods refuse any value but the default.
    """
    max_pseudo_samples: int | Unset = UNSET
    """Maximum number of pseudo-samples of one node (`sta`), or the number of those of the whole tree (`born_again`,
    `cart`, `ism`).
    """
    generator: Generator | Unset = UNSET
    """How pseudo-samples of `sta`, `cart` and `ism` are made. `born_again`, which smears rows, and `fitted_on: dataset`
    refuse any but the default.
    """
    fitted_on: ApproximationTreeFittedOn | str | Unset = UNSET
    """What `cart` and `ism` are fitted to. `dataset`: the dataset's rows, with the labels or values that the model
    predicts for them (`ism`: as in the paper). `generator`: pseudo-samples (`cart`), or the dataset's rows and
    pseudo-samples together (`ism`). `auto`: `generator`, but `dataset` for `ism` where the dataset has a feature set.
    Other methods take `auto` or `generator`.
    """
    choose_by: ApproximationTreeChooseBy | str | Unset = UNSET
    """How `sta` chooses among splits that its test cannot separate within `max_pseudo_samples`: by their gain (Zhou &
    Hooker), or by the fidelity of trees grown below each of them, unless none is clearly ahead. And which leaves stay
    where `max_leaves` is set, of `ism`, too, if pseudo-samples join the rows: those of the splits that gain most, or
    the most faithful ones of a larger tree. Other methods refuse any value but the default.
    """
    candidates: list[CandidateSplits] | Unset | None = UNSET
    """Features that `sta` may split on, each with its own thresholds or categories, or those that the dataset suggests.
    Null: all features, with what the dataset suggests. Other methods refuse it.
    """
    compare: ApproximationTreeCompare | str | Unset = UNSET
    """Candidate splits whose p-values `sta` sums: all others, or the second best alone. Other methods refuse any value
    but the default.
    """
    significance_level_of: ApproximationTreeSignificanceLevelOf | str | Unset = UNSET
    """What `significance` is the level of: each split (`node`), or all splits of the tree together, of which each one
    gets an equal part (`tree`, Bonferroni). Methods other than `sta` refuse any value but the default.
    """
    criterion: Criterion | str | Unset = UNSET
    """What `ism` maximises for classes: information gain, or its ratio to the entropy of the shares of rows on both
    sides (Quinlan). For values it is the decrease of variance, and the ratio is refused. Other methods refuse any value
    but the default.
    """
    leaf_probabilities: ApproximationTreeLeafProbabilities | str | Unset = UNSET
    """How `ism` estimates the probability that a row of a node reaches a leaf of the ensemble: by the node's rows, or
    as if the splits on the way to the leaf were independent of the node's, as far as these leave them open. The latter
    is for random forests, and refused for boosting and for values; it takes time by splits x nodes of the ensemble.
    Other methods refuse any value but the default.
    """
    smearing_probability: float | Unset = UNSET
    """Probability that `born_again` replaces a value by that of another row. Other methods refuse any value but the
    default.
    """
    n_repeats: int | Unset = UNSET
    """Number of trees that are made from different pseudo-samples to measure stability; the first one is the result.
    More than 1 is refused where there are none (`fitted_on: dataset`).
    """
    stop_when_pure: bool | Unset = UNSET
    """Whether `ism` leaves a node unsplit whose rows all have one class in the dataset's target. For classes and
    datasets with a target: true is refused elsewhere, and `settings: paper` leaves it false.
    """
    evaluation_dataset: str | Unset | None = UNSET
    """Id of a dataset on which the result is evaluated instead of the reference dataset; null: on the reference dataset
    itself.
    """
    seed: int | Unset = UNSET
    """Seed of the pseudo-samples, of a sample of rows, and with `cart` and `born_again` of the choice among splits that
    improve alike.
    """
    run_on: RunOn | str | Unset = UNSET
    """Where the job works on the rows: `local`, in the worker's own process; `cluster`, on the workers of a Dask
    cluster (LEAFSPACE_DASK_SCHEDULER); `auto`: on the cluster where one process would need more memory than a job may
    use, and else locally. The result is the same, and so is the id: answers always show `auto`.
    """


class ApproximationTreeResult(Record):
    """The result of an approximation tree's job: the tree, which can be applied to raw rows without the model."""

    task: Task | str
    """What the model predicts."""
    classes: list[str]
    """Classes in the order of the model's scores; empty for regression."""
    outcome_texts: list[OutcomeText] | Unset = UNSET
    """What the dictionary calls classes and outcomes; absent where it calls none by other words."""
    method: ApproximationTreeResultMethod | str
    """How splits were chosen."""
    n_rows: int
    """Number of rows of the dataset."""
    n_sampled_rows: int | Unset = UNSET
    """Number of rows of the dataset in a seeded sample of them, from which the tree was grown: 100,000, where the
    dataset has more. Its candidate splits, and what pseudo-samples are drawn from, are those of the sample; `n_samples`
    of its nodes and its evaluation are counted on all rows. Left out where the tree was grown from all rows, as by
    `ism` fitted on the dataset.
    """
    n_trees: int
    """Number of trees of the model; 0 of an oracle."""
    n_features: int
    """Number of features of the model."""
    n_nodes: int
    """Number of nodes of the tree, leaves included."""
    n_leaves: int
    """Number of leaves of the tree."""
    depth: int
    """Number of splits on the longest path from the root to a leaf."""
    n_leaves_before_merging: int | Unset | None = UNSET
    """Number of leaves before splits were undone below which all leaves predict the same label, which `ism` does where
    the dataset has a feature set; null where nothing is merged.
    """
    features: list[RuleFeature]
    """Features that splits refer to, in the model's order."""
    nodes: list[ApproximationNode]
    """Nodes of the tree in preorder."""
    implications: list[ImpliedAnswer] | Unset = UNSET
    """What follows among the splits of the tree where the dataset has a feature set, so that a questionnaire need not
    request it. Of several steps, only the single ones; at most 10,000.
    """
    smoothing: Smoothing | None
    """How pseudo-samples were smoothed; null where there were none, or rows were drawn as they are."""
    n_implications: int | Unset | None = UNSET
    """Number of implications among the columns of a dataset with a feature set, such as `has an account of kind credit`
    and `has an account`: pseudo-samples that break one were repaired before the model predicted them, a column that
    implies a false one being made false. Null without a feature set, and with `ism`.
    """
    evaluation: ApproximationTreeEvaluation
    """Evaluation on `evaluation_dataset`, or else on the dataset itself."""
    training_evaluation: ApproximationTreeEvaluation
    """Evaluation on the rows from which the tree was made."""
    cautions: list[Caution]
    """Reasons to read the result with care; empty where none is known."""
    validation: DepthValidation | Unset | None = UNSET
    """How the depth was chosen, with `max_depth: validate` and with `born_again`; null elsewhere, and where there was
    nothing to choose.
    """
    stability: list[StructureCount] | None
    """Number of different trees among the repeats, depth by depth; null without repeats."""
    n_repeats: int
    """Number of trees that were made."""


class BootstrapGenerator(Record):
    """The dataset's rows at a node as they are, drawn with replacement."""

    method: Literal["bootstrap"]
    """Rows drawn with replacement."""


class CandidateSplits(Record):
    """The splits of one feature that are candidates; without any, those that the dataset suggests."""

    feature: str
    """Name of the feature."""
    thresholds: list[float] | Unset = UNSET
    """Thresholds of a number, for `feature <= threshold`."""
    categories: list[str] | Unset = UNSET
    """Categories, for `feature is category`."""
    missing: bool | Unset = UNSET
    """Whether `feature is missing` is a candidate."""


class ConstantTreeScores(Record):
    """The scores of constant predictions."""

    prediction: NumberOrText
    """Constant to which all measures but fidelities belong: the most frequent class of the rows (ties: the first of the
    classes), or the mean value for regression. It is taken from the reference that `measured_against` names.
    """
    model_prediction: NumberOrText
    """Constant to which fidelities belong: the label that the model predicts most often, or the mean of its values for
    regression.
    """
    accuracy: float | Unset | None = UNSET
    """Share of rows with the right label, 0 to 1; null for regression or without a target."""
    balanced_accuracy: float | Unset | None = UNSET
    """Mean over the classes that have rows of their share of right labels, 0 to 1; null for regression or without a
    target.
    """
    mean_squared_error: float | Unset | None = UNSET
    """Mean squared error in squared units of the target; null for classification or without a target."""
    r2: float | Unset | None = UNSET
    """Coefficient of determination, at most 1; null for classification, without a target and where all values are
    alike.
    """
    fidelity: float | None
    """Share of rows with the label that the model predicts, 0 to 1; for regression R2 to the values that the model
    predicts, null where these are all alike.
    """
    balanced_fidelity: float | None
    """Mean over the labels that the model predicts of the share of their rows with the same label, 0 to 1; null for
    regression.
    """


class DatasetGenerator(Record):
    """Rows of another dataset, whose labels are not used."""

    method: Literal["dataset"]
    """Rows of another dataset, drawn with replacement."""
    dataset: str
    """Id of a dataset that has every feature that the model reads. Where none of its rows reaches a node, the reference
    dataset's rows are drawn.
    """


class DepthValidation(Record):
    """The errors by which the depth was chosen, on rows that the tree was not grown from."""

    errors: list[float]
    """Mean error of the tree cut off at each depth, from 0 splits on. `max_depth: validate`: the share of fresh
    pseudo-samples with another label than the model's, for regression the squared error; `born_again`: the squared
    error of the scores in cross-validation.
    """
    standard_errors: list[float]
    """Standard error of each of these, from the folds of the rows."""
    depth: int
    """Depth that was chosen: the smallest from 1 on whose error is within one standard error of the least. The tree is
    not deeper.
    """


class ImpliedAnswer(Record):
    """What follows for one split of the tree from another: who has five transactions has one."""

    node: int
    """Id of the node whose condition holds, or not."""
    holds: bool
    """Whether it does."""
    implied_node: int
    """Id of the node whose condition then holds, or not, for every row."""
    implied_holds: bool
    """Whether that one does."""


class KernelGenerator(Record):
    """The dataset's rows at a node, with Gaussian noise (Zhou & Hooker)."""

    method: Literal["kernel"]
    """Noise of a Gaussian kernel."""
    bandwidth: float | Unset = UNSET
    """Standard deviation of the noise of a continuous number, in standard deviations of the feature. A feature of whole
    numbers moves to neighbouring values instead.
    """
    neighbor_probability: float | Unset = UNSET
    """Probability, 0 to 1, that a number of at most 10 distinct values becomes the next smaller or larger one (with
    `ranks`: that it is redrawn from itself and these two, by their frequency in the dataset), and that a category
    becomes another one, drawn by its frequency.
    """


class NextQuestion(DrawnRecord):
    """How far the answers lead in the tree."""

    object_: Literal["next_question"] = "next_question"
    """Type of this object."""
    approximation_tree: str
    """Id of the approximation tree."""
    question: Question | None
    """The next question; null if the answers lead to a leaf."""
    prediction: NumberOrText | None
    """Predicted label of the leaf, or value for regression; null while there is a question left."""
    scores: list[Score]
    """Shares of the classes at the node that was reached, in the order of the classes; empty for regression."""
    n_asked: int
    """Number of different features on the path so far, without that of `question`."""
    n_features: int
    """Number of features of the model; without the tree, all of them are needed."""
    path: list[PathNode]
    """Conditions on the path so far, from the root."""


class NextQuestionRequest(Record):
    """The answers so far."""

    answers: dict[str, Any] | Unset = UNSET
    """Values by names of the model's features, as in instances; null, a missing value, is an answer."""


class PageApproximationTree(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[ApproximationTree]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class PathNode(Record):
    """A condition on a row's path from the root, and whether the row satisfies it."""

    id: int
    """Id of the node in the tree."""
    feature: str
    """Name of the raw feature."""
    text: str
    """Condition as an English phrase, such as `income is at most 3,400`."""
    holds: bool
    """Whether the row satisfies the condition and goes left; otherwise it goes right."""


class Question(Record):
    """The feature to ask for next: its value decides all splits on this feature."""

    node: int
    """Id of the node that tests the feature."""
    feature: str
    """Name of the raw feature."""
    column: str
    """Name to use in `answers`: `feature` itself, except for one-hot columns that belong together, where the answer is
    1 or true if the feature is `value`, else 0.
    """
    type_: Type | str
    """Type of the answer: a boolean is true or false, or 1 or 0."""
    text: str
    """Condition of the node as an English phrase."""
    question: str | Unset | None = UNSET
    """Condition as a question of its own; null where `text` serves as one."""
    operator: str
    """Comparison of the node; see `operator` of the tree's nodes."""
    value: ConditionValue | None
    """Value to compare with: a list with `is one of`; null with `is missing`."""
    or_missing: bool
    """Whether a missing value satisfies the condition, too."""
    categories: list[str]
    """Categories that the tree mentions; all others have the same effect as each other. Empty for numbers."""


class RanksGenerator(Record):
    """The dataset's rows at a node, each number moved to nearby ranks: noise has the scale that the data have there."""

    method: Literal["ranks"] = "ranks"
    """Noise of ranks."""
    bandwidth: float | Unset = UNSET
    """Share of the dataset's rows that noise moves a number past, at most, in either direction; drawn uniformly."""
    neighbor_probability: float | Unset = UNSET
    """Probability, 0 to 1, that a number of at most 10 distinct values becomes the next smaller or larger one (with
    `ranks`: that it is redrawn from itself and these two, by their frequency in the dataset), and that a category
    becomes another one, drawn by its frequency.
    """


class ResidualPermutationGenerator(Record):
    """The dataset's rows at a node, in which residuals of continuous numbers are exchanged between rows."""

    method: Literal["residual_permutation"]
    """Each continuous number is what the other numbers predict by least squares, and the residual of another row."""
    neighbor_probability: float | Unset = UNSET
    """Probability, 0 to 1, that a number of at most 10 distinct values becomes the next smaller or larger one (with
    `ranks`: that it is redrawn from itself and these two, by their frequency in the dataset), and that a category
    becomes another one, drawn by its frequency.
    """


class Smoothing(Record):
    """How pseudo-samples are drawn near the dataset's rows."""

    bandwidth: float | Unset | None = UNSET
    """Standard deviation of the noise added to continuous numbers, as a share of the feature's standard deviation; null
    where none is added.
    """
    rank_bandwidth: float | Unset | None = UNSET
    """Share of the dataset's rows that noise moves a number past, at most; null where ranks are not used."""
    move_probability: float | Unset | None = UNSET
    """Probability, 0 to 1, that a category is replaced by one drawn by its frequency in the dataset, and that one of
    few numbers (with a kernel: any integer) becomes the next smaller or larger one; null with `born_again`.
    """
    swap_probability: float | Unset | None = UNSET
    """Probability, 0 to 1, that a value is replaced by that of another row; null except with `born_again`."""


class StructureCount(Record):
    """The number of different trees among the repeats, down to a depth."""

    depth: int
    """Number of levels of splits that are compared; 1: the root's split alone."""
    n_structures: int
    """Number of trees that differ in at least one split of these levels."""


DepthOrValidate: TypeAlias = int | Literal["validate"]


Generator: TypeAlias = Annotated[
    DatasetGenerator | RanksGenerator | KernelGenerator | ResidualPermutationGenerator | BootstrapGenerator,
    Tag("method"),
]


def create_approximation_tree(
    *, body: ApproximationTreeRequest, idempotency_key: str | Unset | None = UNSET
) -> Request[ApproximationTree]:
    """Request one tree that represents an ensemble; a job grows it unless it is known."""
    return Request(
        "POST",
        "/v1/approximation-trees",
        headers={"Idempotency-Key": idempotency_key},
        body=body,
        answer=ApproximationTree,
    )


def list_approximation_trees(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset | None = UNSET,
    model: str | Unset | None = UNSET,
    dataset: str | Unset | None = UNSET,
    evaluation_dataset: str | Unset | None = UNSET,
    status: Status | Unset | None = UNSET,
) -> Request[PageApproximationTree]:
    """List approximation trees, newest first, without their results."""
    return Request(
        "GET",
        "/v1/approximation-trees",
        query={
            "limit": limit,
            "cursor": cursor,
            "model": model,
            "dataset": dataset,
            "evaluation_dataset": evaluation_dataset,
            "status": status,
        },
        answer=PageApproximationTree,
    )


def get_approximation_tree(
    approximation_tree_id: str, *, if_none_match: str | Unset = UNSET
) -> Request[ApproximationTree]:
    """Read an approximation tree: its status and, once it is ready, its result."""
    return Request(
        "GET",
        f"/v1/approximation-trees/{segment(approximation_tree_id)}",
        headers={"If-None-Match": if_none_match},
        answer=ApproximationTree,
    )


def delete_approximation_tree(approximation_tree_id: str) -> Request[None]:
    """Delete an approximation tree; refused while others use it or a job makes it."""
    return Request("DELETE", f"/v1/approximation-trees/{segment(approximation_tree_id)}")


def get_approximation_tree_content(
    approximation_tree_id: str, *, if_none_match: str | Unset = UNSET
) -> Request[ApproximationTreeResult]:
    """Read the whole result as JSON, CSV or Parquet, as `Accept` says."""
    return Request(
        "GET",
        f"/v1/approximation-trees/{segment(approximation_tree_id)}/content",
        headers={"If-None-Match": if_none_match},
        answer=ApproximationTreeResult,
    )


def export_approximation_tree(
    approximation_tree_id: str,
    *,
    format_: ExportApproximationTreeFormat | Unset = UNSET,
    over: Over | Unset | None = UNSET,
    if_none_match: str | Unset = UNSET,
) -> Request[None]:
    """Export the tree as JSON, text, Graphviz, a drawing in SVG or HTML, SQL, a Python function, or ONNX."""
    return Request(
        "GET",
        f"/v1/approximation-trees/{segment(approximation_tree_id)}/export",
        query={"format": format_, "over": over},
        headers={"If-None-Match": if_none_match},
    )


def get_next_question(approximation_tree_id: str, *, body: NextQuestionRequest) -> Request[NextQuestion]:
    """Return the next feature that the tree needs, given the answers so far, or the prediction that they determine."""
    return Request(
        "POST",
        f"/v1/approximation-trees/{segment(approximation_tree_id)}/next-question",
        body=body,
        answer=NextQuestion,
    )
