"""Rule sets: a whole ensemble described by a few rules: the first that applies decides, or their weighted mean."""

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
    ComparedWith,
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
    LabelsUsed,
    RowsOfDataset,
    TaskOfModel,
    TreesOfModel,
    absent,
)
from .decisions import OUTCOME_TEXTS, OutcomeText
from .models import Score
from .noun import CSV, HTML, JSON, PARQUET, TABLE, Noun, Product
from .paper_settings import MethodRequest

RuleSetMethod = Literal["rule_list", "fab", "em", "in_trees", "node_harvest", "decision_tree"]
BoxForm = Literal["whole", "shortened"]
RegionStart = Literal["responsibilities", "eta", "algorithm_1"]
RuleExportFormat = Literal["json", "markdown", "sql", "python", "html"]
MAX_RULES, MAX_RESTARTS = 20, 1000
FAB_RESTARTS, PAPER_RESTARTS = 120, 20
MAX_ROUNDS = 100  # of an E-step
Rounds = Annotated[int, Field(strict=True, ge=1, le=MAX_ROUNDS)]
RoundsOrInTurn = TypeAliasType(
    "RoundsOrInTurn",
    Annotated[Annotated[Rounds, NUMBER] | Annotated[Literal["in_turn"], WORD], WORD_OR_NUMBER],
)
"""A number of rounds, or ``in_turn``: restarts take several."""
MODEL_COLUMN = (
    "Name of the model's feature that is read: `feature` itself, except for one-hot columns that were declared as one "
    "feature, where `is` means a value over 0.5."
)
PREDICTED = "Predicted label, or value for regression."


class InTreesOptions(Contract):
    """Settings of inTrees; the defaults are those of its author's program."""

    n_trees: int = Field(
        default=100, strict=True, ge=1, le=1000, description="Number of trees whose paths are taken: the first ones."
    )
    max_depth: int = Field(
        default=6,
        strict=True,
        ge=1,
        le=10,
        description="Maximum number of splits on a path; deeper ones are cut off there.",
    )
    decay: Literal["absolute", "relative"] = Field(
        default="absolute",
        description="How `max_decay` is counted: `absolute`: as a share of the rule's rows; `relative`: as a share of "
        "the error of the whole path, as in the paper.",
    )
    max_decay: float = Field(
        default=0.05,
        ge=0,
        le=1,
        description="How much the share of a rule's rows of other classes may grow where conditions are dropped.",
    )
    selection: Literal["regularized_forest", "none"] = Field(
        default="regularized_forest",
        description="How rules are selected before they are put in order: by a regularised random forest, which avoids "
        "rules that say the same, or not at all.",
    )
    min_frequency: float = Field(
        default=0.01, ge=0.001, le=1, description="Minimum share of the dataset's rows that a rule decides."
    )
    n_levels: int = Field(
        default=3,
        strict=True,
        ge=2,
        le=20,
        description="Number of levels of as many rows each into which the values of a regression are divided; a rule "
        "predicts the mean of its level.",
    )


class NodeHarvestOptions(Contract):
    """Settings of Node Harvest; the defaults are those of its author's program."""

    max_depth: int = Field(
        default=2, strict=True, ge=1, le=6, description="Maximum depth of nodes, and so of conditions."
    )
    n_nodes: int = Field(
        default=1000,
        strict=True,
        ge=2,
        le=1000,
        description="Maximum number of different nodes that are weighted, from the first trees on.",
    )
    min_rows: int = Field(
        default=10,
        strict=True,
        ge=1,
        description="Minimum number of rows in a node and outside of it; a twentieth of the rows if that is fewer.",
    )
    max_total_weight: float | None = Field(
        default=None,
        ge=1,
        description="Maximum sum of all weights, lambda in the paper: the smaller, the larger the nodes; 1 leaves the "
        "constant prediction. Null: no maximum.",
    )


class DecisionTreeOptions(Contract):
    """Settings of a small tree."""

    max_depth: int = Field(
        default=2, strict=True, ge=1, le=6, description="Maximum depth of the tree; 2 gives up to four rules."
    )


class RuleSetRequest(MethodRequest):
    """Which model to describe by rules, and on which dataset."""

    of_papers: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "": {"method": "fab", "labels": "target"},
        "rule_list": {"start": "algorithm_1", "n_restarts": PAPER_RESTARTS},
        "fab": {
            "boxes": "whole",
            "start": "algorithm_1",
            "e_step_rounds": MAX_ROUNDS,
            "n_restarts": PAPER_RESTARTS,
        },
        "em": {"boxes": "whole", "start": "algorithm_1", "n_restarts": PAPER_RESTARTS},
        "in_trees": {"in_trees": {"decay": "relative"}},
    }

    model: RequestedModel
    dataset: ReferenceDataset
    method: RuleSetMethod = Field(
        default="rule_list",
        description="How rules are found. `rule_list`: a search for an ordered list of few and short rules that "
        "predict well; `fab`: factorised asymptotic Bayesian inference of regions, which finds their number up to "
        "`max_rules` (Hara & Hayashi), and prints their boxes; `em`: their baseline, EM for each number of regions. "
        "`in_trees`: paths of the model's trees, pruned, selected and put in order (Deng); `node_harvest`: nodes of "
        "the trees with weights, whose weighted mean predicts (Meinshausen), for regression or two classes; "
        "`decision_tree`: a small tree on the dataset's rows, which knows nothing of the model's trees. The last three "
        "have settings of their own, but not `boxes`, `max_rules`, `n_restarts`, `start`, `omega`, `e_step_rounds` and "
        "`regions`. Of what a method does not have, any value but the default is refused.",
    )
    boxes: BoxForm = Field(
        default="whole",
        description="How `fab` and `em` print the boxes of regions. `whole`: as in the paper, one rule for each "
        "region, without the conditions that exclude no row of the dataset; `shortened`: ordered, and without the "
        "conditions and rules that help least, until they can be read. `rule_list` has no boxes.",
    )
    max_rules: int = Field(
        default=10,
        strict=True,
        ge=1,
        le=MAX_RULES,
        description="Maximum number of rules, including the default rule; with `boxes: whole` the maximum number of "
        "regions, beside which there is the default rule. `in_trees`, `node_harvest` and `decision_tree` have settings "
        "of their own that limit it, and refuse any value but the default.",
    )
    n_restarts: int = Field(
        default_factory=lambda fields: FAB_RESTARTS if fields.get("method") == "fab" else PAPER_RESTARTS,
        strict=True,
        ge=1,
        le=MAX_RESTARTS,
        description="Number of fits from random starts; the one with the least training error is kept; "
        "`rule_list` makes a tenth of them. Default: 120 with `fab`, otherwise 20.",
    )
    start: Literal["responsibilities", "eta", "algorithm_1", "in_turn"] = Field(
        default="in_turn",
        description="What fits of regions begin with. `responsibilities`: the shares of regions in rows are random, "
        "and parameters follow from them; `eta`: the shares of regions for which statements are true are random; "
        "`algorithm_1`: all parameters and the responsibilities are random, as in the paper; `in_turn`: restarts begin "
        "in these three ways, one after the other.",
    )
    omega: float | None = Field(
        default=None,
        gt=0,
        description="Cost of a region in `fab`, in the paper half the number of its parameters: null. A smaller one "
        "leaves more regions. EM has none, and refuses it.",
    )
    e_step_rounds: RoundsOrInTurn = Field(
        default="in_turn",
        description="Maximum number of rounds in which an E-step of `fab` updates the responsibilities. It ends before "
        "where they settle, as in the paper, which is nearly always within 100 rounds; fewer leave more regions. "
        "`in_turn`: one in the first restart of each `start`, two in the second, and so on. Other methods refuse "
        "any value but the default.",
    )
    regions: Literal["fab", "em"] = Field(
        default="fab", description="How the regions are fitted from which the search of `rule_list` begins."
    )
    in_trees: InTreesOptions | None = Field(
        default=None, description="Settings of `in_trees`; null: the defaults. Other methods refuse them."
    )
    node_harvest: NodeHarvestOptions | None = Field(
        default=None, description="Settings of `node_harvest`; null: the defaults. Other methods refuse them."
    )
    decision_tree: DecisionTreeOptions | None = Field(
        default=None, description="Settings of `decision_tree`; null: the defaults. Other methods refuse them."
    )
    labels: Literal["predicted", "target"] = Field(
        default="predicted",
        description="What rules predict, whatever the method is: the model's predictions (`predicted`), which are the "
        "outcomes where the model has a decision, or the dataset's target column (`target`), as in the papers of all "
        "methods. The target says nothing of outcomes: rules of these are compared with the model alone.",
    )
    evaluation_dataset: Annotated[Identifier | None, EVALUATION_DATASET] = None
    seed: int = Field(
        default=0,
        strict=True,
        ge=0,
        le=2**32 - 1,
        description="Seed of the random starts, and of the forest by which `in_trees` selects rules.",
    )
    run_on: RunOn = "auto"


class Condition(Contract):
    """A condition of a rule on one feature of a raw row."""

    feature: str = Field(description="Name of the raw feature.")
    column: str = Field(description=MODEL_COLUMN)
    operator: str = Field(
        description="Comparison: `<=` or `>` for numbers (in double precision); `is`, `is not`, `is one of` or `is "
        "none of` for categories; `is missing` or `is not missing`. Operators may be added."
    )
    value: float | str | list[str] | None = Field(
        description="Value to compare with: a list with `is one of` and `is none of`; null with `is missing` and `is "
        "not missing`."
    )
    or_missing: bool = Field(
        description="Whether a missing value satisfies the condition, too. It is false where no row of the dataset "
        "misses the feature: then a missing value satisfies no condition on it. It is also false with `is missing` and "
        "`is not missing`, which decide this themselves."
    )


class RuleFeature(Contract):
    """A feature of raw rows that conditions refer to."""

    name: str = Field(description="Name of the model's feature, to which `column` of conditions refers.")
    type: Literal["number", "category", "boolean"] = Field(
        description="Type of the feature's values; a boolean is compared as 1 (true) or 0."
    )
    missing_text: str | None = Field(
        description="Text that means a missing value, as null does; null where there is none."
    )


class Rule(Contract):
    """A rule: it predicts for rows that satisfy all its conditions and no rule before it, unless rules have weights."""

    rank: int = Field(description="1-based rank in the order in which rules are applied.")
    text: str = Field(
        description="Conditions as an English phrase, such as `income is above 1,200 and at most 3,400, and color is "
        "G or H (missing allowed)`; `always` without conditions."
    )
    conditions: list[Condition] = Field(description="Conditions that hold together; a rule without any always applies.")
    prediction: float | str = Field(description=PREDICTED)
    scores: list[Score] = Field(
        description="Shares of the classes among the rows that it decides, in the order of the classes; with "
        "`boxes: whole` those of its region. Empty for regression."
    )
    weight: float | None = Field(
        default=None,
        description="Weight of the rule in the mean, a multiple of 0.000001; null where the first rule decides.",
    )
    region: int | None = Field(
        default=None,
        description="The region whose box it is, an index into `regions`; null unless boxes are whole.",
    )
    coverage: float = Field(ge=0, le=1, description="Share of the dataset's rows that satisfy its conditions.")
    precision: float | None = Field(
        description="Share of these rows whose label it predicts, 0 to 1; null for regression or without rows."
    )
    decided_precision: float | None = Field(
        description="Share of the rows that it decides (`support`) whose label it predicts, 0 to 1; null for "
        "regression or without rows."
    )
    n_rows: int = Field(description="Number of the dataset's rows that satisfy its conditions.")
    support: int = Field(
        description="Number of rows that it decides: those that satisfy no rule before it; with weights `n_rows`."
    )


class RuleScores(Contract):
    """How well predictions match the target or the model."""

    error: float | None = Field(
        default=None, description="Share of rows with a wrong label, 0 to 1; null for regression."
    )
    balanced_error: float | None = Field(
        default=None,
        description="Mean over the classes that have rows of their share of wrong labels, 0 to 1; null for regression.",
    )
    fidelity: float | None = Field(
        default=None,
        description="Share of rows with the label that the model predicts, 0 to 1; for regression R2 to the values "
        "that the model predicts, null where these are all alike.",
    )
    balanced_fidelity: float | None = Field(
        default=None,
        description="Mean over the labels that the model predicts of the share of their rows with the same label, 0 to "
        "1; null for regression.",
    )
    mean_squared_error: float | None = Field(
        default=None, description="Mean squared error in squared units of the target; null for classification."
    )
    r2: float | None = Field(
        default=None,
        description="Coefficient of determination, at most 1; null for classification and where all values are alike.",
    )


class ConstantRuleScores(RuleScores, ConstantPrediction):
    """The scores of constant predictions."""


class RuleSetEvaluation(Contract):
    """How well rules predict the rows of one dataset."""

    n_rows: int = Field(description="Number of rows evaluated.")
    evaluated_on: EvaluationRows
    measured_against: ComparedWith
    as_printed: RuleScores = Field(description="Scores of the rules of this result, which are rounded and ordered.")
    as_fitted: RuleScores | None = Field(
        default=None,
        description="Scores of the two-step MAP prediction of the fitted regions, which the paper evaluates; null for "
        "other methods than `fab` and `em`, which predict by their rules alone.",
    )
    model: RuleScores | None = Field(description="Scores of the model itself; null without a target.")
    constant: ConstantRuleScores = Field(description="Scores of predicting the same for every row.")
    coverage: float = Field(
        ge=0, le=1, description="Share of rows that some rule covers; the others get the default prediction."
    )
    mean_rules_per_row: float = Field(ge=0, description="Mean over the rows of the number of rules that they satisfy.")


class Region(Contract):
    """A region of the probabilistic model that was fitted, with its parameters; eta is in the table of parameters."""

    region: int = Field(description="0-based index of the region.")
    share: float = Field(ge=0, le=1, description="Share of the dataset's rows that belong to it, alpha in the paper.")
    prediction: float | str = Field(description=PREDICTED)
    scores: list[Score] = Field(
        description="Shares of the classes in it, gamma in the paper, in the order of the classes; empty for "
        "regression."
    )
    mean: float | None = Field(description="Mean value in it, mu in the paper; null for classification.")
    variance: float | None = Field(
        description="Variance of the values in it, 1 / lambda in the paper, in squared units of the target; null for "
        "classification."
    )
    n_rows: int = Field(description="Number of the dataset's rows for which it is the most probable region.")


class Restart(Contract):
    """The outcome of one fit from a random start."""

    restart: int = Field(description="0-based number of the fit.")
    start: RegionStart = Field(description="What it began with.")
    n_regions: int = Field(description="Number of regions that are left at its end.")
    n_iterations: int = Field(description="Number of iterations.")
    lower_bound: float = Field(
        description="Lower bound of the log-likelihood at its end (`em`: the log-likelihood itself)."
    )
    training_error: float = Field(
        description="Error of the two-step prediction on the training rows: share of wrong labels, or mean squared "
        "error for regression."
    )
    chosen: bool = Field(description="Whether the rules were made from this fit.")


class RuleSetResult(Contract):
    """The result of a rule set's job."""

    task: TaskOfModel
    classes: ClassesOfModel
    outcome_texts: list[OutcomeText] | SkipJsonSchema[None] = absent(OUTCOME_TEXTS)
    method: RuleSetMethod = Field(description="How rules were found.")
    boxes: BoxForm | None = Field(
        default=None, description="How boxes of regions were printed; null for methods but `fab` and `em`."
    )
    combination: Literal["first", "weighted_mean"] = Field(
        default="first",
        description="What rules make of a row. `first`: the first rule that it satisfies decides, else the default; "
        "`weighted_mean`: the mean of all rules that it satisfies, by their weights: of their predictions, or of their "
        "shares of the second class, which is predicted where the mean is over 0.5. Some rule has no conditions.",
    )
    labels: LabelsUsed
    n_rows: RowsOfDataset
    n_trees: TreesOfModel
    n_statements: int = Field(description="Number of different splits of the model's trees (L in the paper).")
    n_rules: int = Field(description="Number of rules, without the default rule.")
    n_conditions: int = Field(description="Number of conditions of all rules together.")
    features: list[RuleFeature] = Field(description="Features that conditions refer to, in the model's order.")
    rules: list[Rule] = Field(description="The rules in the order in which they are applied.")
    default_prediction: float | str = Field(description="Prediction for rows that satisfy no rule.")
    default_scores: list[Score] = Field(
        description="Shares of the classes among these rows, in the order of the classes; empty for regression."
    )
    default_support: int = Field(description="Number of the dataset's rows that satisfy no rule.")
    evaluation: RuleSetEvaluation = Field(
        description="Evaluation on `evaluation_dataset`, or else on the dataset itself."
    )
    training_evaluation: RuleSetEvaluation = Field(description="Evaluation on the rows from which the rules were made.")
    cautions: list[Caution] = Field(description=CAUTIONS)
    regions: list[Region] = Field(
        default=[],
        description="The regions that `fab` or `em` fitted, with their parameters; empty for others. For each "
        "statement the table of parameters says which share of each region it is true for, and the table of rows "
        "which region each row most probably belongs to.",
    )
    omega: float | None = Field(
        default=None, description="The cost of a region that was used; null for methods but `fab`."
    )
    restarts: list[Restart] = Field(description="The fits of regions in their order; empty where there are none.")
    lower_bounds: list[float] = Field(
        description="Lower bound of the log-likelihood after each iteration of the chosen fit; it never falls. Empty "
        "where there is none."
    )


class RuleSet(ArtefactView):
    """A rule set, its status and, once it is ready, its result."""

    object: Annotated[Literal["rule_set"], OBJECT] = "rule_set"
    request: Annotated[RuleSetRequest, REQUEST]
    result: RuleSetResult | None = Field(default=None, description=RESULT)


RULE_SETS = Noun(
    name="rule_sets",
    singular="rule_set",
    position=100,
    id_prefix="rls_",
    description="A model in a few rules about raw features.",
    making="by_job",
    made_from={"model": "models", "dataset": "datasets", "evaluation_dataset": "datasets"},
    request=RuleSetRequest,
    summary=RuleSet,
    view=RuleSet,
    result=RuleSetResult,
    files=("parameters", "rows"),
    products=(
        Product(name="content", media_types=TABLE),
        Product(name="parameters", media_types=(CSV, PARQUET)),
        Product(name="rows", media_types=(CSV, PARQUET)),
        Product(name="export", media_types=(JSON, "text/markdown", "application/sql", "text/x-python", HTML)),
    ),
)
