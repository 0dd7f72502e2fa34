"""Relational features: closed queries about one example of several tables, as JSON; each is a column of a dataset."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from .contract import Contract, Name, absent

FeatureKind = Literal["value", "exists", "count", "share", "mean", "sum", "min", "max", "mode", "n_distinct"]
AggregateFunction = Literal["count", "share", "mean", "sum", "min", "max", "mode", "n_distinct"]
FeatureOperator = Literal["=", "<=", ">", "is_missing"]
FeatureType = Literal["number", "category", "boolean"]
SqlSource = Literal["tables", "features"]
"""What exported SQL reads: the tables that features are about, or a table whose columns are the features."""
MAX_VARIABLES, MAX_CONDITIONS, MAX_SELECTIONS, MAX_PARENTS = 4, 32, 2, 8

_OPERATOR = "Comparison; a missing value satisfies `is_missing` alone."
_VALUE = (
    "Value to compare with: a category or boolean with `=`, a number (of single precision) with the others; absent "
    "with `is_missing`."
)
_DIRECTION = (
    "Way in which the relationship is followed, where both of its ends are the same table: to the rows that refer to "
    "this one (`children`), or to the one that it refers to (`parent`); absent elsewhere, where only one way is open."
)
_BY = "Name of the relationship that is followed: `<table with the foreign key>.<its columns, parted by commas>`."
_PARENTS = (
    "Names of the relationships that lead from the row to the parent whose column is read, one after the other; absent "
    "where the row's own column is read. Trees read parents up to 3 relationships away, generated features up to 2."
)
_Value = bool | float | str | SkipJsonSchema[None]
_Direction = Literal["children", "parent"] | SkipJsonSchema[None]
_Parents = Annotated[list[Name], Field(min_length=1, max_length=MAX_PARENTS)] | SkipJsonSchema[None]


class FeatureSelection(Contract):
    """A condition on the rows that an aggregate reads."""

    column: Name = Field(description="Name of the column.")
    parents: _Parents = absent(_PARENTS)
    operator: FeatureOperator = Field(description=_OPERATOR)
    value: _Value = absent(_VALUE)


class FeatureAggregate(Contract):
    """A value made of the rows that one relationship leads to."""

    function: AggregateFunction = Field(
        description="`count` of the rows that satisfy `where` (0 of none); `share` of them among all rows (missing of "
        "no rows); `sum` (0 of none), `mean`, `min`, `max` of the column's values (missing of none); `mode`: the most "
        "frequent category (missing of none); `n_distinct`: the number of distinct values (0 of none)."
    )
    by: Name = Field(description=_BY)
    direction: _Direction = absent(_DIRECTION)
    column: Name | SkipJsonSchema[None] = absent("Name of the column that is read; absent for `count` and `share`.")
    parents: _Parents = absent(_PARENTS)
    where: list[FeatureSelection] = Field(
        default=[], max_length=MAX_SELECTIONS, description="Conditions that rows satisfy together to be counted."
    )


class FeatureVariable(Contract):
    """A row of another table, reached from the example or from an earlier variable."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)

    id: Name = Field(description="Name by which conditions and later variables refer to the row.")
    table: Name = Field(description="Name of the table that the row is of.")
    origin: Name = Field(alias="from", description="`example`, or the id of an earlier variable.")
    by: Name = Field(description=_BY)
    direction: _Direction = absent(_DIRECTION)


class FeatureMeasure(Contract):
    """What a feature reads of each binding: a column, or an aggregate of the rows beside it."""

    variable: Name = Field(description="Id of the variable, or `example`.")
    column: Name | SkipJsonSchema[None] = absent("Name of the column; absent where an aggregate is read.")
    parents: _Parents = absent(_PARENTS)
    aggregate: FeatureAggregate | SkipJsonSchema[None] = absent("The aggregate; absent where a column is read.")


class FeatureCondition(FeatureMeasure):
    """A condition on one variable's row, or on the example's."""

    operator: FeatureOperator = Field(description=_OPERATOR)
    value: _Value = absent(_VALUE)


class RequestedFeature(Contract):
    """A feature: a property of the example, found by a query about its rows and those of other tables."""

    kind: FeatureKind = Field(
        description="`exists`: whether some rows satisfy all conditions together; `count` of the ways in which they "
        "do; `share` of them among those that satisfy all conditions but the last variable's; `value`: `measure` of "
        "the example itself; others: of `measure` over all ways to satisfy the conditions, as in `aggregate`."
    )
    name: Name | None = Field(
        default=None, description="Name of the feature, unique in its set; null: one in English is made of the query."
    )
    variables: list[FeatureVariable] = Field(
        default=[], max_length=MAX_VARIABLES, description="Rows of other tables, each after the one it is reached from."
    )
    conditions: list[FeatureCondition] = Field(
        default=[], max_length=MAX_CONDITIONS, description="Conditions that the rows satisfy together."
    )
    measure: FeatureMeasure | SkipJsonSchema[None] = absent(
        "What is read of each way to satisfy the conditions; absent for `exists`, `count` and `share`."
    )


class RelationalFeature(RequestedFeature):
    """A feature of a feature set: one column of its datasets."""

    id: str = Field(description="Hash of the query in its canonical form: features that mean the same have one id.")
    name: Name = Field(description="Name of the feature and of its column, unique in its set.")
    type: FeatureType = Field(
        description="Type of the column: `boolean` for `exists`, which is never missing; `category` for categories."
    )
