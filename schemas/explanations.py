"""Explanations: single predictions, explained by their nearest prototypes."""

from typing import Annotated, Literal

from pydantic import Field

from .approximation_trees import PathNode
from .contract import OBJECT, Contract, RowId
from .explanation_sets import IncludedParts, PrototypeCount
from .models import INSTANCES, MAX_INSTANCES, ROW_IDS, Instance, InstanceRowId, Prediction, RowIds, Score
from .problems import Problem
from .prototype_sets import Coverage
from .rule_sets import PREDICTED


class ExplanationRequest(Contract):
    """Rows to explain."""

    # More than the limit is a problem of its own (413), not an invalid field.
    instances: list[Instance] = Field(
        min_length=1, description=INSTANCES, json_schema_extra={"maxItems": MAX_INSTANCES}
    )
    row_ids: RowIds | None = Field(default=None, description=ROW_IDS)
    n_prototypes: PrototypeCount = 3
    include: IncludedParts = Field(default=[])


class ComparedFeature(Contract):
    """A feature of the prototype beside the same feature of the instance."""

    name: str = Field(description="Name of the feature.")
    value: float | bool | str | None = Field(description="Value of the prototype; null if it is missing.")
    instance_value: float | bool | str | None = Field(description="Value of the instance; null if it is missing.")


class Reason(Contract):
    """The values of one feature that keep a row in all leaves that it shares with a prototype."""

    feature: str = Field(description="Name of the feature.")
    text: str = Field(
        default="",
        description="The reason as an English phrase, such as `income is above 1,200 and at most 3,400 (missing "
        "allowed)`, `color is G or H` or `income is missing`. It names the remaining categories or the excluded ones, "
        "whichever are fewer, and adds `(transformed)` to the names of transformed features. Empty in explanation sets "
        "that an earlier release made.",
    )
    low: float | None = Field(description="Lower end of the interval; null: there is none.")
    high: float | None = Field(description="Upper end of the interval; null: there is none.")
    low_inclusive: bool = Field(description="Whether the interval includes its lower end.")
    high_inclusive: bool = Field(description="Whether the interval includes its upper end.")
    or_missing: bool = Field(
        description="Whether a missing value also keeps the row in the shared leaves. It is false where the rows from "
        "which the prototypes were chosen have no missing value of this feature, unless the explained row has one."
    )
    is_missing: bool = Field(
        description="Whether only a missing value keeps the row in the shared leaves: both rows miss the value. Then "
        "there is no interval and no category, and `or_missing` is false."
    )
    category: float | str | None = Field(
        description="The only category that keeps the row in the shared leaves; null: there is none."
    )
    excluded_categories: list[float | str] = Field(
        description="Categories that do not keep the row in the shared leaves; of a number, excluded values within the "
        "interval."
    )
    share_of_trees: float = Field(
        description="Share of the shared trees that test the feature on the path to the shared leaf, 0 to 1."
    )
    transformed: bool = Field(description="Whether the feature could not be mapped back to a raw one.")
    exact: bool = Field(
        description="False where a tree tests a set of values, which is not listed here, and where ends were mapped "
        "back through scaling: then they hold up to the rounding of single precision, on either side."
    )


class NearestPrototype(Contract):
    """A prototype near the instance, as the model sees it."""

    rank: int = Field(description="1-based rank by proximity to the instance.")
    row_id: RowId
    label: str | None = Field(description="Class of the prototype; null for regression.")
    value: float | None = Field(description="Value that the model predicts for it; null for classification.")
    proximity: float = Field(
        ge=0, le=1, description="Share of trees, by weight, in which it has the same leaf as the instance."
    )
    distance: float = Field(ge=0, le=1, description="1 - proximity.")
    shared_trees: int = Field(description="Number of trees in which it has the same leaf as the instance.")
    n_trees: int = Field(description="Number of trees of the model.")
    coverage: Coverage = Field(description="The reference rows that the prototype represents.")
    features: list[ComparedFeature] = Field(
        description="Values of both rows, in the model's order, of the features that the explainer shows."
    )
    similar_because: list[Reason] = Field(
        description="Reasons for the proximity, one for each shown feature that shared trees test, by descending share "
        "of trees."
    )


class PrototypePrediction(Contract):
    """What the nearest prototype predicts."""

    status: Literal["assigned", "unassigned"] = Field(
        description="`unassigned` if the row shares no leaf with any prototype."
    )
    label: str | None = Field(description="Class of the nearest prototype; null for regression and unassigned rows.")
    value: float | None = Field(
        description="Value that the model predicts for the nearest prototype; null for classification and unassigned "
        "rows."
    )
    agrees: bool | None = Field(
        description="Whether the model predicts the same label; null for regression and unassigned rows."
    )


class Contrast(Contract):
    """The nearest prototype of another class."""

    row_id: RowId
    label: str = Field(description="Class of the prototype.")
    proximity: float = Field(description="Proximity to the instance, 0 to 1.")


class FiringRule(Contract):
    """A rule whose conditions the instance satisfies."""

    rank: int = Field(description="1-based rank of the rule in the rule set.")
    text: str = Field(description="Conditions of the rule as an English phrase.")
    prediction: float | str = Field(description=PREDICTED)


class PathLeaf(Contract):
    """The leaf that a row reaches in the approximation tree."""

    id: int = Field(description="Id of the node in the tree.")
    prediction: float | str = Field(description=PREDICTED)
    scores: list[Score] = Field(description="Shares of the classes in the order of the classes; empty for regression.")
    n_samples: int = Field(description="Number of the reference dataset's rows that reach it.")


class ApproximationPath(Contract):
    """An instance's path in the approximation tree."""

    agrees: bool | None = Field(
        description="Whether the leaf has the label that the model predicts; null for regression."
    )
    nodes: list[PathNode] = Field(description="Conditions on the path, from the root.")
    leaf: PathLeaf = Field(description="The leaf at the end of the path.")


class Explanation(Contract):
    """One prediction explained, or why it could not be."""

    object: Annotated[Literal["explanation"], OBJECT] = "explanation"
    row_id: InstanceRowId
    status: Literal["ok", "error"] = Field(description="`error` if the row could not be explained; see `problem`.")
    prediction: Prediction | None = Field(default=None, description="What the model predicts; null with an error.")
    nearest_prototypes: list[NearestPrototype] | None = Field(
        default=None,
        description="The nearest prototypes by descending proximity, without those that share no leaf with the row; "
        "null with an error.",
    )
    prototype_prediction: PrototypePrediction | None = Field(
        default=None, description="What the nearest prototype predicts; null with an error."
    )
    contrast: Contrast | None = Field(
        default=None,
        description="The nearest prototype of another class than the predicted one; null unless requested, for "
        "regression, or if no such prototype shares a leaf with the row.",
    )
    rules: list[FiringRule] | None = Field(
        default=None,
        description="Rules that apply, in the order of the rule set: the first decides, and without any the default "
        "rule does. Null unless requested.",
    )
    approximation_path: ApproximationPath | None = Field(
        default=None, description="Path of the row in the approximation tree; null unless requested."
    )
    problem: Problem | None = Field(default=None, description="Why the row could not be explained; null without error.")


class Provenance(Contract):
    """What the explanations were computed from."""

    model_sha256: str = Field(description="SHA-256 of the model's uploaded file, in hexadecimal.")
    dataset_sha256: str = Field(description="SHA-256 of the reference dataset's uploaded file, in hexadecimal.")
    prototype_set: str = Field(description="Id of the prototype set.")
    numerics: str = Field(description="Precision in which the model computes, such as `float32`.")
    service: str = Field(description="Version of the service.")


class ExplanationList(Contract):
    """Explanations in the order of the instances."""

    object: Annotated[Literal["list"], OBJECT] = "list"
    explainer: str = Field(description="Id of the explainer that was used.")
    explainer_name: str = Field(default="", description="Name that it was called by; absent where it was called by id.")
    data: list[Explanation] = Field(description="Explanations, one for each instance, in their order.")
    provenance: Provenance = Field(description="Model, dataset, prototype set and versions behind the explanations.")
