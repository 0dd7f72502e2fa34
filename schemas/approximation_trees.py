"""Approximation trees: one tree of questions about raw features that stands for a whole ensemble."""

from typing import Literal

from pydantic import Field

from .artefacts import CAUTION_OF_FIGURES, RESULT, ArtefactView, ConstantPrediction
from .contract import Contract, Identifier
from .models import Score
from .rule_sets import RuleFeature

ApproximationMethod = Literal["sta", "ism", "born_again", "cart"]
TreeExportFormat = Literal["json", "text", "graphviz", "svg", "sql", "python", "onnx"]
MAX_DEPTH, MAX_LEAVES, MAX_REPEATS = 30, 1024, 200
MAX_SAMPLES_LEAF = 1_000_000_000
MIN_PSEUDO_SAMPLES, MAX_PSEUDO_SAMPLES = 1_000, 10_000_000


class ApproximationTreeRequest(Contract):
    """Which model one tree is to stand for, and by which rows."""

    model: Identifier
    dataset: Identifier
    method: ApproximationMethod = Field(
        default="sta",
        description="sta: Zhou & Hooker, each question chosen by a test on as many pseudo rows as it takes; ism: Van "
        "Assche & Blockeel, chosen among the ensemble's own questions from its class distributions, without pseudo "
        "rows; born_again: Breiman & Shang, CART on pseudo rows, its depth by cross-validation; cart: CART on pseudo "
        "rows.",
    )
    max_depth: int = Field(
        default=5, strict=True, ge=1, le=MAX_DEPTH, description="Questions on the longest way from the root to a leaf."
    )
    max_leaves: int | None = Field(
        default=None,
        strict=True,
        ge=2,
        le=MAX_LEAVES,
        description="The nodes that improve most are parted first; null: as many leaves as the depth allows, up to "
        f"{MAX_LEAVES:,}.",
    )
    min_samples_leaf: int = Field(
        default=5,
        strict=True,
        ge=1,
        le=MAX_SAMPLES_LEAF,
        description="sta, ism: the dataset's rows in each leaf, at least; born_again, cart: the same share of the "
        "pseudo rows, so that a leaf may have fewer of the dataset's.",
    )
    significance: float = Field(
        default=0.1,
        strict=True,
        gt=0,
        lt=1,
        description="sta: pseudo rows are added until the other candidates' p-values sum to at most this.",
    )
    max_pseudo_samples: int = Field(
        default=100_000,
        strict=True,
        ge=MIN_PSEUDO_SAMPLES,
        le=MAX_PSEUDO_SAMPLES,
        description="sta: of one node, at most; born_again, cart: of the whole tree. ism draws none.",
    )
    repeats: int = Field(
        default=1,
        strict=True,
        ge=1,
        le=MAX_REPEATS,
        description="The tree is made so many times from different pseudo rows, to tell how stable it is; the first is "
        "the result.",
    )
    stop_when_pure: bool = Field(
        default=False,
        strict=True,
        description="ism: a node whose rows all have one class in the dataset's target stays a leaf.",
    )
    evaluation_dataset: Identifier | None = None
    seed: int = Field(default=0, strict=True, ge=0, le=2**32 - 1, description="Draws the pseudo rows.")


class ApproximationNode(Contract):
    """A node: a question about one feature of a raw row, or a leaf, where `feature` to `text` and the ways are null."""

    id: int = Field(description="Position in the list; the root's is 0, and a left child comes right after its parent.")
    depth: int = Field(description="Questions asked before it is reached.")
    feature: str | None
    column: str | None = Field(
        description="The model's feature that is read: `feature` itself, but for one-hot columns that were declared to "
        "belong together, where `is` means a value over 0.5."
    )
    operator: str | None = Field(
        description="Yes goes left: <= (of numbers, compared as they are, in double precision), is, is one of (of "
        "categories), is missing; new ones may come, of those that rules have."
    )
    value: float | str | list[str] | None = Field(description="A list with `is one of`; null with `is missing`.")
    or_missing: bool | None = Field(
        description="A missing value goes left as well; otherwise it goes right. False where no row of the dataset "
        "misses the feature. (It is also false with `is missing`, which says itself where a missing value goes.)"
    )
    text: str | None = Field(
        description="The question as an English sentence, such as `income is at most 3,400 (missing allowed)`."
    )
    left: int | None = Field(description="Id of the node for rows for which the question holds.")
    right: int | None = Field(description="Id of the node for all others.")
    prediction: float | str = Field(description="A label; for regression a value. Inner nodes have one, too.")
    scores: list[Score] = Field(description="Shares of classes, in the order of the classes; none for regression.")
    n_samples: int = Field(description="The dataset's rows that reach it.")
    n_pseudo_samples: int = Field(
        description="Pseudo rows that were drawn to find its question, whether it was asked in the end or not: "
        "`max_leaves` may have ended the growth. 0 where none were drawn."
    )
    p_value: float | None = Field(
        description="Sum over the other candidates of the probability that new pseudo rows would prefer them, at most "
        "1; null at leaves, and with methods without a test."
    )
    at_cap: bool | None = Field(
        description="No more pseudo rows were allowed, although `p_value` exceeds the significance; null with it."
    )


class PathNode(Contract):
    """A question on a row's way from the root, and how it was answered."""

    id: int = Field(description="Of the node in the tree.")
    feature: str
    text: str = Field(description="The question as an English sentence, such as `income is at most 3,400`.")
    holds: bool = Field(description="The row goes left; else right.")


class Smoothing(Contract):
    """How pseudo rows are drawn near the dataset's rows."""

    bandwidth: float | None = Field(
        default=None,
        description="Standard deviation of the noise added to continuous numbers, as a share of the feature's own.",
    )
    move_probability: float | None = Field(
        default=None,
        description="Of another category, drawn as often as the dataset has it, and of the next smaller or larger "
        "value where numbers are integers or few.",
    )
    swap_probability: float | None = Field(
        default=None,
        description="born_again: that a value is replaced by that of another row; nothing else is changed.",
    )


class AgainstTarget(Contract):
    """How well predictions meet a dataset's target."""

    accuracy: float | None = Field(default=None, description="Share of rows with the right label; classification.")
    balanced_accuracy: float | None = Field(
        default=None, description="Mean over classes that have rows of the share of them that is right; classification."
    )
    mse: float | None = Field(default=None, description="Mean squared error; regression.")
    r2: float | None = Field(default=None, description="Regression; null also where all values are alike.")


class ConstantTreeScores(AgainstTarget, ConstantPrediction):
    """What always the same prediction scores."""

    fidelity: float | None = Field(description="As of the tree.")
    balanced_fidelity: float | None = Field(description="As of the tree.")


class ApproximationTreeEvaluation(AgainstTarget):
    """How well the tree stands for the model on the rows of one dataset; without a target, only for the model."""

    n_rows: int
    evaluated_on: Literal["dataset", "evaluation_dataset"]
    fidelity: float | None = Field(
        description="Share of rows with the model's own label; for regression R2 to the model's own values, null where "
        "these are all alike."
    )
    balanced_fidelity: float | None = Field(
        default=None,
        description="Mean over the labels that the model gives of the share of their rows with the same label; null "
        "for regression.",
    )
    probability_l1: float | None = Field(
        description="Mean over rows of the sum over classes of the difference of the two scores, 0 to 2; null for "
        "regression."
    )
    mean_questions: float = Field(ge=0, description="Questions from the root to the leaf, on average over rows.")
    model: AgainstTarget | None = Field(description="Of the model itself; null where there is no target.")
    constant: ConstantTreeScores | None = Field(
        default=None,
        description="Of always the same prediction: figures are worth what they are better than it. Null in trees that "
        "were made before it was measured.",
    )


class StructureCount(Contract):
    """How many different trees came of the repeats, down to a depth."""

    depth: int = Field(description="Levels of questions that count: 1 for the root's alone.")
    n_structures: int = Field(description="Trees differ where some question does.")


class ApproximationTreeResult(Contract):
    """The result of an approximation tree's job: the tree, which is all that it takes to apply it to raw rows."""

    task: Literal["classification", "regression"]
    classes: list[str]
    method: ApproximationMethod
    n_rows: int = Field(description="Of the dataset.")
    n_trees: int = Field(description="Of the model.")
    n_features: int = Field(description="Of the model.")
    n_nodes: int
    n_leaves: int
    depth: int = Field(description="Questions on the longest way from the root to a leaf.")
    features: list[RuleFeature] = Field(description="Those that some node asks about, in the model's order.")
    nodes: list[ApproximationNode] = Field(description="In preorder.")
    smoothing: Smoothing | None = Field(description="Null where no pseudo rows are drawn.")
    evaluation: ApproximationTreeEvaluation = Field(description="On `evaluation_dataset`, or else on the dataset.")
    training_evaluation: ApproximationTreeEvaluation = Field(description="On the rows that the tree was made from.")
    caution: str | None = Field(default=None, description=CAUTION_OF_FIGURES)
    stability: list[StructureCount] | None = Field(description="Null without repeats.")
    n_repeats: int


class ApproximationTree(ArtefactView):
    """An approximation tree, its status and, once it is ready, its result."""

    object: Literal["approximation_tree"] = "approximation_tree"
    request: ApproximationTreeRequest
    result: ApproximationTreeResult | None = Field(default=None, description=RESULT)
