"""Explanations: single predictions, explained by their nearest prototypes.

What does not apply is absent. Only ``value`` and ``prototype_value`` may be null: the value is missing then.
"""

from typing import Annotated, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema
from typing_extensions import TypeAliasType

from .contract import OBJECT, Contract, Identifier, RowId, absent
from .decisions import MOST_OUTCOME_TEXTS, OUTCOME_TEXTS, Decided, OutcomeText
from .explanation_parts import OptionalParts
from .explanation_sets import ExplanationParts, ExplanationSet, ExplanationSetRequest, ExplanationSetResult
from .models import INSTANCES, MAX_INSTANCES, ROW_IDS, Instance, InstanceRowId, Prediction, RowIds
from .noun import JSON, JSONL, NDJSON, PARQUET, ZSTD, Noun, Product
from .problems import Problem
from .prototype_sets import Coverage
from .reasons import PREDICTED_OF_A_PROTOTYPE, REASONS, TARGET_OF_A_ROW, Reason


class ExplanationRequest(ExplanationParts):
    """Rows to explain."""

    # More than the limit is a problem of its own (413), not an invalid field.
    instances: list[Instance] = Field(
        default=[],
        description=f"{INSTANCES} Where the prototypes' dataset has a feature set, a row may also be the rows of one "
        "example by table, such as `{customer: [row], account: [rows]}`, each with its values by column. None where "
        "`dataset` and `row_ids` name the rows.",
        json_schema_extra={"maxItems": MAX_INSTANCES},
    )
    dataset: Identifier | None = Field(
        default=None, description="Id of a registered dataset; `row_ids` names its rows to explain."
    )
    row_ids: RowIds | None = Field(
        default=None,
        min_length=1,
        description=f"{ROW_IDS} Examples that are all sent by table, each with another primary key, have their keys "
        "by default. With `dataset`: the ids of its rows that are to be explained, at most "
        f"{MAX_INSTANCES:,}: their texts in its row_id column, or their 0-based indices without one.",
    )


class NearestPrototype(Contract):
    """A prototype near the row, as the model sees it."""

    row_id: RowId
    label: str | SkipJsonSchema[None] = absent("Class of the prototype; absent for regression.")
    value: float | SkipJsonSchema[None] = absent("Value that the model predicts for it; absent for classification.")
    predicted: str | SkipJsonSchema[None] = absent(PREDICTED_OF_A_PROTOTYPE)
    target: str | float | SkipJsonSchema[None] = absent(TARGET_OF_A_ROW)
    proximity: float = Field(
        ge=0, le=1, description="Share of trees, by weight, in which it has the same leaf as the row."
    )
    reasons: list[Reason] = Field(description=REASONS)
    rank: int | SkipJsonSchema[None] = absent("1-based rank by proximity to the row; absent unless `detail` is `full`.")
    distance: float | SkipJsonSchema[None] = absent("1 - proximity; absent unless `detail` is `full`.")
    shared_trees: int | SkipJsonSchema[None] = absent(
        "Number of trees in which it has the same leaf as the row; absent unless `detail` is `full`."
    )
    n_trees: int | SkipJsonSchema[None] = absent("Number of trees of the model; absent unless `detail` is `full`.")
    coverage: Coverage | SkipJsonSchema[None] = absent(
        "The reference rows that the prototype represents; absent unless `detail` is `full`."
    )


class PrototypePrediction(Contract):
    """What the nearest prototype predicts."""

    label: str | SkipJsonSchema[None] = absent("Class of the nearest prototype; absent for regression.")
    value: float | SkipJsonSchema[None] = absent(
        "Value that the model predicts for the nearest prototype; absent for classification."
    )
    agrees: bool | SkipJsonSchema[None] = absent("Whether the model predicts the same label; absent for regression.")


class Typicality(Contract):
    """How near a row is to its nearest prototype, among other rows (see `typicality` of the prototype set)."""

    level: Literal["close", "typical", "far", "none"] = Field(
        description="`close`: above the 75th percentile; `typical`: from the 5th; `far`: below it, or at a proximity "
        "of less than 10 % to the nearest prototype, however many rows are farther; `none`: the row shares no leaf "
        "with any prototype."
    )
    percentile: int = Field(
        ge=0,
        le=100,
        description="Share of the rows compared with that are no nearer to their nearest prototype, in per cent, "
        "rounded down; 0 where the level is `none`.",
    )


class RowWarning(Contract):
    """A reason to read an explanation with care."""

    code: str = Field(
        description="What is unusual: `outcomes_disagree` (the score is outside of the interval of `evidence`, where "
        "that is included), `near_tie` (rounding may have decided the label), `unseen_category` (no "
        "reference row has it), `outside_reference_range` (of the values of all reference rows), "
        "`transformed_features` (reasons name columns of the model that are not raw features); codes may be added."
    )
    feature: str | SkipJsonSchema[None] = absent(
        "Feature that is concerned; absent where it is none in particular. Ten are named of each code, others counted."
    )
    detail: str = Field(description="The same as an English sentence.")


class _Explained(Contract):
    """Fields of every row that the model accepts."""

    object: Annotated[Literal["explanation"], OBJECT] = "explanation"
    id: str | SkipJsonSchema[None] = absent(
        "Id by which the explanation is stored; absent where it is not (see `store_explanations` of the explainer)."
    )
    row_id: InstanceRowId
    status: str  # described by each kind; declared here for its place among the fields
    summary: str = Field(description="The explanation in a plain English sentence or two.")
    prediction: Prediction = Field(description="What the model predicts.")
    decision: Decided | SkipJsonSchema[None] = absent(
        "What is decided of the row: the outcome in whose band its score lies, or the predicted class; absent for "
        "regression without a decision."
    )
    target: str | float | SkipJsonSchema[None] = absent(
        "Its class or value in the target column of the dataset; absent where the row was sent, and where the dataset "
        "has no target that fits the model."
    )
    typicality: Typicality | SkipJsonSchema[None] = absent(
        "How near the row is to its nearest prototype, among other rows; absent where all other rows are prototypes."
    )
    warnings: list[RowWarning] = Field(description="Reasons to read the explanation with care; empty: there is none.")
    nearest_prototypes: list[NearestPrototype] = Field(
        description="The nearest prototypes by descending proximity, without those that share no leaf with the row."
    )
    prototype_prediction: PrototypePrediction | SkipJsonSchema[None] = absent(
        "What the nearest prototype predicts; absent unless `detail` is `full`, or if no prototype shares a leaf with "
        "the row."
    )


class ExplainedRow(OptionalParts, _Explained):
    """One prediction explained."""

    status: Literal["ok"] = Field(description="`ok`: the row is explained.")


class AbstainedRow(OptionalParts, _Explained):
    """One prediction, of a row that is too far from every prototype to be explained by them."""

    status: Literal["abstained"] = Field(
        description="`abstained`: the row is less typical than the explainer demands of rows that it explains."
    )


class RefusedRow(Contract):
    """Why a row could not be explained."""

    object: Annotated[Literal["explanation"], OBJECT] = "explanation"
    row_id: InstanceRowId
    status: Literal["error"] = Field(description="`error`: the row could not be explained; see `problem`.")
    problem: Problem = Field(description="Why the row could not be explained.")


Explanation = TypeAliasType(
    "Explanation",
    Annotated[
        ExplainedRow | AbstainedRow | RefusedRow,
        Field(discriminator="status", description="One prediction explained, or why it could not be, by `status`."),
    ],
)


class Provenance(Contract):
    """What the explanations were computed from."""

    model_sha256: str = Field(description="SHA-256 of the model's uploaded file, in hexadecimal.")
    dataset_sha256: str = Field(description="SHA-256 of the reference dataset's uploaded file, in hexadecimal.")
    prototype_set: str = Field(description="Id of the prototype set.")
    numerics: str = Field(
        description="Precision in which the model takes numbers, `float32` or `float64`; it may add up in a higher one."
    )
    service: str = Field(description="Version of the service.")


class ExplanationList(Contract):
    """Explanations in the order of the instances."""

    object: Annotated[Literal["list"], OBJECT] = "list"
    explainer: str = Field(description="Id of the explainer that was used.")
    explainer_name: str | SkipJsonSchema[None] = absent("Name that it was called by; absent where it was called by id.")
    data: list[Explanation] = Field(description="Explanations, one for each instance, in their order.")
    ignored_columns: list[str] | SkipJsonSchema[None] = absent(
        "Names that instances have and the model does not, the first 100 of them, which nothing reads; absent where "
        "there are none."
    )
    outcome_texts: list[OutcomeText] | SkipJsonSchema[None] = absent(
        f"{OUTCOME_TEXTS} Absent, too, where it has words for more than {MOST_OUTCOME_TEXTS}."
    )
    provenance: Provenance = Field(description="Model, dataset, prototype set and versions behind the explanations.")


EXPLANATION_SETS = Noun(
    name="explanation_sets",
    singular="explanation_set",
    position=150,
    id_prefix="exs_",
    description="Explanations of every row of a dataset.",
    making="by_job",
    made_from={"explainer": "explainers", "dataset": "datasets"},
    request=ExplanationSetRequest,
    summary=ExplanationSet,
    view=ExplanationSet,
    result=ExplanationSetResult,
    arrays=("rows", "bytes"),
    files=("lines", "table"),
    products=(Product(name="content", media_types=(NDJSON, JSONL, ZSTD, JSON, PARQUET), row=Explanation),),
)
