from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="ComparedFeature")


@_attrs_define(repr=False)
class ComparedFeature(Record):
    """The values of one feature, of the row and of its nearest prototypes.

    Attributes:
        feature (str): Name of the feature.
        value (bool | float | None | str): Value of the row; null if it is missing.
        prototype_values (list[bool | float | None | str]): Value of each of the nearest prototypes, in their order;
            null where it is missing.
        row_values (list[bool | float | None | str] | Unset): Value of each of the `nearest_rows`, in their order, null
            where it is missing; absent unless these are included.
    """

    feature: str
    value: bool | float | None | str
    prototype_values: list[bool | float | None | str]
    row_values: list[bool | float | None | str] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        feature = self.feature

        value: bool | float | None | str
        value = self.value

        prototype_values = []
        for prototype_values_item_data in self.prototype_values:
            prototype_values_item: bool | float | None | str
            prototype_values_item = prototype_values_item_data
            prototype_values.append(prototype_values_item)

        row_values: list[bool | float | None | str] | Unset = UNSET
        if not isinstance(self.row_values, Unset):
            row_values = []
            for row_values_item_data in self.row_values:
                row_values_item: bool | float | None | str
                row_values_item = row_values_item_data
                row_values.append(row_values_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "feature": feature,
                "value": value,
                "prototype_values": prototype_values,
            }
        )
        if row_values is not UNSET:
            field_dict["row_values"] = row_values

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        feature = d.pop("feature")

        def _parse_value(data: object) -> bool | float | None | str:
            if data is None:
                return data
            return cast(bool | float | None | str, data)

        value = _parse_value(d.pop("value"))

        prototype_values = []
        _prototype_values = d.pop("prototype_values")
        for prototype_values_item_data in _prototype_values:

            def _parse_prototype_values_item(data: object) -> bool | float | None | str:
                if data is None:
                    return data
                return cast(bool | float | None | str, data)

            prototype_values_item = _parse_prototype_values_item(prototype_values_item_data)

            prototype_values.append(prototype_values_item)

        _row_values = d.pop("row_values", UNSET)
        row_values: list[bool | float | None | str] | Unset = UNSET
        if _row_values is not UNSET:
            row_values = []
            for row_values_item_data in _row_values:

                def _parse_row_values_item(data: object) -> bool | float | None | str:
                    if data is None:
                        return data
                    return cast(bool | float | None | str, data)

                row_values_item = _parse_row_values_item(row_values_item_data)

                row_values.append(row_values_item)

        compared_feature = cls(
            feature=feature,
            value=value,
            prototype_values=prototype_values,
            row_values=row_values,
        )

        return compared_feature
