from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="Cell")


@_attrs_define(repr=False)
class Cell(Record):
    """One value of a row.

    Attributes:
        name (str): Name of the column.
        value (bool | float | None | str): Value of the row in this column; null if it is missing; an infinite number is
            the text `Infinity` or `-Infinity`.
    """

    name: str
    value: bool | float | None | str

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        value: bool | float | None | str
        value = self.value

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "value": value,
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

        cell = cls(
            name=name,
            value=value,
        )

        return cell
