"""Prototype sets: a handful of real rows that stand for each class."""

from typing import Literal

from pydantic import Field

from .artefacts import CAUTION_OF_FIGURES, RESULT, ArtefactView, ConstantPrediction, ProximityKind
from .contract import Contract, Identifier, RowId, RowIndex
from .datasets import Cell
from .prototype_quality import PrototypeQuality, SetQuality

PrototypeMethod = Literal["sm_u", "sm_a", "sm_wa", "sg", "a_pete"]


class PrototypeSetRequest(Contract):
    """What to select, from which rows, as which model sees them."""

    model: Identifier
    dataset: Identifier
    method: PrototypeMethod = Field(
        default="sm_a",
        description="sm_u, sm_a, sm_wa, sg: Tan et al.; a_pete: Karolczak & Stefanowski, which stops by itself.",
    )
    n_prototypes: int | None = Field(
        default=None,
        strict=True,
        ge=1,
        le=10_000,
        description="Default 10; not with a_pete, which finds the number by `alpha`.",
    )
    alpha: float = Field(
        default=0.05,
        gt=0,
        lt=1,
        description="a_pete stops when gains change by no more than this share; other methods have no use for it.",
    )
    labels: Literal["predicted", "target"] = Field(
        default="predicted", description="Classes as the model predicts them, or as the dataset's target has them."
    )
    kind: ProximityKind = "auto"
    refine: Literal["none", "swap"] = Field(
        default="none",
        description=(
            "swap: when prototypes are chosen, they are replaced by other candidates, one at a time, until no single "
            "replacement raises the method's objective (sm_u: by candidates of their own class); where better ones are "
            "not ruled out, up to three other starts are tried, too. Not with sg."
        ),
    )
    candidates: int | None = Field(
        default=None,
        strict=True,
        ge=2,
        description=(
            "Rows that may become prototypes: so many, drawn with `seed`, at least one of each class; all rows are to "
            "be stood for all the same. Null: all rows, but 10,000 where rows x rows x trees are more than 5 x 10^12 "
            "(150,000 rows x 200 trees). `n_candidates` of the result says how many they were."
        ),
    )
    evaluation_dataset: Identifier | None = None
    seed: int = Field(
        default=0,
        strict=True,
        ge=0,
        le=2**32 - 1,
        description="Draws the candidates, and the rows for the nearest-neighbour baseline, where not all are taken.",
    )


class Coverage(Contract):
    """The dataset's rows for which this prototype is the nearest one of their class."""

    n_rows: int
    share: float


class Prototype(Contract):
    """A real row that stands for others of its class."""

    rank: int
    row_id: RowId
    row: RowIndex
    label: str | None = Field(description="Its class; null for regression.")
    value: float | None = Field(description="The model's value; null for classification.")
    gain: float = Field(description="What it adds to the objective of the prototypes before it.")
    objective: float = Field(description="The objective with all prototypes up to this one.")
    coverage: Coverage
    quality: PrototypeQuality | None = Field(
        default=None, description="Null in sets that were made before it was measured."
    )
    features: list[Cell]


class Evaluation(Contract):
    """How well the nearest of the first ``n_prototypes`` predicts; counts unassigned rows as wrong."""

    n_prototypes: int
    balanced_accuracy: float | None = None
    accuracy: float | None = None
    fidelity: float | None = Field(
        default=None, description="Share of rows with the model's own label; read it beside `baseline.constant`."
    )
    balanced_fidelity: float | None = Field(
        default=None,
        description="Mean over the labels that the model gives of the share of their rows with the same label.",
    )
    r2: float | None = None
    mean_absolute_error: float | None = None
    unassigned: float = Field(description="Share of rows that share no leaf with any prototype.")


class BaselineScore(Contract):
    """The same measures for what prototypes are compared with."""

    n_rows: int = Field(description="Rows judged: all, or a seeded sample where all would take too long.")
    balanced_accuracy: float | None = None
    accuracy: float | None = None
    fidelity: float | None = None
    balanced_fidelity: float | None = Field(default=None, description="As of the prototypes: see `evaluation`.")
    r2: float | None = None
    mean_absolute_error: float | None = None
    unassigned: float = 0.0


class ConstantScore(BaselineScore, ConstantPrediction):
    """What always the same prediction scores."""


class Baseline(Contract):
    """The model itself, the nearest of all rows (not counting the row itself), and always the same prediction."""

    model: BaselineScore | None = Field(description="Null where the dataset has no target.")
    one_nearest_neighbor: BaselineScore
    constant: ConstantScore | None = Field(
        default=None,
        description="What always the same prediction scores: figures are worth what they are above it. Null in sets "
        "that were made before it was measured.",
    )


class StopReason(Contract):
    """Why the selection ended, before any swaps."""

    reason: str = Field(description="n_prototypes, alpha, no_gain, no_improvement; new ones may come.")
    detail: str


class CertificateObjective(Contract):
    """What a certificate speaks of."""

    name: Literal["coverage", "class_weighted_coverage"] = Field(
        description=(
            "coverage: `objective`. class_weighted_coverage (sm_wa): mean over classes that have rows of the mean "
            "proximity of their rows to the nearest prototype of their class. New ones may come."
        )
    )
    value: float = Field(description="What these prototypes reach of it.")
    constraint: Literal["n_prototypes", "n_prototypes_per_class"] = Field(
        description=(
            "What sets the bound speaks of. n_prototypes: all sets of as many; n_prototypes_per_class (sm_u): all sets "
            "of as many of each class. New ones may come."
        )
    )


class PrototypeSetResult(Contract):
    """The result of a prototype job."""

    kind: Literal["random_forest", "boosting"]
    task: Literal["classification", "regression"]
    classes: list[str]
    n_rows: int
    n_trees: int
    n_candidates: int = Field(description="Rows that might have become prototypes: all, or a seeded sample.")
    n_selected: int
    n_swaps: int = Field(description="Replacements made by `refine`; each is listed in the place of what it replaced.")
    nested: bool = Field(description="The first k prototypes are the answer for k: not for sm_u, nor after swaps.")
    objective: float = Field(description="Sum over rows of the proximity to the nearest prototype of their class.")
    objective_mean: float = Field(ge=0, le=1)
    all_rows_certificate: float = Field(
        gt=0,
        le=1,
        description=(
            "Share of the best possible that is surely reached, whichever of all rows were prototypes: "
            "`certificate_objective.value` / `all_rows_upper_bound`."
        ),
    )
    all_rows_upper_bound: float = Field(
        description=(
            "No set of any rows exceeds this, of those that keep the constraint of `certificate_objective`. The looser "
            "of the two bounds where candidates are a sample, otherwise the same."
        )
    )
    certificate: float = Field(
        gt=0,
        le=1,
        description=(
            "As `all_rows_certificate`, but of the best that sets within `certificate_scope` can reach: "
            "`certificate_objective.value` / `objective_upper_bound`. Swaps never lower it."
        ),
    )
    objective_upper_bound: float = Field(
        description="No set exceeds this, of those that `certificate_objective` and `certificate_scope` speak of."
    )
    certificate_scope: Literal["all_rows", "candidates"] = Field(
        description=(
            "What sets `certificate` and `objective_upper_bound` speak of: of any rows, or of the sampled candidates "
            "only, which says nothing of rows that were not drawn."
        )
    )
    certificate_objective: CertificateObjective
    stopped_by: StopReason
    prototypes: list[Prototype]
    quality: SetQuality
    evaluation: list[Evaluation]
    evaluated_on: Literal["dataset", "evaluation_dataset"] = Field(
        description="The rows that `quality`, `evaluation` and `baseline` speak of."
    )
    measured_against: Literal["target", "model"] = Field(
        description="What r2, errors and accuracies compare with: without a target there are no accuracies."
    )
    baseline: Baseline
    classes_without_prototypes: list[str] = Field(
        default=[],
        description="Classes that rows of the dataset have (as `labels` says) and no prototype: the nearest prototype "
        "gives their rows another class, or none. Empty for regression.",
    )
    caution: str | None = Field(
        default=None, description=f"{CAUTION_OF_FIGURES} Classes without a prototype are named here, too."
    )


class PrototypeSet(ArtefactView):
    """A prototype set, its status and, once it is ready, its result."""

    object: Literal["prototype_set"] = "prototype_set"
    request: PrototypeSetRequest
    result: PrototypeSetResult | None = Field(default=None, description=RESULT)
