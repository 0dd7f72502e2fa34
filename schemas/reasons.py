"""Reasons: why a row is near another, feature by feature, and what either of two rows is called."""

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from .contract import Contract, absent, without_default

Cell = float | bool | str | None
FEATURE_TEXT = (
    "What the dataset's dictionary, or its metadata, call the feature; absent where it is called by its name."
)


class ReasonInterval(Contract):
    """The values of one feature that keep a row in all leaves that it shares with a prototype."""

    low: float | SkipJsonSchema[None] = absent("Lower end of the interval; absent: there is none.")
    low_inclusive: bool | SkipJsonSchema[None] = absent("Whether the interval includes its lower end.")
    high: float | SkipJsonSchema[None] = absent("Upper end of the interval; absent: there is none.")
    high_inclusive: bool | SkipJsonSchema[None] = absent("Whether the interval includes its upper end.")
    or_missing: bool | SkipJsonSchema[None] = absent(
        "True where a missing value also keeps the row in the shared leaves. It is absent where the rows from which "
        "the prototypes were chosen have no missing value of this feature, unless the explained row has one."
    )
    is_missing: bool | SkipJsonSchema[None] = absent(
        "True where only a missing value keeps the row in the shared leaves: both rows miss the value. Then there is "
        "no interval and no category."
    )
    category: float | str | SkipJsonSchema[None] = absent(
        "The only category that keeps the row in the shared leaves; absent: there is none."
    )
    categories: list[float | str] | SkipJsonSchema[None] = absent(
        "The only categories that keep the row in the shared leaves, two or more: all others, unseen ones too, do not. "
        "Absent where other categories do."
    )
    excluded_categories: list[float | str] | SkipJsonSchema[None] = absent(
        "Categories that do not keep the row in the shared leaves; of a number, excluded values within the interval."
    )
    transformed: bool | SkipJsonSchema[None] = absent("True where the feature could not be mapped back to a raw one.")
    exact: bool | SkipJsonSchema[None] = absent(
        "False where a tree tests a set of raw numbers, and where ends were mapped back through scaling: then they "
        "hold up to the rounding of single precision, on either side. Else absent."
    )


class FeatureOfTwoRows(Contract):
    """A feature, and its values in a row and in another that it is compared with."""

    feature: str = Field(description="Name of the feature.")
    text: str  # described by each kind; declared here for its place among the fields, which is that in answers
    value: Cell = Field(
        default=None,
        description="Value of the row; null if it is missing. Absent, as is `prototype_value`, where the feature could "
        "not be mapped back to a raw one.",
        json_schema_extra=without_default,
    )
    prototype_value: Cell = Field(
        default=None,
        description="Value of the prototype, or of the reference row; null if it is missing.",
        json_schema_extra=without_default,
    )


class Reason(FeatureOfTwoRows):
    """A feature that shared trees test, and the values that keep a row in their leaves."""

    text: str = Field(
        description="The reason as an English phrase, such as `income is above 1,200 and at most 3,400 (missing "
        "allowed)`, `color is G or H` or `income is missing`. It names the remaining categories or the excluded ones, "
        "whichever are fewer, and adds `(transformed)` to the names of transformed features. Ends of more than 9 "
        "digits are rounded to 6 so that the printed interval lies inside the exact one, but for the next few "
        "numbers, where it then holds for both rows; ends nearer to 0 than data are printed as 0."
    )
    share_of_trees: float = Field(
        description="Share of the shared trees, by the weight that each has in the proximity, that test the feature on "
        "the path to the shared leaf, 0 to 1, rounded to 4 decimals."
    )
    interval: ReasonInterval | SkipJsonSchema[None] = absent(
        "The same as `text`, in numbers; absent unless `intervals` are included."
    )


REASONS = (
    "Reasons for the proximity, one for each shown feature that shared trees test, by descending share of trees; at "
    "most `n_reasons`. Empty below the minimum proximity (see `row_coverage` of prototype sets), and where the status "
    "is `abstained`."
)


PREDICTED_OF_A_PROTOTYPE = "Class that the model predicts for the prototype; absent where that is its `label`."
TARGET_OF_A_ROW = "Its class or value in the target column; absent where the dataset has no target that fits the model."
