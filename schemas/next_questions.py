"""Next questions: a tree as a questionnaire, which asks for one feature at a time and no more than it takes."""

from typing import Any, Literal

from pydantic import Field

from .approximation_trees import PathNode
from .contract import Contract
from .models import Score


class NextQuestionRequest(Contract):
    """What has been answered so far."""

    answers: dict[str, Any] = Field(
        default={},
        description="Values by the model's features, as in instances; null, a missing value, is an answer too.",
    )


class Question(Contract):
    """The feature to ask for next: its value, which answers all questions about it at once."""

    node: int = Field(description="Id of the node that asks.")
    feature: str
    column: str = Field(
        description="The name to answer by. `feature` itself, but for one-hot columns that belong together: 1 or true "
        "where the feature is `value`, else 0."
    )
    type: Literal["number", "category"]
    text: str = Field(description="What the node asks of it, as an English sentence.")
    operator: str
    value: float | str | list[str] | None
    or_missing: bool = Field(description="The question holds for a missing value as well.")
    categories: list[str] = Field(
        description="Those that the tree names anywhere: it tells all others from these, but not from each other. "
        "Empty for numbers."
    )


class NextQuestion(Contract):
    """How far the answers lead in the tree."""

    object: Literal["next_question"] = "next_question"
    approximation_tree: str
    question: Question | None = Field(description="Null where the answers lead to a leaf.")
    prediction: float | str | None = Field(
        description="Of the leaf: a label; for regression a value. Null where there is a question left."
    )
    scores: list[Score] = Field(description="Shares of classes at the node reached, leaf or not; none for regression.")
    n_asked: int = Field(description="Different features that the way so far asked for; not the one in `question`.")
    n_features: int = Field(description="Of the model: what one would have to ask for without the tree.")
    path: list[PathNode] = Field(description="The nodes passed, from the root.")
