"""Models: registered ONNX tree ensembles, and other models, for their predictions alone."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, model_validator
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError
from typing_extensions import TypeAliasType

from .contract import OBJECT, Contract, CreatedAt, Many, Name, TaskOfModel, absent
from .decisions import Decided, Decision
from .json_numbers import INFINITE
from .noun import Noun
from .problems import Problem

Ensemble = Literal["random_forest", "boosting", "other"]
Task = Literal["classification", "regression"]
Scalar = float | bool | str | None
MAX_INSTANCES = 1000
ClassName = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=r"^[^\x00]*$")]
FEW_CLASSES, FEW_CLASSES_CHARACTERS = 20, 1000  # as many as lists show


class IndicatorColumn(Contract):
    """A column that is 1 where the feature has this category, else 0."""

    column: Name = Field(description="Name of the one-hot column among the model's features.")
    category: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")] = Field(
        description="Category of the feature that the column indicates."
    )


class FeatureGroup(Contract):
    """One-hot columns that belong to one feature."""

    feature: Name = Field(description="Name of the feature, as results show it.")
    columns: Many[IndicatorColumn] = Field(min_length=1, description="One-hot columns of the feature, one each.")


class Parity(Contract):
    """Predictions of the caller's own library, with which the service checks that the ONNX model predicts the same."""

    rows: Many[Many[Scalar]] = Field(
        min_length=1,
        max_length=1000,
        description=f"Raw rows, each with its values in the order of the features; {INFINITE}.",
    )
    predictions: Many[Many[float]] = Field(
        min_length=1,
        max_length=1000,
        description="Predictions of the library for each row: the scores of all classes, or one value for regression.",
    )
    labels: Many[str] | None = Field(
        default=None,
        max_length=1000,
        description="Label that the library predicts for each row, spelled as in `classes`; default: the class of the "
        "first of the highest scores.",
    )
    n_beyond_precision: int = Field(
        default=0,
        ge=0,
        description="Number of rows that the caller left out because single precision cannot distinguish one of their "
        "numbers from a threshold. They are reported and not compared.",
    )
    n_drawn: int = Field(
        default=0,
        ge=0,
        description="Number of `rows` that are not from data, but drawn from the model's thresholds and categories; "
        "they are compared as all others.",
    )


class BagsOfTrees(Contract):
    """How a forest drew the rows of each tree from those that it was trained on, as scikit-learn's forests do.

    With the seed of its tree numpy's `RandomState(seed).randint(0, n_rows, n_drawn)` draws them again, with
    replacement. They are used with a dataset of exactly these rows in their order, which is found out by
    `leaf_rows_sha256`.
    """

    seeds: Many[Annotated[int, Field(ge=0, lt=2**32)]] = Field(
        min_length=1, max_length=10_000, description="Seed of each tree, in the order of the trees in the graph."
    )
    n_rows: int = Field(ge=1, lt=2**31, description="Number of rows that the forest was trained on.")
    n_drawn: int = Field(ge=1, lt=2**31, description="Number of rows that each tree drew; at most `n_rows`.")
    leaf_rows_sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")] = Field(
        description="SHA-256 of how many distinct drawn rows lie in each leaf: tree by tree, the numbers in ascending "
        "order and then 4,294,967,295, as 4 bytes each, the lowest byte first."
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.n_drawn > self.n_rows:
            message = "n_drawn is {n_drawn}, more than the {n_rows} rows that the forest was trained on"
            raise PydanticCustomError("bags", message, {"n_drawn": self.n_drawn, "n_rows": self.n_rows})
        return self


class ModelMetadata(Contract):
    """Facts about a model that its graph does not hold."""

    name: Name | None = Field(default=None, description="Name of the model, shown in lists; null: none.")
    feature_names: Many[Name] | None = Field(
        default=None,
        description="Names of the features in the order of the ONNX input; default: those of the graph, or x0, x1, …",
    )
    classes: Many[ClassName] | None = Field(
        default=None,
        min_length=1,
        description="Classes in the order of the scores, each once; default: those of the graph.",
    )
    ensemble: Ensemble | None = Field(
        default=None,
        description="How the trees are combined: averaged (`random_forest`), summed (`boosting`), or otherwise; "
        "default: inferred from the graph where that is certain.",
    )
    decision: Decision | None = Field(
        default=None,
        description="How a score becomes an outcome; null: the outcome is the predicted class. It is part of what the "
        "model is: the same file with another decision is another model.",
    )
    bags: BagsOfTrees | None = Field(
        default=None,
        description="Which rows each tree of a forest was trained on, so that evidence can leave out the trees that "
        "learned from a row; null: not known.",
    )
    feature_groups: Many[FeatureGroup] = Field(
        default=[], description="Features that the caller had one-hot encoded outside the graph."
    )
    parity: Parity | None = Field(
        default=None,
        description="Predictions of the caller's library to compare with; null: nothing is compared.",
    )
    oracle_only: bool = Field(
        default=False,
        strict=True,
        description="Whether the model is registered for its predictions alone. Then it may be any classifier or "
        "regressor (a network, a linear model, support vectors, a stack), approximation trees can be made of it by "
        "`sta`, `born_again` and `cart`, and what is made from leaves cannot. `ensemble` and `feature_groups` must be "
        "left out.",
    )
    finite_only: bool = Field(
        default=False,
        strict=True,
        description="Whether the model's own library refuses infinite numbers, as the forests of scikit-learn do. Then "
        "rows with one are refused; otherwise infinities go through the graph as other numbers do.",
    )


class ParityResult(Contract):
    """How closely the registered model reproduced the predictions that the caller sent."""

    n_rows: int = Field(description="Number of rows that were compared.")
    max_difference: float = Field(description="Largest absolute difference between two scores or values.")
    label_mismatches: int = Field(
        default=0,
        description="Number of rows with different labels. The scores of both labels were equal up to rounding, or lay "
        "on a cut-off; otherwise the model would have been refused.",
    )
    n_beyond_precision: int = Field(
        default=0,
        description="Number of rows that the caller left out because single precision cannot distinguish one of their "
        "numbers from a threshold.",
    )
    n_drawn: int = Field(
        default=0,
        description="How many of the `n_rows` rows the caller drew from the model's thresholds and categories; the "
        "others are rows of data.",
    )


class ModelWarning(Contract):
    """What limits the explanations of a model."""

    code: Literal[
        "transformed_features",
        "trees_decide_in_part",
        "weighted_ensembles",
        "unused_ensembles",
        "onnxruntime_differs",
    ] = Field(
        description="Kind of the warning. `transformed_features`: trees test columns that cannot be mapped back to a "
        "raw feature, such as principal components; reasons are about these columns. `trees_decide_in_part`: an input "
        "reaches the predictions past the trees, such as by a linear member of a vote. `weighted_ensembles`: the graph "
        "weighs its ensembles otherwise than by their numbers of trees. `unused_ensembles`: ensembles that do not lead "
        "to the predictions are left out. `onnxruntime_differs`: predictions follow the ONNX specification, from which "
        "onnxruntime departs for this graph."
    )
    detail: str = Field(description="What it is about, with its figures: columns, shares, or numbers of rows.")


class ModelEngine(Contract):
    """What finds the leaves and predictions of many rows, and of rows that are explained."""

    name: Literal["walker", "onnxruntime"] = Field(
        description="`walker`: compiled loops of the service's own, compared with onnxruntime on rows at the trees' "
        "thresholds before they are used; `onnxruntime`: the runtime alone. Leaves, scores and labels are the same; "
        "predictions alone, without explanations, are always onnxruntime's."
    )
    reason: str | None = Field(description="Why it is onnxruntime; null for the walker.")


class ModelColumn(Contract):
    """How one column that the trees read is computed from a raw feature: ``base * scale + offset``.

    ``base`` is the raw value (identity, affine, monotone), 1 where the feature is ``category`` and else 0 (indicator),
    or the code of its category (ordinal).
    """

    name: str = Field(
        description="Name of the raw feature; where the column cannot be mapped back, what it is, such as component 2 "
        "of 5 of age, income."
    )
    kind: str = Field(description="How it is computed: identity, affine, monotone, indicator, ordinal or transformed.")
    function: str | None = Field(
        default=None,
        description="Function of the raw value that a `monotone` column is, such as log(income + 1). All thresholds on "
        "it are shown as thresholds on the raw value. Null for other kinds.",
    )
    feature: str | None = Field(
        description="Name of the raw feature. For a transformed column: the only feature that it depends on, or null "
        "if it depends on several."
    )
    scale: float = Field(description="Factor in `base * scale + offset`; 1 if nothing is scaled.")
    offset: float = Field(description="Summand in `base * scale + offset`; 0 if nothing is shifted.")
    imputed: float | str | None = Field(
        description="Raw value that replaces a missing one; null if missing values are not replaced."
    )
    category: float | str | None = Field(
        description="Category that an `indicator` indicates; null with `indicator` means missing. Null for other kinds."
    )
    categories: list[float | str | None] = Field(description="Categories of an `ordinal`; empty for other kinds.")
    codes: list[float | None] = Field(
        description="Code of each of `categories`; a null code reaches the trees as a missing value."
    )
    default_code: float | None = Field(
        description="Code of every other category of an `ordinal`; null: they reach the trees as missing values."
    )
    transformed: bool = Field(description="Whether the column could not be mapped back to a raw feature.")


class _ModelFacts(Contract):
    """Fields of a model in lists and by itself."""

    object: Annotated[Literal["model"], OBJECT] = "model"
    id: str = Field(description="Id of the model, derived from its file and metadata.")
    name: str | None = Field(description="Name from the metadata; null without one.")
    sha256: str = Field(description="SHA-256 of the uploaded file, in hexadecimal.")
    size_bytes: int = Field(description="Size of the uploaded file in bytes.")
    task: TaskOfModel
    ensemble: Ensemble | None = Field(
        description="How the trees are combined: averaged (`random_forest`), summed (`boosting`), or otherwise; null "
        "if unknown."
    )
    ensemble_inferred: bool = Field(
        description="Whether `ensemble` was inferred from the graph rather than sent in the metadata."
    )
    n_classes: int = Field(description="Number of classes; 0 for regression.")
    n_features: int = Field(description="Number of features that callers send.")
    n_trees: int = Field(description="Number of trees.")
    n_nodes: int = Field(description="Number of nodes of all trees, leaves included.")
    n_leaves: int = Field(description="Number of leaves of all trees.")
    max_depth: int = Field(description="Number of splits on the longest path from a root to a leaf.")
    parity: ParityResult | None = Field(
        description="Comparison with the predictions of the caller's library; null if none were sent."
    )
    oracle_only: bool = Field(
        default=False,
        description="Whether the model was registered for its predictions alone: numbers of trees, nodes and leaves "
        "are 0, and approximation trees are all that can be made of it.",
    )
    finite_only: bool = Field(
        default=False,
        description="Whether rows with an infinite number are refused, as the model's own library refuses them.",
    )
    seconds_per_1000_rows: float | None = Field(
        default=None,
        description="Seconds of processor time that predicting 1,000 rows took at registration; null unless "
        "`oracle_only`.",
    )
    n_bagged_rows: int | None = Field(
        default=None,
        description="Number of rows that the model was trained on, where it is known which trees learned from which "
        "(`bags` of the metadata); null where it is not.",
    )
    created_at: CreatedAt


class ModelSummary(_ModelFacts):
    """A registered model in a list: without anything that grows with its features, columns or classes."""

    classes: list[str] | None = Field(
        description="Classes in the order of the scores; empty for regression. Null where there are more than "
        f"{FEW_CLASSES} or their names have more than {FEW_CLASSES_CHARACTERS:,} characters in all: read the model "
        "itself for those."
    )


class Model(_ModelFacts):
    """A registered model."""

    classes: list[str] = Field(description="Classes in the order of the scores; empty for regression.")
    feature_names: list[str] = Field(description="Names of the features that callers send, in the model's order.")
    feature_types: list[Literal["number", "category"]] = Field(description="Type of each feature's values.")
    operators: list[str] = Field(description="ONNX operators that the graph uses.")
    column_map: list[ModelColumn] = Field(
        description="Columns that the trees read, in their order, and how each is computed from the features."
    )
    warnings: list[ModelWarning] = Field(
        default=[], description="What limits the explanations of this model; empty if nothing does."
    )
    engine: ModelEngine = Field(description="What finds the leaves and predictions of many rows.")
    decision: Decision | None = Field(
        description="How a score becomes an outcome; null: the outcome is the predicted class."
    )

    @property
    def outcomes(self) -> list[str]:
        """What is decided of rows: the outcomes of the decision, or else the classes; empty of a plain regression."""
        return self.classes if self.decision is None else [band.outcome for band in self.decision.bands]


class TreeNode(Contract):
    """One node of a tree: a split or a leaf."""

    id: int = Field(description="0-based index of the node in the list; the root is 0.")
    feature: str | None = Field(description="Name of the feature that the split tests; null at a leaf.")
    operator: str | None = Field(
        description="Comparison that sends a row left: <=, <, >=, >, ==, !=, is, is not, in or not in; null at a leaf."
    )
    value: float | str | None = Field(
        description="Value to compare with; null at a leaf, with `in` and `not in`, and for missing values with `is` "
        "and `is not`."
    )
    categories: list[float | str] | None = Field(
        default=None, description="Categories to compare with; null except with `in` and `not in`."
    )
    or_missing: bool | None = Field(description="Whether missing values go left; null at a leaf.")
    transformed: bool = Field(
        default=False, description="Whether the tested column could not be mapped back to a raw feature."
    )
    left: int | None = Field(description="Id of the child for rows that satisfy the comparison; null at a leaf.")
    right: int | None = Field(description="Id of the child for all other rows; null at a leaf.")
    leaf: int | None = Field(description="0-based number of the leaf within its tree; null at a split.")
    values: list[float] | None = Field(
        description="What the leaf contributes to each output of the ensemble; null at a split."
    )


class Tree(Contract):
    """One tree of a model, for drawing."""

    object: Annotated[Literal["tree"], OBJECT] = "tree"
    model: str = Field(description="Id of the model.")
    tree: int = Field(description="0-based index of the tree in the model.")
    nodes: list[TreeNode] = Field(description="Nodes of the tree; the root comes first.")


class FeatureUsage(Contract):
    """How often a model's trees test a feature."""

    feature: str = Field(description="Name of the feature, or of a transformed column that cannot be mapped back.")
    transformed: bool = Field(
        default=False, description="Whether it is a transformed column that cannot be mapped back to a raw feature."
    )
    share_of_trees: float = Field(description="Share of the trees that test it at least once, 0 to 1.")
    share_of_questions: float = Field(
        description="Share of all inner nodes of the trees that test it, 0 to 1; together they make 1."
    )


class FeatureUsageList(Contract):
    """What a model's trees test."""

    object: Annotated[Literal["list"], OBJECT] = "list"
    model: str = Field(description="Id of the model.")
    n_trees: int = Field(description="Number of its trees.")
    n_questions: int = Field(description="Number of inner nodes of all trees.")
    data: list[FeatureUsage] = Field(
        description="All features, those that most trees test first (ties: those with more tests, then in the "
        "model's order); features that no tree tests have 0."
    )


INSTANCE = f"Values by feature name, or in the order of the features; null is a missing value, and {INFINITE}."
Instance = Annotated[dict[str, Any] | list[Any], Field(description=INSTANCE)]
"""One raw row as the caller writes it."""
INSTANCES = (
    f"Raw rows, at most {MAX_INSTANCES:,}. Each row has values by feature name, or in the order of the features."
)
ROW_IDS = "Ids of the rows in their order, which must be unique; default: their 0-based indices as text."
RowIds = Annotated[list[Name], Field(description=ROW_IDS)]
InstanceRowId = Annotated[
    str, Field(description="Id of the row: the caller's or, without one, the default of the request's `row_ids`.")
]


class PredictionRequest(Contract):
    """Rows to predict."""

    # More than the limit is a problem of its own (413), not an invalid field.
    instances: list[Instance] = Field(
        min_length=1, description=INSTANCES, json_schema_extra={"maxItems": MAX_INSTANCES}
    )
    row_ids: RowIds | None = Field(default=None, description=ROW_IDS)
    include: list[Literal["leaves"]] = Field(
        default=[], description="Optional parts of the answer: `leaves` adds the leaf of each row in each tree."
    )


class Score(Contract):
    """The score of one class."""

    label: str = Field(description="Class that the score belongs to.")
    value: float = Field(description="Score of the class: a probability or share, or what the model's graph outputs.")


class ClassPrediction(Contract):
    """What a classifier predicts."""

    task: Literal["classification"] = Field(description="What the model predicts: a class.")
    label: str = Field(description="Predicted class.")
    scores: list[Score] = Field(description="Scores in the order of the model's classes.")
    near_tie: bool | SkipJsonSchema[None] = absent(
        "True where the two best scores differ by no more than rounding, so that another library, or another number of "
        "its threads, may predict the other class; else absent, as it is where labels come from a cut-off."
    )


class ValuePrediction(Contract):
    """What a regression predicts."""

    task: Literal["regression"] = Field(description="What the model predicts: a value.")
    value: float = Field(description="Predicted value.")


Prediction = TypeAliasType(
    "Prediction",
    Annotated[
        ClassPrediction | ValuePrediction,
        Field(discriminator="task", description="What the model predicts: a class or a value, by `task`."),
    ],
)


class PredictionRow(Contract):
    """The prediction for one instance, or why there is none."""

    object: Annotated[Literal["prediction"], OBJECT] = "prediction"
    row_id: InstanceRowId
    status: Literal["ok", "error"] = Field(description="`error` if the row could not be predicted; see `problem`.")
    prediction: Prediction | None = Field(default=None, description="What the model predicts; null with an error.")
    decision: Decided | SkipJsonSchema[None] = absent(
        "What is decided of the row; absent with an error, and where the model has no decision."
    )
    leaves: list[int] | None = Field(
        default=None,
        description="0-based number of the row's leaf in each tree; null unless requested by `include`.",
    )
    problem: Problem | None = Field(default=None, description="Why the row could not be predicted; null without error.")


class PredictionList(Contract):
    """Predictions in the order of the instances."""

    object: Annotated[Literal["list"], OBJECT] = "list"
    model: str = Field(description="Id of the model.")
    data: list[PredictionRow] = Field(description="Predictions, one for each instance, in their order.")
    ignored_columns: list[str] | SkipJsonSchema[None] = absent(
        "Names that instances have and the model does not, the first 100 of them, which nothing reads; absent where "
        "there are none."
    )


MODELS = Noun(
    name="models",
    singular="model",
    position=10,
    id_prefix="mdl_",
    description="Tree ensembles, registered as ONNX: their predictions, their trees, and proximities of rows sent "
    "along. Other classifiers and regressors, registered as oracles: their predictions alone.",
    making="at_once",
    request=ModelMetadata,
    summary=ModelSummary,
    view=Model,
    mutable=("name",),
    actions={"predictions": "explain", "proximities": "explain"},
    read_without_leaves=("predictions",),
)
