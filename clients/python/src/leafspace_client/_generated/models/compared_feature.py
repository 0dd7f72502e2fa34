from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="ComparedFeature")


@_attrs_define(repr=False)
class ComparedFeature(Record):
    """A feature of the prototype beside the same feature of the instance.

    Attributes:
        name (str): Name of the feature.
        value (bool | float | None | str): Value of the prototype; null if it is missing.
        instance_value (bool | float | None | str): Value of the instance; null if it is missing.
    """

    name: str
    value: bool | float | None | str
    instance_value: bool | float | None | str

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        value: bool | float | None | str
        value = self.value

        instance_value: bool | float | None | str
        instance_value = self.instance_value

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "value": value,
                "instance_value": instance_value,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        def _parse_value(data: object) -> bool | float | None | str:
            if data is None:
                return data
            return cast(bool | float | None | str, data)

        value = _parse_value(d.pop("value"))

        def _parse_instance_value(data: object) -> bool | float | None | str:
            if data is None:
                return data
            return cast(bool | float | None | str, data)

        instance_value = _parse_instance_value(d.pop("instance_value"))

        compared_feature = cls(
            name=name,
            value=value,
            instance_value=instance_value,
        )

        return compared_feature
