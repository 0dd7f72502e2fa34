"""Explanations: single predictions, explained by their nearest prototypes."""

from typing import Literal

from pydantic import Field

from .approximation_trees import PathNode
from .contract import Contract, RowId
from .models import MAX_INSTANCES, Instance, InstanceRowId, Prediction, RowIds, Score
from .problems import Problem
from .prototype_sets import Coverage


class ExplanationRequest(Contract):
    """Rows to explain."""

    # More than the limit is a problem of its own (413), not an invalid field.
    instances: list[Instance] = Field(min_length=1, json_schema_extra={"maxItems": MAX_INSTANCES})
    row_ids: RowIds | None = None
    n_prototypes: int = Field(default=3, strict=True, ge=1, le=100)
    include: list[Literal["contrast", "rules", "approximation_path"]] = Field(
        default=[],
        description="rules: with an explainer that has a rule set; approximation_path: with one that has a tree.",
    )


class ComparedFeature(Contract):
    """A feature of the prototype beside the same feature of the instance."""

    name: str
    value: float | bool | str | None
    instance_value: float | bool | str | None


class Reason(Contract):
    """The values of one feature with which a row stays in all leaves that it shares with a prototype."""

    feature: str = Field(description="Name of the feature.")
    text: str = Field(
        default="",
        description="The reason as an English sentence without a full stop, such as `income is above 1,200 and at most "
        "3,400 (missing allowed)`, `color is G or H`, `income is missing`. Of categories it names those that remain or "
        "those that are excluded, whichever is shorter. `(transformed)` follows the name of a feature that is. "
        "Empty in explanation sets that an earlier release made.",
    )
    low: float | None = Field(description="Lower end of the interval; null: there is none.")
    high: float | None = Field(description="Upper end of the interval; null: there is none.")
    low_inclusive: bool = Field(description="The lower end itself belongs to the interval.")
    high_inclusive: bool = Field(description="The upper end itself belongs to the interval.")
    or_missing: bool = Field(
        description="A missing value keeps the row in the shared leaves, as the other values do. It is false where the "
        "rows from which the prototypes were chosen have no missing value of this feature, unless the explained row "
        "itself has one."
    )
    is_missing: bool = Field(
        description="Only a missing value keeps the row in the shared leaves: both rows miss the value. There is no "
        "interval and no category then, and `or_missing` is false."
    )
    category: float | str | None = Field(description="Only this category keeps the row in the shared leaves.")
    not_categories: list[float | str] = Field(
        description="These categories do not keep the row in the shared leaves; of a number, values that the interval "
        "does not include."
    )
    tree_share: float = Field(description="Share of the shared trees that ask about the feature on the way.")
    transformed: bool = Field(description="The feature is model-side: it could not be led back to a raw one.")
    exact: bool = Field(
        description="False where a tree asks about a set of values, which is not listed here, and where ends were "
        "calculated back through scaling: then they hold to the rounding of single precision, on either side."
    )


class NearestPrototype(Contract):
    """A prototype near the instance, as the model sees it."""

    rank: int
    row_id: RowId
    label: str | None
    value: float | None
    proximity: float = Field(ge=0, le=1)
    distance: float = Field(ge=0, le=1)
    shared_trees: int
    n_trees: int
    coverage: Coverage
    features: list[ComparedFeature]
    similar_because: list[Reason]


class PrototypePrediction(Contract):
    """What the nearest prototype predicts."""

    status: Literal["assigned", "unassigned"]
    label: str | None
    value: float | None
    agrees: bool | None = Field(description="Same label as the model; null for regression and unassigned rows.")


class Contrast(Contract):
    """The nearest prototype of another class."""

    row_id: RowId
    label: str
    proximity: float


class FiringRule(Contract):
    """A rule whose conditions hold for the instance."""

    rank: int
    text: str = Field(description="The rule's conditions as an English sentence.")
    prediction: float | str = Field(description="A label; for regression a value.")


class PathLeaf(Contract):
    """The leaf that a row reaches in the approximation tree."""

    id: int = Field(description="Of the node in the tree.")
    prediction: float | str = Field(description="A label; for regression a value.")
    scores: list[Score] = Field(description="Shares of classes; none for regression.")
    n_samples: int = Field(description="Rows of the tree's dataset that reach it.")


class ApproximationPath(Contract):
    """An instance's way in the approximation tree."""

    agrees: bool | None = Field(
        description="The leaf has the label that the model predicts; null for regression, where the two values tell."
    )
    nodes: list[PathNode] = Field(description="The questions on the way, from the root.")
    leaf: PathLeaf


class Explanation(Contract):
    """One prediction explained, or why it could not be."""

    object: Literal["explanation"] = "explanation"
    row_id: InstanceRowId
    status: Literal["ok", "error"]
    prediction: Prediction | None = None
    nearest_prototypes: list[NearestPrototype] | None = None
    prototype_prediction: PrototypePrediction | None = None
    contrast: Contrast | None = None
    rules: list[FiringRule] | None = Field(
        default=None,
        description="In the order in which they are asked: the first decides, and where there is none, the default of "
        "the rule set. Null where they were not asked for.",
    )
    approximation_path: ApproximationPath | None = Field(default=None, description="Null where it was not asked for.")
    problem: Problem | None = None


class Provenance(Contract):
    """What the explanations rest on."""

    model_sha256: str
    dataset_sha256: str
    prototype_set: str
    numerics: str
    service: str


class ExplanationList(Contract):
    """Explanations in the order of the instances."""

    object: Literal["list"] = "list"
    explainer: str
    data: list[Explanation]
    provenance: Provenance
