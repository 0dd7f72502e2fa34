"""Models and operations of explainers.

Written by scripts/generate_client.py from openapi.json.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, TypeAlias

from ..fields import UNSET, Tag, Unset
from ..operations import Request, segment
from ..records import Record
from .approximation_trees import PathNode
from .literals import Detail, EffectsReferenceKind, EffectsScale, Include, Level
from .models import CellValue, Decided, Instance, NumberOrText, Prediction, Problem, Renaming, Score
from .prototype_sets import Caution, Coverage, OutcomeText, SearchedRows


class AbstainedRow(Record):
    """One prediction, of a row that is too far from every prototype to be explained by them."""

    object_: Literal["explanation"] = "explanation"
    """Type of this object."""
    id: str | Unset = UNSET
    """Id by which the explanation is stored; absent where it is not (see `store_explanations` of the explainer)."""
    row_id: str
    """Id of the row: the caller's or, without one, the default of the request's `row_ids`."""
    status: Literal["abstained"]
    """`abstained`: the row is less typical than the explainer demands of rows that it explains."""
    summary: str
    """The explanation in a plain English sentence or two."""
    prediction: Prediction
    """What the model predicts."""
    decision: Decided | Unset = UNSET
    """What is decided of the row: the outcome in whose band its score lies, or the predicted class; absent for
    regression without a decision.
    """
    target: NumberOrText | Unset = UNSET
    """Its class or value in the target column of the dataset; absent where the row was sent, and where the dataset has
    no target that fits the model.
    """
    typicality: Typicality | Unset = UNSET
    """How near the row is to its nearest prototype, among other rows; absent where all other rows are prototypes."""
    warnings: list[RowWarning]
    """Reasons to read the explanation with care; empty: there is none."""
    nearest_prototypes: list[NearestPrototype]
    """The nearest prototypes by descending proximity, without those that share no leaf with the row."""
    prototype_prediction: PrototypePrediction | Unset = UNSET
    """What the nearest prototype predicts; absent unless `detail` is `full`, or if no prototype shares a leaf with the
    row.
    """
    effects: Effects | Unset = UNSET
    """By how much each feature moves the score from that of a reference case; absent where all prototypes are of the
    row's class, and where the model's scores are no sums over its trees.
    """
    values: list[ComparedFeature] | Unset = UNSET
    """Values in the model's order, of the features that the explainer shows; absent unless included."""
    contrasts: list[Contrast] | Unset = UNSET
    """Nearest prototypes of other classes than the predicted one, nearest first; absent unless included, and for
    regression.
    """
    rules: list[FiringRule] | Unset = UNSET
    """Rules that apply, in the order of the rule set: the first decides, and without any the default rule does; where
    they have a `weight`, the weighted mean of all that apply does. Absent unless included.
    """
    approximation_path: ApproximationPath | Unset = UNSET
    """Path of the row in the approximation tree; absent unless included."""
    nearest_rows: list[NearestRow] | Unset = UNSET
    """The nearest of all reference rows by descending proximity; absent unless included."""
    changes: Changes | Unset = UNSET
    """The smallest changes that would give the row the wished `outcome`; absent unless included, and where it has this
    outcome already, or the best one.
    """
    curves: list[Curve] | Unset = UNSET
    """How the score changes with each feature, those with the widest range of scores first, at most 40; those with none
    are left out. Absent unless included.
    """
    evidence: Evidence | Unset = UNSET
    """The true classes of the reference rows most like the row; absent unless included."""
    training_rows: TrainingRows | Unset = UNSET
    """Which training rows the prediction is made of, by which share or weight each; absent unless included."""


class ApproximationPath(Record):
    """A row's path in the approximation tree."""

    agrees: bool | Unset = UNSET
    """Whether the leaf has the label that the model predicts; absent for regression."""
    nodes: list[PathNode]
    """Conditions on the path, from the root."""
    leaf: PathLeaf
    """The leaf at the end of the path."""


class ChangeOption(Record):
    """A change that gives the wished outcome, as the model itself says."""

    changes: list[ChangedFeature]
    """The features that change."""
    score: float
    """Score of the changed row: that of the decision, or of the wished class."""
    outcome: str
    """Outcome, or class, that the model gives the changed row: the wished one."""
    typicality: ChangedTypicality | Unset = UNSET
    """How near the changed row is to its nearest prototype, among other rows; absent where all other rows are
    prototypes.
    """
    nearest_row: RowOfOutcome | Unset = UNSET
    """The reference row nearest to the changed row that has the wished outcome; where the prototype set keeps no
    reference rows, the nearest such prototype. Absent where none shares a leaf with it, and where prototypes are of
    classes and the outcome is none.
    """


class ChangedColumn(Record):
    """A one-hot column as it is sent of a changed row."""

    column: str
    """Name of the column."""
    value: float
    """Its value: 1 for the category of the changed row, else 0."""


class ChangedFeature(Record):
    """A feature that has another value in the changed row."""

    feature: str
    """Name of the feature; of a one-hot group, the group's."""
    value: CellValue | None
    """Value of the row; null if it is missing."""
    to: CellValue | None
    """Value of the changed row, as it can be sent; null if it is missing."""
    columns: list[ChangedColumn] | Unset = UNSET
    """Of a one-hot group, what is sent: its columns and their values; absent for other features."""
    text: str
    """The same as an English phrase, such as `income is 45,000 instead of 31,000`."""


class ChangedTypicality(Record):
    """How near a changed row is to its nearest prototype, among other rows."""

    level: Level | str
    """Level, as in `typicality`."""
    percentile: int
    """Percentile, 0 to 100, as in `typicality`."""


class Changes(Record):
    """The smallest changes of one feature, then of two, that give a row another outcome; else one towards a real row.
    Numbers change to values between the lowest and the highest of the reference rows, whole where theirs are, and
    categories to those that some reference row has. The size of a change is the share of the reference rows between two
    numbers, and 0.5 of a category. Changes are of what the model predicts, and not of the world.
    """

    outcome: str
    """The wished outcome, or class."""
    outcome_text: str | Unset = UNSET
    """What the dictionary calls it; absent where it is called by its name."""
    n_features_searched: Literal[1, 2]
    """Largest number of features whose changes together were all searched."""
    none_with_fewer: bool
    """Whether it is certain that no allowed change of fewer features than those of the first option gives the outcome;
    without options, that none of up to `n_features_searched` does. Allowed are values that the reference rows admit, of
    features that are neither `fixed` nor hidden, and on the side that `only_up` and `only_down` leave open.
    """
    options: list[ChangeOption]
    """At most three changes of one feature, then at most three of two, each by size; those of rows that share no leaf
    with any prototype come last. Where there is none, one of up to `max_changed_features` features that all have the
    values of one reference row: not the smallest, but real. Empty: none was found.
    """
    not_searched: list[str] | Unset = UNSET
    """Features that were not changed, as the model computes from them in a way that is not known; absent: none."""
    n_pairs_left: int | Unset = UNSET
    """Number of pairs of features that were not searched, as the search for one row is bounded; absent: none."""


class ClassShare(Record):
    """What the training rows of one true class add to the prediction."""

    label: float | str
    """Class."""
    share: float
    """Sum of the shares of the rows that have it: the model's score of it."""


class ComparedFeature(Record):
    """The values of one feature, of the row and of its nearest prototypes."""

    feature: str
    """Name of the feature."""
    feature_text: str | Unset = UNSET
    """What the dataset's dictionary, or its metadata, call the feature; absent where it is called by its name."""
    value: CellValue | None
    """Value of the row; null if it is missing."""
    prototype_values: list[CellValue | None]
    """Value of each of the nearest prototypes, in their order; null where it is missing."""
    row_values: list[CellValue | None] | Unset = UNSET
    """Value of each of the `nearest_rows`, in their order, null where it is missing; absent unless these are included.
    """


class Contrast(Record):
    """The nearest prototype of another class, and what the trees that tell the two apart ask most often."""

    row_id: str
    """Id of the row: its text in the dataset's row_id column, or its 0-based index without one."""
    label: float | str
    """Class of the prototype."""
    predicted: float | str | Unset = UNSET
    """Class that the model predicts for the prototype; absent where that is its `label`."""
    target: NumberOrText | Unset = UNSET
    """Its class or value in the target column; absent where the dataset has no target that fits the model."""
    proximity: float
    """Proximity to the row, 0 to 1; where it is 0, this is the prototype of its class selected first."""
    differences: list[Difference] | Unset = UNSET
    """Features at which the trees part the two rows, by descending share of trees; at most `n_reasons`. Absent where
    the prototype set keeps no reference rows, and with them no paths.
    """


class Curve(Record):
    """How the score of a row changes with one feature, all else as it is: exact, as an ensemble's score has steps."""

    feature: str
    """Name of the feature; of a one-hot group, the group's."""
    feature_text: str | Unset = UNSET
    """What the dataset's dictionary, or its metadata, call the feature; absent where it is called by its name."""
    score_of: str | Unset = UNSET
    """Class whose score it is; absent for regression."""
    value: CellValue | None
    """Value of the row; null if it is missing, and where a row has none of the categories of a one-hot group."""
    steps: list[CurveStep]
    """Steps, of numbers in ascending order; at most 50."""
    missing: float | Unset = UNSET
    """Score with a missing value; absent where the model takes none."""
    resolution: float
    """Neighbouring steps whose scores differ by less from that of the first are joined. The step with the row's own
    value has the row's own score. 0 of categories.
    """
    n_left_out: int | Unset = UNSET
    """Number of categories that are not listed, with scores nearest to the row's own; absent: none."""


class CurveStep(Record):
    """Values of one feature that give the row the same score, or as good as the same."""

    from_: float | Unset = UNSET
    """Lowest number of the step, which ends where the next begins; absent of the first step, which has no lower end,
    and of categories.
    """
    value: str | Unset = UNSET
    """Category; absent of numbers, of any other category, and of none in a one-hot group."""
    score: float
    """Score of the row with such a value, all else as it is."""


class Difference(Record):
    """A feature at which trees part a row from a prototype: at it, their paths in a tree go different ways first."""

    feature: str
    """Name of the feature."""
    text: str
    """What the trees that separate the two rows test at this feature, as an English phrase, such as `whether income is
    above 45,000; it is 31,000 here`. The answer is yes for the prototype and no for the row. It is not claimed that the
    prediction changes with this feature alone, nor that it changes with no other. Where the feature is `fixed`, it ends
    with `and cannot change`.
    """
    value: CellValue | Unset | None = UNSET
    """Value of the row; null if it is missing. Absent, as is `prototype_value`, where the feature could not be mapped
    back to a raw one.
    """
    prototype_value: CellValue | Unset | None = UNSET
    """Value of the prototype, or of the reference row; null if it is missing."""
    fixed: Literal[True] | Unset = UNSET
    """Whether the dictionary fixes this feature: the two rows differ at it, and nothing can change it; absent of
    others.
    """
    share_of_trees: float
    """Among the trees that separate the two rows, the share, by weight, of those that do so at this feature, 0 to 1,
    rounded to 4 decimals. Over all features, hidden ones included, these shares add up to 1.
    """
    interval: ReasonInterval | Unset = UNSET
    """What holds for the prototype, in numbers; absent unless `intervals` are included."""


class Effects(Record):
    """By how much each feature moves the score of a row from that of a reference case: exact Shapley values. A
    feature's effect is its mean contribution, over all orders in which the features can be changed from those of the
    reference case to those of the row, to the model's raw score. It is of the model, and not of the world.
    """

    of: str | Unset = UNSET
    """Class whose score it is: the predicted one, the one whose score is in bands, or that of the requested `outcome`;
    absent for regression.
    """
    scale: EffectsScale | str
    """What the trees add up: shares of classes (`probability`), values before the logistic function or the softmax
    (`log_odds`), or predicted values (`value`).
    """
    score: float
    """Score of the row, in the scale."""
    reference: EffectsReference
    """The case, or the cases, that the row is compared with."""
    features: list[FeatureEffect]
    """Features by descending size of their effects, at most `n_reasons`; effects of all, and of the `rest`, add up to
    the difference of the two scores, each rounded to 7 digits of the larger score.
    """
    rest: OtherEffects
    """What the features that are not listed add."""
    principal_reasons: list[PrincipalReason] | Unset = UNSET
    """Where the outcome is adverse, as the model's decision or the dictionary says: the features, or groups, that move
    the score most towards it, at most four, without protected and hidden ones, and without those that move it by less
    than a twentieth of what the first of all does; else absent.
    """


class EffectsReference(Record):
    """The case that a row is compared with, or the cases, whose mean effects are shown."""

    kind: EffectsReferenceKind | str
    """`contrast`: the nearest prototype of another class, or of the best other outcome that has one; `nearest`: the
    nearest prototype; `prototypes`: all of one outcome, each weighted by the rows that it represents; `rows`: the
    reference rows of one outcome; `all`: all reference rows.
    """
    row_id: str | Unset = UNSET
    """Id of the row; absent where effects are means over several rows."""
    outcome: str | Unset = UNSET
    """Class or outcome of the row or rows; absent for regression, and of `all`."""
    outcome_text: str | Unset = UNSET
    """What the dictionary calls the outcome; absent where it is called by its name."""
    n_rows: int
    """Number of rows that effects are means over; 1 of `contrast` and of `nearest`."""
    among: int | Unset = UNSET
    """Number of rows of which these are evenly spaced ones, where all would take too long; absent where they are all.
    """
    score: float
    """Score, or mean score, in the scale of the effects."""
    probability: float | Unset = UNSET
    """The same as a probability, or the mean of these, 0 to 1: effects in `points` add up to the row's probability less
    this. Only where features have points.
    """


class Evidence(Record):
    """The true classes of the reference rows most like a row, by the trees' own likeness, that have nearly its score.
    They are the 50 rows, ties apart, with the largest proximity times 1 - (difference of scores / 0.05)^2, of at most
    100,000 reference rows, evenly spaced.
    """

    n_rows: int
    """Number of the rows; 0 where none shares a leaf with it and has nearly its score."""
    effective_rows: float
    """Number of rows of equal weight that say as much."""
    score_of: str
    """Class whose score they have nearly: the decision's, or the predicted one."""
    score: float
    """The row's score of this class; out of bag, of a reference row that is explained, by the trees that did not learn
    from it.
    """
    shares: list[OutcomeShare]
    """Share of each class, in the order of the classes; empty: no rows."""
    level: float
    """Probability with which an interval should hold the share among other such rows."""
    out_of_bag: bool
    """Whether each row was scored and compared by those trees alone that were not trained on it, as the `bags` of a
    forest allow; false where it is not known which trees were.
    """
    is_reference_row: bool | Unset = UNSET
    """True of a reference row that is explained by its id, or in a set: it is no evidence of itself; else absent."""
    agrees: bool | Unset = UNSET
    """Whether the score lies in the interval of its class; otherwise `warnings` has `outcomes_disagree`. Absent: no
    rows.
    """
    cautions: list[Caution] | Unset = UNSET
    """Reasons to read the evidence with care: `training_not_known`. Absent out of bag, and where the dataset of these
    rows is declared `held_out`.
    """


class ExplainedRow(Record):
    """One prediction explained."""

    object_: Literal["explanation"] = "explanation"
    """Type of this object."""
    id: str | Unset = UNSET
    """Id by which the explanation is stored; absent where it is not (see `store_explanations` of the explainer)."""
    row_id: str
    """Id of the row: the caller's or, without one, the default of the request's `row_ids`."""
    status: Literal["ok"]
    """`ok`: the row is explained."""
    summary: str
    """The explanation in a plain English sentence or two."""
    prediction: Prediction
    """What the model predicts."""
    decision: Decided | Unset = UNSET
    """What is decided of the row: the outcome in whose band its score lies, or the predicted class; absent for
    regression without a decision.
    """
    target: NumberOrText | Unset = UNSET
    """Its class or value in the target column of the dataset; absent where the row was sent, and where the dataset has
    no target that fits the model.
    """
    typicality: Typicality | Unset = UNSET
    """How near the row is to its nearest prototype, among other rows; absent where all other rows are prototypes."""
    warnings: list[RowWarning]
    """Reasons to read the explanation with care; empty: there is none."""
    nearest_prototypes: list[NearestPrototype]
    """The nearest prototypes by descending proximity, without those that share no leaf with the row."""
    prototype_prediction: PrototypePrediction | Unset = UNSET
    """What the nearest prototype predicts; absent unless `detail` is `full`, or if no prototype shares a leaf with the
    row.
    """
    effects: Effects | Unset = UNSET
    """By how much each feature moves the score from that of a reference case; absent where all prototypes are of the
    row's class, and where the model's scores are no sums over its trees.
    """
    values: list[ComparedFeature] | Unset = UNSET
    """Values in the model's order, of the features that the explainer shows; absent unless included."""
    contrasts: list[Contrast] | Unset = UNSET
    """Nearest prototypes of other classes than the predicted one, nearest first; absent unless included, and for
    regression.
    """
    rules: list[FiringRule] | Unset = UNSET
    """Rules that apply, in the order of the rule set: the first decides, and without any the default rule does; where
    they have a `weight`, the weighted mean of all that apply does. Absent unless included.
    """
    approximation_path: ApproximationPath | Unset = UNSET
    """Path of the row in the approximation tree; absent unless included."""
    nearest_rows: list[NearestRow] | Unset = UNSET
    """The nearest of all reference rows by descending proximity; absent unless included."""
    changes: Changes | Unset = UNSET
    """The smallest changes that would give the row the wished `outcome`; absent unless included, and where it has this
    outcome already, or the best one.
    """
    curves: list[Curve] | Unset = UNSET
    """How the score changes with each feature, those with the widest range of scores first, at most 40; those with none
    are left out. Absent unless included.
    """
    evidence: Evidence | Unset = UNSET
    """The true classes of the reference rows most like the row; absent unless included."""
    training_rows: TrainingRows | Unset = UNSET
    """Which training rows the prediction is made of, by which share or weight each; absent unless included."""


class Explainer(Record):
    """A registered explainer."""

    object_: Literal["explainer"] = "explainer"
    """Type of this object."""
    id: str
    """Id of the explainer, derived from its request."""
    name: str | None
    """Name of the explainer; null without one."""
    model: str
    """Id of the model."""
    prototype_set: str
    """Id of the prototype set."""
    rule_set: str | Unset | None = UNSET
    """Id of the rule set; null without one."""
    approximation_tree: str | Unset | None = UNSET
    """Id of the approximation tree; null without one."""
    created_at: datetime
    """Time of creation, in UTC (RFC 3339)."""
    abstain_below: float | Unset | None = UNSET
    """Percentile of `typicality` below which a row is not explained; null: none is."""
    shown_features: ShownFeatures
    """Features of the prototype rows that explanations show: `all`, or a list of names."""
    store_explanations: bool = False
    """Whether each explanation is stored."""
    nearest_rows: SearchedRows | Unset | None = UNSET
    """Reference rows that `nearest_rows` and `evidence` search; null where none are kept: for more than 250,000,000
    rows x (trees + features), and with `euclidean`.
    """


class ExplainerRequest(Record):
    """Which artefacts explain the predictions of a model."""

    settings: Literal["paper"] | Unset = UNSET
    """`paper`: the fields that are left out have the values of the method's paper, as docs/methods.md lists them,
    instead of these defaults, fields of fields included; what is given, null included, stands, but for `method: auto`,
    which leaves the method to the word, too. Answers show the fields that result, so that the id is that of the same
    request in full. Absent: the defaults.
    """
    model: str
    """Id of the model."""
    prototype_set: str
    """Id of a prototype set of this model."""
    rule_set: str | Unset | None = UNSET
    """Id of a rule set of this model, whose rules `include: ["rules"]` lists; null: none."""
    approximation_tree: str | Unset | None = UNSET
    """Id of an approximation tree of this model, in which `include: ["approximation_path"]` describes the path of a
    row; null: none.
    """
    name: str | Unset | None = UNSET
    """Name of the explainer, shown in lists; null: none."""
    shown_features: RequestedFeatures | Unset = UNSET
    """Features of the (real) prototype rows that explanations show, in `values` and in reasons and differences: `all`,
    or a list of names.
    """
    abstain_below: float | Unset | None = UNSET
    """Percentile of `typicality` below which a row is not explained: its `status` is `abstained`, and its nearest
    prototypes are still listed. Null: every row is explained. Not applicable to prototype sets without `typicality`.
    """
    store_explanations: bool | Unset = UNSET
    """Whether each explanation is stored, with its row and the id of the caller's key, to be read and verified later by
    keys with the scope `audit`. Refused unless the service's operator allows it (LEAFSPACE_STORE_EXPLANATIONS);
    explanation sets are not concerned.
    """


class ExplainerSummary(Record):
    """A registered explainer in a list: without the features that it shows, which may be thousands."""

    object_: Literal["explainer"] = "explainer"
    """Type of this object."""
    id: str
    """Id of the explainer, derived from its request."""
    name: str | None
    """Name of the explainer; null without one."""
    model: str
    """Id of the model."""
    prototype_set: str
    """Id of the prototype set."""
    rule_set: str | Unset | None = UNSET
    """Id of the rule set; null without one."""
    approximation_tree: str | Unset | None = UNSET
    """Id of the approximation tree; null without one."""
    created_at: datetime
    """Time of creation, in UTC (RFC 3339)."""


class ExplanationList(Record):
    """Explanations in the order of the instances."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    explainer: str
    """Id of the explainer that was used."""
    explainer_name: str | Unset = UNSET
    """Name that it was called by; absent where it was called by id."""
    data: list[Explanation]
    """Explanations, one for each instance, in their order."""
    ignored_columns: list[str] | Unset = UNSET
    """Names that instances have and the model does not, the first 100 of them, which nothing reads; absent where there
    are none.
    """
    outcome_texts: list[OutcomeText] | Unset = UNSET
    """What the dictionary calls classes and outcomes; absent where it calls none by other words. Absent, too, where it
    has words for more than 50.
    """
    provenance: Provenance
    """Model, dataset, prototype set and versions behind the explanations."""


class ExplanationRequest(Record):
    """Rows to explain."""

    n_prototypes: int | Unset = UNSET
    """Maximum number of nearest prototypes of each row."""
    n_reasons: NumberOfReasons | Unset = UNSET
    """Maximum number of reasons for each prototype, those that most of the shared trees test first, or `all`."""
    include: list[Include | str] | Unset = UNSET
    """Optional parts of explanations. `values`: the values of the row and of its nearest prototypes; `intervals`: the
    ends of each reason as numbers; `contrast`: the nearest prototypes of other classes, and what the trees test that
    tell the two apart; `rules`: the rules that apply, if the explainer has a rule set; `approximation_path`: the path
    in the approximation tree, if the explainer has one; `nearest_rows`: the nearest of all reference rows, if the
    explainer has them; `changes`: the smallest changes of the row that would give it another outcome; `curves`: how the
    score changes with each feature, all else as it is; `evidence`: the true classes of the reference rows most like the
    row, if the explainer has these rows; `training_rows`: the rows that the model was trained on which make its
    prediction, by their shares in a forest, or their weights in boosting by squared error, if these rows are the
    explainer's.
    """
    n_contrasts: int | Unset = UNSET
    """Maximum number of other classes in `contrasts`, where `contrast` is included: the nearest ones, each by its
    nearest prototype.
    """
    nearest_rows: NearestRowsOptions | Unset | None = UNSET
    """Which rows `nearest_rows` lists, where it is included; null: the nearest five."""
    reference: str | Unset | None = UNSET
    """What effects compare each row with. `contrast`: the nearest prototype of another class, or of the best other
    outcome; `nearest`: the nearest prototype; `prototypes:<outcome>`: the mean over the prototypes of an outcome or
    class, weighted by the rows that they represent; `rows:<outcome>`: the mean over the reference rows of an outcome or
    class; `all`: the mean over all reference rows. Null: `contrast`, or `nearest` for regression without a decision.
    """
    outcome: str | Unset | None = UNSET
    """Outcome, or class, that the question is about: effects are on its score, and `changes`, where these are included,
    aim at it. Null: effects are on the score that decides or, without a decision, on that of the predicted class;
    changes aim at the next better outcome where a decision has bands, and otherwise at the other class with the highest
    score.
    """
    max_changed_features: int | Unset = UNSET
    """How many features may change together in `changes`, at most. All changes of one and of two are searched; only
    where there is none, one of more is taken from the values of a real row.
    """
    fixed: list[str] | Unset = UNSET
    """Features that never change in `changes`, such as age; a column of a one-hot group fixes all of it. Features that
    the explainer hides are always fixed.
    """
    only_up: list[str] | Unset = UNSET
    """Features of numbers that only grow in `changes`, such as years of employment; a missing value stays missing."""
    only_down: list[str] | Unset = UNSET
    """Features of numbers that only shrink in `changes`; a missing value stays missing."""
    detail: Detail | str | Unset = UNSET
    """`full` gives everything that the explainer has: all reasons, all optional parts, and more about each prototype.
    `n_reasons` changes nothing then, and `include` only adds `changes`, `curves`, `evidence`, `training_rows`.
    """
    instances: list[Instance] | Unset = UNSET
    """Raw rows, at most 1,000. Each row has values by feature name, or in the order of the features. Where the
    prototypes' dataset has a feature set, a row may also be the rows of one example by table, such as `{customer:
    [row], account: [rows]}`, each with its values by column. None where `dataset` and `row_ids` name the rows.
    """
    dataset: str | Unset | None = UNSET
    """Id of a registered dataset; `row_ids` names its rows to explain."""
    row_ids: list[str] | Unset | None = UNSET
    """Ids of the rows in their order, which must be unique; default: their 0-based indices as text. Examples that are
    all sent by table, each with another primary key, have their keys by default. With `dataset`: the ids of its rows
    that are to be explained, at most 1,000: their texts in its row_id column, or their 0-based indices without one.
    """


class FeatureEffect(Record):
    """By how much one feature moves the score."""

    feature: str
    """Name of the feature, or of a group of features in the dictionary that count as one; of a column made of several
    features, the column's.
    """
    feature_text: str | Unset = UNSET
    """What the dataset's dictionary, or its metadata, call the feature; absent where it is called by its name."""
    group: list[str] | Unset = UNSET
    """Features of the group; absent where it is a single one."""
    protected: bool | Unset = UNSET
    """True where the dictionary protects the feature, or one of the group: it is no reason and never changed."""
    value: CellValue | Unset | None = UNSET
    """Value of the row; null if it is missing. Absent where the feature is not a raw one."""
    reference_value: CellValue | Unset | None = UNSET
    """Value of the reference case; null if it is missing. Absent where the feature is not a raw one, and where effects
    are means over several rows.
    """
    value_text: str | Unset = UNSET
    """Value of the row in the words of the dictionary; absent where it has none for the feature."""
    reference_text: str | Unset = UNSET
    """Value of the reference case in these words."""
    effect: float
    """How much of the difference of the two scores is due to it, in the scale."""
    points: float | Unset = UNSET
    """The same in points of probability, -1 to 1, by the rescale rule, for each reference row by itself; only where the
    scale is `log_odds` and there are two classes.
    """


class FiringRule(Record):
    """A rule whose conditions the row satisfies."""

    rank: int
    """1-based rank of the rule in the rule set."""
    text: str
    """Conditions of the rule as an English phrase."""
    prediction: NumberOrText
    """Predicted label, or value for regression."""
    weight: float | Unset = UNSET
    """Weight of the rule where not the first rule decides but the weighted mean of all that apply; else absent."""


class NearestPrototype(Record):
    """A prototype near the row, as the model sees it."""

    row_id: str
    """Id of the row: its text in the dataset's row_id column, or its 0-based index without one."""
    label: float | str | Unset = UNSET
    """Class of the prototype; absent for regression."""
    value: float | Unset = UNSET
    """Value that the model predicts for it; absent for classification."""
    predicted: float | str | Unset = UNSET
    """Class that the model predicts for the prototype; absent where that is its `label`."""
    target: NumberOrText | Unset = UNSET
    """Its class or value in the target column; absent where the dataset has no target that fits the model."""
    proximity: float
    """Share of trees, by weight, in which it has the same leaf as the row."""
    reasons: list[Reason]
    """Reasons for the proximity, one for each shown feature that shared trees test, by descending share of trees; at
    most `n_reasons`. Empty below the minimum proximity (see `row_coverage` of prototype sets), and where the status is
    `abstained`.
    """
    rank: int | Unset = UNSET
    """1-based rank by proximity to the row; absent unless `detail` is `full`."""
    distance: float | Unset = UNSET
    """1 - proximity; absent unless `detail` is `full`."""
    shared_trees: int | Unset = UNSET
    """Number of trees in which it has the same leaf as the row; absent unless `detail` is `full`."""
    n_trees: int | Unset = UNSET
    """Number of trees of the model; absent unless `detail` is `full`."""
    coverage: Coverage | Unset = UNSET
    """The reference rows that the prototype represents; absent unless `detail` is `full`."""


class NearestRow(Record):
    """A reference row near the row, as the model sees it."""

    row_id: str
    """Id of the row: its text in the dataset's row_id column, or its 0-based index without one."""
    label: float | str | Unset = UNSET
    """Class that the model predicts for it; absent for regression."""
    value: float | Unset = UNSET
    """Value that the model predicts for it; absent for classification."""
    target: NumberOrText | Unset = UNSET
    """Its class or value in the target column; absent where the dataset has no target that fits the model."""
    proximity: float
    """Share of trees, by weight, in which it has the same leaf as the row."""
    reasons: list[Reason]
    """Reasons for the proximity, one for each shown feature that shared trees test, by descending share of trees; at
    most `n_reasons`. Empty below the minimum proximity (see `row_coverage` of prototype sets), and where the status is
    `abstained`.
    """


class NearestRowsOptions(Record):
    """Which of the reference rows `nearest_rows` lists."""

    n_rows: int | Unset = UNSET
    """Maximum number of rows; those that share no leaf with the explained row are left out."""
    classes: list[str] | Unset | None = UNSET
    """Only rows for which the model predicts one of these classes; null: of any. Not applicable to regression."""
    max_per_group: int | Unset | None = UNSET
    """Maximum number of rows of a group: from near to far, a row is passed over when its group has that many. Null: any
    number.
    """
    group_by: str | Unset | None = UNSET
    """Column of the reference dataset, such as one of households, whose value is the group of a row; rows without a
    value are one group. Null: the class that the model predicts.
    """
    row_ids: list[str] | Unset | None = UNSET
    """Only rows with these ids; null: all."""


class OtherEffects(Record):
    """The features that are not listed."""

    n_features: int
    """Number of other features that have an effect, hidden ones included."""
    effect: float
    """The sum of their effects."""


class OutOfBagPrediction(Record):
    """What those trees alone predict that did not learn from the row."""

    n_trees: int
    """Number of these trees."""
    shares: list[ClassShare] | Unset = UNSET
    """Their score of each class; absent for regression."""
    value: float | Unset = UNSET
    """Their value; absent for classification."""


class OutcomeShare(Record):
    """The share of one true class among the rows."""

    label: float | str
    """Class."""
    share: float
    """Share of the rows that have it, 0 to 1."""
    low: float
    """Lower end of its interval."""
    high: float
    """Upper end of its interval."""


class PageExplainerSummary(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[ExplainerSummary]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class PathLeaf(Record):
    """The leaf that a row reaches in the approximation tree."""

    id: int
    """Id of the node in the tree."""
    prediction: NumberOrText
    """Predicted label, or value for regression."""
    scores: list[Score]
    """Shares of the classes in the order of the classes; empty for regression."""
    n_samples: int
    """Number of the reference dataset's rows that reach it."""


class PrincipalReason(Record):
    """A feature, or a group of features, that speaks for an adverse outcome, as a notice states it."""

    feature: str
    """Name of the feature, or of the group."""
    code: str | Unset = UNSET
    """Code of the reason in the dictionary; absent without one."""
    text: str
    """The reason in the dictionary's words; without any, what the feature is called."""


class PrototypePrediction(Record):
    """What the nearest prototype predicts."""

    label: float | str | Unset = UNSET
    """Class of the nearest prototype; absent for regression."""
    value: float | Unset = UNSET
    """Value that the model predicts for the nearest prototype; absent for classification."""
    agrees: bool | Unset = UNSET
    """Whether the model predicts the same label; absent for regression."""


class Provenance(Record):
    """What the explanations were computed from."""

    model_sha256: str
    """SHA-256 of the model's uploaded file, in hexadecimal."""
    dataset_sha256: str
    """SHA-256 of the reference dataset's uploaded file, in hexadecimal."""
    prototype_set: str
    """Id of the prototype set."""
    numerics: str
    """Precision in which the model takes numbers, `float32` or `float64`; it may add up in a higher one."""
    service: str
    """Version of the service."""


class Reason(Record):
    """A feature that shared trees test, and the values that keep a row in their leaves."""

    feature: str
    """Name of the feature."""
    text: str
    """The reason as an English phrase, such as `income is above 1,200 and at most 3,400 (missing allowed)`, `color is G
    or H` or `income is missing`. It names the remaining categories or the excluded ones, whichever are fewer, and adds
    `(transformed)` to the names of transformed features. Ends of more than 9 digits are rounded to 6 so that the
    printed interval lies inside the exact one, but for the next few numbers, where it then holds for both rows; ends
    nearer to 0 than data are printed as 0.
    """
    value: CellValue | Unset | None = UNSET
    """Value of the row; null if it is missing. Absent, as is `prototype_value`, where the feature could not be mapped
    back to a raw one.
    """
    prototype_value: CellValue | Unset | None = UNSET
    """Value of the prototype, or of the reference row; null if it is missing."""
    share_of_trees: float
    """Share of the shared trees, by the weight that each has in the proximity, that test the feature on the path to the
    shared leaf, 0 to 1, rounded to 4 decimals.
    """
    interval: ReasonInterval | Unset = UNSET
    """The same as `text`, in numbers; absent unless `intervals` are included."""


class ReasonInterval(Record):
    """The values of one feature that keep a row in all leaves that it shares with a prototype."""

    low: float | Unset = UNSET
    """Lower end of the interval; absent: there is none."""
    low_inclusive: bool | Unset = UNSET
    """Whether the interval includes its lower end."""
    high: float | Unset = UNSET
    """Upper end of the interval; absent: there is none."""
    high_inclusive: bool | Unset = UNSET
    """Whether the interval includes its upper end."""
    or_missing: bool | Unset = UNSET
    """True where a missing value also keeps the row in the shared leaves. It is absent where the rows from which the
    prototypes were chosen have no missing value of this feature, unless the explained row has one.
    """
    is_missing: bool | Unset = UNSET
    """True where only a missing value keeps the row in the shared leaves: both rows miss the value. Then there is no
    interval and no category.
    """
    category: NumberOrText | Unset = UNSET
    """The only category that keeps the row in the shared leaves; absent: there is none."""
    categories: list[NumberOrText] | Unset = UNSET
    """The only categories that keep the row in the shared leaves, two or more: all others, unseen ones too, do not.
    Absent where other categories do.
    """
    excluded_categories: list[NumberOrText] | Unset = UNSET
    """Categories that do not keep the row in the shared leaves; of a number, excluded values within the interval."""
    transformed: bool | Unset = UNSET
    """True where the feature could not be mapped back to a raw one."""
    exact: bool | Unset = UNSET
    """False where a tree tests a set of raw numbers, and where ends were mapped back through scaling: then they hold up
    to the rounding of single precision, on either side. Else absent.
    """


class RefusedRow(Record):
    """Why a row could not be explained."""

    object_: Literal["explanation"] = "explanation"
    """Type of this object."""
    row_id: str
    """Id of the row: the caller's or, without one, the default of the request's `row_ids`."""
    status: Literal["error"]
    """`error`: the row could not be explained; see `problem`."""
    problem: Problem
    """Why the row could not be explained."""


class RowOfOutcome(Record):
    """A real row that has the wished outcome."""

    row_id: str
    """Id of the row: its text in the dataset's row_id column, or its 0-based index without one."""
    target: NumberOrText | Unset = UNSET
    """Its class or value in the target column; absent where the dataset has no target that fits the model."""
    proximity: float
    """Share of trees, by weight, in which both are in the same leaf."""


class RowWarning(Record):
    """A reason to read an explanation with care."""

    code: str
    """What is unusual: `outcomes_disagree` (the score is outside of the interval of `evidence`, where that is
    included), `near_tie` (rounding may have decided the label), `unseen_category` (no reference row has it),
    `outside_reference_range` (of the values of all reference rows), `transformed_features` (reasons name columns of the
    model that are not raw features); codes may be added.
    """
    feature: str | Unset = UNSET
    """Feature that is concerned; absent where it is none in particular. Ten are named of each code, others counted."""
    detail: str
    """The same as an English sentence."""


class TargetWeights(Record):
    """How a prediction of boosting is a sum: `value` is `constant` and the sum of all targets by their weights."""

    sum_: float
    """Sum of the weights: 1 where boosting began with the mean target."""
    negative: float
    """Sum of the negative weights: a later tree takes back what earlier ones added."""
    n_negative: int
    """Number of rows with a negative weight."""
    constant: float
    """What targets do not add: 0 where boosting began with the mean target, else what is left of the constant that it
    began with.
    """
    learning_rate: float
    """By which each tree's values are multiplied, as its leaves have it."""
    l2_penalty: float
    """That is added to the number of rows of a leaf; 0: leaves are means."""


class TrainingRow(Record):
    """A row that the model was trained on, and its share in a forest's prediction, or its weight in one of boosting."""

    row_id: str
    """Id of the row: its text in the dataset's row_id column, or its 0-based index without one."""
    target: TrueValue
    """Its true class, or its true value."""
    share: float | Unset = UNSET
    """Its share in a forest's prediction, 0 to 1; absent of boosting."""
    weight: float | Unset = UNSET
    """By how much the prediction of boosting would rise if the row's target were higher by 1, its trees being split as
    they are; negative where it would fall. Absent of forests.
    """
    is_explained_row: bool | Unset = UNSET
    """True where it is the explained row itself; else absent."""


class TrainingRows(Record):
    """Which training rows the prediction is made of: their targets, by their shares or weights, add up to it. A leaf of
    a forest predicts the mean target of the rows that its tree drew into it. So a row's share is the mean over trees of
    how often the tree drew it, divided by how many it drew into the leaf, where it lies in the same leaf. A leaf of
    boosting by squared error has the learning rate times the mean of what earlier trees left of its rows' targets. So
    rows have weights, by which their targets add up to the prediction, the trees being split as they are. Weights may
    be negative, and are no shares: rows are counted and ordered by weights without signs.
    """

    n_training_rows: int
    """Number of rows that the model was trained on."""
    n_rows: int
    """Number of those that have a share, or a weight other than 0."""
    n_half: int
    """The fewest rows whose shares add up to one half; of boosting, whose weights without signs add up to half of those
    of all rows.
    """
    effective_rows: float
    """Number of rows of equal share, or weight, that say as much: Kish's effective number, of weights without signs."""
    rows: list[TrainingRow]
    """The rows with the largest shares, or weights without signs, largest first, at most 10."""
    shares: list[ClassShare] | Unset = UNSET
    """What the rows of each true class add, in the order of the classes; absent for regression."""
    value: float | Unset = UNSET
    """Sum of the targets by their shares, or by their weights and the constant: the predicted value; absent for
    classification.
    """
    interval: ValueInterval | Unset = UNSET
    """Where the value of such a row should lie, by a quantile regression forest; of a training row by the trees that
    did not learn from it. Absent for classification, of boosting, whose weights may be negative, and of a training row
    that all trees learned from.
    """
    weights: TargetWeights | Unset = UNSET
    """How the weights add up; absent of forests."""
    out_of_bag: OutOfBagPrediction | Unset = UNSET
    """Of a training row of a forest that is explained by its id, or in a set: what the trees predict that did not learn
    from it. Absent of other rows, and where all trees learned from it.
    """


class Typicality(Record):
    """How near a row is to its nearest prototype, among other rows (see `typicality` of the prototype set)."""

    level: Level | str
    """`close`: above the 75th percentile; `typical`: from the 5th; `far`: below it, or at a proximity of less than 10 %
    to the nearest prototype, however many rows are farther; `none`: the row shares no leaf with any prototype.
    """
    percentile: int
    """Share of the rows compared with that are no nearer to their nearest prototype, in per cent, rounded down; 0 where
    the level is `none`.
    """


class ValueInterval(Record):
    """Where the value of such a row should lie."""

    level: float
    """Probability with which the interval should hold the value."""
    low: float
    """Lower end: a quantile of the targets of training rows, weighted by their shares."""
    high: float
    """Upper end: another such quantile."""
    coverage: float | Unset = UNSET
    """Share of at most 300 training rows, evenly spaced, whose value lies in the interval by the trees that did not
    learn from them: where it is far below `level`, intervals of this forest are too narrow. Absent where it is not
    known which trees learned from which rows.
    """


Explanation: TypeAlias = Annotated[ExplainedRow | AbstainedRow | RefusedRow, Tag("status")]
"""One prediction explained, or why it could not be, by `status`."""

NumberOfReasons: TypeAlias = int | Literal["all"]


TrueValue: TypeAlias = str | float
"""True class or value of a row."""

RequestedFeatures: TypeAlias = Literal["all"] | list[str]
"""`all`, or the names of some features."""

ShownFeatures: TypeAlias = Literal["all"] | list[str]
"""`all`, or the names of some features."""


def explain(explainer_id: str, *, body: ExplanationRequest) -> Request[ExplanationList]:
    """Explain up to 1,000 predictions by their nearest prototypes; up to 50 of them as HTML, as `Accept` says."""
    return Request("POST", f"/v1/explainers/{segment(explainer_id)}/explanations", body=body, answer=ExplanationList)


def register_explainer(*, body: ExplainerRequest, idempotency_key: str | Unset | None = UNSET) -> Request[Explainer]:
    """Register what to explain a model's predictions with."""
    return Request("POST", "/v1/explainers", headers={"Idempotency-Key": idempotency_key}, body=body, answer=Explainer)


def list_explainers(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset | None = UNSET,
    model: str | Unset | None = UNSET,
    prototype_set: str | Unset | None = UNSET,
    rule_set: str | Unset | None = UNSET,
    approximation_tree: str | Unset | None = UNSET,
    name: str | Unset | None = UNSET,
) -> Request[PageExplainerSummary]:
    """List explainers, newest first, without the features that they show."""
    return Request(
        "GET",
        "/v1/explainers",
        query={
            "limit": limit,
            "cursor": cursor,
            "model": model,
            "prototype_set": prototype_set,
            "rule_set": rule_set,
            "approximation_tree": approximation_tree,
            "name": name,
        },
        answer=PageExplainerSummary,
    )


def get_explainer(explainer_id: str) -> Request[Explainer]:
    """Read an explainer."""
    return Request("GET", f"/v1/explainers/{segment(explainer_id)}", answer=Explainer)


def rename_explainer(explainer_id: str, *, body: Renaming) -> Request[Explainer]:
    """Rename an explainer: its id stays."""
    return Request("PATCH", f"/v1/explainers/{segment(explainer_id)}", body=body, answer=Explainer)


def delete_explainer(explainer_id: str) -> Request[None]:
    """Delete an explainer; refused while a name means it."""
    return Request("DELETE", f"/v1/explainers/{segment(explainer_id)}")
