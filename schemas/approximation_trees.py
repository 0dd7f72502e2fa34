"""Approximation trees: one tree of conditions on raw features that approximates a whole ensemble."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema
from typing_extensions import TypeAliasType

from .artefacts import (
    EVALUATION_DATASET,
    REQUEST,
    RESULT,
    ArtefactView,
    ConstantPrediction,
    EvaluationRows,
    ReferenceDataset,
    RequestedModel,
    RunOn,
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
    RowsOfDataset,
    TaskOfModel,
    TreesOfModel,
    absent,
)
from .decisions import OUTCOME_TEXTS, OutcomeText
from .generators import Generator, RanksGenerator
from .models import Score
from .noun import HTML, JSON, TABLE, Noun, Product
from .paper_settings import MethodRequest
from .rule_sets import MODEL_COLUMN, PREDICTED, RuleFeature

ApproximationMethod = Literal["sta", "ism", "born_again", "cart"]
FittedOn = Literal["dataset", "generator"]
RequestedMethod = Literal["auto", "sta", "ism", "born_again", "cart"]
TreeExportFormat = Literal["json", "text", "graphviz", "svg", "sql", "python", "onnx", "html"]
MAX_DEPTH, MAX_LEAVES, MAX_REPEATS = 30, 1024, 200
MAX_IMPLICATIONS = 10_000
MAX_VALIDATED_DEPTH, MAX_CANDIDATES = 10, 1_000
MAX_SAMPLES_LEAF = 1_000_000_000
MIN_PSEUDO_SAMPLES, MAX_PSEUDO_SAMPLES = 1_000, 10_000_000
MAX_ROWS_HELD = 100_000
"""Rows of a dataset that a job holds: of more, it holds a sample of this size, and counts all rows in partitions."""


Depth = Annotated[int, Field(strict=True, ge=1, le=MAX_DEPTH)]
DepthOrValidate = TypeAliasType(
    "DepthOrValidate",
    Annotated[Annotated[Depth, NUMBER] | Annotated[Literal["validate"], WORD], WORD_OR_NUMBER],
)
"""A depth, or ``validate``: it is found."""


class CandidateSplits(Contract):
    """The splits of one feature that are candidates; without any, those that the dataset suggests."""

    feature: str = Field(description="Name of the feature.")
    thresholds: list[float] = Field(
        default=[], max_length=MAX_CANDIDATES, description="Thresholds of a number, for `feature <= threshold`."
    )
    categories: list[str] = Field(
        default=[], max_length=MAX_CANDIDATES, description="Categories, for `feature is category`."
    )
    missing: bool = Field(default=False, strict=True, description="Whether `feature is missing` is a candidate.")


class ApproximationTreeRequest(MethodRequest):
    """Which model to approximate by one tree, and on which dataset."""

    of_papers: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "": {"method": "sta"},
        "sta": {"generator": {"method": "kernel"}, "choose_by": "gain", "max_depth": 4},  # five layers with the root
        "cart": {"generator": {"method": "kernel"}, "max_depth": 4},
        "ism": {
            "max_depth": MAX_DEPTH,
            "min_samples_leaf": 1,
            "fitted_on": "dataset",
            "stop_when_pure": True,
            "choose_by": "gain",
        },
    }

    model: RequestedModel
    dataset: ReferenceDataset
    method: RequestedMethod = Field(
        default="auto",
        description="How splits are chosen. `auto`: `ism` for classes where the dataset has a feature set, else `sta`, "
        "and the answer names it. `sta`: by a test on as many pseudo-samples as it needs (Zhou & Hooker); "
        "`ism`: among the ensemble's own splits, from its class distributions (Van Assche & "
        "Blockeel); `born_again`: CART on pseudo-samples, its depth by cross-validation (Breiman & Shang); `cart`: "
        "CART on pseudo-samples, or on the dataset's rows (`fitted_on`).",
    )
    max_depth: DepthOrValidate = Field(
        default=5,
        description="Maximum number of splits on a path from the root to a leaf. `validate` (`sta` alone): the "
        f"smallest depth up to {MAX_VALIDATED_DEPTH} whose error on fresh pseudo-samples is within one standard error "
        "of the least.",
    )
    max_leaves: int | None = Field(
        default=None,
        strict=True,
        ge=2,
        le=MAX_LEAVES,
        description="Maximum number of leaves; the nodes that improve most are split first. With `choose_by: "
        "fidelity` (`sta`, and `ism` with pseudo-samples), up to three times as many are grown, and the most faithful "
        f"ones stay. Null: as many as the depth allows, up to {MAX_LEAVES:,}.",
    )
    min_samples_leaf: int = Field(
        default=5,
        strict=True,
        ge=1,
        le=MAX_SAMPLES_LEAF,
        description="Minimum number of the dataset's rows in each leaf (`sta`, `ism`). `born_again` and `cart` require "
        "the same share of pseudo-samples instead, so that a leaf may have fewer of the dataset's rows; `ism` of all "
        "rows, if it draws some. Of a dataset that is sampled (`n_sampled_rows`), leaves have the same share of the "
        "sample, and one of its rows at least.",
    )
    significance: float = Field(
        default=0.1,
        strict=True,
        gt=0,
        lt=1,
        description="Significance level of `sta`: pseudo-samples are added until the p-values of the other candidate "
        "splits sum to at most this. Other methods refuse any value but the default.",
    )
    max_pseudo_samples: int = Field(
        default=100_000,
        strict=True,
        ge=MIN_PSEUDO_SAMPLES,
        le=MAX_PSEUDO_SAMPLES,
        description="Maximum number of pseudo-samples of one node (`sta`), or the number of those of the whole tree "
        "(`born_again`, `cart`, `ism`).",
    )
    generator: Generator = Field(
        default=RanksGenerator(),
        description="How pseudo-samples of `sta`, `cart` and `ism` are made. `born_again`, which smears rows, and "
        "`fitted_on: dataset` refuse any but the default.",
    )
    fitted_on: Literal["dataset", "generator", "auto"] = Field(
        default="auto",
        description="What `cart` and `ism` are fitted to. `dataset`: the dataset's rows, with the labels or values "
        "that the model predicts for them (`ism`: as in the paper). `generator`: pseudo-samples (`cart`), or the "
        "dataset's rows and pseudo-samples together (`ism`). `auto`: `generator`, but `dataset` for `ism` where the "
        "dataset has a feature set. Other methods take `auto` or `generator`.",
    )
    choose_by: Literal["gain", "fidelity"] = Field(
        default="fidelity",
        description="How `sta` chooses among splits that its test cannot separate within `max_pseudo_samples`: by "
        "their gain (Zhou & Hooker), or by the fidelity of trees grown below each of them, unless none is clearly "
        "ahead. And which leaves stay where `max_leaves` is set, of `ism`, too, if pseudo-samples join the rows: those "
        "of the splits that gain most, or the most faithful ones of a larger tree. Other methods refuse any value but "
        "the default.",
    )
    candidates: Annotated[list[CandidateSplits], Field(min_length=1, max_length=MAX_CANDIDATES)] | None = Field(
        default=None,
        description="Features that `sta` may split on, each with its own thresholds or categories, or those that the "
        "dataset suggests. Null: all features, with what the dataset suggests. Other methods refuse it.",
    )
    compare: Literal["all", "best_two"] = Field(
        default="all",
        description="Candidate splits whose p-values `sta` sums: all others, or the second best alone. Other methods "
        "refuse any value but the default.",
    )
    significance_level_of: Literal["node", "tree"] = Field(
        default="node",
        description="What `significance` is the level of: each split (`node`), or all splits of the tree together, of "
        "which each one gets an equal part (`tree`, Bonferroni). Methods other than `sta` refuse any value but "
        "the default.",
    )
    criterion: Literal["gain", "gain_ratio"] = Field(
        default="gain",
        description="What `ism` maximises for classes: information gain, or its ratio to the entropy of the shares of "
        "rows on both sides (Quinlan). For values it is the decrease of variance, and the ratio is refused. Other "
        "methods refuse any value but the default.",
    )
    leaf_probabilities: Literal["rows", "independent"] = Field(
        default="rows",
        description="How `ism` estimates the probability that a row of a node reaches a leaf of the ensemble: by the "
        "node's rows, or as if the splits on the way to the leaf were independent of the node's, as far as these leave "
        "them open. The latter is for random forests, and refused for boosting and for values; it takes time by splits "
        "x nodes of the ensemble. Other methods refuse any value but the default.",
    )
    smearing_probability: float = Field(
        default=0.25,
        strict=True,
        gt=0,
        le=1,
        description="Probability that `born_again` replaces a value by that of another row. Other methods refuse any "
        "value but the default.",
    )
    n_repeats: int = Field(
        default=1,
        strict=True,
        ge=1,
        le=MAX_REPEATS,
        description="Number of trees that are made from different pseudo-samples to measure stability; the first one "
        "is the result. More than 1 is refused where there are none (`fitted_on: dataset`).",
    )
    stop_when_pure: bool = Field(
        default=False,
        strict=True,
        description="Whether `ism` leaves a node unsplit whose rows all have one class in the dataset's target. For "
        "classes and datasets with a target: true is refused elsewhere, and `settings: paper` leaves it false.",
    )
    evaluation_dataset: Annotated[Identifier | None, EVALUATION_DATASET] = None
    seed: int = Field(
        default=0,
        strict=True,
        ge=0,
        le=2**32 - 1,
        description="Seed of the pseudo-samples, of a sample of rows, and with `cart` and `born_again` of the choice "
        "among splits that improve alike.",
    )
    run_on: RunOn = "auto"

    @property
    def deepest(self) -> int:
        """The maximum depth of a tree while it grows."""
        return MAX_VALIDATED_DEPTH if self.max_depth == "validate" else self.max_depth


class ApproximationNode(Contract):
    """A node of the tree: a split by a condition on one feature of a raw row, or a leaf."""

    id: int = Field(
        description="0-based index of the node in the list; the root is 0, and a left child follows its parent."
    )
    depth: int = Field(description="Number of splits above it.")
    feature: str | None = Field(description="Name of the raw feature; null at a leaf.")
    column: str | None = Field(description=f"{MODEL_COLUMN} Null at a leaf.")
    operator: str | None = Field(
        description="Comparison that sends a row left: `<=` for numbers (in double precision), `is` or `is one of` for "
        "categories, or `is missing`; null at a leaf. Operators of rules may be added."
    )
    value: float | str | list[str] | None = Field(
        description="Value to compare with: a list with `is one of`; null with `is missing` and at a leaf."
    )
    or_missing: bool | None = Field(
        description="Whether missing values go left, too; null at a leaf. It is false where no row of the dataset "
        "misses the feature, and with `is missing`, which decides this itself."
    )
    text: str | None = Field(
        description="Condition as an English phrase, such as `income is at most 3,400 (missing allowed)`; null at a "
        "leaf."
    )
    question: str | None = Field(
        default=None,
        description="Condition as a question, such as `Is there an account of kind credit?`; null where `text` serves "
        "as one, and at a leaf.",
    )
    left: int | None = Field(description="Id of the child for rows that satisfy the condition; null at a leaf.")
    right: int | None = Field(description="Id of the child for all other rows; null at a leaf.")
    prediction: float | str = Field(description=f"{PREDICTED} Splits have one, too.")
    scores: list[Score] = Field(
        description="Shares of the classes in the order of the classes; empty for regression. They are means of the "
        "model's probabilities; where it has none, or its labels come from a cut-off, of its labels."
    )
    n_samples: int = Field(description="Number of the dataset's rows that reach it.")
    n_pseudo_samples: int = Field(
        description="Number of pseudo-samples that were drawn to choose its split, even if `max_leaves` ended the "
        "growth before it was split; 0 if none were drawn."
    )
    p_value: float | None = Field(
        description="Sum over the other candidate splits of the probability that new pseudo-samples would prefer them, "
        "0 to 1; null at leaves and with methods without a test."
    )
    at_cap: bool | None = Field(
        description="Whether the split was not significant within `max_pseudo_samples`; null where `p_value` is."
    )
    settled: bool | None = Field(
        default=None,
        description="Whether safe pruning (`ism`) has proved that the model gives every row that could reach the leaf "
        "its label, seen in the dataset or not; null at splits and with other methods.",
    )


class ImpliedAnswer(Contract):
    """What follows for one split of the tree from another: who has five transactions has one."""

    node: int = Field(description="Id of the node whose condition holds, or not.")
    holds: bool = Field(description="Whether it does.")
    implied_node: int = Field(description="Id of the node whose condition then holds, or not, for every row.")
    implied_holds: bool = Field(description="Whether that one does.")


class PathNode(Contract):
    """A condition on a row's path from the root, and whether the row satisfies it."""

    id: int = Field(description="Id of the node in the tree.")
    feature: str = Field(description="Name of the raw feature.")
    text: str = Field(description="Condition as an English phrase, such as `income is at most 3,400`.")
    holds: bool = Field(description="Whether the row satisfies the condition and goes left; otherwise it goes right.")


class Smoothing(Contract):
    """How pseudo-samples are drawn near the dataset's rows."""

    bandwidth: float | None = Field(
        default=None,
        description="Standard deviation of the noise added to continuous numbers, as a share of the feature's standard "
        "deviation; null where none is added.",
    )
    rank_bandwidth: float | None = Field(
        default=None,
        description="Share of the dataset's rows that noise moves a number past, at most; null where ranks are not "
        "used.",
    )
    move_probability: float | None = Field(
        default=None,
        description="Probability, 0 to 1, that a category is replaced by one drawn by its frequency in the dataset, "
        "and that one of few numbers (with a kernel: any integer) becomes the next smaller or larger one; null with "
        "`born_again`.",
    )
    swap_probability: float | None = Field(
        default=None,
        description="Probability, 0 to 1, that a value is replaced by that of another row; null except with "
        "`born_again`.",
    )


class AgainstTarget(Contract):
    """How well predictions match a dataset's target."""

    accuracy: float | None = Field(
        default=None,
        description="Share of rows with the right label, 0 to 1; null for regression or without a target.",
    )
    balanced_accuracy: float | None = Field(
        default=None,
        description="Mean over the classes that have rows of their share of right labels, 0 to 1; null for regression "
        "or without a target.",
    )
    mean_squared_error: float | None = Field(
        default=None,
        description="Mean squared error in squared units of the target; null for classification or without a target.",
    )
    r2: float | None = Field(
        default=None,
        description="Coefficient of determination, at most 1; null for classification, without a target and where all "
        "values are alike.",
    )


_FIDELITY = (
    "Share of rows with the label that the model predicts, 0 to 1; for regression R2 to the values that the model "
    "predicts, null where these are all alike."
)
_BALANCED_FIDELITY = (
    "Mean over the labels that the model predicts of the share of their rows with the same label, 0 to 1; null for "
    "regression."
)


class ConstantTreeScores(AgainstTarget, ConstantPrediction):
    """The scores of constant predictions."""

    fidelity: float | None = Field(description=_FIDELITY)
    balanced_fidelity: float | None = Field(description=_BALANCED_FIDELITY)


class ApproximationTreeEvaluation(AgainstTarget):
    """How well the tree approximates the model, and predicts the target if there is one, on the rows of one dataset."""

    n_rows: int = Field(description="Number of rows evaluated.")
    evaluated_on: EvaluationRows
    fidelity: float | None = Field(description=_FIDELITY)
    balanced_fidelity: float | None = Field(default=None, description=_BALANCED_FIDELITY)
    probability_l1: float | None = Field(
        description="Mean over the rows of the L1 distance between the scores of the tree and of the model, 0 to 2; "
        "null for regression."
    )
    mean_questions: float = Field(
        ge=0, description="Mean over the rows of the number of splits from the root to their leaf."
    )
    model: AgainstTarget | None = Field(description="Scores of the model itself; null without a target.")
    constant: ConstantTreeScores = Field(description="Scores of predicting the same for every row.")


class StructureCount(Contract):
    """The number of different trees among the repeats, down to a depth."""

    depth: int = Field(description="Number of levels of splits that are compared; 1: the root's split alone.")
    n_structures: int = Field(description="Number of trees that differ in at least one split of these levels.")


class DepthValidation(Contract):
    """The errors by which the depth was chosen, on rows that the tree was not grown from."""

    errors: list[float] = Field(
        max_length=MAX_DEPTH + 1,
        description="Mean error of the tree cut off at each depth, from 0 splits on. `max_depth: validate`: the share "
        "of fresh pseudo-samples with another label than the model's, for regression the squared error; `born_again`: "
        "the squared error of the scores in cross-validation.",
    )
    standard_errors: list[float] = Field(
        max_length=MAX_DEPTH + 1, description="Standard error of each of these, from the folds of the rows."
    )
    depth: int = Field(
        description="Depth that was chosen: the smallest from 1 on whose error is within one standard error of the "
        "least. The tree is not deeper."
    )


class ApproximationTreeResult(Contract):
    """The result of an approximation tree's job: the tree, which can be applied to raw rows without the model."""

    task: TaskOfModel
    classes: ClassesOfModel
    outcome_texts: list[OutcomeText] | SkipJsonSchema[None] = absent(OUTCOME_TEXTS)
    method: ApproximationMethod = Field(description="How splits were chosen.")
    n_rows: RowsOfDataset
    n_sampled_rows: int | SkipJsonSchema[None] = absent(
        f"Number of rows of the dataset in a seeded sample of them, from which the tree was grown: {MAX_ROWS_HELD:,}, "
        "where the dataset has more. Its candidate splits, and what pseudo-samples are drawn from, are those of the "
        "sample; `n_samples` of its nodes and its evaluation are counted on all rows. Left out where the tree was "
        "grown from all rows, as by `ism` fitted on the dataset."
    )
    n_trees: TreesOfModel
    n_features: int = Field(description="Number of features of the model.")
    n_nodes: int = Field(description="Number of nodes of the tree, leaves included.")
    n_leaves: int = Field(description="Number of leaves of the tree.")
    depth: int = Field(description="Number of splits on the longest path from the root to a leaf.")
    n_leaves_before_merging: int | None = Field(
        default=None,
        description="Number of leaves before splits were undone below which all leaves predict the same label, which "
        "`ism` does where the dataset has a feature set; null where nothing is merged.",
    )
    features: list[RuleFeature] = Field(description="Features that splits refer to, in the model's order.")
    nodes: list[ApproximationNode] = Field(description="Nodes of the tree in preorder.")
    implications: list[ImpliedAnswer] = Field(
        default=[],
        max_length=MAX_IMPLICATIONS,
        description="What follows among the splits of the tree where the dataset has a feature set, so that a "
        f"questionnaire need not request it. Of several steps, only the single ones; at most {MAX_IMPLICATIONS:,}.",
    )
    smoothing: Smoothing | None = Field(
        description="How pseudo-samples were smoothed; null where there were none, or rows were drawn as they are."
    )
    n_implications: int | None = Field(
        default=None,
        description="Number of implications among the columns of a dataset with a feature set, such as `has an account "
        "of kind credit` and `has an account`: pseudo-samples that break one were repaired before the model predicted "
        "them, a column that implies a false one being made false. Null without a feature set, and with `ism`.",
    )
    evaluation: ApproximationTreeEvaluation = Field(
        description="Evaluation on `evaluation_dataset`, or else on the dataset itself."
    )
    training_evaluation: ApproximationTreeEvaluation = Field(
        description="Evaluation on the rows from which the tree was made."
    )
    cautions: list[Caution] = Field(description=CAUTIONS)
    validation: DepthValidation | None = Field(
        default=None,
        description="How the depth was chosen, with `max_depth: validate` and with `born_again`; null elsewhere, and "
        "where there was nothing to choose.",
    )
    stability: list[StructureCount] | None = Field(
        description="Number of different trees among the repeats, depth by depth; null without repeats."
    )
    n_repeats: int = Field(description="Number of trees that were made.")


class ApproximationTree(ArtefactView):
    """An approximation tree, its status and, once it is ready, its result."""

    object: Annotated[Literal["approximation_tree"], OBJECT] = "approximation_tree"
    request: Annotated[ApproximationTreeRequest, REQUEST]
    result: ApproximationTreeResult | None = Field(default=None, description=RESULT)


APPROXIMATION_TREES = Noun(
    name="approximation_trees",
    singular="approximation_tree",
    position=110,
    id_prefix="apt_",
    description="A model as one small tree, which can also be used as a questionnaire.",
    making="by_job",
    made_from={"model": "models", "dataset": "datasets", "evaluation_dataset": "datasets"},
    made_without_leaves={"method": ("auto", "sta", "born_again", "cart")},
    request=ApproximationTreeRequest,
    summary=ApproximationTree,
    view=ApproximationTree,
    result=ApproximationTreeResult,
    files=("onnx",),
    products=(
        Product(name="content", media_types=TABLE),
        Product(
            name="export",
            media_types=(
                JSON,
                "text/plain",
                "text/vnd.graphviz",
                "image/svg+xml",
                "application/sql",
                "text/x-python",
                "application/octet-stream",
                HTML,
            ),
        ),
    ),
    actions={"next-question": "explain"},
)
