"""Next questions: a tree as a questionnaire, one feature at a time and no more features than a prediction needs."""

from typing import Annotated, Any, Literal

from pydantic import Field

from .approximation_trees import PathNode
from .contract import OBJECT, Contract
from .models import Score


class NextQuestionRequest(Contract):
    """The answers so far."""

    answers: dict[str, Any] = Field(
        default={},
        description="Values by names of the model's features, as in instances; null, a missing value, is an answer.",
    )


class Question(Contract):
    """The feature to ask for next: its value decides all splits on this feature."""

    node: int = Field(description="Id of the node that tests the feature.")
    feature: str = Field(description="Name of the raw feature.")
    column: str = Field(
        description="Name to use in `answers`: `feature` itself, except for one-hot columns that belong together, "
        "where the answer is 1 or true if the feature is `value`, else 0."
    )
    type: Literal["number", "category", "boolean"] = Field(
        description="Type of the answer: a boolean is true or false, or 1 or 0."
    )
    text: str = Field(description="Condition of the node as an English phrase.")
    question: str | None = Field(
        default=None, description="Condition as a question of its own; null where `text` serves as one."
    )
    operator: str = Field(description="Comparison of the node; see `operator` of the tree's nodes.")
    value: float | str | list[str] | None = Field(
        description="Value to compare with: a list with `is one of`; null with `is missing`."
    )
    or_missing: bool = Field(description="Whether a missing value satisfies the condition, too.")
    categories: list[str] = Field(
        description="Categories that the tree mentions; all others have the same effect as each other. Empty for "
        "numbers."
    )


class NextQuestion(Contract):
    """How far the answers lead in the tree."""

    object: Annotated[Literal["next_question"], OBJECT] = "next_question"
    approximation_tree: str = Field(description="Id of the approximation tree.")
    question: Question | None = Field(description="The next question; null if the answers lead to a leaf.")
    prediction: float | str | None = Field(
        description="Predicted label of the leaf, or value for regression; null while there is a question left."
    )
    scores: list[Score] = Field(
        description="Shares of the classes at the node that was reached, in the order of the classes; empty for "
        "regression."
    )
    n_asked: int = Field(description="Number of different features on the path so far, without that of `question`.")
    n_features: int = Field(description="Number of features of the model; without the tree, all of them are needed.")
    path: list[PathNode] = Field(description="Conditions on the path so far, from the root.")
