"""Changes of a row that would give it another outcome, and curves of its score: parts of explanations."""

from typing import Literal

from pydantic import ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from .contract import Contract, RowId, absent, without_default
from .reasons import FEATURE_TEXT, TARGET_OF_A_ROW, Cell


class ChangedColumn(Contract):
    """A one-hot column as it is sent of a changed row."""

    column: str = Field(description="Name of the column.")
    value: float = Field(description="Its value: 1 for the category of the changed row, else 0.")


class ChangedFeature(Contract):
    """A feature that has another value in the changed row."""

    feature: str = Field(description="Name of the feature; of a one-hot group, the group's.")
    value: Cell = Field(description="Value of the row; null if it is missing.")
    to: Cell = Field(description="Value of the changed row, as it can be sent; null if it is missing.")
    columns: list[ChangedColumn] | SkipJsonSchema[None] = absent(
        "Of a one-hot group, what is sent: its columns and their values; absent for other features."
    )
    text: str = Field(description="The same as an English phrase, such as `income is 45,000 instead of 31,000`.")


class ChangedTypicality(Contract):
    """How near a changed row is to its nearest prototype, among other rows."""

    level: Literal["close", "typical", "far", "none"] = Field(description="Level, as in `typicality`.")
    percentile: int = Field(ge=0, le=100, description="Percentile, 0 to 100, as in `typicality`.")


class RowOfOutcome(Contract):
    """A real row that has the wished outcome."""

    row_id: RowId
    target: str | float | SkipJsonSchema[None] = absent(TARGET_OF_A_ROW)
    proximity: float = Field(ge=0, le=1, description="Share of trees, by weight, in which both are in the same leaf.")


class ChangeOption(Contract):
    """A change that gives the wished outcome, as the model itself says."""

    changes: list[ChangedFeature] = Field(description="The features that change.")
    score: float = Field(description="Score of the changed row: that of the decision, or of the wished class.")
    outcome: str = Field(description="Outcome, or class, that the model gives the changed row: the wished one.")
    typicality: ChangedTypicality | SkipJsonSchema[None] = absent(
        "How near the changed row is to its nearest prototype, among other rows; absent where all other rows are "
        "prototypes."
    )
    nearest_row: RowOfOutcome | SkipJsonSchema[None] = absent(
        "The reference row nearest to the changed row that has the wished outcome; where the prototype set keeps no "
        "reference rows, the nearest such prototype. Absent where none shares a leaf with it, and where prototypes are "
        "of classes and the outcome is none."
    )


class Changes(Contract):
    """The smallest changes of one feature, then of two, that give a row another outcome; else one towards a real row.

    Numbers change to values between the lowest and the highest of the reference rows, whole where theirs are, and
    categories to those that some reference row has. The size of a change is the share of the reference rows between two
    numbers, and 0.5 of a category. Changes are of what the model predicts, and not of the world.
    """

    outcome: str = Field(description="The wished outcome, or class.")
    outcome_text: str | SkipJsonSchema[None] = absent(
        "What the dictionary calls it; absent where it is called by its name."
    )
    n_features_searched: Literal[1, 2] = Field(
        description="Largest number of features whose changes together were all searched."
    )
    none_with_fewer: bool = Field(
        description="Whether it is certain that no allowed change of fewer features than those of the first option "
        "gives the outcome; without options, that none of up to `n_features_searched` does. Allowed are values that "
        "the reference rows admit, of features that are neither `fixed` nor hidden, and on the side that `only_up` and "
        "`only_down` leave open."
    )
    options: list[ChangeOption] = Field(
        description="At most three changes of one feature, then at most three of two, each by size; those of rows that "
        "share no leaf with any prototype come last. Where there is none, one of up to `max_changed_features` features "
        "that all have the values of one reference row: not the smallest, but real. Empty: none was found."
    )
    not_searched: list[str] | SkipJsonSchema[None] = absent(
        "Features that were not changed, as the model computes from them in a way that is not known; absent: none."
    )
    n_pairs_left: int | SkipJsonSchema[None] = absent(
        "Number of pairs of features that were not searched, as the search for one row is bounded; absent: none."
    )


class CurveStep(Contract):
    """Values of one feature that give the row the same score, or as good as the same."""

    model_config = ConfigDict(serialize_by_alias=True, validate_by_name=True)

    from_: float | SkipJsonSchema[None] = Field(
        default=None,
        alias="from",
        description="Lowest number of the step, which ends where the next begins; absent of the first step, which has "
        "no lower end, and of categories.",
        exclude_if=lambda value: value is None,
        json_schema_extra=without_default,
    )
    value: str | SkipJsonSchema[None] = absent(
        "Category; absent of numbers, of any other category, and of none in a one-hot group."
    )
    score: float = Field(description="Score of the row with such a value, all else as it is.")


class Curve(Contract):
    """How the score of a row changes with one feature, all else as it is: exact, as an ensemble's score has steps."""

    feature: str = Field(description="Name of the feature; of a one-hot group, the group's.")
    feature_text: str | SkipJsonSchema[None] = absent(FEATURE_TEXT)
    score_of: str | SkipJsonSchema[None] = absent("Class whose score it is; absent for regression.")
    value: Cell = Field(
        description="Value of the row; null if it is missing, and where a row has none of the categories of a one-hot "
        "group."
    )
    steps: list[CurveStep] = Field(description="Steps, of numbers in ascending order; at most 50.")
    missing: float | SkipJsonSchema[None] = absent("Score with a missing value; absent where the model takes none.")
    resolution: float = Field(
        description="Neighbouring steps whose scores differ by less from that of the first are joined. The step with "
        "the row's own value has the row's own score. 0 of categories."
    )
    n_left_out: int | SkipJsonSchema[None] = absent(
        "Number of categories that are not listed, with scores nearest to the row's own; absent: none."
    )
