from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.feature_aggregate import FeatureAggregate


T = TypeVar("T", bound="FeatureCondition")


@_attrs_define(repr=False)
class FeatureCondition(Record):
    """A condition on one variable's row, or on the example's.

    Attributes:
        variable (str): Id of the variable, or `example`.
        operator (str): Comparison; a missing value satisfies `is_missing` alone.
        column (str | Unset): Name of the column; absent where an aggregate is read.
        parents (list[str] | Unset): Names of the relationships that lead from the row to the parent whose column is
            read, one after the other; absent where the row's own column is read. Trees read parents up to 3 relationships
            away, generated features up to 2.
        aggregate (FeatureAggregate | Unset): A value made of the rows that one relationship leads to.
        value (bool | float | str | Unset): A value of a query or of its feature: a boolean, a number or a category.
    """

    variable: str
    operator: str
    column: str | Unset = UNSET
    parents: list[str] | Unset = UNSET
    aggregate: FeatureAggregate | Unset = UNSET
    value: bool | float | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        variable = self.variable

        operator = self.operator

        column = self.column

        parents: list[str] | Unset = UNSET
        if not isinstance(self.parents, Unset):
            parents = self.parents

        aggregate: dict[str, Any] | Unset = UNSET
        if not isinstance(self.aggregate, Unset):
            aggregate = self.aggregate.to_dict()

        value: bool | float | str | Unset
        if isinstance(self.value, Unset):
            value = UNSET
        else:
            value = self.value

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "variable": variable,
                "operator": operator,
            }
        )
        if column is not UNSET:
            field_dict["column"] = column
        if parents is not UNSET:
            field_dict["parents"] = parents
        if aggregate is not UNSET:
            field_dict["aggregate"] = aggregate
        if value is not UNSET:
            field_dict["value"] = value

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.feature_aggregate import FeatureAggregate  # noqa: PLC0415

        d = dict(src_dict)
        variable = d.pop("variable")

        operator = d.pop("operator")

        column = d.pop("column", UNSET)

        parents = cast(list[str], d.pop("parents", UNSET))

        _aggregate = d.pop("aggregate", UNSET)
        aggregate: FeatureAggregate | Unset
        if isinstance(_aggregate, Unset):
            aggregate = UNSET
        else:
            aggregate = FeatureAggregate.from_dict(_aggregate)

        def _parse_value(data: object) -> bool | float | str | Unset:
            if isinstance(data, Unset):
                return data
            return cast(bool | float | str | Unset, data)

        value = _parse_value(d.pop("value", UNSET))

        feature_condition = cls(
            variable=variable,
            operator=operator,
            column=column,
            parents=parents,
            aggregate=aggregate,
            value=value,
        )

        return feature_condition
