"""Models and operations of rule sets.

Written by scripts/generate_client.py from openapi.json.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias

from ..fields import UNSET, Unset
from ..operations import Request, segment
from ..records import Record
from .literals import (
    EvaluatedOn,
    ExportRuleSetFormat,
    InTreesOptionsDecay,
    InTreesOptionsSelection,
    Labels,
    MeasuredAgainst,
    Over,
    RestartStart,
    RuleSetBoxes,
    RuleSetCombination,
    RuleSetMethod,
    RuleSetRegions,
    RuleSetStart,
    RunOn,
    Status,
    Task,
    Type,
)
from .models import NumberOrText, Problem, Score
from .prototype_sets import Caution, OutcomeText


class Condition(Record):
    """A condition of a rule on one feature of a raw row."""

    feature: str
    """Name of the raw feature."""
    column: str
    """Name of the model's feature that is read: `feature` itself, except for one-hot columns that were declared as one
    feature, where `is` means a value over 0.5.
    """
    operator: str
    """Comparison: `<=` or `>` for numbers (in double precision); `is`, `is not`, `is one of` or `is none of` for
    categories; `is missing` or `is not missing`. Operators may be added.
    """
    value: ConditionValue | None
    """Value to compare with: a list with `is one of` and `is none of`; null with `is missing` and `is not missing`."""
    or_missing: bool
    """Whether a missing value satisfies the condition, too. It is false where no row of the dataset misses the feature:
    then a missing value satisfies no condition on it. It is also false with `is missing` and `is not missing`, which
    decide this themselves.
    """


class ConstantRuleScores(Record):
    """The scores of constant predictions."""

    prediction: NumberOrText
    """Constant to which all measures but fidelities belong: the most frequent class of the rows (ties: the first of the
    classes), or the mean value for regression. It is taken from the reference that `measured_against` names.
    """
    model_prediction: NumberOrText
    """Constant to which fidelities belong: the label that the model predicts most often, or the mean of its values for
    regression.
    """
    error: float | Unset | None = UNSET
    """Share of rows with a wrong label, 0 to 1; null for regression."""
    balanced_error: float | Unset | None = UNSET
    """Mean over the classes that have rows of their share of wrong labels, 0 to 1; null for regression."""
    fidelity: float | Unset | None = UNSET
    """Share of rows with the label that the model predicts, 0 to 1; for regression R2 to the values that the model
    predicts, null where these are all alike.
    """
    balanced_fidelity: float | Unset | None = UNSET
    """Mean over the labels that the model predicts of the share of their rows with the same label, 0 to 1; null for
    regression.
    """
    mean_squared_error: float | Unset | None = UNSET
    """Mean squared error in squared units of the target; null for classification."""
    r2: float | Unset | None = UNSET
    """Coefficient of determination, at most 1; null for classification and where all values are alike."""


class DecisionTreeOptions(Record):
    """Settings of a small tree."""

    max_depth: int | Unset = UNSET
    """Maximum depth of the tree; 2 gives up to four rules."""


class InTreesOptions(Record):
    """Settings of inTrees; the defaults are those of its author's program."""

    n_trees: int | Unset = UNSET
    """Number of trees whose paths are taken: the first ones."""
    max_depth: int | Unset = UNSET
    """Maximum number of splits on a path; deeper ones are cut off there."""
    decay: InTreesOptionsDecay | str | Unset = UNSET
    """How `max_decay` is counted: `absolute`: as a share of the rule's rows; `relative`: as a share of the error of the
    whole path, as in the paper.
    """
    max_decay: float | Unset = UNSET
    """How much the share of a rule's rows of other classes may grow where conditions are dropped."""
    selection: InTreesOptionsSelection | str | Unset = UNSET
    """How rules are selected before they are put in order: by a regularised random forest, which avoids rules that say
    the same, or not at all.
    """
    min_frequency: float | Unset = UNSET
    """Minimum share of the dataset's rows that a rule decides."""
    n_levels: int | Unset = UNSET
    """Number of levels of as many rows each into which the values of a regression are divided; a rule predicts the mean
    of its level.
    """


class NodeHarvestOptions(Record):
    """Settings of Node Harvest; the defaults are those of its author's program."""

    max_depth: int | Unset = UNSET
    """Maximum depth of nodes, and so of conditions."""
    n_nodes: int | Unset = UNSET
    """Maximum number of different nodes that are weighted, from the first trees on."""
    min_rows: int | Unset = UNSET
    """Minimum number of rows in a node and outside of it; a twentieth of the rows if that is fewer."""
    max_total_weight: float | Unset | None = UNSET
    """Maximum sum of all weights, lambda in the paper: the smaller, the larger the nodes; 1 leaves the constant
    prediction. Null: no maximum.
    """


class PageRuleSet(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[RuleSet]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class Region(Record):
    """A region of the probabilistic model that was fitted, with its parameters; eta is in the table of parameters."""

    region: int
    """0-based index of the region."""
    share: float
    """Share of the dataset's rows that belong to it, alpha in the paper."""
    prediction: NumberOrText
    """Predicted label, or value for regression."""
    scores: list[Score]
    """Shares of the classes in it, gamma in the paper, in the order of the classes; empty for regression."""
    mean: float | None
    """Mean value in it, mu in the paper; null for classification."""
    variance: float | None
    """Variance of the values in it, 1 / lambda in the paper, in squared units of the target; null for classification.
    """
    n_rows: int
    """Number of the dataset's rows for which it is the most probable region."""


class Restart(Record):
    """The outcome of one fit from a random start."""

    restart: int
    """0-based number of the fit."""
    start: RestartStart | str
    """What it began with."""
    n_regions: int
    """Number of regions that are left at its end."""
    n_iterations: int
    """Number of iterations."""
    lower_bound: float
    """Lower bound of the log-likelihood at its end (`em`: the log-likelihood itself)."""
    training_error: float
    """Error of the two-step prediction on the training rows: share of wrong labels, or mean squared error for
    regression.
    """
    chosen: bool
    """Whether the rules were made from this fit."""


class Rule(Record):
    """A rule: it predicts for rows that satisfy all its conditions and no rule before it, unless rules have weights."""

    rank: int
    """1-based rank in the order in which rules are applied."""
    text: str
    """Conditions as an English phrase, such as `income is above 1,200 and at most 3,400, and color is G or H (missing
    allowed)`; `always` without conditions.
    """
    conditions: list[Condition]
    """Conditions that hold together; a rule without any always applies."""
    prediction: NumberOrText
    """Predicted label, or value for regression."""
    scores: list[Score]
    """Shares of the classes among the rows that it decides, in the order of the classes; with `boxes: whole` those of
    its region. Empty for regression.
    """
    weight: float | Unset | None = UNSET
    """Weight of the rule in the mean, a multiple of 0.000001; null where the first rule decides."""
    region: int | Unset | None = UNSET
    """The region whose box it is, an index into `regions`; null unless boxes are whole."""
    coverage: float
    """Share of the dataset's rows that satisfy its conditions."""
    precision: float | None
    """Share of these rows whose label it predicts, 0 to 1; null for regression or without rows."""
    decided_precision: float | None
    """Share of the rows that it decides (`support`) whose label it predicts, 0 to 1; null for regression or without
    rows.
    """
    n_rows: int
    """Number of the dataset's rows that satisfy its conditions."""
    support: int
    """Number of rows that it decides: those that satisfy no rule before it; with weights `n_rows`."""


class RuleFeature(Record):
    """A feature of raw rows that conditions refer to."""

    name: str
    """Name of the model's feature, to which `column` of conditions refers."""
    type_: Type | str
    """Type of the feature's values; a boolean is compared as 1 (true) or 0."""
    missing_text: str | None
    """Text that means a missing value, as null does; null where there is none."""


class RuleScores(Record):
    """How well predictions match the target or the model."""

    error: float | Unset | None = UNSET
    """Share of rows with a wrong label, 0 to 1; null for regression."""
    balanced_error: float | Unset | None = UNSET
    """Mean over the classes that have rows of their share of wrong labels, 0 to 1; null for regression."""
    fidelity: float | Unset | None = UNSET
    """Share of rows with the label that the model predicts, 0 to 1; for regression R2 to the values that the model
    predicts, null where these are all alike.
    """
    balanced_fidelity: float | Unset | None = UNSET
    """Mean over the labels that the model predicts of the share of their rows with the same label, 0 to 1; null for
    regression.
    """
    mean_squared_error: float | Unset | None = UNSET
    """Mean squared error in squared units of the target; null for classification."""
    r2: float | Unset | None = UNSET
    """Coefficient of determination, at most 1; null for classification and where all values are alike."""


class RuleSet(Record):
    """A rule set, its status and, once it is ready, its result."""

    object_: Literal["rule_set"] = "rule_set"
    """Type of this object."""
    id: str
    """Id of the artefact, derived from its request: equal requests have equal ids."""
    status: Status | str
    """`pending` while its job is queued or running; `ready` with a result; `failed` with a `problem`; `cancelled` if a
    caller cancelled the job.
    """
    job: str | None
    """Id of the job that makes or made it; null if that job is no longer kept."""
    reused: bool = False
    """Whether this request found an artefact that had been requested before."""
    created_at: datetime
    """Time of creation, in UTC (RFC 3339)."""
    request: RuleSetRequest
    """The request, with all defaults filled in."""
    problem: Problem | Unset | None = UNSET
    """Why the job failed; null unless it did."""
    result: RuleSetResult | Unset | None = UNSET
    """Result of the job; null until the status is `ready`, and in lists."""


class RuleSetEvaluation(Record):
    """How well rules predict the rows of one dataset."""

    n_rows: int
    """Number of rows evaluated."""
    evaluated_on: EvaluatedOn | str
    """Rows that were used: those of the reference dataset, or of `evaluation_dataset`."""
    measured_against: MeasuredAgainst | str
    """Reference of accuracies and errors: the dataset's target, or the model where it has none."""
    as_printed: RuleScores
    """Scores of the rules of this result, which are rounded and ordered."""
    as_fitted: RuleScores | Unset | None = UNSET
    """Scores of the two-step MAP prediction of the fitted regions, which the paper evaluates; null for other methods
    than `fab` and `em`, which predict by their rules alone.
    """
    model: RuleScores | None
    """Scores of the model itself; null without a target."""
    constant: ConstantRuleScores
    """Scores of predicting the same for every row."""
    coverage: float
    """Share of rows that some rule covers; the others get the default prediction."""
    mean_rules_per_row: float
    """Mean over the rows of the number of rules that they satisfy."""


class RuleSetRequest(Record):
    """Which model to describe by rules, and on which dataset."""

    settings: Literal["paper"] | Unset = UNSET
    """`paper`: the fields that are left out have the values of the method's paper, as docs/methods.md lists them,
    instead of these defaults, fields of fields included; what is given, null included, stands, but for `method: auto`,
    which leaves the method to the word, too. Answers show the fields that result, so that the id is that of the same
    request in full. Absent: the defaults.
    """
    model: str
    """Id of the model."""
    dataset: str
    """Id of the reference dataset, which has every feature that the model reads."""
    method: RuleSetMethod | str | Unset = UNSET
    """How rules are found. `rule_list`: a search for an ordered list of few and short rules that predict well; `fab`:
    factorised asymptotic Bayesian inference of regions, which finds their number up to `max_rules` (Hara & Hayashi),
    and prints their boxes; `em`: their baseline, EM for each number of regions. `in_trees`: paths of the model's trees,
    pruned, selected and put in order (Deng); `node_harvest`: nodes of the trees with weights, whose weighted mean
    predicts (Meinshausen), for regression or two classes; `decision_tree`: a small tree on the dataset's rows, which
    knows nothing of the model's trees. The last three have settings of their own, but not `boxes`, `max_rules`,
    `n_restarts`, `start`, `omega`, `e_step_rounds` and `regions`. Of what a method does not have, any value but the
    default is refused.
    """
    boxes: RuleSetBoxes | str | Unset = UNSET
    """How `fab` and `em` print the boxes of regions. `whole`: as in the paper, one rule for each region, without the
    conditions that exclude no row of the dataset; `shortened`: ordered, and without the conditions and rules that help
    least, until they can be read. `rule_list` has no boxes.
    """
    max_rules: int | Unset = UNSET
    """Maximum number of rules, including the default rule; with `boxes: whole` the maximum number of regions, beside
    which there is the default rule. `in_trees`, `node_harvest` and `decision_tree` have settings of their own that
    limit it, and refuse any value but the default.
    """
    n_restarts: int | Unset = UNSET
    """Number of fits from random starts; the one with the least training error is kept; `rule_list` makes a tenth of
    them. Default: 120 with `fab`, otherwise 20.
    """
    start: RuleSetStart | str | Unset = UNSET
    """What fits of regions begin with. `responsibilities`: the shares of regions in rows are random, and parameters
    follow from them; `eta`: the shares of regions for which statements are true are random; `algorithm_1`: all
    parameters and the responsibilities are random, as in the paper; `in_turn`: restarts begin in these three ways, one
    after the other.
    """
    omega: float | Unset | None = UNSET
    """Cost of a region in `fab`, in the paper half the number of its parameters: null. A smaller one leaves more
    regions. EM has none, and refuses it.
    """
    e_step_rounds: RoundsOrInTurn | Unset = UNSET
    """Maximum number of rounds in which an E-step of `fab` updates the responsibilities. It ends before where they
    settle, as in the paper, which is nearly always within 100 rounds; fewer leave more regions. `in_turn`: one in the
    first restart of each `start`, two in the second, and so on. Other methods refuse any value but the default.
    """
    regions: RuleSetRegions | str | Unset = UNSET
    """How the regions are fitted from which the search of `rule_list` begins."""
    in_trees: InTreesOptions | Unset | None = UNSET
    """Settings of `in_trees`; null: the defaults. Other methods refuse them."""
    node_harvest: NodeHarvestOptions | Unset | None = UNSET
    """Settings of `node_harvest`; null: the defaults. Other methods refuse them."""
    decision_tree: DecisionTreeOptions | Unset | None = UNSET
    """Settings of `decision_tree`; null: the defaults. Other methods refuse them."""
    labels: Labels | str | Unset = UNSET
    """What rules predict, whatever the method is: the model's predictions (`predicted`), which are the outcomes where
    the model has a decision, or the dataset's target column (`target`), as in the papers of all methods. The target
    says nothing of outcomes: rules of these are compared with the model alone.
    """
    evaluation_dataset: str | Unset | None = UNSET
    """Id of a dataset on which the result is evaluated instead of the reference dataset; null: on the reference dataset
    itself.
    """
    seed: int | Unset = UNSET
    """Seed of the random starts, and of the forest by which `in_trees` selects rules."""
    run_on: RunOn | str | Unset = UNSET
    """Where the job works on the rows: `local`, in the worker's own process; `cluster`, on the workers of a Dask
    cluster (LEAFSPACE_DASK_SCHEDULER); `auto`: on the cluster where one process would need more memory than a job may
    use, and else locally. The result is the same, and so is the id: answers always show `auto`.
    """


class RuleSetResult(Record):
    """The result of a rule set's job."""

    task: Task | str
    """What the model predicts."""
    classes: list[str]
    """Classes in the order of the model's scores; empty for regression."""
    outcome_texts: list[OutcomeText] | Unset = UNSET
    """What the dictionary calls classes and outcomes; absent where it calls none by other words."""
    method: RuleSetMethod | str
    """How rules were found."""
    boxes: RuleSetBoxes | str | Unset | None = UNSET
    """How boxes of regions were printed; null for methods but `fab` and `em`."""
    combination: RuleSetCombination | str = "first"
    """What rules make of a row. `first`: the first rule that it satisfies decides, else the default; `weighted_mean`:
    the mean of all rules that it satisfies, by their weights: of their predictions, or of their shares of the second
    class, which is predicted where the mean is over 0.5. Some rule has no conditions.
    """
    labels: Labels | str
    """Source of the rows' classes or values: the model's predictions (`predicted`) or the dataset's target column
    (`target`).
    """
    n_rows: int
    """Number of rows of the dataset."""
    n_trees: int
    """Number of trees of the model; 0 of an oracle."""
    n_statements: int
    """Number of different splits of the model's trees (L in the paper)."""
    n_rules: int
    """Number of rules, without the default rule."""
    n_conditions: int
    """Number of conditions of all rules together."""
    features: list[RuleFeature]
    """Features that conditions refer to, in the model's order."""
    rules: list[Rule]
    """The rules in the order in which they are applied."""
    default_prediction: NumberOrText
    """Prediction for rows that satisfy no rule."""
    default_scores: list[Score]
    """Shares of the classes among these rows, in the order of the classes; empty for regression."""
    default_support: int
    """Number of the dataset's rows that satisfy no rule."""
    evaluation: RuleSetEvaluation
    """Evaluation on `evaluation_dataset`, or else on the dataset itself."""
    training_evaluation: RuleSetEvaluation
    """Evaluation on the rows from which the rules were made."""
    cautions: list[Caution]
    """Reasons to read the result with care; empty where none is known."""
    regions: list[Region] | Unset = UNSET
    """The regions that `fab` or `em` fitted, with their parameters; empty for others. For each statement the table of
    parameters says which share of each region it is true for, and the table of rows which region each row most probably
    belongs to.
    """
    omega: float | Unset | None = UNSET
    """The cost of a region that was used; null for methods but `fab`."""
    restarts: list[Restart]
    """The fits of regions in their order; empty where there are none."""
    lower_bounds: list[float]
    """Lower bound of the log-likelihood after each iteration of the chosen fit; it never falls. Empty where there is
    none.
    """


RoundsOrInTurn: TypeAlias = int | Literal["in_turn"]


ConditionValue: TypeAlias = float | str | list[str]
"""What a condition compares with: a number, a category or categories."""


def create_rule_set(*, body: RuleSetRequest, idempotency_key: str | Unset | None = UNSET) -> Request[RuleSet]:
    """Request rules that describe an ensemble; a job finds them unless they are known."""
    return Request("POST", "/v1/rule-sets", headers={"Idempotency-Key": idempotency_key}, body=body, answer=RuleSet)


def list_rule_sets(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset | None = UNSET,
    model: str | Unset | None = UNSET,
    dataset: str | Unset | None = UNSET,
    evaluation_dataset: str | Unset | None = UNSET,
    status: Status | Unset | None = UNSET,
) -> Request[PageRuleSet]:
    """List rule sets, newest first, without their results."""
    return Request(
        "GET",
        "/v1/rule-sets",
        query={
            "limit": limit,
            "cursor": cursor,
            "model": model,
            "dataset": dataset,
            "evaluation_dataset": evaluation_dataset,
            "status": status,
        },
        answer=PageRuleSet,
    )


def get_rule_set(rule_set_id: str, *, if_none_match: str | Unset = UNSET) -> Request[RuleSet]:
    """Read a rule set: its status and, once it is ready, its result."""
    return Request(
        "GET", f"/v1/rule-sets/{segment(rule_set_id)}", headers={"If-None-Match": if_none_match}, answer=RuleSet
    )


def delete_rule_set(rule_set_id: str) -> Request[None]:
    """Delete a rule set; refused while others use it or a job makes it."""
    return Request("DELETE", f"/v1/rule-sets/{segment(rule_set_id)}")


def get_rule_set_content(rule_set_id: str, *, if_none_match: str | Unset = UNSET) -> Request[RuleSetResult]:
    """Read the whole result as JSON, CSV or Parquet, as `Accept` says."""
    return Request(
        "GET",
        f"/v1/rule-sets/{segment(rule_set_id)}/content",
        headers={"If-None-Match": if_none_match},
        answer=RuleSetResult,
    )


def export_rule_set(
    rule_set_id: str,
    *,
    format_: ExportRuleSetFormat | Unset = UNSET,
    over: Over | Unset | None = UNSET,
    if_none_match: str | Unset = UNSET,
) -> Request[None]:
    """Export the rules as JSON, a table in Markdown, SQL, a Python function, or a drawing in HTML."""
    return Request(
        "GET",
        f"/v1/rule-sets/{segment(rule_set_id)}/export",
        query={"format": format_, "over": over},
        headers={"If-None-Match": if_none_match},
    )


def get_rule_set_parameters(rule_set_id: str, *, if_none_match: str | Unset = UNSET) -> Request[None]:
    """Read eta, the parameters of the regions of `fab` or `em` by statement, as CSV or Parquet, as `Accept` says."""
    return Request("GET", f"/v1/rule-sets/{segment(rule_set_id)}/parameters", headers={"If-None-Match": if_none_match})


def list_rule_set_rows(rule_set_id: str, *, if_none_match: str | Unset = UNSET) -> Request[None]:
    """Read the MAP predictions of the dataset's rows by the regions of `fab` or `em`, as CSV or Parquet."""
    return Request("GET", f"/v1/rule-sets/{segment(rule_set_id)}/rows", headers={"If-None-Match": if_none_match})
