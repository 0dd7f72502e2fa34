"""Explanations: single predictions, explained by their nearest prototypes.

What does not apply is absent. Only ``value`` and ``prototype_value`` may be null: the value is missing then.
"""

from typing import Annotated, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema
from typing_extensions import TypeAliasType

from .approximation_trees import PathNode
from .contract import OBJECT, Contract, Identifier, RowId, absent, without_default
from .explanation_sets import ExplanationParts
from .models import INSTANCES, MAX_INSTANCES, ROW_IDS, Instance, InstanceRowId, Prediction, RowIds, Score
from .problems import Problem
from .prototype_sets import Coverage
from .rule_sets import PREDICTED

Cell = float | bool | str | None


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
        default=None, description="Id of a registered dataset, of which `row_ids` names the rows to explain."
    )
    row_ids: RowIds | None = Field(
        default=None,
        min_length=1,
        description=f"{ROW_IDS} Examples that are all sent by table, each with another primary key, have their keys "
        "by default. With `dataset`: the ids of its rows that are to be explained, at most "
        f"{MAX_INSTANCES:,}: their texts in its row_id column, or their 0-based indices without one.",
    )


class ReasonInterval(Contract):
    """The values of one feature that keep a row in all leaves that it shares with a prototype."""

    low: float | SkipJsonSchema[None] = absent("Lower end of the interval; absent: there is none.")
    low_inclusive: bool | SkipJsonSchema[None] = absent("Whether the interval includes its lower end.")
    high: float | SkipJsonSchema[None] = absent("Upper end of the interval; absent: there is none.")
    high_inclusive: bool | SkipJsonSchema[None] = absent("Whether the interval includes its upper end.")
    or_missing: bool | SkipJsonSchema[None] = absent(
        "True where a missing value also keeps the row in the shared leaves. It is absent where the rows from which "
        "the prototypes were chosen have no missing value of this feature, unless the explained row has one."
    )
    is_missing: bool | SkipJsonSchema[None] = absent(
        "True where only a missing value keeps the row in the shared leaves: both rows miss the value. Then there is "
        "no interval and no category."
    )
    category: float | str | SkipJsonSchema[None] = absent(
        "The only category that keeps the row in the shared leaves; absent: there is none."
    )
    categories: list[float | str] | SkipJsonSchema[None] = absent(
        "The only categories that keep the row in the shared leaves, two or more: all others, unseen ones too, do not. "
        "Absent where other categories do."
    )
    excluded_categories: list[float | str] | SkipJsonSchema[None] = absent(
        "Categories that do not keep the row in the shared leaves; of a number, excluded values within the interval."
    )
    transformed: bool | SkipJsonSchema[None] = absent("True where the feature could not be mapped back to a raw one.")
    exact: bool | SkipJsonSchema[None] = absent(
        "False where a tree tests a set of raw numbers, and where ends were mapped back through scaling: then they "
        "hold up to the rounding of single precision, on either side. Else absent."
    )


class _FeatureOfTwo(Contract):
    """A feature, and its values in a row and in another that it is compared with."""

    feature: str = Field(description="Name of the feature.")
    text: str  # described by each kind; declared here for its place among the fields, which is that in answers
    value: Cell = Field(
        default=None,
        description="Value of the row; null if it is missing. Absent, as is `prototype_value`, where the feature could "
        "not be mapped back to a raw one.",
        json_schema_extra=without_default,
    )
    prototype_value: Cell = Field(
        default=None,
        description="Value of the prototype, or of the reference row; null if it is missing.",
        json_schema_extra=without_default,
    )


class Reason(_FeatureOfTwo):
    """A feature that shared trees test, and the values that keep a row in their leaves."""

    text: str = Field(
        description="The reason as an English phrase, such as `income is above 1,200 and at most 3,400 (missing "
        "allowed)`, `color is G or H` or `income is missing`. It names the remaining categories or the excluded ones, "
        "whichever are fewer, and adds `(transformed)` to the names of transformed features. Ends of more than 9 "
        "digits are rounded to 6 so that the printed interval lies inside the exact one, but for the next few "
        "numbers, where it then holds for both rows; ends nearer to 0 than data are printed as 0."
    )
    share_of_trees: float = Field(
        description="Share of the shared trees, by the weight that each has in the proximity, that test the feature on "
        "the path to the shared leaf, 0 to 1, rounded to 4 decimals."
    )
    interval: ReasonInterval | SkipJsonSchema[None] = absent(
        "The same as `text`, in numbers; absent unless `intervals` are included."
    )


_REASONS = (
    "Reasons for the proximity, one for each shown feature that shared trees test, by descending share of trees; at "
    "most `n_reasons`. Empty below the minimum proximity (see `row_coverage` of prototype sets), and where the status "
    "is `abstained`."
)


PREDICTED_OF_A_PROTOTYPE = "Class that the model predicts for the prototype; absent where that is its `label`."
TARGET_OF_A_ROW = "Its class or value in the target column; absent where the dataset has no target that fits the model."


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
    reasons: list[Reason] = Field(description=_REASONS)
    rank: int | SkipJsonSchema[None] = absent("1-based rank by proximity to the row; absent unless `detail` is `full`.")
    distance: float | SkipJsonSchema[None] = absent("1 - proximity; absent unless `detail` is `full`.")
    shared_trees: int | SkipJsonSchema[None] = absent(
        "Number of trees in which it has the same leaf as the row; absent unless `detail` is `full`."
    )
    n_trees: int | SkipJsonSchema[None] = absent("Number of trees of the model; absent unless `detail` is `full`.")
    coverage: Coverage | SkipJsonSchema[None] = absent(
        "The reference rows that the prototype represents; absent unless `detail` is `full`."
    )


class NearestRow(Contract):
    """A reference row near the row, as the model sees it."""

    row_id: RowId
    label: str | SkipJsonSchema[None] = absent("Class that the model predicts for it; absent for regression.")
    value: float | SkipJsonSchema[None] = absent("Value that the model predicts for it; absent for classification.")
    target: str | float | SkipJsonSchema[None] = absent(TARGET_OF_A_ROW)
    proximity: float = Field(
        ge=0, le=1, description="Share of trees, by weight, in which it has the same leaf as the row."
    )
    reasons: list[Reason] = Field(description=_REASONS)


class PrototypePrediction(Contract):
    """What the nearest prototype predicts."""

    label: str | SkipJsonSchema[None] = absent("Class of the nearest prototype; absent for regression.")
    value: float | SkipJsonSchema[None] = absent(
        "Value that the model predicts for the nearest prototype; absent for classification."
    )
    agrees: bool | SkipJsonSchema[None] = absent("Whether the model predicts the same label; absent for regression.")


class ComparedFeature(Contract):
    """The values of one feature, of the row and of its nearest prototypes."""

    feature: str = Field(description="Name of the feature.")
    value: Cell = Field(description="Value of the row; null if it is missing.")
    prototype_values: list[Cell] = Field(
        description="Value of each of the nearest prototypes, in their order; null where it is missing."
    )
    row_values: list[Cell] | SkipJsonSchema[None] = absent(
        "Value of each of the `nearest_rows`, in their order, null where it is missing; absent unless these are "
        "included."
    )


class Difference(_FeatureOfTwo):
    """A feature at which trees part a row from a prototype: at it, their paths in a tree go different ways first."""

    text: str = Field(
        description="What the trees that separate the two rows test at this feature, as an English phrase, such as "
        "`whether income is above 45,000; it is 31,000 here`. The answer is yes for the prototype and no for the row. "
        "It is not claimed that the prediction changes with this feature alone, nor that it changes with no other."
    )
    share_of_trees: float = Field(
        description="Among the trees that separate the two rows, the share, by weight, of those that do so at this "
        "feature, 0 to 1, rounded to 4 decimals. Over all features, hidden ones included, these shares add up to 1."
    )
    interval: ReasonInterval | SkipJsonSchema[None] = absent(
        "What holds for the prototype, in numbers; absent unless `intervals` are included."
    )


class Contrast(Contract):
    """The nearest prototype of another class, and what the trees that tell the two apart ask most often."""

    row_id: RowId
    label: str = Field(description="Class of the prototype.")
    predicted: str | SkipJsonSchema[None] = absent(PREDICTED_OF_A_PROTOTYPE)
    target: str | float | SkipJsonSchema[None] = absent(TARGET_OF_A_ROW)
    proximity: float = Field(
        description="Proximity to the row, 0 to 1; where it is 0, this is the prototype of its class selected first."
    )
    differences: list[Difference] | SkipJsonSchema[None] = absent(
        "Features at which the trees part the two rows, by descending share of trees; at most `n_reasons`. Absent "
        "where the prototype set keeps no reference rows, and with them no paths."
    )


class FiringRule(Contract):
    """A rule whose conditions the row satisfies."""

    rank: int = Field(description="1-based rank of the rule in the rule set.")
    text: str = Field(description="Conditions of the rule as an English phrase.")
    prediction: float | str = Field(description=PREDICTED)
    weight: float | SkipJsonSchema[None] = absent(
        "Weight of the rule where not the first rule decides but the weighted mean of all that apply; else absent."
    )


class PathLeaf(Contract):
    """The leaf that a row reaches in the approximation tree."""

    id: int = Field(description="Id of the node in the tree.")
    prediction: float | str = Field(description=PREDICTED)
    scores: list[Score] = Field(description="Shares of the classes in the order of the classes; empty for regression.")
    n_samples: int = Field(description="Number of the reference dataset's rows that reach it.")


class ApproximationPath(Contract):
    """A row's path in the approximation tree."""

    agrees: bool | SkipJsonSchema[None] = absent(
        "Whether the leaf has the label that the model predicts; absent for regression."
    )
    nodes: list[PathNode] = Field(description="Conditions on the path, from the root.")
    leaf: PathLeaf = Field(description="The leaf at the end of the path.")


class Typicality(Contract):
    """How near a row is to its nearest prototype, among other rows (see `typicality` of the prototype set)."""

    level: Literal["close", "typical", "far", "none"] = Field(
        description="`close`: above the 75th percentile; `typical`: from the 5th; `far`: below it; `none`: the row "
        "shares no leaf with any prototype."
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
        description="What is unusual: `near_tie` (rounding may have decided the label), `unseen_category` (no "
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
    target: str | float | SkipJsonSchema[None] = absent(
        "Its class or value in the target column of `dataset`; absent where the row was sent, in explanation sets, and "
        "where the dataset has no target that fits the model."
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
    values: list[ComparedFeature] | SkipJsonSchema[None] = absent(
        "Values in the model's order, of the features that the explainer shows; absent unless included."
    )
    contrasts: list[Contrast] | SkipJsonSchema[None] = absent(
        "Nearest prototypes of other classes than the predicted one, nearest first; absent unless included, and for "
        "regression."
    )
    rules: list[FiringRule] | SkipJsonSchema[None] = absent(
        "Rules that apply, in the order of the rule set: the first decides, and without any the default rule does; "
        "where they have a `weight`, the weighted mean of all that apply does. "
        "Absent unless included."
    )
    approximation_path: ApproximationPath | SkipJsonSchema[None] = absent(
        "Path of the row in the approximation tree; absent unless included."
    )
    nearest_rows: list[NearestRow] | SkipJsonSchema[None] = absent(
        "The nearest of all reference rows by descending proximity; absent unless included."
    )


class ExplainedRow(_Explained):
    """One prediction explained."""

    status: Literal["ok"] = Field(description="`ok`: the row is explained.")


class AbstainedRow(_Explained):
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
    provenance: Provenance = Field(description="Model, dataset, prototype set and versions behind the explanations.")
