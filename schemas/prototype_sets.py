"""Prototype sets: a few real rows that represent each class."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema
from typing_extensions import TypeAliasType

from .artefacts import (
    EVALUATION_DATASET,
    REQUEST,
    RESULT,
    SEARCHED_ROWS,
    ArtefactView,
    ComparedWith,
    ConstantPrediction,
    EvaluationRows,
    LeafRows,
    LeafRowsOrAuto,
    ReferenceDataset,
    RequestedKind,
    RequestedKindOrDistance,
    RequestedModel,
    RunOn,
    SearchedRows,
    TreesUsed,
    UsedKind,
    UsedKindOrDistance,
    UsedLeafRowsOrNull,
)
from .cautions import CAUTIONS, Caution
from .contract import (
    NUMBER,
    OBJECT,
    WORD,
    WORD_OR_NUMBER,
    ClassesOfModel,
    Contract,
    Identifier,
    LabelsUsed,
    Name,
    RowId,
    RowIndex,
    RowsOfDataset,
    TaskOfModel,
    TreesOfModel,
    absent,
)
from .datasets import Cell
from .decisions import OUTCOME_TEXTS, OutcomeText
from .noun import HTML, JSON, TABLE, Noun, Product
from .paper_settings import MethodRequest
from .prototype_quality import PrototypeQuality, SetQuality

PrototypeMethod = Literal["sm_u", "sm_a", "sm_wa", "sg", "a_pete", "k_medoids"]
MAX_CRITICISMS = 10
SelectionMetric = Literal["balanced_accuracy", "accuracy", "balanced_fidelity", "fidelity"]
MAX_PROTOTYPES_BY_COVERAGE = 1000
MAX_PROTOTYPES_VALIDATED = 100

NumberOfPrototypes = TypeAliasType(
    "NumberOfPrototypes",
    Annotated[
        Annotated[int, Field(strict=True, ge=1, le=10_000), NUMBER] | Annotated[Literal["validate"], WORD],
        WORD_OR_NUMBER,
    ],
)


class PrototypesOfOutcome(Contract):
    """How many prototypes an outcome is to have."""

    outcome: Name = Field(description="Name of the outcome, or of the class; see `labels`.")
    n_prototypes: int = Field(strict=True, ge=0, le=10_000, description="Number of prototypes, 0 to 10,000.")


class NearestRowsSpace(Contract):
    """In which leaves, and by which weights of trees, the reference rows nearest to an explained row are found."""

    min_leaf_rows: LeafRows = 1
    proximity_kind: RequestedKind = Field(
        default="auto",
        description="How trees are weighted, as for prototypes; `auto`: `boosting_sd` where trees are added one after "
        "the other, by which the nearest rows predict best, and otherwise `random_forest`.",
    )


class PrototypeSetRequest(MethodRequest):
    """Which prototypes to select, from which dataset and for which model."""

    of_papers: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "": {"min_leaf_rows": 1, "labels": "target", "per_outcome": "by_gain"}
    }

    model: RequestedModel
    dataset: ReferenceDataset
    method: PrototypeMethod = Field(
        default="sm_a",
        description="Selection method: `sm_u`, `sm_a`, `sm_wa` or `sg` (Tan et al.), or `a_pete` (Karolczak & "
        "Stefanowski), which finds the number of prototypes itself, or `k_medoids`: prototypes of whatever class for "
        "all rows together (Tan et al., equation 2); with `refine: swap` it is PAM.",
    )
    selected_on: EvaluationRows = Field(
        default="dataset",
        description="Rows whose prediction by the nearest prototype `sg` improves: those of the reference dataset, or "
        "those of `evaluation_dataset`, so they can no longer serve as a test set. With `labels: target` each of these "
        "rows needs a target, unless `metric` counts what the model predicts. Other methods refuse any value but the "
        "default.",
    )
    metric: SelectionMetric = Field(
        default="balanced_accuracy",
        description="What `sg` improves: `balanced_accuracy`, the mean over the classes of the share of rows that get "
        "their class (see `labels`); `accuracy`, the share of all rows; `balanced_fidelity` and `fidelity`, the same "
        "for the classes that the model predicts, whatever `labels` says. Other methods refuse any value but the "
        "default.",
    )
    n_prototypes: NumberOfPrototypes | None = Field(
        default=None,
        description="Number of prototypes of all classes together, 1 to 10,000; default: 10. With `sm_u` each class "
        "gets an equal share of them, rounded, and at least one. Not applicable to `a_pete`, which finds the number by "
        f"`alpha`. `validate` (not with `sm_u`): the smallest number, at most {MAX_PROTOTYPES_VALIDATED}, whose score "
        "on `evaluation_dataset` is within one standard error of the best one; see `validation` in the result. Refused "
        "with `selected_on: evaluation_dataset`: those rows can no longer serve as a test set.",
    )
    per_outcome: Literal["auto", "by_gain", "equal", "by_rows"] = Field(
        default="auto",
        description="How `sm_a` and `sm_wa` share `n_prototypes` among outcomes (see `labels`). `by_gain`: each "
        "prototype is of the outcome for which it gains most, as in the papers; `auto`: the same, but no outcome that "
        "1 % of the rows have goes without a prototype where there are as many prototypes as such outcomes; `equal`; "
        "`by_rows`: one each, and the others in proportion to the outcomes' rows. Other methods, `coverage` and "
        "regressions have no use for it, and refuse `equal` and `by_rows`.",
    )
    n_per_outcome: list[PrototypesOfOutcome] | None = Field(
        default=None,
        min_length=1,
        max_length=1000,
        description="Instead of `n_prototypes` and `per_outcome`: how many prototypes each outcome gets; outcomes that "
        "are not named get none. Null: by `per_outcome`.",
    )
    coverage: float | None = Field(
        default=None,
        gt=0,
        le=1,
        description="Share of the dataset's rows that are to have at least the minimum proximity to a prototype "
        f"(`row_coverage`): prototypes are selected until it is reached, at most {MAX_PROTOTYPES_BY_COVERAGE:,}. It "
        "replaces `n_prototypes`, and is not applicable to `sm_u`, `a_pete` and `euclidean`. Null: by `n_prototypes`.",
    )
    min_leaf_rows: LeafRowsOrAuto = Field(
        default="auto",
        description="Fewest reference rows of a leaf, 1 or more: a tree is cut back where a split leaves fewer on "
        "either side, and rows are compared by the coarser leaves. 1: the trees' own leaves, as in the papers. `auto`: "
        "of 1, 2, 3, 5, 10, 20, 30, 50, … the smallest at which 95 % of the rows have at least the minimum proximity "
        "to a prototype, unless the nearest prototypes of other steps with as many such rows predict better by more "
        "than a standard error; for boosting with `proximity_kind: auto` each with the weights of `boosting` and of "
        "`boosting_sd`. See `leaf_choice` and `leaf_steps` in the result. Where the number of prototypes is to be "
        "found, by `coverage`, `validate` or `a_pete`, 10 prototypes decide; with `sg` and `a_pete` they are those of "
        "`sm_a`. Explainers compare rows with prototypes as their "
        "prototype set does. With `euclidean` there are no leaves: 1 and `auto` mean the same, and other numbers are "
        "refused.",
    )
    nearest_rows: NearestRowsSpace = Field(
        default_factory=NearestRowsSpace,
        description="How explanations compare a row with all reference rows, for `nearest_rows` and `evidence`: by the "
        "trees' own leaves unless requested otherwise, however coarse those of the prototypes are. Not applicable to "
        "`euclidean`, which refuses any value but the default.",
    )
    alpha: float = Field(
        default=0.05,
        gt=0,
        lt=1,
        description="`a_pete` stops when the relative change of gains is at most this. Not applicable to other "
        "methods, which refuse any value but the default.",
    )
    labels: LabelsUsed = "predicted"
    proximity_kind: RequestedKindOrDistance = "auto"
    refine: Literal["none", "swap"] = Field(
        default="none",
        description="Refinement after the selection. `swap`: prototypes are replaced by other candidates, one at a "
        "time, until no single replacement raises the objective of the method (`sm_u`: by candidates of the same "
        "class); where better sets are not ruled out, up to three other starts are tried. Not applicable to `sg` and "
        "`euclidean`.",
    )
    n_candidates: int | None = Field(
        default=None,
        strict=True,
        ge=2,
        description="Number of rows, drawn at random with at least one of each class, that may become prototypes. They "
        "are selected to represent all rows nevertheless. Null: all rows, or 10,000 where rows x rows x trees are more "
        "than 5 x 10^12 (150,000 rows x 200 trees); with `euclidean`, where rows x rows x (features + 50) are more "
        "than 10^12.",
    )
    evaluation_dataset: Annotated[Identifier | None, EVALUATION_DATASET] = None
    seed: int = Field(
        default=0,
        strict=True,
        ge=0,
        le=2**32 - 1,
        description="Seed of the random draws: of candidates, and of rows for the nearest-neighbour baseline, where "
        "not all are used.",
    )
    run_on: RunOn = "auto"


class Coverage(Contract):
    """The dataset's rows for which this prototype is the nearest one of their class (`k_medoids`: of all)."""

    n_rows: int = Field(description="Number of these rows.")
    share: float = Field(description="Share of all rows of the dataset, 0 to 1.")


TargetOfRow = TypeAliasType("TargetOfRow", Annotated[str | float, Field(description="Class or value of a row.")])


class Prototype(Contract):
    """A real row that represents others of its class."""

    rank: int = Field(description="1-based rank in the order of selection.")
    row_id: RowId
    row: RowIndex
    label: str | None = Field(description="Class of the prototype, see `labels`; null for regression.")
    value: float | None = Field(description="Value that the model predicts for it; null for classification.")
    predicted: str | None = Field(description="Class that the model predicts for it; null for regression.")
    target: TargetOfRow | None = Field(
        description="Its class or value in the target column; null where the dataset has no target that fits the model."
    )
    gain: float = Field(description="What it adds to the objective of the prototypes before it.")
    objective: float = Field(description="Objective of all prototypes up to this one.")
    coverage: Coverage = Field(description="The rows that it covers.")
    quality: PrototypeQuality = Field(description="Measures of the prototype.")
    features: list[Cell] = Field(description="Values of its features, in the model's order.")


class Criticism(Contract):
    """A real row that no prototype represents well: what the prototypes leave out."""

    rank: int = Field(description="1-based rank in the order of choice: the worst represented row first.")
    row_id: RowId
    row: RowIndex
    label: str | None = Field(description="Class of the row, see `labels`; null for regression.")
    value: float | None = Field(description="Value that the model predicts for it; null for classification.")
    predicted: str | None = Field(description="Class that the model predicts for it; null for regression.")
    target: TargetOfRow | None = Field(
        description="Its class or value in the target column; null where the dataset has no target that fits the model."
    )
    proximity: float = Field(
        description="Proximity to the nearest prototype of its own class, 0 to 1; with `k_medoids` to the nearest one "
        "of all."
    )
    features: list[Cell] = Field(description="Values of its features, in the model's order.")


class ClassRowCoverage(Contract):
    """How many rows of a class have at least the minimum proximity to a prototype of any class."""

    label: str | None = Field(description="The class, see `labels`; null for regression, where one class has all rows.")
    n_rows: int = Field(description="Number of rows of the class.")
    share: float | None = Field(description="Share of them, 0 to 1; null without rows.")


class RowCoverage(Contract):
    """How many of the dataset's rows have at least the minimum proximity to a prototype, of whatever class."""

    share: float = Field(description="Share of all rows, 0 to 1.")
    minimum_proximity: float = Field(description="Proximity that a row must have to one of the prototypes: 1 %.")
    minimum_trees: int = Field(
        description="Number of trees that count in which it must share a leaf with that prototype: 2, or 1 if the "
        "model has a single tree."
    )
    by_class: list[ClassRowCoverage] = Field(description="The same for each class, in the order of `classes`.")


class LeafStep(Contract):
    """Leaves, and a weighting of the trees, that `auto` tried on the rows of `leaf_choice`."""

    min_leaf_rows: int = Field(description="Fewest reference rows of a leaf.")
    proximity_kind: UsedKind
    n_trees_used: int = Field(description="Number of trees that are left with more than one leaf and count.")
    coverage: float = Field(
        description="Share of rows with at least the minimum proximity to one of the prototypes selected with it, 0 to "
        "1; see `row_coverage`."
    )
    score: float | None = Field(
        description="How well the nearest prototype predicts rows that are none themselves, at most 1; see `measure` "
        "of `leaf_choice`. Rows that share no leaf with any prototype count as wrong, or are predicted by the mean. "
        "Null where all rows have the same value, or are prototypes."
    )
    gain: float = Field(
        description="By how much the score is higher than that of the step that coverage alone would take, on rows "
        "that are prototypes of neither."
    )
    standard_error: float = Field(description="Standard error of `gain`, whose rows are paired.")


class LeafChoice(Contract):
    """How `auto` found the leaves, and the weights of the trees, by which rows are compared with prototypes."""

    decided_by: Literal["coverage", "score"] = Field(
        description="`coverage`: the first step at which 95 % of the rows have the minimum proximity to a prototype, "
        "which no other step with as many such rows surpasses; where none has as many, the step with the most. "
        "`score`: another step with enough such rows predicts better by more than its standard error."
    )
    measure: Literal["agreement", "r2"] = Field(
        description="Score of a step. `agreement`: share of rows whose nearest prototype has their outcome (see "
        "`labels`); `r2`: coefficient of determination of the value of the nearest prototype. Measures may be added."
    )
    n_rows: int = Field(description="Number of rows on which steps were tried: all, or at most 20,000 drawn by `seed`.")
    min_leaf_rows_by_coverage: int = Field(
        description="The `min_leaf_rows` that coverage alone would take, with the proximity of the model's ensemble."
    )


class Validation(Contract):
    """How the number of prototypes was found on the rows of `evaluation_dataset`, by the one standard error rule."""

    measure: Literal["balanced_accuracy", "balanced_fidelity", "r2", "r2_of_model"] = Field(
        description="Score of the nearest prototype's label or value: against the target, or against the model where "
        "the dataset has none (`balanced_fidelity`, `r2_of_model`). Rows that share no leaf with any prototype count "
        "as wrong, or are predicted by the mean. Measures may be added."
    )
    scores: list[float] = Field(description="The score of the first prototype, of the first two, and so on.")
    best_n_prototypes: int = Field(description="Number of prototypes of the best score (ties: the smallest).")
    standard_error: float = Field(
        description="Standard error of the best score: the smallest number of prototypes whose score is no further "
        "below the best one is taken."
    )


class PrototypeScores(Contract):
    """How well predictions match the target or the model; rows without a predicted label count as wrong."""

    balanced_accuracy: float | None = Field(
        default=None,
        description="Mean over the classes of the share of their rows that are predicted rightly, 0 to 1; null for "
        "regression or without a target.",
    )
    accuracy: float | None = Field(
        default=None,
        description="Share of rows with the right label, 0 to 1; null for regression or without a target.",
    )
    balanced_fidelity: float | None = Field(
        default=None,
        description="Mean over the labels that the model predicts of the share of their rows with the same label, 0 to "
        "1; null for regression.",
    )
    fidelity: float | None = Field(
        default=None,
        description="Share of rows with the label that the model predicts, 0 to 1, to be compared with "
        "`baseline.constant`; null for regression.",
    )
    r2: float | None = Field(
        default=None,
        description="Coefficient of determination of the rows with a prediction, at most 1; null for classification, "
        "without such rows and where their values are all alike.",
    )
    mean_absolute_error: float | None = Field(
        default=None,
        description="Mean absolute error of the same rows, in units of the target; null for classification.",
    )


class PrototypeSetEvaluation(PrototypeScores):
    """How well the nearest of the first ``n_prototypes`` predicts."""

    n_prototypes: int = Field(description="Number of prototypes that were used: the first ones of the set.")
    unassigned: float = Field(description="Share of rows that share no leaf with any of these prototypes, 0 to 1.")


class BaselineScore(PrototypeScores):
    """The same measures for a baseline."""

    n_rows: int = Field(description="Number of rows evaluated: all, or a random sample where all would take too long.")
    unassigned: float = Field(default=0.0, description="Share of rows without a prediction, 0 to 1.")


class ConstantScore(BaselineScore, ConstantPrediction):
    """The scores of constant predictions."""


class Baseline(Contract):
    """Scores of the model, of the nearest other row of the dataset, and of constant predictions."""

    model: BaselineScore | None = Field(description="Scores of the model itself; null if the dataset has no target.")
    one_nearest_neighbor: BaselineScore = Field(
        description="Scores of predicting the label or value of the nearest other row of the reference dataset."
    )
    constant: ConstantScore = Field(description="Scores of predicting the same for every row.")


class StopReason(Contract):
    """Why the selection ended, before any swaps."""

    reason: str = Field(
        description="Code: n_prototypes, coverage, max_prototypes, validate, alpha, no_gain or no_improvement; codes "
        "may be added."
    )
    detail: str = Field(description="The reason as an English sentence.")


class CertificateObjective(Contract):
    """The objective and constraint that certificates refer to."""

    name: Literal["coverage", "class_weighted_coverage"] = Field(
        description="`coverage`: the field `objective`. `class_weighted_coverage` (`sm_wa`): mean over the classes of "
        "the mean proximity of their rows to the nearest prototype of their class. Objectives may be added."
    )
    value: float = Field(description="Value of this objective for the selected prototypes.")
    constraint: Literal["n_prototypes", "n_prototypes_per_class"] = Field(
        description="Sets that the bound holds for: those of equally many prototypes (`n_prototypes`), or of equally "
        "many of each class (`n_prototypes_per_class`, with `sm_u`). Constraints may be added."
    )


class TypicalityScale(Contract):
    """How near rows are to their nearest prototype: what explanations compare a row with to say how typical it is."""

    rows: EvaluationRows
    n_rows: int = Field(description="Number of these rows, the prototypes themselves left out.")
    percentiles: list[float] = Field(
        description="101 proximities: the k-th, counted from 0, is the smallest that at least k % of the rows do not "
        "exceed. Empty if all rows are prototypes."
    )
    least_proximity: float = Field(
        description="Proximity below which a row is `far` from its nearest prototype at whatever percentile: 10 %, "
        "since what all rows lack makes none of them near."
    )
    caution: str | None = Field(
        default=None, description="Why new rows may look less typical than they are; null without a reason to think so."
    )


class PrototypeSetResult(Contract):
    """The result of a prototype job."""

    proximity_kind: UsedKindOrDistance
    task: TaskOfModel
    classes: ClassesOfModel
    outcome_texts: list[OutcomeText] | SkipJsonSchema[None] = absent(OUTCOME_TEXTS)
    n_rows: RowsOfDataset
    n_trees: TreesOfModel
    min_leaf_rows: UsedLeafRowsOrNull = 1
    n_trees_used: TreesUsed
    leaf_steps: list[LeafStep] = Field(
        default=[],
        description="What `auto` tried, in this order; empty where `min_leaf_rows` was given as a number.",
    )
    leaf_choice: LeafChoice | None = Field(
        default=None,
        description="How `auto` decided between these steps; null where `min_leaf_rows` was given as a number.",
    )
    row_coverage: RowCoverage | None = Field(
        description="How many of the dataset's rows have at least the minimum proximity to a prototype; null with "
        "`euclidean`, by which nearly all have."
    )
    validation: Validation | None = Field(
        default=None, description="How `validate` found the number of prototypes; null where it was not requested."
    )
    nearest_rows: SearchedRows | None = Field(default=None, description=SEARCHED_ROWS)
    n_candidates: int = Field(description="Number of rows that could become prototypes: all, or a random sample.")
    n_selected: int = Field(description="Number of prototypes that were selected.")
    n_swaps: int = Field(
        description="Number of replacements that `refine` made; each prototype has the rank of the one it replaced."
    )
    nested: bool = Field(
        description="Whether the first k prototypes are the answer for k prototypes: false for `sm_u` and after swaps."
    )
    objective: float = Field(
        description="Sum over the rows of the proximity to the nearest prototype of their class, with `k_medoids` of "
        "any class, 0 to `n_rows`."
    )
    objective_mean: float = Field(ge=0, le=1, description="Objective divided by the number of rows.")
    all_rows_certificate: float | None = Field(
        gt=0,
        le=1,
        description="Proven share of the best possible objective, among sets of any rows: "
        "`certificate_objective.value` / `all_rows_upper_bound`. Null with `euclidean`, which has no bounds.",
    )
    all_rows_upper_bound: float | None = Field(
        description="Proven upper bound of the objective of all sets of any rows that satisfy the constraint of "
        "`certificate_objective`: the looser of the two bounds where candidates are a sample, otherwise the same. Null "
        "with `euclidean`."
    )
    certificate: float | None = Field(
        gt=0,
        le=1,
        description="Proven share of the best possible objective, among sets within `certificate_scope`: "
        "`certificate_objective.value` / `objective_upper_bound`. Swaps never lower it. Null with `euclidean`.",
    )
    objective_upper_bound: float | None = Field(
        description="Proven upper bound of the objective of all sets within `certificate_scope` that satisfy the "
        "constraint of `certificate_objective`. Null with `euclidean`."
    )
    certificate_scope: Literal["all_rows", "candidates"] | None = Field(
        description="Sets that `certificate` and `objective_upper_bound` refer to: of any rows, or of the sampled "
        "candidates only, which allows no conclusion on other rows. Null with `euclidean`."
    )
    certificate_objective: CertificateObjective | None = Field(
        description="What the certificates refer to; null with `euclidean`."
    )
    stopped_by: StopReason = Field(description="Why the selection ended.")
    prototypes: list[Prototype] = Field(description="The prototypes in the order of their selection.")
    criticisms: list[Criticism] = Field(
        description=f"Rows that no prototype represents well, at most {MAX_CRITICISMS}: each is the row that is "
        "farthest from all prototypes and earlier criticisms of its class, with `k_medoids` of any class (ties: the "
        "lowest row)."
    )
    quality: SetQuality = Field(description="Measures of all prototypes together.")
    evaluation: list[PrototypeSetEvaluation] = Field(
        description="Scores of the nearest prototype's label or value: for each number of prototypes if `nested`, "
        "otherwise for all of them."
    )
    evaluated_on: EvaluationRows
    typicality: TypicalityScale | None = Field(
        description="What explanations compare a row's proximity with; null with `euclidean`, which explains no rows."
    )
    measured_against: ComparedWith
    baseline: Baseline = Field(description="Scores to compare those of the prototypes with.")
    classes_without_prototypes: list[str] = Field(
        default=[],
        description="Classes of rows of the dataset (see `labels`) without a prototype: the nearest prototype gives "
        "their rows another class, or none. Empty for regression.",
    )
    cautions: list[Caution] = Field(description=CAUTIONS)


class RepresentedRow(Contract):
    """A row that a prototype represents: it is the nearest one of the row's class (`k_medoids`: of all)."""

    object: Annotated[Literal["represented_row"], OBJECT] = "represented_row"
    row: RowIndex
    row_id: RowId
    rank: int = Field(description="1-based rank of the prototype.")
    proximity: float = Field(description="Proximity of the row to the prototype, above 0 and up to 1.")


class PrototypeSet(ArtefactView):
    """A prototype set, its status and, once it is ready, its result."""

    object: Annotated[Literal["prototype_set"], OBJECT] = "prototype_set"
    request: Annotated[PrototypeSetRequest, REQUEST]
    result: PrototypeSetResult | None = Field(default=None, description=RESULT)


PROTOTYPE_SETS = Noun(
    name="prototype_sets",
    singular="prototype_set",
    position=70,
    id_prefix="prs_",
    description="Rows of a dataset that represent each class, and how well they do so.",
    making="by_job",
    made_from={"model": "models", "dataset": "datasets", "evaluation_dataset": "datasets"},
    request=PrototypeSetRequest,
    summary=PrototypeSet,
    view=PrototypeSet,
    result=PrototypeSetResult,
    arrays=("weights", "leaves", "classes", "boxes"),
    files=("reference_rows", "classifier", "onnx", "rows"),
    products=(
        Product(name="content", media_types=TABLE),
        Product(
            name="export", media_types=(JSON, "application/sql", "text/x-python", "application/octet-stream", HTML)
        ),
        Product(name="rows", media_types=(JSON,), row=RepresentedRow),
    ),
)
