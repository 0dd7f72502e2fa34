"""Evaluations: how well a model predicts the labels of a dataset, and where it is wrong."""

from typing import Annotated, Literal

from pydantic import Field

from .artefacts import REQUEST, RESULT, ArtefactView, RequestedModel
from .cautions import CAUTIONS, Caution
from .contract import OBJECT, Contract, Identifier, Many, Name, RowId, RowIndex, TaskOfModel
from .models import ClassName
from .noun import TABLE, Noun, Product
from .paper_settings import MethodRequest
from .reports import ShareInterval
from .rule_sets import Condition

N_ROWS_SHOWN = 100
MAX_POINTS, MAX_POINTS_OF_MANY = 200, 60
MAX_OUTCOMES = 10
MAX_CLASSES = 50
MAX_CELLS = 400
MAX_GROUPED_COLUMNS, MAX_GROUPS = 8, 12
MAX_SAMPLED_ROWS = 20_000
_LABEL = "Label of the row in the dataset's target; null of a regression."
_PREDICTED = "Label that the model predicts; null of a regression."


class EvaluationRequest(MethodRequest):
    """What is evaluated, and on which rows."""

    model: RequestedModel
    dataset: Identifier = Field(
        description="Id of a dataset with a target, and with every feature that the model reads. Rows without a label "
        "are left out. Rows that the model was not trained on show how well it predicts others."
    )
    positive: ClassName | None = Field(
        default=None,
        description="Class that cut-offs, curves and calibration are about, and rates of groups. Null: the class whose "
        "score is decided on, or else the second of two classes; of more classes each against the rest, at most "
        f"{MAX_OUTCOMES}. Null of a regression.",
    )
    group_by: Many[Name] = Field(
        default=[],
        max_length=MAX_GROUPED_COLUMNS,
        description="Columns of the dataset by whose values rates and errors are compared, features of the model or "
        f"not, each once: at most {MAX_GROUPED_COLUMNS}. Numbers of many values are grouped by their quartiles.",
    )
    max_regions: int = Field(
        default=5,
        ge=0,
        le=10,
        strict=True,
        description="Maximum number of rules that say where the model is wrong, 0 to 10.",
    )
    seed: int = Field(
        default=0,
        ge=0,
        le=2**31 - 1,
        strict=True,
        description=f"Seed that draws the {MAX_SAMPLED_ROWS:,} rows, of more, among which rules are sought.",
    )


class MeasuredShare(Contract):
    """A share that was counted on rows."""

    share: float | None = Field(description="The share, 0 to 1; null where there are no such rows.")
    n_counted: int = Field(description="Number of rows that count.")
    n_rows: int = Field(description="Number of rows that they are a share of.")
    interval: ShareInterval | None = Field(description="95 % interval (Wilson, 1927); null where there are no rows.")


class MeasuredFigure(Contract):
    """A figure that was measured on rows."""

    value: float = Field(description="The figure.")
    interval: ShareInterval | None = Field(
        description="95 % interval, for rows drawn independently; null where the rows leave it open."
    )
    constant: float | None = Field(
        description="The same of the best constant answer: the most frequent class, the shares of the classes, or the "
        "mean; null where it says nothing."
    )


class EvaluatedClass(Contract):
    """A class of the model."""

    label: str = Field(description="The class.")
    n_rows: int = Field(description="Number of rows with this label.")
    n_predicted: int = Field(description="Number of rows for which it is predicted.")
    recall: MeasuredShare = Field(description="Share of the rows with this label for which it is predicted.")
    precision: MeasuredShare = Field(description="Share of the rows for which it is predicted that have this label.")


class ConfusionCell(Contract):
    """Rows with one label for which one class is predicted."""

    label: str = Field(description="Label of the rows.")
    predicted: str = Field(description="Class that the model predicts.")
    n_rows: int = Field(description="Number of such rows; above 0.")


class BandOutcome(Contract):
    """Rows of which the model's decision has one outcome."""

    outcome: str = Field(description="The outcome.")
    low: float | None = Field(description="Lower end of its scores; null of the first band.")
    below: float | None = Field(description="Upper end, which belongs to the next band; null of the last band.")
    is_adverse: bool = Field(description="Whether the outcome is adverse to the person concerned.")
    rows: MeasuredShare = Field(description="Share of all rows that have this outcome.")
    positive: MeasuredShare | None = Field(
        description="Share of these rows whose label is the class that is decided on; null of a regression."
    )
    mean_value: MeasuredFigure | None = Field(
        description="Mean of the target of these rows; null of a classification, and where there are none."
    )


class CurvePoint(Contract):
    """A cut-off: rows with this score or a higher one are predicted to be of the class."""

    cutoff: float | None = Field(description="The lowest score that is enough; null of the point at which none is.")
    true_positive_rate: float = Field(description="Share of the rows of the class that are predicted, 0 to 1 (recall).")
    false_positive_rate: float = Field(description="Share of the other rows that are predicted, 0 to 1.")
    precision: float | None = Field(
        description="Share of the predicted rows that are of the class, 0 to 1; null where none is predicted."
    )


class CutoffFigures(Contract):
    """What a cut-off of the score does."""

    cutoff: float = Field(description="The lowest score that is enough.")
    source: Literal["model", "band", "share"] = Field(
        description="`model`: from this score on the model predicts the class, for these rows; it is given where its "
        "labels follow from such a cut-off. `band`: the lower end of a band of its decision. `share`: the score that a "
        "twentieth, two twentieths, … of the rows reach."
    )
    outcome: str | None = Field(description="Outcome of the decision from this score on; null of other cut-offs.")
    true_positive_rate: MeasuredShare = Field(description="Rows of the class that are predicted (recall).")
    false_positive_rate: MeasuredShare = Field(description="Other rows that are predicted.")
    precision: MeasuredShare = Field(description="Rows of the class among those that are predicted.")
    predicted: MeasuredShare = Field(description="Rows that are predicted.")
    accuracy: MeasuredShare = Field(description="Rows that are rightly predicted or not.")


class CalibrationBin(Contract):
    """Rows of neighbouring scores."""

    low: float = Field(description="Lowest score of the rows.")
    high: float = Field(description="Highest score of the rows.")
    mean_score: float = Field(description="Mean score of the rows.")
    observed: MeasuredShare = Field(description="Share of the rows that are of the class.")


class Calibration(Contract):
    """How far scores are the probabilities that they claim to be."""

    mean_score: float = Field(description="Mean score of all rows, 0 to 1.")
    brier_score: MeasuredFigure = Field(
        description="Mean squared difference of the score and what the label is, 1 or 0 (Brier, 1950); `constant`: of "
        "the share of the class as the score of every row."
    )
    calibration_error: float = Field(
        description="Mean absolute difference of mean score and share of the class over the bins, by their rows, 0 to "
        "1. It is above 0 by chance, too."
    )
    bins: list[CalibrationBin] = Field(
        description="Rows in ascending order of their scores, ten groups of about as many rows; rows of one score are "
        "in one group."
    )


class OutcomeEvaluation(Contract):
    """A class against all others, by its score."""

    outcome: str = Field(description="The class.")
    share: MeasuredShare = Field(description="Share of the rows that are of the class.")
    roc_area: MeasuredFigure | None = Field(
        description="Area under the ROC curve: the probability that a row of the class has a higher score than "
        "another (ties: half), with DeLong's interval on the scale of log odds; where the area is 0 or 1, Newcombe's. "
        "Null where all rows are of the class, or none."
    )
    average_precision: MeasuredFigure | None = Field(
        description="Precision at each score, weighted by the rows of the class that have it: the area below the "
        "precision-recall curve by steps; interval on the scale of log odds (Boyd et al., 2013). Null where no row is "
        "of the class."
    )
    points: list[CurvePoint] = Field(
        description="Points of both curves, from the highest score to the lowest: all that there are, or, of more, at "
        f"most {MAX_POINTS} at about equal steps ({MAX_POINTS_OF_MANY} of each of several classes). Each is exact. "
        "Empty without rows of the class, or of others."
    )
    cutoffs: list[CutoffFigures] = Field(description="Cut-offs with intervals, the highest first.")
    calibration: Calibration | None = Field(
        description="Calibration; null where scores are no probabilities, such as sums of trees or shares of votes "
        "that go beyond 0 to 1."
    )


class ClassificationEvaluation(Contract):
    """How often predicted classes are right."""

    n_classes: int = Field(description="Number of classes of the model.")
    accuracy: MeasuredShare = Field(description="Share of the rows whose label is predicted.")
    constant: str = Field(description="The most frequent label, which is the best constant answer.")
    constant_accuracy: float = Field(description="Accuracy of that answer, 0 to 1.")
    balanced_accuracy: MeasuredFigure = Field(
        description="Mean recall of the classes that rows have, 0 to 1, with its interval from those of the recalls "
        "(Zou and Donner, 2008)."
    )
    log_loss: MeasuredFigure | None = Field(
        description="Mean of the negative natural logarithm of the score of the row's label, which counts as 2.2e-16 "
        "at least; 0 or more. Null where scores are no probabilities."
    )
    classes: list[EvaluatedClass] = Field(
        description=f"Classes in the model's order; of more than {MAX_CLASSES}, those of the most rows."
    )
    confusion: list[ConfusionCell] = Field(
        description=f"Rows by label and predicted class, the most frequent first, at most {MAX_CELLS}: all where there "
        "are at most 20 classes."
    )
    outcomes: list[OutcomeEvaluation] = Field(
        description=f"The positive class, or each class of several, at most {MAX_OUTCOMES}: those of the most rows."
    )


class ResidualBin(Contract):
    """Rows of neighbouring predictions. A residual is the target less the prediction."""

    low: float = Field(description="Lowest prediction of the rows.")
    high: float = Field(description="Highest prediction of the rows.")
    n_rows: int = Field(description="Number of rows.")
    mean_prediction: float = Field(description="Mean prediction of the rows.")
    mean_value: MeasuredFigure = Field(description="Mean target of the rows.")
    mean_absolute_error: MeasuredFigure = Field(description="Mean absolute residual of the rows.")
    residual_quantiles: list[float] = Field(
        description="Residuals that 5, 25, 50, 75 and 95 % of the rows do not exceed, between neighbours by share."
    )


class RegressionEvaluation(Contract):
    """How far predicted values are off. A residual is the target less the prediction."""

    mean_absolute_error: MeasuredFigure = Field(description="Mean absolute residual; `constant`: of the median.")
    root_mean_squared_error: MeasuredFigure = Field(
        description="Square root of the mean squared residual; `constant`: of the mean."
    )
    r2: MeasuredFigure | None = Field(
        description="Share of the targets' variance that is predicted, at most 1; null where all targets are equal. "
        "Its interval is by the delta method."
    )
    mean_residual: MeasuredFigure = Field(description="Mean residual: above 0 where predictions are too low.")
    residual_quantiles: list[float] = Field(description="Residuals that 5, 25, 50, 75 and 95 % do not exceed.")
    bins: list[ResidualBin] = Field(
        description="Rows in ascending order of predictions, ten groups of about as many rows; rows of one prediction "
        "are in one group."
    )


class GroupShare(MeasuredShare):
    """A share of the rows of a group, beside the same share of all other rows."""

    rest: MeasuredShare = Field(description="The same of the rows of no such group.")
    difference_interval: ShareInterval | None = Field(
        description="Interval of the share less that of the rest (Newcombe, 1998, method 10), so wide that all such "
        "intervals of the result hold together with 95 %: each has 1 - 0.05 / `n_comparisons`. Null where either "
        "share is."
    )
    differs: bool = Field(
        description="Whether that interval leaves 0 out: the shares differ by more than chance would explain."
    )


class GroupFigure(Contract):
    """A mean over the rows of a group, beside the same over all other rows."""

    value: float = Field(description="The mean.")
    interval: ShareInterval | None = Field(description="95 % interval by the normal distribution; null of one row.")
    rest: float | None = Field(description="The same of the rows of no such group; null where there are none.")
    difference_interval: ShareInterval | None = Field(
        description="Interval of the value less that of the rest, by the normal distribution (Welch), as wide as "
        "those of shares; null where either has fewer than two rows."
    )
    differs: bool = Field(description="Whether that interval leaves 0 out.")


class GroupOutcome(Contract):
    """How often an outcome is decided in a group."""

    outcome: str = Field(description="The outcome.")
    rows: GroupShare = Field(description="Share of the rows that have it.")


class EvaluatedGroup(Contract):
    """Rows that have a value of a column."""

    text: str = Field(description="The group in words: a value, `20 to 34`, `missing`, or `12 other values`.")
    value: str | None = Field(
        description="The value, of numbers a text such as `3` or `Infinity`; null of ranges, missing and other values."
    )
    low: float | None = Field(description="Lowest number of the group; null of other groups, and where it is infinite.")
    high: float | None = Field(description="Highest number of the group; null likewise.")
    n_rows: int = Field(description="Number of rows that have a label.")
    errors: GroupShare | None = Field(description="Share of wrong predictions; null of a regression.")
    true_share: GroupShare | None = Field(
        description="Share of rows that are of the positive class; null without one, as in a regression."
    )
    predicted_share: GroupShare | None = Field(
        description="Share of rows for which the positive class is predicted; null without one."
    )
    true_positive_rate: GroupShare | None = Field(
        description="Share of the rows of the positive class for which it is predicted; null without one."
    )
    false_positive_rate: GroupShare | None = Field(
        description="Share of the other rows for which it is predicted; null without one."
    )
    outcomes: list[GroupOutcome] = Field(
        description="Shares of what is decided, in the order of the bands; empty where the model has no decision "
        "apart from its labels."
    )
    mean_absolute_error: GroupFigure | None = Field(description="Mean absolute residual; null of a classification.")
    mean_residual: GroupFigure | None = Field(description="Mean of target less prediction; null of a classification.")
    differs: list[str] = Field(
        description="Names of the figures above that differ from the rest by more than chance would explain."
    )


class EvaluatedColumn(Contract):
    """Groups by the values of a column."""

    column: str = Field(description="Name of the dataset's column.")
    is_feature: bool = Field(description="Whether the model reads it.")
    groups: list[EvaluatedGroup] = Field(
        description=f"Groups, at most {MAX_GROUPS}: numbers in ascending order, texts the most frequent first; "
        "other and missing values last."
    )


class ErrorRegion(Contract):
    """A rule: rows on which the model is wrong more than on others. Its figures are of rows it was not found by."""

    rank: int = Field(description="1-based rank: the first gathers most errors.")
    text: str = Field(
        description="Conditions as an English phrase, such as `income is above 1,200 and at most 3,400`. The rule is "
        "about the rows for which they hold and no rule before does."
    )
    conditions: list[Condition] = Field(description="Conditions that hold together; one or more.")
    n_rows: int = Field(description="Number of rows that it is about, of `n_rows_checked`.")
    error: float = Field(
        description="Share of wrong predictions inside, 0 to 1; of a regression the mean absolute residual."
    )
    interval: ShareInterval = Field(description="95 % interval: Wilson's of a share, normal of a mean.")
    error_outside: float | None = Field(description="The same of all other checked rows; null where there are none.")
    interval_outside: ShareInterval | None = Field(description="Its 95 % interval; null likewise.")
    share_of_errors: float = Field(description="Share of all errors that are inside, 0 to 1.")


class WrongRow(Contract):
    """A row with what was predicted and what is so. Of a regression, each row is one."""

    rank: int = Field(description="1-based rank: the first is the most serious.")
    row: RowIndex
    row_id: RowId
    label: str | None = Field(description=_LABEL)
    predicted: str | None = Field(description=_PREDICTED)
    score: float | None = Field(
        description="Score of the predicted label, by which wrong rows are sorted, the highest first (ties: the lower "
        "score of the label, then the lower row): how sure the model was. Null of a regression."
    )
    label_score: float | None = Field(description="Score of the row's label; null of a regression.")
    value: float | None = Field(description="Target of the row; null of a classification.")
    predicted_value: float | None = Field(description="Value that the model predicts; null of a classification.")
    residual: float | None = Field(
        description="Target less prediction, by whose size rows are sorted, the largest first (ties: the lower row); "
        "null of a classification."
    )


class EvaluationResult(Contract):
    """How well the model predicts these rows, and where it is wrong; all wrong rows are in `/content`."""

    summary: str = Field(description="What was found, in words.")
    task: TaskOfModel
    n_rows: int = Field(description="Number of rows of the dataset.")
    n_evaluated: int = Field(description="Number of these that have a label or value: those that are evaluated.")
    held_out: bool = Field(
        description="Whether the dataset declares that no model was trained on its rows. Otherwise it is not known."
    )
    measured_on: str = Field(description="Which rows these are, in words.")
    positive: str | None = Field(
        description="Class that rates of groups are about; null of several classes without one, and of a regression."
    )
    classification: ClassificationEvaluation | None = Field(description="Of classes; null of a regression.")
    regression: RegressionEvaluation | None = Field(description="Of values; null of a classification.")
    bands: list[BandOutcome] = Field(
        description="What is decided, in the order of the bands; empty without a decision."
    )
    n_comparisons: int = Field(description="Number of figures of groups that are compared with the rest.")
    groups: list[EvaluatedColumn] = Field(description="Groups by each column of `group_by`, in its order.")
    n_rows_checked: int = Field(description="Number of rows on which rules were checked, and not searched.")
    regions: list[ErrorRegion] = Field(
        description="Where the model is wrong more than elsewhere, as rules; empty where nothing says where."
    )
    n_wrong: int = Field(description="Number of rows in `/content`: wrong predictions; of a regression all rows.")
    wrong_rows: list[WrongRow] = Field(description=f"The first {N_ROWS_SHOWN} of them.")
    cautions: list[Caution] = Field(description=CAUTIONS)


class Evaluation(ArtefactView):
    """An evaluation, its status and, once it is ready, its result."""

    object: Annotated[Literal["evaluation"], OBJECT] = "evaluation"
    request: Annotated[EvaluationRequest, REQUEST]
    result: EvaluationResult | None = Field(default=None, description=RESULT)


EVALUATIONS = Noun(
    name="evaluations",
    singular="evaluation",
    position=157,
    id_prefix="evl_",
    description="How well a model predicts the labels of a dataset, and where it is wrong.",
    making="by_job",
    made_from={"model": "models", "dataset": "datasets"},
    request=EvaluationRequest,
    summary=Evaluation,
    view=Evaluation,
    result=EvaluationResult,
    files=("table",),
    products=(Product(name="content", media_types=TABLE, row=WrongRow),),
    made_without_leaves={},
    column_fields=("group_by",),
)
