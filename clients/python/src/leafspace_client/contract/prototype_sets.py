"""Models and operations of prototype sets.

Written by scripts/generate_client.py from openapi.json.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias

from ..fields import UNSET, Unset
from ..operations import Request, segment
from ..records import Record
from .datasets import Cell
from .literals import (
    CautionCode,
    CertificateObjectiveConstraint,
    CertificateObjectiveName,
    EvaluatedOn,
    ExportPrototypeSetFormat,
    LabelAuditProximityKind,
    Labels,
    LeafChoiceDecidedBy,
    LeafChoiceMeasure,
    MeasuredAgainst,
    PrototypeSetCertificateScope,
    PrototypeSetMethod,
    PrototypeSetMetric,
    PrototypeSetPerOutcome,
    PrototypeSetProximityKind,
    PrototypeSetRefine,
    PrototypeSetResultProximityKind,
    ProximityKind,
    RunOn,
    Status,
    Task,
    ValidationMeasure,
)
from .models import NumberOrText, Problem


class Baseline(Record):
    """Scores of the model, of the nearest other row of the dataset, and of constant predictions."""

    model: BaselineScore | None
    """Scores of the model itself; null if the dataset has no target."""
    one_nearest_neighbor: BaselineScore
    """Scores of predicting the label or value of the nearest other row of the reference dataset."""
    constant: ConstantScore
    """Scores of predicting the same for every row."""


class BaselineScore(Record):
    """The same measures for a baseline."""

    balanced_accuracy: float | Unset | None = UNSET
    """Mean over the classes of the share of their rows that are predicted rightly, 0 to 1; null for regression or
    without a target.
    """
    accuracy: float | Unset | None = UNSET
    """Share of rows with the right label, 0 to 1; null for regression or without a target."""
    balanced_fidelity: float | Unset | None = UNSET
    """Mean over the labels that the model predicts of the share of their rows with the same label, 0 to 1; null for
    regression.
    """
    fidelity: float | Unset | None = UNSET
    """Share of rows with the label that the model predicts, 0 to 1, to be compared with `baseline.constant`; null for
    regression.
    """
    r2: float | Unset | None = UNSET
    """Coefficient of determination of the rows with a prediction, at most 1; null for classification, without such rows
    and where their values are all alike.
    """
    mean_absolute_error: float | Unset | None = UNSET
    """Mean absolute error of the same rows, in units of the target; null for classification."""
    n_rows: int
    """Number of rows evaluated: all, or a random sample where all would take too long."""
    unassigned: float = 0.0
    """Share of rows without a prediction, 0 to 1."""


class Caution(Record):
    """A reason to read a result with care."""

    code: CautionCode | str
    """Stable, machine-readable name. Of figures: `measured_on_training_rows` (on rows that the model may have been
    trained on, or that the result was made from), `measured_on_its_own_rows` (likewise, but declared `held_out`),
    `grown_from_its_evaluation_rows`, `chosen_by_its_evaluation_rows`, `few_rows`, `one_label` (all rows have it),
    `hardly_better_than_constant`. Of prototypes: `few_rows_covered`, `classes_without_prototype`,
    `outcomes_without_rows` (a band that no row is in). Of trees: `splits_not_significant`, `candidates_split_nothing`.
    Of label audits: `audited_by_training_labels` (of a model that repeats them), `class_not_known` (most of its labels
    look wrong), `coarser_leaves`, `uncertain_estimate`. Of comparisons: `no_effects_compared`. Of maps:
    `map_is_no_scale`. Of evidence: `training_not_known` (of the rows that it counts). Codes may be added.
    """
    detail: str
    """The same as an English sentence, without its full stop."""
    remedy: str | Unset | None = UNSET
    """What to request instead, by the names of the contract, likewise; null where nothing is."""


class CertificateObjective(Record):
    """The objective and constraint that certificates refer to."""

    name: CertificateObjectiveName | str
    """`coverage`: the field `objective`. `class_weighted_coverage` (`sm_wa`): mean over the classes of the mean
    proximity of their rows to the nearest prototype of their class. Objectives may be added.
    """
    value: float
    """Value of this objective for the selected prototypes."""
    constraint: CertificateObjectiveConstraint | str
    """Sets that the bound holds for: those of equally many prototypes (`n_prototypes`), or of equally many of each
    class (`n_prototypes_per_class`, with `sm_u`). Constraints may be added.
    """


class ClassQuality(Record):
    """How well the prototypes of one class represent its rows."""

    label: str | None
    """The class; null for regression, where one class holds all rows."""
    n_rows: int
    """Number of rows of the class."""
    n_prototypes: int
    """Number of prototypes of the class."""
    coverage: float | None
    """Share of its rows that are covered, 0 to 1; null without rows."""
    hubness_entropy: float | None
    """Normalised entropy of its covered rows over its prototypes: 1 if all cover equally many, 0 if one (a hub) covers
    all; null with fewer than two prototypes or without covered rows.
    """


class ClassRowCoverage(Record):
    """How many rows of a class have at least the minimum proximity to a prototype of any class."""

    label: str | None
    """The class, see `labels`; null for regression, where one class has all rows."""
    n_rows: int
    """Number of rows of the class."""
    share: float | None
    """Share of them, 0 to 1; null without rows."""


class ConstantScore(Record):
    """The scores of constant predictions."""

    prediction: NumberOrText
    """Constant to which all measures but fidelities belong: the most frequent class of the rows (ties: the first of the
    classes), or the mean value for regression. It is taken from the reference that `measured_against` names.
    """
    model_prediction: NumberOrText
    """Constant to which fidelities belong: the label that the model predicts most often, or the mean of its values for
    regression.
    """
    balanced_accuracy: float | Unset | None = UNSET
    """Mean over the classes of the share of their rows that are predicted rightly, 0 to 1; null for regression or
    without a target.
    """
    accuracy: float | Unset | None = UNSET
    """Share of rows with the right label, 0 to 1; null for regression or without a target."""
    balanced_fidelity: float | Unset | None = UNSET
    """Mean over the labels that the model predicts of the share of their rows with the same label, 0 to 1; null for
    regression.
    """
    fidelity: float | Unset | None = UNSET
    """Share of rows with the label that the model predicts, 0 to 1, to be compared with `baseline.constant`; null for
    regression.
    """
    r2: float | Unset | None = UNSET
    """Coefficient of determination of the rows with a prediction, at most 1; null for classification, without such rows
    and where their values are all alike.
    """
    mean_absolute_error: float | Unset | None = UNSET
    """Mean absolute error of the same rows, in units of the target; null for classification."""
    n_rows: int
    """Number of rows evaluated: all, or a random sample where all would take too long."""
    unassigned: float = 0.0
    """Share of rows without a prediction, 0 to 1."""


class Coverage(Record):
    """The dataset's rows for which this prototype is the nearest one of their class (`k_medoids`: of all)."""

    n_rows: int
    """Number of these rows."""
    share: float
    """Share of all rows of the dataset, 0 to 1."""


class Criticism(Record):
    """A real row that no prototype represents well: what the prototypes leave out."""

    rank: int
    """1-based rank in the order of choice: the worst represented row first."""
    row_id: str
    """Id of the row: its text in the dataset's row_id column, or its 0-based index without one."""
    row: int
    """0-based index of the row in the dataset."""
    label: str | None
    """Class of the row, see `labels`; null for regression."""
    value: float | None
    """Value that the model predicts for it; null for classification."""
    predicted: str | None
    """Class that the model predicts for it; null for regression."""
    target: TargetOfRow | None
    """Its class or value in the target column; null where the dataset has no target that fits the model."""
    proximity: float
    """Proximity to the nearest prototype of its own class, 0 to 1; with `k_medoids` to the nearest one of all."""
    features: list[Cell]
    """Values of its features, in the model's order."""


class LeafChoice(Record):
    """How `auto` found the leaves, and the weights of the trees, by which rows are compared with prototypes."""

    decided_by: LeafChoiceDecidedBy | str
    """`coverage`: the first step at which 95 % of the rows have the minimum proximity to a prototype, which no other
    step with as many such rows surpasses; where none has as many, the step with the most. `score`: another step with
    enough such rows predicts better by more than its standard error.
    """
    measure: LeafChoiceMeasure | str
    """Score of a step. `agreement`: share of rows whose nearest prototype has their outcome (see `labels`); `r2`:
    coefficient of determination of the value of the nearest prototype. Measures may be added.
    """
    n_rows: int
    """Number of rows on which steps were tried: all, or at most 20,000 drawn by `seed`."""
    min_leaf_rows_by_coverage: int
    """The `min_leaf_rows` that coverage alone would take, with the proximity of the model's ensemble."""


class LeafStep(Record):
    """Leaves, and a weighting of the trees, that `auto` tried on the rows of `leaf_choice`."""

    min_leaf_rows: int
    """Fewest reference rows of a leaf."""
    proximity_kind: ProximityKind | str
    """How trees were weighted in the proximities."""
    n_trees_used: int
    """Number of trees that are left with more than one leaf and count."""
    coverage: float
    """Share of rows with at least the minimum proximity to one of the prototypes selected with it, 0 to 1; see
    `row_coverage`.
    """
    score: float | None
    """How well the nearest prototype predicts rows that are none themselves, at most 1; see `measure` of `leaf_choice`.
    Rows that share no leaf with any prototype count as wrong, or are predicted by the mean. Null where all rows have
    the same value, or are prototypes.
    """
    gain: float
    """By how much the score is higher than that of the step that coverage alone would take, on rows that are prototypes
    of neither.
    """
    standard_error: float
    """Standard error of `gain`, whose rows are paired."""


class NearestRowsSpace(Record):
    """In which leaves, and by which weights of trees, the reference rows nearest to an explained row are found."""

    min_leaf_rows: int | Unset = UNSET
    """Fewest reference rows of a leaf: a tree is cut back where a split leaves fewer on either side, and rows are
    compared by the coarser leaves. 1: the trees' own leaves, as in the papers. Predictions never depend on it.
    """
    proximity_kind: LabelAuditProximityKind | str | Unset = UNSET
    """How trees are weighted, as for prototypes; `auto`: `boosting_sd` where trees are added one after the other, by
    which the nearest rows predict best, and otherwise `random_forest`.
    """


class OutcomeText(Record):
    """What the dictionary of a dataset calls a class or an outcome."""

    outcome: str
    """The class or outcome, as the model has it."""
    text: str
    """What people call it."""


class PagePrototypeSet(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[PrototypeSet]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class PageRepresentedRow(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[RepresentedRow]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class Prototype(Record):
    """A real row that represents others of its class."""

    rank: int
    """1-based rank in the order of selection."""
    row_id: str
    """Id of the row: its text in the dataset's row_id column, or its 0-based index without one."""
    row: int
    """0-based index of the row in the dataset."""
    label: str | None
    """Class of the prototype, see `labels`; null for regression."""
    value: float | None
    """Value that the model predicts for it; null for classification."""
    predicted: str | None
    """Class that the model predicts for it; null for regression."""
    target: TargetOfRow | None
    """Its class or value in the target column; null where the dataset has no target that fits the model."""
    gain: float
    """What it adds to the objective of the prototypes before it."""
    objective: float
    """Objective of all prototypes up to this one."""
    coverage: Coverage
    """The rows that it covers."""
    quality: PrototypeQuality
    """Measures of the prototype."""
    features: list[Cell]
    """Values of its features, in the model's order."""


class PrototypeQuality(Record):
    """One prototype's measures, each 0 to 1; null where there is nothing to take a share or a mean of. A row votes for
    its nearest prototype of all, and is covered by its nearest prototype of its own class; ties go to the earlier
    prototype. A row that shares no leaf with any of them votes for none, or is covered by none.
    """

    coverage: float | None
    """Share of the rows of its class that it covers, 0 to 1; null if its class has no rows."""
    voting_frequency: float
    """Share of all rows that vote for it, 0 to 1; 0 for a prototype that is nearest to no row."""
    consistent_votes: float | None
    """Share of its votes that come from rows of its class, 0 to 1; null for regression or without votes."""
    vote_entropy: float | None
    """Normalised entropy of its votes over the classes: 0 if all come from one class, 1 if all classes vote alike; null
    for regression or without votes.
    """
    in_class_similarity: float | None
    """Mean proximity to the rows of its class, 0 to 1; null if its class has no rows."""
    out_of_class_similarity: float | None
    """Mean proximity to all other rows, 0 to 1: the smaller, the more typical of its class; null for regression."""
    mean_distance: float | None
    """Mean of 1 - proximity to the rows that vote for it, 0 to 1; null without votes."""
    distance_deviation: float | None
    """Standard deviation of the distances to the rows that vote for it; null without votes."""


class PrototypeSet(Record):
    """A prototype set, its status and, once it is ready, its result."""

    object_: Literal["prototype_set"] = "prototype_set"
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
    request: PrototypeSetRequest
    """The request, with all defaults filled in."""
    problem: Problem | Unset | None = UNSET
    """Why the job failed; null unless it did."""
    result: PrototypeSetResult | Unset | None = UNSET
    """Result of the job; null until the status is `ready`, and in lists."""


class PrototypeSetEvaluation(Record):
    """How well the nearest of the first ``n_prototypes`` predicts."""

    balanced_accuracy: float | Unset | None = UNSET
    """Mean over the classes of the share of their rows that are predicted rightly, 0 to 1; null for regression or
    without a target.
    """
    accuracy: float | Unset | None = UNSET
    """Share of rows with the right label, 0 to 1; null for regression or without a target."""
    balanced_fidelity: float | Unset | None = UNSET
    """Mean over the labels that the model predicts of the share of their rows with the same label, 0 to 1; null for
    regression.
    """
    fidelity: float | Unset | None = UNSET
    """Share of rows with the label that the model predicts, 0 to 1, to be compared with `baseline.constant`; null for
    regression.
    """
    r2: float | Unset | None = UNSET
    """Coefficient of determination of the rows with a prediction, at most 1; null for classification, without such rows
    and where their values are all alike.
    """
    mean_absolute_error: float | Unset | None = UNSET
    """Mean absolute error of the same rows, in units of the target; null for classification."""
    n_prototypes: int
    """Number of prototypes that were used: the first ones of the set."""
    unassigned: float
    """Share of rows that share no leaf with any of these prototypes, 0 to 1."""


class PrototypeSetRequest(Record):
    """Which prototypes to select, from which dataset and for which model."""

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
    method: PrototypeSetMethod | str | Unset = UNSET
    """Selection method: `sm_u`, `sm_a`, `sm_wa` or `sg` (Tan et al.), or `a_pete` (Karolczak & Stefanowski), which
    finds the number of prototypes itself, or `k_medoids`: prototypes of whatever class for all rows together (Tan et
    al., equation 2); with `refine: swap` it is PAM.
    """
    selected_on: EvaluatedOn | str | Unset = UNSET
    """Rows whose prediction by the nearest prototype `sg` improves: those of the reference dataset, or those of
    `evaluation_dataset`, so they can no longer serve as a test set. With `labels: target` each of these rows needs a
    target, unless `metric` counts what the model predicts. Other methods refuse any value but the default.
    """
    metric: PrototypeSetMetric | str | Unset = UNSET
    """What `sg` improves: `balanced_accuracy`, the mean over the classes of the share of rows that get their class (see
    `labels`); `accuracy`, the share of all rows; `balanced_fidelity` and `fidelity`, the same for the classes that the
    model predicts, whatever `labels` says. Other methods refuse any value but the default.
    """
    n_prototypes: NumberOfPrototypes | Unset | None = UNSET
    """Number of prototypes of all classes together, 1 to 10,000; default: 10. With `sm_u` each class gets an equal
    share of them, rounded, and at least one. Not applicable to `a_pete`, which finds the number by `alpha`. `validate`
    (not with `sm_u`): the smallest number, at most 100, whose score on `evaluation_dataset` is within one standard
    error of the best one; see `validation` in the result. Refused with `selected_on: evaluation_dataset`: those rows
    can no longer serve as a test set.
    """
    per_outcome: PrototypeSetPerOutcome | str | Unset = UNSET
    """How `sm_a` and `sm_wa` share `n_prototypes` among outcomes (see `labels`). `by_gain`: each prototype is of the
    outcome for which it gains most, as in the papers; `auto`: the same, but no outcome that 1 % of the rows have goes
    without a prototype where there are as many prototypes as such outcomes; `equal`; `by_rows`: one each, and the
    others in proportion to the outcomes' rows. Other methods, `coverage` and regressions have no use for it, and refuse
    `equal` and `by_rows`.
    """
    n_per_outcome: list[PrototypesOfOutcome] | Unset | None = UNSET
    """Instead of `n_prototypes` and `per_outcome`: how many prototypes each outcome gets; outcomes that are not named
    get none. Null: by `per_outcome`.
    """
    coverage: float | Unset | None = UNSET
    """Share of the dataset's rows that are to have at least the minimum proximity to a prototype (`row_coverage`):
    prototypes are selected until it is reached, at most 1,000. It replaces `n_prototypes`, and is not applicable to
    `sm_u`, `a_pete` and `euclidean`. Null: by `n_prototypes`.
    """
    min_leaf_rows: LeafRowsOrAuto | Unset = UNSET
    """Fewest reference rows of a leaf, 1 or more: a tree is cut back where a split leaves fewer on either side, and
    rows are compared by the coarser leaves. 1: the trees' own leaves, as in the papers. `auto`: of 1, 2, 3, 5, 10, 20,
    30, 50, … the smallest at which 95 % of the rows have at least the minimum proximity to a prototype, unless the
    nearest prototypes of other steps with as many such rows predict better by more than a standard error; for boosting
    with `proximity_kind: auto` each with the weights of `boosting` and of `boosting_sd`. See `leaf_choice` and
    `leaf_steps` in the result. Where the number of prototypes is to be found, by `coverage`, `validate` or `a_pete`, 10
    prototypes decide; with `sg` and `a_pete` they are those of `sm_a`. Explainers compare rows with prototypes as their
    prototype set does. With `euclidean` there are no leaves: 1 and `auto` mean the same, and other numbers are refused.
    """
    nearest_rows: NearestRowsSpace | Unset = UNSET
    """How explanations compare a row with all reference rows, for `nearest_rows` and `evidence`: by the trees' own
    leaves unless requested otherwise, however coarse those of the prototypes are. Not applicable to `euclidean`, which
    refuses any value but the default.
    """
    alpha: float | Unset = UNSET
    """`a_pete` stops when the relative change of gains is at most this. Not applicable to other methods, which refuse
    any value but the default.
    """
    labels: Labels | str | Unset = UNSET
    """Source of the rows' classes or values: the model's predictions (`predicted`) or the dataset's target column
    (`target`).
    """
    proximity_kind: PrototypeSetProximityKind | str | Unset = UNSET
    """How trees are weighted in proximities. `random_forest`: all alike (Tan et al., equation 1); `boosting`: by their
    contribution to the scores, its variance over the rows (Tan et al., definition 3); `boosting_sd`: by its standard
    deviation, the variance's square root, and `boosting_l1`: by its mean absolute deviation, both of which leave more
    weight to small trees; `auto`: by the model's `ensemble`, and `random_forest` where that is `other` or unknown
    (votes, AdaBoost, calibrated models). `euclidean`: no trees at all, as a baseline; 1 - distance / sqrt(number of
    features), where numbers differ by their ranks among the reference rows, 0 to 1, and categories, truth values and
    missing values by 0 or 1 (Tan et al., table 1).
    """
    refine: PrototypeSetRefine | str | Unset = UNSET
    """Refinement after the selection. `swap`: prototypes are replaced by other candidates, one at a time, until no
    single replacement raises the objective of the method (`sm_u`: by candidates of the same class); where better sets
    are not ruled out, up to three other starts are tried. Not applicable to `sg` and `euclidean`.
    """
    n_candidates: int | Unset | None = UNSET
    """Number of rows, drawn at random with at least one of each class, that may become prototypes. They are selected to
    represent all rows nevertheless. Null: all rows, or 10,000 where rows x rows x trees are more than 5 x 10^12
    (150,000 rows x 200 trees); with `euclidean`, where rows x rows x (features + 50) are more than 10^12.
    """
    evaluation_dataset: str | Unset | None = UNSET
    """Id of a dataset on which the result is evaluated instead of the reference dataset; null: on the reference dataset
    itself.
    """
    seed: int | Unset = UNSET
    """Seed of the random draws: of candidates, and of rows for the nearest-neighbour baseline, where not all are used.
    """
    run_on: RunOn | str | Unset = UNSET
    """Where the job works on the rows: `local`, in the worker's own process; `cluster`, on the workers of a Dask
    cluster (LEAFSPACE_DASK_SCHEDULER); `auto`: on the cluster where one process would need more memory than a job may
    use, and else locally. The result is the same, and so is the id: answers always show `auto`.
    """


class PrototypeSetResult(Record):
    """The result of a prototype job."""

    proximity_kind: PrototypeSetResultProximityKind | str
    """How trees were weighted in the proximities; `euclidean`: rows were compared by plain distance."""
    task: Task | str
    """What the model predicts."""
    classes: list[str]
    """Classes in the order of the model's scores; empty for regression."""
    outcome_texts: list[OutcomeText] | Unset = UNSET
    """What the dictionary calls classes and outcomes; absent where it calls none by other words."""
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
    leaf_steps: list[LeafStep] | Unset = UNSET
    """What `auto` tried, in this order; empty where `min_leaf_rows` was given as a number."""
    leaf_choice: LeafChoice | Unset | None = UNSET
    """How `auto` decided between these steps; null where `min_leaf_rows` was given as a number."""
    row_coverage: RowCoverage | None
    """How many of the dataset's rows have at least the minimum proximity to a prototype; null with `euclidean`, by
    which nearly all have.
    """
    validation: Validation | Unset | None = UNSET
    """How `validate` found the number of prototypes; null where it was not requested."""
    nearest_rows: SearchedRows | Unset | None = UNSET
    """Reference rows that `nearest_rows` and `evidence` search; null where none are kept: for more than 250,000,000
    rows x (trees + features), and with `euclidean`.
    """
    n_candidates: int
    """Number of rows that could become prototypes: all, or a random sample."""
    n_selected: int
    """Number of prototypes that were selected."""
    n_swaps: int
    """Number of replacements that `refine` made; each prototype has the rank of the one it replaced."""
    nested: bool
    """Whether the first k prototypes are the answer for k prototypes: false for `sm_u` and after swaps."""
    objective: float
    """Sum over the rows of the proximity to the nearest prototype of their class, with `k_medoids` of any class, 0 to
    `n_rows`.
    """
    objective_mean: float
    """Objective divided by the number of rows."""
    all_rows_certificate: float | None
    """Proven share of the best possible objective, among sets of any rows: `certificate_objective.value` /
    `all_rows_upper_bound`. Null with `euclidean`, which has no bounds.
    """
    all_rows_upper_bound: float | None
    """Proven upper bound of the objective of all sets of any rows that satisfy the constraint of
    `certificate_objective`: the looser of the two bounds where candidates are a sample, otherwise the same. Null with
    `euclidean`.
    """
    certificate: float | None
    """Proven share of the best possible objective, among sets within `certificate_scope`: `certificate_objective.value`
    / `objective_upper_bound`. Swaps never lower it. Null with `euclidean`.
    """
    objective_upper_bound: float | None
    """Proven upper bound of the objective of all sets within `certificate_scope` that satisfy the constraint of
    `certificate_objective`. Null with `euclidean`.
    """
    certificate_scope: PrototypeSetCertificateScope | str | None
    """Sets that `certificate` and `objective_upper_bound` refer to: of any rows, or of the sampled candidates only,
    which allows no conclusion on other rows. Null with `euclidean`.
    """
    certificate_objective: CertificateObjective | None
    """What the certificates refer to; null with `euclidean`."""
    stopped_by: StopReason
    """Why the selection ended."""
    prototypes: list[Prototype]
    """The prototypes in the order of their selection."""
    criticisms: list[Criticism]
    """Rows that no prototype represents well, at most 10: each is the row that is farthest from all prototypes and
    earlier criticisms of its class, with `k_medoids` of any class (ties: the lowest row).
    """
    quality: SetQuality
    """Measures of all prototypes together."""
    evaluation: list[PrototypeSetEvaluation]
    """Scores of the nearest prototype's label or value: for each number of prototypes if `nested`, otherwise for all of
    them.
    """
    evaluated_on: EvaluatedOn | str
    """Rows that were used: those of the reference dataset, or of `evaluation_dataset`."""
    typicality: TypicalityScale | None
    """What explanations compare a row's proximity with; null with `euclidean`, which explains no rows."""
    measured_against: MeasuredAgainst | str
    """Reference of accuracies and errors: the dataset's target, or the model where it has none."""
    baseline: Baseline
    """Scores to compare those of the prototypes with."""
    classes_without_prototypes: list[str] | Unset = UNSET
    """Classes of rows of the dataset (see `labels`) without a prototype: the nearest prototype gives their rows another
    class, or none. Empty for regression.
    """
    cautions: list[Caution]
    """Reasons to read the result with care; empty where none is known."""


class PrototypesOfOutcome(Record):
    """How many prototypes an outcome is to have."""

    outcome: str
    """Name of the outcome, or of the class; see `labels`."""
    n_prototypes: int
    """Number of prototypes, 0 to 10,000."""


class RepresentedRow(Record):
    """A row that a prototype represents: it is the nearest one of the row's class (`k_medoids`: of all)."""

    object_: Literal["represented_row"] = "represented_row"
    """Type of this object."""
    row: int
    """0-based index of the row in the dataset."""
    row_id: str
    """Id of the row: its text in the dataset's row_id column, or its 0-based index without one."""
    rank: int
    """1-based rank of the prototype."""
    proximity: float
    """Proximity of the row to the prototype, above 0 and up to 1."""


class RowCoverage(Record):
    """How many of the dataset's rows have at least the minimum proximity to a prototype, of whatever class."""

    share: float
    """Share of all rows, 0 to 1."""
    minimum_proximity: float
    """Proximity that a row must have to one of the prototypes: 1 %."""
    minimum_trees: int
    """Number of trees that count in which it must share a leaf with that prototype: 2, or 1 if the model has a single
    tree.
    """
    by_class: list[ClassRowCoverage]
    """The same for each class, in the order of `classes`."""


class SearchedRows(Record):
    """The reference rows that `nearest_rows` and `evidence` search, in which leaves, and the memory that this takes."""

    n_rows: int
    """Number of rows."""
    min_leaf_rows: int
    """The `min_leaf_rows` that was used: trees were cut back where a split left fewer reference rows on either side; 1:
    they were not cut.
    """
    proximity_kind: ProximityKind | str
    """How trees were weighted in the proximities."""
    mapped_bytes: int
    """Size of the file that is mapped, in bytes: the parts in use are in memory while there is room."""
    held_bytes: int
    """Memory that is held beside it in each process that answers, in bytes at most: sums of a search, and the groups of
    rows by a few columns.
    """


class SetQuality(Record):
    """The measures of all prototypes together, each 0 to 1; null where there is nothing to take a share or a mean of.
    Measured on the rows that `evaluated_on` names; rows that prototypes were chosen from count as rows themselves.
    """

    n_rows: int
    """Number of rows that were measured."""
    labels: Labels | str | None
    """Source of the rows' classes: as in the request, but `predicted` where `evaluation_dataset` has no target; null
    for regression, where one class holds all rows.
    """
    coverage: float
    """Share of rows that are covered, 0 to 1: they share a leaf with a prototype of their class."""
    voting_frequency: float
    """Share of rows that vote, 0 to 1: they share a leaf with any prototype."""
    consistent_votes: float | None
    """Share of votes that go to a prototype of the row's class, 0 to 1; null for regression."""
    hubness_entropy: float | None
    """Mean of the classes' hubness entropies: 1 if prototypes are used evenly, 0 if there are only hubs; null if no
    class has one.
    """
    in_class_similarity: float | None
    """Mean over the prototypes of their proximity to rows of their class, 0 to 1."""
    out_of_class_similarity: float | None
    """Mean over the prototypes of their proximity to rows of other classes, 0 to 1; null for regression."""
    mean_distance: float
    """Mean over the rows of 1 - proximity to the nearest prototype, which is 1 for a row that shares no leaf with any.
    """
    distance_deviation: float
    """Standard deviation of those distances over the rows."""
    by_class: list[ClassQuality]
    """The measures of each class, in the order of `classes`."""


class StopReason(Record):
    """Why the selection ended, before any swaps."""

    reason: str
    """Code: n_prototypes, coverage, max_prototypes, validate, alpha, no_gain or no_improvement; codes may be added."""
    detail: str
    """The reason as an English sentence."""


class TypicalityScale(Record):
    """How near rows are to their nearest prototype: what explanations compare a row with to say how typical it is."""

    rows: EvaluatedOn | str
    """Rows that were used: those of the reference dataset, or of `evaluation_dataset`."""
    n_rows: int
    """Number of these rows, the prototypes themselves left out."""
    percentiles: list[float]
    """101 proximities: the k-th, counted from 0, is the smallest that at least k % of the rows do not exceed. Empty if
    all rows are prototypes.
    """
    least_proximity: float
    """Proximity below which a row is `far` from its nearest prototype at whatever percentile: 10 %, since what all rows
    lack makes none of them near.
    """
    caution: str | Unset | None = UNSET
    """Why new rows may look less typical than they are; null without a reason to think so."""


class Validation(Record):
    """How the number of prototypes was found on the rows of `evaluation_dataset`, by the one standard error rule."""

    measure: ValidationMeasure | str
    """Score of the nearest prototype's label or value: against the target, or against the model where the dataset has
    none (`balanced_fidelity`, `r2_of_model`). Rows that share no leaf with any prototype count as wrong, or are
    predicted by the mean. Measures may be added.
    """
    scores: list[float]
    """The score of the first prototype, of the first two, and so on."""
    best_n_prototypes: int
    """Number of prototypes of the best score (ties: the smallest)."""
    standard_error: float
    """Standard error of the best score: the smallest number of prototypes whose score is no further below the best one
    is taken.
    """


LeafRowsOrAuto: TypeAlias = int | Literal["auto"]


NumberOfPrototypes: TypeAlias = int | Literal["validate"]


TargetOfRow: TypeAlias = str | float
"""Class or value of a row."""


def create_prototype_set(
    *, body: PrototypeSetRequest, idempotency_key: str | Unset | None = UNSET
) -> Request[PrototypeSet]:
    """Request a prototype set; a job makes it unless it is there."""
    return Request(
        "POST", "/v1/prototype-sets", headers={"Idempotency-Key": idempotency_key}, body=body, answer=PrototypeSet
    )


def list_prototype_sets(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset | None = UNSET,
    model: str | Unset | None = UNSET,
    dataset: str | Unset | None = UNSET,
    evaluation_dataset: str | Unset | None = UNSET,
    status: Status | Unset | None = UNSET,
) -> Request[PagePrototypeSet]:
    """List prototype sets, newest first, without their results."""
    return Request(
        "GET",
        "/v1/prototype-sets",
        query={
            "limit": limit,
            "cursor": cursor,
            "model": model,
            "dataset": dataset,
            "evaluation_dataset": evaluation_dataset,
            "status": status,
        },
        answer=PagePrototypeSet,
    )


def get_prototype_set(prototype_set_id: str, *, if_none_match: str | Unset = UNSET) -> Request[PrototypeSet]:
    """Read a prototype set: its status and, once it is ready, its result."""
    return Request(
        "GET",
        f"/v1/prototype-sets/{segment(prototype_set_id)}",
        headers={"If-None-Match": if_none_match},
        answer=PrototypeSet,
    )


def delete_prototype_set(prototype_set_id: str) -> Request[None]:
    """Delete a prototype set; refused while others use it or a job makes it."""
    return Request("DELETE", f"/v1/prototype-sets/{segment(prototype_set_id)}")


def get_prototype_set_content(
    prototype_set_id: str, *, if_none_match: str | Unset = UNSET
) -> Request[PrototypeSetResult]:
    """Read the whole result as JSON, CSV or Parquet, as `Accept` says."""
    return Request(
        "GET",
        f"/v1/prototype-sets/{segment(prototype_set_id)}/content",
        headers={"If-None-Match": if_none_match},
        answer=PrototypeSetResult,
    )


def list_represented_rows(
    prototype_set_id: str,
    *,
    rank: int,
    limit: int | Unset = UNSET,
    cursor: str | Unset | None = UNSET,
    if_none_match: str | Unset = UNSET,
) -> Request[PageRepresentedRow]:
    """Read the rows that a prototype represents, the nearest first."""
    return Request(
        "GET",
        f"/v1/prototype-sets/{segment(prototype_set_id)}/rows",
        query={"rank": rank, "limit": limit, "cursor": cursor},
        headers={"If-None-Match": if_none_match},
        answer=PageRepresentedRow,
    )


def export_prototype_set(
    prototype_set_id: str, *, format_: ExportPrototypeSetFormat | Unset = UNSET, if_none_match: str | Unset = UNSET
) -> Request[None]:
    """Export the classifier by the nearest prototype as JSON, SQL, Python, or ONNX; or the prototypes as HTML."""
    return Request(
        "GET",
        f"/v1/prototype-sets/{segment(prototype_set_id)}/export",
        query={"format": format_},
        headers={"If-None-Match": if_none_match},
    )
