"""Models: registered ONNX tree ensembles."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from .contract import Contract, Many, Name
from .problems import Problem

Ensemble = Literal["random_forest", "boosting", "other"]
Task = Literal["classification", "regression"]
Scalar = float | bool | str | None
MAX_INSTANCES = 1000
ClassName = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=r"^[^\x00]*$")]
FEW_CLASSES, FEW_CLASSES_CHARACTERS = 20, 1000  # as many as lists show


class IndicatorColumn(Contract):
    """A column that is 1 where the feature has this category, else 0."""

    column: Name
    category: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]


class FeatureGroup(Contract):
    """One-hot columns that belong to one feature."""

    feature: Name
    columns: Many[IndicatorColumn] = Field(min_length=1)


class Parity(Contract):
    """What the caller's own library predicts, to prove that the ONNX model predicts the same."""

    rows: Many[Many[Scalar]] = Field(
        min_length=1, max_length=1000, description="Raw rows in the order of the features."
    )
    predictions: Many[Many[float]] = Field(
        min_length=1, max_length=1000, description="Scores of the classes, or one value, for each row."
    )
    labels: Many[str] | None = Field(
        default=None,
        max_length=1000,
        description="The label that the library predicts for each row, spelled as in `classes`; default: the class of "
        "the first of the highest scores.",
    )
    n_beyond_precision: int = Field(
        default=0,
        ge=0,
        description="Rows that were left out because the graph's precision cannot tell their numbers from those on "
        "the other side of a threshold; they are reported and not compared.",
    )


class ModelMetadata(Contract):
    """What the caller knows and the graph does not say."""

    name: Name | None = None
    feature_names: Many[Name] | None = Field(
        default=None, description="In the order of the ONNX input; default the graph's own, or x0, x1, …"
    )
    classes: Many[ClassName] | None = Field(
        default=None,
        min_length=1,
        description="In the order of the scores, each name once; default: from the graph.",
    )
    ensemble: Ensemble | None = Field(
        default=None, description="The graph does not say it reliably; inferred only where that is certain."
    )
    feature_groups: Many[FeatureGroup] = Field(default=[])
    parity: Parity | None = None


class ParityResult(Contract):
    """How closely the registered model agreed with the rows the caller sent."""

    n_rows: int
    max_difference: float = Field(description="Largest absolute difference of a score or value.")
    label_mismatches: int = Field(
        default=0,
        description="Rows whose label differed; their two best scores were as good as equal, else the model would have "
        "been refused.",
    )
    n_beyond_precision: int = Field(
        default=0,
        description="Rows that the caller left out because the graph's precision cannot tell their numbers from those "
        "on the other side of a threshold.",
    )


class ModelColumn(Contract):
    """What one column that the trees read means in raw features: ``base * scale + offset``.

    ``base`` is the raw value (identity, affine), 1 where the feature is ``category`` and else 0 (indicator), or the
    code of its category (ordinal).
    """

    name: str = Field(description="The raw feature, or the model-side name where it cannot be led back to one.")
    kind: str = Field(description="identity, affine, indicator, ordinal or transformed.")
    feature: str | None
    scale: float
    offset: float
    imputed: float | str | None = Field(description="What a missing value counts as, in raw units.")
    category: float | str | None = Field(description="Null with kind `indicator`: missing.")
    categories: list[float | str | None]
    codes: list[float | None] = Field(description="The code of each of `categories`; null: missing to the trees.")
    default_code: float | None = Field(description="The code of any other category.")
    transformed: bool


class _ModelFacts(Contract):
    """What a list and the model itself say of a model."""

    object: Literal["model"] = "model"
    id: str
    name: str | None
    sha256: str
    size_bytes: int
    task: Task
    ensemble: Ensemble | None
    ensemble_inferred: bool
    n_classes: int = Field(description="0 for regression.")
    n_features: int
    n_trees: int
    n_nodes: int
    n_leaves: int
    max_depth: int
    parity: ParityResult | None
    created_at: datetime


class ModelSummary(_ModelFacts):
    """A registered model in a list: without anything that grows with its features, columns or classes."""

    classes: list[str] | None = Field(
        description=f"Null where there are more than {FEW_CLASSES}, or where their names have more than "
        f"{FEW_CLASSES_CHARACTERS:,} characters in all: read the model itself for those."
    )


class Model(_ModelFacts):
    """A registered model."""

    classes: list[str] = Field(description="In the order of the scores; empty for regression.")
    feature_names: list[str]
    feature_types: list[Literal["number", "category"]] = Field(description="What each feature's values are.")
    operators: list[str]
    column_map: list[ModelColumn]


class TreeNode(Contract):
    """One node of a tree; ids are positions in the list, the root's is 0."""

    id: int
    feature: str | None = Field(description="What is asked about; null at a leaf.")
    operator: str | None = Field(
        description="Yes goes left: <=, <, >=, >, ==, !=, is, is not, in or not in; null at a leaf."
    )
    value: float | str | None = Field(description="Null with `is` and `is not`: missing.")
    categories: list[float | str] | None = Field(default=None, description="What is meant with `in` and `not in`.")
    or_missing: bool | None = Field(description="A missing value goes left.")
    transformed: bool = Field(default=False, description="The column could not be led back to a raw feature.")
    left: int | None
    right: int | None
    leaf: int | None = Field(description="The leaf's number within its tree; null inside.")
    values: list[float] | None = Field(description="What the leaf adds to the outputs; null inside.")


class Tree(Contract):
    """One tree of a model, for drawing."""

    object: Literal["tree"] = "tree"
    model: str
    tree: int
    nodes: list[TreeNode]


Instance = Annotated[
    dict[str, Any] | list[Any],
    Field(description="Values by feature name, or in the order of the features; null is a missing value."),
]
"""One raw row as the caller writes it."""


RowIds = Annotated[
    list[Name],
    Field(
        description="The caller's names for the rows, in their order, each another one; default: their 0-based indices."
    ),
]
InstanceRowId = Annotated[str, Field(description="The caller's name for the row, or its 0-based index as text.")]


class PredictionRequest(Contract):
    """Rows to predict."""

    # More than the limit is a problem of its own (413), not an invalid field.
    instances: list[Instance] = Field(min_length=1, json_schema_extra={"maxItems": MAX_INSTANCES})
    row_ids: RowIds | None = None
    include: list[Literal["leaves"]] = Field(default=[])


class Score(Contract):
    """How strongly the model speaks for a class."""

    label: str
    value: float


class Prediction(Contract):
    """What the model predicts: the same shape for binary, multi-class and regression."""

    task: Task
    label: str | None
    value: float | None
    scores: list[Score]
    near_tie: bool = Field(
        default=False,
        description="The two best scores are so near each other that rounding may have decided the label: another "
        "library, or another number of its threads, may name the other class. False for regression.",
    )


class PredictionRow(Contract):
    """The prediction for one instance, or why there is none."""

    object: Literal["prediction"] = "prediction"
    row_id: InstanceRowId
    status: Literal["ok", "error"]
    prediction: Prediction | None = None
    leaves: list[int] | None = Field(default=None, description="The leaf of the row in each tree.")
    problem: Problem | None = None


class PredictionList(Contract):
    """Predictions in the order of the instances."""

    object: Literal["list"] = "list"
    model: str
    data: list[PredictionRow]
