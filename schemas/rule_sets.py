"""Rule sets: a whole ensemble described by a few rules, the first of which that holds decides."""

from typing import Literal

from pydantic import Field

from .artefacts import CAUTION_OF_FIGURES, RESULT, ArtefactView, ConstantPrediction
from .contract import Contract, Identifier
from .models import Score

RuleSetMethod = Literal["fab", "em"]
RuleSearch = Literal["improved", "plain"]
RuleExportFormat = Literal["json", "markdown", "sql", "python"]
MAX_RULES, MAX_RESTARTS = 20, 1000


class RuleSetRequest(Contract):
    """Which model is to be described by rules, and by which rows of data."""

    model: Identifier
    dataset: Identifier
    method: RuleSetMethod = Field(
        default="fab",
        description="fab: Hara & Hayashi, which finds the number of regions up to `max_rules`; em: their baseline, "
        "which tries every number.",
    )
    search: RuleSearch = Field(
        default="improved",
        description="How regions become rules. improved: rules are sought that predict well with few conditions, from "
        "fewer random starts; plain: the regions with the least training error, as in the paper, put in order and "
        "shortened to what can be read.",
    )
    max_rules: int = Field(
        default=10,
        strict=True,
        ge=1,
        le=MAX_RULES,
        description="Maximum number of rules, including the default rule (default: 10).",
    )
    n_restarts: int = Field(
        default=20,
        strict=True,
        ge=1,
        le=MAX_RESTARTS,
        description="Number of fits from random starts; the best of them counts. `search: improved` makes fewer.",
    )
    labels: Literal["predicted", "target"] = Field(
        default="predicted",
        description="What rules are to predict: what the model says, or what the dataset's target has.",
    )
    evaluation_dataset: Identifier | None = None
    seed: int = Field(default=0, strict=True, ge=0, le=2**32 - 1, description="Draws the random starts.")


class Condition(Contract):
    """What a rule asks of one feature of a raw row."""

    feature: str
    column: str = Field(
        description="The model's feature that is read: `feature` itself, but for one-hot columns that were declared to "
        "belong together, where `is` means a value over 0.5."
    )
    operator: str = Field(
        description="<= or > (of numbers, compared as they are, in double precision), is, is not, is one of, is none "
        "of (of categories), is missing, is not missing; new ones may come."
    )
    value: float | str | list[str] | None = Field(
        description="A list with `is one of` and `is none of`; null with `is missing` and `is not missing`."
    )
    or_missing: bool = Field(
        description="A missing value fulfils the condition as well. False where no row of the dataset misses the "
        "feature: a missing value then fulfils no condition on it. (It is also false with `is missing` and `is not "
        "missing`, which say themselves whether a missing value fulfils them.)"
    )


class RuleFeature(Contract):
    """A feature of raw rows that rules ask about."""

    name: str = Field(description="The model's feature: what conditions name as `column`.")
    type: Literal["number", "category"]
    missing_text: str | None = Field(description="A text that means missing, as null does; null where there is none.")


class Rule(Contract):
    """A rule: it predicts where all its conditions hold, and no rule before it does."""

    rank: int = Field(description="1: asked first.")
    text: str = Field(
        description="The conditions as an English sentence, such as `income is above 1,200 and at most 3,400, and "
        "color is G or H (missing allowed)`; `always` where there is none."
    )
    conditions: list[Condition] = Field(description="Without any, the rule always holds.")
    prediction: float | str = Field(description="A label; for regression a value.")
    scores: list[Score] = Field(description="Shares of classes where it decides; none for regression.")
    coverage: float = Field(ge=0, le=1, description="Share of the dataset's rows for which its conditions hold.")
    precision: float | None = Field(
        description="Share of the rows that it covers whose label it predicts; null for regression, or without rows."
    )
    n_rows: int = Field(description="Rows for which its conditions hold.")
    support: int = Field(description="Rows that it decides: those that no rule before it covers.")


class RuleScores(Contract):
    """How far predictions are from what they are measured against."""

    error: float | None = Field(default=None, description="Share of wrong labels; null for regression.")
    balanced_error: float | None = Field(default=None, description="Mean over classes that have rows of their error.")
    fidelity: float | None = Field(
        default=None,
        description="Share of rows with the model's own label; for regression R2 to the model's own values.",
    )
    balanced_fidelity: float | None = Field(
        default=None,
        description="Mean over the labels that the model gives of the share of their rows with the same label; null "
        "for regression.",
    )
    mse: float | None = Field(default=None, description="Mean squared error; null for classification.")
    r2: float | None = Field(default=None, description="Null for classification, and where all values are alike.")


class ConstantRuleScores(RuleScores, ConstantPrediction):
    """How far always the same prediction is from what predictions are measured against."""


class RuleSetEvaluation(Contract):
    """How well rules predict the rows of one dataset."""

    n_rows: int
    evaluated_on: Literal["dataset", "evaluation_dataset"]
    measured_against: Literal["target", "model"] = Field(
        description="What errors compare with: the model itself where there is no target."
    )
    printed: RuleScores = Field(description="Of the printed rules, which are what is served.")
    map: RuleScores = Field(
        description="Of the best regions fitted: the two-step prediction that the paper judges; it takes the model's "
        "statements and cannot be had from the printed rules."
    )
    model: RuleScores | None = Field(description="Of the model itself; null where there is no target.")
    constant: ConstantRuleScores | None = Field(
        default=None,
        description="Of always the same prediction: figures are worth what they are better than it. Null in rule sets "
        "that were made before it was measured.",
    )
    coverage: float = Field(ge=0, le=1, description="Share of rows that some rule covers; the others get the default.")
    mean_rules_per_row: float = Field(ge=0, description="Rules whose conditions hold, on average over rows.")


class Restart(Contract):
    """What came of one start: random ones, and with `search: improved` a last one where the rules put the rows."""

    restart: int = Field(description="0-based.")
    n_regions: int
    n_iterations: int
    lower_bound: float = Field(description="Of the log-likelihood, at its end (em: the log-likelihood itself).")
    training_error: float = Field(description="Of the two-step prediction; mean squared error for regression.")
    chosen: bool


class RuleSetResult(Contract):
    """The result of a rule set's job."""

    task: Literal["classification", "regression"]
    classes: list[str]
    method: RuleSetMethod
    search: RuleSearch
    labels: Literal["predicted", "target"]
    served: Literal["printed"] = Field(
        default="printed", description="What predicts is what is printed: these rules, in this order, on raw rows."
    )
    n_rows: int
    n_trees: int
    n_statements: int = Field(description="Different questions that the trees ask (L in the paper).")
    n_rules: int
    n_conditions: int = Field(description="Of all rules together.")
    features: list[RuleFeature] = Field(description="Those that some rule asks about, in the model's order.")
    rules: list[Rule]
    default_prediction: float | str = Field(description="What a row gets that no rule covers.")
    default_scores: list[Score]
    default_support: int = Field(description="Rows of the dataset that no rule covers.")
    evaluation: RuleSetEvaluation = Field(description="On `evaluation_dataset`, or else on the dataset itself.")
    training_evaluation: RuleSetEvaluation = Field(description="On the rows that the rules were made from.")
    caution: str | None = Field(default=None, description=CAUTION_OF_FIGURES)
    restarts: list[Restart]
    lower_bound: list[float] = Field(description="Of the chosen restart, iteration by iteration; it never falls.")


class RuleSet(ArtefactView):
    """A rule set, its status and, once it is ready, its result."""

    object: Literal["rule_set"] = "rule_set"
    request: RuleSetRequest
    result: RuleSetResult | None = Field(default=None, description=RESULT)
