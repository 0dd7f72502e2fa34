"""Training rows: which rows a forest's prediction is made of, a part of explanations."""

from typing import Annotated

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema
from typing_extensions import TypeAliasType

from .contract import Contract, RowId, absent

TrueValue = TypeAliasType("TrueValue", Annotated[str | float, Field(description="True class or value of a row.")])


class TrainingRow(Contract):
    """A row that the forest was trained on, and its share in the prediction."""

    row_id: RowId
    target: TrueValue = Field(description="Its true class, or its true value.")
    share: float = Field(ge=0, le=1, description="Its share in the prediction, 0 to 1.")
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


class OutOfBagPrediction(Contract):
    """What those trees alone predict that did not learn from the row."""

    n_trees: int = Field(description="Number of these trees.")
    shares: list[ClassShare] | SkipJsonSchema[None] = absent("Their score of each class; absent for regression.")
    value: float | SkipJsonSchema[None] = absent("Their value; absent for classification.")


class TrainingRows(Contract):
    """Which training rows the prediction is made of: the mean of their targets, weighted by shares, is the prediction.

    A leaf of a forest predicts the mean target of the rows that its tree drew into it. So a row's share is the mean
    over trees of how often the tree drew it, divided by how many it drew into the leaf, where it lies in the same leaf.
    """

    n_training_rows: int = Field(description="Number of rows that the forest was trained on.")
    n_rows: int = Field(description="Number of those that have a share.")
    n_half: int = Field(description="The fewest rows whose shares add up to one half.")
    effective_rows: float = Field(
        description="Number of rows of equal share that say as much: Kish's effective number."
    )
    rows: list[TrainingRow] = Field(description="The rows with the largest shares, largest first, at most 10.")
    shares: list[ClassShare] | SkipJsonSchema[None] = absent(
        "What the rows of each true class add, in the order of the classes; absent for regression."
    )
    value: float | SkipJsonSchema[None] = absent(
        "Mean of the targets, weighted by shares: the predicted value; absent for classification."
    )
    interval: ValueInterval | SkipJsonSchema[None] = absent(
        "Where the value of such a row should lie, by a quantile regression forest; of a training row by the trees "
        "that did not learn from it. Absent for classification, and of a training row that all trees learned from."
    )
    out_of_bag: OutOfBagPrediction | SkipJsonSchema[None] = absent(
        "Of a training row that is explained by its id, or in a set: what the trees predict that did not learn from "
        "it. Absent of other rows, and where all trees learned from it."
    )
