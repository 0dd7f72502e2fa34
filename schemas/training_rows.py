"""Training rows: which rows a prediction of a forest, or of boosting, is made of, a part of explanations."""

from typing import Annotated

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema
from typing_extensions import TypeAliasType

from .contract import Contract, RowId, absent

TrueValue = TypeAliasType("TrueValue", Annotated[str | float, Field(description="True class or value of a row.")])


class TrainingRow(Contract):
    """A row that the model was trained on, and its share in a forest's prediction, or its weight in one of boosting."""

    row_id: RowId
    target: TrueValue = Field(description="Its true class, or its true value.")
    share: float | SkipJsonSchema[None] = absent("Its share in a forest's prediction, 0 to 1; absent of boosting.")
    weight: float | SkipJsonSchema[None] = absent(
        "By how much the prediction of boosting would rise if the row's target were higher by 1, its trees being split "
        "as they are; negative where it would fall. Absent of forests."
    )
    is_explained_row: bool | SkipJsonSchema[None] = absent("True where it is the explained row itself; else absent.")


class ClassShare(Contract):
    """What the training rows of one true class add to the prediction."""

    label: str = Field(description="Class.")
    share: float = Field(ge=0, le=1, description="Sum of the shares of the rows that have it: the model's score of it.")


class ValueInterval(Contract):
    """Where the value of such a row should lie."""

    level: float = Field(description="Probability with which the interval should hold the value.")
    low: float = Field(description="Lower end: a quantile of the targets of training rows, weighted by their shares.")
    high: float = Field(description="Upper end: another such quantile.")
    coverage: float | SkipJsonSchema[None] = absent(
        "Share of at most 300 training rows, evenly spaced, whose value lies in the interval by the trees that did not "
        "learn from them: where it is far below `level`, intervals of this forest are too narrow. Absent where it is "
        "not known which trees learned from which rows."
    )


class TargetWeights(Contract):
    """How a prediction of boosting is a sum: `value` is `constant` and the sum of all targets by their weights."""

    sum: float = Field(description="Sum of the weights: 1 where boosting began with the mean target.")
    negative: float = Field(
        le=0, description="Sum of the negative weights: a later tree takes back what earlier ones added."
    )
    n_negative: int = Field(description="Number of rows with a negative weight.")
    constant: float = Field(
        description="What targets do not add: 0 where boosting began with the mean target, else what is left of the "
        "constant that it began with."
    )
    learning_rate: float = Field(description="By which each tree's values are multiplied, as its leaves have it.")
    l2_penalty: float = Field(ge=0, description="That is added to the number of rows of a leaf; 0: leaves are means.")


class OutOfBagPrediction(Contract):
    """What those trees alone predict that did not learn from the row."""

    n_trees: int = Field(description="Number of these trees.")
    shares: list[ClassShare] | SkipJsonSchema[None] = absent("Their score of each class; absent for regression.")
    value: float | SkipJsonSchema[None] = absent("Their value; absent for classification.")


class TrainingRows(Contract):
    """Which training rows the prediction is made of: their targets, by their shares or weights, add up to it.

    A leaf of a forest predicts the mean target of the rows that its tree drew into it. So a row's share is the mean
    over trees of how often the tree drew it, divided by how many it drew into the leaf, where it lies in the same leaf.

    A leaf of boosting by squared error has the learning rate times the mean of what earlier trees left of its rows'
    targets. So rows have weights, by which their targets add up to the prediction, the trees being split as they are.
    Weights may be negative, and are no shares: rows are counted and ordered by weights without signs.
    """

    n_training_rows: int = Field(description="Number of rows that the model was trained on.")
    n_rows: int = Field(description="Number of those that have a share, or a weight other than 0.")
    n_half: int = Field(
        description="The fewest rows whose shares add up to one half; of boosting, whose weights without signs add up "
        "to half of those of all rows."
    )
    effective_rows: float = Field(
        description="Number of rows of equal share, or weight, that say as much: Kish's effective number, of weights "
        "without signs."
    )
    rows: list[TrainingRow] = Field(
        description="The rows with the largest shares, or weights without signs, largest first, at most 10."
    )
    shares: list[ClassShare] | SkipJsonSchema[None] = absent(
        "What the rows of each true class add, in the order of the classes; absent for regression."
    )
    value: float | SkipJsonSchema[None] = absent(
        "Sum of the targets by their shares, or by their weights and the constant: the predicted value; absent for "
        "classification."
    )
    interval: ValueInterval | SkipJsonSchema[None] = absent(
        "Where the value of such a row should lie, by a quantile regression forest; of a training row by the trees "
        "that did not learn from it. Absent for classification, of boosting, whose weights may be negative, and of a "
        "training row that all trees learned from."
    )
    weights: TargetWeights | SkipJsonSchema[None] = absent("How the weights add up; absent of forests.")
    out_of_bag: OutOfBagPrediction | SkipJsonSchema[None] = absent(
        "Of a training row of a forest that is explained by its id, or in a set: what the trees predict that did not "
        "learn from it. Absent of other rows, and where all trees learned from it."
    )
