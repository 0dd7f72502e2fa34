"""Rule sets: a whole ensemble described by a few rules, the first of which that applies decides."""

from typing import Annotated, Literal

from pydantic import Field

from .artefacts import (
    CAUTION_OF_FIGURES,
    EVALUATION_DATASET,
    REQUEST,
    RESULT,
    ArtefactView,
    ComparedWith,
    ConstantPrediction,
    EvaluationRows,
    ReferenceDataset,
    RequestedModel,
)
from .contract import (
    OBJECT,
    ClassesOfModel,
    Contract,
    Identifier,
    LabelsUsed,
    RowsOfDataset,
    TaskOfModel,
    TreesOfModel,
)
from .models import Score

RuleSetMethod = Literal["fab", "em"]
RuleSearch = Literal["improved", "plain"]
RuleExportFormat = Literal["json", "markdown", "sql", "python"]
MAX_RULES, MAX_RESTARTS = 20, 1000
MODEL_COLUMN = (
    "Name of the model's feature that is read: `feature` itself, except for one-hot columns that were declared as one "
    "feature, where `is` means a value over 0.5."
)
PREDICTED = "Predicted label, or value for regression."


class RuleSetRequest(Contract):
    """Which model to describe by rules, and on which dataset."""

    model: RequestedModel
    dataset: ReferenceDataset
    method: RuleSetMethod = Field(
        default="fab",
        description="How regions are fitted. `fab`: factorised asymptotic Bayesian inference, which finds the number "
        "of regions up to `max_rules` (Hara & Hayashi); `em`: their baseline, plain EM for each number.",
    )
    search: RuleSearch = Field(
        default="improved",
        description="How regions become rules. `improved`: the search looks for rules that predict well with few "
        "conditions, from fewer random starts; `plain`: the regions with the least training error, as in the paper, "
        "are ordered and shortened until they can be read.",
    )
    max_rules: int = Field(
        default=10,
        strict=True,
        ge=1,
        le=MAX_RULES,
        description="Maximum number of rules, including the default rule.",
    )
    n_restarts: int = Field(
        default=20,
        strict=True,
        ge=1,
        le=MAX_RESTARTS,
        description="Number of fits from random starts, of which the best is kept; `search: improved` makes fewer.",
    )
    labels: LabelsUsed = "predicted"
    evaluation_dataset: Annotated[Identifier | None, EVALUATION_DATASET] = None
    seed: int = Field(default=0, strict=True, ge=0, le=2**32 - 1, description="Seed of the random starts.")


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
    """A rule: it predicts for rows that satisfy all its conditions and no rule before it."""

    rank: int = Field(description="1-based rank in the order in which rules are applied.")
    text: str = Field(
        description="Conditions as an English phrase, such as `income is above 1,200 and at most 3,400, and color is "
        "G or H (missing allowed)`; `always` without conditions."
    )
    conditions: list[Condition] = Field(description="Conditions that hold together; a rule without any always applies.")
    prediction: float | str = Field(description=PREDICTED)
    scores: list[Score] = Field(
        description="Shares of the classes among the rows that it decides, in the order of the classes; empty for "
        "regression."
    )
    coverage: float = Field(ge=0, le=1, description="Share of the dataset's rows that satisfy its conditions.")
    precision: float | None = Field(
        description="Share of these rows whose label it predicts, 0 to 1; null for regression or without rows."
    )
    n_rows: int = Field(description="Number of the dataset's rows that satisfy its conditions.")
    support: int = Field(description="Number of rows that it decides: those that satisfy no rule before it.")


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
    as_fitted: RuleScores = Field(
        description="Scores of the fitted regions before they were rounded and ordered: the two-step prediction that "
        "the paper evaluates."
    )
    model: RuleScores | None = Field(description="Scores of the model itself; null without a target.")
    constant: ConstantRuleScores | None = Field(
        default=None,
        description="Scores of predicting the same for every row. Null in rule sets that were made before these "
        "existed.",
    )
    coverage: float = Field(
        ge=0, le=1, description="Share of rows that some rule covers; the others get the default prediction."
    )
    mean_rules_per_row: float = Field(ge=0, description="Mean over the rows of the number of rules that they satisfy.")


class Restart(Contract):
    """The outcome of one fit from a random start; `search: improved` adds one that starts at the chosen rules."""

    restart: int = Field(description="0-based number of the fit.")
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
    method: RuleSetMethod = Field(description="How regions were fitted.")
    search: RuleSearch = Field(description="How regions became rules.")
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
    caution: str | None = Field(default=None, description=CAUTION_OF_FIGURES)
    restarts: list[Restart] = Field(description="The fits in their order.")
    lower_bounds: list[float] = Field(
        description="Lower bound of the log-likelihood after each iteration of the chosen fit; it never falls."
    )


class RuleSet(ArtefactView):
    """A rule set, its status and, once it is ready, its result."""

    object: Annotated[Literal["rule_set"], OBJECT] = "rule_set"
    request: Annotated[RuleSetRequest, REQUEST]
    result: RuleSetResult | None = Field(default=None, description=RESULT)
