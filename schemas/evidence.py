"""Evidence: what happened to the reference rows most like a row, a part of explanations."""

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from .cautions import Caution
from .contract import Contract, absent

TRAINING_NOT_KNOWN = Caution(
    code="training_not_known",
    detail="it is not known whether the model was trained on these rows: outcomes of rows that it was trained on agree "
    "with its scores more than those of others, and such intervals hold the share among others less often than they "
    "say",
    remedy="explain by prototypes of rows that are registered with `held_out`",
)


class OutcomeShare(Contract):
    """The share of one true class among the rows."""

    label: str = Field(description="Class.")
    share: float = Field(ge=0, le=1, description="Share of the rows that have it, 0 to 1.")
    low: float = Field(ge=0, le=1, description="Lower end of its interval.")
    high: float = Field(ge=0, le=1, description="Upper end of its interval.")


class Evidence(Contract):
    """The true classes of the reference rows most like a row, by the trees' own likeness, that have nearly its score.

    They are the 50 rows, ties apart, with the largest proximity times 1 - (difference of scores / 0.05)^2, of at most
    100,000 reference rows, evenly spaced.
    """

    n_rows: int = Field(description="Number of the rows; 0 where none shares a leaf with it and has nearly its score.")
    effective_rows: float = Field(description="Number of rows of equal weight that say as much.")
    score_of: str = Field(description="Class whose score they have nearly: the decision's, or the predicted one.")
    score: float = Field(
        description="The row's score of this class; out of bag, of a reference row that is explained, by the trees "
        "that did not learn from it."
    )
    shares: list[OutcomeShare] = Field(description="Share of each class, in the order of the classes; empty: no rows.")
    level: float = Field(description="Probability with which an interval should hold the share among other such rows.")
    out_of_bag: bool = Field(
        description="Whether each row was scored and compared by those trees alone that were not trained on it, as the "
        "`bags` of a forest allow; false where it is not known which trees were."
    )
    is_reference_row: bool | SkipJsonSchema[None] = absent(
        "True of a reference row that is explained by its id, or in a set: it is no evidence of itself; else absent."
    )
    agrees: bool | SkipJsonSchema[None] = absent(
        "Whether the score lies in the interval of its class; otherwise `warnings` has `outcomes_disagree`. Absent: no "
        "rows."
    )
    cautions: list[Caution] | SkipJsonSchema[None] = absent(
        "Reasons to read the evidence with care: `training_not_known`. Absent out of bag, and where the dataset of "
        "these rows is declared `held_out`."
    )
