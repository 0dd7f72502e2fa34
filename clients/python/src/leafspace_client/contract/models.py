"""Models and operations of models.

Written by scripts/generate_client.py from openapi.json.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias

from ..displays import DrawnRecord
from ..fields import UNSET, File, Tag, Unset
from ..operations import Request, segment
from ..records import Record
from .literals import (
    ComparedRowStatus,
    LabelAuditProximityKind,
    ModelEngineName,
    ModelEnsemble,
    ModelFeatureTypes,
    ModelWarningCode,
    ProximityKind,
    Task,
)


class Band(Record):
    """The scores that have one outcome."""

    outcome: str
    """Name of the outcome."""
    below: float | Unset | None = UNSET
    """Upper end of the band: a score below it, and not below the end of the band before, has this outcome. The end
    itself belongs to the next band. Null for the last band, which has no upper end.
    """


class BodyRegisterModel(Record):
    """Form of an upload."""

    file: File
    """Content of the file; its name is ignored."""
    metadata: str | Unset | None = UNSET
    """JSON text, as `ModelMetadata` describes it; default: all defaults."""


class ClassPrediction(Record):
    """What a classifier predicts."""

    task: Literal["classification"]
    """What the model predicts: a class."""
    label: float | str
    """Predicted class."""
    scores: list[Score]
    """Scores in the order of the model's classes."""
    near_tie: bool | Unset = UNSET
    """True where the two best scores differ by no more than rounding, so that another library, or another number of its
    threads, may predict the other class; else absent, as it is where labels come from a cut-off.
    """


class ComparedRow(Record):
    """Whether a row could be compared, or why not."""

    row_id: str
    """Id of the row: the caller's or, without one, the default of the request's `row_ids`."""
    status: ComparedRowStatus | str
    """`error` if the row could not be compared; see `problem`."""
    problem: Problem | Unset | None = UNSET
    """Why the row could not be compared; null without error."""


class Decided(Record):
    """What was decided on a row, and by which score."""

    outcome: str
    """The outcome: that of the band in which the score lies, or the predicted class."""
    outcome_text: str | Unset = UNSET
    """What the dictionary of an explainer's dataset calls the outcome; absent where it is called by its name."""
    score_of: str | Unset = UNSET
    """Class whose score decides; absent for regression, and where it is the predicted class itself."""
    score: float
    """The score that decides."""
    bands: list[Band] | Unset = UNSET
    """Bands of the score; absent where the model has no decision."""


class Decision(Record):
    """How a model's score becomes an outcome: by bands of the score of one class, or of the value of a regression."""

    score_of: str | Unset | None = UNSET
    """Class whose score is in bands; null for a regression, where the value is."""
    bands: list[Band]
    """Bands from the lowest scores to the highest, each with another outcome; `below` rises from band to band, and only
    the last has none.
    """
    best_first: bool | Unset = UNSET
    """Whether the lowest scores have the best outcome, as those of the risk of default have; otherwise the highest
    scores do. A better outcome is what a change of a row aims at.
    """
    adverse: list[str] | Unset = UNSET
    """Outcomes that are adverse to the person concerned, among them the worst if the best is; a notice gives reasons
    for them, and what would change them.
    """
    labels_decide: bool | Unset = UNSET
    """Whether the model's own labels are the outcomes, as where a cut-off of the estimator makes them; then each
    outcome is the name of a class, and the bands say how the labels follow from the score.
    """


class FeatureUsage(Record):
    """How often a model's trees test a feature."""

    feature: str
    """Name of the feature, or of a transformed column that cannot be mapped back."""
    transformed: bool = False
    """Whether it is a transformed column that cannot be mapped back to a raw feature."""
    share_of_trees: float
    """Share of the trees that test it at least once, 0 to 1."""
    share_of_questions: float
    """Share of all inner nodes of the trees that test it, 0 to 1; together they make 1."""


class FeatureUsageList(Record):
    """What a model's trees test."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    model: str
    """Id of the model."""
    n_trees: int
    """Number of its trees."""
    n_questions: int
    """Number of inner nodes of all trees."""
    data: list[FeatureUsage]
    """All features, those that most trees test first (ties: those with more tests, then in the model's order); features
    that no tree tests have 0.
    """


class FieldProblem(Record):
    """What is wrong with one field, or with one row."""

    pointer: str
    """JSON Pointer to the field (RFC 6901)."""
    detail: str
    """What is wrong with its value."""
    code: str | Unset | None = UNSET
    """Stable, machine-readable name of a row's problem; null for other fields."""


class Model(DrawnRecord):
    """A registered model."""

    object_: Literal["model"] = "model"
    """Type of this object."""
    id: str
    """Id of the model, derived from its file and metadata."""
    name: str | None
    """Name from the metadata; null without one."""
    sha256: str
    """SHA-256 of the uploaded file, in hexadecimal."""
    size_bytes: int
    """Size of the uploaded file in bytes."""
    task: Task | str
    """What the model predicts."""
    ensemble: ModelEnsemble | str | None
    """How the trees are combined: averaged (`random_forest`), summed (`boosting`), or otherwise; null if unknown."""
    ensemble_inferred: bool
    """Whether `ensemble` was inferred from the graph rather than sent in the metadata."""
    n_classes: int
    """Number of classes; 0 for regression."""
    n_features: int
    """Number of features that callers send."""
    n_trees: int
    """Number of trees."""
    n_nodes: int
    """Number of nodes of all trees, leaves included."""
    n_leaves: int
    """Number of leaves of all trees."""
    max_depth: int
    """Number of splits on the longest path from a root to a leaf."""
    parity: ParityResult | None
    """Comparison with the predictions of the caller's library; null if none were sent."""
    oracle_only: bool = False
    """Whether the model was registered for its predictions alone: numbers of trees, nodes and leaves are 0, and
    approximation trees are all that can be made of it.
    """
    finite_only: bool = False
    """Whether rows with an infinite number are refused, as the model's own library refuses them."""
    seconds_per_1000_rows: float | Unset | None = UNSET
    """Seconds of processor time that predicting 1,000 rows took at registration; null unless `oracle_only`."""
    n_bagged_rows: int | Unset | None = UNSET
    """Number of rows that the model was trained on, where it is known which trees learned from which (`bags` of the
    metadata); null where it is not.
    """
    created_at: datetime
    """Time of creation, in UTC (RFC 3339)."""
    classes: list[str]
    """Classes in the order of the scores; empty for regression."""
    feature_names: list[str]
    """Names of the features that callers send, in the model's order."""
    feature_types: list[ModelFeatureTypes | str]
    """Type of each feature's values."""
    operators: list[str]
    """ONNX operators that the graph uses."""
    column_map: list[ModelColumn]
    """Columns that the trees read, in their order, and how each is computed from the features."""
    warnings: list[ModelWarning] | Unset = UNSET
    """What limits the explanations of this model; empty if nothing does."""
    engine: ModelEngine
    """What finds the leaves and predictions of many rows."""
    decision: Decision | None
    """How a score becomes an outcome; null: the outcome is the predicted class."""


class ModelColumn(Record):
    """How one column that the trees read is computed from a raw feature: ``base * scale + offset``. ``base`` is the raw
    value (identity, affine, monotone), 1 where the feature is ``category`` and else 0 (indicator), or the code of its
    category (ordinal).
    """

    name: str
    """Name of the raw feature; where the column cannot be mapped back, what it is, such as component 2 of 5 of age,
    income.
    """
    kind: str
    """How it is computed: identity, affine, monotone, indicator, ordinal or transformed."""
    function: str | Unset | None = UNSET
    """Function of the raw value that a `monotone` column is, such as log(income + 1). All thresholds on it are shown as
    thresholds on the raw value. Null for other kinds.
    """
    feature: str | None
    """Name of the raw feature. For a transformed column: the only feature that it depends on, or null if it depends on
    several.
    """
    scale: float
    """Factor in `base * scale + offset`; 1 if nothing is scaled."""
    offset: float
    """Summand in `base * scale + offset`; 0 if nothing is shifted."""
    imputed: NumberOrText | None
    """Raw value that replaces a missing one; null if missing values are not replaced."""
    category: NumberOrText | None
    """Category that an `indicator` indicates; null with `indicator` means missing. Null for other kinds."""
    categories: list[NumberOrText | None]
    """Categories of an `ordinal`; empty for other kinds."""
    codes: list[float | None]
    """Code of each of `categories`; a null code reaches the trees as a missing value."""
    default_code: float | None
    """Code of every other category of an `ordinal`; null: they reach the trees as missing values."""
    transformed: bool
    """Whether the column could not be mapped back to a raw feature."""


class ModelEngine(Record):
    """What finds the leaves and predictions of many rows, and of rows that are explained."""

    name: ModelEngineName | str
    """`walker`: compiled loops of the service's own, compared with onnxruntime on rows at the trees' thresholds before
    they are used; `onnxruntime`: the runtime alone. Leaves, scores and labels are the same; predictions alone, without
    explanations, are always onnxruntime's.
    """
    reason: str | None
    """Why it is onnxruntime; null for the walker."""


class ModelSummary(Record):
    """A registered model in a list: without anything that grows with its features, columns or classes."""

    object_: Literal["model"] = "model"
    """Type of this object."""
    id: str
    """Id of the model, derived from its file and metadata."""
    name: str | None
    """Name from the metadata; null without one."""
    sha256: str
    """SHA-256 of the uploaded file, in hexadecimal."""
    size_bytes: int
    """Size of the uploaded file in bytes."""
    task: Task | str
    """What the model predicts."""
    ensemble: ModelEnsemble | str | None
    """How the trees are combined: averaged (`random_forest`), summed (`boosting`), or otherwise; null if unknown."""
    ensemble_inferred: bool
    """Whether `ensemble` was inferred from the graph rather than sent in the metadata."""
    n_classes: int
    """Number of classes; 0 for regression."""
    n_features: int
    """Number of features that callers send."""
    n_trees: int
    """Number of trees."""
    n_nodes: int
    """Number of nodes of all trees, leaves included."""
    n_leaves: int
    """Number of leaves of all trees."""
    max_depth: int
    """Number of splits on the longest path from a root to a leaf."""
    parity: ParityResult | None
    """Comparison with the predictions of the caller's library; null if none were sent."""
    oracle_only: bool = False
    """Whether the model was registered for its predictions alone: numbers of trees, nodes and leaves are 0, and
    approximation trees are all that can be made of it.
    """
    finite_only: bool = False
    """Whether rows with an infinite number are refused, as the model's own library refuses them."""
    seconds_per_1000_rows: float | Unset | None = UNSET
    """Seconds of processor time that predicting 1,000 rows took at registration; null unless `oracle_only`."""
    n_bagged_rows: int | Unset | None = UNSET
    """Number of rows that the model was trained on, where it is known which trees learned from which (`bags` of the
    metadata); null where it is not.
    """
    created_at: datetime
    """Time of creation, in UTC (RFC 3339)."""
    classes: list[str] | None
    """Classes in the order of the scores; empty for regression. Null where there are more than 20 or their names have
    more than 1,000 characters in all: read the model itself for those.
    """


class ModelWarning(Record):
    """What limits the explanations of a model."""

    code: ModelWarningCode | str
    """Kind of the warning. `transformed_features`: trees test columns that cannot be mapped back to a raw feature, such
    as principal components; reasons are about these columns. `trees_decide_in_part`: an input reaches the predictions
    past the trees, such as by a linear member of a vote. `weighted_ensembles`: the graph weighs its ensembles otherwise
    than by their numbers of trees. `unused_ensembles`: ensembles that do not lead to the predictions are left out.
    `onnxruntime_differs`: predictions follow the ONNX specification, from which onnxruntime departs for this graph.
    """
    detail: str
    """What it is about, with its figures: columns, shares, or numbers of rows."""


class PageModelSummary(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[ModelSummary]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class ParityResult(Record):
    """How closely the registered model reproduced the predictions that the caller sent."""

    n_rows: int
    """Number of rows that were compared."""
    max_difference: float
    """Largest absolute difference between two scores or values."""
    label_mismatches: int = 0
    """Number of rows with different labels. The scores of both labels were equal up to rounding, or lay on a cut-off;
    otherwise the model would have been refused.
    """
    n_beyond_precision: int = 0
    """Number of rows that the caller left out because single precision cannot distinguish one of their numbers from a
    threshold.
    """
    n_drawn: int = 0
    """How many of the `n_rows` rows the caller drew from the model's thresholds and categories; the others are rows of
    data.
    """


class PredictionList(Record):
    """Predictions in the order of the instances."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    model: str
    """Id of the model."""
    data: list[PredictionRow]
    """Predictions, one for each instance, in their order."""
    ignored_columns: list[str] | Unset = UNSET
    """Names that instances have and the model does not, the first 100 of them, which nothing reads; absent where there
    are none.
    """


class PredictionRequest(Record):
    """Rows to predict."""

    instances: list[Instance]
    """Raw rows, at most 1,000. Each row has values by feature name, or in the order of the features."""
    row_ids: list[str] | Unset | None = UNSET
    """Ids of the rows in their order, which must be unique; default: their 0-based indices as text."""
    include: list[Literal["leaves"]] | Unset = UNSET
    """Optional parts of the answer: `leaves` adds the leaf of each row in each tree."""


class PredictionRow(Record):
    """The prediction for one instance, or why there is none."""

    object_: Literal["prediction"] = "prediction"
    """Type of this object."""
    row_id: str
    """Id of the row: the caller's or, without one, the default of the request's `row_ids`."""
    status: ComparedRowStatus | str
    """`error` if the row could not be predicted; see `problem`."""
    prediction: Prediction | Unset | None = UNSET
    """What the model predicts; null with an error."""
    decision: Decided | Unset = UNSET
    """What is decided of the row; absent with an error, and where the model has no decision."""
    leaves: list[int] | Unset | None = UNSET
    """0-based number of the row's leaf in each tree; null unless requested by `include`."""
    problem: Problem | Unset | None = UNSET
    """Why the row could not be predicted; null without error."""


class Problem(Record):
    """Why a request failed, and what to do (application/problem+json)."""

    type_: str
    """Path of a page of this service that explains the code, as HTML or as JSON."""
    title: str
    """The problem in a few words, the same for all problems of this code."""
    status: int
    """HTTP status of the answer."""
    detail: str
    """What was wrong, with which value, and what to do."""
    code: str
    """Stable, machine-readable name of the problem."""
    request_id: str | Unset | None = UNSET
    """Id of the request, under which logs mention it; null in problems of jobs and rows."""
    errors: list[FieldProblem] | Unset | None = UNSET
    """Problems of single fields, where the body is not valid, or of single rows, where none could be explained;
    otherwise null.
    """
    location: str | Unset | None = UNSET
    """Path of the resource that the problem is about; null without one."""


class ProximityBlock(Record):
    """The proximity of each instance to each of the others."""

    object_: Literal["proximity_block"] = "proximity_block"
    """Type of this object."""
    model: str
    """Id of the model."""
    proximity_kind: ProximityKind | str
    """How trees were weighted in the proximities."""
    n_trees: int
    """Number of trees of the model; 0 of an oracle."""
    weights_of: str | None
    """Id of the artefact whose tree weights were used; null if none was requested."""
    instances: list[ComparedRow]
    """The instances, in the order of the request."""
    others: list[ComparedRow]
    """The other rows, in the order of the request."""
    proximities: list[list[float | None] | None]
    """One list for each instance, with its proximity to each of the others, 0 to 1; null for rows with an error."""


class ProximityBlockRequest(Record):
    """Rows to compare with other rows."""

    instances: list[Instance]
    """Raw rows, at most 1,000. Each row has values by feature name, or in the order of the features."""
    others: list[Instance]
    """Raw rows to compare the instances with, written like these; at most 1,000."""
    row_ids: list[str] | Unset | None = UNSET
    """Ids of the rows in their order, which must be unique; default: their 0-based indices as text."""
    other_row_ids: list[str] | Unset | None = UNSET
    """Ids of `others`, which must be unique; default: their 0-based indices as text."""
    proximity_kind: LabelAuditProximityKind | Unset = UNSET
    """How trees are weighted in proximities. `random_forest`: all alike (Tan et al., equation 1); `boosting`: by their
    contribution to the scores, its variance over the rows (Tan et al., definition 3); `boosting_sd`: by its standard
    deviation, the variance's square root, and `boosting_l1`: by its mean absolute deviation, both of which leave more
    weight to small trees; `auto`: by the model's `ensemble`, and `random_forest` where that is `other` or unknown
    (votes, AdaBoost, calibrated models).
    """
    weights_of: str | Unset | None = UNSET
    """Id of proximities, a label audit or a prototype set of this model and kind whose tree weights are used, and its
    coarser leaves where its `min_leaf_rows` is more than 1. Null: the trees' own leaves, and weights by
    `proximity_kind`, where `boosting` measures the trees' contributions on the rows of this request, instances and
    others together.
    """


class Renaming(Record):
    """Another name for something that keeps its id."""

    name: str | None
    """The new name; null removes the one that it has."""


class Score(Record):
    """The score of one class."""

    label: float | str
    """Class that the score belongs to."""
    value: float
    """Score of the class: a probability or share, or what the model's graph outputs."""


class Tree(Record):
    """One tree of a model, for drawing."""

    object_: Literal["tree"] = "tree"
    """Type of this object."""
    model: str
    """Id of the model."""
    tree: int
    """0-based index of the tree in the model."""
    nodes: list[TreeNode]
    """Nodes of the tree; the root comes first."""


class TreeNode(Record):
    """One node of a tree: a split or a leaf."""

    id: int
    """0-based index of the node in the list; the root is 0."""
    feature: str | None
    """Name of the feature that the split tests; null at a leaf."""
    operator: str | None
    """Comparison that sends a row left: <=, <, >=, >, ==, !=, is, is not, in or not in; null at a leaf."""
    value: NumberOrText | None
    """Value to compare with; null at a leaf, with `in` and `not in`, and for missing values with `is` and `is not`."""
    categories: list[NumberOrText] | Unset | None = UNSET
    """Categories to compare with; null except with `in` and `not in`."""
    or_missing: bool | None
    """Whether missing values go left; null at a leaf."""
    transformed: bool = False
    """Whether the tested column could not be mapped back to a raw feature."""
    left: int | None
    """Id of the child for rows that satisfy the comparison; null at a leaf."""
    right: int | None
    """Id of the child for all other rows; null at a leaf."""
    leaf: int | None
    """0-based number of the leaf within its tree; null at a split."""
    values: list[float] | None
    """What the leaf contributes to each output of the ensemble; null at a split."""


class ValuePrediction(Record):
    """What a regression predicts."""

    task: Literal["regression"]
    """What the model predicts: a value."""
    value: float
    """Predicted value."""


class BagsOfTrees(Record):
    """How a forest drew the rows of each tree from those that it was trained on, as scikit-learn's forests do. With the
    seed of its tree numpy's `RandomState(seed).randint(0, n_rows, n_drawn)` draws them again, with replacement. They
    are used with a dataset of exactly these rows in their order, which is found out by `leaf_rows_sha256`.
    """

    seeds: list[int]
    """Seed of each tree, in the order of the trees in the graph."""
    n_rows: int
    """Number of rows that the forest was trained on."""
    n_drawn: int
    """Number of rows that each tree drew; at most `n_rows`."""
    leaf_rows_sha256: str
    """SHA-256 of how many distinct drawn rows lie in each leaf: tree by tree, the numbers in ascending order and then
    4,294,967,295, as 4 bytes each, the lowest byte first.
    """


class FeatureGroup(Record):
    """One-hot columns that belong to one feature."""

    feature: str
    """Name of the feature, as results show it."""
    columns: list[IndicatorColumn]
    """One-hot columns of the feature, one each."""


class IndicatorColumn(Record):
    """A column that is 1 where the feature has this category, else 0."""

    column: str
    """Name of the one-hot column among the model's features."""
    category: str
    """Category of the feature that the column indicates."""


class Parity(Record):
    """Predictions of the caller's own library, with which the service checks that the ONNX model predicts the same."""

    rows: list[list[CellValue | None]]
    """Raw rows, each with its values in the order of the features; an infinite number is the text `Infinity` or
    `-Infinity`.
    """
    predictions: list[list[float]]
    """Predictions of the library for each row: the scores of all classes, or one value for regression."""
    labels: list[str] | Unset | None = UNSET
    """Label that the library predicts for each row, spelled as in `classes`; default: the class of the first of the
    highest scores.
    """
    n_beyond_precision: int | Unset = UNSET
    """Number of rows that the caller left out because single precision cannot distinguish one of their numbers from a
    threshold. They are reported and not compared.
    """
    n_drawn: int | Unset = UNSET
    """Number of `rows` that are not from data, but drawn from the model's thresholds and categories; they are compared
    as all others.
    """


class ModelMetadata(Record):
    """Facts about a model that its graph does not hold."""

    name: str | Unset | None = UNSET
    """Name of the model, shown in lists; null: none."""
    feature_names: list[str] | Unset | None = UNSET
    """Names of the features in the order of the ONNX input; default: those of the graph, or x0, x1, …"""
    classes: list[str] | Unset | None = UNSET
    """Classes in the order of the scores, each once; default: those of the graph."""
    ensemble: ModelEnsemble | Unset | None = UNSET
    """How the trees are combined: averaged (`random_forest`), summed (`boosting`), or otherwise; default: inferred from
    the graph where that is certain.
    """
    decision: Decision | Unset | None = UNSET
    """How a score becomes an outcome; null: the outcome is the predicted class. It is part of what the model is: the
    same file with another decision is another model.
    """
    bags: BagsOfTrees | Unset | None = UNSET
    """Which rows each tree of a forest was trained on, so that evidence can leave out the trees that learned from a
    row; null: not known.
    """
    feature_groups: list[FeatureGroup] | Unset = UNSET
    """Features that the caller had one-hot encoded outside the graph."""
    parity: Parity | Unset | None = UNSET
    """Predictions of the caller's library to compare with; null: nothing is compared."""
    oracle_only: bool | Unset = UNSET
    """Whether the model is registered for its predictions alone. Then it may be any classifier or regressor (a network,
    a linear model, support vectors, a stack), approximation trees can be made of it by `sta`, `born_again` and `cart`,
    and what is made from leaves cannot. `ensemble` and `feature_groups` must be left out.
    """
    finite_only: bool | Unset = UNSET
    """Whether the model's own library refuses infinite numbers, as the forests of scikit-learn do. Then rows with one
    are refused; otherwise infinities go through the graph as other numbers do.
    """


Prediction: TypeAlias = Annotated[ClassPrediction | ValuePrediction, Tag("task")]
"""What the model predicts: a class or a value, by `task`."""

Instance: TypeAlias = dict[str, Any] | list[Any]
"""A raw row: values by feature name, or in the order of the features."""

CellValue: TypeAlias = float | bool | str
"""A value of a column: a number, a boolean or a category."""

NumberOrText: TypeAlias = float | str
"""A number or a text, such as a predicted value or label."""


def register_model(*, body: BodyRegisterModel, idempotency_key: str | Unset | None = UNSET) -> Request[Model]:
    """Register an ONNX model: it is checked, and first run, in a process of its own."""
    return Request("POST", "/v1/models", headers={"Idempotency-Key": idempotency_key}, body=body, answer=Model)


def list_models(
    *, limit: int | Unset = UNSET, cursor: str | Unset | None = UNSET, name: str | Unset | None = UNSET
) -> Request[PageModelSummary]:
    """List models, newest first, without what grows with their features."""
    return Request("GET", "/v1/models", query={"limit": limit, "cursor": cursor, "name": name}, answer=PageModelSummary)


def get_model(model_id: str, *, if_none_match: str | Unset = UNSET) -> Request[Model]:
    """Read a model."""
    return Request("GET", f"/v1/models/{segment(model_id)}", headers={"If-None-Match": if_none_match}, answer=Model)


def rename_model(model_id: str, *, body: Renaming) -> Request[Model]:
    """Rename a model: its id stays, and its entity tag changes."""
    return Request("PATCH", f"/v1/models/{segment(model_id)}", body=body, answer=Model)


def delete_model(model_id: str) -> Request[None]:
    """Delete a model that nothing depends on."""
    return Request("DELETE", f"/v1/models/{segment(model_id)}")


def get_tree(model_id: str, tree: int, *, if_none_match: str | Unset = UNSET) -> Request[Tree]:
    """Read one tree of a model, for drawing; trees are numbered from 0."""
    return Request(
        "GET",
        f"/v1/models/{segment(model_id)}/trees/{segment(tree)}",
        headers={"If-None-Match": if_none_match},
        answer=Tree,
    )


def list_features(model_id: str, *, if_none_match: str | Unset = UNSET) -> Request[FeatureUsageList]:
    """Read how often the trees of a model test each feature."""
    return Request(
        "GET",
        f"/v1/models/{segment(model_id)}/features",
        headers={"If-None-Match": if_none_match},
        answer=FeatureUsageList,
    )


def predict(model_id: str, *, body: PredictionRequest) -> Request[PredictionList]:
    """Predict up to 1,000 rows, and say on which leaves they land."""
    return Request("POST", f"/v1/models/{segment(model_id)}/predictions", body=body, answer=PredictionList)


def compare_rows(model_id: str, *, body: ProximityBlockRequest) -> Request[ProximityBlock]:
    """Compare up to 1,000 rows with up to 1,000 others, as the model sees them."""
    return Request("POST", f"/v1/models/{segment(model_id)}/proximities", body=body, answer=ProximityBlock)
