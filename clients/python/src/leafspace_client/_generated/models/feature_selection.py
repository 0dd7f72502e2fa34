from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="FeatureSelection")


@_attrs_define(repr=False)
class FeatureSelection(Record):
    """A condition on the rows that an aggregate reads.

    Attributes:
        column (str): Name of the column.
        operator (str): Comparison; a missing value satisfies `is_missing` alone.
        parents (list[str] | Unset): Names of the relationships that lead from the row to the parent whose column is
            read, one after the other; absent where the row's own column is read. Trees read parents up to 3 relationships
            away, generated features up to 2.
        value (bool | float | str | Unset): A value of a query or of its feature: a boolean, a number or a category.
    """

    column: str
    operator: str
    parents: list[str] | Unset = UNSET
    value: bool | float | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        column = self.column

        operator = self.operator

        parents: list[str] | Unset = UNSET
        if not isinstance(self.parents, Unset):
            parents = self.parents

        value: bool | float | str | Unset
        if isinstance(self.value, Unset):
            value = UNSET
        else:
            value = self.value

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "column": column,
                "operator": operator,
            }
        )
        if parents is not UNSET:
            field_dict["parents"] = parents
        if value is not UNSET:
            field_dict["value"] = value

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        column = d.pop("column")

        operator = d.pop("operator")

        parents = cast(list[str], d.pop("parents", UNSET))

        def _parse_value(data: object) -> bool | float | str | Unset:
            if isinstance(data, Unset):
                return data
            return cast(bool | float | str | Unset, data)

        value = _parse_value(d.pop("value", UNSET))

        feature_selection = cls(
            column=column,
            operator=operator,
            parents=parents,
            value=value,
        )

        return feature_selection
